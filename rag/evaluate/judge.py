"""An answer against its question's points and labels."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from rag.corpus.folding import fold
from rag.evaluate.labels import Relevant, Resolver, spans_of
from rag.evaluate.questions import Question
from rag.types import Answer, Chunk, Document

Verdict = Literal["right", "wrong", "refused", "unjudged"]

_BLANKS = re.compile(r"\s+")
# Blanks that part neither two numbers nor two Latin words; "1. 15 days" is a list's number and another one, not 1.15.
_IDLE_BLANK = re.compile(r"(?<![\d.a-z]) | (?![\da-z])|(?<=[a-z]) (?=\d)|(?<=[\d.]) (?=[a-z])")
_PLURAL = 4
"""From so many Latin letters on a word may end in another -s or -es."""
_THOUSANDS = re.compile(r"(?<=\d)(?<!\d{4}),(?=\d{3}(?!\d))|(?<=[０-９])，(?=[０-９]{3}(?!\d))")
_HAN_DIGITS = "〇零一二两三四五六七八九十百千万"
_HAN_NUMERAL = re.compile(f"[{_HAN_DIGITS}]")
_LATIN = re.compile("[a-z]")
_LAST_WORD = re.compile(rf"[a-z]{{{_PLURAL},}}\Z")


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of an answer.

    `verdict`: ``right`` (every point said, nothing that must not be), ``wrong``, ``refused`` (the fixed not-found
    sentence and nothing else, or nothing could be packed) or ``unjudged`` (no points are given). `correct`: the
    verdict is the one the question expects; None when it cannot be told, as for every answer to a question that has
    one but no points: to count its refusals alone would make a share of failures only. `points`: for each point whether it was
    said. `forbidden`: what was said and must not be. `supported`: share of the sentences that claim something which a
    packed source carries. `citation_precision`: share of the valid citations whose chunk carries a label;
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
    """What two texts are compared as: folded, without thousands separators, and without blanks but between two numbers
    or two Latin words.

    >>> plain("每年 3,000 元"), plain("ＶＰＮ"), plain("2026 15 天"), plain("15  Days off")
    ('每年3000元', 'vpn', '2026 15天', '15days off')
    """
    return _IDLE_BLANK.sub("", _BLANKS.sub(" ", fold(_THOUSANDS.sub("", text))))


def says(text: str, point: str) -> bool:
    """Whether a text, made `plain`, holds one of a point's choices (``a|b``); 5 is not said by 15, nor IT by with.

    >>> [says(plain("每年 15 天。"), point) for point in ("15天|十五天", "5天", "15")]
    [True, False, True]
    """
    return any(_holds(text, plain(choice)) for choice in point.split("|"))


def _holds(text: str, wanted: str) -> bool:
    """Whether `text` holds `wanted`, and no number or Latin word of its goes on beyond the ends."""
    if not wanted:
        return False
    before = after = ""
    if wanted[0].isdecimal():
        before = r"(?<!\d)(?<!\d[.])"
    elif _HAN_NUMERAL.match(wanted[0]):
        before = f"(?<![{_HAN_DIGITS}])"
    elif _LATIN.match(wanted[0]):
        before = "(?<![a-z])"
    if wanted[-1].isdecimal():
        after = r"(?!\d|[.]\d|[万亿])"
    elif _HAN_NUMERAL.match(wanted[-1]):
        after = f"(?![{_HAN_DIGITS}])"
    elif _LATIN.match(wanted[-1]):
        after = "(?!(?!e?s(?![a-z]))[a-z])" if _LAST_WORD.search(wanted) else "(?![a-z])"
    return re.search(before + re.escape(wanted) + after, text) is not None


def judge(
    question: Question,
    answer: Answer | None,
    relevant: Relevant,
    resolver: Resolver,
    documents: Mapping[str, Document],
) -> Judged:
    """Judge `answer` (None: nothing could be packed, so nothing was generated)."""
    text = plain(without_markers(answer)) if answer else ""
    points = tuple(says(text, point) for point in question.points)
    forbidden = tuple(never for never in question.never if _holds(text, plain(never)))
    verdict = _verdict(question, refused(answer), points, forbidden)
    correct = None
    if question.expects == "refusal":
        correct = verdict == "refused"
    elif question.points:
        correct = verdict == "right"
    claims = [s for s in answer.sentences if s.support not in ("refusal", "no_claim")] if answer else []
    cited = cited_chunks(answer)
    labelled = [resolver.unit_id(chunk, relevant.unit) in relevant.grades for chunk in cited]
    met = relevant.met(spans_of(cited))
    keys = {place.key for place in relevant.places}
    policies = {(documents[key].origin, documents[key].doc_id) for key in keys}
    return Judged(
        verdict=verdict,
        correct=correct,
        points=points,
        forbidden=forbidden,
        supported=_share(sum(s.support in ("cited", "other") for s in claims), len(claims)),
        citation_precision=_share(sum(labelled), len(cited)) if relevant.needs else None,
        citation_recall=_share(len(met), len(relevant.needs)),
        invalid=sum(c.chunk_id is None for c in answer.citations) if answer else 0,
        stale=sum(c.key not in keys and (documents[c.key].origin, documents[c.key].doc_id) in policies for c in cited),
    )


def _verdict(question: Question, was_refused: bool, points: tuple[bool, ...], forbidden: tuple[str, ...]) -> Verdict:
    if was_refused:
        return "refused"
    if question.refuse or forbidden or not all(points):
        return "wrong"
    return "right" if points else "unjudged"


def without_markers(answer: Answer) -> str:
    """The answer's words: the markers that the model wrote are no part of them, nor are their numbers."""
    text = answer.text
    for citation in sorted(answer.citations, key=lambda c: -c.start):
        text = text[: citation.start] + text[citation.end :]
    return text


def cited_chunks(answer: Answer | None) -> list[Chunk]:
    """The chunk of every valid citation, in text order."""
    if answer is None:
        return []
    packed = {evidence.chunk.chunk_id: evidence.chunk for evidence in answer.prompt.packed}
    return [packed[c.chunk_id] for c in answer.citations if c.chunk_id is not None]


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
