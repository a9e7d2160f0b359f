"""Chunks that say nearly the same: a boilerplate paragraph in every policy, a clause of two versions."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set

from rag.types import Chunk

THRESHOLD = 0.85
"""Chunks are near-identical from this Jaccard similarity of their shingles on (1: the same characters in a row)."""
SHINGLE = 3
# Rows of one form share most of what they hold. Only so many chunks are kept per shingle, and compared with each: the
# work stays linear, whatever a file is made of.
_MOST_LISTED = 32
_MOST_COMPARED = 16


def near_duplicates(chunks: Sequence[Chunk], threshold: float = THRESHOLD) -> tuple[int | None, ...]:
    """For each chunk, the position of an earlier one that it nearly repeats; None when there is none.

    Compared are the texts without blanks and letter case, as sets of `SHINGLE` neighbouring characters. Exact, and the
    first such chunk, as long as no more than 16 are candidates: those that share one of its rarest shingles.

    >>> text = "员工应当妥善保管工牌，离职时交还。"
    >>> a, b, c = (Chunk("", "", 0, 0, t, "", 0, None, ()) for t in (text, "总则", text + " "))
    >>> near_duplicates([a, b, c])
    (None, None, 0)
    """
    texts = ["".join(chunk.text.split()).casefold() for chunk in chunks]
    first_of: dict[str, int] = {}
    for i, text in enumerate(texts):
        first_of.setdefault(text, i)
    sets = _numbered({i: shingles(texts[i]) for i in first_of.values()})
    listed: defaultdict[int, list[int]] = defaultdict(list)
    twins = {i: _twin(i, sets, listed, threshold) for i in sets}
    result: list[int | None] = []
    for i, text in enumerate(texts):
        first = first_of[text]
        result.append(first if first < i and twins[first] is None else twins[first])
    return tuple(result)


def shingles(text: str) -> frozenset[str]:
    """Its stretches of `SHINGLE` characters; a shorter text is one."""
    return frozenset(text[i : i + SHINGLE] for i in range(max(1, len(text) - SHINGLE + 1)))


def _numbered(sets: Mapping[int, frozenset[str]]) -> dict[int, frozenset[int]]:
    """The same sets with a number for each shingle, the rarest first."""
    spread = Counter(shingle for found in sets.values() for shingle in found)
    number = {shingle: n for n, shingle in enumerate(sorted(spread, key=lambda s: (spread[s], s)))}
    return {i: frozenset(map(number.__getitem__, found)) for i, found in sets.items()}


def _twin(
    i: int, sets: Mapping[int, frozenset[int]], listed: defaultdict[int, list[int]], threshold: float
) -> int | None:
    """The first listed chunk as near to chunk `i` as `threshold`; chunk `i` is listed then.

    Two sets as near as that share one of their rarest ``n − ⌈threshold · n⌉ + 1`` shingles, in one order for all.
    """
    mine = sets[i]
    rarest = sorted(mine)[: len(mine) - math.ceil(threshold * len(mine) - 1e-9) + 1]
    shared = Counter(j for shingle in rarest for j in listed[shingle])
    near = [j for j, _ in shared.most_common(_MOST_COMPARED) if similarity(mine, sets[j]) >= threshold]
    for shingle in rarest:
        if len(listed[shingle]) < _MOST_LISTED:
            listed[shingle].append(i)
    return min(near, default=None)


def similarity(a: Set[object], b: Set[object]) -> float:
    """Jaccard: how much of two sets, which are not empty, is in both (0…1)."""
    both = len(a & b)
    return both / (len(a) + len(b) - both)
