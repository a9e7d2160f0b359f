"""Dense index that does not compare every row: a graph of neighbours (HNSW), for corpora where comparing all takes long."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rag.corpus.dense import DenseIndex
from rag.corpus.ranking import Hit, top_k
from rag.errors import Bilingual, Stopped

M: Final = 16
EF_BUILD: Final = 100
EF: Final = 128
"""Neighbours a row is joined to, and how many rows a build and a search keep in view (Malkov & Yashunin, 2018). Of more, recall
and seconds rise: for 400 questions of four public collections (6,785 passages), ef 32, 64, 128 find 93, 98 and 99 of 100."""

NARROW: Final = 8
"""A mask that leaves less than one row in so many is searched exactly: the graph would be walked for rows that may not be had."""

PIECE: Final = 200
"""Rows that are added before a stop is heeded: some tenths of a second."""

RECALL_AT: Final = 20
SAMPLE: Final = 200


@dataclass(frozen=True, slots=True, eq=False)
class ApproximateIndex:
    """A graph over the rows of `exact`, whose answers may miss some of the nearest rows, but never mistake a score.

    `recall`: of the `RECALL_AT` nearest passages of `sampled` passages, each taken for a question, the share found (0…1);
    questions lie further from passages than passages do, so theirs can be a little lower. `seconds`: building and
    measuring took. The graph holds the vectors once more.
    """

    exact: DenseIndex
    graph: Any
    recall: float
    sampled: int
    seconds: float

    def search(self, query: NDArray[np.float32], k: int, allowed: NDArray[np.bool_] | None = None) -> list[Hit]:
        """As `DenseIndex.search`; its scores are exact and in exact order, and no masked row is returned."""
        return self.found(query, k, allowed)[0]

    def found(
        self, query: NDArray[np.float32], k: int, allowed: NDArray[np.bool_] | None = None
    ) -> tuple[list[Hit], bool]:
        """The hits, and whether the graph gave them: where it gives too few, or the mask is narrow, all rows are compared."""
        n = len(self.exact.vectors)
        among = n if allowed is None else int(allowed.sum())
        wanted = min(k, among)
        if wanted <= 0:
            return [], True
        if among * NARROW < n:
            return self.exact.search(query, k, allowed), False
        positions = self._near(query, wanted, among, allowed)
        if len(positions) < wanted:
            return self.exact.search(query, k, allowed), False
        scores = DenseIndex(self.exact.vectors[positions]).scores(query)
        return [Hit(int(positions[hit.position]), hit.score) for hit in top_k(scores, k)], True

    def _near(
        self, query: NDArray[np.float32], wanted: int, among: int, allowed: NDArray[np.bool_] | None
    ) -> NDArray[np.intp]:
        """Rows near `query` that are allowed, ascending: as many as the search kept in view, so that none of equals is cut off."""
        import faiss

        n = len(self.exact.vectors)
        ef = max(EF, 2 * wanted)
        parameters = faiss.SearchParametersHNSW()
        parameters.efSearch = -(-ef * n // among)  # of those in view, a mask leaves this share
        bits = None if allowed is None or among == n else np.packbits(allowed, bitorder="little")
        if bits is not None:  # the selector reads `bits` where they lie: they must outlive the search
            parameters.sel = faiss.IDSelectorBitmap(bits)
        _, rows = self.graph.search(query[None], min(ef, among), params=parameters)
        return np.unique(rows[rows >= 0])

    def note(self, by_graph: bool) -> Bilingual:
        """How it was searched, for a row of the trace."""
        if not by_graph:
            return Bilingual(
                en="approximate was chosen, but too few passages are in scope for the graph: exact",
                zh="已选近似检索，但范围内的块太少，改为精确比较",
            )
        figure = f"recall@{RECALL_AT} {self.recall:.3f}"
        return Bilingual(
            en=f"approximate, HNSW M={M}, ef={EF}; {figure} on {self.sampled} sampled passages; built in {self.seconds:.1f} s",
            zh=f"近似检索，HNSW M={M}，ef={EF}；{figure}（抽样 {self.sampled} 个块）；建图用时 {self.seconds:.1f} 秒",
        )


MISSING: Final = Bilingual(
    en="approximate was chosen, but faiss is not installed (pip install faiss-cpu): exact",
    zh="已选近似检索，但未安装 faiss（pip install faiss-cpu），改为精确检索",
)


def heed(stop: threading.Event | None) -> None:
    """Raise `Stopped` when `stop` is set."""
    if stop is not None and stop.is_set():
        raise Stopped(en="The search was stopped.", zh="检索已停止。")


def approximate(exact: DenseIndex, stop: threading.Event | None = None) -> ApproximateIndex | None:
    """The graph over `exact`, its recall measured; None when faiss is not installed. The same rows give the same graph.

    It is built in pieces of `PIECE` rows. Raises `Stopped` between two of them once `stop` is set.
    """
    try:
        import faiss
    except ImportError:
        return None
    began = time.perf_counter()
    n, dim = exact.vectors.shape
    graph = faiss.IndexHNSWFlat(dim, M, faiss.METRIC_INNER_PRODUCT)
    graph.hnsw.efConstruction = EF_BUILD
    # one thread: several give another graph each time, and would take the processors from whoever generates
    faiss.omp_set_num_threads(1)
    for start in range(0, n, PIECE):
        heed(stop)
        graph.add(exact.vectors[start : start + PIECE])
    sample = np.sort(np.random.default_rng(0).permutation(n)[:SAMPLE])
    built = ApproximateIndex(exact, graph, 0.0, len(sample), 0.0)
    recall = _recall(built, sample, stop)
    return ApproximateIndex(exact, graph, recall, len(sample), time.perf_counter() - began)


def _recall(index: ApproximateIndex, sample: NDArray[np.intp], stop: threading.Event | None) -> float:
    """The mean share of the nearest found, for each of the rows `sample` without itself; a row as near as the last of them counts."""
    shares = []
    for row in sample.tolist():
        heed(stop)
        query = index.exact.vectors[row]
        nearest = [hit for hit in index.exact.search(query, RECALL_AT + 1) if hit.position != row][:RECALL_AT]
        if nearest:
            found = [hit for hit in index.search(query, RECALL_AT + 1) if hit.position != row][:RECALL_AT]
            shares.append(sum(hit.score >= nearest[-1].score for hit in found) / len(nearest))
    return float(np.mean(shares)) if shares else 1.0
