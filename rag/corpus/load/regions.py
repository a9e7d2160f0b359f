"""A sheet's filled places → its tables: stretches of rows between empty ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from rag.corpus.load.builder import TextBuilder
from rag.corpus.load.form import find_form
from rag.corpus.load.header import is_like_below
from rag.corpus.load.table import (
    Cell,
    Grid,
    Header,
    caption_rows,
    header_names,
    like_header,
    render,
)
from rag.corpus.load.value import are_alike, is_name, is_value, kept, kind
from rag.errors import UnsafeFile
from rag.types import Why

MAX_CELLS = 500_000
_HEADER_ROWS = 3
Places = Mapping[tuple[int, int], Cell]
"""What every place (row, column) shows; places that a merged cell covers share it; empty places are left out."""


@dataclass(frozen=True, slots=True)
class _Region:
    """A stretch of rows between empty ones from row `top` on, and the columns in it that hold something."""

    top: int
    grid: Grid
    columns: tuple[int, ...]


@dataclass(slots=True)
class _Above:
    """What stands below the names, by column: in the stretch that has them and those that went on with them."""

    texts: dict[int, set[str]] = field(default_factory=dict)
    kinds: dict[int, set[str]] = field(default_factory=dict)

    def add(self, region: _Region, skip: int) -> None:
        """Take in the rows of a stretch but the first `skip`."""
        for row in region.grid[skip:]:
            for column, cell in zip(region.columns, row, strict=True):
                if cell.text:
                    self.texts.setdefault(column, set()).add(cell.text)
                    self.kinds.setdefault(column, set()).add(kept(cell.text))

    def are_alike(self, column: int) -> bool:
        """Whether the column holds two different texts or more and all are numbers, or all dates, codes and so on."""
        kinds = self.kinds.get(column, set())
        return len(self.texts.get(column, ())) > 1 and len(kinds) == 1 and "words" not in kinds


def add_regions(
    name: str, builder: TextBuilder, places: Places, left: Iterable[tuple[int, str, Why]] = ()
) -> tuple[int, ...]:
    """Add a sheet's tables to `builder`, each row 「列名: 值；列名: 值」; the first rows of those that have no names.

    A stretch without a caption goes on with the column names above it when it has the same columns, or when they stand
    alone above an empty row; unless its own first row holds names (`_has_names`). What is `left` out of a row (its
    number, the words, why) is noted behind it, or behind the last row above it that gave a line.

    Raises:
        UnsafeFile: more than 500,000 places, counting the empty ones inside tables.
    """
    names: dict[int, str] = {}
    """The column names last seen, by column, and the lines above them."""
    caption: tuple[str, ...] = ()
    waiting = sorted(left, key=lambda note: note[0])[::-1]
    above = _Above()
    nameless: list[int] = []
    for region in _regions(name, places):
        inherited = _inherited(region, names, above)
        rendered = render(region.grid, inherited)
        builder.table(rendered.lines, replace(rendered, caption=caption if inherited else rendered.caption).heading)
        while waiting and waiting[-1][0] < region.top + len(region.grid):
            row, words, why = waiting.pop()
            builder.remove(words, why, rendered.behind(row - region.top))
        if not inherited:
            above = _Above()
        header = rendered.header
        above.add(region, 0 if inherited or header is None else caption_rows(region.grid) + header.rows)
        if header is None and _is_nameless(region.grid):
            nameless.append(region.top + caption_rows(region.grid))
        if header and not inherited:
            names, caption = dict(zip(region.columns, header.names, strict=True)), rendered.caption
        elif alone := _names_alone(region.grid):
            names, caption, above = dict(zip(region.columns, alone, strict=True)), rendered.caption, _Above()
    for _, words, why in reversed(waiting):
        builder.remove(words, why)
    return tuple(nameless)


def _is_nameless(grid: Grid) -> bool:
    """Whether the first row below the caption is a row like those below it."""
    body = grid[caption_rows(grid) :]
    return len(body) > 1 and not find_form(body) and is_like_below(body)


def _inherited(region: _Region, names: Mapping[int, str], above: _Above) -> Header | None:
    """The column names above that `region` goes on with."""
    first = region.grid[0]
    if not names or caption_rows(region.grid) or find_form(region.grid) or _has_names(region, above):
        return None
    same = set(region.columns) == set(names)
    named = [names.get(column, "") for column in region.columns]
    fewer = len(region.columns) > 1 and not like_header(first) and sum(map(bool, named)) * 2 >= len(named)
    return Header(tuple(named), 0) if same or fewer else None


def _has_names(region: _Region, above: _Above) -> bool:
    """Whether the first row holds names of its own.

    It looks like names, and below one of them stands a value; or every cell is filled, none stands in its column
    again, here or in the stretches `above`, and one of these holds:

    - most of the cells are what columns are called;
    - below a cell of words stand codes alone, or years, or mail addresses;
    - in a column where all rows above are numbers, dates or codes there are words alone.
    """
    grid = region.grid
    if len(grid) < 2 or not like_header(grid[0]) or is_like_below(grid):
        return False
    if any(is_value(cell.text) for row in grid[1:] for cell in row if cell.text):
        return True
    top = [cell.text for cell in grid[0]]
    below = [[cell.text for cell in column if cell.text] for column in zip(*grid[1:], strict=True)]
    if not all(top) or len({*top}) < len(top):
        return False
    if any(t in one or t in above.texts.get(c, ()) for t, one, c in zip(top, below, region.columns, strict=True)):
        return False
    if sum(map(is_name, top)) * 2 > len(top):
        return True
    return any(
        are_alike(one) or (above.are_alike(column) and all(kind(text) == "words" for text in one))
        for name, one, column in zip(top, below, region.columns, strict=True)
        if kind(name) == "words" and one
    )


def _names_alone(grid: Grid) -> tuple[str, ...]:
    """The column names of a stretch that holds nothing else, below its caption; empty when it does."""
    rows = grid[caption_rows(grid) :]
    cells = [cell.text for row in rows for cell in row if cell.text]
    if not 1 <= len(rows) <= _HEADER_ROWS or not any(map(like_header, rows)) or any(map(is_value, cells)):
        return ()
    return header_names(rows)


def too_many(name: str) -> UnsafeFile:
    """The error for more than `MAX_CELLS` cells."""
    return UnsafeFile(
        en=f"{name}: more than {MAX_CELLS:,} cells. Split the table.",
        zh=f"{name}：单元格超过 {MAX_CELLS:,} 个，请拆分表格。",
    )


def _regions(name: str, places: Places) -> Iterator[_Region]:
    columns: dict[int, set[int]] = {}
    for row, column in places:
        columns.setdefault(row, set()).add(column)
    groups: list[list[int]] = []
    for row in sorted(columns):
        if groups and row == groups[-1][-1] + 1:
            groups[-1].append(row)
        else:
            groups.append([row])
    cells = 0
    for group in groups:
        used = sorted(set().union(*(columns[row] for row in group)))
        cells += len(group) * len(used)
        if cells > MAX_CELLS:
            raise too_many(name)
        yield _Region(group[0], [[places.get((r, c), Cell("", (r, c))) for c in used] for r in group], tuple(used))
