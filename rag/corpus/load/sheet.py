"""Spreadsheets (.xlsx): every sheet a section, every row 「列名: 值；列名: 值」, values as the sheet shows them."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass, field
from typing import Any

from openpyxl import load_workbook
from openpyxl.cell.rich_text import CellRichText
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.worksheet import Worksheet

from rag.corpus.clean import clean_line
from rag.corpus.load.builder import Meta, Parsed, TextBuilder
from rag.corpus.load.cell import one_line
from rag.corpus.load.container import read_member
from rag.corpus.load.drawing import Line, body_words, parsed_part, struck_out
from rag.corpus.load.number import Picture
from rag.corpus.load.raised import Place, written
from rag.corpus.load.regions import Places, add_regions
from rag.corpus.load.sheet_bounds import check_cells
from rag.corpus.load.strict import readable
from rag.corpus.load.table import MAX_CHARACTERS, Cell, TableTooLarge
from rag.errors import Bilingual
from rag.types import Why

_BODY = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}txBody"
_PLACES: dict[str | None, Place] = {"superscript": "raised", "subscript": "lowered"}
# Formats that a file only names by number and that mean dates in Chinese versions of the programs (ISO/IEC 29500, 18.8.30).
_MONTH, _DAY, _CLOCK = 'yyyy"年"m"月"', 'm"月"d"日"', 'h"时"mm"分"'
_CHINESE_FORMATS = {
    **dict.fromkeys((27, 36, 50, 52, 57), _MONTH),
    **dict.fromkeys((28, 29, 51, 53, 54, 58), _DAY),
    30: "m-d-yy",
    31: f'{_MONTH}d"日"',
    32: _CLOCK,
    33: f'{_CLOCK}ss"秒"',
    **dict.fromkeys((34, 55), f"上午/下午{_CLOCK}"),
    **dict.fromkeys((35, 56), f'上午/下午{_CLOCK}ss"秒"'),
}


@dataclass(slots=True)
class _Found:
    """What the sheets hold that a person should know of."""

    hidden: list[Bilingual] = field(default_factory=list)
    pictures: dict[str, Picture] = field(default_factory=dict)
    read: set[str] = field(default_factory=set)
    """The drawings read: a file can point at one any number of times."""
    characters: int = 0
    left: list[tuple[int, str, Why]] = field(default_factory=list)
    """What is struck out on the sheet that is being read, or said in its comments, with the row."""


def parse(name: str, data: bytes) -> tuple[Parsed, ...]:
    """A workbook. Raises what `open_zip` raises, and `UnsafeFile` for more than 500,000 cells.

    Formulas give the result that was stored when the file was saved; where none was stored a warning says so.
    What is hidden (sheets, rows, columns, often by a filter somebody forgot) is read, and a warning names it.
    """
    data = readable(name, data)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        unsolved = check_cells(name, data)
        book = load_workbook(io.BytesIO(data), data_only=True, keep_links=False, rich_text=True)
        builder, found = TextBuilder(), _Found()
        for sheet in book.worksheets:
            places = _places(sheet, found)
            shapes = _shapes(name, archive, sheet, found.read)
            if places or shapes:
                builder.heading(1, sheet.title)
                found.hidden += _hidden(sheet, places)
            add_regions(name, builder, places, found.left + _comments(sheet))
            found.left.clear()
            for lines in shapes:
                builder.lines(line.text for line in lines if line.text)
                for words, back in struck_out(lines):
                    builder.remove(words, "deletion", back)
    properties = book.properties
    meta = Meta(title=clean_line(properties.title or ""), version=clean_line(properties.version or ""))
    count = len(book.worksheets)
    reading = Bilingual(en=f"Excel, {count} sheet{'s' * (count != 1)}", zh=f"Excel，{count} 个工作表")
    warnings = [_unsolved(name, unsolved)] if unsolved else []
    warnings += [_not_shown(name, found.hidden)] if found.hidden else []
    return (builder.parsed(meta, warnings=warnings, reading=reading),)


def _places(sheet: Worksheet, found: _Found) -> dict[tuple[int, int], Cell]:
    """Every place that shows something, merged areas filled with their cell. Keys are (row, column) from 1.

    Raises `TableTooLarge`: a text is stored once for any number of cells.
    """
    pictures = found.pictures
    book: Any = sheet.parent
    lined = {number for number, font in enumerate(book._fonts) if font.strike}
    cell: Any
    places: dict[tuple[int, int], Cell] = {}
    # Not iter_rows: it goes through the whole rectangle, 17 billion places when one stray cell stands at its end.
    for (row, column), cell in sheet._cells.items():
        value, code = _value(cell)
        if code not in pictures:
            pictures[code] = Picture(code, book.epoch)
        gone: list[str] = []
        is_struck = cell._style.fontId in lined
        if isinstance(value, CellRichText):
            value, gone = _letters(value, is_struck)
            is_struck = False
        text = one_line(pictures[code].shown(value))
        if text and is_struck:
            text, gone = "", [text]
        found.left += ((row, words, "deletion") for words in gone)
        if text or gone:  # a place that is struck out stays, empty, in its table
            places[row, column] = Cell(text, (row, column))
            found.characters += len(text) + sum(map(len, gone))
            if found.characters > MAX_CHARACTERS:
                raise TableTooLarge
    for area in sheet.merged_cells.ranges:
        filled = places.get((area.min_row, area.min_col))
        if filled:
            for row in range(area.min_row, area.max_row + 1):
                places.update({(row, column): filled for column in range(area.min_col, area.max_col + 1)})
    return places


def _value(cell: Any) -> tuple[object, str]:
    """A cell's value and number format; openpyxl does not know that the Chinese formats without a text are dates."""
    code = _CHINESE_FORMATS.get(cell._style.numFmtId if cell.number_format == "General" else 0)
    return cell.value, code or cell.number_format or "General"


def _letters(text: CellRichText, is_struck: bool) -> tuple[str, list[str]]:
    """What a text with several kinds of letters says, and what of it is struck out; `is_struck`: so is its cell."""
    runs: list[tuple[str, Place]] = []
    gone: list[str] = []
    for run in text:
        font = None if isinstance(run, str) else run.font
        if font.strike if font else is_struck:
            gone += [str(run)] if str(run) else []
        else:
            runs.append((str(run), _PLACES.get(font.vertAlign) if font else None))
    return "".join(written(runs)), gone


def _shapes(name: str, archive: zipfile.ZipFile, sheet: Any, read: set[str]) -> list[list[Line]]:
    """The words in the sheet's text boxes and shapes, which openpyxl passes over."""
    found = []
    for relation in sheet._rels:
        member = relation.Target.lstrip("/")
        if relation.Type.endswith("/drawing") and member in archive.NameToInfo and member not in read:
            read.add(member)
            drawing = parsed_part(read_member(name, archive, member))
            found += [lines for lines in map(body_words, drawing.iter(_BODY)) if lines]
    return found


def _comments(sheet: Worksheet) -> list[tuple[int, str, Why]]:
    commented = sorted((place, cell.comment) for place, cell in sheet._cells.items() if cell.comment is not None)
    return [(row, comment.text, "comment") for (row, _), comment in commented]


def _hidden(sheet: Worksheet, places: Places) -> list[Bilingual]:
    """What of the sheet holds something and is hidden, for a person: "Sheet1", "Sheet1 (columns C, D)", "Sheet1 (row 5)"."""
    if sheet.sheet_state != "visible":
        return [Bilingual(en=sheet.title, zh=sheet.title)]
    columns: set[int] = set()
    for one in sheet.column_dimensions.values():
        if one.hidden:
            columns |= set(range(one.min or 0, min(one.max or 0, 16_384) + 1))
    letters = [get_column_letter(c) for c in sorted({column for _, column in places} & columns)]
    rows = [str(r) for r in sorted({row for row, _ in places}) if sheet.row_dimensions[r].hidden]
    en, zh = list[str](), list[str]()
    for some, kind, named in ((letters, "column", "{} 列"), (rows, "row", "第 {} 行")):
        if some:
            en.append(f"{kind}{'s' * (len(some) > 1)} {_first(some, ', ')}")
            zh.append(named.format(_first(some, "、")))
    return [Bilingual(en=f"{sheet.title} ({', '.join(en)})", zh=f"{sheet.title}（{'，'.join(zh)}）")] if en else []


def _first(some: list[str], between: str) -> str:
    return between.join(some[:8]) + (" …" if len(some) > 8 else "")


def _not_shown(name: str, parts: list[Bilingual]) -> Bilingual:
    return Bilingual(
        en=f"{name}: hidden sheets, columns or rows were read too: {_first([p.en for p in parts], '; ')}.",
        zh=f"{name}：隐藏的工作表、列或行也已读取：{_first([p.zh for p in parts], '；')}。",
    )


def _unsolved(name: str, number: int) -> Bilingual:
    return Bilingual(
        en=f"{name}: {number} formulas have no stored result and are left out. Open and save the file in Excel or WPS.",
        zh=f"{name}：有 {number} 个公式没有保存计算结果，未收入。请用 Excel 或 WPS 打开并保存后再上传。",
    )
