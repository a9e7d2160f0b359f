"""Tables → lines that can be read alone: 「列名: 值；列名: 值」, one per row."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from rag.corpus.clean import flow_lines
from rag.corpus.load.form import Field, Row, form_line, form_rows
from rag.corpus.load.value import are_alike, is_name, is_value

MAX_CHARACTERS = 20_000_000
MAX_PLACES = 2_000_000
_LONGEST_HEADER = 60
_HEADER_ROWS = 3
# What stands below column names and says only in what the numbers are.
_UNIT = re.compile(
    r"[（(\[]?\s*(?:单位\s*[:：]?\s*)?(?:[十百千万亿]{0,2}(?:元|美元|欧元|人|人次|吨|件|个|次|天|日|户|辆|台|套)|元/\S{1,6}|%|％|‰|小时|分钟|年|月"
    r"|岁|平方米|公里|米|㎡|km|kg|[mk]?g|t|h|RMB|CNY|USD|EUR|CHF)\s*[）)\]]?"
)
_UNIT_NAME = re.compile(r"\s*(?:计量|计价)?单位|units?\b", re.I)
_REMARK = re.compile(
    r"(?:注|备注|附注|说明|资料来源|数据来源|来源|填表说明|notes?|source|remarks?)\s*\d{0,2}\s*[:：.、]|[※*＊]\s*\S",
    re.I,
)
_STATED = re.compile(r"[^:：]{1,20}[:：]\s*\S")
_LONGEST_FORM = 200
_ABOVE = 4  # rows above the column names that can say something else


class TableTooLarge(Exception):
    """Merged cells or column names repeat so much text that the table would have more than `MAX_CHARACTERS`, or it has too many places."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A place in a table. Places that a merged cell covers share its text and its `anchor` (row, column)."""

    text: str
    anchor: tuple[int, int]
    head: bool = False
    """Whether the file itself marks it as a header cell."""


Grid = Sequence[Sequence[Cell]]


@dataclass(frozen=True, slots=True)
class Header:
    """A table's column names and the number of rows they took."""

    names: tuple[str, ...]
    rows: int


def check_places(rows: int, columns: int) -> None:
    """Raise `TableTooLarge` when a rectangle of this size has more than `MAX_PLACES`: one wide row widens all others."""
    if rows * columns > MAX_PLACES:
        raise TableTooLarge


def plain_grid(rows: Sequence[Sequence[str]]) -> list[list[Cell]]:
    """A grid without merged cells; short rows are filled up with empty cells."""
    width = max((len(row) for row in rows), default=0)
    check_places(len(rows), width)
    return [
        [Cell(flow_lines(row[c]) if c < len(row) else "", (r, c)) for c in range(width)] for r, row in enumerate(rows)
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
        lines, rows = _bounded((r, named_row(grid[r], inherited.names)) for r in range(skipped, len(grid)))
        return Rendered(lines, inherited, rows=rows)
    caption = caption_rows(grid)
    heads = heads or _marked_rows(grid, caption)
    if heads <= caption and (height := form_height(grid[caption:])):
        return _with_form(grid, caption, height)
    said = heads - caption
    header = (
        Header(header_names(grid[caption:heads]), said)
        if 0 < said < len(grid) - caption
        else find_header(grid[caption:])
    )
    top = caption + (header.rows if header else 0)
    above = tuple(map(joined_row, grid[:caption]))
    # a column without values (签字, 备注) has its name in no row: the names stand above them then
    names = [(caption, " | ".join(filter(None, header.names)))] if header and _unused(grid[top:], header.names) else []
    body = ((r, named_row(grid[r], header.names) if header else joined_row(grid[r])) for r in range(top, len(grid)))
    lines, rows = _bounded(chain(enumerate(above), names, body))
    return Rendered(lines, header, above, rows)


def _unused(body: Grid, names: Sequence[str]) -> bool:
    """Whether a column has a name that no row is written with."""
    used = {c for row in body if not _stands_alone(row, _distinct(row)) for c, cell in enumerate(row) if cell.text}
    return any(name and c not in used for c, name in enumerate(names))


def _stands_alone(row: Sequence[Cell], distinct: Sequence[str]) -> bool:
    """Whether a row is one cell over its whole width, or a remark."""
    if len(row) < 2 or len(distinct) != 1:
        return False
    return all(cell.anchor == row[0].anchor for cell in row) or _REMARK.match(distinct[0]) is not None


def _with_form(grid: Grid, caption: int, height: int) -> Rendered:
    """The caption, the `height` rows of a form below it, and the rows below the form as a table of their own."""
    end = caption + height
    form, aside = _fields(grid[caption:end])
    above = tuple(map(joined_row, grid[:caption]))
    below = render(grid[end:]) if end < len(grid) else Rendered((), None)
    inside = enumerate(map(form_line, form), caption)
    after = zip((end + row for row in below.rows), below.lines, strict=True)
    lines, rows = _bounded(chain(enumerate(above), ((caption, line) for line in aside), inside, after))
    return Rendered(lines, below.header, (*above, *below.caption), rows)


def form_height(grid: Grid) -> int:
    """How many rows at the top are a form, in which labels and what is filled in alternate (see `form_rows`)."""
    height = form_rows(_fields(grid[:_LONGEST_FORM])[0])
    return height if height < _LONGEST_FORM else 0


def _fields(grid: Grid) -> tuple[list[Row], list[str]]:
    """The rows of what may be a form, and the text of the cells beside them that reach from its top to its end."""
    ends = zip(grid[0], grid[-1], strict=True) if len(grid) > 1 else ()
    tall = {a.anchor: a.text for a, b in ends if a.anchor == b.anchor}
    rows = [{cell.anchor: cell for cell in row if cell.anchor not in tall} for row in grid]
    return [[Field(cell.text, cell.head) for cell in row.values()] for row in rows], list(tall.values())


def _marked_rows(grid: Grid, caption: int) -> int:
    """How many rows at the top hold nothing but cells that the file marks as header cells; 0 when it marks all rows."""
    for number, row in enumerate(grid[: _HEADER_ROWS + caption + 1]):
        if number >= caption and not all(cell.head for cell in row if cell.text):
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


def header_names(rows: Grid) -> tuple[str, ...]:
    """The name of every column: the different texts above it, from the top, joined by ``/``."""
    columns = zip(*rows, strict=True)
    return tuple("/".join(dict.fromkeys(cell.text for cell in column if cell.text)) for column in columns)


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


def find_header(grid: Grid) -> Header | None:
    """The column names in the first rows of `grid`, or None when its first row does not look like a header."""
    if len(grid) < 2 or not like_header(grid[0]) or is_like_below(grid) or form_height(grid):
        return None
    rows = 1
    while rows < min(_HEADER_ROWS, len(grid) - 1) and _goes_on(grid[rows - 1], grid[rows], grid[rows + 1]):
        rows += 1
    return Header(header_names(grid[:rows]), rows)


def is_like_below(grid: Grid) -> bool:
    """Whether the first row is one of the others: it holds nothing that columns are called, and in some column it and
    all below it are numbers, dates, codes, years or mail addresses alike."""
    columns = [[cell.text for cell in column if cell.text] for column in zip(*grid, strict=True) if column[0].text]
    return not any(is_name(column[0]) for column in columns) and any(map(are_alike, columns))


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


def like_header(row: Sequence[Cell]) -> bool:
    """Whether a row can hold column names: at least two and in half of the columns, short, none a value."""
    filled = [cell.text for cell in row if cell.text]
    if len(filled) < 2 or len(filled) * 2 < len(row):
        return False
    return all(len(text) <= _LONGEST_HEADER and not is_value(text) for text in filled)


def _goes_on(above: Sequence[Cell], below: Sequence[Cell], next_row: Sequence[Cell]) -> bool:
    """Whether `below` belongs to the column names: it names the parts of columns that `above` heads, or their units."""
    if any(b.text and b.anchor == a.anchor for a, b in zip(above, below, strict=True)):
        return True  # a column name reaches down into this row
    # below a column called 单位 a unit is a value, and beside a name of something it is that thing's
    units = [a for a, b in zip(above, below, strict=True) if _is_unit(b.text)]
    others = [cell.text for cell in below if cell.text and not _is_unit(cell.text)]
    if units and not any(_UNIT_NAME.match(cell.text) for cell in units) and all(map(_UNIT_NAME.match, others)):
        return True
    anchors = [cell.anchor for cell in above]
    spans = [anchors.count(anchor) > 1 for anchor in anchors]
    if any(spans) and like_header(below):
        return all(span or b.anchor == a.anchor or not b.text for span, a, b in zip(spans, above, below, strict=False))
    # names that go over several columns without being merged: those below fill the gaps, and then come values
    gaps = sum(1 for a, b in zip(above, below, strict=True) if b.text and not a.text)
    return gaps >= 2 and like_header(below) and any(is_value(cell.text) for cell in next_row if cell.text)


def _is_unit(text: str) -> bool:
    return _UNIT.fullmatch(text) is not None
