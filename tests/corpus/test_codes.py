import random

import numpy as np
import pytest

from rag.corpus.codes import BLOCK, Codes, blocks_of, encode
from rag.corpus.dense import DenseIndex


def coded(vectors) -> DenseIndex:
    return DenseIndex(vectors, encode(blocks_of(vectors), *vectors.shape))


def unit(rows):
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)


def hostile_rows(rng, plain: random.Random, n: int, d: int):
    """Unit rows that are hard to tell apart: copies, copies moved by less than a code can say, one number that dwarfs the rest, zeros."""
    rows = rng.standard_normal((n, d)) + plain.choice((0.0, 3.0)) * np.ones(d)
    if n > 3 and plain.random() < 0.7:
        rows[n // 2 :] = rows[: n - n // 2]
        rows[n // 3 :: 3] += plain.choice((0.0, 1e-7, 1e-4, 1e-2)) * rng.standard_normal(rows[n // 3 :: 3].shape)
    if plain.random() < 0.3:
        rows[:, 0] *= 1e4
    rows[rng.random(n) < plain.choice((0.0, 0.1))] = 0
    return unit(rows)


def by_sorting(vectors, query, k: int, allowed=None):
    """Brute force: every row's float32 score, sorted."""
    scores = [float(np.vecdot(row, query)) for row in vectors]
    rows = [(-s, i) for i, s in enumerate(scores) if allowed is None or allowed[i]]
    return [(i, -s) for s, i in sorted(rows)[: max(k, 0)]]


def test_the_same_hits_and_scores_as_by_comparing_every_row(seeds) -> None:
    for seed in seeds(150):
        rng, plain = np.random.default_rng(seed), random.Random(seed)
        n = plain.choice((0, 1, 2, 20, 300, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 1))
        d = plain.choice((1, 2, 7, 16, 96))
        vectors = hostile_rows(rng, plain, n, d)
        index = coded(vectors)
        for _ in range(3):
            query = vectors[plain.randrange(n)] if n and plain.random() < 0.3 else unit(rng.standard_normal((1, d)))[0]
            allowed = plain.choice((None, rng.random(n) < plain.choice((0.0, 0.01, 0.5, 1.0))))
            k = plain.choice((0, 1, 20, 200, n + 5))
            hits = index.search(query, k, allowed)
            assert [(h.position, h.score) for h in hits] == by_sorting(vectors, query, k, allowed), seed


def test_no_score_lies_outside_what_the_codes_allow(seeds) -> None:
    for seed in seeds(150):
        rng, plain = np.random.default_rng(seed), random.Random(seed)
        n, d = plain.choice((1, 50, BLOCK + 3)), plain.choice((1, 3, 64, 384, 1024))
        vectors = hostile_rows(rng, plain, n, d) * np.float32(plain.choice((1.0, 1e-3, 1e-9, 50.0)))
        query = unit(rng.standard_normal((1, d)))[0] * np.float32(plain.choice((1.0, 0.0, 3.0)))
        codes = encode(blocks_of(vectors), n, d)
        low, high = codes.bounds(query)
        exact = vectors.astype(np.float64) @ query.astype(np.float64)
        for scores in (exact, np.vecdot(vectors, query).astype(np.float64)):
            assert (low <= scores).all() and (scores <= high).all(), seed
        assert low.dtype == high.dtype == np.float32


def test_a_worked_example() -> None:
    codes = encode([np.array([[0.6, 0.8], [0.0, 0.0]], dtype=np.float32)], 2, 2)
    assert codes.numbers.tolist() == [[95, 127], [0, 0]]  # 0.6 / (0.8 / 127) = 95.25
    assert codes.scales.tolist() == pytest.approx([0.8 / 127, 1.0])
    # a quarter of a step is lost of the first row
    assert codes.errors[0] == pytest.approx(0.25 * 0.8 / 127, rel=0.01) and codes.errors[1] == 0
    low, high = codes.bounds(np.array([1, 0], dtype=np.float32))
    assert low[0] < 0.6 < high[0] and high[0] - low[0] < 0.0032


def test_few_rows_are_left_to_compare() -> None:
    rng = np.random.default_rng(0)
    vectors, queries = unit(rng.standard_normal((20_000, 64))), unit(rng.standard_normal((10, 64)))
    index = coded(vectors)
    assert all(20 <= index.found(query, 20)[1] < 100 for query in queries)
    assert "20,000" in index.note(57).en and "57" in index.note(57).en and "57" in index.note(57).zh


def test_rows_that_are_all_equal_are_all_compared_and_come_in_order() -> None:
    vectors = np.repeat(unit(np.random.default_rng(1).standard_normal((1, 16))), 3 * BLOCK, axis=0)
    hits, compared = coded(vectors).found(vectors[0], 7)
    assert [h.position for h in hits] == list(range(7)) and compared == 3 * BLOCK


def test_a_file_that_is_mapped_is_searched_as_the_array(tmp_path) -> None:
    vectors = unit(np.random.default_rng(2).standard_normal((BLOCK + 5, 24)))
    np.save(tmp_path / "v.npy", vectors)
    mapped = np.asarray(np.load(tmp_path / "v.npy", mmap_mode="r"))
    index = coded(mapped)
    assert index.vectors is mapped and not mapped.flags.writeable
    for query in vectors[:5]:
        assert index.search(query, 20) == coded(vectors).search(query, 20) == DenseIndex(vectors).search(query, 20)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_refused(bad: float) -> None:
    vectors = unit(np.random.default_rng(3).standard_normal((BLOCK + 5, 8)))
    query = np.array([bad] + [0] * 7, dtype=np.float32)
    for index in (coded(vectors), DenseIndex(vectors)):
        with pytest.raises(ValueError, match="query"):
            index.search(query, 3)
    vectors[BLOCK + 2, 5] = bad
    with pytest.raises(ValueError, match=f"row {BLOCK} on"):
        coded(vectors)


def test_no_rows() -> None:
    codes: Codes = encode([], 0, 8)
    assert codes.contenders(np.ones(8, dtype=np.float32), 5).tolist() == []
    assert codes.contenders(np.ones(8, dtype=np.float32), 5, np.zeros(0, dtype=np.bool_)).tolist() == []
