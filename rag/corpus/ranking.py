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
    positions = np.arange(len(scores)) if allowed is None else np.flatnonzero(allowed)
    values = scores[positions]
    if len(values) > k > 0:
        # the k-th largest value; all rows that reach it are kept, so that ties are decided by position below
        floor = np.partition(values, len(values) - k)[len(values) - k]
        keep = values >= floor
        positions, values = positions[keep], values[keep]
    order = np.lexsort((positions, -values))[: max(k, 0)]
    return [Hit(int(positions[i]), float(values[i])) for i in order]
