"""Old Excel workbooks (.xls): every sheet a section, every row 「列名: 值；列名: 值」."""

from __future__ import annotations

import io
from typing import Any

import xlrd
from openpyxl.utils.datetime import MAC_EPOCH, WINDOWS_EPOCH

from rag.corpus.load.builder import Parsed, TextBuilder
from rag.corpus.load.cell import one_line
from rag.corpus.load.container import damaged
from rag.corpus.load.number import shown
from rag.corpus.load.regions import MAX_CELLS, add_regions, too_many
from rag.corpus.load.table import Cell
from rag.errors import Bilingual, LoadError


def parse(name: str, data: bytes) -> tuple[Parsed, ...]:
    """An old workbook, numbers and dates as displayed. Hidden sheets are read; a warning names them.

    Raises:
        LoadError: protected by a password, or damaged.
        UnsafeFile: more than 500,000 cells.
    """
    try:
        book = xlrd.open_workbook(file_contents=data, formatting_info=True, logfile=io.StringIO(), ragged_rows=True)
    except xlrd.XLRDError as error:
        if "encrypted" in str(error):
            raise LoadError(
                en=f"{name}: it is encrypted with a password. Open it in Excel or WPS and save a copy without a password.",
                zh=f"{name}：文件已加密（有密码）。请用 Excel 或 WPS 打开，另存为无密码的副本后再上传。",
            ) from error
        raise damaged(name) from error
    builder = TextBuilder()
    cells = 0
    for sheet in book.sheets():
        places = _places(name, book, sheet)
        cells += len(places)
        if cells > MAX_CELLS:
            raise too_many(name)
        if places:
            builder.heading(1, sheet.name)
            add_regions(name, builder, places)
    hidden = [sheet.name for sheet in book.sheets() if sheet.visibility and sheet.nrows]
    reading = Bilingual(
        en=f"old Excel (.xls), {book.nsheets} sheet{'s' * (book.nsheets != 1)}",
        zh=f"旧版 Excel（.xls），{book.nsheets} 个工作表",
    )
    return (builder.parsed(warnings=[_hidden(name, hidden)] if hidden else [], reading=reading),)


def _places(name: str, book: Any, sheet: Any) -> dict[tuple[int, int], Cell]:
    places: dict[tuple[int, int], Cell] = {}
    for r in range(sheet.nrows):
        for c in range(sheet.row_len(r)):
            text = one_line(_text(book, sheet.cell(r, c)))
            if text:
                places[r, c] = Cell(text, (r, c))
    for top, bottom, left, right in sheet.merged_cells:
        filled = places.get((top, left))
        if filled:
            if len(places) + (bottom - top) * (right - left) > 2 * MAX_CELLS:
                raise too_many(name)
            places.update({(r, c): filled for r in range(top, bottom) for c in range(left, right)})
    return places


def _text(book: Any, cell: Any) -> str:
    """What the cell shows."""
    if cell.ctype == xlrd.XL_CELL_TEXT:
        return str(cell.value)
    if cell.ctype == xlrd.XL_CELL_ERROR:
        return str(xlrd.error_text_from_code.get(cell.value, ""))
    if cell.ctype == xlrd.XL_CELL_BOOLEAN:
        return "TRUE" if cell.value else "FALSE"
    if cell.ctype not in (xlrd.XL_CELL_NUMBER, xlrd.XL_CELL_DATE):
        return ""
    picture = book.format_map[book.xf_list[cell.xf_index].format_key].format_str
    if cell.ctype == xlrd.XL_CELL_DATE:
        try:
            moment = xlrd.xldate_as_datetime(cell.value, book.datemode)
        except (xlrd.XLDateError, OverflowError):
            return shown(cell.value, "General")
        return shown(moment if cell.value >= 1 else moment.time(), picture)
    return shown(cell.value, picture, MAC_EPOCH if book.datemode else WINDOWS_EPOCH)


def _hidden(name: str, sheets: list[str]) -> Bilingual:
    listed = ", ".join(sheets[:8])
    return Bilingual(
        en=f"{name}: hidden sheets were read too: {listed}.", zh=f"{name}：隐藏的工作表也已读取：{listed}。"
    )
