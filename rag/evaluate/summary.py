"""Outcomes → the figures of a run: every stage and measure with its interval, answers by what they were given, the blame."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from rag.evaluate.judge import Verdict
from rag.evaluate.measured_run import Run
from rag.evaluate.run import STAGES, Answered, Given, Outcome, Stage, StageResult
from rag.evaluate.statistics import Interval, Paired, compare, mean_interval
from rag.types import StepName

Measure = Literal["evidence", "recall", "precision", "hit", "reciprocal_rank", "ndcg"]
MEASURES: tuple[Measure, ...] = ("evidence", "recall", "precision", "hit", "reciprocal_rank", "ndcg")
COMPARED: tuple[Measure | Literal["correct"], ...] = ("evidence", "ndcg", "correct")
"""What two runs are compared by, see `paired`."""


@dataclass(frozen=True, slots=True)
class StageSummary:
    """A stage over all labelled questions: the mean of each measure with its interval."""

    stage: Stage
    measures: Mapping[Measure, Interval]


@dataclass(frozen=True, slots=True)
class CategorySummary:
    """The questions of one category: of `labelled` ones `evidence` have it all in the prompt; of the answers written from
    what was found how many got which verdict, and of `judged` ones (it can be told) `correct`.
    """

    name: str
    questions: int
    labelled: int
    evidence: int
    verdicts: Mapping[Verdict, int]
    judged: int
    correct: int


@dataclass(frozen=True, slots=True)
class AnswerSummary:
    """The answers written from one kind of evidence.

    Over the questions that have an answer: `right`, `wrong`, `refused` (wrongly), `unjudged`. Over those without:
    `refused_rightly`, `answered_wrongly`. `unknown`: questions that say neither. Means are over the answers that have
    the measure. `tokens` and `seconds` are medians; `first` is the median time to the first token, None without one.
    """

    given: Given
    right: int
    wrong: int
    refused: int
    unjudged: int
    refused_rightly: int
    answered_wrongly: int
    unknown: int
    correct: Interval | None
    supported: Interval | None
    citation_precision: Interval | None
    citation_recall: Interval | None
    invalid: int
    stale: int
    forbidden: int
    prompt_tokens: float
    tokens: float
    first: float | None
    seconds: float


@dataclass(frozen=True, slots=True)
class Blame:
    """Questions with points, answered from what was found and from gold evidence: who is to blame.

    `right`: right from what was found. Only right from gold evidence: `search` where evidence was missing in the prompt,
    `distracted` where all of it was there, beside other passages. `model`: not right even from gold. `by_heart`: right without any evidence (of all of them; None when that was not asked).
    """

    right: int
    search: int
    distracted: int
    model: int
    by_heart: int | None

    @property
    def n(self) -> int:
        """Questions with points that could be given gold evidence."""
        return self.right + self.search + self.distracted + self.model


def values(outcomes: Sequence[Outcome], stage: Stage, measure: Measure) -> list[float]:
    """The measure of every labelled question, in order; 0 where the stage returned nothing. Averages are means of these:
    every question counts the same, those without labels do not count."""
    return [_value(outcome, stage, measure) for outcome in outcomes if outcome.relevant.needs]


def _value(outcome: Outcome, stage: Stage, measure: Measure) -> float:
    found = next((r for r in outcome.stages if r.stage == stage), None)
    if found is None:
        return 0.0
    if measure == "evidence":
        return float(bool(found.evidence))
    return float(getattr(found.scores, measure))


def first_relevant(result: StageResult) -> int | None:
    """The rank, from 1, of the first relevant unit among the k that were scored; None when there is none."""
    rank = result.scores.reciprocal_rank if result.scores is not None else 0.0
    return round(1 / rank) if rank else None


def stages(outcomes: Sequence[Outcome]) -> tuple[StageSummary, ...]:
    """One summary for every stage that ran for some question, in the order of the line."""
    ran = {result.stage for outcome in outcomes for result in outcome.stages}
    summaries = []
    for stage in STAGES:
        if stage in ran:
            means = {m: mean_interval(values(outcomes, stage, m)) for m in MEASURES}
            summaries.append(StageSummary(stage, {m: i for m, i in means.items() if i is not None}))
    return tuple(summaries)


def by_category(outcomes: Sequence[Outcome]) -> dict[str, tuple[Outcome, ...]]:
    """Outcomes by category, in the order of the names."""
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault(outcome.question.category, []).append(outcome)
    return {name: tuple(groups[name]) for name in sorted(groups)}


def category(name: str, outcomes: Sequence[Outcome]) -> CategorySummary:
    """Count `outcomes`, which are those of one category, or all."""
    judged = [a.judged for o in outcomes if (a := o.answered("retrieved")) is not None]
    known = [j.correct for j in judged if j.correct is not None]
    return CategorySummary(
        name=name,
        questions=len(outcomes),
        labelled=sum(o.evidence is not None for o in outcomes),
        evidence=sum(o.evidence is True for o in outcomes),
        verdicts={v: sum(j.verdict == v for j in judged) for v in get_args(Verdict)} if judged else {},
        judged=len(known),
        correct=sum(known),
    )


def answers(outcomes: Sequence[Outcome], given: Given) -> AnswerSummary | None:
    """The answers from one kind of evidence; None when there are none."""
    pairs = [(o, a) for o in outcomes if (a := o.answered(given)) is not None]
    if not pairs:
        return None
    judged = [a.judged for _, a in pairs]
    expected = [o.question.expects for o, _ in pairs]
    answerable = [a.judged for o, a in pairs if o.question.expects == "answer"]
    written = [a.answer for _, a in pairs if a.answer is not None]
    firsts = [w.seconds_to_first for w in written if w.seconds_to_first is not None]

    def count(verdict: str) -> int:
        return sum(j.verdict == verdict for j in answerable)

    def share(name: str) -> Interval | None:
        return mean_interval([float(v) for j in judged if (v := getattr(j, name)) is not None])

    refusing = [j for j, e in zip(judged, expected, strict=True) if e == "refusal"]
    return AnswerSummary(
        given=given,
        right=count("right"),
        wrong=count("wrong"),
        refused=count("refused"),
        unjudged=count("unjudged"),
        refused_rightly=sum(j.verdict == "refused" for j in refusing),
        answered_wrongly=sum(j.verdict != "refused" for j in refusing),
        unknown=expected.count("unknown"),
        correct=share("correct"),
        supported=share("supported"),
        citation_precision=share("citation_precision"),
        citation_recall=share("citation_recall"),
        invalid=sum(j.invalid for j in judged),
        stale=sum(j.stale for j in judged),
        forbidden=sum(bool(j.forbidden) for j in judged),
        prompt_tokens=_median([len(w.prompt.input_ids) for w in written]),
        tokens=_median([w.n_tokens for w in written]),
        first=_median(firsts) if firsts else None,
        seconds=_median([w.seconds for w in written]),
    )


def blame(outcomes: Sequence[Outcome]) -> Blame | None:
    """Who is to blame for answers that are not right; None unless both kinds of evidence were answered from."""
    rows: list[tuple[Outcome, Answered, Answered]] = []
    for outcome in outcomes:
        found, best = outcome.answered("retrieved"), outcome.answered("gold")
        if found is not None and best is not None and outcome.question.points:
            rows.append((outcome, found, best))
    if not rows:
        return None
    right = sum(found.judged.verdict == "right" for _, found, _ in rows)
    gold_only = [o for o, found, best in rows if found.judged.verdict != "right" and best.judged.verdict == "right"]
    search = sum(o.evidence is not True for o in gold_only)
    model = len(rows) - right - len(gold_only)
    bare = [a for outcome, _, _ in rows if (a := outcome.answered("none")) is not None]
    by_heart = sum(a.judged.verdict == "right" for a in bare) if bare else None
    return Blame(right, search, len(gold_only) - search, model, by_heart)


def paired(a: Run, b: Run, measure: Measure | Literal["correct"]) -> tuple[Paired, tuple[str, ...]] | None:
    """`b` against `a` over the questions both have the measure of, and these questions' ids; None when there are none.

    A stage's measure is that of what was packed; ``correct`` is that of the answers from what was found.
    """
    ours = {o.question.id: v for o in a.outcomes if (v := _final(o, measure)) is not None}
    theirs = {o.question.id: v for o in b.outcomes if (v := _final(o, measure)) is not None}
    ids = tuple(i for i in ours if i in theirs)
    found = compare([ours[i] for i in ids], [theirs[i] for i in ids])
    return (found, ids) if found is not None else None


def _final(outcome: Outcome, measure: Measure | Literal["correct"]) -> float | None:
    if measure == "correct":
        found = outcome.answered("retrieved")
        return None if found is None or found.judged.correct is None else float(found.judged.correct)
    return _value(outcome, "packed", measure) if outcome.relevant.needs else None


def failed(outcome: Outcome) -> bool:
    """Whether something is to be explained: evidence that is not in the prompt, an answer that is not correct, or a
    refusal of a question that has an answer."""
    found = outcome.answered("retrieved")
    if outcome.evidence is False:
        return True
    if found is None:
        return False
    return found.judged.correct is False or (outcome.question.expects == "answer" and found.judged.verdict == "refused")


def step_seconds(outcomes: Sequence[Outcome]) -> dict[str, list[float]]:
    """Seconds of every step that ran, by its name, in the order of the line."""
    seconds: dict[str, list[float]] = {}
    for outcome in outcomes:
        found = outcome.answered("retrieved")
        trace = found.answer.trace if found is not None and found.answer is not None else outcome.retrieval.trace
        for step in trace.steps:
            if not step.skipped:
                seconds.setdefault(step.name, []).append(step.seconds)
    return {name: seconds[name] for name in get_args(StepName) if name in seconds}


def _median(numbers: Sequence[float]) -> float:
    return float(statistics.median(numbers)) if numbers else 0.0
