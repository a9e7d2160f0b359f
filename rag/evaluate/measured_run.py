"""A question set asked under one group of settings: the run, as far as it is."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from rag.config import Settings
from rag.evaluate.memory import peak_memory
from rag.evaluate.models_used import ModelsUsed, models_used
from rag.evaluate.questions import QuestionSet
from rag.evaluate.run import Bench, Given, Outcome, evaluate


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A question set asked under one group of settings, as far as it got (`complete`: to its end).

    `used`: the models as they were when it began. `k`: units of a list that were scored. `seconds`: wall time so far; `overhead` the part that was not the line.
    `memory`: see `peak_memory`, at the run's end.
    """

    name: str
    settings: Settings
    question_set: QuestionSet
    given: tuple[Given, ...]
    k: int
    bench: Bench
    used: ModelsUsed
    started: datetime
    outcomes: tuple[Outcome, ...]
    complete: bool
    seconds: float
    memory: float | None = None

    @property
    def overhead(self) -> float:
        """Seconds spent on measuring instead of asking."""
        return sum(outcome.overhead for outcome in self.outcomes)


def measure_run(
    name: str, question_set: QuestionSet, bench: Bench, given: Sequence[Given], k: int, stop: threading.Event
) -> Iterator[Run]:
    """Run a set; yields the run as far as it is, after every question and once at the end (also of an empty set)."""
    began = time.perf_counter()
    run = Run(
        name,
        bench.settings,
        question_set,
        tuple(given),
        k,
        bench,
        models_used(bench),
        datetime.now(UTC),
        (),
        False,
        0.0,
    )
    for outcome in evaluate(question_set.questions, bench, given, k, stop):
        run = replace(run, outcomes=(*run.outcomes, outcome), seconds=time.perf_counter() - began)
        yield run
    yield replace(run, complete=len(run.outcomes) == len(question_set.questions), memory=peak_memory())
