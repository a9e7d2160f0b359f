"""Whose file is read now: some at a time, in the order they came, and past those that take long."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class WaitingLine:
    """`at_once` readers read at a time; up to `slow` more where as many have been reading for over `quick_s` seconds.

    So a small file is not kept waiting for minutes by as many slow ones as there are places.
    """

    def __init__(self, at_once: int = 4, slow: int = 2, quick_s: float = 20.0) -> None:
        self._at_once, self._slow, self._quick_s = at_once, slow, quick_s
        self._lock = threading.Lock()
        self._line: list[object] = []
        self._since: dict[object, float] = {}

    @contextmanager
    def place(self, pause: Callable[[int], None]) -> Iterator[None]:
        """A place, for as long as the block lasts. Until there is one, `pause` is called again and again.

        It is told how many others have to make room first; what it raises gives up waiting.
        """
        me = object()
        with self._lock:
            self._line.append(me)
        try:
            while ahead := self._ahead(me):
                pause(ahead)
            yield
        finally:
            with self._lock:
                self._since.pop(me, None)
                if me in self._line:
                    self._line.remove(me)

    def _ahead(self, me: object) -> int:
        """How many others have to go before `me` has a place; 0: it has one now."""
        with self._lock:
            now = time.monotonic()
            slow = sum(now - since > self._quick_s for since in self._since.values())
            free = self._at_once + min(slow, self._slow) - len(self._since)
            before = self._line.index(me)
            if before < free:
                self._line.remove(me)
                self._since[me] = now
                return 0
            return before - free + 1
