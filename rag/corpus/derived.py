"""What is worked out from a corpus once and kept beside it: whose document each chunk is, and what some may see of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from rag.corpus.approximate import heed
from rag.types import Chunk

if TYPE_CHECKING:
    from rag.corpus.approximate import ApproximateIndex
    from rag.corpus.index import Corpus

_HEED_S: Final = 0.1
"""How often somebody who waits looks whether to go on waiting."""
MOST_VIEWS: Final = 16
"""Of more sets of documents, the ones that were not looked at for longest are worked out again when they are."""


class Derived:
    """Belongs to one corpus and dies with it. May be called from any thread; who comes second waits for who came first.

    What takes long has a lock of its own: whoever needs none of it, or needs what is there already, does not wait.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()  # guards the fields; held for moments
        self._views: dict[frozenset[str], Corpus] = {}  # the one used last is the last
        self._numbers: NDArray[np.intp] | None = None
        self._viewing = threading.Lock()
        self._building = threading.Lock()
        self._graph: ApproximateIndex | None = None

    def numbers(self, chunks: Sequence[Chunk], keys: Iterable[str]) -> NDArray[np.intp]:
        """Of each chunk the place of its document among `keys`: ``(n,)``; −1 of none of them."""
        with self._lock:
            if self._numbers is None:
                place = {key: i for i, key in enumerate(keys)}
                self._numbers = np.fromiter((place.get(c.key, -1) for c in chunks), dtype=np.intp, count=len(chunks))
            return self._numbers

    def view(self, keys: frozenset[str], make: Callable[[], Corpus]) -> Corpus:
        """What `make` makes of the documents `keys`, made once as long as it is among the last `MOST_VIEWS`."""
        found = self._view(keys)
        if found is not None:
            return found
        with self._viewing:
            found = self._view(keys)
            if found is None:
                found = make()
                with self._lock:
                    self._views[keys] = found
                    if len(self._views) > MOST_VIEWS:
                        del self._views[next(iter(self._views))]
            return found

    def _view(self, keys: frozenset[str]) -> Corpus | None:
        with self._lock:
            found = self._views.pop(keys, None)
            if found is not None:
                self._views[keys] = found
            return found

    def graph(
        self, make: Callable[[], ApproximateIndex | None], stop: threading.Event | None = None
    ) -> ApproximateIndex | None:
        """What `make` makes of the vectors, made once, unless it is None or raises: then whoever waits makes it.

        Raises `Stopped` when `stop` is set while somebody else makes it.
        """
        while not self._building.acquire(timeout=_HEED_S):
            heed(stop)
        try:
            if self._graph is None:
                self._graph = make()
            return self._graph
        finally:
            self._building.release()
