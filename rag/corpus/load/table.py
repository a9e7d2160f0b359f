"""Tables → lines that can be read alone: 「列名: 值；列名: 值」, one per row."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from rag.corpus.clean import flow_lines

MAX_CHARACTERS = 20_000_000
_LONGEST_HEADER = 60
_HEADER_ROWS = 3
# A number, amount, percentage or date; a year, a month or a quarter alone may well head a column.
_VALUE = re.compile(
    r"[\d\s.,，:：/%％¥￥$€+\-−~–—≤≥<>年月日元天万个小时次人]*\d[\d\s.,，:：/%％¥￥$€+\-−~–—≤≥<>年月日元天万个小时次人]*"
)
_PERIOD = re.compile(r"(?:19|20)\d{2}\s*年?度?|(?:(?:19|20)\d{2}\s*年)?\s*\d{1,2}\s*月份?")


class TableTooLarge(Exception):
    """Merged cells or column names repeat so much text that the table would have more than `MAX_CHARACTERS`."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A place in a table. Places that a merged cell covers share its text and its `anchor` (row, column)."""

    text: str
    anchor: tuple[int, int]


Grid = Sequence[Sequence[Cell]]


@dataclass(frozen=True, slots=True)
class Header:
    """A table's column names and the number of rows they took."""

    names: tuple[str, ...]
    rows: int


def plain_grid(rows: Sequence[Sequence[str]]) -> list[list[Cell]]:
    """A grid without merged cells; short rows are filled up with empty cells."""
    width = max((len(row) for row in rows), default=0)
    return [
        [Cell(flow_lines(row[c]) if c < len(row) else "", (r, c)) for c in range(width)] for r, row in enumerate(rows)
    ]


@dataclass(frozen=True, slots=True)
class Rendered:
    """A table as lines, and the header they were written with (for a table that goes on elsewhere)."""

    lines: tuple[str, ...]
    header: Header | None
    caption: tuple[str, ...] = ()

    @property
    def heading(self) -> str:
        """Caption and column names as text, for `rag.types.Table.header`."""
        names = " | ".join(name for name in self.header.names if name) if self.header else ""
        return "\n".join(line for line in (*self.caption, names) if line)


def table_lines(grid: Grid) -> tuple[str, ...]:
    """The lines of `render`, for a table that stands alone."""
    return render(grid).lines


def render(grid: Grid, inherited: Header | None = None, heads: int = 0) -> Rendered:
    """One line per row that holds something. `inherited` is the header when `grid` goes on with an earlier table.

    `heads` is how many rows at the top the file itself calls a header, 0 when it does not say.

    Rows above the header (a caption over the whole width) stand as they are, and so does a header without rows.
    Without a header-like row, and in a table of one column, the cells of a row are joined by 「 | 」.
    Raises `TableTooLarge`.
    """
    # counted before anything is joined: a long text in a cell over many rows stands in each of them
    if sum(len(cell.text) for row in grid for cell in row) > MAX_CHARACTERS:
        raise TableTooLarge
    if inherited:
        skipped = inherited.rows if _repeats(grid, inherited) else 0
        return Rendered(_bounded(named_row(row, inherited.names) for row in grid[skipped:]), inherited)
    caption = caption_rows(grid)
    said = heads - caption
    header = (
        Header(_names(grid[caption:heads]), said) if 0 < said < len(grid) - caption else find_header(grid[caption:])
    )
    body = grid[caption + (header.rows if header else 0) :]
    rows = (named_row(row, header.names) if header else joined_row(row) for row in body)
    above = tuple(map(joined_row, grid[:caption]))
    return Rendered(_bounded(chain(above, rows)), header, above)


def _bounded(lines: Iterable[str]) -> tuple[str, ...]:
    """The lines that hold something, as long as they are not too much together."""
    kept, size = [], 0
    for line in lines:
        size += len(line)
        if size > MAX_CHARACTERS:
            raise TableTooLarge
        if line:
            kept.append(line)
    return tuple(kept)


def _repeats(grid: Grid, header: Header) -> bool:
    """Whether `grid` starts with the header's own rows again."""
    return len(grid) >= header.rows and _names(grid[: header.rows]) == header.names


def _names(rows: Grid) -> tuple[str, ...]:
    """The name of every column: the different texts above it, from the top, joined by ``/``."""
    columns = zip(*rows, strict=True)
    return tuple("/".join(dict.fromkeys(cell.text for cell in column if cell.text)) for column in columns)


def caption_rows(grid: Grid) -> int:
    """How many rows at the top hold fewer than two different cells."""
    for number, row in enumerate(grid):
        if len(_distinct(row)) >= 2:
            return number
    return len(grid)


def find_header(grid: Grid) -> Header | None:
    """The column names in the first rows of `grid`, or None when its first row does not look like a header."""
    if len(grid) < 2 or not _like_header(grid[0]):
        return None
    rows = 1
    while rows < min(_HEADER_ROWS, len(grid) - 1) and _goes_on(grid[rows - 1], grid[rows]):
        rows += 1
    return Header(_names(grid[:rows]), rows)


def named_row(row: Sequence[Cell], names: Sequence[str]) -> str:
    """``row`` as 「列名: 值；列名: 值」, empty cells left out; a cell over the whole row stands alone."""
    distinct = _distinct(row)
    if len(row) > 1 and len(distinct) == 1 and all(cell.anchor == row[0].anchor for cell in row):
        return row[0].text
    pairs = zip(names, row, strict=False)
    return "；".join(f"{name}: {cell.text}" if name else cell.text for name, cell in pairs if cell.text)


def joined_row(row: Sequence[Cell]) -> str:
    """The row's cells joined by 「 | 」, every merged cell once."""
    return " | ".join(_distinct(row))


def _distinct(row: Sequence[Cell]) -> list[str]:
    return list({cell.anchor: cell.text for cell in row if cell.text}.values())


def _like_header(row: Sequence[Cell]) -> bool:
    filled = [cell.text for cell in row if cell.text]
    if len(filled) < 2 or len(filled) * 2 < len(row):
        return False
    return all(len(t) <= _LONGEST_HEADER and (_PERIOD.fullmatch(t) or not _VALUE.fullmatch(t)) for t in filled)


def _goes_on(above: Sequence[Cell], below: Sequence[Cell]) -> bool:
    """Whether `below` names the parts of columns that `above` heads together, and nothing else."""
    if any(b.text and b.anchor == a.anchor for a, b in zip(above, below, strict=True)):
        return True  # a column name reaches down into this row
    anchors = [cell.anchor for cell in above]
    spans = [anchors.count(anchor) > 1 for anchor in anchors]
    if not any(spans) or not _like_header(below):
        return False
    return all(span or b.anchor == a.anchor or not b.text for span, a, b in zip(spans, above, below, strict=False))
