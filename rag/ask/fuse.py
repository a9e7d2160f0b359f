"""Several ranked lists → one: reciprocal rank fusion, or a weighted sum of min-max normalised scores."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

from rag.corpus.ranking import Hit


def reciprocal_rank_fusion(
    runs: Sequence[Sequence[Hit]], c: int = 60, twice: Sequence[Collection[int]] = ()
) -> list[Hit]:
    """RRF(d) = Σ 1 / (c + rank of d), over the runs that returned d (Cormack, Clarke and Büttcher, 2009).

    Sorted by ``(-score, position)``. `c` damps the first ranks' lead; it has nothing to do with k. `twice`: for each run
    the positions whose rank in it counts a second time, because the other runs cannot judge them.

    >>> fused = reciprocal_rank_fusion([[Hit(0, 0.9), Hit(1, 0.8)], [Hit(1, 7.0)]], c=60)
    >>> [(h.position, round(h.score, 6)) for h in fused] == [(1, round(1/62 + 1/61, 6)), (0, round(1/61, 6))]
    True
    """
    parts: dict[int, list[float]] = {}
    for number, run in enumerate(runs):
        for rank, hit in enumerate(run, 1):
            times = 2 if number < len(twice) and hit.position in twice[number] else 1
            parts.setdefault(hit.position, []).extend([1.0 / (c + rank)] * times)
    # fsum: equal ranks give equal sums, in whatever order the runs come, so that position decides ties
    return _sorted({position: math.fsum(p) for position, p in parts.items()})


def weighted_sum(dense: Sequence[Hit], lexical: Sequence[Hit], alpha: float) -> list[Hit]:
    """alpha · dense + (1 − alpha) · lexical, each run scaled to 0…1 by its own least and greatest score.

    A document that one run did not return gets 0 from it; a run whose scores are all equal gives 1 to each.

    >>> [(h.position, h.score) for h in weighted_sum([Hit(0, 0.9), Hit(1, 0.7)], [Hit(1, 5.0)], alpha=0.5)]
    [(0, 0.5), (1, 0.5)]
    """
    scores: dict[int, float] = {}
    for run, weight in ((dense, alpha), (lexical, 1 - alpha)):
        for position, scaled in _min_max(run).items():
            scores[position] = scores.get(position, 0.0) + weight * scaled
    return _sorted(scores)


def _min_max(run: Sequence[Hit]) -> Mapping[int, float]:
    if not run:
        return {}
    low, high = min(h.score for h in run), max(h.score for h in run)
    return {h.position: (h.score - low) / (high - low) if high > low else 1.0 for h in run}


def _sorted(scores: Mapping[int, float]) -> list[Hit]:
    return sorted((Hit(p, s) for p, s in scores.items()), key=lambda h: (-h.score, h.position))
