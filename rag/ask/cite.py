"""Answer text → sentences and citations: the model's own markers, checked, the system's for the rest, and what each sentence rests on.

Citing and supporting are two things. Every sentence that claims something cites a source: the model's own, if it names a packed one,
else the closest (`rag.ask.attribute`). Whether a source carries the sentence is decided by `rag.ask.verify`; the system cites
one that does beside the model's where the model's does not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from rag.ask.attribute import Packed, sources
from rag.ask.markers import blanked, markers, settled, unmarked
from rag.ask.reading import Reading, read
from rag.ask.rules import NOT_FOUND
from rag.ask.saying import affirmed, says_nothing
from rag.ask.sentences import answer_sentences
from rag.ask.tried import Tried, Trying
from rag.ask.verify import Finding
from rag.ask.wording import held
from rag.corpus.folding import plain
from rag.types import Citation, Clue, Sentence, Support

__all__ = ["Cited", "Citing", "Packed", "cite", "settled", "sources", "without_markers"]

CLOSER: Final = 0.2
"""By so much another source must come closer than what the model cites to be shown beside it, where none carries the sentence."""

_TOKEN: Final = re.compile(r"\d+(?:[.,]\d+)*|[a-z]+|[^\W\d_a-z]")
# 根据公司规定， names no number, article or title, and says nothing of its own.
_LEAD: Final = re.compile(
    r"^\s*(?:(?:根据|按照|依据|依照)[^，,。；;《\d第]{0,20}|(?:本?公司|制度|文件|资料)(?:中|里)?(?:明确)?规定)[，,]|^\s*according to [a-z ]{0,40}, ",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Cited:
    """What `cite` found, in text order."""

    citations: tuple[Citation, ...]
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class _Judged:
    """What stands behind a sentence: `shown`, the passage of every source it cites; `added`, the one the system cites, if any.

    Offsets of the clues count from the start of the sentence.
    """

    support: Support
    clues: tuple[Clue, ...]
    shown: tuple[Tried, ...]
    added: Tried | None = None


class Citing:
    """Cites one answer while it grows; what was found out about a finished sentence is kept, so that each is compared once."""

    def __init__(self, packed: Packed, question: str = "") -> None:
        self._packed = packed
        self._question = question
        self._trying = Trying(packed, question)
        self._known = {source.marker: source for source in packed.sources}
        self._judged: dict[tuple[str, tuple[str, ...]], _Judged] = {}

    def cite(self, text: str, done: bool) -> Cited:
        """The markers of `text`, checked, and what stands behind its sentences.

        While the answer grows (`done` False) the last, unfinished sentence is not judged yet: its markers are there, it is not.
        """
        citations: list[Citation] = []
        sentences: list[Sentence] = []
        for span in answer_sentences(text):
            found = list(markers(text, span.start, span.end, self._known))
            names = tuple(dict.fromkeys(m.name for m in found if m.name in self._known))
            finished = span.closed or done
            judged = self._judge(blanked(text[span.start : span.end]), names) if finished or names else None
            shown = {tried.source.marker: tried for tried in judged.shown} if judged else {}
            for marker in found:
                tried = shown.get(marker.name)
                known = self._known.get(marker.name)
                span_of = tried.passage.span if tried else None
                share = tried.passage.said if tried else 0.0
                citations.append(
                    Citation(
                        marker.name,
                        marker.start,
                        marker.end,
                        known.chunk_id if known else None,
                        span_of,
                        share,
                        "model",
                    )
                )
            if judged is None or not finished:
                continue
            if judged.added is not None:
                a = judged.added
                citations.append(
                    Citation(
                        a.source.marker, span.end, span.end, a.source.chunk_id, a.passage.span, a.passage.said, "system"
                    )
                )
            clues = tuple(replace(c, start=c.start + span.start, end=c.end + span.start) for c in judged.clues)
            sentences.append(Sentence(span.start, span.end, judged.support, clues))
        return Cited(tuple(citations), tuple(sentences))

    def _judge(self, bare: str, names: tuple[str, ...]) -> _Judged:
        key = (bare, names)
        if key not in self._judged:
            self._judged[key] = self._judge_anew(bare, names)
        return self._judged[key]

    def _judge_anew(self, bare: str, names: tuple[str, ...]) -> _Judged:
        bare = _LEAD.sub(lambda match: " " * len(match.group()), bare)
        claim = affirmed(bare, self._question)
        if claim is not None:  # what the question asks is now said, and has to stand without it
            judged = Citing(self._packed)._judge_anew(claim, names)
            return replace(judged, clues=tuple(replace(c, start=0, end=len(bare)) for c in judged.clues))
        said = read(bare, with_words=True)
        tried = self._trying.every(bare, said)
        cited = tuple(t for t in tried if t.source.marker in names)
        if _is_refusal(bare):
            return _Judged("refusal", (), cited)
        if not _says_something(said):
            return _Judged("no_claim", (), cited)
        if not tried:
            return _Judged("none", _nowhere(said), cited)
        best = max(tried, key=lambda t: (t.carries, round(t.passage.close, 6)))  # the first of equals
        own = max(cited, key=lambda t: (t.carries, round(t.passage.close, 6)), default=None)
        if own is not None and own.carries:
            return _Judged("cited", self._clues(own, said), cited)
        if best.carries:
            return _Judged("cited" if own is None else "other", self._clues(best, said), cited, best)
        if says_nothing(said):
            return _Judged("no_claim", (), cited)
        if best.passage.close and (own is None or best.passage.close > own.passage.close + CLOSER):
            return _Judged("none", self._clues(own or best, said), cited, best)
        return _Judged("none", self._clues(own or best, said), cited)

    def _clues(self, tried: Tried, said: Reading) -> tuple[Clue, ...]:
        return tuple(self._clue(finding, tried, said) for finding in tried.findings)

    def _clue(self, finding: Finding, tried: Tried, said: Reading) -> Clue:
        """A finding with its place in the document; what the source lacks is looked for in the others."""
        chunk: str | None = tried.source.chunk_id if finding.above else None
        span: tuple[int, int] | None = None
        if finding.there is not None:
            begin = tried.passage.span[0]
            chunk, span = tried.source.chunk_id, (begin + finding.there[0], begin + finding.there[1])
        elif finding.share is not None:
            chunk, span = tried.source.chunk_id, tried.passage.span
        elif not finding.above:
            chunk, span = self._elsewhere(said.text[finding.start : finding.end])
        return Clue(finding.kind, finding.start, finding.end, chunk, span, finding.agrees, finding.share)

    def _elsewhere(self, word: str) -> tuple[str | None, tuple[int, int] | None]:
        for source in self._packed.sources:
            at = held(word, source.text)
            if at >= 0:
                begin = source.spans[0][0] + at
                return source.chunk_id, (begin, begin + len(word))
        return None, None


def cite(text: str, packed: Packed, done: bool, question: str = "") -> Cited:
    """Cite an answer at once, or as far as it is written; see `Citing.cite`."""
    return Citing(packed, question).cite(text, done)


def without_markers(text: str) -> str:
    """What a finished answer says by itself: without markers, also one that was cut off, and without sentences that refuse.

    >>> without_markers("每年15天[S1]。未休完的不累计[S"), without_markers(NOT_FOUND["zh"] + "[S2]")
    ('每年15天。未休完的不累计', '')
    """
    text, said, before = settled(text), "", 0
    for span in answer_sentences(text):
        bare = unmarked(text[before : span.end])
        said += "" if _is_refusal(bare) else bare
        before = span.end
    return said


def _says_something(said: Reading) -> bool:
    return bool(
        said.words
        or said.facts
        or any(o.turn in ("forbidden", "needless", "not", "may", "must") for o in said.operators)
    )


def _nowhere(said: Reading) -> tuple[Clue, ...]:
    return tuple(Clue("date" if f.kind == "date" else "number", f.start, f.end, None, None, False) for f in said.facts)


def _is_refusal(bare: str) -> bool:
    said = "".join(_TOKEN.findall(plain(bare)))
    return said != "" and any(said == "".join(_TOKEN.findall(plain(s))) for s in NOT_FOUND.values())
