"""Tables of a PDF that go on over the page break."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from rag.corpus.clean import flow
from rag.corpus.load.aligned import WIDEST_GAP, cells_under, is_code, is_short_cell
from rag.corpus.load.ink import Box
from rag.corpus.load.layout import Item, Left, Page
from rag.corpus.load.lines import Line
from rag.corpus.load.ruled import Grid, Table
from rag.corpus.load.table import Cell, find_header
from rag.corpus.load.value import is_name

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
    names: tuple[str, ...] = ()  # of the table that goes on
    for number in range(1, len(result)):
        before = _last(result[number - 1])
        last = result[number - 1].items[before] if before is not None else None
        if isinstance(last, Table) and last.names:
            result[number] = _with_rest(result[number], last)
        after = _first(result[number])
        if before is None or after is None:
            continue
        first = result[number].items[after]
        if not isinstance(last, Table) or not isinstance(first, Table) or not _same_columns(last, first):
            continue
        header = find_header(last.grid)
        names = (header.names if header else ()) if not last.goes_on else names
        items = list(result[number].items)
        is_said = any(isinstance(item, Line) for item in items[:after])
        if not is_said and _is_another(last, first, names):
            continue
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


def _with_rest(page: Page, table: Table) -> Page:
    """The page, where the rows at its top that stand under the names of `table`, which has no rules, are a table as well.

    Names are not needed for that, as they are for a table that begins; the pages may lie a little to the left or right.
    """
    start = _first_row(page)
    if start is None:
        return page
    top = page.items[start]
    lefts = [cell.x0 for cell in (top.names if isinstance(top, Table) else top.parts if isinstance(top, Line) else ())]
    for shift in dict.fromkeys((0.0, *(left - table.names[0].x0 for left in lefts[:1]))):
        names = tuple(replace(name, x0=name.x0 + shift, x1=name.x1 + shift) for name in table.names)
        found, n_items, box = _rows_under(page.items[start:], names)
        if found and not is_code(found):
            grid = tuple(tuple(Cell(text, (r, c)) for c, text in enumerate(row)) for r, row in enumerate(found))
            rest = Table(grid, box, tuple(name.x0 for name in names), names=names)
            return replace(page, items=(*page.items[:start], rest, *page.items[start + n_items :]))
    return page


def _first_row(page: Page) -> int | None:
    """The place of the first item that is neither left out nor says that a table goes on."""
    for place, item in enumerate(page.items):
        if not isinstance(item, Left) and not (isinstance(item, Line) and _CONTINUED.fullmatch(item.text)):
            return place
    return None


def _rows_under(items: Sequence[Item], names: tuple[Line, ...]) -> tuple[list[list[str]], int, Box]:
    """The texts of the rows that `items` begin with and that stand under `names`, the number of their items, and their box."""
    rows: list[list[str]] = []
    size = median(name.size for name in names)
    boxes: list[Box] = []
    for item in items:
        if isinstance(item, Left) or (boxes and item.top - boxes[-1][3] > WIDEST_GAP * size):
            break
        if isinstance(item, Table):
            if len(item.names) != len(names) or cells_under(item.names, names, size) is None:
                break
            rows += [[cell.text for cell in row] for row in item.grid]
            boxes.append(item.box)
            continue
        under = cells_under(item.parts, names, size)
        if under is None or (len(names) == 2 and not all(map(is_short_cell, item.parts))):
            break
        rows.append([under[c].text if c in under else "" for c in range(len(names))])
        boxes.append((item.x0, item.top, item.x1, item.bottom))
    x0, top, x1, bottom = zip(*boxes, strict=True) if boxes else ((0.0,),) * 4
    return rows, len(boxes), (min(x0), min(top), max(x1), max(bottom))


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


def _is_another(last: Table, first: Table, names: tuple[str, ...]) -> bool:
    """Whether `first` begins with column names of its own, other than the `names` of the table that ends the page before.

    Its first row must look like names: every cell filled with words, no figures, none that stands below it or in the
    same column before. And there must be evidence: it alone is bold, or what stands under it are figures where words
    stood before (or in two columns), or most of its cells are what tables call their columns.
    """
    header = find_header(first.grid)
    if header is None or header.names == names:
        return False
    top, body = [cell.text for cell in first.grid[0]], first.grid[header.rows :]
    if len({*top}) < len(top) or not all(any(map(str.isalpha, t)) and not any(map(str.isdigit, t)) for t in top):
        return False
    columns = list(zip(*last.grid[1 if names and not last.goes_on else 0 :], strict=True))
    if any(text in {cell.text for cell in column} for text, column in zip(top, columns, strict=True)):
        return False
    if any(row[c].text == text for row in body for c, text in enumerate(top)):
        return False
    figures = [c for c, column in enumerate(zip(*body, strict=True)) if _are_figures([cell.text for cell in column])]
    unlike = [c for c in figures if not any(any(map(str.isdigit, cell.text)) for cell in columns[c])]
    called = sum(map(is_name, top))
    told = len(body) > 1 and (bool(unlike) or len(figures) > 1)
    return first.bold_top or told or called * 2 > len(top)


def _are_figures(texts: Sequence[str]) -> bool:
    """Whether every text that is not empty holds a figure, and there is one."""
    filled = [text for text in texts if text]
    return bool(filled) and all(any(map(str.isdigit, text)) for text in filled)


def _mended(last: Table, first: Table) -> tuple[Table, Table]:
    """The two parts with the row that the page break cut made whole in the first of them, if it cut one.

    The rest of a row fills some of the columns that the row fills, or the only one, and those have lines that are
    broken: where a column is as wide as its longest text, every such text reaches its right side.
    """
    header = find_header(first.grid)
    repeats = header is not None and find_header(last.grid) == header
    skip = header.rows if header and repeats else 0
    if skip >= len(first.grid):
        return last, first
    rest = first.grid[skip]
    ends = last.grid[-1]
    filled = {c for c, cell in enumerate(rest) if cell.text}
    whole = len(filled) > 1 and filled == {c for c, cell in enumerate(ends) if cell.text}
    if not filled or whole or not filled <= last.full & (last.broken | first.broken):
        return last, first
    if any(ends[c].text.endswith(_ENDS) for c in filled):
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
