"""Tables of a PDF that are drawn without rules: rows whose pieces stand under those of a first row, column by column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from rag.corpus.load.form import find_form
from rag.corpus.load.lines import Line, Row, line_of
from rag.corpus.load.ruled import Table
from rag.corpus.load.table import Cell, find_header

_LEAST_COLUMNS = 3
_LEAST_ROWS = 3
_WIDEST_GAP = 2.5


@dataclass(frozen=True, slots=True)
class Found:
    """A table, and the number of rows that it took."""

    table: Table
    n_rows: int


def aligned_table(rows: Sequence[Sequence[Row]], start: int) -> Found | None:
    """The table that begins with row `start` of these rows, each cut at its wide gaps; None when none does.

    Its first row names at least three columns; each row below holds at least two cells, each under one of the names.
    """
    if len(rows) - start < _LEAST_ROWS or len(rows[start]) < _LEAST_COLUMNS:
        return None
    names = [line_of(piece) for piece in rows[start]]
    placed: list[dict[int, Line]] = [dict(enumerate(names))]
    above, size = names, median(name.size for name in names)
    for number in range(start + 1, len(rows)):
        cells = [line_of(piece) for piece in rows[number]]
        under = _under(cells, names, size)
        if under is None or cells[0].top - max(line.bottom for line in above) > _WIDEST_GAP * size:
            break
        placed.append(under)
        above = cells
    if len(placed) < _LEAST_ROWS:
        return None
    grid = tuple(
        tuple(Cell(row[c].text if c in row else "", (r, c)) for c in range(len(names))) for r, row in enumerate(placed)
    )
    if find_header(grid) is None and not find_form(grid):
        return None
    lines = [line for row in placed for line in row.values()]
    box = min(i.x0 for i in lines), min(i.top for i in lines), max(i.x1 for i in lines), max(i.bottom for i in lines)
    return Found(Table(grid, box, tuple(name.x0 for name in names)), len(placed))


def _under(cells: Sequence[Line], names: Sequence[Line], size: float) -> dict[int, Line] | None:
    """The cells by the column that each stands under, when every one does, and no two under the same."""
    if len(cells) < 2:
        return None
    under: dict[int, Line] = {}
    for cell in cells:
        column = next((c for c, name in enumerate(names) if _stands_under(cell, name, size)), None)
        if column is None or column in under:
            return None
        under[column] = cell
    return under


def _stands_under(cell: Line, name: Line, size: float) -> bool:
    """Whether their left sides, right sides or middles are one above the other."""
    near = 0.4 * size
    middles = abs(cell.x0 + cell.x1 - name.x0 - name.x1) / 2
    overlap = min(cell.x1, name.x1) - max(cell.x0, name.x0) > 0
    return overlap and (abs(cell.x0 - name.x0) < near or abs(cell.x1 - name.x1) < near or middles < near)
