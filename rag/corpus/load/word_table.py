"""Word's tables as rectangles: cells that go over columns and rows, rows that start late, deleted rows left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any

from docx.oxml.ns import qn

from rag.corpus.load.numbering import is_on
from rag.corpus.load.table import Cell, check_places

_ROW, _CELL = qn("w:tr"), qn("w:tc")
_WRAPPERS = {qn(f"w:{tag}") for tag in ("sdt", "sdtContent", "customXml", "ins", "moveTo")}
_GONE = {qn(f"w:{tag}") for tag in ("del", "moveFrom", "cellDel")}
_MAX_SPAN = 63  # the most columns Word knows


def table_rows(table: Any) -> list[Any]:
    """The rows that are not deleted, also those inside content controls."""
    return [row for row in _children(table, _ROW) if not is_deleted(row)]


def deleted(table: Any) -> Iterator[tuple[int, str]]:
    """The words of rows and cells that a revision deleted, and the number of the shown row in or behind which they stood.

    It counts from 0; −1 above the first row.
    """
    shown = -1
    for row in _children(table, _ROW):
        if is_deleted(row):
            yield shown, all_words(row)
            continue
        shown += 1
        for cell in _children(row, _CELL):
            if is_deleted(cell):
                yield shown, all_words(cell)


def all_words(element: Any) -> str:
    """What stands in an element, deleted or not, its paragraphs joined by a blank."""
    texts = groupby(
        element.iter(qn("w:t"), qn("w:delText")), key=lambda text: next(text.iterancestors(qn("w:p")), None)
    )
    return " ".join("".join(text.text or "" for text in of_one) for _, of_one in texts)


def row_cells(row: Any) -> list[Any]:
    """The cells of a row, also those inside content controls."""
    return [cell for cell in _children(row, _CELL) if not is_deleted(cell)]


def is_deleted(part: Any) -> bool:
    """Whether a revision deleted this row or cell."""
    properties = part.find(qn("w:trPr" if part.tag == _ROW else "w:tcPr"))
    return properties is not None and any(child.tag in _GONE for child in properties)


def is_frame(table: Any) -> bool:
    """Whether a table only draws a frame around text: one cell in every row, and more than a paragraph in one."""
    rows = [row_cells(row) for row in table_rows(table)]
    if not rows or any(len(cells) != 1 for cells in rows):
        return False
    return any(sum(1 for p in cell.iter(qn("w:p")) if any(p.itertext(qn("w:t")))) > 1 for (cell,) in rows)


def grid(table: Any, cell_text: Callable[[Any, int], str], covered: Callable[[int, str], None]) -> list[list[Cell]]:
    """The table as a rectangle; places that a merged cell covers carry its text and anchor.

    `cell_text` is asked for every cell that is shown, with the number of its row, in the order of the document; `covered`
    gets the number of the row and the words of every cell that a merged one covers, which Word shows nowhere. Raises `TableTooLarge`.
    """
    lines: list[list[Cell]] = []
    for r, row in enumerate(table_rows(table)):
        cells = [Cell("", (r, c)) for c in range(_skipped(row))]
        for cell in row_cells(row):
            at = len(cells)
            properties = cell.find(qn("w:tcPr"))
            above = lines[-1][at] if lines and at < len(lines[-1]) else None
            if _goes_on(properties, "w:vMerge") and above:
                content = above
                covered(r, all_words(cell))
            elif _goes_on(properties, "w:hMerge") and cells:
                content = cells[-1]
                covered(r, all_words(cell))
            else:
                content = Cell(cell_text(cell, r), (r, at))
            cells += [content] * _number(properties, "w:gridSpan", 1)
        lines.append(cells)
    width = max((len(cells) for cells in lines), default=0)
    check_places(len(lines), width)
    return [cells + [Cell("", (r, c)) for c in range(len(cells), width)] for r, cells in enumerate(lines)]


def header_rows(table: Any) -> int:
    """How many rows at the top are said to stand on every page the table reaches."""
    count = 0
    for row in table_rows(table):
        said = row.find(f"{qn('w:trPr')}/{qn('w:tblHeader')}")
        if said is None or not is_on(said):
            break
        count += 1
    return count


def _children(parent: Any, tag: str) -> Iterator[Any]:
    for child in parent.iterchildren():
        if child.tag == tag:
            yield child
        elif child.tag in _WRAPPERS:
            yield from _children(child, tag)


def _skipped(row: Any) -> int:
    """How many columns a row leaves free before its first cell."""
    return _number(row.find(qn("w:trPr")), "w:gridBefore", 0)


def _number(properties: Any, tag: str, default: int) -> int:
    element = properties.find(qn(tag)) if properties is not None else None
    value = element.get(qn("w:val")) if element is not None else None
    return min(max(int(value), default), _MAX_SPAN) if value and value.isdecimal() else default


def _goes_on(properties: Any, tag: str) -> bool:
    """Whether a cell goes on from the one above (w:vMerge) or before (w:hMerge): a merge that does not say it starts."""
    merge = properties.find(qn(tag)) if properties is not None else None
    return merge is not None and merge.get(qn("w:val")) in (None, "continue")
