"""Dense index: a matrix of unit vectors, searched exactly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag.corpus.ranking import Hit, top_k


@dataclass(frozen=True, slots=True, eq=False)
class DenseIndex:
    """`vectors`: ``(n, d) float32``, rows of length 1, in the order of the corpus's chunks."""

    vectors: NDArray[np.float32]

    def scores(self, query: NDArray[np.float32]) -> NDArray[np.float32]:
        """Cosine of `query` (``(d,)``, length 1) with every row: ``(n,) float32``, −1…1."""
        # one dot product a row, not `@`: that sums the last rows in another order, and equal rows would get scores that differ
        return np.vecdot(self.vectors, query)

    def search(self, query: NDArray[np.float32], k: int, allowed: NDArray[np.bool_] | None = None) -> list[Hit]:
        """The `k` rows most similar to `query`, sorted by ``(-score, position)``."""
        return top_k(self.scores(query), k, allowed)
