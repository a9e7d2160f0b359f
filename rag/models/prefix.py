"""Keys and values of tokens a decoder has read, and the place where those of the last prompt wait for the next one.

Two prompts over the same evidence begin with the same tokens; whoever has the keys and values of these need not read
them again. They are made from a visitor's question and files: the visitor's workspace owns the `PrefixCache`, nobody else
reads it, and it ends with it.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import torch

# Room is made for this many tokens at a time, so that it rarely has to be made again.
_STEP: Final = 256

MOST_TOKENS: Final = 4096
"""Tokens of which a `PrefixCache` keeps keys and values: 50 MB with the default model (12,288 bytes a token)."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What the keys and values of one token take: `layers` times two vectors of `heads` × `width` numbers of `dtype`."""

    layers: int
    heads: int
    width: int
    dtype: Any  # torch.dtype, which is untyped here
    device: str


class KeysValues:
    """The keys and values of the tokens `ids`, in the order they were read; `rows` is the tensor that has room for more.

    ``rows[layer][0]`` are the keys of a layer and ``rows[layer][1]`` its values, ``(heads, room, width)`` each; only the first
    ``len(ids)`` places count. A forward pass writes behind these and lengthens `ids` when it is through, so that one that
    was stopped halfway leaves what was there before.
    """

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.ids: list[int] = []
        self.rows: Any = torch.empty(0)
        self._room = 0

    def make_room(self, tokens: int) -> None:
        """Room for `tokens` in all; those that are there stay."""
        if tokens <= self._room:
            return
        room = -(-tokens // _STEP) * _STEP
        s = self.shape
        rows = torch.empty((s.layers, 2, s.heads, room, s.width), dtype=s.dtype, device=s.device)
        if self.ids:
            rows[:, :, :, : len(self.ids)] = self.rows[:, :, :, : len(self.ids)]
        self.rows, self._room = rows, room

    def crop(self, tokens: int) -> None:
        """Forget all but the first `tokens`. Nothing is computed: what stands there was never changed by what followed."""
        del self.ids[tokens:]

    def shrink(self, most: int) -> None:
        """Keep at most the first `most` tokens, and no more room than they take."""
        self.crop(most)
        if self._room - len(self.ids) >= _STEP:
            self._room = -(-len(self.ids) // _STEP) * _STEP
            self.rows = self.rows[:, :, :, : self._room].clone()


def common(a: Sequence[int], b: Sequence[int]) -> int:
    """How many tokens `a` and `b` begin with alike.

    >>> common([1, 2, 3], [1, 2, 4, 5])
    2
    """
    for n, (x, y) in enumerate(zip(a, b, strict=False)):
        if x != y:
            return n
    return min(len(a), len(b))


class PrefixCache:
    """Keys and values of one visitor's last prompt. Safe to use from any thread; at most `most` tokens are kept.

    Whoever generates takes them out and puts back what it read: of two at once the second starts with nothing, and what
    is put back last stays. After `clear` nothing of before comes back.
    """

    def __init__(self, most: int = MOST_TOKENS) -> None:
        self._lock = threading.Lock()
        self._most = most
        self._kept: KeysValues | None = None
        self._age = 0

    def take(self) -> tuple[KeysValues | None, int]:
        """What is kept, which the caller owns from now on, and the number to give to `put`."""
        with self._lock:
            kept, self._kept = self._kept, None
            return kept, self._age

    def put(self, kept: KeysValues, age: int) -> None:
        """Keep `kept` for the next prompt, unless `clear` was called since `take` gave `age`."""
        kept.shrink(self._most)
        with self._lock:
            if age == self._age:
                self._kept = kept

    def clear(self) -> None:
        """Forget all, also what somebody has taken out right now."""
        with self._lock:
            self._kept = None
            self._age += 1

    @property
    def tokens(self) -> int:
        """Tokens whose keys and values are kept."""
        with self._lock:
            return 0 if self._kept is None else len(self._kept.ids)
