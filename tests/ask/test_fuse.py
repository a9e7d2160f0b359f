import random

import pytest

from rag.ask.fuse import reciprocal_rank_fusion, weighted_sum
from rag.corpus.ranking import Hit


def random_run(rng: random.Random, n: int = 12) -> list[Hit]:
    positions = rng.sample(range(n), rng.randint(0, n))
    scores = sorted((rng.choice((0.25, 0.5, rng.uniform(-1, 20))) for _ in positions), reverse=True)
    return [Hit(p, s) for p, s in zip(positions, scores, strict=True)]


def test_a_worked_example() -> None:
    # rank 1 and 2 against rank 2 alone: 1/61 + 1/62, 1/61, 1/62
    fused = reciprocal_rank_fusion([[Hit(7, 0.9), Hit(3, 0.8)], [Hit(5, 9.0), Hit(7, 8.0)]])
    assert [h.position for h in fused] == [7, 5, 3]
    assert [h.score for h in fused] == pytest.approx([1 / 61 + 1 / 62, 1 / 61, 1 / 62])


def test_rrf_equals_its_definition(seeds) -> None:
    for seed in seeds(500):
        rng = random.Random(seed)
        runs, c = [random_run(rng) for _ in range(rng.randint(0, 4))], rng.choice((1, 10, 60))
        expected = {}
        for p in {h.position for run in runs for h in run}:
            ranks = [[h.position for h in run].index(p) + 1 for run in runs if p in [h.position for h in run]]
            expected[p] = sum(1 / (c + rank) for rank in ranks)
        fused = reciprocal_rank_fusion(runs, c)
        assert {h.position: h.score for h in fused} == pytest.approx(expected), seed
        assert [(-h.score, h.position) for h in fused] == sorted((-h.score, h.position) for h in fused)


def test_the_order_of_the_runs_does_not_matter(seeds) -> None:
    for seed in seeds(500):
        rng = random.Random(seed)
        runs = [random_run(rng) for _ in range(4)]
        shuffled = rng.sample(runs, len(runs))
        a, b = reciprocal_rank_fusion(runs), reciprocal_rank_fusion(shuffled)
        assert [h.position for h in a] == [h.position for h in b], seed


def test_equal_sums_are_equal_in_whatever_order_they_are_added() -> None:
    # every document has the ranks 1…n, once each; added as they come, most sums would differ in the last bit
    for n in (3, 4, 5):
        runs = [[Hit((i + shift) % n, 1.0) for i in range(n)] for shift in range(n)]
        for c in (1, 7, 60):
            fused = reciprocal_rank_fusion(runs, c)
            assert [h.position for h in fused] == list(range(n)) and len({h.score for h in fused}) == 1


def test_only_ranks_count() -> None:
    assert reciprocal_rank_fusion([[Hit(1, 5.0), Hit(2, 4.0)]]) == reciprocal_rank_fusion([[Hit(1, 9.0), Hit(2, -3.0)]])


def test_a_rank_of_the_first_run_can_count_twice(seeds) -> None:
    for seed in seeds(200):
        rng = random.Random(seed)
        first, second = random_run(rng), random_run(rng)
        twice = {h.position for h in first if rng.random() < 0.5} | {99}
        again = [h if h.position in twice else Hit(-1 - h.position, 0.0) for h in first]
        expected = {h.position: h.score for h in reciprocal_rank_fusion([first, second, again], 10) if h.position >= 0}
        found = reciprocal_rank_fusion([first, second], 10, (twice,))
        assert {h.position: h.score for h in found} == pytest.approx(expected), seed


def test_ties_go_to_the_earlier_position() -> None:
    assert [h.position for h in reciprocal_rank_fusion([[Hit(9, 1.0)], [Hit(2, 1.0)]])] == [2, 9]


def test_weighted_sum_equals_its_definition(seeds) -> None:
    for seed in seeds(500):
        rng = random.Random(seed)
        dense, lexical, alpha = random_run(rng), random_run(rng), rng.choice((0.0, 0.3, 1.0))
        expected: dict[int, float] = {}
        for run, weight in ((dense, alpha), (lexical, 1 - alpha)):
            values = [h.score for h in run]
            for h in run:
                spread = max(values) - min(values)
                scaled = (h.score - min(values)) / spread if spread else 1.0
                expected[h.position] = expected.get(h.position, 0.0) + weight * scaled
        found = weighted_sum(dense, lexical, alpha)
        assert {h.position: h.score for h in found} == pytest.approx(expected), seed
        assert found == sorted(found, key=lambda h: (-h.score, h.position))
        assert all(-1e-9 <= h.score <= 1 + 1e-9 for h in found)


def test_alpha_at_its_ends_is_one_run_alone() -> None:
    dense, lexical = [Hit(0, 0.9), Hit(1, 0.8)], [Hit(1, 5.0), Hit(0, 1.0)]
    assert weighted_sum(dense, lexical, 1.0)[0].position == 0
    assert weighted_sum(dense, lexical, 0.0)[0].position == 1
    assert weighted_sum([], [], 0.5) == []
