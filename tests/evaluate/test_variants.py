"""Settings side by side: one value changed, grids, the corpus each needs, and runs compared."""

import threading
from dataclasses import replace
from datetime import date

import pytest

from rag.config import Limits, SearchSettings, Settings
from rag.errors import LimitReached, SettingError
from rag.evaluate.experiment import Experiment, Plan, experiment, selected
from rag.evaluate.questions import Question, QuestionSet
from rag.evaluate.summary import (
    paired,
)
from rag.evaluate.variants import MOST_VARIANTS, changes, corpus_for, describe, grid, setting_names, with_value
from rag.limits import Allowance
from tests.evaluate.kit import QUESTIONS, bench, ran

WIDER = with_value(bench().settings, "search.packed", "3")


@pytest.fixture(scope="module")
def done() -> Experiment:
    return ran(variants=[WIDER])


def test_variants_are_compared_on_the_same_questions(done: Experiment) -> None:
    a, b = done.runs
    assert (b.name, b.settings) == ("packed 1 → 3", WIDER)
    evidence, ids = paired(a, b, "evidence")  # type: ignore[misc]
    assert ids == ("leave", "money", "lost")
    assert evidence.difference.mean == pytest.approx(1 / 3)
    assert [ids[i] for i in evidence.gained] == ["lost"] and evidence.lost == ()
    assert evidence.noise  # one question is no proof
    correct, judged = paired(a, b, "correct")  # type: ignore[misc]
    assert judged == ("leave", "money", "lost", "canteen", "bonus")
    assert [judged[i] for i in correct.gained] == ["lost"]
    assert paired(ran(given=()).runs[0], b, "correct") is None


def test_a_stopped_variant_is_compared_over_what_both_have() -> None:
    stop = threading.Event()
    on = bench()
    for last in experiment(Plan(QuestionSet("q", QUESTIONS), (WIDER, WIDER)), on, None, stop):
        if last.asked == 7:
            stop.set()
    assert [len(run.outcomes) for run in last.runs] == [6, 1]
    assert (last.asked, last.planned, last.complete) == (7, 3, False)
    assert paired(*last.runs, "evidence")[1] == ("leave",)  # type: ignore[index]


def test_a_variant_that_splits_differently_has_its_own_corpus() -> None:
    on = bench()
    finer = with_value(with_value(on.settings, "split.overlap", "0"), "split.size", "20")
    base, other = ran(variants=[finer], on=on, given=()).runs
    assert base.bench.corpus is on.corpus
    assert len(other.bench.corpus.chunks) > len(on.corpus.chunks)
    assert list(other.bench.corpus.documents) == list(on.corpus.documents)
    assert corpus_for(on.settings, on.corpus, None, threading.Event()) is on.corpus
    check = Allowance(Limits(chunks=1)).check_cut
    with pytest.raises(LimitReached, match="at most 1"):
        corpus_for(finer, on.corpus, None, threading.Event(), check=check)


def test_values_are_read_by_the_setting_they_are_for() -> None:
    plain = Settings()
    assert with_value(plain, "search.packed", " 8 ").search.packed == 8
    for names in (("年假", "差旅"), ("a | b",), ("a|", "|b")):  # as they are written, they are read again
        chosen = replace(plain, search=replace(plain.search, documents=names))
        assert with_value(plain, "search.documents", dict(chosen.lines())["search.documents"]) == chosen
    assert with_value(plain, "search.threshold", "0.5").search.threshold == 0.5
    assert with_value(with_value(plain, "search.threshold", "0.5"), "search.threshold", "None") == plain
    assert with_value(plain, "search.as_of", "2026-01-31").search.as_of == date(2026, 1, 31)
    assert with_value(plain, "generate.rules", "只答一句").generate.rules == "只答一句"
    for name, written in (
        ("search.packed", "2.5"),
        ("search.packed", "0"),
        ("search.packed", ""),
        ("search.as_of", "soon"),
        ("search.mode", "magic"),
        ("packed", "3"),
        ("search", "3"),
        ("search.__class__", "3"),
        ("split.overlap", "240"),
    ):
        with pytest.raises(SettingError):
            with_value(plain, name, written)


def test_what_lines_say_of_a_setting_reads_back() -> None:
    settings = Settings(search=SearchSettings(threshold=0.25, as_of=date(2026, 1, 2), packed=7, mode="dense"))
    rebuilt = Settings()
    for name, written in settings.lines():
        rebuilt = with_value(rebuilt, name, written)
    assert rebuilt == settings
    assert [name for name, _ in settings.lines()] == list(setting_names())


def test_a_grid_has_every_combination_but_the_base_and_is_small() -> None:
    plain = Settings(search=SearchSettings(packed=5))  # not the defaults', which may change
    found = grid(plain, [("search.packed", ["2", "5", "5"]), ("search.mode", ["dense", "fused"])])
    assert [(s.search.packed, s.search.mode) for s in found] == [(2, "dense"), (2, "fused"), (5, "dense")]
    assert describe(plain, found[0]) == "mode fused → dense, packed 5 → 2"
    assert changes(plain, plain) == ()
    most = grid(plain, [("search.packed", [str(n) for n in range(6, 6 + MOST_VARIANTS)])])
    assert len(most) == MOST_VARIANTS
    assert len(grid(plain, [("search.packed", ["5"] * 30 + ["4"])])) == 1  # none is lost behind repeats
    many = [str(n) for n in range(6, 51)]
    for choices in (
        [("search.packed", many[:14])],
        [("search.packed", many), ("search.depth", many), ("search.rrf_c", many)],
    ):
        with pytest.raises(SettingError, match="combinations"):
            grid(plain, choices)


def test_selected_questions_are_thinned_evenly() -> None:
    many = QuestionSet("q", tuple(Question(str(i), "问", "ab"[i >= 60]) for i in range(100)))
    thin = selected(many, limit=10)
    assert [q.id for q in thin.questions] == [str(i) for i in range(0, 100, 10)]
    assert selected(many, ["b"]).questions == many.questions[60:]
    assert selected(many, limit=1000) == many
    assert selected(many, ["nothing"]).questions == ()


def test_many_spellings_of_one_value_are_refused_before_they_are_multiplied() -> None:
    spelt = ["0" * n + "5" for n in range(160)]
    with pytest.raises(SettingError, match="12"):
        grid(Settings(), [("search.packed", spelt), ("search.depth", spelt)])
