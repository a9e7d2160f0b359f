"""Workbooks saved as XML (Excel 2003), which office systems export under the name .xls."""

from __future__ import annotations

from lxml import etree

from rag.corpus.load.builder import Parsed, TextBuilder
from rag.corpus.load.cell import one_line
from rag.corpus.load.decoded import Decoded
from rag.corpus.load.regions import MAX_CELLS, add_regions, too_many
from rag.corpus.load.table import Cell

_SPACE = "{urn:schemas-microsoft-com:office:spreadsheet}"
ROOT = f"{_SPACE}Workbook"


def parsed(name: str, root: etree._Element, decoded: Decoded) -> Parsed:
    """The workbook under `root`: every sheet a section, every row 「列名: 值；列名: 值」.

    Raises:
        UnsafeFile: more than 500,000 cells.
    """
    builder = TextBuilder()
    builder.source("\n".join(map(str, root.itertext())))
    for sheet in root.iter(f"{_SPACE}Worksheet"):
        places = _places(name, sheet)
        if places:
            builder.heading(1, sheet.get(f"{_SPACE}Name", ""))
            add_regions(name, builder, places)
    return builder.parsed(warnings=decoded.warnings, reading=decoded.as_kind("Excel as XML", "XML 格式的 Excel"))


def _places(name: str, sheet: etree._Element) -> dict[tuple[int, int], Cell]:
    places: dict[tuple[int, int], Cell] = {}
    r = 0
    for row in sheet.iter(f"{_SPACE}Row"):
        r = _number(row, "Index", r + 1)
        c = 0
        for tag in row.iter(f"{_SPACE}Cell"):
            c = _number(tag, "Index", c + 1)
            wide, high = _number(tag, "MergeAcross", 0), _number(tag, "MergeDown", 0)
            if len(places) + (wide + 1) * (high + 1) > MAX_CELLS:
                raise too_many(name)
            data = tag.find(f"{_SPACE}Data")
            text = one_line("".join(map(str, data.itertext()))) if data is not None else ""
            if text:
                cell = Cell(text, (r, c))
                places.update({(i, j): cell for i in range(r, r + high + 1) for j in range(c, c + wide + 1)})
            c += wide
    return places


def _number(tag: etree._Element, attribute: str, otherwise: int) -> int:
    value = tag.get(f"{_SPACE}{attribute}", "")
    return int(value) if value.isdecimal() and len(value) < 8 else otherwise
