"""The map against NumPy's own singular value decomposition and against counting by hand."""

import numpy as np
import pytest

from rag.corpus.map import kept_neighbours, plane


def cloud(seed: int, n: int, d: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((n, d)) * rng.uniform(0.1, 2, d) + rng.standard_normal(d)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def test_the_plane_is_that_of_the_singular_value_decomposition(seeds) -> None:
    for seed in seeds(60):
        n, d = 3 + seed % 40, 2 + seed % 17
        vectors = cloud(seed, n, d)
        flat = plane(vectors)
        assert flat is not None
        centred = vectors.astype(np.float64) - vectors.mean(axis=0, dtype=np.float64)
        left, values, _ = np.linalg.svd(centred, full_matrices=False)
        shares = values**2 / (values**2).sum()
        assert flat.explained == pytest.approx(tuple(shares[:2]), abs=1e-4), seed
        assert flat.axes @ flat.axes.T == pytest.approx(np.eye(2), abs=1e-6)
        assert 0 <= flat.explained[1] <= flat.explained[0] + 1e-9 and sum(flat.explained) <= 1 + 1e-6
        places = flat.places(vectors)
        if shares[0] - shares[1] > 0.05 and (d == 2 or shares[1] - shares[2] > 0.05):  # else directions are anybody's
            wanted = left[:, :2] * values[:2]
            wanted *= np.sign((wanted * places).sum(axis=0))
            assert places == pytest.approx(wanted, abs=1e-3), seed
        assert places.var(axis=0).sum() == pytest.approx(sum(flat.explained) * centred.var(axis=0).sum(), rel=1e-3)


def test_the_same_vectors_give_the_same_map_and_few_give_none() -> None:
    vectors = cloud(1, 30, 8)
    one, two = plane(vectors), plane(vectors.copy())
    assert one is not None and two is not None and (one.axes == two.axes).all()
    assert (np.take_along_axis(one.axes, np.abs(one.axes).argmax(axis=1)[:, None], axis=1) > 0).all()
    assert plane(vectors[:2]) is None and plane(vectors[:0]) is None and plane(vectors[:, :1]) is None
    same = plane(np.repeat(vectors[:1], 5, axis=0))  # no variance at all
    assert same is not None and same.explained == pytest.approx((0, 0), abs=1e-6)


def test_kept_neighbours_are_counted(seeds) -> None:
    for seed in seeds(40):
        vectors, query = cloud(seed, 25, 6), cloud(seed + 999, 1, 6)[0]
        flat = plane(vectors)
        assert flat is not None
        k = 1 + seed % 30
        by_cosine = sorted(range(25), key=lambda i: (-float(vectors[i] @ query), i))[:k]
        away = np.hypot(*(flat.places(vectors) - flat.places(query[None])).T)
        by_map = sorted(range(25), key=lambda i: (away[i], i))[:k]
        assert kept_neighbours(flat, vectors, query, k) == len(set(by_cosine) & set(by_map))
    flat = plane(cloud(3, 25, 2))  # nothing is lost in two dimensions, where all lie on the circle
    assert flat is not None and sum(flat.explained) == pytest.approx(1)
    assert kept_neighbours(flat, cloud(3, 25, 2), cloud(5, 1, 2)[0], 25) == 25
