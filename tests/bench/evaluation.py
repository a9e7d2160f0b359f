"""What measuring costs: a retrieval-only run of 100 questions, and whole runs beside the bare line (A B A B …, medians).

    python tests/bench/evaluation.py [--answers 6] [--rounds 5] [--json FILE]

Bare: the same questions through `pipeline.retrieve` (and `pipeline.answer`), nothing measured.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import threading
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from rag import pipeline
from rag.config import Settings, from_environment
from rag.corpus.samples import Samples
from rag.evaluate.experiment import Plan, experiment, selected
from rag.evaluate.question_files import sample_set
from rag.evaluate.questions import QuestionSet
from rag.evaluate.run import Bench, Given, settings_for
from rag.models.roles import Models


def bare(questions: QuestionSet, bench: Bench, answer: bool) -> None:
    for question in questions.questions:
        settings = settings_for(question, bench.settings, date.today())
        found = pipeline.retrieve(
            question.question, bench.corpus, settings, bench.models, bench.groups, question.history
        )
        if answer:
            for _ in pipeline.answer(found, bench.corpus, settings, bench.models, threading.Event()):
                pass


def measured(questions: QuestionSet, bench: Bench, given: tuple[Given, ...]) -> None:
    for _ in experiment(Plan(questions, (), given), bench, bench.models.encoder(), threading.Event()):  # type: ignore[attr-defined]
        pass


def seconds(run: Callable[[], None]) -> float:
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


def ratio(name: str, a: Callable[[], None], b: Callable[[], None], rounds: int) -> dict[str, object]:
    a()  # warm
    pairs = [(seconds(a), seconds(b)) for _ in range(rounds)]
    plain, with_measures = (statistics.median(p[i] for p in pairs) for i in (0, 1))
    print(
        f"{name}: bare {plain:.2f} s, measured {with_measures:.2f} s, {with_measures / plain - 1:+.1%} (median of {rounds})"
    )
    return {"name": name, "bare_s": plain, "measured_s": with_measures, "pairs": pairs}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=6, help="questions of the run with answers")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    models = Models(from_environment())
    models.load()
    samples = Samples(models)
    samples.prepare()
    bench = Bench(samples.corpus(), Settings(), models)
    hundred = selected(sample_set(), limit=100)
    few = selected(sample_set(), limit=arguments.answers)
    results = [
        ratio(
            "100 questions, retrieval only",
            lambda: bare(hundred, bench, False),
            lambda: measured(hundred, bench, ()),
            arguments.rounds,
        ),
        ratio(
            f"{arguments.answers} questions, answered",
            lambda: bare(few, bench, True),
            lambda: measured(few, bench, ("retrieved",)),
            arguments.rounds,
        ),
    ]
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
