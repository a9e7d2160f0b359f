"""Chunks that say nearly the same: a boilerplate paragraph in every policy, a clause of two versions."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rag.types import Chunk

THRESHOLD = 0.85
"""Chunks are near-identical from this Jaccard similarity of their shingles on (1: the same characters in a row)."""
SHINGLE = 3
MOST_CHARACTERS = 2_000_000
"""Of chunks that have more together, none is looked for: the answer would take some seconds, and a hundred megabytes."""
# Rows of one form share most of what they hold. Only so many chunks are kept per shingle, and compared with each: the
# work stays linear, whatever a file is made of.
_MOST_LISTED = 32
_MOST_COMPARED = 16
_CHARACTER_BITS = 21  # a code point, plus one: three of them fit 64 bits, so that different shingles differ

Numbers = NDArray[np.int32]


def near_duplicates(chunks: Sequence[Chunk], threshold: float = THRESHOLD) -> tuple[int | None, ...] | None:
    """For each chunk, the position of an earlier one that it nearly repeats; None when there is none.

    Compared are the texts without blanks and letter case, as sets of `SHINGLE` neighbouring characters. Exact, and the
    first such chunk, as long as no more than 16 are candidates: those that share one of its rarest shingles.
    None altogether: not looked for, for there are more than `MOST_CHARACTERS`.

    >>> text = "员工应当妥善保管工牌，离职时交还。"
    >>> a, b, c = (Chunk("", "", 0, 0, t, "", 0, None, ()) for t in (text, "总则", text + " "))
    >>> near_duplicates([a, b, c])
    (None, None, 0)
    """
    if sum(len(chunk.text) for chunk in chunks) > MOST_CHARACTERS:
        return None
    texts = ["".join(chunk.text.split()).casefold() for chunk in chunks]
    first_of: dict[str, int] = {}
    for i, text in enumerate(texts):
        first_of.setdefault(text, i)
    sets, lone = _numbered(list(first_of))
    listed: defaultdict[int, list[int]] = defaultdict(list)
    positions = list(first_of.values())
    twins: dict[int, int | None] = {}
    for n, i in enumerate(positions):
        twin = _twin(n, sets, lone, listed, threshold)
        twins[i] = None if twin is None else positions[twin]
    result: list[int | None] = []
    for i, text in enumerate(texts):
        first = first_of[text]
        result.append(first if first < i and twins[first] is None else twins[first])
    return tuple(result)


def _shingles(text: str) -> NDArray[np.uint64]:
    """Its stretches of `SHINGLE` characters, each once, as numbers; a shorter text is one."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint64) + np.uint64(1)
    n = max(1, len(codes) - SHINGLE + 1)
    packed = np.zeros(n, dtype=np.uint64)
    for k in range(min(SHINGLE, len(codes))):
        packed = packed << np.uint64(_CHARACTER_BITS) | codes[k : k + n]
    return np.unique(packed)


def _numbered(texts: Sequence[str]) -> tuple[list[Numbers], int]:
    """The shingles of each text as ascending numbers, the rarest first; those below the second result are of one text only."""
    found = [_shingles(text) for text in texts]
    codes, spread = np.unique(np.concatenate([*found, _shingles("")]), return_counts=True)
    number = np.empty(len(codes), dtype=np.int32)
    number[np.argsort(spread, kind="stable")] = np.arange(len(codes), dtype=np.int32)
    return [np.sort(number[np.searchsorted(codes, each)]) for each in found], int(np.count_nonzero(spread == 1))


def _twin(
    i: int, sets: Sequence[Numbers], lone: int, listed: defaultdict[int, list[int]], threshold: float
) -> int | None:
    """The first listed set as near to set `i` as `threshold`; set `i` is listed then.

    Two sets as near as that share one of their rarest ``n − ⌈threshold · n⌉ + 1`` shingles, in one order for all.
    """
    mine = sets[i]
    rarest = mine[: len(mine) - math.ceil(threshold * len(mine) - 1e-9) + 1]
    shareable = rarest[rarest >= lone].tolist()
    shared = Counter(j for shingle in shareable for j in listed[shingle])
    near = [j for j, _ in shared.most_common(_MOST_COMPARED) if _similarity(mine, sets[j]) >= threshold]
    for shingle in shareable:
        if len(listed[shingle]) < _MOST_LISTED:
            listed[shingle].append(i)
    return min(near, default=None)


def _similarity(a: Numbers, b: Numbers) -> float:
    """Jaccard: how much of two sets, which are not empty, is in both (0…1)."""
    both = len(np.intersect1d(a, b, assume_unique=True))
    return both / (len(a) + len(b) - both)
