"""Vectors at a byte a number, each with how far it may be off: a look at every row that leaves few to be compared in full."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rag.corpus.ranking import reached

BLOCK: Final = 1024
"""Rows that are looked at together: they and their float32 copy (1.5 MB of 384 numbers) stay in the processor's own memory."""

_MOST: Final = 127


@dataclass(frozen=True, slots=True, eq=False)
class Codes:
    """Row i stands for ``scales[i] * numbers[i]``; a score made with it is off by at most ``errors[i]`` times the query's length.

    `numbers`: ``(n, d) int8``, −127…127; `scales` and `errors`: ``(n,) float32``, ≥ 0. d + 8 bytes a row.
    """

    numbers: NDArray[np.int8]
    scales: NDArray[np.float32]
    errors: NDArray[np.float32]

    def contenders(
        self, query: NDArray[np.float32], k: int, allowed: NDArray[np.bool_] | None = None
    ) -> NDArray[np.intp]:
        """Ascending, the rows that may be among the `k` with the greatest float32 scores, or equal to one of them; rows where
        `allowed` is False do not exist for it.

        None of the k is ever missing: at least k rows reach, at the least, the k-th greatest of what rows surely score; a row
        that cannot reach that at the most is none of them.
        """
        low, high = self.bounds(query)
        if allowed is None:
            return np.flatnonzero(high >= reached(low, k))
        rows = np.flatnonzero(allowed)
        return rows[high[rows] >= reached(low[rows], k)]

    def bounds(self, query: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """What each row scores at the least and at the most with `query` (``(d,)``, finite), computed in float32: two ``(n,) float32``."""
        n, dim = self.numbers.shape
        scores = np.empty(n, dtype=np.float32)
        wide = np.empty((min(n, BLOCK), dim), dtype=np.float32)
        for start in range(0, n, BLOCK):
            block = self.numbers[start : start + BLOCK]
            copy = wide[: len(block)]
            copy[...] = block
            # not a matrix product: it would run on several threads, which wait for each other as soon as anybody else computes
            np.vecdot(copy, query, out=scores[start : start + BLOCK])
        scores *= self.scales
        reach = self.errors * np.float32(np.linalg.norm(query))
        return scores - reach, scores + reach


def encode(blocks: Iterable[NDArray[np.float32]], n: int, dim: int) -> Codes:
    """The codes of `n` rows that come in `blocks`, ``(≤ n, dim) float32`` each, one after the other. A row's greatest number becomes ±127.

    Of any length whose square float32 can hold, 0 among them. Raises ValueError when a number is NaN or infinite.
    """
    codes = Codes(np.empty((n, dim), np.int8), np.empty(n, np.float32), np.empty(n, np.float32))
    # What float32 rounds away: d products and their sum, of the row and of its code, are off by no more than d + 1 times
    # 2**-24 of the lengths each (Higham, Accuracy and Stability of Numerical Algorithms, 3.1); four times 2**-24 covers both.
    rounding = np.float32((dim + 8) * 2.0**-22)
    start = 0
    for block in blocks:
        if not np.isfinite(block).all():
            raise ValueError(f"vectors from row {start} on hold NaN or infinite numbers")
        rows = slice(start, start + len(block))
        greatest = np.abs(block).max(axis=1, initial=0.0)
        scales = np.where(greatest > 0, greatest / np.float32(_MOST), np.float32(1))[:, None]
        numbers = np.clip(np.rint(block / scales), -_MOST, _MOST)
        codes.numbers[rows], codes.scales[rows] = numbers, scales[:, 0]
        off = np.linalg.norm(block - numbers * scales, axis=1)
        codes.errors[rows] = (off + rounding * np.linalg.norm(block, axis=1)) * (1 + rounding)
        start += len(block)
    return codes


def blocks_of(vectors: NDArray[np.float32]) -> Iterator[NDArray[np.float32]]:
    """`vectors` in pieces of `BLOCK` rows."""
    return (vectors[start : start + BLOCK] for start in range(0, len(vectors), BLOCK))
