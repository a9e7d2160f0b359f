import difflib
import random
from collections.abc import Callable
from dataclasses import replace
from datetime import date

import pytest

from rag.ask.alike import likeness, most_like, rows, values, wording
from rag.ask.conflicts import MOST, between_sources, between_versions
from rag.types import Chunk, Document, Evidence, Section
from tests import hostile

NOW = "第一章 年假\n第四条 员工入职满一年后，每年可享受15天带薪年假。\n第五条 年假须提前3个工作日申请。\n第六条 未休完的年假不得累计。\n"
OLD = "第三条 员工入职满一年后，每年可享受10天带薪年假；\n第四条 年假须提前三个工作日申请。\n第五条 未休完的年假可以累计到下一年。\n"


def document(key: str, text: str, title: str = "年假制度") -> Document:
    doc_id, _, version = key.partition("@")
    return Document(doc_id, version, key, "own", title, "", text, sections=(Section(0, ("第一章 年假",)),))


def piece(marker: str, document: Document) -> Evidence:
    n = len(document.text)
    chunk = Chunk(f"{document.key}:0-{n}", document.key, 0, n, document.text, "", 0, None, ())
    return Evidence(marker, chunk, f"[{marker}] {document.title}", ((0, n),))


def told_of(cited: str, now: str = NOW, old: str = OLD):
    new, other = document("leave@2026", now), document("leave@2025", old)
    start = now.index(cited)
    found = between_versions([("S1", new, [(start, start + len(cited))])], {new.key: [other]})
    return [([now[a:b] for a, b in d.here.marks], [old[a:b] for a, b in d.there.marks], d.by_value) for d in found]


def test_the_number_of_the_other_version_is_found_in_the_clause_that_corresponds() -> None:
    assert told_of("每年可享受15天") == [(["15天"], ["10天"], True)]


def test_a_clause_that_says_the_same_in_other_figures_is_no_difference() -> None:
    assert told_of("提前3个工作日") == []


def test_where_only_words_differ_these_are_marked() -> None:
    ((here, there, by_value),) = told_of("不得累计")
    assert not by_value and "".join(here) == "不得" and "可以" in "".join(there)


def test_numbers_come_before_words_and_the_clauses_numbers_do_not_count() -> None:
    found = told_of(NOW.strip())
    assert [by_value for *_, by_value in found] == [True, False]


@pytest.mark.parametrize(
    ("now", "old", "differ"),
    [
        ("住宿标准为每晚不超过600元，凭发票报销。", "住宿标准为每晚不低于600元，凭发票报销。", ["600元"]),
        ("申请应当在2026年3月1日前提交人力资源部。", "申请应当在2025年3月1日前提交人力资源部。", ["2026年3月1日"]),
        ("设备价格在三千元以上的须招标采购。", "设备价格在0.3万元以上的须招标采购。", []),
        ("城市: 北京；标准: 每晚600元；餐补: 每天100元", "城市: 北京；标准: 每晚500元；餐补: 每天100元", ["600元"]),
        ("依照本办法第十五条规定办理报销手续。", "依照本办法第十六条规定办理报销手续。", []),
    ],
)
def test_what_counts_as_another_value(now: str, old: str, differ: list[str]) -> None:
    mine, theirs = rows(now, [(0, len(now))])[0], rows(old, [(0, len(old))])[0]
    assert [now[a.start : a.end] for a, _ in values(mine, theirs)] == differ


def test_a_graded_list_is_compared_grade_by_grade() -> None:
    now = "满1年不满5年的，每年15天；\n满5年不满10年的，每年18天；\n满10年的，每年20天。\n"
    old = "司龄满5年不满10年的，每年12天；\n"
    assert told_of("满5年不满10年", now, old) == [(["18天"], ["12天"], True)]
    assert told_of("满1年不满5年", now, old) == []  # its counterpart is another grade's


def test_the_other_version_is_compared_only_where_the_answer_rests() -> None:
    assert [here for here, _, _ in told_of("每年可享受15天")] == [["15天"]]
    assert between_versions([("S1", document("leave@2026", NOW), [(0, 5)])], {}) == ()


def test_two_policies_that_contradict_each_other_are_told_with_their_values() -> None:
    a = document("travel@1", "一线城市住宿标准为每晚600元。二线城市住宿标准为每晚450元。", "差旅制度")
    b = document("guide@1", "一线城市的住宿标准为每晚500元。三线城市住宿标准为每晚300元。", "差旅指南")
    documents = {a.key: a, b.key: b}
    (found,) = between_sources("一线城市住宿标准是多少？", [piece("S1", a), piece("S2", b)], documents)
    assert (found.kind, found.marker, found.other, found.by_value) == ("source", "S1", "S2", True)
    assert a.text[slice(*found.here.marks[0])] == "600元" and b.text[slice(*found.there.marks[0])] == "500元"
    assert between_sources("年假有几天？", [piece("S1", a), piece("S2", b)], documents) == ()


@pytest.mark.parametrize(
    "other",
    [
        "二线城市住宿标准为每晚500元。",  # of something else
        "一线城市住宿标准为每晚600元。",  # the same
        "一线城市住宿标准为每晚六百元。",
        "一线城市住宿标准为每晚500元，旺季为每晚600元。",  # has the same too
        "500元。",
    ],
)
def test_what_is_no_contradiction(other: str) -> None:
    a, b = document("travel@1", "一线城市住宿标准为每晚600元。"), document("guide@1", other)
    pieces = [piece("S1", a), piece("S2", b)]
    assert between_sources("一线城市住宿标准是多少？", pieces, {a.key: a, b.key: b}) == ()


def test_a_short_sentence_that_the_longer_one_holds_word_for_word_but_for_its_number() -> None:
    a, b = document("leave@1", "员工入职满一年后，每年可享受15天带薪年假。"), document("hand@1", "带薪年假为每年12天。")
    found = between_sources("带薪年假每年几天？", [piece("S1", a), piece("S2", b)], {a.key: a, b.key: b})
    assert [(a.text[slice(*d.here.marks[0])], b.text[slice(*d.there.marks[0])]) for d in found] == [("15天", "12天")]
    city = (
        document("travel@1", "一线城市住宿标准为每晚600元。"),
        document("guide@1", "一线城市住宿标准为每晚500元，含早餐，须附两张发票。"),
    )
    pieces = [piece("S1", city[0]), piece("S2", city[1])]
    assert between_sources("一线城市住宿标准？", pieces, {d.key: d for d in city})
    sick = document("hand@1", "带薪病假为每年12天。")
    assert between_sources("带薪年假每年几天？", [piece("S1", a), piece("S2", sick)], {a.key: a, sick.key: sick}) == ()


def test_versions_of_one_policy_and_pieces_of_one_document_are_no_contradiction() -> None:
    a, b = document("leave@2026", NOW), document("leave@2025", OLD)
    assert between_sources("年假每年几天带薪？", [piece("S1", a), piece("S2", b)], {a.key: a, b.key: b}) == ()
    assert between_sources("年假每年几天带薪？", [piece("S1", a), piece("S2", a)], {a.key: a}) == ()


def test_likeness_is_the_ratio_of_matching_tokens() -> None:
    for one, other in (("每年15天年假。", "每年10天年假。"), ("每年15天年假。", "每月3天病假。"), ("年假", "加班")):
        mine, theirs = (rows(t, [(0, len(t))])[0] for t in (one, other))
        matcher = difflib.SequenceMatcher(None, mine.words, theirs.words, False)
        matching = sum(block.size for block in matcher.get_matching_blocks())
        assert likeness(mine, theirs) == pytest.approx(2 * matching / (len(mine.words) + len(theirs.words)))


def test_spans_lie_in_their_sentences_whatever_the_text(seeds: Callable[[int], range]) -> None:
    for seed in seeds(60):
        rng = random.Random(seed)
        now, old = (f"{NOW}{hostile.text(rng, 12)}\n" for _ in range(2))
        new = replace(document("leave@2026", now), effective_from=date(2026, 1, 1))
        other = document("leave@2025", old.replace("15天", f"{rng.randint(2, 14)}天"))
        a, b = sorted((rng.randint(0, len(now)), rng.randint(0, len(now))))
        found = between_versions([("S1", new, [(a, b), (0, len(NOW))])], {new.key: [other]})
        assert 1 <= len(found) <= MOST and found[0].by_value
        for d in found:
            for side, text in ((d.here, now), (d.there, other.text)):
                assert 0 <= side.start < side.end <= len(text)
                assert all(side.start <= x < y <= side.end for x, y in side.marks)
        mine = rows(now, [(0, len(now))])
        for row in mine:
            assert most_like(row, ()) is None and not any(wording(row, row)) and values(row, row) == []
