"""What the page adds to the line behind it: the same questions pressed in Chromium and given to `rag.pipeline`, in the same process.

    python tests/bench/page.py [--questions 12]

The app is served from this process, so that both have the same models, threads and server beside them; the browser has the lowest
priority, since a visitor's runs elsewhere. A question is asked in a visit
of its own, so that nothing was read before, and once without a page, which of them first in turn. Times are of the page's own clock,
from Answer pressed to the first character and to the end. Then, in the same visit, another question that finds the same evidence.
Questions that the gate refuses are left out, and counted.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from rag.models.turns import wait_asleep  # noqa: E402

if __name__ == "__main__":
    wait_asleep()  # as the app does, before PyTorch is imported

from rag import pipeline  # noqa: E402
from rag.config import Settings, from_environment  # noqa: E402
from rag.corpus.samples import Samples  # noqa: E402
from rag.models.roles import Models  # noqa: E402
from rag.ui.app import build_app, launch_app  # noqa: E402
from tests.bench.prompts import ENGLISH_TAILS, TAILS, chosen  # noqa: E402
from tests.bench.table import Row, markdown, paired  # noqa: E402
from tests.bench.visiting import chromium, free_port, timed_answer, visit  # noqa: E402


@dataclass(frozen=True, slots=True)
class Took:
    """One question: seconds to the first character and to the end, on the page and without; `again`: to the first character of
    another one on the same evidence, None where no other finds the same."""

    question: str
    page_first: float
    page_whole: float
    bare_first: float
    bare_whole: float
    again: float | None


def bare(question: str, models: Models, samples: Samples) -> tuple[float | None, float]:
    """The line alone; as `timed_answer`."""
    began, first = time.perf_counter(), None
    corpus, settings = samples.corpus(), Settings()
    found = pipeline.retrieve(question, corpus, settings, models)
    for answer in pipeline.answer(found, corpus, settings, models, threading.Event()):
        if first is None and answer.text.strip():
            first = time.perf_counter() - began
    return first, time.perf_counter() - began


def beside(question: str, models: Models, samples: Samples) -> str | None:
    """Another question that packs the same evidence in the same order, asked after `question`; None: no such is known."""
    corpus, settings = samples.corpus(), Settings()
    tails = ENGLISH_TAILS if question.isascii() else TAILS
    stem = next((question.removesuffix(tail) for tail in tails if question.endswith(tail)), question)
    evidence = packed(pipeline.retrieve(question, corpus, settings, models))
    for tail in tails:
        other = stem + tail
        if other != question and evidence == packed(
            pipeline.retrieve(other, corpus, settings, models, history=(question,))
        ):
            return other
    return None


def packed(found: pipeline.Retrieval) -> tuple[str, ...]:
    return tuple(e.chunk.chunk_id for e in found.prompt.packed) if found.prompt else ()


def measure(models: Models, samples: Samples, questions: Sequence[str]) -> tuple[Took, ...]:
    """Those of `questions` that are answered."""
    app = build_app(models, samples)
    found: list[Took] = []
    try:
        url = launch_app(app, None, free_port())
        pipeline.read_ahead(models, threading.Event())
        with chromium(elsewhere=True) as browser:
            timed_answer(visit(browser, url), questions[0])  # warm
            for n, question in enumerate(questions):
                without = bare(question, models, samples) if n % 2 else None
                page = visit(browser, url)
                first, whole = timed_answer(page, question)
                without = without or bare(question, models, samples)
                if first is not None and without[0] is not None:
                    other = beside(question, models, samples)
                    again = timed_answer(page, other)[0] if other else None
                    found.append(Took(question, first, whole, without[0], without[1], again))
                    print(f"{n + 1}: page {first:.2f}/{whole:.2f} s, bare {without[0]:.2f}/{without[1]:.2f} s, {again}")
                page.context.close()
    finally:
        app.close()
    return tuple(found)


def rows(took: Sequence[Took], engines: Mapping[str, Mapping[str, float]], asked: int) -> tuple[Row, ...]:
    """The page's part of the table. `engines`: by name, an engine's own seconds to the first token of each question."""
    n = f"{len(took)} questions, {asked - len(took)} refused"
    first = "first character, Answer pressed, all steps"
    found = [
        Row(
            f"whole answer on the page ({n})",
            "s",
            statistics.median(t.page_whole for t in took),
            statistics.median(t.bare_whole for t in took),
            "the line alone",
            paired((t.page_whole for t in took), (t.bare_whole for t in took)),
            1.05,
        )
    ]
    for name, goal in (("llama.cpp", 0.4), ("transformers fp32", 0.55)):
        both = [(t.page_first, engines[name][t.question]) for t in took if t.question in engines.get(name, {})]
        mine, theirs = zip(*both, strict=True) if both else (tuple(t.page_first for t in took), ())
        if theirs:
            row = (statistics.median(theirs), f"{name}, the engine alone", paired(mine, theirs), goal)
        else:
            row = (None, f"{name}: not measured", None, goal)
        found.append(Row(first, "s", statistics.median(mine), *row))
    if again := [t for t in took if t.again]:
        found.append(
            Row(
                f"another question on the same evidence, first character ({len(again)} visits)",
                "s",
                statistics.median(t.again or 0 for t in again),
                statistics.median(t.page_first for t in again),
                "the first question",
                paired((t.again or 0 for t in again), (t.page_first for t in again)),
                0.15,
            )
        )
    return tuple(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=12)
    arguments = parser.parse_args()
    models = Models(from_environment())
    models.load()
    samples = Samples(models)
    samples.prepare()
    questions = chosen()[: arguments.questions]
    print(markdown(rows(measure(models, samples, questions), {}, len(questions))))


if __name__ == "__main__":
    main()
