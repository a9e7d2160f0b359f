"""What a person should know of a chunk before trusting it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final, Literal

from rag.corpus.boundaries import ends_sentence
from rag.corpus.duplicates import near_duplicates
from rag.types import Chunk, Document

Remark = Literal["too_short", "cuts_sentence", "lost_heading", "near_identical", "near_limit"]
SHORT: Final = 20
"""Fewer characters than that, blanks not counted, say little alone."""
NEAR: Final = 0.9
"""From this share of the encoder's limit on a chunk is near it."""


def remarks(
    document: Document,
    chunks: Sequence[Chunk],
    limit: int | None = None,
    twins: Sequence[int | None] | None = None,
) -> tuple[tuple[Remark, ...], ...]:
    """What is to be said of each of a document's chunks, in the order of `Remark`.

    ``too_short``: under `SHORT` characters; ``cuts_sentence``: it begins or ends within a sentence; ``lost_heading``: its
    section's heading is neither in its text nor in its context, or it ends with a heading whose words are in the next
    chunk; ``near_identical``: it nearly repeats an earlier chunk of these (`near_duplicates`); ``near_limit``: it has
    `NEAR` of the `limit` tokens the encoder reads, or more. `twins`: what `near_duplicates` finds, for whoever has it already; where
    it does not look, no chunk is called near-identical.
    """
    heads = [section.start for section in document.sections]
    twins = twins if twins is not None else near_duplicates(chunks) or (None,) * len(chunks)
    return tuple(
        tuple(_remarks(document.text, heads, chunk, twin is not None, limit))
        for chunk, twin in zip(chunks, twins, strict=True)
    )


def _remarks(text: str, heads: Sequence[int], chunk: Chunk, repeats: bool, limit: int | None) -> Iterator[Remark]:
    if len("".join(chunk.text.split())) < SHORT:
        yield "too_short"
    if not (ends_sentence(text, chunk.start) and ends_sentence(text, chunk.end)):
        yield "cuts_sentence"
    heading = chunk.section[-1] if chunk.section else ""
    if heading not in chunk.text and heading not in chunk.context.split("\n") or _ends_with_heading(text, heads, chunk):
        yield "lost_heading"
    if repeats:
        yield "near_identical"
    if limit is not None and chunk.n_tokens >= NEAR * limit:
        yield "near_limit"


def _ends_with_heading(text: str, heads: Sequence[int], chunk: Chunk) -> bool:
    """Whether the last line of the chunk is a heading and its section goes on behind the chunk."""
    end = chunk.start + len(chunk.text.rstrip())
    last_line = max(chunk.start, text.rfind("\n", chunk.start, end) + 1)
    n = bisect_left(heads, last_line)
    if n == len(heads) or heads[n] >= end:
        return False
    section_end = heads[n + 1] if n + 1 < len(heads) else len(text)
    return bool(text[end:section_end].strip())
