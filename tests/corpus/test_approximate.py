import random
import sys
import threading

import numpy as np
import pytest

from rag.corpus.approximate import PIECE, SAMPLE, ApproximateIndex, approximate
from rag.corpus.codes import blocks_of, encode
from rag.corpus.dense import DenseIndex
from rag.errors import Stopped

pytest.importorskip("faiss")


def clustered(rng, n: int, d: int):
    """Unit rows about a few centres, and a quarter of them twice: as passages lie."""
    centres = rng.standard_normal((6, d))
    rows = centres[rng.integers(0, 6, n)] + 0.5 * rng.standard_normal((n, d))
    rows[: n // 4] = rows[n - n // 4 :]
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def built(vectors) -> ApproximateIndex:
    index = approximate(DenseIndex(vectors))
    assert index is not None
    return index


def test_no_masked_row_exact_scores_in_exact_order(seeds) -> None:
    for seed in seeds(40):
        rng, plain = np.random.default_rng(seed), random.Random(seed)
        n, d = plain.choice((0, 1, 2, 21, 150, 700)), plain.choice((3, 16, 384))
        index = built(clustered(rng, n, d))
        vectors = index.exact.vectors
        for _ in range(8):
            query = clustered(rng, 4, d)[0]
            allowed = plain.choice((None, rng.random(n) < plain.choice((0.0, 0.02, 0.2, 0.6, 1.0))))
            k = plain.choice((0, 1, 20, 200, n + 5))
            hits = index.search(query, k, allowed)
            among = np.arange(n) if allowed is None else np.flatnonzero(allowed)
            assert len(hits) == min(k, len(among)), seed
            assert {h.position for h in hits} <= set(among.tolist()) and len({h.position for h in hits}) == len(hits)
            assert hits == sorted(hits, key=lambda h: (-h.score, h.position))
            exact = index.exact.scores(query)
            assert [h.score for h in hits] == [exact[h.position] for h in hits]
            assert np.allclose([h.score for h in hits], [vectors[h.position] @ query for h in hits], atol=2e-6)


def test_the_recall_said_is_what_a_count_by_hand_gives() -> None:
    vectors = np.random.default_rng(5).standard_normal((3000, 96)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    index = built(vectors)
    shares = []
    for row in np.sort(np.random.default_rng(0).permutation(3000)[:200]).tolist():
        order = np.argsort(-(vectors @ vectors[row]), kind="stable")
        truly = [i for i in order.tolist() if i != row][:20]
        found = [h.position for h in index.search(vectors[row], 21) if h.position != row][:20]
        shares.append(len(set(truly) & set(found)) / 20)
    assert index.recall == pytest.approx(np.mean(shares), abs=1e-3)
    assert index.sampled == 200 and 0.3 < index.recall < 1  # directions without any order are the hardest there are
    assert f"{index.recall:.3f}" in index.note(True).en and "HNSW" in index.note(True).zh


def test_the_same_rows_give_the_same_graph() -> None:
    rng = np.random.default_rng(1)
    vectors, queries = clustered(rng, 900, 32), clustered(rng, 20, 32)
    a, b = built(vectors), built(vectors)
    assert a.recall == b.recall and [a.search(q, 20) for q in queries] == [b.search(q, 20) for q in queries]


def test_a_narrow_mask_is_exact_and_says_so() -> None:
    rng = np.random.default_rng(2)
    index, query = built(clustered(rng, 1000, 16)), clustered(rng, 4, 16)[0]
    allowed = np.zeros(1000, dtype=np.bool_)
    allowed[::9] = True
    assert index.found(query, 20, allowed) == (index.exact.search(query, 20, allowed), False)
    assert "exact" in index.note(False).en
    allowed[:] = True
    assert index.found(query, 20, allowed)[1] and index.found(query, 20)[1]


class Counted(threading.Event):
    """Is set once it was looked at `after` times."""

    def __init__(self, after: int) -> None:
        super().__init__()
        self.left = after

    def is_set(self) -> bool:
        self.left -= 1
        return self.left < 0


def test_it_stops_between_two_pieces_of_building_and_of_measuring() -> None:
    exact = DenseIndex(clustered(np.random.default_rng(6), 3 * PIECE - 1, 16))
    for after in (0, 1, 2, 3, 3 + SAMPLE - 1):  # three pieces are added, then a sample is measured row by row
        with pytest.raises(Stopped):
            approximate(exact, Counted(after))
    whole = approximate(exact, Counted(3 + SAMPLE))
    assert whole is not None and whole.graph.ntotal == 3 * PIECE - 1


def test_over_vectors_that_are_mapped_it_is_the_same(tmp_path) -> None:
    rng = np.random.default_rng(7)
    vectors, queries = clustered(rng, 700, 24), clustered(rng, 8, 24)
    np.save(tmp_path / "v.npy", vectors)
    mapped = np.asarray(np.load(tmp_path / "v.npy", mmap_mode="r"))
    index, plain = approximate(DenseIndex(mapped, encode(blocks_of(mapped), *mapped.shape))), built(vectors)
    narrow = np.arange(700) % 9 == 0
    assert index is not None and index.recall == plain.recall
    for query in queries:
        assert index.search(query, 20) == plain.search(query, 20)
        assert index.found(query, 20, narrow) == plain.found(query, 20, narrow)


class Forgetful:
    """A graph that returns too little, as one does whose near rows are masked."""

    def search(self, queries, k, params):
        return np.zeros((1, k), dtype=np.float32), np.full((1, k), -1)


def test_too_few_from_the_graph_are_made_up_for_by_comparing_all() -> None:
    rng = np.random.default_rng(3)
    exact, query = DenseIndex(clustered(rng, 300, 16)), clustered(rng, 4, 16)[0]
    index = ApproximateIndex(exact, Forgetful(), 0.0, 0, 0.0)
    allowed = rng.random(300) < 0.5
    assert index.found(query, 20, allowed) == (exact.search(query, 20, allowed), False)


def test_searches_at_once_give_what_they_give_alone() -> None:
    rng = np.random.default_rng(4)
    index, queries = built(clustered(rng, 2000, 32)), clustered(rng, 40, 32)
    masks = [rng.random(2000) < 0.5 for _ in queries]
    alone = [index.search(q, 20, mask) for q, mask in zip(queries, masks, strict=True)]
    found: dict[int, list] = {}

    def ask(i: int) -> None:
        found[i] = [index.search(queries[i], 20, masks[i]) for _ in range(5)]

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(len(queries))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(found[i] == [alone[i]] * 5 for i in range(len(queries)))


def test_without_faiss_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "faiss", None)
    assert approximate(DenseIndex(np.eye(3, dtype=np.float32))) is None
