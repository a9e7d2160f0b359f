"""Spans → chunks whose passage the encoder reads whole."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Protocol

from rag.corpus.boundaries import KINDS
from rag.corpus.outline import Outline, Span
from rag.types import Chunk, Document

CUT_OFF = "…"
"""What a line of a context ends with that was too long."""
_LENGTHS = (160, 80, 40, 20, 10)


class Tokenizer(Protocol):
    """What splitting needs of an encoder (`rag.models.encoder.Encoder`)."""

    max_tokens: int

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each passage, prefix and special tokens included."""

    def token_starts(self, text: str) -> list[int]:
        """Where the tokens of a text begin, ascending."""


def chunks_of(document: Document, spans: Sequence[Span], outline: Outline, tokenizer: Tokenizer | None) -> list[Chunk]:
    """A chunk for each span that holds something, in order; without a tokenizer, ``n_tokens`` is 0.

    With one, no passage has more than ``tokenizer.max_tokens`` tokens. Where one would, its context is shortened first, if
    that alone takes more than half of them (`shortened`); then the text is cut at the coarsest boundary near its middle.
    """
    waiting = [_chunk(document, outline, a, b) for a, b in spans if document.text[a:b].strip()]
    if tokenizer is None:
        return waiting
    done: list[Chunk] = []
    shorter: dict[str, str] = {}  # by context: many chunks share one
    while waiting:
        counts = tokenizer.count_tokens([chunk.passage for chunk in waiting])
        counted = [replace(chunk, n_tokens=n) for chunk, n in zip(waiting, counts, strict=True)]
        waiting = []
        for chunk in counted:
            smaller = _smaller(document, outline, chunk, tokenizer, shorter)
            waiting += smaller
            if not smaller:
                done.append(chunk)
    return _in_order(done)


def shortened(context: str, tokenizer: Tokenizer) -> str:
    """`context` in at most half of the tokens the encoder reads.

    All its lines are cut to one length, from 160 characters down to 10, and end with 「…」; then the first and the last line
    are kept, then nothing.
    """
    lines = context.split("\n")
    tries = [
        context,
        *("\n".join(_clipped(lines, n)) for n in _LENGTHS),
        "\n".join(_clipped(lines[:: len(lines) - 1 or 1], 10)),
    ]
    for tried in tries:
        if tokenizer.count_tokens([tried])[0] <= tokenizer.max_tokens // 2:
            return tried
    return ""


def _clipped(lines: Iterable[str], length: int) -> list[str]:
    return [line if len(line) <= length else line[: length - 1] + CUT_OFF for line in lines]


def _smaller(
    document: Document, outline: Outline, chunk: Chunk, tokenizer: Tokenizer, shorter: dict[str, str]
) -> list[Chunk]:
    """A chunk that is too long with a shorter context or, when that is as short as may be, its halves; else nothing.

    A single character cannot be halved: the encoder will refuse it by name.
    """
    if chunk.n_tokens <= tokenizer.max_tokens:
        return []

    def short(made: Chunk) -> Chunk:
        if made.context not in shorter:
            shorter[made.context] = shortened(made.context, tokenizer)
        return replace(made, context=shorter[made.context])

    if short(chunk).context != chunk.context:
        return [short(chunk)]
    middle = chunk.start + _middle(chunk.text)
    halves = ((chunk.start, middle), (middle, chunk.end)) if len(chunk.text) > 1 else ()
    return [short(_chunk(document, outline, a, b)) for a, b in halves if document.text[a:b].strip()]


def _middle(text: str) -> int:
    """Of the coarsest boundaries in the middle half of `text`, the one nearest to its middle."""
    quarter = len(text) // 4
    for kind in KINDS:
        ends = [m.end() for m in kind.finditer(text, quarter, len(text) - quarter) if m.end() < len(text)]
        if ends:
            return min(ends, key=lambda at: abs(2 * at - len(text)))
    return len(text) // 2


def _in_order(chunks: Iterable[Chunk]) -> list[Chunk]:
    """By place; of chunks that were cut within their overlap, none that lies in the one before."""
    kept: list[Chunk] = []
    for chunk in sorted(chunks, key=lambda c: (c.start, -c.end)):
        if not kept or chunk.end > kept[-1].end:
            kept.append(chunk)
    return kept


def _chunk(document: Document, outline: Outline, start: int, end: int) -> Chunk:
    # what a chunk is about is decided by its first character that is not blank
    text, at = document.text[start:end], outline.begins_at(start, end)
    n = outline.section(start, end)
    section = document.sections[n - 1].path if n else ()
    # a caption may stand in the text itself
    standing = set(text.split("\n"))
    headers = [line for table in outline.tables_in(start, end) for line in table.header.split("\n")]
    context = [document.title, *section, *(line for line in headers if line and line not in standing)]
    return Chunk(
        chunk_id=f"{document.key}:{start}-{end}",
        key=document.key,
        start=start,
        end=end,
        text=text,
        context="\n".join(dict.fromkeys(context)),
        n_tokens=0,
        page=bisect_right(document.pages, at) or None,
        section=section,
    )
