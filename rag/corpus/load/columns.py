"""The reading order of a PDF page: column by column where it is set in columns, else from top to bottom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from rag.corpus.load.ink import Glyph
from rag.corpus.load.lines import Line, Row, line_of, pieces, rows_of
from rag.corpus.load.ruled import Table

_STEP = 3.0
_NARROWEST = 0.15
_FEWEST = 3
# The lines of a column of prose fill it; the cells of a table that has no rules do not.
_FILLED = 0.6
_LEAST_EMS = 12


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of a row without a wide gap, or a table (`row` is then -1)."""

    x0: float
    x1: float
    top: float
    bottom: float
    row: int
    content: Row | Table


def in_reading_order(glyphs: Sequence[Glyph], tables: Sequence[Table]) -> list[Line | Table]:
    """Upright glyphs as lines, with the tables between them.

    Where two columns of prose stand side by side, the left one is read first, down to whatever goes across both.
    """
    rows = rows_of(glyphs)
    found = [
        _Piece(
            _first(part), max(g.x1 for g in part), min(g.top for g in part), max(g.bottom for g in part), number, part
        )
        for number, row in enumerate(rows)
        for part in pieces(row)
    ]
    found += [_Piece(t.box[0], t.box[2], t.box[1], t.box[3], -1, t) for t in tables]
    return _arranged(sorted(found, key=lambda p: p.top), 2)


def _first(row: Row) -> float:
    return next(g.x0 for g in row if g.text.strip())


def _arranged(found: Sequence[_Piece], depth: int) -> list[Line | Table]:
    area = _area(found)
    gutter = _gutter(found) if depth else None
    if gutter is None:
        return _downwards(found, area)
    full_rows = {p.row for p in found if p.row >= 0 and p.x0 < gutter < p.x1}
    result: list[Line | Table] = []
    across: list[_Piece] = []
    band: list[_Piece] = []
    for piece in found:
        if piece.row in full_rows or piece.x0 < gutter < piece.x1:
            result += _band(band, gutter, depth, area)
            across, band = [*across, piece], []
        else:
            result += _downwards(across, area)
            across, band = [], [*band, piece]
    return result + _downwards(across, area) + _band(band, gutter, depth, area)


def _area(found: Sequence[_Piece]) -> tuple[float, float]:
    return min((p.x0 for p in found), default=0.0), max((p.x1 for p in found), default=0.0)


def _band(band: Sequence[_Piece], gutter: float, depth: int, area: tuple[float, float]) -> list[Line | Table]:
    left, right = [p for p in band if p.x1 <= gutter], [p for p in band if p.x0 >= gutter]
    if _is_column(left) and _is_column(right):
        return _arranged(left, depth - 1) + _arranged(right, depth - 1)
    return _downwards(band, area)


def _is_column(side: Sequence[_Piece]) -> bool:
    """Whether the pieces are lines of a column: several, and most of them as wide as the column is."""
    lines = [p for p in side if not isinstance(p.content, Table)]
    if len(lines) < _FEWEST:
        return bool(side) and len(lines) < len(side)
    width = max(p.x1 for p in lines) - min(p.x0 for p in lines)
    usual = median(p.x1 - p.x0 for p in lines)
    return usual >= _FILLED * width and usual >= _LEAST_EMS * median(_size(p) for p in lines)


def _size(piece: _Piece) -> float:
    return piece.content[0].size if not isinstance(piece.content, Table) else 0.0


def _gutter(found: Sequence[_Piece]) -> float | None:
    """Where the page can be parted from top to bottom with lines on both sides and few across; None when nowhere."""
    lines = [p for p in found if not isinstance(p.content, Table)]
    if len(lines) < 2 * _FEWEST:
        return None
    left, right = min(p.x0 for p in lines), max(p.x1 for p in lines)
    narrow = sum(p.x1 - p.x0 < 0.6 * (right - left) for p in lines)
    if narrow < 2 * _FEWEST:
        return None
    best, most = None, 0
    x, end = left + _NARROWEST * (right - left), right - _NARROWEST * (right - left)
    while x <= end:
        before = sum(p.x1 <= x for p in lines)
        after = sum(p.x0 >= x for p in lines)
        balance = min(before, after)
        if balance >= _FEWEST and balance > most:
            best, most = x, balance
        x += _STEP
    return best


def _downwards(found: Sequence[_Piece], area: tuple[float, float]) -> list[Line | Table]:
    """From top to bottom, pieces of one row joined again; `area` is where lines begin and end."""
    rows: dict[int, list[_Piece]] = {}
    items: list[tuple[float, Line | Table]] = []
    for piece in found:
        if isinstance(piece.content, Table):
            items.append((piece.top, piece.content))
        else:
            rows.setdefault(piece.row, []).append(piece)
    for row in rows.values():
        glyphs = [g for p in sorted(row, key=lambda p: p.x0) for g in p.content]  # type: ignore[union-attr]
        line = line_of(glyphs, *area)
        if line.text:
            items.append((line.top, line))
    return [item for _, item in sorted(items, key=lambda pair: pair[0])]
