"""The ways to cut a document: fixed windows, recursive, by structure, by the encoder's tokens. All give spans in order."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise

from rag.corpus.boundaries import KINDS, LINE, SENTENCE
from rag.corpus.outline import Outline, Span
from rag.corpus.pieces import characters, cut, every, merged, pieces

# A line that begins a numbered clause: 第十二条, 第12条, 第三条之一. Blanks within the line only: over line ends every line
# of a run of them would be a place to begin at and go through all of them from.
_BLANK = r"[^\S\n]"
_CLAUSE = re.compile(
    rf"^(?:{_BLANK}|[*#]){{0,40}}第{_BLANK}{{0,9}}[一二三四五六七八九十百千零〇两\d]{{1,9}}{_BLANK}{{0,9}}条", re.M
)


def fixed(outline: Outline, size: int, overlap: int) -> list[Span]:
    """Windows of `size` characters, each starting ``size - overlap`` after the one before; the last ends with the text.

    A table's row that fits is not cut: the window ends before it, and the overlap is of whole rows, or less where the row
    would not fit behind it. Windows that begin in two sections share nothing.
    """
    n, start, told, spans = len(outline.text), 0, 0, []
    while start < n:
        end = min(start + size, n)
        row = outline.row(end, size) if end < n else None
        if row is not None and row[0] > start:
            if not outline.text[told : row[0]].strip():
                # ending before the row, it would say nothing that the window before does not: it begins later
                start = _whole_rows(outline, row[1] - size, row[0], size)
                continue
            end = row[0]
        spans.append((start, end))
        told = end
        if end < n and outline.section(start, end) == outline.section(end, min(end + size, n)):
            start = _whole_rows(outline, max(start + 1, end - overlap), end, size)
        else:
            start = end
    return spans


def _whole_rows(outline: Outline, start: int, end: int, size: int) -> int:
    """`start` or, within a row that fits `size`, where that row ends; at most `end`."""
    row = outline.row(start, size)
    return min(row[1], end) if row else start


def recursive(outline: Outline, size: int, overlap: int) -> list[Span]:
    """Pieces cut at the coarsest boundaries that make them fit, joined up to `size`; overlap is whole pieces."""
    return _joined(outline, (0, len(outline.text)), size, overlap)


def structure(outline: Outline, size: int, overlap: int) -> list[Span]:
    """As `recursive`, section by section and, in a section, numbered clause by numbered clause: a chunk ends where they do.

    A clause and a table are whole when they fit. A heading without words of its own goes with the next section, and a
    clause of less than an eighth of `size` with the next clause.
    """
    heads = [at for at in outline.heads if not outline.parts_heading(at)]
    spans = []
    for section in pairwise(sorted({0, *heads, len(outline.text)})):
        for clause in _clauses(outline, section, size // 8):
            spans += _joined(outline, clause, size, overlap, _tables_apart(outline, clause))
    return spans


def _clauses(outline: Outline, section: Span, least: int) -> list[Span]:
    """A section cut where a numbered clause begins, once what is before it has `least` characters."""
    start, end = section
    edges = [start]
    for match in _CLAUSE.finditer(outline.text, start, end):
        at = outline.begins_at(*match.span())
        if at - edges[-1] > least and not outline.parts_heading(at):
            edges.append(at)
    return list(pairwise([*edges, end]))


def _tables_apart(outline: Outline, span: Span) -> list[Span]:
    """`span` cut where a table begins and where it ends."""
    start, end = span
    cuts = {at for t in outline.tables_in(start, end) for at in (t.start, outline.begins_at(t.end, end))}
    return list(
        pairwise(sorted({start, *(at for at in cuts if start < at < end and not outline.parts_heading(at)), end}))
    )


def _joined(outline: Outline, span: Span, size: int, overlap: int, units: Sequence[Span] | None = None) -> list[Span]:
    # Text without any boundary is cut into pieces that overlap can be made of; not below 8 characters, for their number.
    step = max(8, min(overlap, size - overlap)) if overlap else size
    bare = every(min(step, size))
    parts = [piece for unit in units or [span] for piece in pieces(outline, unit, size, characters, bare)]
    return merged(outline, parts, size, overlap, characters)


def tokens(outline: Outline, size: int, overlap: int, starts: Sequence[int]) -> list[Span]:
    """Sentences, and rows of tables, joined up to `size` tokens; a longer one is cut at a clause, a word, a token.

    `starts`: where the tokens of the text begin, ascending.
    """

    def cost(start: int, end: int) -> int:
        return bisect_left(starts, end) - bisect_left(starts, start)

    def bare(start: int, end: int) -> list[Span]:
        inside = starts[bisect_left(starts, start) : bisect_left(starts, end)]
        step = max(1, min(overlap, size - overlap)) if overlap else size
        return list(pairwise(sorted({start, *inside[::step], end})))

    parts = []
    for line in cut(outline, (0, len(outline.text)), LINE):
        in_table = bool(outline.tables_in(*line))
        sentences = [line] if in_table else cut(outline, line, SENTENCE)
        kinds = KINDS[2:] if in_table else KINDS[3:]
        parts += [piece for sentence in sentences for piece in pieces(outline, sentence, size, cost, bare, kinds)]
    return merged(outline, parts, size, overlap, cost)
