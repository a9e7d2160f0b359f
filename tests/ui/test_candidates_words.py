"""What the Candidates tab says of what ran, what did not, and how a score came about."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from rag.ask.fuse import weighted_sum
from rag.config import SearchSettings, Settings
from rag.corpus.approximate import MISSING
from rag.corpus.ranking import Hit
from rag.errors import Bilingual
from rag.types import Candidate, Leg, Query, Sought, Status, Step, StepName, Trace
from rag.ui import candidates_why
from rag.ui.candidates_beside import beside
from rag.ui.candidates_table import boundary, candidate_rows, ran, searched, written
from rag.ui.settings import name_of, value_of
from tests.ui.fakes import QUESTION, Client, last, page_app
from tests.ui.test_candidates import STATUSES, TEXTS, Asked, corpus, retrieval


def step(name: StepName, said: str = "", skipped: bool = False) -> Step:
    return Step(name, 0.0, 1, 1, Bilingual(en=said, zh=said), skipped)


def test_a_step_that_was_left_out_is_said_where_the_candidates_are() -> None:
    trace = Trace((step("dense"), step("rerank", "no <model>", True), step("pack", "no generator", True)), (), "ab")
    shown = ran(trace, "en")
    assert "no &lt;model&gt;" in shown.split("<details")[0] and "no generator" not in shown.split("<details")[0]
    assert shown.count("<tr>") == 4 and "3 steps" in shown
    exact = Trace((Step("dense", 0.0, 1, 1, Bilingual(en=f"x; {MISSING.en}", zh=f"x；{MISSING.zh}")),), (), "ab")
    assert "faiss" in ran(exact, "zh").split("<details")[0]
    assert "notice" not in ran(Trace((step("dense"),), (), "ab"), "en")


def test_the_end_of_the_prompt_does_not_call_the_one_behind_it_the_first_left_out() -> None:
    found = corpus(TEXTS)
    statuses = [Status("packed", "S1"), Status("per_document"), Status("packed", "S2"), Status("beyond_k")]
    said = boundary(retrieval(found, statuses), "en")
    assert "no. 3, has" in said and "next one behind it, no. 4" in said and "first left out" not in said


def test_scores_stand_under_each_other_with_four_decimals() -> None:
    found = corpus(TEXTS)
    asked = retrieval(found, STATUSES)
    rows = candidate_rows(asked.candidates, asked, found.documents, "en")
    shown = written(rows)
    assert shown[0][0] == "1" and shown[0][2:4] == ["0.9000", "1"] and shown[0][8:10] == ["", ""]
    assert [len(row) for row in shown] == [len(row) for row in rows]
    assert all(re.fullmatch(r"\d+\.\d{4}", row[2]) for row in shown)


def test_a_weighted_sum_recomputes_from_what_is_shown() -> None:
    dense, lexical = [Hit(0, 0.9), Hit(1, 0.8), Hit(2, 0.7)], [Hit(2, 8.0), Hit(1, 5.0), Hit(3, 2.0)]
    fused = {h.position: h.score for h in weighted_sum(dense, lexical, 0.25)}
    found = corpus(TEXTS)
    made = []
    for n, chunk in enumerate(found.chunks):
        scores = {
            stage: h.score for stage, run in (("dense", dense), ("lexical", lexical)) for h in run if h.position == n
        }
        made.append(Candidate(chunk, scores | {"fused": fused[n]}, {}, n + 1, Status("beyond_k")))
    settings = Settings(search=SearchSettings(fusion="weighted", alpha=0.25))
    asked = replace(retrieval(found, STATUSES), candidates=tuple(made), trace=Trace((), settings.lines(), "ab"))
    for candidate in made:
        said = candidates_why.why(candidate, asked, found, "en")
        parts = re.search(r"α = ([\d.]+): α × ([\d.]+) \+ \(1 − α\) × ([\d.]+) = ([\d.]+)", said)
        assert parts, said
        alpha, one, other, total = map(float, parts.groups())
        assert alpha * one + (1 - alpha) * other == pytest.approx(total, abs=1e-4)
        assert total == pytest.approx(candidate.scores["fused"], abs=1e-4)


def test_what_was_not_searched_is_not_said_to_have_found_nothing() -> None:
    found = corpus(TEXTS)
    asked = retrieval(found, STATUSES)
    for mode, there, gone in (("dense", "lexical", "Words"), ("lexical", "dense", "Vectors")):
        only = tuple(replace(c, scores={mode: c.scores[mode]}, ranks={}) for c in asked.candidates)
        settings = Settings(search=SearchSettings(mode=mode))  # type: ignore[arg-type]
        one = replace(asked, candidates=only, trace=Trace((), settings.lines(), "ab"))
        said = candidates_why.why(only[0], one, found, "en")
        assert f"{gone} were not searched." in said and f"Not among the {there}" not in said
    # asked, but it found nothing; asked, but there was no model; not asked, as the evidence was given
    none = tuple(replace(c, scores={"dense": 0.9}, ranks={}) for c in asked.candidates)
    plain = replace(asked, candidates=none)
    assert "Not among the lexical" in candidates_why.why(none[0], plain, found, "en")
    no_model = replace(asked, trace=replace(asked.trace, steps=(step("dense", "no encoder", True),)))
    bare = replace(no_model, candidates=tuple(replace(c, scores={}, ranks={}) for c in asked.candidates))
    assert "Vectors were not searched." in candidates_why.why(bare.candidates[0], bare, found, "en")
    given = replace(bare, query=Query("q"))
    assert "Words were not searched." in candidates_why.why(given.candidates[0], given, found, "en")


def test_what_is_searched_besides_the_question_is_open_and_says_how_it_counts() -> None:
    plain = Sought("上海呢", "question", 1.0, 1.0)
    alone = searched(Query("上海呢", (), (Leg("whole", (plain,)),)), "上海呢", "en")
    assert '<details class="folded">' in alone and "mean" not in alone
    both = Leg("whole", (plain, Sought("住宿标准\n上海呢", "earlier", 1.0, 1.0)))
    shown = searched(Query("上海呢", ("住宿标准",), (both,)), "上海呢", "en")
    assert '<details class="folded" open>' in shown and "mean of these texts" in shown


def test_settings_that_differ_are_named_as_in_the_panel() -> None:
    found = corpus(TEXTS)
    one = retrieval(found, STATUSES)
    other = Settings(search=SearchSettings(mode="dense", threshold=0.5))
    two = replace(one, trace=Trace((), other.lines(), other.hash()))
    shown = beside(Asked(two, found, None), Asked(one, found, None), False, "zh")
    assert "检索方式: 向量 + 词汇 → 仅向量" in shown and "最低余弦: – → 0.5" in shown and "search." not in shown
    assert name_of("nothing", "en") == "nothing" and value_of("follow_up", "False", "en") == "off"
    for part in ("split", "query", "search", "select", "generate"):
        for name in getattr(Settings(), part).__dataclass_fields__:
            assert name_of(name, "zh") and not re.search("[（(]", name_of(name, "zh")), name


def test_settings_that_leave_nothing_are_named(tmp_path: Path) -> None:
    app, _ = page_app(tmp_path)
    client = Client(app)
    summary, table = client.page.candidates.summary, client.page.candidates.table
    plain = client.values()
    shown = last(client.questions.retrieve({**plain, client.page.settings.section: "没有<这章>"}, client.request))
    assert shown[table]["data"] == [] and "没有&lt;这章&gt;" in shown[summary]
    assert "阈值" not in shown[summary].split("<details")[0]
    shown = last(client.questions.retrieve({**plain, client.page.settings.as_of: "1990-01-01"}, client.request))
    assert "1990-01-01" in shown[summary] or shown[table]["data"]
    shown = last(client.questions.retrieve({**plain, client.page.settings.threshold: "0.999"}, client.request))
    assert "最低余弦 0.999" in shown[summary] and "章节" not in shown[summary].split("<details")[0]
    app.close()


def test_a_wrong_value_is_said_with_the_name_on_the_panel(tmp_path: Path) -> None:
    app, _ = page_app(tmp_path)
    client = Client(app)
    note = client.page.settings.note
    for changed, name in (
        ({"as_of": "2025/6/1"}, "生效日期"),
        ({"mmr": "x"}, "多样性：MMR 的 λ"),
        ({"depth": None}, "每路候选数"),
    ):
        said = client.questions.check_settings(client.values(QUESTION, **changed), client.request)[note]
        assert f"设置「{name}" in said, said
    app.close()
