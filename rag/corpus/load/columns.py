"""The reading order of a PDF page: column by column where it is set in columns, else from top to bottom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import median

from rag.corpus.load.aligned import aligned_table
from rag.corpus.load.ink import Glyph
from rag.corpus.load.lines import Line, Row, line_of, pieces, rows_of
from rag.corpus.load.ruled import Table

_STEP, _MOST_STEPS = 3.0, 300
_NARROWEST = 0.15
_FEWEST = 3
_LEAST_ROWS = 6
_MARGIN = 0.08
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


def in_reading_order(glyphs: Sequence[Glyph], tables: Sequence[Table], height: float) -> list[Line | Table]:
    """Upright glyphs as lines, with the tables between them.

    Where two columns of prose stand side by side, the left one is read first, down to whatever goes across both.
    """
    rows = rows_of(glyphs)
    found = [
        _Piece(
            _first(part),
            max(g.x1 for g in part if g.text.strip()),
            min(g.top for g in part),
            max(g.bottom for g in part),
            number,
            part,
        )
        for number, row in enumerate(rows)
        for part in pieces(row)
    ]
    found += [_Piece(t.box[0], t.box[2], t.box[1], t.box[3], -1, t) for t in tables]
    found.sort(key=lambda p: p.top)
    above, below = _margins(found, height)
    area = _area(found)
    inner = [p for p in found if p.row not in above | below]
    upper, lower = [p for p in found if p.row in above], [p for p in found if p.row in below]
    return _downwards(upper, area) + _arranged(inner, 2) + _downwards(lower, area)


def _margins(found: Sequence[_Piece], height: float) -> tuple[set[int], set[int]]:
    """The rows that stand in the upper and in the lower margin, further from the text than its rows from each other."""
    tops = {p.row: p.top for p in reversed(found) if p.row >= 0}
    sizes = {p.row: _size(p) for p in found if p.row >= 0}
    rows = sorted(tops, key=lambda row: tops[row])
    if len(rows) < _LEAST_ROWS:
        return set(), set()
    pitch = median(tops[b] - tops[a] for a, b in zip(rows, rows[1:], strict=False))
    usual = median(sizes.values())

    def outside(order: Sequence[int]) -> set[int]:
        parted = (n for n, (a, b) in enumerate(zip(order, order[1:3], strict=False), start=1) if _is_parted(a, b))
        return set(order[: max(parted, default=0)])

    def _is_parted(row: int, inner: int) -> bool:
        in_margin = tops[row] + sizes[row] < _MARGIN * height or tops[row] > (1 - _MARGIN) * height
        return in_margin and (sizes[row] < 0.95 * usual or abs(tops[row] - tops[inner]) > 1.2 * pitch)

    return outside(rows), outside(rows[::-1])


def _first(row: Row) -> float:
    return next(g.x0 for g in row if g.text.strip())


def _arranged(found: Sequence[_Piece], depth: int) -> list[Line | Table]:
    area = _area(found)
    gutter = _gutter(found) if depth else None
    if gutter is None:
        return _downwards(found, area)
    full_rows = {p.row for p in found if p.row >= 0 and p.x0 < gutter < p.x1}
    full = [p.row in full_rows or p.x0 < gutter < p.x1 for p in found]
    inside = [p for p, is_full in zip(found, full, strict=True) if not is_full]
    certain = all(map(_is_column, _sides(inside, gutter)))
    result: list[Line | Table] = []
    band: list[_Piece] = []
    for is_full, group in groupby(zip(full, found, strict=True), key=lambda pair: pair[0]):
        band = [piece for _, piece in group]
        left, right = _sides(band, gutter)
        if not is_full and (certain or (_is_column(left) and _begins_column(right, left))):
            result += _arranged(left, depth - 1) + _arranged(right, depth - 1)
        else:
            result += _downwards(band, area)
    return result


def _sides(found: Sequence[_Piece], gutter: float) -> tuple[list[_Piece], list[_Piece]]:
    return [p for p in found if p.x1 <= gutter], [p for p in found if p.x0 >= gutter]


def _begins_column(right: Sequence[_Piece], left: Sequence[_Piece]) -> bool:
    """Whether a right column has no more than begun: a few lines from the top, without a gap."""
    if not right or not left or len(right) >= _FEWEST or any(isinstance(p.content, Table) for p in right):
        return False
    level = abs(right[0].top - left[0].top) < _size(left[0])
    return level and all(b.top - a.bottom < 1.5 * _size(a) for a, b in zip(right, right[1:], strict=False))


def _area(found: Sequence[_Piece]) -> tuple[float, float]:
    return min((p.x0 for p in found), default=0.0), max((p.x1 for p in found), default=0.0)


def _is_column(side: Sequence[_Piece]) -> bool:
    """Whether the pieces are lines of a column: several, and most of them as wide as the column is."""
    lines = [p for p in side if not isinstance(p.content, Table)]
    if len(lines) < _FEWEST:
        return False
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
    step = max(_STEP, (right - left) / _MOST_STEPS)
    while x <= end:
        before, after = sum(p.x1 <= x for p in lines), sum(p.x0 >= x for p in lines)
        gain = min(before, after) - (len(lines) - before - after)
        if gain > most:
            best, most = x, gain
        x += step
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
    cut = [[p.content for p in sorted(row, key=lambda p: p.x0)] for row in rows.values()]
    for item in _lines_and_tables(cut, area):  # type: ignore[arg-type]
        items.append((item.top, item))
    return [item for _, item in sorted(items, key=lambda pair: pair[0])]


def _lines_and_tables(rows: Sequence[Sequence[Row]], area: tuple[float, float]) -> list[Line | Table]:
    """Rows from top to bottom, each as its pieces, as lines, or as tables where they stand in columns."""
    result: list[Line | Table] = []
    number = 0
    while number < len(rows):
        table = aligned_table(rows, number)
        if table:
            result.append(table.table)
            number += table.n_rows
            continue
        line = line_of([glyph for part in rows[number] for glyph in part], *area)
        if line.text:
            result.append(line)
        number += 1
    return result
