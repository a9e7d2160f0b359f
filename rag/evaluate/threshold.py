"""What a threshold on the cosine would do: relevant and irrelevant scores, evidence kept and questions refused at each point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from rag.ask.choose import choose
from rag.ask.evidence import evidence
from rag.ask.neighbours import with_neighbours
from rag.ask.prompt import build_prompt
from rag.ask.repeats import Repeats
from rag.ask.rerank import searched_by
from rag.config import Settings
from rag.corpus.index import Corpus
from rag.errors import NothingFits
from rag.evaluate.labels import spans_of
from rag.evaluate.plots import ThresholdPoint
from rag.evaluate.run import Bench, Outcome
from rag.types import Candidate, Evidence, Status

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


def curve(outcomes: Sequence[Outcome], bench: Bench) -> tuple[ThresholdPoint, ...]:
    """Points from the least to the greatest cosine of any candidate, evenly; none without cosines. `bench`: as in `at`."""
    found = [c.cosine for o in outcomes for c in o.retrieval.candidates if c.cosine is not None]
    if not found:
        return ()
    return at(outcomes, bench, *(round(float(edge), 3) for edge in np.linspace(min(found), max(found), _POINTS)))


def at(outcomes: Sequence[Outcome], bench: Bench, *thresholds: float) -> tuple[ThresholdPoint, ...]:
    """The shares at each threshold: all that the line does after it, over the same candidates, the token budget left aside.

    `bench`: where the questions were asked. A question is refused when there is nothing to answer from.
    """
    lines = [_line(outcome, bench) for outcome in outcomes]
    known: dict[str, Evidence] = {}  # most chunks are candidates of many questions, at many thresholds
    return tuple(_point(lines, threshold, known) for threshold in thresholds)


@dataclass(frozen=True, slots=True)
class _Line:
    """A question as it is before the threshold: the candidates in the order of the search and of any rereading."""

    outcome: Outcome
    corpus: Corpus
    searched: str
    found: tuple[Candidate, ...]
    said: Repeats


def _line(outcome: Outcome, bench: Bench) -> _Line:
    corpus, query = bench.asked_as(outcome.question).corpus, outcome.retrieval.query
    searched = "\n".join((*(query.earlier if query else ()), outcome.retrieval.question))
    found = sorted(outcome.retrieval.candidates, key=_place)
    found = [replace(c, rank=rank, status=Status("not_packed")) for rank, c in enumerate(found, 1)]
    return _Line(outcome, corpus, searched, tuple(found), Repeats(searched, [c.chunk for c in found], corpus.documents))


def _place(candidate: Candidate) -> int:
    """The rank before diversity moved it: where it was read again, or was found, if it was not."""
    return candidate.ranks.get("rerank") or candidate.ranks[searched_by(candidate)]


def _point(lines: Sequence[_Line], threshold: float, known: dict[str, Evidence]) -> ThresholdPoint:
    kept: list[bool] = []
    refused: dict[str, list[bool]] = {"answer": [], "refusal": [], "unknown": []}
    for line in lines:
        spans = _packed(line, threshold, known)
        refused[line.outcome.question.expects].append(not spans)
        if line.outcome.relevant.needs:
            kept.append(bool(line.outcome.relevant.evidence(spans)))
    return ThresholdPoint(threshold, _share(kept), _share(refused["answer"]), _share(refused["refusal"]))


def _packed(line: _Line, threshold: float, known: dict[str, Evidence]) -> dict[str, list[tuple[int, int]]]:
    """What would stand in the prompt, by document; nothing when the question would be refused."""
    settings = line.outcome.settings
    settings = replace(settings, search=replace(settings.search, threshold=threshold))
    may = choose(line.searched, line.found, line.corpus, settings, line.said).may
    spans: dict[str, list[tuple[int, int]]] = {}
    for piece in _pieces(line, may, settings, known):
        spans.setdefault(piece.chunk.key, []).extend(piece.spans)
    return {key: sorted(found) for key, found in spans.items()}


def _pieces(
    line: _Line, may: Sequence[Candidate], settings: Settings, known: dict[str, Evidence]
) -> tuple[Evidence, ...]:
    """What is packed of `may`; `known` takes what was read, by chunk."""
    documents, question = line.corpus.documents, line.outcome.retrieval.question
    if settings.select.neighbours:  # how far a clause is packed depends on what else is
        try:  # without a chat template nothing is counted
            return build_prompt(question, with_neighbours(may, line.corpus), documents, settings, None).packed
        except NothingFits:
            return ()
    packed: list[Evidence] = []
    for chunk in (candidate.chunk for candidate in may):
        if len(packed) == settings.search.packed:
            break
        if chunk.chunk_id not in known:
            own = (chunk.start, chunk.end)
            withhold = settings.generate.withhold
            known[chunk.chunk_id] = evidence("", chunk, documents[chunk.key], "en", own, withhold)
        if known[chunk.chunk_id].spans:
            packed.append(known[chunk.chunk_id])
    return tuple(packed)


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
