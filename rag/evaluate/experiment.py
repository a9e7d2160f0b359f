"""One question set under several settings, one run after the other: the first is what the others are compared with."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from rag.config import Settings, SplitSettings
from rag.corpus.index import PassageEncoder, Progress
from rag.errors import Stopped
from rag.evaluate.measured_run import Run, measure_run
from rag.evaluate.questions import QuestionSet
from rag.evaluate.run import Bench, Given
from rag.evaluate.variants import corpus_for, describe


@dataclass(frozen=True, slots=True, eq=False)
class Experiment:
    """How far it is: the runs begun so far (the last one may be incomplete) of `planned`."""

    runs: tuple[Run, ...]
    planned: int

    @property
    def asked(self) -> int:
        """Questions asked so far, over all runs."""
        return sum(len(run.outcomes) for run in self.runs)

    @property
    def complete(self) -> bool:
        """Whether every run came to its end."""
        return len(self.runs) == self.planned and all(run.complete for run in self.runs)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be run: `variants` beside the bench's own settings, with `given` evidence, scoring `k` units of a list."""

    questions: QuestionSet
    variants: tuple[Settings, ...] = ()
    given: tuple[Given, ...] = ()
    k: int = 10


def experiment(
    plan: Plan,
    bench: Bench,
    encoder: PassageEncoder | None,
    stop: threading.Event,
    progress: Callable[[Progress], None] = lambda _: None,
    check: Callable[[int, SplitSettings], None] = lambda _n, _split: None,
) -> Iterator[Experiment]:
    """Run the plan; yields after every question. Ends early, with what there is, once `stop` is set.

    `encoder` is needed for variants that split differently; None gives them a lexical index only. Raises `ChunkTooLong`
    when a variant's chunks do not fit it, and what `check` raises of their number.
    """
    done: tuple[Run, ...] = ()
    planned = 1 + len(plan.variants)
    for settings in (bench.settings, *plan.variants):
        try:
            corpus = corpus_for(settings, bench.corpus, encoder, stop, progress, check)
        except Stopped:
            return
        name = describe(bench.settings, settings)
        run: Run | None = None
        for run in measure_run(
            name, plan.questions, replace(bench, settings=settings, corpus=corpus), plan.given, plan.k, stop
        ):
            if (
                run.outcomes or not done
            ):  # of a variant that was stopped before its first question there is nothing to say
                yield Experiment((*done, run), planned)
        assert run is not None  # a run yields at least its end
        done = (*done, run)
        if stop.is_set():
            return


def selected(question_set: QuestionSet, categories: Sequence[str] = (), limit: int | None = None) -> QuestionSet:
    """The questions of some categories (all, when none is named), evenly thinned to at most `limit`.

    Thinned, not cut off: the first questions of a set are mostly of one kind.
    """
    kept = [q for q in question_set.questions if not categories or q.category in categories]
    if limit is not None and len(kept) > limit:
        kept = [kept[i * len(kept) // limit] for i in range(limit)]
    return replace(question_set, questions=tuple(kept))
