"""The most memory that the app and its workers held at once, ten questions in a browser later; the models have to be in the cache.

    python tests/bench/memory.py [--questions 10]

Of every process of the app's group the kernel's own high-water mark (VmHWM) is read, the sum over those that live at the same time is
kept. Pages that two processes share count twice, and the page cache behind mapped weights counts: it is an upper bound.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.bench.table import Row, markdown  # noqa: E402
from tests.bench.visiting import app, ask, chromium, ready, ten_questions, visit  # noqa: E402

EVERY_S: Final = 0.2
GOAL_GB: Final = 2.5


@dataclass(frozen=True, slots=True)
class Process:
    """A process and its high-water mark, in bytes; `now`: what it holds."""

    pid: int
    peak: int
    now: int


def group(leader: int) -> tuple[Process, ...]:
    """Those of the process group that `leader` began, as far as they are still there."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                # the name, in brackets, may hold blanks and brackets
                of_group = int((entry / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[2])
                status = (entry / "status").read_text(encoding="utf-8") if of_group == leader else ""
            except (FileNotFoundError, ProcessLookupError):
                continue  # it ended meanwhile
            if "VmHWM:" in status:  # one that is ending has none
                found.append(Process(int(entry.name), _bytes(status, "VmHWM"), _bytes(status, "VmRSS")))
    return tuple(found)


def _bytes(status: str, name: str) -> int:
    return int(status.split(f"{name}:")[1].split()[0]) * 1024


class Watch:
    """Looks at a process group until the block ends; `most`: of the processes at the moment when the sum of their marks was greatest."""

    def __init__(self, leader: int) -> None:
        self._leader, self._ended = leader, threading.Event()
        self.most: tuple[Process, ...] = ()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def _look(self) -> None:
        while not self._ended.wait(EVERY_S):
            self.look()

    def look(self) -> None:
        self.most = max(self.most, group(self._leader), key=lambda ps: sum(p.peak for p in ps))

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._ended.set()
        self._thread.join()


def measure(questions: int = 10) -> Row:
    with app() as (url, process), Watch(os.getpgid(process.pid)) as watch, chromium() as browser:
        page = visit(browser, url)
        ready(page)
        for question in ten_questions()[:questions]:
            print(ask(page, question))
        watch.look()
    for p in watch.most:
        print(f"process {p.pid}: at most {p.peak / 1e9:.2f} GB, now {p.now / 1e9:.2f} GB")
    whole = sum(p.peak for p in watch.most) / 1e9
    return Row(f"memory after {questions} questions, at most ({len(watch.most)} processes)", "GB", whole, goal=GOAL_GB)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=10)
    print(markdown([measure(parser.parse_args().questions)]))


if __name__ == "__main__":
    main()
