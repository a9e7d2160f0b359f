"""Spreadsheets (.xlsx): every sheet a section, every row 「列名: 值；列名: 值」."""

from __future__ import annotations

import io
import re
import zipfile

from openpyxl import load_workbook
from openpyxl.utils import range_boundaries
from openpyxl.worksheet.worksheet import Worksheet

from rag.corpus.clean import clean_line, flow_lines
from rag.corpus.load.builder import Meta, Parsed, TextBuilder
from rag.corpus.load.container import read_member
from rag.corpus.load.number import shown
from rag.corpus.load.strict import readable
from rag.corpus.load.table import Cell, Header, caption_rows, render
from rag.errors import Bilingual, UnsafeFile

MAX_CELLS = 500_000
_CELL = re.compile(rb"<(?:\w+:)?c[\s>/]")
_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\b[^<>]*?\bref\s*=\s*[\"']([^\"']*)[\"']")
_NO_RESULT = re.compile(rb"</f>\s*(?:<v\s*/>|<v>\s*</v>)?\s*</c>")


def parse(name: str, data: bytes) -> tuple[Parsed, ...]:
    """A workbook. Raises what `open_zip` raises, and `UnsafeFile` for more than 500,000 cells.

    Formulas give the result that was stored when the file was saved; where none was stored a warning says so.
    """
    data = readable(name, data)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        unsolved = _check_cells(name, archive)
    book = load_workbook(io.BytesIO(data), data_only=True, keep_links=False)
    builder = TextBuilder()
    for sheet in book.worksheets:
        lines = _sheet_lines(sheet)
        if lines:
            builder.heading(1, sheet.title)
            for block in lines:
                builder.lines(block)
    properties = book.properties
    meta = Meta(title=clean_line(properties.title or ""), version=clean_line(properties.version or ""))
    return (builder.parsed(meta, warnings=[_unsolved(name, unsolved)] if unsolved else []),)


def _check_cells(name: str, archive: zipfile.ZipFile) -> int:
    """The number of formulas without a stored result, once cells and merged areas are found to be within bounds.

    Merged areas are counted before the reader sees them: it would make an object for every place they cover.
    """
    cells = unsolved = 0
    for member in archive.namelist():
        if not member.startswith("xl/worksheets/") or not member.endswith(".xml"):
            continue
        xml = read_member(name, archive, member).replace(b"\0", b"")  # UTF-16 reads like ASCII without its zeros
        cells += len(_CELL.findall(xml)) + sum(_area(ref.decode("ascii", "replace")) for ref in _MERGED.findall(xml))
        unsolved += len(_NO_RESULT.findall(xml))
        if cells > MAX_CELLS:
            raise UnsafeFile(
                en=f"{name}: more than {MAX_CELLS:,} cells. Split the workbook.",
                zh=f"{name}：单元格超过 {MAX_CELLS:,} 个，请拆分表格。",
            )
    return unsolved


def _area(reference: str) -> int:
    try:
        left, top, right, bottom = range_boundaries(reference)
    except (ValueError, TypeError):  # not a range; the reader will say so
        return 1
    if left is None or top is None or right is None or bottom is None:  # whole rows or columns
        return MAX_CELLS
    return int((right - left + 1) * (bottom - top + 1))


def _sheet_lines(sheet: Worksheet) -> list[tuple[str, ...]]:
    """The sheet's regions (stretches of rows between empty ones) as blocks of lines.

    A region without a caption and with as many columns as the one above goes on with that one's column names.
    """
    blocks: list[tuple[str, ...]] = []
    header: Header | None = None
    width = 0
    for grid in _regions(sheet):
        goes_on = header is not None and caption_rows(grid) == 0 and len(grid[0]) == width
        rendered = render(grid, header if goes_on else None)
        blocks.append(rendered.lines)
        if rendered.header:
            header, width = rendered.header, len(grid[0])
    return [block for block in blocks if block]


def _regions(sheet: Worksheet) -> list[list[list[Cell]]]:
    places = _places(sheet)
    rows = sorted({row for row, _ in places})
    groups: list[list[int]] = []
    for row in rows:
        if groups and row == groups[-1][-1] + 1:
            groups[-1].append(row)
        else:
            groups.append([row])
    regions = []
    for group in groups:
        columns = sorted({column for row, column in places if group[0] <= row <= group[-1]})
        regions.append([[places.get((r, c), Cell("", (r, c))) for c in columns] for r in group])
    return regions


def _places(sheet: Worksheet) -> dict[tuple[int, int], Cell]:
    """Every place that shows something, merged areas filled with their cell. Keys are (row, column) from 1."""
    places: dict[tuple[int, int], Cell] = {}
    # Not iter_rows: it goes through the whole rectangle, 17 billion places when one stray cell stands at its end.
    for (row, column), cell in sheet._cells.items():
        text = flow_lines(shown(cell.value, cell.number_format))
        if text:
            places[row, column] = Cell(text, (row, column))
    for area in sheet.merged_cells.ranges:
        filled = places.get((area.min_row, area.min_col))
        if filled:
            for row in range(area.min_row, area.max_row + 1):
                places.update({(row, column): filled for column in range(area.min_col, area.max_col + 1)})
    return places


def _unsolved(name: str, number: int) -> Bilingual:
    return Bilingual(
        en=f"{name}: {number} formulas have no stored result and are left out. Open and save the file in Excel or WPS.",
        zh=f"{name}：有 {number} 个公式没有保存计算结果，未收入。请用 Excel 或 WPS 打开并保存后再上传。",
    )
