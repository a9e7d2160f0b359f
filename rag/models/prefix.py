"""Where the keys and values of a visitor's last prompt wait for the next one; no module that computes is needed for it.

Two prompts over the same evidence begin with the same tokens; whoever has the keys and values of these need not read
them again. They are made from a visitor's question and files: the visitor's workspace owns the `PrefixCache`, nobody else
reads it, and it ends with it.
"""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:  # torch comes with it
    from rag.models.kept import KeysValues

MOST_TOKENS: Final = 4096
"""Tokens of which a `PrefixCache` keeps keys and values: 50 MB with the default model (12,288 bytes a token)."""
MOST_BYTES: Final = 200_000_000
"""What the caches of one `Room` keep together."""


class Room:
    """How much memory the caches of all visitors may take together. It counts bytes; what they hold it does not read."""

    def __init__(self, most: int = MOST_BYTES) -> None:
        self.lock = threading.Lock()
        self._most = most
        self._caches: list[weakref.ref[PrefixCache]] = []  # the one that was filled last is last

    def filled(self, cache: PrefixCache) -> None:
        """`cache` has just been filled: those filled longest ago are emptied until all fit. To be called under the lock."""
        known = [c for ref in self._caches if (c := ref()) is not None and c is not cache] + [cache]
        self._caches = [weakref.ref(c) for c in known]
        total = sum(c.bytes for c in known)
        for oldest in known:
            if total <= self._most:
                return
            total -= oldest.bytes
            oldest.drop()


class PrefixCache:
    """Keys and values of one visitor's last prompt. Safe to use from any thread; at most `most` tokens are kept.

    Whoever generates takes them out and puts back what it read: of two at once the second starts with nothing, and what
    is put back last stays. After `clear` nothing of before comes back. `room`: what bounds it together with others.
    """

    def __init__(self, room: Room | None = None, most: int = MOST_TOKENS) -> None:
        self._room = room or Room()
        self._most = most
        self._kept: KeysValues | None = None
        self._age = 0

    def take(self) -> tuple[KeysValues | None, int]:
        """What is kept, which the caller owns from now on, and the number to give to `put`."""
        with self._room.lock:
            kept, self._kept = self._kept, None
            return kept, self._age

    def put(self, kept: KeysValues, age: int) -> None:
        """Keep `kept` for the next prompt, unless `clear` was called since `take` gave `age`."""
        kept.shrink(self._most)
        with self._room.lock:
            if age == self._age:
                self._kept = kept
                self._room.filled(self)

    def clear(self) -> None:
        """Forget all, also what somebody has taken out right now."""
        with self._room.lock:
            self._kept = None
            self._age += 1

    def drop(self) -> None:
        """Forget what is kept, for want of room. To be called under the room's lock."""
        self._kept = None

    @property
    def bytes(self) -> int:
        """Memory that is taken."""
        kept = self._kept
        return 0 if kept is None else kept.bytes

    @property
    def tokens(self) -> int:
        """Tokens whose keys and values are kept."""
        kept = self._kept
        return 0 if kept is None else len(kept.ids)
