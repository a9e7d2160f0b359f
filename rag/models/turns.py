"""Who may compute now: model work takes turns in small pieces, short work first.

Two torch jobs at once on two cores make each other many times slower (their OpenMP barriers wait for each
other's threads), so one piece runs at a time: a layer of a forward pass, a batch of the encoder. Whoever holds
the turn offers it between pieces with `hand_over`; nobody holds it for a whole answer or a whole indexing run.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from typing import Final

SPIN: Final = "1000"
"""How often a thread of OpenMP looks for the others before it sleeps: libgomp's own number where there are more threads than cores."""


def wait_asleep(environ: MutableMapping[str, str] = os.environ) -> None:
    """Have the threads of OpenMP sleep soon while they wait for each other; to be called before PyTorch is imported, which reads it once.

    Left to itself libgomp looks for a thousandth of a second and more, on a core that the thread it waits for may need: on two cores with
    other processes busy, two threads multiplied 2 to 20 times as often with this as without (`tests/bench/busy.py` measures it on
    the models). Whoever has set ``OMP_WAIT_POLICY`` or ``GOMP_SPINCOUNT`` has decided otherwise.
    """
    if "OMP_WAIT_POLICY" not in environ:
        environ.setdefault("GOMP_SPINCOUNT", SPIN)


class Turns:
    """A fair lock with three queues: short work (a question's vector) goes before long work, and long work before idle work,
    which nobody asked for; each queue is first come, first served.

    Short pieces are milliseconds and bounded by the visitors' question limit, so they cannot starve long work. Idle work is
    what is done ahead; it waits for as long as anybody wants to work.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._held = False
        self._idles = False  # whether idle work holds the turn
        self._short: deque[object] = deque()
        self._long: deque[object] = deque()
        self._idle: deque[object] = deque()

    @contextmanager
    def turn(self, *, short: bool = False, idle: bool = False) -> Iterator[None]:
        """Hold the turn for one piece of work (or for several, with `hand_over` between them)."""
        self._acquire(self._short if short else self._idle if idle else self._long)
        try:
            yield
        finally:
            self._release()

    def hand_over(self) -> None:
        """Called by the holder between two pieces: let the next in line work, if somebody waits, and queue again.

        Idle work goes back behind all other; to that it does not hand over.
        """
        if self._short or self._long:
            queue = self._idle if self._idles else self._long
            self._release()
            self._acquire(queue)

    def _acquire(self, queue: deque[object]) -> None:
        ticket = object()
        with self._changed:
            queue.append(ticket)
            try:
                while self._held or self._next() is not ticket:
                    self._changed.wait()
            except BaseException:  # Ctrl-C in a shell: whoever leaves the line must not block it
                queue.remove(ticket)
                self._changed.notify_all()
                raise
            queue.popleft()
            self._held, self._idles = True, queue is self._idle

    def _release(self) -> None:
        with self._changed:
            self._held = False
            self._changed.notify_all()

    def _next(self) -> object:
        return next(queue[0] for queue in (self._short, self._long, self._idle) if queue)
