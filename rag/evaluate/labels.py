"""Labels → places in the texts → what is relevant in this corpus, however it was split."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rag.corpus.folding import fold
from rag.corpus.index import Corpus
from rag.evaluate.questions import Label, Question
from rag.types import Chunk, Document

Unit = Literal["chunk", "page", "document"]
_CALLED = ("file", "key", "doc_id", "title")
Spans = Mapping[str, Sequence[tuple[int, int]]]
"""Stretches of text by document key."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a label points: ``documents[key].text[start:end]``. `exact`: all of it is meant (a quote), not any part."""

    label: Label
    key: str
    start: int
    end: int
    exact: bool


@dataclass(frozen=True, slots=True)
class Relevant:
    """What answers a question in one corpus.

    `unit` is what ranked lists are made of: documents when every label names a whole document, pages when every label
    names a page, else chunks. `grades`: relevant unit ids with their grades. `needs`: the numbers of the question's
    needs, ascending. `missing`: labels that point to nothing in the documents the runner may see.
    """

    unit: Unit
    needs: tuple[int, ...]
    places: tuple[Place, ...]
    grades: Mapping[str, int]
    missing: tuple[Label, ...]

    def met(self, spans: Spans) -> tuple[int, ...]:
        """The needs that stand in `spans`: a quote all of it, a page or document any part."""
        return tuple(
            need
            for need in self.needs
            if any(_covered(p, spans.get(p.key, ())) for p in self.places if p.label.need == need)
        )

    def evidence(self, spans: Spans) -> bool | None:
        """Whether every need is met; None when the question has no labels."""
        return self.met(spans) == self.needs if self.needs else None


def spans_of(chunks: Iterable[Chunk]) -> dict[str, list[tuple[int, int]]]:
    """The stretches of text that `chunks` hold, by document, in text order."""
    spans: dict[str, list[tuple[int, int]]] = {}
    for chunk in chunks:
        spans.setdefault(chunk.key, []).append((chunk.start, chunk.end))
    return {key: sorted(found) for key, found in spans.items()}


class Resolver:
    """Finds labels in one corpus, in the documents `permitted` names and in no others."""

    def __init__(self, corpus: Corpus, permitted: frozenset[str]) -> None:
        self._corpus = corpus
        # by each of the things a label may call a document, the surest first
        self._called: list[dict[str, list[Document]]] = [{} for _ in _CALLED]
        for document in (corpus.documents[key] for key in corpus.documents if key in permitted):
            for called, name in zip(self._called, _CALLED, strict=True):
                called.setdefault(getattr(document, name), []).append(document)
        self._chunks: dict[str, list[Chunk]] = {}
        for chunk in corpus.chunks:
            self._chunks.setdefault(chunk.key, []).append(chunk)
        self._solid: dict[str, Solid] = {}

    def resolve(self, question: Question) -> Relevant:
        """What answers `question`. Every occurrence of a quote counts, in every document its label names."""
        places: list[Place] = []
        missing: list[Label] = []
        for label in question.relevant:
            found = [place for document in self._named(label.document) for place in self._places(label, document)]
            places += found
            missing += [] if found else [label]
        unit = _unit(question.relevant)
        grades: dict[str, int] = {}
        for place in places:
            for chunk in self.holders(place) or self.cover(place):
                name = self.unit_id(chunk, unit)
                grades[name] = max(place.label.grade, grades.get(name, 0))
        needs = tuple(sorted({label.need for label in question.relevant}))
        return Relevant(unit, needs, tuple(places), grades, tuple(missing))

    def holders(self, place: Place) -> list[Chunk]:
        """The chunks that carry a place: of a quote all of it, or where no chunk does, at least half of it."""
        chunks = self._chunks.get(place.key, [])
        whole = place.end - place.start
        shares = [(min(c.end, place.end) - max(c.start, place.start), c) for c in chunks]
        if not place.exact:
            return [c for shared, c in shares if shared > 0]
        return [c for shared, c in shares if shared == whole] or [c for shared, c in shares if 2 * shared >= whole]

    def cover(self, place: Place) -> list[Chunk]:
        """Chunks that together hold all of a place: one of those that hold it whole, else every one that overlaps it."""
        overlapping = [c for c in self._chunks.get(place.key, []) if c.start < place.end and place.start < c.end]
        whole = next((c for c in overlapping if c.start <= place.start and place.end <= c.end), None)
        return [whole] if whole is not None else overlapping

    def ranking(self, chunks: Iterable[Chunk], unit: Unit) -> tuple[str, ...]:
        """Unit ids in the order of `chunks`, each at the rank of its best chunk."""
        return tuple(dict.fromkeys(self.unit_id(chunk, unit) for chunk in chunks))

    def unit_id(self, chunk: Chunk, unit: Unit) -> str:
        """The id under which `chunk` is ranked: its own, its document's key, or ``key#page``."""
        if unit == "document":
            return chunk.key
        if unit == "page":
            return f"{chunk.key}#{_page(chunk, self._corpus.documents[chunk.key])}"
        return chunk.chunk_id

    def _named(self, name: str) -> list[Document]:
        """The documents a label may mean: file names first, then keys, ids and titles."""
        return next((called[name] for called in self._called if name in called), [])

    def _places(self, label: Label, document: Document) -> list[Place]:
        if label.quote:
            if document.key not in self._solid:
                self._solid[document.key] = Solid(document.text)
            return [Place(label, document.key, a, b, True) for a, b in self._solid[document.key].find(label.quote)]
        start, end = 0, len(document.text)
        if label.page is not None:
            if label.page > len(document.pages):
                return []
            start, end = _page_span(document, label.page)
        return [Place(label, document.key, start, end, False)] if end > start else []


class Solid:
    """A text without its blank characters, full-width and case folded, and where each character stood."""

    def __init__(self, text: str) -> None:
        folded = fold(text)
        self._at = [i for i, c in enumerate(folded) if not c.isspace()]
        self._text = "".join(folded[i] for i in self._at)

    def find(self, quote: str) -> list[tuple[int, int]]:
        """Spans of every occurrence of `quote` in the text, which may overlap.

        >>> Solid("年假 15\\n天。").find("15天")
        [(3, 7)]
        """
        wanted = "".join(fold(quote).split())
        spans = []
        at = self._text.find(wanted) if wanted else -1
        while at >= 0:
            spans.append((self._at[at], self._at[at + len(wanted) - 1] + 1))
            at = self._text.find(wanted, at + 1)
        return spans


def _unit(labels: Sequence[Label]) -> Unit:
    if labels and not any(label.quote for label in labels):
        if not any(label.page for label in labels):
            return "document"
        if all(label.page for label in labels):
            return "page"
    return "chunk"


def _page_span(document: Document, page: int) -> tuple[int, int]:
    ends = [*document.pages[1:], len(document.text)]
    return document.pages[page - 1], ends[page - 1]


def _page(chunk: Chunk, document: Document) -> int:
    """The page that holds most of a chunk; 0 in a document without pages."""
    first, last = (bisect_right(document.pages, at) for at in (chunk.start, max(chunk.start, chunk.end - 1)))
    if first == last:
        return first

    def shared(page: int) -> int:
        start, end = _page_span(document, page)
        return min(end, chunk.end) - max(start, chunk.start)

    return max(range(max(first, 1), last + 1), key=shared)


def _covered(place: Place, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether the union of `spans`, in text order, holds the place: all of it if `exact`, else any part."""
    if not place.exact:
        return any(a < place.end and place.start < b for a, b in spans)
    reached = place.start
    for a, b in spans[: bisect_left(spans, (place.end, 0))]:
        if a <= reached:
            reached = max(reached, b)
    return reached >= place.end
