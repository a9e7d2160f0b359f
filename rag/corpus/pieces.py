"""Text → adjacent pieces that may be kept together, and pieces → chunks that are as full as they may be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from re import Pattern

from rag.corpus.boundaries import KINDS, WORD
from rag.corpus.outline import Outline, Span

Cost = Callable[[int, int], int]
"""How large ``text[start:end]`` is, in the unit of the setting; it grows with the text."""


def characters(start: int, end: int) -> int:
    """A cost: one for each character."""
    return end - start


def every(step: int) -> Callable[[int, int], list[Span]]:
    """How text without any boundary is cut: every `step` characters."""
    return lambda start, end: [(a, min(a + step, end)) for a in range(start, end, step)]


def cut(outline: Outline, span: Span, kind: Pattern[str]) -> list[Span]:
    """`span` cut after every separator of a kind; a heading is whole and stays with what follows it, but for a cut at words."""
    start, end = span
    cuts = [m.end() for m in kind.finditer(outline.text, start, end)]
    if kind is not WORD:
        cuts = [at for at in cuts if not outline.parts_heading(at)]
    return list(pairwise(sorted({start, *cuts, end})))


def pieces(
    outline: Outline,
    span: Span,
    size: int,
    cost: Cost,
    bare: Callable[[int, int], list[Span]],
    kinds: Sequence[Pattern[str]] = KINDS,
) -> list[Span]:
    """Adjacent spans of at most `size` that cover `span`, cut at the coarsest of `kinds` possible, else as `bare` cuts."""
    start, end = span
    if cost(start, end) <= size:
        return [span] if end > start else []
    if not kinds:
        return bare(start, end)
    return [
        piece for part in cut(outline, span, kinds[0]) for piece in pieces(outline, part, size, cost, bare, kinds[1:])
    ]


def merged(outline: Outline, parts: Sequence[Span], size: int, overlap: int, cost: Cost) -> list[Span]:
    """Adjacent `parts`, each at most `size`, joined as long as they fit.

    A span begins with whole parts of the one before it, at most `overlap`, when both begin in the same section.
    """
    spans: list[Span] = []
    first = 0  # the first part of the span being filled
    for i, (start, end) in enumerate(parts):
        if cost(parts[first][0], end) <= size:
            continue
        opened, closed = parts[first][0], parts[i - 1][1]
        spans.append((opened, closed))
        first = i
        if outline.section(opened, closed) != outline.section(start, end):
            continue
        # go back over whole parts while they fit both the overlap and the new span
        while first > 0:
            back = parts[first - 1][0]
            if cost(back, closed) > overlap or cost(back, end) > size or back <= opened:
                break
            first -= 1
    if parts:
        spans.append((parts[first][0], parts[-1][1]))
    return spans
