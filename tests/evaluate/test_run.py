"""Questions → outcomes: what ran is what is reported, and a row of a set gets to see no more than who runs it."""

import threading
from dataclasses import replace
from datetime import date

import pytest

from rag import pipeline
from rag.config import SearchSettings, SelectSettings, Settings
from rag.corpus.index import build
from rag.errors import SettingError, Stopped
from rag.evaluate.questions import Label, Question
from rag.evaluate.run import GIVEN, Bench, Outcome, evaluate, settings_for, stage_lists
from rag.types import Document
from tests.evaluate.kit import DOCUMENTS, LEAVE, QUESTIONS, bench, script

TODAY = date(2026, 11, 30)
OLD = Document("leave", "2025", "leave@2025", "own", "休假制度", "", "入职满一年后，每年可享受10天带薪年假。",
               effective_from=date(2025, 1, 1), effective_to=date(2026, 9, 30), file="old.txt")  # fmt: skip
NEW = Document("leave", "2026", "leave@2026", "own", "休假制度", "", LEAVE,
               effective_from=date(2026, 10, 1), file="leave.txt")  # fmt: skip
NEXT = Document("leave", "2028", "leave@2028", "own", "休假制度", "", "入职满一年后，每年可享受20天带薪年假。",
                effective_from=date(2028, 1, 1), file="next.txt")  # fmt: skip
SECRET = Document("pay", "2026", "pay@2026", "own", "薪酬机密", "", "入职满一年后，每年可享受带薪年假的人员薪酬上调三成。",
                  groups=frozenset({"hr"}), file="pay.txt")  # fmt: skip
ASKED = "入职满一年有几天带薪年假？"


def run(at: Bench, *questions: Question, given: tuple[str, ...] = (), k: int = 10) -> list[Outcome]:
    return list(evaluate(questions, at, given, k, threading.Event()))  # type: ignore[arg-type]


def found(outcome: Outcome) -> set[str]:
    return {c.chunk.key for c in outcome.retrieval.candidates}


def test_every_question_is_asked_through_the_line_itself() -> None:
    at = bench(search=SearchSettings(packed=2))
    for outcome in run(at, *QUESTIONS):
        again = pipeline.retrieve(outcome.question.question, at.corpus, at.settings, at.models)
        assert outcome.retrieval.candidates == again.candidates
        assert outcome.retrieval.prompt == again.prompt
        assert outcome.retrieval.trace.settings_hash == at.settings.hash() == outcome.settings.hash()


def test_stages_are_the_lists_that_ran() -> None:
    (outcome,) = run(bench(search=SearchSettings(packed=2)), QUESTIONS[0])
    lists = stage_lists(outcome.retrieval)
    assert list(lists) == ["dense", "lexical", "fused", "packed"] == [r.stage for r in outcome.stages]
    for stage in ("dense", "lexical", "fused"):
        ranks = {c.chunk.chunk_id: c.ranks[stage] for c in outcome.retrieval.candidates if stage in c.ranks}
        assert [ranks[chunk.chunk_id] for chunk in lists[stage]] == list(range(1, len(ranks) + 1))
    assert outcome.retrieval.prompt is not None
    assert lists["packed"] == tuple(e.chunk for e in outcome.retrieval.prompt.packed)
    (lexical,) = run(bench(), QUESTIONS[0])
    assert [r.stage for r in lexical.stages] == ["lexical", "packed"]


def test_each_kind_of_evidence_gives_the_prompt_it_names() -> None:
    outcomes = {o.question.id: o for o in run(bench(), *QUESTIONS, given=GIVEN)}
    asked = outcomes["lost"]
    assert [a.given for a in asked.answers] == list(GIVEN)
    packed = {a.given: [e.chunk.key for e in a.retrieval.prompt.packed] for a in asked.answers if a.retrieval.prompt}
    assert packed == {"none": [], "gold": ["leave@2026"], "wrong": ["parking@2026"], "retrieved": ["parking@2026"]}
    verdicts = {a.given: a.judged.verdict for a in asked.answers}
    assert verdicts == {"none": "wrong", "gold": "right", "wrong": "wrong", "retrieved": "wrong"}
    retrieved = asked.answered("retrieved")
    assert retrieved is not None and retrieved.retrieval is asked.retrieval
    # without labels there is no gold, and nothing is known to be wrong
    assert [a.given for a in outcomes["canteen"].answers] == ["none", "retrieved"]
    for outcome in outcomes.values():
        for answered in outcome.answers:
            assert answered.answer is not None and answered.answer.done and answered.answer.finish == "end"
            assert answered.answer.prompt is answered.retrieval.prompt


def test_a_threshold_that_lets_nothing_through_is_a_refusal() -> None:
    at = bench(search=SearchSettings(threshold=1.0, mode="dense"))
    answered = run(at, QUESTIONS[0], QUESTIONS[3], given=("retrieved",))
    assert [a.answers[0].judged.verdict for a in answered] == ["refused", "refused"]
    assert [a.answers[0].judged.correct for a in answered] == [False, True]
    assert all(a.answers[0].answer is None and a.answers[0].problem is not None for a in answered)


def test_a_stop_ends_the_run_and_what_was_cut_short_is_no_outcome() -> None:
    stop = threading.Event()
    seen = []
    for outcome in evaluate(QUESTIONS, bench(), ("retrieved",), 10, stop):
        seen.append(outcome)
        if len(seen) == 2:
            stop.set()
    assert len(seen) == 2
    stop.clear()

    def stopping(prompt: str) -> str:
        stop.set()
        return script(prompt)

    assert list(evaluate(QUESTIONS, bench(says=stopping), ("retrieved",), 10, stop)) == []


def test_a_stop_ends_a_search_that_reads_again() -> None:
    stop, at = threading.Event(), bench()
    asked: list[threading.Event] = []

    class Reader:
        name = "reader"

        def scores(self, question: str, passages: list[str], stopped: threading.Event) -> tuple[list[float], int]:
            asked.append(stopped)
            stop.set()
            if stopped.is_set():
                raise Stopped(en="stopped", zh="已停止")
            return [0.0] * len(passages), 0

    at.models.reranker = Reader  # type: ignore[method-assign, assignment]
    at = replace(at, settings=replace(at.settings, select=SelectSettings(rerank="cross")))
    assert list(evaluate(QUESTIONS, at, (), 10, stop)) == []
    assert asked == [stop]


@pytest.mark.parametrize("k", [0, 201, -1])
def test_k_has_bounds(k: int) -> None:
    with pytest.raises(SettingError, match="k"):
        run(bench(), QUESTIONS[0], k=k)


def test_measuring_is_counted_apart_from_asking() -> None:
    for outcome in run(bench(), *QUESTIONS, given=("retrieved",)):
        assert 0 < outcome.overhead < outcome.seconds


# ---- what a row may ask for


def test_a_row_s_day_looks_back_and_never_ahead() -> None:
    base = Settings()
    assert settings_for(Question("a", "年假"), base, TODAY) is base
    back = settings_for(Question("a", "年假", as_of=date(2025, 6, 30)), base, TODAY)
    assert back.search.as_of == date(2025, 6, 30)
    ahead = settings_for(Question("a", "年假", as_of=date(2030, 1, 1)), base, TODAY)
    assert ahead.search.as_of == TODAY
    earlier = replace(base, search=replace(base.search, as_of=date(2025, 3, 1)))
    assert settings_for(Question("a", "年假", as_of=date(2026, 1, 1)), earlier, TODAY).search.as_of == date(2025, 3, 1)
    every = replace(base, search=replace(base.search, scope="all"))
    assert settings_for(Question("a", "年假", as_of=date(2025, 6, 30)), every, TODAY).search.scope == "newest"


def test_a_row_that_asks_for_another_day_gets_the_version_of_that_day() -> None:
    at = bench((OLD, NEW, NEXT, *DOCUMENTS[1:]))
    days = {"now": None, "then": date(2025, 6, 30), "ahead": date(2030, 1, 1)}
    outcomes = run(at, *(Question(i, ASKED, as_of=day) for i, day in days.items()))
    versions = {o.question.id: {key for key in found(o) if key.startswith("leave@")} for o in outcomes}
    assert versions == {"now": {"leave@2026"}, "then": {"leave@2025"}, "ahead": {"leave@2026"}}


def test_a_row_that_asks_for_more_groups_sees_no_more() -> None:
    label = (Label("pay.txt", "薪酬上调三成"),)
    rows = (
        Question("plain", ASKED, relevant=label),
        Question("more", ASKED, relevant=label, groups=frozenset({"hr", "public"})),
        Question("only", ASKED, relevant=label, groups=frozenset({"hr"})),
    )
    corpus = build((*DOCUMENTS, SECRET), Settings().split, None)
    public = replace(bench(search=SearchSettings(mode="lexical", packed=3)), corpus=corpus)
    for outcome in run(public, *rows, given=("gold", "retrieved")):
        assert SECRET.key not in found(outcome)
        assert outcome.relevant.places == () and outcome.relevant.grades == {}
        assert "薪酬" not in repr([a.retrieval for a in outcome.answers])
        assert outcome.evidence is False and outcome.answered("gold") is None
    inside = replace(public, groups=frozenset({"hr", "public"}))
    plain, more, only = run(inside, *rows)
    assert SECRET.key in found(plain) and SECRET.key in found(more) and plain.evidence is True
    assert found(only) == {SECRET.key}  # fewer than who runs it may see: that is what a row is for


def test_earlier_questions_go_with_a_follow_up() -> None:
    at = bench()
    (outcome,) = run(at, Question("f", "那要几天？", history=("带薪年假怎么申请？",)), given=("none", "retrieved"))
    again = pipeline.retrieve("那要几天？", at.corpus, at.settings, at.models, history=("带薪年假怎么申请？",))
    assert outcome.retrieval.candidates == again.candidates and outcome.retrieval.prompt == again.prompt
    assert all("带薪年假怎么申请" in a.retrieval.prompt.text for a in outcome.answers if a.retrieval.prompt)
