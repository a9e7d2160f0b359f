"""How good one ranking is, by the definitions of trec_eval."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scores:
    """The measures of one ranking at one cut-off k; each 0…1."""

    recall: float
    """Share of all that is relevant that stands among the first k."""
    precision: float
    """Relevant among the first k, divided by k."""
    hit: float
    """1 when something relevant stands among the first k, else 0."""
    reciprocal_rank: float
    """1 / rank of the first relevant one among the first k, else 0; its mean over questions is MRR@k."""
    ndcg: float
    """Discounted gain of the first k, divided by that of the best order possible."""


def score(ranking: Sequence[str], grades: Mapping[str, int], k: int) -> Scores:
    """The measures at `k` (≥ 1) of `ranking`: ids, best first, none twice.

    `grades`: id → how relevant; grades > 0 are relevant, an id without a grade is not. Precision divides by k even
    when fewer were returned, and nDCG takes the grade itself as gain, discounted by log2(1 + rank): both as trec_eval
    and ir-measures do by default (Järvelin and Kekäläinen, 2002, with linear gain). With nothing relevant all
    measures are 0; whoever averages decides whether such a question counts. ValueError for k < 1 or an id twice.

    One relevant of one, two returned:

    >>> score(["a", "b"], {"b": 1}, k=2)
    Scores(recall=1.0, precision=0.5, hit=1.0, reciprocal_rank=0.5, ndcg=0.6309297535714575)
    """
    if k < 1:
        raise ValueError(f"k is {k}, not 1 or more")
    if len(set(ranking)) < len(ranking):
        raise ValueError("an id stands twice in the ranking")
    relevant = {id_: grade for id_, grade in grades.items() if grade > 0}
    gains = [relevant.get(id_, 0) for id_ in ranking[:k]]
    ranks = [rank for rank, gain in enumerate(gains, 1) if gain]
    if not ranks:
        return Scores(0.0, 0.0, 0.0, 0.0, 0.0)
    best = sorted(relevant.values(), reverse=True)[:k]
    return Scores(
        recall=len(ranks) / len(relevant),
        precision=len(ranks) / k,
        hit=1.0,
        reciprocal_rank=1 / ranks[0],
        ndcg=_discounted(gains) / _discounted(best),
    )


def _discounted(gains: Iterable[int]) -> float:
    """DCG = Σ gain / log2(1 + rank)."""
    return math.fsum(gain / math.log2(1 + rank) for rank, gain in enumerate(gains, 1))
