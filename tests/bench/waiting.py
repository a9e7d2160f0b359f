"""How long a visitor's search takes while others answer or index: alone, beside an answer, beside an indexing run, in turns (A B C A B C …).

    python tests/bench/waiting.py [--rounds 4] [--searches 10] [--pause 0.3] [--lines 3000] [--without index answer …] [--json FILE]

Three visitors of one process, as on the page. A search is `Workspace.retrieve`, up to the prompt, of a question of the built-in set
that was not asked before. The answer is one after the other, whatever the gate says; the indexing run reads, cuts and encodes a file
of `--lines` clauses, another one each time. What is counted is the searches during which the other was really at work.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from rag.config import GenerateSettings, Limits, Settings, from_environment
from rag.corpus.load.process import ReadingRoom
from rag.corpus.samples import Samples
from rag.errors import Stopped
from rag.evaluate.question_files import sample_set
from rag.models.roles import Models
from rag.workspace import Shared, Upload, Workspace

BESIDE = ("nothing", "answer", "index")
GOAL_S = 1.0


class House:
    """Visitors of one process, and the questions that nobody asked yet."""

    def __init__(self, models: Models, samples: Samples, lines: int) -> None:
        limits = Limits(questions_per_minute=10**6, chunks=10**6)
        shared, room = Shared(), ReadingRoom()
        self.searcher, self.writer, self.indexer = (
            Workspace(samples, models, limits, room, shared=shared) for _ in range(3)
        )
        self.writer.configure(Settings(generate=GenerateSettings(refuse=False)))
        self._lines, self._runs = lines, 0
        asked = [q.question for q in sample_set().questions]
        random.Random(0).shuffle(asked)
        self._questions = iter(
            [f"{q}{more}" for more in ("", "请详细说明。", "有哪些例外？", "由谁负责？") for q in asked]
        )

    def search(self) -> float:
        """Seconds of one search."""
        question = next(self._questions)
        began = time.perf_counter()
        found = self.searcher.retrieve(question)
        assert found.candidates
        return time.perf_counter() - began

    def answer(self, stop: threading.Event, at_work: threading.Event) -> None:
        """Answer after answer until `stop`; each ends with an event of its own."""
        questions = [q.question for q in sample_set().questions]
        for question in questions:
            for written in self.writer.answer(f"{question}请逐条详细说明，并列出相关规定。", threading.Event(), True):
                at_work.set()
                if stop.is_set():
                    return
                del written

    def index(self, stop: threading.Event, at_work: threading.Event) -> None:
        """File after file until `stop`."""
        while not stop.is_set():
            self._runs += 1
            text = "\n".join(
                f"第{i}条 第{self._runs}-{i}类物品的报销上限为{i * 7}元，须附发票。" for i in range(self._lines)
            )
            with contextlib.suppress(Stopped):
                for _ in self.indexer.add([Upload(f"物品{self._runs}.txt", text.encode())], stop):
                    at_work.set()


@contextlib.contextmanager
def beside(work: Callable[[threading.Event, threading.Event], None] | None) -> Iterator[Callable[[], bool]]:
    """`work` in a thread of its own; what is given says whether it is at it."""
    if work is None:
        yield lambda: True
        return
    stop, at_work = threading.Event(), threading.Event()
    thread = threading.Thread(target=work, args=(stop, at_work), daemon=True)
    thread.start()
    at_work.wait(120)
    yield thread.is_alive
    stop.set()
    thread.join(120)


def measure(house: House, arguments: argparse.Namespace) -> dict[str, list[float]]:
    """Seconds of every search, by what went on beside it."""
    work = {"nothing": None, "answer": house.answer, "index": house.index}
    took: dict[str, list[float]] = {name: [] for name in BESIDE if name not in arguments.without}
    for _ in range(arguments.rounds):
        for name, found in took.items():
            with beside(work[name]) as busy:
                for _ in range(arguments.searches):
                    seconds = house.search()
                    if busy():
                        found.append(seconds)
                    time.sleep(arguments.pause)
    return took


def report(took: dict[str, list[float]]) -> dict[str, dict[str, float]]:
    """Prints and returns median, 95th percentile and longest."""
    table = {}
    for name, seconds in took.items():
        ordered = sorted(seconds)
        p95 = ordered[max(0, -(-len(ordered) * 95 // 100) - 1)]
        figures = {"n": len(ordered), "p50": statistics.median(ordered), "p95": p95, "max": ordered[-1]}
        over = sum(s >= GOAL_S for s in ordered)
        table[name] = figures | {"over 1 s": over}
        print(
            f"beside {name}".ljust(16),
            "  ".join(f"{k} {v:.3f}" if isinstance(v, float) else f"{k} {v}" for k, v in table[name].items()),
        )
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--searches", type=int, default=10, help="a round and kind")
    parser.add_argument("--pause", type=float, default=0.3, help="seconds between two searches")
    parser.add_argument("--lines", type=int, default=3000)
    parser.add_argument("--without", nargs="*", default=[], choices=BESIDE)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    models = Models(from_environment())
    models.load(("encoder",) if "answer" in arguments.without else ("encoder", "generator"))
    samples = Samples(models)
    samples.prepare()
    house = House(models, samples, arguments.lines)
    house.search()  # warm
    load = os.getloadavg()[0]
    print(f"load {load:.1f} before")
    took = measure(house, arguments)
    result = {"load": load, "settings": Settings().hash(), "table": report(took), "seconds": took}
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
