"""What a threshold on the cosine would do: relevant and irrelevant scores, evidence kept and questions refused at each point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from rag.ask.choose import eligible
from rag.evaluate.labels import spans_of
from rag.evaluate.plots import ThresholdPoint
from rag.evaluate.run import Outcome

_POINTS = 61
# Evidence that is not there makes an answer wrong; a question that should have been refused may still be.
KEEP = 0.95


@dataclass(frozen=True, slots=True)
class Cosines:
    """The cosines of all candidates of labelled questions: of those that carry a label, and of the others."""

    relevant: tuple[float, ...]
    irrelevant: tuple[float, ...]


def cosines(outcomes: Sequence[Outcome]) -> Cosines:
    """Gather them; a candidate of a search without vectors has none."""
    relevant: list[float] = []
    irrelevant: list[float] = []
    for outcome in outcomes:
        if not outcome.relevant.needs:
            continue
        for candidate in outcome.retrieval.candidates:
            if candidate.cosine is not None:
                carries = bool(outcome.relevant.met(spans_of([candidate.chunk])))
                (relevant if carries else irrelevant).append(candidate.cosine)
    return Cosines(tuple(relevant), tuple(irrelevant))


def at(outcomes: Sequence[Outcome], threshold: float) -> ThresholdPoint:
    """The shares at one threshold: the line's own selection over the same candidates, the token budget left aside.

    A question is refused when no candidate reaches the threshold: then there is nothing to answer from.
    """
    kept: list[bool] = []
    refused: dict[str, list[bool]] = {"answer": [], "refusal": [], "unknown": []}
    for outcome in outcomes:
        settings = replace(outcome.settings.search, threshold=threshold)
        chosen = [c.chunk for c in eligible(outcome.retrieval.candidates, settings)[: settings.packed]]
        refused[outcome.question.expects].append(not chosen)
        if outcome.relevant.needs:
            kept.append(bool(outcome.relevant.evidence(spans_of(chosen))))
    return ThresholdPoint(threshold, _share(kept), _share(refused["answer"]), _share(refused["refusal"]))


def curve(outcomes: Sequence[Outcome]) -> tuple[ThresholdPoint, ...]:
    """Points from the least to the greatest cosine of any candidate, evenly; none without cosines."""
    found = [c.cosine for o in outcomes for c in o.retrieval.candidates if c.cosine is not None]
    if not found:
        return ()
    edges = np.linspace(min(found), max(found), _POINTS)
    return tuple(at(outcomes, round(float(edge), 3)) for edge in edges)


def suggested(points: Sequence[ThresholdPoint]) -> float | None:
    """The threshold that refuses most questions without an answer, still keeps `KEEP` of the evidence and
    refuses at most ``1 - KEEP`` of the questions with one; the lowest of equals.

    None when none of these refuses more than the lowest threshold does, and where no evidence is labelled: leave it off.
    """
    lowest = min(points, key=lambda p: p.threshold, default=None)
    if lowest is None or not lowest.evidence:
        return None
    most = lowest.refused_answerable + 1 - KEEP
    bearable = [p for p in points if p.evidence >= KEEP * lowest.evidence and p.refused_answerable <= most]
    best = max(bearable, key=lambda p: (p.refused_unanswerable, -p.threshold))
    return best.threshold if best.refused_unanswerable > lowest.refused_unanswerable else None


def _share(flags: Sequence[bool]) -> float:
    return sum(flags) / len(flags) if flags else 0.0
