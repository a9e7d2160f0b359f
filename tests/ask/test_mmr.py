import random

import numpy as np

from rag.ask.mmr import maximal_marginal_relevance


def brute_force(relevance: list[float], vectors: np.ndarray, lam: float) -> list[tuple[int, float]]:
    """Carbonell and Goldstein's formula, written out: every pair anew in every round."""
    taken: list[tuple[int, float]] = []
    while len(taken) < len(relevance):
        best: tuple[float, int] | None = None
        for i in range(len(relevance)):
            if i in (j for j, _ in taken):
                continue
            near = [sum(float(a) * float(b) for a, b in zip(vectors[i], vectors[j], strict=True)) for j, _ in taken]
            value = lam * relevance[i] - (1 - lam) * (max(near) if near else 0.0)
            if best is None or value > best[0] + 1e-12:
                best = value, i
        assert best is not None
        taken.append((best[1], best[0]))
    return taken


def test_it_equals_the_formula_written_out(seeds) -> None:
    for seed in seeds(200):
        rng = random.Random(seed)
        n, d = rng.randint(0, 12), rng.randint(1, 6)
        vectors = np.random.default_rng(seed).standard_normal((n, d)).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        if n > 1 and rng.random() < 0.5:
            vectors[rng.randrange(n)] = vectors[rng.randrange(n)]  # the same passage twice
        relevance = [rng.choice((0.0, 0.25, 0.5, rng.random())) for _ in range(n)]
        lam = rng.choice((0.0, 1.0, rng.random()))
        found = [(h.position, h.score) for h in maximal_marginal_relevance(relevance, vectors, lam)]
        expected = brute_force(relevance, vectors, lam)
        assert [p for p, _ in found] == [p for p, _ in expected], seed
        assert np.allclose([s for _, s in found], [s for _, s in expected], atol=1e-6), seed


def test_with_all_the_weight_on_relevance_it_is_the_order_of_relevance_and_with_less_a_repetition_waits() -> None:
    rows = np.array([[1, 0], [1, 0], [0, 1]], dtype=np.float32)
    assert [h.position for h in maximal_marginal_relevance([1.0, 0.9, 0.5], rows, 1.0)] == [0, 1, 2]
    assert [h.position for h in maximal_marginal_relevance([1.0, 0.9, 0.5], rows, 0.5)] == [0, 2, 1]


def test_after_the_first_which_has_none_before_it_the_values_never_rise() -> None:
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((30, 8)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    values = [h.score for h in maximal_marginal_relevance(rng.random(30).tolist(), rows, 0.6)]
    assert all(a >= b - 1e-9 for a, b in zip(values[1:], values[2:], strict=False))
