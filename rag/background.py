"""Long work in a thread, its progress as an iterator."""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from rag.corpus.index import Progress
from rag.errors import Stopped

T = TypeVar("T")

# How often `in_background` yields even without progress, so that a closed page is noticed.
HEARTBEAT_S = 0.2

# The threads of long work: here, in the generator and behind the page. They are daemons, so nobody waits for them.
_WORK = ("indexing", "evaluation", "generate", "models", "samples")

Report = Callable[[Progress], None]


class Turns:
    """One after the other, in the order they came. `waited`: whether the one whose turn it is had to wait for it."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._line: deque[Place] = deque()
        self.waited = False

    @contextmanager
    def place(self, stop: threading.Event | None = None) -> Iterator[Place]:
        """A place at the end of the line, until it is left, however it is left; whoever has none before them has the turn.

        `stop`: once it is set, who stands there is about to leave.
        """
        with self._changed:
            place = Place(self._changed, self._line, stop or threading.Event())
            self._line.append(place)
        try:
            yield place
        finally:
            with self._changed:
                self._line.remove(place)
                self._changed.notify_all()

    @contextmanager
    def turn(self, stop: threading.Event, waiting: Callable[[], None] = lambda: None) -> Iterator[None]:
        """The caller's turn; `waiting` is told once when it has to be waited for. Raises `Stopped` when `stop` is set."""
        with self.place() as place:
            waits = place.ahead() > 0
            if waits:
                waiting()
            while place.ahead(HEARTBEAT_S):
                if stop.is_set():
                    raise Stopped(en="It was stopped before it began.", zh="尚未开始就已停止。")
            self.waited = waits
            yield


class Place:
    """Where somebody stands in a line of `Turns`, which makes it."""

    def __init__(self, changed: threading.Condition, line: deque[Place], stop: threading.Event) -> None:
        self._changed, self._line, self._stop = changed, line, stop

    def ahead(self, patience: float = 0.0) -> int:
        """How many stand before this place; as long as somebody does, it waits at most `patience` seconds for them to be fewer."""
        with self._changed:
            before = self._line.index(self)
            if before and patience > 0:
                self._changed.wait_for(lambda: self._line.index(self) < before, patience)
            return self._line.index(self)

    def staying(self) -> int:
        """How many stand before this place and have not been stopped."""
        with self._changed:
            return sum(not before._stop.is_set() for before in list(self._line)[: self._line.index(self)])


def in_background(run: Callable[[Report], None], turns: Turns, stop: threading.Event) -> Iterator[Progress]:
    """Do `run`, an indexing run, in a thread, when it is its turn; see `reports`."""

    def work(report: Report) -> None:
        with turns.turn(stop, lambda: report(Progress("load", 0, 0, waits=True))):
            run(report)

    return reports(work, "indexing", Progress("load", 0, 1), stop)


def reports(run: Callable[[Callable[[T], None]], None], name: str, first: T, stop: threading.Event) -> Iterator[T]:
    """Do `run` in a thread called `name` and yield what it reports; the last report again after `HEARTBEAT_S` of silence.

    Nothing starts before the first ``next``; until the first report `first` stands for it. What `run` raises is raised
    here. Closing the iterator sets `stop`: a visitor who left does not work on.
    """
    updates: queue.SimpleQueue[tuple[T] | None] = queue.SimpleQueue()
    failed: list[Exception] = []

    def work() -> None:
        try:
            run(lambda report: updates.put((report,)))
        except Exception as error:  # noqa: BLE001 - carried to the reader's thread and raised there
            failed.append(error)
        finally:
            updates.put(None)

    threading.Thread(target=work, name=name, daemon=True).start()
    last = first
    try:
        while True:
            try:
                update = updates.get(timeout=HEARTBEAT_S)
            except queue.Empty:
                yield last
                continue
            if update is None:
                break
            last = update[0]
            yield last
    finally:
        stop.set()
    if failed:
        raise failed[0]


def settled(seconds: float) -> bool:
    """Wait until all long work of this process has ended, at most `seconds`; True when it has. It is told to stop before."""
    until = time.monotonic() + seconds
    work = [thread for thread in threading.enumerate() if thread.name in _WORK]
    for thread in work:
        thread.join(max(0.0, until - time.monotonic()))
    return not any(thread.is_alive() for thread in work)
