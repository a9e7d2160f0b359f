import random

import numpy as np
import pytest

from rag.corpus.ranking import Hit, top_k


def by_sorting(scores, k, allowed=None):
    rows = [(-float(s), i) for i, s in enumerate(scores) if allowed is None or allowed[i]]
    return [Hit(i, -s) for s, i in sorted(rows)[: max(k, 0)]]


def test_the_worked_example() -> None:
    assert [h.position for h in top_k(np.array([0.96, 0.80, 0.60, -1.0], dtype=np.float32), 2)] == [0, 1]


def test_equals_plain_sorting_with_ties_and_masks(seeds) -> None:
    for seed in seeds(1000):
        rng = random.Random(seed)
        n = rng.choice((0, 1, 2, 3, 10, 57))
        values = [rng.choice((0.0, -0.0, 0.5, 0.25, -1.0, rng.uniform(-1, 1))) for _ in range(n)]
        scores = np.array(values, dtype=np.float32)
        allowed = rng.choice((None, np.array([rng.random() < 0.5 for _ in range(n)], dtype=np.bool_)))
        for k in (0, 1, 2, n - 1, n, n + 5):
            assert top_k(scores, k, allowed) == by_sorting(scores, k, allowed), (seed, k)


def test_all_equal_is_decided_by_position() -> None:
    assert [h.position for h in top_k(np.full(100, 0.3, dtype=np.float32), 7)] == list(range(7))


@pytest.mark.parametrize("k", [0, 1, 5])
def test_nothing_allowed_gives_nothing(k: int) -> None:
    assert top_k(np.ones(4, dtype=np.float32), k, np.zeros(4, dtype=np.bool_)) == []


def test_the_scores_given_are_not_changed() -> None:
    scores = np.array([3, 1, 2], dtype=np.float32)
    top_k(scores, 2)
    assert scores.tolist() == [3, 1, 2]


def test_the_groups_of_many_scores_hide_none_of_the_best(seeds) -> None:
    for seed in seeds(60):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1000, 6000))
        scores = rng.choice(np.linspace(-1, 1, int(rng.integers(2, 3000)), dtype=np.float32), n)
        if seed % 2:
            scores = np.sort(scores)[:: int(rng.choice((-1, 1)))]  # the best all in one group
        allowed = rng.choice((0.0, 0.003, 0.5, 1.0)) > rng.random(n)
        for k in (1, 20, 200):
            assert top_k(scores, k, allowed) == by_sorting(scores, k, allowed), (seed, k)
            assert top_k(scores, k) == by_sorting(scores, k), (seed, k)
