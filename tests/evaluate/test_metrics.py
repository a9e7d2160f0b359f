import math
import random
import warnings

import pytest

from rag.evaluate.metrics import Scores, score


def by_ir_measures(ranking: list[str], grades: dict[str, int], k: int) -> Scores:
    """The same by trec_eval itself, through ir-measures."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it imports with deprecated means
        import ir_measures
    from ir_measures import RR, P, R, Success, nDCG

    measures = (R @ k, P @ k, Success @ k, RR @ k, nDCG @ k)
    run = {"q": {id_: float(len(ranking) - i) for i, id_ in enumerate(ranking)}}
    found = ir_measures.calc_aggregate(measures, {"q": grades}, run)
    return Scores(*(found[m] for m in measures))


def random_case(rng: random.Random) -> tuple[list[str], dict[str, int], int]:
    """A ranking of 0…n ids, graded ids that may be missing from it, unjudged ids in it, k below and above its length."""
    ids = [f"d{i}" for i in range(rng.choice((1, 2, 5, 12, 40)))]
    ranking = rng.sample(ids, rng.randint(0, len(ids)))
    judged = rng.sample(ids, rng.randint(1, len(ids)))
    grades = {id_: rng.choice((0, 0, 1, 1, 2, 3)) for id_ in judged}
    return ranking, grades, rng.choice((1, 2, 3, 5, 10, len(ids), len(ids) + 7))


def test_the_worked_example() -> None:
    found = score(["a", "b"], {"a": 1}, k=2)
    assert (found.recall, found.precision) == (1.0, 0.5)
    assert (found.hit, found.reciprocal_rank, found.ndcg) == (1.0, 1.0, 1.0)


def test_graded_by_hand() -> None:
    # gains 0, 3, 0, 1 against the best order 3, 2, 1
    found = score(["x", "a", "y", "c", "b"], {"a": 3, "b": 2, "c": 1}, k=4)
    dcg = 3 / math.log2(3) + 1 / math.log2(5)
    ideal = 3 + 2 / math.log2(3) + 1 / 2
    assert found == Scores(2 / 3, 2 / 4, 1.0, 1 / 2, pytest.approx(dcg / ideal))


def test_fewer_returned_than_k_still_divides_by_k() -> None:
    assert score(["a"], {"a": 1, "b": 1}, k=10) == Scores(0.5, 0.1, 1.0, 1.0, pytest.approx(1 / (1 + 1 / math.log2(3))))


def test_behind_the_cut_off_counts_for_nothing() -> None:
    assert score(["x", "y", "a"], {"a": 1}, k=2) == Scores(0.0, 0.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize("ranking", [[], ["a"], ["x", "a"]])
@pytest.mark.parametrize("grades", [{}, {"a": 0}, {"a": -1}])
def test_nothing_relevant_is_zero(ranking: list[str], grades: dict[str, int]) -> None:
    assert score(ranking, grades, 3) == Scores(0.0, 0.0, 0.0, 0.0, 0.0)


def test_equals_trec_eval(seeds) -> None:
    for seed in seeds(1000):
        ranking, grades, k = random_case(random.Random(seed))
        found = score(ranking, grades, k)
        expected = by_ir_measures(ranking, grades, k)
        for name in Scores.__slots__:
            assert getattr(found, name) == pytest.approx(getattr(expected, name), abs=1e-9), (seed, name)


def test_what_stands_behind_k_changes_nothing(seeds) -> None:
    for seed in seeds(300):
        rng = random.Random(seed)
        ranking, grades, k = random_case(rng)
        tail = ranking[k:]
        rng.shuffle(tail)
        assert score(ranking, grades, k) == score(ranking[:k] + tail, grades, k), seed


def test_the_best_order_has_ndcg_one(seeds) -> None:
    for seed in seeds(300):
        _, grades, k = random_case(random.Random(seed))
        best = sorted(grades, key=lambda id_: -grades[id_])
        assert score(best, grades, k).ndcg == pytest.approx(float(any(g > 0 for g in grades.values()))), seed


def test_a_broken_call_is_told() -> None:
    with pytest.raises(ValueError, match="k is 0"):
        score(["a"], {"a": 1}, 0)
    with pytest.raises(ValueError, match="twice"):
        score(["a", "a"], {"a": 1}, 2)
