"""Runs summed up: figures counted by hand on the kit's six questions, floors, lines of text."""

import random
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import get_args

import pytest

from rag.errors import SettingError
from rag.evaluate.experiment import Experiment
from rag.evaluate.figures import below, figures
from rag.evaluate.measured_run import measure_run
from rag.evaluate.memory import peak_memory
from rag.evaluate.questions import QuestionSet
from rag.evaluate.run import StageResult
from rag.evaluate.summary import (
    answers,
    blame,
    by_category,
    category,
    failed,
    first_relevant,
    stages,
    step_seconds,
    values,
)
from rag.evaluate.text import summary_lines
from rag.evaluate.variants import with_value
from rag.types import StepName
from tests import hostile
from tests.evaluate.kit import LEAVE, QUESTIONS, bench, ran

WIDER = with_value(bench().settings, "search.packed", "3")


@pytest.fixture(scope="module")
def done() -> Experiment:
    return ran(variants=[WIDER])


def test_stages_are_means_over_the_labelled_questions(done: Experiment) -> None:
    outcomes = done.runs[0].outcomes
    assert [s.stage for s in stages(outcomes)] == ["lexical", "packed"]
    lexical, packed = stages(outcomes)
    # leave and money are ranked first, lost second; packed is the first of each list
    assert lexical.measures["reciprocal_rank"].mean == pytest.approx((1 + 1 + 1 / 2) / 3)
    assert lexical.measures["evidence"].mean == 1
    assert lexical.measures["precision"].mean == pytest.approx(1 / 10)
    assert packed.measures["evidence"].mean == packed.measures["recall"].mean == pytest.approx(2 / 3)
    assert {i.n for s in (lexical, packed) for i in s.measures.values()} == {3}
    assert values(outcomes, "packed", "hit") == [1, 1, 0]


def test_a_stage_that_returned_nothing_counts_0_and_no_labels_do_not_count() -> None:
    asked = (QUESTIONS[0], replace(QUESTIONS[0], id="nothing", question="zzz"), QUESTIONS[5])
    outcomes = ran(asked, given=()).runs[0].outcomes
    assert [r.stage for r in outcomes[1].stages] == ["packed"]  # no term of it is in the index
    assert values(outcomes, "lexical", "recall") == [1, 0]
    assert stages(ran(asked[2:], given=()).runs[0].outcomes)[0].measures == {}


def test_rank_of_the_first_relevant_one(done: Experiment) -> None:
    by_id = {o.question.id: {r.stage: first_relevant(r) for r in o.stages} for o in done.runs[0].outcomes}
    assert by_id["lost"] == {"lexical": 2, "packed": None}
    assert by_id["leave"] == {"lexical": 1, "packed": 1}
    assert by_id["open"]["lexical"] is None
    assert first_relevant(StageResult("dense", 3, None, None)) is None


def test_answers_by_evidence(done: Experiment) -> None:
    outcomes = done.runs[0].outcomes
    found = {given: answers(outcomes, given) for given in ("none", "gold", "wrong", "retrieved")}
    counts = {
        given: (a.right, a.wrong, a.refused, a.unjudged, a.refused_rightly, a.answered_wrongly, a.unknown)
        for given, a in found.items()
        if a is not None
    }
    assert counts == {
        "none": (1, 2, 0, 0, 1, 1, 1),
        "gold": (2, 1, 0, 0, 0, 0, 0),  # only what is labelled has gold
        "wrong": (1, 2, 0, 0, 0, 0, 0),
        "retrieved": (1, 2, 0, 0, 1, 1, 1),
    }
    retrieved = found["retrieved"]
    assert retrieved is not None
    assert retrieved.correct is not None and retrieved.correct.mean == pytest.approx(2 / 5)  # open is not judged
    assert retrieved.invalid == 2  # lost and open cite S9
    assert (retrieved.first, retrieved.seconds) == (0.25, 0.5)
    assert answers(ran(given=("gold",)).runs[0].outcomes, "retrieved") is None


def test_blame(done: Experiment) -> None:
    found = blame(done.runs[0].outcomes)
    assert found is not None
    assert (found.right, found.search, found.distracted, found.model, found.by_heart) == (1, 1, 0, 1, 1)
    assert found.n == 3
    assert blame(ran(given=("retrieved",)).runs[0].outcomes) is None
    without = blame(ran(given=("gold", "retrieved")).runs[0].outcomes)
    assert without is not None and without.by_heart is None


def test_categories(done: Experiment) -> None:
    groups = by_category(done.runs[0].outcomes)
    assert list(groups) == ["", "a", "b"]
    b = category("b", groups["b"])
    assert (b.questions, b.labelled, b.evidence, b.judged, b.correct) == (3, 1, 0, 3, 1)
    assert b.verdicts == {"right": 0, "wrong": 2, "refused": 1, "unjudged": 0}
    assert category("", ran(given=()).runs[0].outcomes).verdicts == {}
    assert [o.question.id for o in done.runs[0].outcomes if failed(o)] == ["money", "lost", "bonus"]


def test_steps_stand_in_the_order_of_the_line(done: Experiment) -> None:
    first, *_, last = QUESTIONS
    earlier = replace(last, id="follow-up", history=("年假有几天？",))
    names = list(step_seconds(ran((first, earlier)).runs[0].outcomes))
    assert names == [name for name in get_args(StepName) if name in names]
    assert {"lexical", "pack", "generate", "cite"} <= set(names)
    assert "dense" not in step_seconds(done.runs[0].outcomes)  # lexical mode: it did not run
    spent = {name: len(seconds) for name, seconds in step_seconds(done.runs[0].outcomes).items()}
    compared = spent.pop("compare")  # only an answer that rests on something is compared
    assert 0 < compared <= 6 and set(spent.values()) == {6}


def test_figures_and_floors(done: Experiment) -> None:
    run = done.runs[0]
    found = figures(run)
    assert found["packed.evidence"].mean == pytest.approx(2 / 3)
    assert found["retrieved.correct"].mean == pytest.approx(0.4)
    assert found["retrieved.refused_rightly"].mean == 0.5
    assert found["gold.correct"].mean == pytest.approx(2 / 3)
    assert not any(name.startswith(("dense", "fused", "rerank")) for name in found)
    assert below(run, {"packed.evidence": 0.66, "retrieved.correct": 0.4}) == ()
    assert below(run, {"packed.evidence": 0.67, "retrieved.correct": 0.4})[0][::2] == ("packed.evidence", 0.67)
    with pytest.raises(SettingError, match=r"dense\.recall.*packed\.evidence"):
        below(run, {"dense.recall": 0.1})
    with pytest.raises(SettingError, match="nan"):
        below(run, {"packed.evidence": float("nan")})  # nothing is below it: it would guard nothing


def test_a_run_says_how_far_it_is() -> None:
    on, stop = bench(), threading.Event()
    seen = []
    for run in measure_run("x", QuestionSet("q", QUESTIONS), on, (), 10, stop):
        seen.append((len(run.outcomes), run.complete))
        if len(run.outcomes) == 2:
            stop.set()
    assert seen == [(1, False), (2, False), (2, False)]
    assert 0 <= run.overhead <= run.seconds
    *_, empty = measure_run("x", QuestionSet("q", ()), on, (), 10, threading.Event())
    assert (empty.outcomes, empty.complete) == ((), True)


def test_memory_is_that_of_the_process() -> None:
    before = peak_memory()
    assert before is not None and before > 20  # an interpreter with NumPy
    block = bytearray(150_000_000)
    block[::4096] = b"x" * len(block[::4096])  # touched, so that it is really held
    after = peak_memory()
    assert after is not None and after > 150 and after >= before
    del block
    assert (peak_memory() or 0) > after - 10  # what was given back still counts; the kernel counts loosely


# ---- as text


def test_lines_of_text_say_what_the_figures_say(done: Experiment) -> None:
    said = "\n".join(summary_lines(done, "en"))
    for name, interval in figures(done.runs[0]).items():
        if not name.endswith("refused_rightly"):  # there as counts
            assert f"{interval.mean:.3f} [{interval.low:.3f}, {interval.high:.3f}]" in said, name
    assert "kit: 6 questions; 3 documents, 3 chunks" in said
    assert "all | 6 | 2/3 | 1 | 3 | 1 | 1 | 2/5" in said
    assert "b | 3 | 0/1 | 0 | 2 | 1 | 0 | 1/3" in said
    assert (
        "right 1; lost by the search 1; distracted by other passages 0; lost by the model 1; right without any evidence 1"
        in said
    )
    assert "questions that failed: 3 (answer 2, k 1)" in said
    assert "packed 1 → 3" in said and "    gained: lost" in said and "    lost:" not in said


def test_text_of_a_run_without_labels_or_failures() -> None:
    said = "\n".join(summary_lines(ran(QUESTIONS[5:], given=()), "zh"))
    assert "no question failed" in said
    assert LEAVE not in said


def test_hostile_questions_stay_on_their_lines(seeds: Callable[[int], range]) -> None:
    for seed in seeds(60):
        rng = random.Random(seed)
        asked = replace(QUESTIONS[2], question=(hostile.text(rng) or "问")[:900], category=hostile.line(rng))
        done = ran((asked,), given=())
        lines = summary_lines(done, "en")
        assert all(len(line.splitlines()) <= 1 for line in lines)
        if failed(done.runs[0].outcomes[0]):
            assert f"lost  {' '.join(asked.question.split())}" in lines
