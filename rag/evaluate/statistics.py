"""How sure a mean is, and whether two settings differ by more than chance."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

_EXACT: Final = 12
"""Up to so many differences every pattern of signs is tried (4096 of them)."""
_DRAWS: Final = 10_000
_LEVEL: Final = 0.95
_Z: Final = 1.959963984540054
"""The normal distribution's quantile for that level."""
_CELLS: Final = 2_000_000
"""Random numbers held at a time (16 MB), however many questions there are."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean over `n` questions (n ≥ 1) and its confidence interval ``[low, high]``."""

    mean: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True)
class Paired:
    """Setting b against setting a on the same questions."""

    difference: Interval
    """Of b − a, question by question: above 0, b is better."""
    p: float
    """How often chance alone, swapping a and b at random within each question, gives a mean difference as large (0…1)."""
    noise: bool
    """True unless the interval leaves 0 out and p is at most 0.05: do not believe the difference."""
    gained: tuple[int, ...]
    """Positions of the questions where b is better, ascending."""
    lost: tuple[int, ...]
    """Positions of the questions where b is worse, ascending."""


def mean_interval(
    values: Sequence[float], seed: int = 0, resamples: int = 2000, level: float = _LEVEL
) -> Interval | None:
    """Mean of `values` (one finite number a question) with its percentile bootstrap interval; None without values.

    The questions are drawn anew, with replacement, `resamples` times (Efron and Tibshirani, 1993, chapter 13); the
    interval holds the middle `level` of the means. The same values and seed give the same interval. It is too narrow
    for a handful of questions; for one it is that value. ValueError for a value that is not finite.

    >>> mean_interval([1.0, 1.0, 1.0, 1.0])
    Interval(mean=1.0, low=1.0, high=1.0, n=4)
    """
    data = _finite(values)
    n = len(data)
    if n == 0:
        return None
    rng = np.random.default_rng(seed)
    means = np.concatenate([data[rng.integers(0, n, (rows, n))].mean(axis=-1) for rows in _blocks(resamples, n)])
    low, high = np.quantile(means, ((1 - level) / 2, (1 + level) / 2))
    return Interval(float(data.mean()), float(low), float(high), n)


def share_interval(part: int, whole: int) -> Interval | None:
    """The share `part` / `whole` (0 ≤ part ≤ whole) with Wilson's score interval of 95 % (Wilson, 1927); None of nothing.

    Unlike a bootstrap it leaves room beside 0 and 1, where every case came out the same.

    >>> found = share_interval(12, 12); round(found.low, 3), found.high
    (0.758, 1.0)
    """
    if not 0 <= part <= whole:
        raise ValueError(f"{part} of {whole}")
    if whole == 0:
        return None
    p, z2 = part / whole, _Z * _Z
    middle = (p + z2 / (2 * whole)) / (1 + z2 / whole)
    half = _Z / (1 + z2 / whole) * math.sqrt(p * (1 - p) / whole + z2 / (4 * whole * whole))
    low, high = (0.0 if part == 0 else middle - half), (1.0 if part == whole else middle + half)
    return Interval(p, low, high, whole)


def compare(a: Sequence[float], b: Sequence[float], seed: int = 0) -> Paired | None:
    """Compare two settings by their values on the same questions, paired by position; None without questions.

    Interval: see `mean_interval`, of the differences b − a. p: sign-flip permutation test of the mean difference,
    two-sided (Fisher's; Smucker, Allan and Carterette, 2007), over all patterns of signs when at most 12 questions
    differ, else over 10,000 seeded draws, the observed one counted among them. Both must speak against chance before
    `noise` is False: the interval alone would trust three equal gains, ``[1, 1]``. ValueError for unequal lengths
    or a value that is not finite.

    >>> found = compare([0.0, 0.0, 0.0, 1.0], [1.0, 1.0, 1.0, 1.0])
    >>> found.difference.mean, found.p, found.noise, found.gained, found.lost
    (0.75, 0.25, True, (0, 1, 2), ())
    """
    if len(a) != len(b):
        raise ValueError(f"{len(a)} values against {len(b)}: not the same questions")
    difference = _finite(b) - _finite(a)
    interval = mean_interval(difference.tolist(), seed)
    if interval is None:
        return None
    p = _sign_flip(difference, seed)
    return Paired(
        difference=interval,
        p=p,
        noise=interval.low <= 0 <= interval.high or p > 1 - _LEVEL,
        gained=tuple(np.flatnonzero(difference > 0).tolist()),
        lost=tuple(np.flatnonzero(difference < 0).tolist()),
    )


def _sign_flip(difference: NDArray[np.float64], seed: int) -> float:
    """The share of sign patterns whose sum lies as far from 0 as the observed one."""
    sizes = np.abs(difference[difference != 0])
    m = len(sizes)
    if m == 0:
        return 1.0
    # sums of the same numbers in another order differ in the last bits; those are ties
    bar = abs(float(difference.sum())) - 1e-9 * float(sizes.sum())
    if m <= _EXACT:
        signs = 1.0 - 2.0 * (np.arange(2**m)[:, None] >> np.arange(m) & 1)
        return float(np.mean(np.abs(signs @ sizes) >= bar))
    rng = np.random.default_rng(seed)
    reached = 0
    for rows in _blocks(_DRAWS, m):
        signs = 1.0 - 2.0 * rng.integers(0, 2, (rows, m))
        reached += int(np.count_nonzero(np.abs(signs @ sizes) >= bar))
    return (reached + 1) / (_DRAWS + 1)


def _blocks(rows: int, columns: int) -> Iterator[int]:
    """`rows` in blocks of at most `_CELLS` numbers, so that memory does not grow with the number of questions."""
    step = max(1, _CELLS // columns)
    for start in range(0, rows, step):
        yield min(step, rows - start)


def _finite(values: Sequence[float]) -> NDArray[np.float64]:
    data = np.asarray(values, dtype=np.float64)
    if not np.isfinite(data).all():
        raise ValueError("a value is not a finite number")
    return data
