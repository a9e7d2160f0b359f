"""A run over cases with frozen documents and over sample questions: answers one by one, each with its score."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rag.config import Settings, SplitSettings
from rag.corpus.index import Corpus, build
from rag.corpus.samples import Samples, read
from rag.errors import ModelUnavailable, QuestionError
from rag.evaluate.answer_cases import Case
from rag.evaluate.answer_rows import Measured
from rag.evaluate.answer_samples import Sampled, asked, asked_again
from rag.evaluate.answer_scores import Scored, score
from rag.evaluate.answers import Answered, Kept, again, answered, bare
from rag.evaluate.questions import Question
from rag.evaluate.run import Bench
from rag.types import Answer

if TYPE_CHECKING:
    from rag.models.roles import Models

Told = Mapping[str, Kept | str]
"""Answers by case id: with their evidence, or texts alone."""


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be measured. `told`: answers that are there already, to read again; `write`: the line answers the others."""

    settings: Settings
    models: Models
    cases: tuple[Case, ...]
    questions: tuple[Question, ...]
    told: Told
    write: bool

    @property
    def ids(self) -> frozenset[str]:
        """The ids of all that is asked."""
        return frozenset(case.id for case in self.cases) | frozenset(question.id for question in self.questions)

    @property
    def total(self) -> int:
        """How many answers there will be."""
        return len(self.cases) + len(self.questions)


def run(job: Job) -> Iterator[tuple[Measured, Kept]]:
    """Every case, then the sample questions, each as it is complete; without `write` those that were answered before."""
    if not job.write and job.told.keys().isdisjoint(job.ids):
        raise QuestionError(
            en="Of the answers that were kept none is to one of these questions.",
            zh="保存的答案中没有一个属于这些问题。",
        )
    for case in job.cases:
        if case.id in job.told:
            one = _again(case, job.told[case.id])
        elif job.write:
            one = answered(case, job.settings, job.models)
        else:
            continue
        yield _frozen(one), one.kept
    if job.questions:
        for sampled in _samples(job):
            yield _sample(sampled), sampled.kept


def plain_scores(cases: Sequence[Case], told: Told) -> Mapping[str, Scored]:
    """What the plain prompt's answers score, by case id: of citations only those that the model wrote."""
    scores = {}
    for case in cases:
        if case.id in told:
            found = _again(case, told[case.id])
            own = found.answer
            if own is not None:
                own = replace(own, citations=tuple(c for c in own.citations if c.by == "model"))
            scores[case.id] = _scored(found, own)
    return scores


def _again(case: Case, one: Kept | str) -> Answered:
    return bare(case, one) if isinstance(one, str) else again(case, one)


def _scored(found: Answered, answer: Answer | None) -> Scored:
    return score(found.case.wanted, answer, found.gold, found.corpus.documents, found.case.old)


def _frozen(found: Answered) -> Measured:
    packed = found.answer.prompt.packed if found.answer is not None else ()
    left = len(found.case.documents) - len({piece.chunk.key for piece in packed})
    chance = _chance(found.answer, found.gold)
    return Measured(found.case.id, found.case.row, _scored(found, found.answer), chance, left)


def _sample(found: Sampled) -> Measured:
    scored = score(found.wanted, found.answer, found.gold, found.documents)
    return Measured(found.question.id, found.row, scored, _chance(found.answer, found.gold))


def _chance(answer: Answer | None, gold: frozenset[str]) -> float:
    packed = answer.prompt.packed if answer is not None else ()
    return sum(piece.chunk.chunk_id in gold for piece in packed) / len(packed) if packed else 0.0


def _samples(job: Job) -> Iterator[Sampled]:
    bench = Bench(_corpus(job), job.settings, job.models)
    yield from asked_again(job.questions, bench, job.told)
    if job.write:
        yield from asked([q for q in job.questions if not isinstance(job.told.get(q.id), Kept)], bench)


def _corpus(job: Job) -> Corpus:
    """The sample policies as the settings split them; the index that the page uses, where it is the same."""
    if job.settings.split == SplitSettings():
        samples = Samples(job.models)
        samples.prepare()
        return samples.corpus()
    try:
        return build(read(), job.settings.split, job.models.encoder())
    except ModelUnavailable:
        return build(read(), job.settings.split, None)
