"""What an answer's sources leave out: another version of the policy that says otherwise, another source that contradicts."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from rag.ask.alike import Row, Span, Token, content, differ, likeness, marks, most_like, rows, values, wording
from rag.ask.reading import plain
from rag.ask.sentences import source_sentences
from rag.errors import Bilingual
from rag.types import Answer, Difference, Document, Evidence, Retrieval, Side, Step

SAME: Final = 0.8
"""Sentences of two policies say the same when they are at least so much alike."""
_FEWEST: Final = 5
"""Tokens that a sentence has at least: a bare figure says nothing."""
_REACH: Final = 400
MOST: Final = 5
"""Of more differences of a kind the first are told."""


def told(answer: Answer, retrieval: Retrieval, documents: Mapping[str, Document]) -> Answer:
    """A complete answer with its `differences`, and the trace's row on them; a refusal as it is.

    Compared with the sentences that its citations name: the versions that only the scope kept from being found, and those
    packed beside. Compared with each other: the packed sources, where they share words with the question.
    """
    if all(s.support == "refusal" for s in answer.sentences):
        return answer
    began = time.perf_counter()
    packed = answer.prompt.packed
    keys = dict.fromkeys([*(c.chunk.key for c in retrieval.outside if c.status.of), *(e.chunk.key for e in packed)])
    others: dict[str, list[Document]] = defaultdict(list)
    for piece in packed:
        mine = documents[piece.chunk.key]
        others[mine.key] = [documents[key] for key in keys if key in documents and _replaces(documents[key], mine)]
    of = {e.chunk.chunk_id: e for e in packed}
    cited = [
        (e.marker, documents[e.chunk.key], c.span)
        for c in answer.citations
        if c.span and (e := of.get(c.chunk_id or ""))
    ]
    versions = between_versions([(marker, document, [span]) for marker, document, span in cited], others)
    sources = between_sources(retrieval.question, packed, documents)
    step = _step(time.perf_counter() - began, sum(map(len, others.values())), versions, sources)
    trace = replace(answer.trace, steps=(*answer.trace.steps, step))
    return replace(answer, differences=(*versions, *sources), trace=trace)


def _replaces(other: Document, one: Document) -> bool:
    return other.key != one.key and (other.origin, other.doc_id) == (one.origin, one.doc_id)


def between_versions(
    cited: Sequence[tuple[str, Document, Sequence[Span]]], others: Mapping[str, Sequence[Document]]
) -> tuple[Difference, ...]:
    """What other versions of a policy say in place of the sentences that an answer rests on.

    `cited`: marker, document and the spans that carry the answer; `others`: the other versions by the document's key. A
    sentence corresponds to the one in the other version that is most like it, if it is the one most like that too. Numbers
    and dates that differ come first; where only words do, these are marked. At most `MOST`.
    """
    found: list[Difference] = []
    for marker, document, spans in cited:
        wanted = [_whole(document, span) for span in spans]
        for other in others.get(document.key, ()):
            mine, theirs = (rows(d.text, [(0, len(d.text))]) for d in (document, other))
            for row in mine:
                if any(row.start < b and row.end > a for a, b in wanted) and _is_rule(document, row):
                    found += _compared(marker, document, other, row, (mine, theirs))
    return tuple(sorted(dict.fromkeys(found), key=lambda d: not d.by_value)[:MOST])


def _whole(document: Document, span: Span) -> Span:
    """`span` as far as its sentences reach."""
    text, (start, end) = document.text, span
    low = max(text.rfind("\n", 0, start) + 1, start - _REACH)
    stop = text.find("\n", end)
    high = min(stop if stop >= 0 else len(text), end + _REACH)
    inside = [(a, b) for a, b in source_sentences(text, low, high) if a < end and b > start]
    return (inside[0][0], inside[-1][1]) if inside else span


def _is_rule(document: Document, row: Row) -> bool:
    """Whether the sentence is more than a heading or a bare figure."""
    line = document.text.rfind("\n", 0, row.start) + 1
    heading = any(section.start in (line, row.start) for section in document.sections)
    return len(row.tokens) >= _FEWEST and not (heading and document.text[row.end - 1] not in "。；;.!！?？")


def _compared(
    marker: str, document: Document, other: Document, row: Row, both: tuple[Sequence[Row], Sequence[Row]]
) -> Iterator[Difference]:
    against = most_like(row, both[1])
    if against is None or most_like(against, both[0]) is not row:
        return
    differing = values(row, against)
    here, there = marks(differing) if differing else wording(row, against)
    if here or there:
        sides = (Side(document.key, row.start, row.end, here), Side(other.key, against.start, against.end, there))
        yield Difference("version", marker, *sides, by_value=bool(differing))


def between_sources(
    question: str, packed: Sequence[Evidence], documents: Mapping[str, Document]
) -> tuple[Difference, ...]:
    """Sentences of two packed policies that say the same of different values, where they share words with the question.

    What counts as the same: `contradiction`. At most `MOST`.
    """
    asked = _pairs(question)
    read = [(piece, rows(documents[piece.chunk.key].text, piece.spans)) for piece in packed]
    found: list[Difference] = []
    for i, (piece, here) in enumerate(read):
        one = documents[piece.chunk.key]
        about = [row for row in here if len(_pairs(one.text[row.start : row.end]) & asked) >= 2]
        for other, there in read[i + 1 :]:
            two = documents[other.chunk.key]
            if one.key == two.key or _replaces(two, one):
                continue
            for row, against in ((row, against) for row in about for against in there):
                if (pair := contradiction(row, against)) is not None:
                    mine, theirs = (((token.start, token.end),) for token in pair)
                    sides = (Side(one.key, row.start, row.end, mine), Side(two.key, against.start, against.end, theirs))
                    found.append(Difference("source", piece.marker, *sides, by_value=True, other=other.marker))
    return tuple(found[:MOST])


def _pairs(text: str) -> set[str]:
    """Pairs of neighbouring letters and digits."""
    return {x + y for x, y in zip(plain(text), plain(text)[1:], strict=False) if (x + y).isalnum()}


def contradiction(row: Row, other: Row) -> tuple[Token, Token] | None:
    """The one number or date in which two sentences differ that say the same; None when it is not so.

    They are alike but for small words; or every word of the shorter stands in the longer, and all its numbers but one, of whose
    unit the longer has one that the shorter has not.
    """
    if min(len(row.tokens), len(other.tokens)) < _FEWEST:
        return None
    if likeness(row, other) >= SAME and not any(wording(row, other)):
        differing = values(row, other)
        return differing[0] if len(differing) == 1 else None
    return _of_the_same(row, other)


def _of_the_same(row: Row, other: Row) -> tuple[Token, Token] | None:
    short, long = sorted((row, other), key=lambda one: len(one.tokens))
    if not content(short) <= content(long):
        return None
    own = [t for t in short.tokens if t.fact and all(differ(t, u) or t.word != u.word for u in long.tokens)]
    there = [
        u
        for u in long.tokens
        if own and u.word == own[0].word and all(differ(t, u) for t in short.tokens if t.word == u.word)
    ]
    if len(own) != 1 or len(there) != 1:
        return None
    return (own[0], there[0]) if short is row else (there[0], own[0])


def _step(seconds: float, n_in: int, versions: Sequence[Difference], sources: Sequence[Difference]) -> Step:
    note = Bilingual(
        en=f"sentences that other versions have otherwise: {len(versions)}; packed sources that contradict each other: {len(sources)}",
        zh=f"其他版本写法不同 {len(versions)} 处，所放来源互相矛盾 {len(sources)} 处",
    )
    return Step("compare", seconds, n_in, len(versions) + len(sources), note)
