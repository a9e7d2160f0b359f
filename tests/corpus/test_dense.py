import random

import numpy as np
import pytest

from rag.corpus.dense import DenseIndex


def unit(rng, n: int, d: int):
    rows = rng.standard_normal((n, d)).astype(np.float32)
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


def test_cosine_against_float64(seeds) -> None:
    for seed in seeds(100):
        rng = np.random.default_rng(seed)
        vectors, query = unit(rng, int(rng.integers(0, 200)), 384), unit(rng, 1, 384)[0]
        hits = DenseIndex(vectors).search(query, 20)
        exact = vectors.astype(np.float64) @ query.astype(np.float64)
        assert len(hits) == min(20, len(vectors))
        for hit in hits:
            assert hit.score == pytest.approx(exact[hit.position], abs=2e-6)
        kth = np.sort(exact)[::-1][: len(hits)]
        assert np.allclose([h.score for h in hits], kth, atol=2e-6)


@pytest.mark.parametrize("dim", [3, 7, 16, 384, 768])
def test_equal_rows_have_equal_scores_wherever_they_are(dim: int) -> None:
    # a matrix product sums its last rows in another order: then the copy at the end can come before the original
    rng = np.random.default_rng(dim)
    for n in (2, 3, 5, 17, 33, 257, 1025):
        vectors = np.repeat(unit(rng, 1, dim), n, axis=0)
        for query in unit(rng, 4, dim):
            assert [h.position for h in DenseIndex(vectors).search(query, n)] == list(range(n)), n


def test_a_mask_equals_an_index_of_the_subset(seeds) -> None:
    for seed in seeds(200):
        rng, plain = np.random.default_rng(seed), random.Random(seed)
        n = plain.choice((0, 1, 2, 9, 64, 130))
        vectors, query = unit(rng, n, 24), unit(rng, 1, 24)[0]
        vectors[n // 2 :] = vectors[: n - n // 2]  # half of them twice
        allowed = rng.random(n) < 0.5
        rows = np.flatnonzero(allowed)
        subset = DenseIndex(vectors[rows]).search(query, 5)
        masked = DenseIndex(vectors).search(query, 5, allowed)
        assert [(h.position, h.score) for h in masked] == [(int(rows[h.position]), h.score) for h in subset], seed


@pytest.mark.parametrize("k", [0, 1, 3, 100])
def test_k_beyond_n_and_an_empty_index(k: int) -> None:
    query = np.array([0.6, 0.8], dtype=np.float32)
    assert DenseIndex(np.zeros((0, 2), dtype=np.float32)).search(query, k) == []
    vectors = np.array([[1, 0], [0, 1], [0.6, 0.8]], dtype=np.float32)
    assert [h.position for h in DenseIndex(vectors).search(query, k)] == [2, 1, 0][:k]


def test_scores_are_float32_one_a_row() -> None:
    scores = DenseIndex(np.eye(3, dtype=np.float32)).scores(np.array([0, 1, 0], dtype=np.float32))
    assert scores.dtype == np.float32 and scores.tolist() == [0, 1, 0]


def test_a_row_scores_the_same_among_any_others() -> None:
    # what the table shows beside a candidate is computed again, among the candidates alone
    rng = np.random.default_rng(0)
    for dim in (1, 3, 16, 100, 384, 1024):
        vectors, query = unit(rng, 500, dim), unit(rng, 1, dim)[0]
        scores = DenseIndex(vectors).scores(query)
        for rows in (np.array([499]), np.flatnonzero(rng.random(500) < 0.3)):
            assert DenseIndex(vectors[rows]).scores(query).tolist() == scores[rows].tolist()
