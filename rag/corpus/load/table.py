"""Tables → lines that can be read alone: 「列名: 值；列名: 值」, one per row."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from rag.corpus.load.cell import Cell, Grid, one_line
from rag.corpus.load.form import Form, find_form, form_line
from rag.corpus.load.header import Header, find_header, header_names, like_header

__all__ = [
    "MAX_CHARACTERS",
    "Cell",
    "Grid",
    "Header",
    "Rendered",
    "TableTooLarge",
    "caption_rows",
    "check_places",
    "find_header",
    "header_names",
    "joined_row",
    "like_header",
    "named_row",
    "plain_grid",
    "render",
    "table_lines",
]
MAX_CHARACTERS = 20_000_000
MAX_PLACES = 2_000_000
_HEADER_ROWS = 3
_REMARK = re.compile(
    r"(?:注|备注|附注|说明|资料来源|数据来源|来源|填表说明|notes?|source|remarks?)\s*\d{0,2}\s*[:：.、]|[※*＊]\s*\S",
    re.I,
)
_STATED = re.compile(r"[^:：]{1,20}[:：]\s*\S")
_ABOVE = 4  # rows above the column names that can say something else


class TableTooLarge(Exception):
    """Merged cells or column names repeat so much text that the table would have more than `MAX_CHARACTERS`, or it has too many places."""


def check_places(rows: int, columns: int) -> None:
    """Raise `TableTooLarge` when a rectangle of this size has more than `MAX_PLACES`: one wide row widens all others."""
    if rows * columns > MAX_PLACES:
        raise TableTooLarge


def plain_grid(rows: Sequence[Sequence[str]]) -> list[list[Cell]]:
    """A grid without merged cells; short rows are filled up with empty cells."""
    width = max((len(row) for row in rows), default=0)
    check_places(len(rows), width)
    return [
        [Cell(one_line(row[c]) if c < len(row) else "", (r, c)) for c in range(width)] for r, row in enumerate(rows)
    ]


@dataclass(frozen=True, slots=True)
class Rendered:
    """A table as lines, and the header they were written with (for a table that goes on elsewhere)."""

    lines: tuple[str, ...]
    header: Header | None
    caption: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()
    """The row of the grid that each line was."""

    def behind(self, row: int) -> int:
        """How many characters of the lines, one below the other, follow the last line that was `row` or one above it.

        >>> render(plain_grid([["甲", "乙"], ["1", "2"], ["3", "4"]])).behind(1)  # "\\n甲: 3；乙: 4"
        10
        """
        before = sum(number <= row for number in self.rows)
        return sum(len(line) + 1 for line in self.lines[before:]) - (0 if before or not self.lines else 1)

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

    `heads` is how many rows at the top the file itself calls a header, 0 when it does not say or marks cells.
    A form (see `form_rows`) gives 「标签: 值；标签: 值」; what stands below one is a table of its own.

    Rows above the header (a caption over the whole width) stand as they are, and so does a header without rows.
    Without a header-like row, and in a table of one column, the cells of a row are joined by 「 | 」.
    Raises `TableTooLarge`.
    """
    # counted before anything is joined: a long text in a cell over many rows stands in each of them
    if sum(len(cell.text) for row in grid for cell in row) > MAX_CHARACTERS:
        raise TableTooLarge
    if inherited:
        skipped = inherited.rows if _repeats(grid, inherited) else 0
        lines, rows = _bounded((r, _body_row(grid, r, inherited)) for r in range(skipped, len(grid)))
        return Rendered(lines, inherited, rows=rows)
    caption = caption_rows(grid)
    heads = heads or _marked_rows(grid, caption)
    if heads <= caption and (form := find_form(grid[caption:])):
        return _with_form(grid, caption, form)
    said = heads - caption
    header = (
        Header(header_names(grid[caption:heads]), said)
        if 0 < said < len(grid) - caption
        else find_header(grid[caption:])
    )
    top = caption + (header.rows if header else 0)
    above = tuple("" if _is_again(grid, r) else joined_row(grid[r]) for r in range(caption))
    # a column without values (签字, 备注) has its name in no row: the names stand above them then
    names = [(caption, " | ".join(filter(None, header.names)))] if header and _unused(grid[top:], header.names) else []
    body = ((r, _body_row(grid, r, header)) for r in range(top, len(grid)))
    lines, rows = _bounded(chain(enumerate(above), names, body))
    return Rendered(lines, header, above, rows)


def _body_row(grid: Grid, row: int, header: Header | None) -> str:
    if _is_again(grid, row):
        return ""
    return named_row(grid[row], header.names) if header else joined_row(grid[row])


def _is_again(grid: Grid, row: int) -> bool:
    """Whether a row holds nothing but cells that reach down from the one above it: it was written with that."""
    return row > 0 and all(a.anchor == b.anchor for a, b in zip(grid[row - 1], grid[row], strict=True))


def _unused(body: Grid, names: Sequence[str]) -> bool:
    """Whether a column has a name that no row is written with."""
    used = {c for row in body if not _stands_alone(row, _distinct(row)) for c, cell in enumerate(row) if cell.text}
    return any(name and c not in used for c, name in enumerate(names))


def _stands_alone(row: Sequence[Cell], distinct: Sequence[str]) -> bool:
    """Whether a row is one cell over its whole width, or a remark."""
    if len(row) < 2 or len(distinct) != 1:
        return False
    return all(cell.anchor == row[0].anchor for cell in row) or _REMARK.match(distinct[0]) is not None


def _with_form(grid: Grid, caption: int, form: Form) -> Rendered:
    """The caption, the rows of a form below it, and the rows below the form as a table of their own."""
    end = caption + len(form.rows)
    above = tuple(map(joined_row, grid[:caption]))
    below = render(grid[end:]) if end < len(grid) else Rendered((), None)
    inside = ((r, "" if _is_again(grid, r) else form_line(row)) for r, row in enumerate(form.rows, caption))
    after = zip((end + row for row in below.rows), below.lines, strict=True)
    lines, rows = _bounded(chain(enumerate(above), ((caption, line) for line in form.aside), inside, after))
    return Rendered(lines, below.header, (*above, *below.caption), rows)


def _marked_rows(grid: Grid, caption: int) -> int:
    """How many rows at the top hold nothing but cells that the file marks as header cells; 0 when it marks all rows.

    Below column names a row that holds one cell alone, from the first column on, names a group of rows.
    """
    for number, row in enumerate(grid[: _HEADER_ROWS + caption + 1]):
        is_group = number > caption and row[0].text and len(_distinct(row)) == 1
        if number >= caption and (is_group or not all(cell.head for cell in row if cell.text)):
            return number if number > caption else 0
    return 0


def _bounded(lines: Iterable[tuple[int, str]]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The lines that hold something and their rows, as long as they are not too much together."""
    kept: list[str] = []
    rows: list[int] = []
    size = 0
    for row, line in lines:
        size += len(line)
        if size > MAX_CHARACTERS:
            raise TableTooLarge
        if line:
            kept.append(line)
            rows.append(row)
    return tuple(kept), tuple(rows)


def _repeats(grid: Grid, header: Header) -> bool:
    """Whether `grid` starts with the header's own rows again."""
    return len(grid) >= header.rows and header_names(grid[: header.rows]) == header.names


def caption_rows(grid: Grid) -> int:
    """How many rows stand above the table itself: a title over its width, lines like 编制单位：… and 单位：万元.

    They hold fewer than two different cells, or few for the table's width with a row of column names soon below.
    """
    for number, row in enumerate(grid):
        cells = _distinct(row)
        if len(cells) >= 2 and not (_is_sparse(row, cells) and any(map(like_header, grid[number + 1 : _ABOVE + 1]))):
            return number
    return len(grid)


def _is_sparse(row: Sequence[Cell], cells: Sequence[str]) -> bool:
    if all(map(_STATED.match, cells)):
        return len(cells) * 2 <= len(row)
    return sum(1 for cell in row if cell.text) * 3 <= len(row)


def named_row(row: Sequence[Cell], names: Sequence[str]) -> str:
    """``row`` as 「列名: 值；列名: 值」, empty cells left out; a cell over the whole row and a remark stand alone."""
    distinct = _distinct(row)
    if _stands_alone(row, distinct):
        return distinct[0]
    pairs = zip(names, row, strict=False)
    return "；".join(f"{name}: {cell.text}" if name else cell.text for name, cell in pairs if cell.text)


def joined_row(row: Sequence[Cell]) -> str:
    """The row's cells joined by 「 | 」, every merged cell once."""
    return " | ".join(_distinct(row))


def _distinct(row: Sequence[Cell]) -> list[str]:
    return list({cell.anchor: cell.text for cell in row if cell.text}.values())
