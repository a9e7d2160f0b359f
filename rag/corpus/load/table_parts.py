"""Tables of a PDF that go on over the page break."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from rag.corpus.clean import flow
from rag.corpus.load.layout import Left, Page
from rag.corpus.load.lines import Line
from rag.corpus.load.ruled import Grid, Table
from rag.corpus.load.table import Cell, find_header

_SAME_COLUMN = 4.0
_CONTINUED = re.compile(
    r"[（(]?\s*续\s*(?:上?\s*表|前\s*表)?.{0,12}|.{1,60}[（(]\s*(?:续表?|continued|cont\.?)\s*[)）]", re.IGNORECASE
)
_ENDS = tuple("。！？；.!?;")


def joined(pages: Sequence[Page]) -> list[Page]:
    """The pages with the tables marked that go on with the one before, and rows whole that the page break cut in two.

    The words over such a part (续表) are left out.
    """
    result = list(pages)
    for number in range(1, len(result)):
        before, after = _last(result[number - 1]), _first(result[number])
        if before is None or after is None:
            continue
        last, first = result[number - 1].items[before], result[number].items[after]
        if not isinstance(last, Table) or not isinstance(first, Table) or not _same_columns(last, first):
            continue
        items = list(result[number].items)
        for place, item in enumerate(items[:after]):
            if isinstance(item, Line):
                items[place] = Left(item.text, "running_line", item.top)
        last, first = _mended(last, first)
        items[after] = replace(first, goes_on=True)
        result[number] = replace(result[number], items=tuple(items))
        earlier = [*result[number - 1].items]
        earlier[before] = last
        result[number - 1] = replace(result[number - 1], items=tuple(earlier))
    return result


def _last(page: Page) -> int | None:
    places = [i for i, item in enumerate(page.items) if not isinstance(item, Left)]
    return places[-1] if places else None


def _first(page: Page) -> int | None:
    """The place of the first table, when nothing but 续表 stands over it."""
    for place, item in enumerate(page.items):
        if isinstance(item, Table):
            return place
        if isinstance(item, Line) and not _CONTINUED.fullmatch(item.text):
            return None
    return None


def _same_columns(a: Table, b: Table) -> bool:
    """Whether the columns stand at the same places, margins aside."""
    shift = a.lefts[0] - b.lefts[0]
    near = (abs(x - y - shift) <= _SAME_COLUMN for x, y in zip(a.lefts, b.lefts, strict=False))
    return len(a.lefts) == len(b.lefts) and all(near)


def _mended(last: Table, first: Table) -> tuple[Table, Table]:
    """The two parts with the row that the page break cut made whole in the first of them, if it cut one."""
    header = find_header(first.grid)
    repeats = header is not None and find_header(last.grid) == header
    skip = header.rows if header and repeats else 0
    if skip >= len(first.grid):
        return last, first
    rest = first.grid[skip]
    ends = last.grid[-1]
    filled = {c for c, cell in enumerate(rest) if cell.text}
    if not filled or not filled <= last.full or any(ends[c].text.endswith(_ENDS) for c in filled):
        return last, first
    more = {ends[c].anchor: rest[c].text for c in filled}
    row = tuple(Cell(flow(cell.text, more[cell.anchor]), cell.anchor) if cell.anchor in more else cell for cell in ends)
    return replace(last, grid=(*last.grid[:-1], row)), replace(first, grid=_without_row(first.grid, skip))


def _without_row(grid: Grid, row: int) -> Grid:
    """The grid without `row`; cells that reached into it from there down begin one row lower."""
    return tuple(
        tuple(Cell(c.text, (c.anchor[0] - (c.anchor[0] > row), c.anchor[1])) for c in cells)
        for r, cells in enumerate(grid)
        if r != row
    )
