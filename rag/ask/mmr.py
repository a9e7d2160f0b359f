"""Maximal marginal relevance: an order in which what repeats the better ones comes later."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rag.corpus.ranking import Hit


def maximal_marginal_relevance(relevance: Sequence[float], vectors: NDArray[np.float32], lam: float) -> tuple[Hit, ...]:
    """All rows, the next always the one of greatest λ · relevance − (1 − λ) · greatest cosine with a row before it.

    Carbonell and Goldstein, 1998. `relevance`: one number a row, 0…1; `vectors`: ``(n, d) float32``, rows of length 1;
    `lam`: λ, 0…1 (1: by relevance alone). The first row has none before it: 0 is taken off. Of equals the earlier
    row comes first; a hit's score is the value by which it was taken.

    >>> rows = np.array([[1, 0], [1, 0], [0, 1]], dtype=np.float32)
    >>> [(h.position, round(h.score, 2)) for h in maximal_marginal_relevance([1.0, 0.9, 0.5], rows, 0.5)]
    [(0, 0.5), (2, 0.25), (1, -0.05)]
    """
    worth = lam * np.asarray(relevance, dtype=np.float64)
    wide = vectors.astype(np.float64)
    nearest = np.zeros(len(wide))
    left = np.ones(len(wide), dtype=np.bool_)
    taken: list[Hit] = []
    for n in range(len(wide)):
        value = worth - (1 - lam) * nearest
        best = int(np.argmax(np.where(left, value, -np.inf)))
        taken.append(Hit(best, float(value[best])))
        left[best] = False
        near = wide @ wide[best]
        nearest = near if n == 0 else np.maximum(nearest, near)
    return tuple(taken)
