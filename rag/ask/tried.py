"""Each packed source tried as what carries a sentence: the passage of it that does best, and what is asked of it as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from rag.ask.attribute import RUN, Packed, Passage, Source, passages, wanted
from rag.ask.reading import Reading, read
from rag.ask.sentences import clauses
from rag.ask.verify import Compared, Finding, kept, replaced, verify

CLOSE: Final = 0.3
"""Least share of a sentence's terms in its source, where no number and no name decides."""
TRIED: Final = 4
"""Passages of a source that a sentence is compared with, the closest first."""
NEAR: Final = 0.75
"""A passage that carries a sentence comes at least this near to it, against the nearest of all."""
FULL: Final = 0.85
"""And has so much of its words, against the passage that has most."""


@dataclass(frozen=True, slots=True)
class _Near:
    """A passage that a sentence is compared with, read."""

    source: Source
    passage: Passage
    reading: Reading

    @property
    def parts(self) -> tuple[tuple[int, int], ...]:
        """Its sentences, as spans of the reading."""
        begin = self.passage.span[0]
        return tuple((a - begin, b - begin) for a, b in self.source.spans[slice(*self.passage.sentences)])


@dataclass(frozen=True, slots=True)
class Tried:
    """A source as what carries a sentence: the passage that does best, and what was found there."""

    source: Source
    passage: Passage
    findings: tuple[Finding, ...]
    carries: bool


@dataclass(frozen=True, slots=True)
class _Against:
    """What a passage is measured against: how close the nearest of all comes, most of the sentence's characters in words that one
    holds, and the words in whose place one has another, with the share of the sentence in that one."""

    nearest: float
    most: int
    swapped: Mapping[str, float]


class Trying:
    """Tries the sources of one question's evidence."""

    def __init__(self, packed: Packed, question: str) -> None:
        self._packed = packed
        self._question = question
        self._asked = read(question, with_words=True)
        self._texts = tuple(source.text for source in packed.sources)

    def every(self, bare: str, said: Reading) -> list[Tried]:
        """Every source with the passage of it that does best."""
        run = max(1, min(RUN, len(clauses(bare))))
        own = bare if said.words or said.facts else ""  # 可以。 alone says nothing of where to look
        looked_for = wanted(own, self._question, self._packed)
        found = [(source, passages(looked_for, source, run)[:TRIED]) for source in self._packed.sources if source.spans]
        nearest = max((runs[0].close for _, runs in found), default=0.0)
        near = [
            _Near(source, p, source.reading(p)) for source, runs in found for p in runs if p.close >= NEAR * nearest
        ]
        swapped: dict[str, float] = {}
        for one in near:
            for word in replaced(said, one.reading):
                swapped[word] = max(one.passage.said, swapped.get(word, 0.0))
        most = max((kept(said, one.reading, one.source.heading) for one in near), default=0)
        against = _Against(nearest, most, swapped)
        tried = [
            self._try(said, source, [n for n in near if n.source is source], runs[0], against) for source, runs in found
        ]
        top = max(tried, key=lambda t: t.passage.said, default=None)
        if top is None or top.carries or any(f.missing for f in top.findings):
            return tried
        # the passage that has most of the sentence says otherwise: one that has less and is silent on it carries nothing
        return [_outdone(t, top.passage.said, len(said.text)) for t in tried]

    def _try(self, said: Reading, source: Source, near: list[_Near], first: Passage, against: _Against) -> Tried:
        """`first` stands for a source none of whose passages comes near: it carries nothing."""
        best: Tried | None = None
        for one in near or [_Near(source, first, source.reading(first))]:
            share = one.passage.said
            outdone = frozenset(word for word, more in against.swapped.items() if more > share)
            compared = Compared(
                passage=one.reading,
                parts=one.parts,
                heading=source.heading,
                question=self._asked,
                asked=one.passage.asked,
                all_facts=source.facts,
                others=self._texts,
                replaced=frozenset(against.swapped),
                outdone=outdone,
            )
            findings = verify(said, compared)
            if all(f.agrees for f in findings):
                findings = (*findings, *_as_a_whole(said, one, findings, against))
            found = Tried(source, one.passage, findings, all(f.agrees for f in findings))
            if found.carries or not any(f.missing for f in findings):
                return found  # it has all that the sentence names: what it says of it decides
            if best is None or _misses(found) < _misses(best):
                best = found
        assert best is not None  # there is one passage at least
        return best


def _as_a_whole(said: Reading, one: _Near, findings: tuple[Finding, ...], against: _Against) -> Iterator[Finding]:
    """Of a passage in which each thing agrees, what is asked for besides: to be among the nearest, to hold about as many of the
    words as any, and where no number, date or name decides, enough of the terms."""
    end = len(said.text)
    close = one.passage.close / against.nearest if against.nearest else 1.0
    if close < NEAR:
        yield Finding("far", 0, end, None, False, share=(close, NEAR))
    held_here = kept(said, one.reading, one.source.heading)
    if held_here < FULL * against.most:
        yield Finding("fewer", 0, end, None, False, share=(held_here / against.most, FULL))
    decided = bool(findings) and (not said.words or any(f.kind in ("number", "date", "name") for f in findings))
    if not decided:
        yield Finding("terms", 0, end, None, one.passage.said >= CLOSE, share=(one.passage.said, CLOSE))


def _outdone(tried: Tried, most: float, end: int) -> Tried:
    """`tried`, which carries nothing when another passage has more of the sentence, `most`."""
    if not tried.carries or tried.passage.said >= most:
        return tried
    less = Finding("less", 0, end, None, False, share=(tried.passage.said, most))
    return replace(tried, findings=(*tried.findings, less), carries=False)


def _misses(tried: Tried) -> int:
    return sum(not f.agrees for f in tried.findings)
