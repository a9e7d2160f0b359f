"""A sheet's filled places → its tables: stretches of rows between empty ones."""

from __future__ import annotations

from collections.abc import Mapping

from rag.corpus.load.builder import TextBuilder
from rag.corpus.load.table import Cell, Header, caption_rows, render
from rag.errors import UnsafeFile

MAX_CELLS = 500_000
Places = Mapping[tuple[int, int], Cell]
"""What every place (row, column) shows; places that a merged cell covers share it; empty places are left out."""


def add_regions(name: str, builder: TextBuilder, places: Places) -> None:
    """Add a sheet's tables to `builder`, each row 「列名: 值；列名: 值」.

    A stretch without a caption and with as many columns as the one above goes on with that one's column names.

    Raises:
        UnsafeFile: more than 500,000 places, counting the empty ones inside tables.
    """
    header: Header | None = None
    width = 0
    for grid in _grids(name, places):
        goes_on = header is not None and caption_rows(grid) == 0 and len(grid[0]) == width
        rendered = render(grid, header if goes_on else None)
        builder.table(rendered.lines, rendered.heading)
        if rendered.header:
            header, width = rendered.header, len(grid[0])


def too_many(name: str) -> UnsafeFile:
    """The error for more than `MAX_CELLS` cells."""
    return UnsafeFile(
        en=f"{name}: more than {MAX_CELLS:,} cells. Split the table.",
        zh=f"{name}：单元格超过 {MAX_CELLS:,} 个，请拆分表格。",
    )


def _grids(name: str, places: Places) -> list[list[list[Cell]]]:
    columns: dict[int, set[int]] = {}
    for row, column in places:
        columns.setdefault(row, set()).add(column)
    groups: list[list[int]] = []
    for row in sorted(columns):
        if groups and row == groups[-1][-1] + 1:
            groups[-1].append(row)
        else:
            groups.append([row])
    grids, cells = [], 0
    for group in groups:
        used = sorted(set().union(*(columns[row] for row in group)))
        cells += len(group) * len(used)
        if cells > MAX_CELLS:
            raise too_many(name)
        grids.append([[places.get((r, c), Cell("", (r, c))) for c in used] for r in group])
    return grids
