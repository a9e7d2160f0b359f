"""Keys and values of the tokens that a decoder has read, in one piece, with room for those to come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import torch

# Room is made for this many tokens at a time, so that it rarely has to be made again.
_STEP: Final = 256


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

    def begin_with(self, other: KeysValues, tokens: int) -> None:
        """Hold the first `tokens` of `other` and nothing else; `other` stays as it is."""
        self.ids.clear()
        self.make_room(tokens)
        self.rows[:, :, :, :tokens] = other.rows[:, :, :, :tokens]
        self.ids.extend(other.ids[:tokens])

    def crop(self, tokens: int) -> None:
        """Forget all but the first `tokens`. Nothing is computed: what stands there was never changed by what followed."""
        del self.ids[tokens:]

    @property
    def bytes(self) -> int:
        """Memory that is taken."""
        return int(self.rows.nbytes)

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
