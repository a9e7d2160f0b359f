"""Long work in a thread, its progress as an iterator."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator

from rag.corpus.index import Progress

# How often `in_background` yields even without progress, so that a closed page is noticed.
HEARTBEAT_S = 0.2

# The threads of long work: here, in the generator and behind the page. They are daemons, so nobody waits for them.
_WORK = ("indexing", "generate", "models", "samples")

Report = Callable[[Progress], None]


def in_background(run: Callable[[Report], None], lock: threading.Lock, stop: threading.Event) -> Iterator[Progress]:
    """Do `run` in a thread that holds `lock`; yield its progress, at least every `HEARTBEAT_S` seconds.

    Nothing starts before the first ``next``. What `run` raises is raised here. Closing the iterator sets `stop`: a
    visitor who left does not index on.
    """
    updates: queue.SimpleQueue[Progress | None] = queue.SimpleQueue()
    failed: list[Exception] = []

    def work() -> None:
        try:
            with lock:
                run(updates.put)
        except Exception as error:  # noqa: BLE001 - carried to the reader's thread and raised there
            failed.append(error)
        finally:
            updates.put(None)

    threading.Thread(target=work, name="indexing", daemon=True).start()
    last = Progress("load", 0, 1)
    try:
        while True:
            try:
                update = updates.get(timeout=HEARTBEAT_S)
            except queue.Empty:
                yield last
                continue
            if update is None:
                break
            last = update
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
