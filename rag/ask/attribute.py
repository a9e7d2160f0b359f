"""Which passage of the packed evidence a sentence of the answer comes closest to: by its words and numbers, and the question's.

How close: the share of the sentence's terms that stand in the passage, plus half the share of the question's terms that
stand in it or above it (title, heading, column names). Terms are those of the search (`rag.corpus.lexical.terms`);
each weighs ``log(1 + n / df)`` over the n source sentences, a number three times that. A short answer (15天) says nothing without its
question, and is decided by it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from rag.ask.facts import Fact
from rag.ask.reading import Reading, joined, read
from rag.ask.sentences import is_row, source_sentences
from rag.corpus.folding import plain
from rag.corpus.lexical import query_terms, terms
from rag.types import Document, Evidence

RUN: Final = 3
"""Sentences of a source that one sentence of the answer may rest on together."""
NUMBER: Final = 3.0
"""What a number weighs against a word as rare."""
ASKED: Final = 0.5
"""What the question's share weighs against the sentence's."""

LONGER: Final = 0.1
"""What one more sentence has to add."""

_DIGIT: Final = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Passage:
    """A run of source sentences: its `span` in the document, and the share (0…1) of the sentence's and of the question's terms in it."""

    span: tuple[int, int]
    sentences: tuple[int, int]
    """First and one past the last of the source's sentences."""
    said: float
    asked: float

    @property
    def close(self) -> float:
        """How close it comes: 0…1.5."""
        return self.said + ASKED * self.asked


@dataclass(frozen=True, slots=True)
class Source:
    """A packed piece of evidence, read once for all sentences of an answer.

    `heading`: its title, version, section and column names, folded. `spans` and `readings`: its sentences in the document.
    `pieces`: which of its slices each is in. `terms`: of each sentence.
    """

    marker: str
    chunk_id: str
    text: str
    """The words from its first sentence to its last, folded."""
    heading: Reading
    above: frozenset[str]
    """The terms of the heading."""
    spans: tuple[tuple[int, int], ...]
    pieces: tuple[int, ...]
    readings: tuple[Reading, ...]
    terms: tuple[frozenset[str], ...]
    rows: frozenset[int]
    """Which of the sentences are rows of a table; these stand alone."""

    @property
    def facts(self) -> tuple[Fact, ...]:
        """Those of all its sentences; their offsets are those of each."""
        return tuple(fact for reading in self.readings for fact in reading.facts)

    def reading(self, passage: Passage) -> Reading:
        """What stands in a passage; offsets count from its start."""
        low, high = passage.sentences
        begin, end = passage.span
        parts = [(self.spans[i][0] - begin, self.readings[i]) for i in range(low, high)]
        first = self.spans[0][0]
        return joined(self.text[begin - first : end - first], parts)


@dataclass(frozen=True, slots=True)
class Packed:
    """All that an answer may rest on, in the order of the prompt, and how many of its sentences hold each term."""

    sources: tuple[Source, ...]
    frequencies: Mapping[str, int]

    @property
    def size(self) -> int:
        """Sentences in all sources."""
        return sum(len(source.spans) for source in self.sources)

    def weight(self, term: str) -> float:
        """What a term weighs, > 0."""
        rare = math.log(1 + (self.size + 1) / (self.frequencies.get(term, 0) + 0.5))
        return rare * (NUMBER if _DIGIT.search(term) else 1.0)


def sources(packed: Sequence[Evidence], documents: Mapping[str, Document]) -> Packed:
    """What sentences are compared with, in the order of `packed`."""
    found = tuple(_source(evidence, documents[evidence.chunk.key].text) for evidence in packed)
    return Packed(found, Counter(term for source in found for held in source.terms for term in held))


def _source(evidence: Evidence, text: str) -> Source:
    spans, pieces = [], []
    for n, (start, end) in enumerate(evidence.spans):
        for span in source_sentences(text, start, end):
            spans.append(span)
            pieces.append(n)
    heading = f"{evidence.heading}\n{evidence.chunk.context}"
    return Source(
        marker=evidence.marker,
        chunk_id=evidence.chunk.chunk_id,
        text=plain(text[spans[0][0] : spans[-1][1]]) if spans else "",
        heading=read(heading),
        above=frozenset(t.term for t in terms(heading)),
        spans=tuple(spans),
        pieces=tuple(pieces),
        readings=tuple(read(text[a:b]) for a, b in spans),
        terms=tuple(frozenset(t.term for t in terms(text[a:b])) for a, b in spans),
        rows=frozenset(i for i, (a, b) in enumerate(spans) if is_row(text[a:b])),
    )


@dataclass(frozen=True, slots=True)
class Wanted:
    """The terms of a sentence and of its question, each with its weight."""

    said: Mapping[str, float]
    asked: Mapping[str, float]


def wanted(said: str, question: str, packed: Packed) -> Wanted:
    """What is looked for, for a sentence of an answer to `question` (may be "")."""
    asked = query_terms(question) if question else []
    return Wanted({t.term: packed.weight(t.term) for t in terms(said)}, {t.term: packed.weight(t.term) for t in asked})


def passages(looked_for: Wanted, source: Source, run: int) -> list[Passage]:
    """The runs of at most `run` sentences of a source, the closest first, a longer one only where it comes closer by `LONGER` a sentence."""
    out = []
    for i, first in enumerate(source.spans):
        held: set[str] = set()
        for j in range(i, min(i + run, len(source.spans))):
            if source.pieces[j] != source.pieces[i] or (j > i and source.rows & {i, j}):
                break
            held |= source.terms[j]
            span = (first[0], source.spans[j][1])
            asked = _share(looked_for.asked, held | source.above)
            out.append(Passage(span, (i, j + 1), _share(looked_for.said, held), asked))
    return sorted(
        out, key=lambda p: (-round(p.close - LONGER * (p.sentences[1] - p.sentences[0]), 6), p.span[1] - p.span[0])
    )


def _share(sought: Mapping[str, float], held: set[str] | frozenset[str]) -> float:
    whole = sum(sought.values())
    return sum(weight for term, weight in sought.items() if term in held) / whole if whole else 0.0
