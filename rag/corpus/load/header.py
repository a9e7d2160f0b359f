"""Column names: which of a table's first rows hold them, and how each column is called."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag.corpus.load.cell import Cell, Grid
from rag.corpus.load.form import find_form
from rag.corpus.load.value import are_alike, is_name, is_value

_HEADER_ROWS = 3
_LONGEST_HEADER = 60
# What stands below column names and says only in what the numbers are.
_UNIT = re.compile(
    r"[（(\[]?\s*(?:单位\s*[:：]?\s*)?(?:[十百千万亿]{0,2}(?:元|美元|欧元|人|人次|吨|件|个|次|天|日|户|辆|台|套)|元/\S{1,6}|%|％|‰|小时|分钟|年|月"
    r"|岁|平方米|公里|米|㎡|km|kg|[mk]?g|t|h|RMB|CNY|USD|EUR|CHF)\s*[）)\]]?"
)
_SENTENCE_ENDS = tuple("。！!；;")
_ARTICLE = re.compile(r"第\s*[\d〇零一二三四五六七八九十百]{1,5}\s*[条款]")
_PARTY = re.compile(r"[甲乙丙丁]方")
_UNIT_NAME = re.compile(r"\s*(?:计量|计价)?单位|units?\b", re.I)


@dataclass(frozen=True, slots=True)
class Header:
    """A table's column names and the number of rows they took."""

    names: tuple[str, ...]
    rows: int


def header_names(rows: Grid) -> tuple[str, ...]:
    """The name of every column: the different texts above it, from the top, joined by ``/``."""
    columns = zip(*rows, strict=True)
    return tuple("/".join(dict.fromkeys(cell.text for cell in column if cell.text)) for column in columns)


def find_header(grid: Grid) -> Header | None:
    """The column names in the first rows of `grid`, or None when its first row does not look like a header.

    A cell that reaches from there into rows that hold no names is none either: 一线城市 beside 住宿 and 伙食.
    """
    if len(grid) < 2 or not like_header(grid[0]) or is_like_below(grid) or find_form(grid):
        return None
    rows = 1
    while rows < min(_HEADER_ROWS, len(grid) - 1) and _goes_on(grid[rows - 1], grid[rows], grid[rows + 1]):
        rows += 1
    # what reaches from here into the rows of values is a group of them
    return None if _reaching(grid[rows - 1], grid[rows]) else Header(header_names(grid[:rows]), rows)


def is_like_below(grid: Grid) -> bool:
    """Whether the first row is one of the others: it holds nothing that columns are called, and in some column it and
    all below it are numbers, dates, codes, years or mail addresses alike."""
    columns = [[cell.text for cell in column if cell.text] for column in zip(*grid, strict=True) if column[0].text]
    return not any(is_name(column[0]) for column in columns) and any(map(are_alike, columns))


def like_header(row: Sequence[Cell]) -> bool:
    """Whether a row can hold column names: at least two and in half of the columns, short, none a value or a sentence.

    A row that begins with a question, 第三条, or 甲方 without 乙方 beside it, is one of several such rows.
    """
    filled = [cell.text for cell in row if cell.text]
    if len(filled) < 2 or len(filled) * 2 < len(row):
        return False
    if filled[0].endswith(("？", "?")) or any(text.endswith(_SENTENCE_ENDS) for text in filled):
        return False
    if _ARTICLE.match(filled[0]) or _PARTY.match(filled[0]) and not _PARTY.match(filled[1]):
        return False
    return all(len(text) <= _LONGEST_HEADER and not is_value(text) for text in filled)


def _goes_on(above: Sequence[Cell], below: Sequence[Cell], next_row: Sequence[Cell]) -> bool:
    """Whether `below` belongs to the column names: it names the parts of columns that `above` heads, or their units."""
    if reaching := _reaching(above, below):
        return _names_parts(above, below) or all(_is_column(above[c], next_row[c]) for c in reaching)
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


def _reaching(above: Sequence[Cell], below: Sequence[Cell]) -> list[int]:
    """The columns in which one cell stands in both rows."""
    return [c for c, (a, b) in enumerate(zip(above, below, strict=True)) if b.text and b.anchor == a.anchor]


def _names_parts(above: Sequence[Cell], below: Sequence[Cell]) -> bool:
    """Whether what is new in the row below stands under names of several columns, merged or not, or is a unit."""
    anchors = [cell.anchor for cell in above]
    for c, (a, b) in enumerate(zip(above, below, strict=True)):
        wide = not a.text or anchors.count(a.anchor) > 1 or c + 1 < len(above) and not above[c + 1].text
        if b.text and b.anchor != a.anchor and not wide and not _is_unit(b.text):
            return False
    return True


def _is_column(name: Cell, value: Cell) -> bool:
    """Whether a cell over two rows is what columns are called, and what comes below it is not."""
    return is_name(name.text) and value.anchor != name.anchor and not is_name(value.text)


def _is_unit(text: str) -> bool:
    return _UNIT.fullmatch(text) is not None
