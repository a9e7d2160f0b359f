"""An answer against its question's points and labels."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from rag.corpus.lexical import fold
from rag.evaluate.labels import Relevant, Resolver, spans_of
from rag.evaluate.questions import Question
from rag.types import Answer, Chunk, Document

Verdict = Literal["right", "wrong", "refused", "unjudged"]


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of an answer.

    `verdict`: ``right`` (every point said, nothing that must not be), ``wrong``, ``refused`` (the fixed not-found
    sentence and nothing else, or nothing could be packed) or ``unjudged`` (no points are given). `correct`: the
    verdict is the one the question expects; None when it cannot be told. `points`: for each point whether it was
    said. `forbidden`: what was said and must not be. `supported`: share of the sentences that are no refusal and
    have a source. `citation_precision`: share of the valid citations whose chunk carries a label;
    `citation_recall`: share of the needs that a cited chunk meets. Each share is in 0…1, None over nothing. `invalid`
    counts citations of something that was not in the prompt, `stale` those of another version of a labelled policy.
    """

    verdict: Verdict
    correct: bool | None
    points: tuple[bool, ...]
    forbidden: tuple[str, ...]
    supported: float | None
    citation_precision: float | None
    citation_recall: float | None
    invalid: int
    stale: int


def refused(answer: Answer | None) -> bool:
    """Whether an answer is the not-found sentence and nothing else; no answer at all (nothing was packed) is one too."""
    return answer is None or (bool(answer.sentences) and all(s.support == "refusal" for s in answer.sentences))


def plain(text: str) -> str:
    """What two texts are compared as: folded, without blank characters and thousands separators.

    >>> plain("每年 3,000 元"), plain("ＶＰＮ")
    ('每年3000元', 'vpn')
    """
    return re.sub(r"\s+|(?<=\d),(?=\d{3}(?!\d))", "", fold(text))


def says(text: str, point: str) -> bool:
    """Whether a text, made `plain`, holds one of a point's choices.

    >>> says(plain("每年 15 天。"), "15天|十五天"), says(plain("每年 115 天。"), "16天")
    (True, False)
    """
    return any(choice in text for written in point.split("|") if (choice := plain(written)))


def judge(
    question: Question,
    answer: Answer | None,
    relevant: Relevant,
    resolver: Resolver,
    documents: Mapping[str, Document],
) -> Judged:
    """Judge `answer` (None: nothing could be packed, so nothing was generated)."""
    text = plain(answer.text) if answer else ""
    points = tuple(says(text, point) for point in question.points)
    forbidden = tuple(never for never in question.never if plain(never) and plain(never) in text)
    verdict = _verdict(question, refused(answer), points, forbidden)
    correct = None
    if question.expects == "refusal":
        correct = verdict == "refused"
    elif question.expects == "answer" and verdict != "unjudged":
        correct = verdict == "right"
    claims = [s for s in answer.sentences if s.support != "refusal"] if answer else []
    cited = cited_chunks(answer)
    labelled = [resolver.unit_id(chunk, relevant.unit) in relevant.grades for chunk in cited]
    met = relevant.met(spans_of(cited))
    keys = {place.key for place in relevant.places}
    policies = {documents[key].doc_id for key in keys}
    return Judged(
        verdict=verdict,
        correct=correct,
        points=points,
        forbidden=forbidden,
        supported=_share(sum(s.support != "none" for s in claims), len(claims)),
        citation_precision=_share(sum(labelled), len(cited)) if relevant.needs else None,
        citation_recall=_share(len(met), len(relevant.needs)),
        invalid=sum(c.chunk_id is None for c in answer.citations) if answer else 0,
        stale=sum(chunk.key not in keys and documents[chunk.key].doc_id in policies for chunk in cited),
    )


def _verdict(question: Question, was_refused: bool, points: tuple[bool, ...], forbidden: tuple[str, ...]) -> Verdict:
    if was_refused:
        return "refused"
    if question.refuse or forbidden or not all(points):
        return "wrong"
    return "right" if points else "unjudged"


def cited_chunks(answer: Answer | None) -> list[Chunk]:
    """The chunk of every valid citation, in text order."""
    if answer is None:
        return []
    packed = {evidence.chunk.chunk_id: evidence.chunk for evidence in answer.prompt.packed}
    return [packed[c.chunk_id] for c in answer.citations if c.chunk_id is not None]


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
