"""Tables of a PDF that are drawn without rules: rows whose pieces stand under those of a first row, column by column."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from rag.corpus.load.form import find_form
from rag.corpus.load.lines import Line, Row, line_of
from rag.corpus.load.ruled import Table
from rag.corpus.load.table import Cell, find_header
from rag.corpus.load.value import is_name

_LEAST_ROWS = 3
WIDEST_GAP = 2.5
"""The widest gap between two rows of a table without rules, in sizes of its type."""
# Two columns are also what two texts side by side are, so there it takes more: short cells, and a clear gap between them.
_LONGEST_OF_TWO, _GAP_OF_TWO = 16, 1.5
_FIGURE = re.compile(r"\D{0,4}\d")
_GAP_OF_FULL = 1.5
_NO_CELL = re.compile(
    r".*(?:[。；！？;!?]|[:：](?!\d).*)|(?:[（(]?\d{1,2}[)）、.．](?!\d)|[（(]?[一二三四五六七八九十]{1,3}[)）、]|[①-⑳•·●○■□☑☒◆▪➢✓]).*"
)

# What only the lines of a tree, of a program or of a terminal have. A dash of the same characters (─) is no line of a tree,
# money (``$ 600``) no command, and paths stand in tables too.
_CODE = re.compile(
    r".*[\u2502\u2503\u2506\u2507\u250a-\u254b\u254e-\u257f].*"
    r"|[|`][- ]{0,2}-- .*|#(?:\s+[^\W\d].*)?|\$\s+[a-z~./].*|.*\$\w*\{.*|(?:.*[^：:])?[{}]|.*\)\s?;|(?:.*\s)?\\"
    r"|[-dlbcps](?:[r-][w-][-xsStT]){3}(?!\w).*"
)


@dataclass(frozen=True, slots=True)
class Found:
    """A table, and the number of rows that it took."""

    table: Table
    n_rows: int


def aligned_table(rows: Sequence[Sequence[Row]], start: int) -> Found | None:
    """The table that begins with row `start` of these rows, each cut at its wide gaps; None when none does.

    Its first row names its columns; each row below holds at least two cells, each under one of the names. Of two columns
    see `_are_two_columns`.
    """
    if len(rows) - start < _LEAST_ROWS or len(rows[start]) < 2:
        return None
    names = [line_of(piece) for piece in rows[start]]
    placed: list[dict[int, Line]] = [dict(enumerate(names))]
    above, size = names, median(name.size for name in names)
    for number in range(start + 1, len(rows)):
        cells = [line_of(piece) for piece in rows[number]]
        under = cells_under(cells, names, size)
        if under is None or cells[0].top - max(line.bottom for line in above) > WIDEST_GAP * size:
            break
        placed.append(under)
        above = cells
    if len(placed) < _LEAST_ROWS or (len(names) == 2 and not _are_two_columns(placed, size)):
        return None
    if is_code([[cell.text for cell in row.values()] for row in placed]):
        return None
    grid = tuple(
        tuple(Cell(row[c].text if c in row else "", (r, c)) for c in range(len(names))) for r, row in enumerate(placed)
    )
    if find_header(grid) is None and not find_form(grid):
        return None
    lines = [line for row in placed for line in row.values()]
    box = min(i.x0 for i in lines), min(i.top for i in lines), max(i.x1 for i in lines), max(i.bottom for i in lines)
    return Found(Table(grid, box, tuple(name.x0 for name in names), names=tuple(names)), len(placed))


def is_code(rows: Sequence[Sequence[str]]) -> bool:
    """Whether rows are a listing (of a program, a terminal, a tree of files): at least half of them hold a piece of one.

    >>> is_code([["│", "├── a.txt"], ["│", "└── b.txt"]]), is_code([["#", "金额"], ["1", "$ 600"], ["2", "─"]])
    (True, False)
    """
    return 2 * sum(any(map(_CODE.fullmatch, row)) for row in rows) >= len(rows)


def _are_two_columns(rows: Sequence[dict[int, Line]], size: float) -> bool:
    """Whether rows of two cells are those of a table, and not two texts or lists side by side, a form or a table of contents.

    Every cell is short, ends no sentence, is no label and no item of a list, and a clear gap parts the columns. And every
    cell of the second one begins with a figure (other than pages that count up), or both names are what tables call their columns.
    """
    if not all(is_short_cell(cell) for row in rows for cell in row.values()):
        return False
    if min(row[1].x0 for row in rows) - max(row[0].x1 for row in rows) < _GAP_OF_TWO * size:
        return False
    values = [row[1].text for row in rows[1:]]
    pages = [int(text) for text in values if text.isdecimal()]
    if len(pages) == len(values) and pages == sorted(pages):
        return False
    return all(map(_FIGURE.match, values)) or all(is_name(cell.text) for cell in rows[0].values())


def is_short_cell(cell: Line) -> bool:
    """Whether a piece of a row may be a cell of a table of two columns."""
    return len(cell.text) <= _LONGEST_OF_TWO and not _NO_CELL.fullmatch(cell.text)


def are_rows(above: Line, below: Line) -> bool:
    """Whether two lines are rows of something set in columns: behind a wide gap, something stands under something.

    A full line is stretched and has gaps by chance, so there it takes wider ones.
    """
    size = max(above.size, below.size)
    least = _GAP_OF_FULL * size if above.right - above.x1 < size else 0.0
    return any(
        _stands_under(cell, name, size) and max(cell.x0 - before.x1, name.x0 - over.x1) > least
        for before, cell in pairwise(below.parts)
        for over, name in pairwise(above.parts)
    )


def cells_under(cells: Sequence[Line], names: Sequence[Line], size: float) -> dict[int, Line] | None:
    """The cells by the column that each stands under, when there are two, every one does, and no two under the same."""
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
