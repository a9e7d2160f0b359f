"""Word documents (.docx): paragraphs, lists, tables and text boxes in the order of the body."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import docx
from docx.oxml.ns import qn

from rag.corpus.clean import clean_line, flow_lines
from rag.corpus.load.builder import Meta, Parsed, TextBuilder
from rag.corpus.load.headings import heading_level
from rag.corpus.load.metadata import title_line
from rag.corpus.load.strict import readable
from rag.corpus.load.table import Cell, render, table_lines

_HEADING = re.compile(r"(?:heading|标题)\s*(\d)", re.IGNORECASE)
_CONTENTS = re.compile(r"(?:toc|目录)\s*\d", re.IGNORECASE)
_P, _TBL, _SDT, _SDT_CONTENT = qn("w:p"), qn("w:tbl"), qn("w:sdt"), qn("w:sdtContent")
_ROW, _CELL = qn("w:tr"), qn("w:tc")
_TEXT, _TAB, _BREAK, _RETURN, _HYPHEN = qn("w:t"), qn("w:tab"), qn("w:br"), qn("w:cr"), qn("w:noBreakHyphen")
_BOX = qn("w:txbxContent")
# The fallback of an AlternateContent repeats its choice; deleted and moved-away text is no longer in the document.
_SKIPPED = {"{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback", qn("w:del"), qn("w:moveFrom")}
_PROPERTIES = {qn("w:pPr"), qn("w:rPr")}
_MAX_SPAN = 63  # the most columns Word knows


@dataclass(frozen=True, slots=True)
class _Style:
    name: str
    level: int | None
    """Outline level, 1 is outermost; None for body text."""
    is_list: bool


def parse(name: str, data: bytes) -> tuple[Parsed, ...]:
    """A Word document. Raises what `open_zip` raises; python-docx's own errors are the caller's to translate."""
    source = docx.Document(io.BytesIO(readable(name, data)))
    walker = _Walker(_styles(source))
    walker.walk(source.element.body)
    walker.end_list()
    properties = source.core_properties
    meta = Meta(title=clean_line(properties.title or ""), version=clean_line(properties.version or ""))
    return (walker.builder.parsed(meta, title_hint=walker.title or title_line(walker.builder.text())),)


class _Walker:
    """Goes through the body once and fills a `TextBuilder`."""

    def __init__(self, styles: dict[str, _Style]) -> None:
        self.builder = TextBuilder()
        self.title = ""
        self._styles = styles
        self._list: list[str] = []

    def walk(self, parent: Any) -> None:
        for element in parent.iterchildren():
            if element.tag == _P:
                self._paragraph(element)
            elif element.tag == _TBL:
                self.end_list()
                rendered = render(_grid(element))
                self.builder.table(rendered.lines, rendered.heading)
            elif element.tag == _SDT:
                for content in element.iterchildren(_SDT_CONTENT):
                    self.walk(content)

    def end_list(self) -> None:
        self.builder.lines(self._list)
        self._list = []

    def _paragraph(self, element: Any) -> None:
        text, style = _text(element).strip(), self._style(element)
        if text and not _CONTENTS.match(style.name):
            if style.is_list and style.level is None:
                self._list.append(f"- {flow_lines(text)}")
            else:
                self.end_list()
                self._block(text, style)
        for box in _boxes(element):
            self.end_list()
            self.walk(box)

    def _block(self, text: str, style: _Style) -> None:
        level = style.level if style.level is not None else heading_level(text)
        if style.name.lower() in ("title", "标题"):
            self.title = self.title or clean_line(text)
            self.builder.add(text)
        elif level is not None:
            self.builder.heading(level, text)
        else:
            self.builder.add(text)

    def _style(self, element: Any) -> _Style:
        properties = element.find(qn("w:pPr"))
        named = properties.find(qn("w:pStyle")) if properties is not None else None
        style = self._styles.get(named.get(qn("w:val")) if named is not None else "", _Style("", None, False))
        if properties is None:
            return style
        own = _outline(properties)
        numbered = _numbered(properties)
        return _Style(
            style.name, own if own is not None else style.level, style.is_list if numbered is None else numbered
        )


def _styles(source: Any) -> dict[str, _Style]:
    """Every paragraph style by id; outline level and list membership come down from the style it is based on."""
    found: dict[str, _Style] = {}
    for style in source.styles.element.iterchildren(qn("w:style")):
        name, level, is_list = _name(style), None, None
        seen: set[str] = set()
        step: Any = style
        while step is not None and step.get(qn("w:styleId")) not in seen:
            seen.add(step.get(qn("w:styleId")))
            properties = step.find(qn("w:pPr"))
            if properties is not None:
                level = _outline(properties) if level is None else level
                is_list = _numbered(properties) if is_list is None else is_list
            heading = _HEADING.fullmatch(_name(step))
            level = int(heading.group(1)) if level is None and heading else level
            based = step.find(qn("w:basedOn"))
            step = source.styles.element.get_by_id(based.get(qn("w:val"))) if based is not None else None
        found[style.get(qn("w:styleId")) or ""] = _Style(name, level, bool(is_list))
    return found


def _name(style: Any) -> str:
    name = style.find(qn("w:name"))
    return (name.get(qn("w:val")) or "") if name is not None else ""


def _outline(properties: Any) -> int | None:
    """The outline level that paragraph properties set, 1…9; None when they set none (value 9 is body text)."""
    outline = properties.find(qn("w:outlineLvl"))
    value = outline.get(qn("w:val")) if outline is not None else None
    return int(value) + 1 if value is not None and value.isdecimal() and int(value) < 9 else None


def _numbered(properties: Any) -> bool | None:
    """Whether the properties put a paragraph in a list; None when they do not say (numId 0 takes it out)."""
    number = properties.find(f"{qn('w:numPr')}/{qn('w:numId')}")
    return None if number is None else number.get(qn("w:val")) != "0"


def _text(element: Any) -> str:
    return "".join(_pieces(element))


def _pieces(element: Any) -> Iterator[str]:
    """The characters of a paragraph in order; text boxes, properties and what was deleted are left out."""
    for child in element.iterchildren():
        if child.tag == _TEXT:
            yield child.text or ""
        elif child.tag in (_BREAK, _RETURN):
            yield "\n"
        elif child.tag == _TAB:
            yield "\t"
        elif child.tag == _HYPHEN:
            yield "-"
        elif child.tag not in _SKIPPED and child.tag not in _PROPERTIES and child.tag != _BOX:
            yield from _pieces(child)


def _boxes(element: Any) -> Iterator[Any]:
    """The text boxes anchored in a paragraph, each once."""
    for child in element.iterchildren():
        if child.tag == _BOX:
            yield child
        elif child.tag not in _SKIPPED and child.tag != _TEXT:
            yield from _boxes(child)


def _grid(table: Any) -> list[list[Cell]]:
    """The table as a rectangle; places that a merged cell covers carry its text and anchor."""
    grid: list[list[Cell]] = []
    for r, row in enumerate(_children(table, _ROW)):
        cells: list[Cell] = []
        for cell in _children(row, _CELL):
            properties = cell.find(qn("w:tcPr"))
            span, merge = _spans(properties)
            above = grid[-1][len(cells)] if grid and len(cells) < len(grid[-1]) else None
            content = above if merge == "continue" and above else Cell(_cell_text(cell), (r, len(cells)))
            cells += [content] * span
        grid.append(cells)
    width = max((len(row) for row in grid), default=0)
    return [row + [Cell("", (r, c)) for c in range(len(row), width)] for r, row in enumerate(grid)]


def _children(parent: Any, tag: str) -> Iterator[Any]:
    """Direct children of `tag`, also those inside content controls."""
    for child in parent.iterchildren():
        if child.tag == tag:
            yield child
        elif child.tag in (_SDT, _SDT_CONTENT):
            yield from _children(child, tag)


def _spans(properties: Any) -> tuple[int, str]:
    """How many columns a cell covers, and ``continue`` when it goes on from the row above."""
    if properties is None:
        return 1, ""
    span, merge = properties.find(qn("w:gridSpan")), properties.find(qn("w:vMerge"))
    value = span.get(qn("w:val")) if span is not None else "1"
    columns = min(max(int(value), 1), _MAX_SPAN) if value and value.isdecimal() else 1
    return columns, "" if merge is None else merge.get(qn("w:val")) or "continue"


def _cell_text(cell: Any) -> str:
    """A cell's paragraphs on one line; a table inside the cell gives its rows, joined by 「；」."""
    parts: list[str] = []
    for child in cell.iterchildren():
        if child.tag == _P:
            parts.append(_text(child))
        elif child.tag == _TBL:
            parts.append("；".join(table_lines(_grid(child))))
        elif child.tag == _SDT:
            parts += [_cell_text(content) for content in child.iterchildren(_SDT_CONTENT)]
    return flow_lines("\n".join(parts))
