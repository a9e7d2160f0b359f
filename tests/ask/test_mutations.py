"""A tenth of `tests/bench/mutations.py`: true sentences of the policies, and the same made false in one place, read as answers."""

import random
import re

import pytest

from rag.config import SplitSettings
from rag.corpus.index import Corpus, build
from rag.corpus.samples import read
from tests.bench.mutating import KINDS, mutations
from tests.bench.mutations import FORMS, Check, Said, material
from tests.bench.rewording import numeral, reworded, shortened, told_of_row

TEXT = "员工入职满一年后，应提前3个工作日向直属主管提交《年假申请单》（HR-F-012），每年最多15天，2026年10月1日起施行。"
EVERYTHING = TEXT + "累计不超过20天。"

PASSED, FLAGGED = 0.02, 0.05
"""Shares of the false sentences that pass, and of the true ones that are flagged, at most."""


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return build(read(), SplitSettings(), None)


@pytest.fixture(scope="module")
def said(corpus: Corpus) -> list[Said]:
    return material(corpus, 15, 0, parts=10)


def test_the_material_is_what_it_is_said_to_be(said: list[Said]) -> None:
    false = [s for s in said if s.kind]
    assert [sum(s.kind == kind for s in false) for kind in KINDS] == [15] * 4
    assert {s.form for s in said} == set(FORMS) and {s.marked for s in said} == {True, False}
    true = {s.text for s in said if not s.kind}
    assert not true & {s.text for s in false}


def test_no_more_false_sentences_pass_and_true_ones_are_flagged_than_now(corpus: Corpus, said: list[Said]) -> None:
    """A ceiling for what the check does now on these; the goal is at most 2 % passed and 5 % flagged of the whole material."""
    check = Check(corpus)
    passed = [s.text for s in said if s.kind and not check.flagged(s)]
    wrongly = [s.text for s in said if not s.kind and check.flagged(s)]
    assert len(passed) <= PASSED * sum(bool(s.kind) for s in said), passed
    assert len(wrongly) <= FLAGGED * sum(not s.kind for s in said), wrongly


def test_a_mutation_changes_one_thing_of_its_kind(seeds) -> None:
    seen: dict[str, set[str]] = {kind: set() for kind in KINDS}
    for seed in seeds(300):
        for kind in KINDS:
            changed = mutations(kind, TEXT, EVERYTHING, ["年假申请单", "补卡申请单"], random.Random(seed))
            assert changed is not None and changed != TEXT
            seen[kind].add(changed)
    digits = re.compile(r"\d+")
    assert all(digits.sub("", t) == digits.sub("", TEXT) or "一年" not in t for t in seen["number"])
    assert any("20天" in t for t in seen["number"])  # a number that the evidence has elsewhere
    assert any("3天" in t or "3周" in t for t in seen["unit or date"]) and any(
        "2026年1" not in t for t in seen["unit or date"]
    )
    assert any("不满一年" in t or "未满一年" in t for t in seen["negation or condition"])
    assert any("补卡申请单" in t for t in seen["name"]) and any("HR-F-012" not in t for t in seen["name"])
    for kind in KINDS:
        assert mutations(kind, "好的", "", [], random.Random(0)) is None or kind == "negation or condition"


def test_rewording_keeps_numbers_and_shortening_takes_clauses(seeds) -> None:
    for seed in seeds(200):
        draw = random.Random(seed)
        other = reworded("遗失工牌应立即在系统挂失，补办工本费20元，一般在3个工作日之内完成。", draw)
        assert ("20元" in other) and ("3个" in other or "三个" in other)
        short = shortened("工牌遗失的，补办工本费20元；餐卡遗失的，补办工本费10元。", draw)
        assert short in ("工牌遗失的，补办工本费20元。", "餐卡遗失的，补办工本费10元。", None)
    assert numeral(10) == "十" and numeral(20) == "二十" and numeral(99) == "九十九"
    row = told_of_row("职级: P1至P6；项目: 住宿上限；一线城市: 600元", random.Random(1))
    assert row in ("P1至P6在一线城市的住宿上限是600元。", "P1至P6在一线城市的住宿上限为600元。")
    assert told_of_row("只有一格: 1", random.Random(0)) is None and shortened("一句话。", random.Random(0)) is None
