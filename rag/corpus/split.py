"""Document → chunks. Offsets first: a splitter finds spans, and a chunk's text is a slice of its document's text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace

from rag.config import SplitSettings
from rag.types import Chunk, Document

Span = tuple[int, int]
CountTokens = Callable[[Sequence[str]], Sequence[int]]

# From the coarsest boundary to the finest; a separator stays at the end of the piece it closes.
_BOUNDARIES = (
    re.compile(r"\n{2,}"),  # paragraph
    re.compile(r"\n"),  # line
    re.compile(r"[。！？!?…]+[”’」』）)]*|\.(?=\s)"),  # sentence
    re.compile(r"[；，;,]"),  # clause
    re.compile(r"\s+"),  # word
)


def split(document: Document, settings: SplitSettings, count_tokens: CountTokens | None) -> tuple[Chunk, ...]:
    """The chunks of `document`, in text order; blank stretches give none.

    `count_tokens` counts passages with the encoder's tokenizer (``Encoder.count_tokens``); without one, ``n_tokens`` is 0.
    """
    spans_of = _fixed if settings.strategy == "fixed" else _recursive
    spans = [(a, b) for a, b in spans_of(document.text, settings.size, settings.overlap) if document.text[a:b].strip()]
    heads = [section.start for section in document.sections]  # once: a document can have as many as lines
    chunks = [_chunk(document, heads, a, b) for a, b in spans]
    if count_tokens is None:
        return tuple(chunks)
    counts = count_tokens([chunk.passage for chunk in chunks])
    return tuple(replace(chunk, n_tokens=n) for chunk, n in zip(chunks, counts, strict=True))


def _fixed(text: str, size: int, overlap: int) -> list[Span]:
    """Windows of `size` characters, each starting ``size - overlap`` after the one before; the last ends with the text.

    >>> _fixed("x" * 640, 240, 40)
    [(0, 240), (200, 440), (400, 640)]
    """
    spans: list[Span] = []
    for start in range(0, len(text), size - overlap):
        spans.append((start, min(start + size, len(text))))
        if start + size >= len(text):
            break
    return spans


def _recursive(text: str, size: int, overlap: int) -> list[Span]:
    """Pieces cut at the coarsest boundaries that make them fit, merged up to `size`; overlap is whole pieces.

    >>> text = "甲乙丙。丁戊。己庚辛。"
    >>> [text[a:b] for a, b in _recursive(text, 8, 3)]
    ['甲乙丙。丁戊。', '丁戊。己庚辛。']
    """
    # Text without any boundary is cut into pieces that overlap can be made of; not below 8 characters, for their number.
    step = max(8, min(overlap, size - overlap)) if overlap else size
    pieces = _pieces(text, (0, len(text)), size, min(step, size))
    spans: list[Span] = []
    first = 0  # the first piece of the chunk being filled
    for i, (_, end) in enumerate(pieces):
        if end - pieces[first][0] <= size:
            continue
        closed = pieces[i - 1][1]
        spans.append((pieces[first][0], closed))
        # go back over whole pieces while they fit both the overlap and the new chunk
        first = i
        while first > 0:
            back = pieces[first - 1][0]
            if closed - back > overlap or end - back > size or back <= spans[-1][0]:
                break
            first -= 1
    if pieces:
        spans.append((pieces[first][0], pieces[-1][1]))
    return spans


def _pieces(text: str, span: Span, size: int, step: int, level: int = 0) -> list[Span]:
    """Adjacent spans of at most `size` that cover `span`, cut at the coarsest boundaries possible, else every `step`."""
    start, end = span
    if end - start <= size:
        return [span] if end > start else []
    if level == len(_BOUNDARIES):
        return [(a, min(a + step, end)) for a in range(start, end, step)]
    cuts = [m.end() for m in _BOUNDARIES[level].finditer(text, start, end)]
    edges = sorted({start, *cuts, end})
    return [piece for ab in zip(edges, edges[1:], strict=False) for piece in _pieces(text, ab, size, step, level + 1)]


def _chunk(document: Document, heads: Sequence[int], start: int, end: int) -> Chunk:
    # what a chunk is about is decided by its first character that is not blank
    text = document.text[start:end]
    at = start + len(text) - len(text.lstrip())
    n = bisect_right(heads, at)
    section = document.sections[n - 1].path if n else ()
    return Chunk(
        chunk_id=f"{document.key}:{start}-{end}",
        key=document.key,
        start=start,
        end=end,
        text=text,
        context="\n".join(dict.fromkeys([document.title, *section])),
        n_tokens=0,
        page=bisect_right(document.pages, at) or None,
        section=section,
    )
