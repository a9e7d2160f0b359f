"""Dense index: a matrix of unit vectors, searched exactly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag.corpus.codes import BLOCK, Codes
from rag.corpus.ranking import Hit, top_k
from rag.errors import Bilingual


@dataclass(frozen=True, slots=True, eq=False)
class DenseIndex:
    """`vectors`: ``(n, d) float32``, rows of length 1, in the order of the corpus's chunks; may be a file that is mapped, read-only.

    With `codes` a search looks at these first, and then at the vectors of those few rows only that may be among the best: the
    same hits with the same scores, from a quarter of the memory and for more computing. An index that is loaded has them from
    `rag.corpus.store.MAPPED_FROM` rows on.
    """

    vectors: NDArray[np.float32]
    codes: Codes | None = None

    def scores(self, query: NDArray[np.float32]) -> NDArray[np.float32]:
        """Cosine of `query` (``(d,)``, length 1) with every row: ``(n,) float32``, −1…1."""
        # one dot product a row, not `@`: that sums the last rows in another order, and equal rows would get scores that differ
        return np.vecdot(self.vectors, query)

    def search(self, query: NDArray[np.float32], k: int, allowed: NDArray[np.bool_] | None = None) -> list[Hit]:
        """The `k` rows most similar to `query`, sorted by ``(-score, position)``."""
        return self.found(query, k, allowed)[0]

    def found(
        self, query: NDArray[np.float32], k: int, allowed: NDArray[np.bool_] | None = None
    ) -> tuple[list[Hit], int]:
        """The hits, and how many rows were compared in float32 to find them. Raises ValueError when `query` is not finite."""
        if not np.isfinite(query).all():
            raise ValueError("the query's vector holds NaN or infinite numbers")
        if self.codes is None:
            return top_k(self.scores(query), k, allowed), len(self.vectors)
        rows = self.codes.contenders(query, k, allowed)
        # in pieces: where very many rows are equal, all of them are read, but never held at once
        pieces = [np.vecdot(self.vectors[rows[i : i + BLOCK]], query) for i in range(0, len(rows), BLOCK)]
        best = top_k(np.concatenate(pieces), k) if pieces else []
        return [Hit(int(rows[hit.position]), hit.score) for hit in best], len(rows)

    def note(self, compared: int) -> Bilingual:
        """How it was searched, for a row of the trace; nothing to be said where all rows were compared."""
        if self.codes is None:
            return Bilingual(en="", zh="")
        n = len(self.vectors)
        return Bilingual(
            en=f"exact: all {n:,} passages by 8-bit codes, the {compared:,} that these leave open in float32",
            zh=f"精确：先用 8 位编码比较全部 {n:,} 块，再以 float32 比较尚不能排除的 {compared:,} 块",
        )
