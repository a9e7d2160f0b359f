"""Many vectors → a plane to look at: principal component analysis, and how much of the truth it keeps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Plane:
    """The plane through the mean of the vectors along the two directions in which they differ most.

    `centre`: ``(d,)``; `axes`: ``(2, d)``, orthonormal; `explained`: the share (0…1) of the vectors' variance along each.
    """

    centre: NDArray[np.float64]
    axes: NDArray[np.float64]
    explained: tuple[float, float]

    def places(self, vectors: Vectors) -> NDArray[np.float64]:
        """Where ``(n, d)`` vectors fall on the plane: ``(n, 2)``, in the units of the vectors."""
        return np.asarray((vectors - self.centre) @ self.axes.T, dtype=np.float64)


def plane(vectors: Vectors) -> Plane | None:
    """The principal components of ``(n, d)`` vectors (Pearson, 1901); None for less than three, or of less than two dimensions.

    They are the first right singular vectors of the centred matrix, taken from the eigenvectors of its ``(d, d)``
    scatter matrix, which is the same and small however many vectors there are. Each direction points to where its
    greatest component is positive, so that the same vectors always give the same map.

    >>> flat = plane(np.array([[0, 0, 0], [4, 0, 0], [0, 2, 0], [4, 2, 0]], dtype=np.float32))
    >>> flat.explained, np.abs(flat.axes).round(6).tolist()
    ((0.8, 0.2), [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    """
    n, d = vectors.shape
    if n < 3 or d < 2:
        return None
    centre = vectors.mean(axis=0, dtype=np.float64)
    centred = vectors - centre.astype(np.float32)
    values, directions = np.linalg.eigh((centred.T @ centred).astype(np.float64))  # ascending
    axes = directions[:, [-1, -2]].T
    signs = np.sign(axes[np.arange(2), np.abs(axes).argmax(axis=1)])
    whole = float(np.clip(values, 0, None).sum())
    first, second = (max(float(values[i]), 0.0) / whole if whole > 0 else 0.0 for i in (-1, -2))
    return Plane(centre, axes * signs[:, None], (first, second))


def kept_neighbours(flat: Plane, vectors: Vectors, query: NDArray[np.float32], k: int) -> int:
    """Of the `k` vectors (rows of length 1) nearest to `query` by cosine, how many are among the `k` nearest on the plane.

    ``k > n`` counts them all. Of equally near ones the earlier rows come first.
    """
    truly = np.argsort(-(vectors @ query), kind="stable")[:k]
    distances = np.linalg.norm(flat.places(vectors) - flat.places(query[None]), axis=1)
    return len(set(truly.tolist()) & set(np.argsort(distances, kind="stable")[:k].tolist()))
