"""Long work in a thread, its progress as an iterator."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

from rag.corpus.index import Progress

T = TypeVar("T")

# How often `in_background` yields even without progress, so that a closed page is noticed.
HEARTBEAT_S = 0.2

# The threads of long work: here, in the generator and behind the page. They are daemons, so nobody waits for them.
_WORK = ("indexing", "evaluation", "generate", "models", "samples")

Report = Callable[[Progress], None]


def in_background(run: Callable[[Report], None], lock: threading.Lock, stop: threading.Event) -> Iterator[Progress]:
    """Do `run`, an indexing run, in a thread that holds `lock`; see `reports`."""

    def work(report: Report) -> None:
        with lock:
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
