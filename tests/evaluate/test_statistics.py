import random
import time

import numpy as np
import pytest
from scipy import stats

from rag.evaluate.statistics import Interval, compare, mean_interval, share_interval


def random_values(rng: random.Random, n: int) -> list[float]:
    kind = rng.choice(("zero-one", "graded", "any"))
    pools = {"zero-one": (0.0, 1.0), "graded": (0.0, 0.25, 0.5, 1.0)}
    return [rng.choice(pools[kind]) if kind in pools else rng.gauss(0, 3) for _ in range(n)]


def test_equals_scipys_percentile_bootstrap(seeds) -> None:
    for seed in seeds(100):
        rng = random.Random(seed)
        values, level = random_values(rng, rng.randint(2, 60)), rng.choice((0.8, 0.95, 0.99))
        found = mean_interval(values, seed=seed, resamples=500, level=level)
        expected = stats.bootstrap(
            (np.array(values),),
            np.mean,
            n_resamples=500,
            confidence_level=level,
            method="percentile",
            rng=np.random.default_rng(seed),
        ).confidence_interval
        assert found is not None
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high)), seed
        assert found.mean == pytest.approx(sum(values) / len(values)) and found.n == len(values)


def test_covers_the_truth_as_often_as_it_says() -> None:
    # 95 of 100 intervals hold the true mean; with 40 questions the percentile bootstrap is known to be a little narrow
    rng = random.Random(3)
    held = 0
    for seed in range(400):
        values = [float(rng.random() < 0.7) for _ in range(40)]
        found = mean_interval(values, seed=seed, resamples=400)
        assert found is not None
        held += found.low <= 0.7 <= found.high
    assert 0.90 <= held / 400 <= 0.98


def test_no_values_no_interval() -> None:
    assert mean_interval([]) is None
    assert compare([], []) is None


def test_one_value_is_its_own_interval() -> None:
    assert mean_interval([0.3]) == Interval(0.3, 0.3, 0.3, 1)


def test_the_same_values_give_the_same_interval() -> None:
    rng = random.Random(5)
    values = [rng.random() for _ in range(20)]
    assert mean_interval(values) == mean_interval(tuple(values))
    assert mean_interval(values, seed=1) != mean_interval(values, seed=2)


def test_many_questions_take_neither_long_nor_much_memory() -> None:
    start = time.perf_counter()
    found = mean_interval([i % 2 for i in range(20_000)], resamples=500)
    assert found is not None and found.low < 0.5 < found.high
    assert time.perf_counter() - start < 10


def test_exact_p_equals_scipys(seeds) -> None:
    for seed in seeds(100):
        rng = random.Random(seed)
        n = rng.randint(2, 9)
        a, b = random_values(rng, n), random_values(rng, n)
        found = compare(a, b)
        expected = stats.permutation_test(
            (np.array(b), np.array(a)),
            lambda x, y, axis: np.mean(x - y, axis=axis),
            permutation_type="samples",
            n_resamples=np.inf,
            vectorized=True,
        ).pvalue
        assert found is not None and found.p == pytest.approx(expected), seed


def test_sums_that_differ_in_their_last_bits_only_are_ties(seeds) -> None:
    for seed in seeds(200):
        rng = random.Random(seed)
        tenths = [rng.randint(-4, 4) for _ in range(rng.randint(2, 12))]
        whole, scaled = (compare([0.0] * len(tenths), [t / by for t in tenths]) for by in (1, 10))
        assert whole is not None and scaled is not None and whole.p == scaled.p, seed


def test_drawn_p_is_near_scipys_exact_one(seeds) -> None:
    for seed in seeds(40):
        rng = random.Random(seed)
        a = [rng.gauss(0, 1) for _ in range(14)]  # 14 differences: drawn here, and still all patterns for scipy
        b = [x + rng.gauss(0.3, 1) for x in a]
        found = compare(a, b, seed=seed)
        exact = stats.permutation_test(
            (np.array(b) - np.array(a),),
            lambda x, axis: np.mean(x, axis=axis),
            permutation_type="samples",
            n_resamples=np.inf,
            vectorized=True,
        ).pvalue
        # five standard errors of 10,000 draws
        assert found is not None and abs(found.p - exact) <= 5 * (exact * (1 - exact) / 10_000) ** 0.5 + 1e-3, seed


def test_by_hand() -> None:
    found = compare([0, 0, 1, 1, 0, 0], [1, 1, 0, 1, 1, 1])
    assert found is not None
    # four gained, one lost: of 32 sign patterns |sum| ≥ 3 in 12 (all one sign: 2, one against four: 10)
    assert found.p == 12 / 32
    assert (found.gained, found.lost) == ((0, 1, 4, 5), (2,))
    assert found.difference.mean == 0.5 and found.noise


def test_a_clear_difference_is_no_noise() -> None:
    a, b = [0.0] * 30, [1.0] * 12 + [0.0] * 18
    found = compare(a, b)
    assert found is not None and not found.noise
    assert found.p == 2 / 2**12 and found.difference.low > 0


def test_three_equal_gains_are_noise_though_their_interval_is_a_point() -> None:
    found = compare([0, 0, 0], [1, 1, 1])
    assert found is not None and (found.difference.low, found.difference.high) == (1, 1)
    assert found.p == 0.25 and found.noise


def test_the_same_setting_twice_is_noise(seeds) -> None:
    for seed in seeds(20):
        a = random_values(random.Random(seed), 25)
        found = compare(a, a)
        assert found is not None and found.p == 1 and found.noise and not found.gained and not found.lost
        assert (found.difference.mean, found.difference.low, found.difference.high) == (0, 0, 0)


def test_swapping_the_settings_mirrors_the_result(seeds) -> None:
    for seed in seeds(50):
        rng = random.Random(seed)
        n = rng.randint(1, 40)
        a, b = random_values(rng, n), random_values(rng, n)
        there, back = compare(a, b), compare(b, a)
        assert there is not None and back is not None
        assert there.p == back.p and there.noise == back.noise, seed
        assert (there.gained, there.lost) == (back.lost, back.gained)
        assert (there.difference.low, there.difference.high) == pytest.approx(
            (-back.difference.high, -back.difference.low)
        )


def test_chance_alone_is_called_noise_nineteen_times_of_twenty() -> None:
    rng = random.Random(11)
    believed = 0
    for _ in range(200):
        a, b = ([float(rng.random() < 0.6) for _ in range(60)] for _ in range(2))
        found = compare(a, b)
        assert found is not None
        believed += not found.noise
    assert believed <= 20  # 10 expected, three standard deviations above


def test_a_broken_call_is_told() -> None:
    with pytest.raises(ValueError, match="not the same questions"):
        compare([1], [1, 2])
    for bad in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="finite"):
            mean_interval([0.5, bad])


def test_a_share_has_scipys_wilson_interval() -> None:
    for whole in (1, 2, 7, 40, 392):
        for part in {0, 1, whole // 3, whole - 1, whole}:
            found = share_interval(part, whole)
            oracle = stats.binomtest(part, whole).proportion_ci(0.95, method="wilson")
            assert found is not None and found.mean == part / whole
            assert (found.low, found.high) == pytest.approx((oracle.low, oracle.high), abs=1e-12)
    assert share_interval(0, 0) is None
    for part, whole in ((2, 1), (-1, 3)):
        with pytest.raises(ValueError, match=f"{part} of {whole}"):
            share_interval(part, whole)
