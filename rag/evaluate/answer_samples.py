"""The sample questions, answered from what the line finds, or read again from what was kept; counted like the frozen cases."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rag.evaluate.answer_cases import Wanted
from rag.evaluate.answers import Kept, keep, reread
from rag.evaluate.labels import Relevant, Resolver
from rag.evaluate.questions import Question
from rag.evaluate.run import Bench, evaluate
from rag.types import Answer, Document


@dataclass(frozen=True, slots=True, eq=False)
class Sampled:
    """A sample question's answer (None: nothing could be packed). `gold`: ids of the packed chunks that carry one of its labels."""

    question: Question
    answer: Answer | None
    gold: frozenset[str]
    documents: Mapping[str, Document]
    kept: Kept

    @property
    def row(self) -> str:
        """The questions it is counted with."""
        return "sample-none" if self.question.refuse else "sample"

    @property
    def wanted(self) -> Wanted:
        """What a right answer says."""
        groups = tuple(tuple(point.split("|")) for point in self.question.points)
        return Wanted(groups, never=self.question.never)


def asked(questions: Sequence[Question], bench: Bench) -> Iterator[Sampled]:
    """Every question searched and answered under the bench's settings."""
    resolvers = _Resolvers(bench)
    for outcome in evaluate(questions, bench, ("retrieved",), 10, threading.Event()):
        found = outcome.answered("retrieved")
        if found is not None:
            told = keep(outcome.question.id, found.answer, outcome.seconds)
            yield resolvers.sampled(outcome.question, found.answer, told, outcome.relevant)


def asked_again(questions: Sequence[Question], bench: Bench, told: Mapping[str, Kept | str]) -> Iterator[Sampled]:
    """Those questions whose answers were kept with their evidence, read with the code as it is now."""
    resolvers = _Resolvers(bench)
    for question in questions:
        one = told.get(question.id)
        if isinstance(one, Kept):
            answer = reread(question.question, one, bench.asked_as(question).corpus)
            yield resolvers.sampled(question, answer, one)


class _Resolvers:
    """Finds labels in the corpus that each question may see."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._by_groups: dict[frozenset[str], Resolver] = {}

    def sampled(
        self, question: Question, answer: Answer | None, told: Kept, relevant: Relevant | None = None
    ) -> Sampled:
        view = self._bench.asked_as(question)
        if view.groups not in self._by_groups:
            self._by_groups[view.groups] = Resolver(view.corpus, view.corpus.permitted(view.groups))
        resolver = self._by_groups[view.groups]
        known = relevant or resolver.resolve(question)
        packed = [piece.chunk for piece in answer.prompt.packed] if answer else []
        gold = frozenset(chunk.chunk_id for chunk in packed if resolver.unit_id(chunk, known.unit) in known.grades)
        return Sampled(question, answer, gold, view.corpus.documents, told)
