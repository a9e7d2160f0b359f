"""Presentations (.pptx): every slide a page and a section; its words in reading order, its notes below them."""

from __future__ import annotations

import io
from collections.abc import Iterable
from itertools import product
from typing import Any

import pptx
from pptx.enum.shapes import PP_PLACEHOLDER

from rag.corpus.clean import clean_line, clean_text, is_wide
from rag.corpus.load.builder import Meta, Parsed, TextBuilder
from rag.corpus.load.cell import one_line
from rag.corpus.load.drawing import (
    Line,
    body_lines,
    body_words,
    chart_table,
    chart_title,
    diagram_part,
    diagram_words,
    flatten_alternatives,
    struck_out,
    whole,
)
from rag.corpus.load.strict import readable
from rag.corpus.load.table import Cell, Rendered, check_places, render
from rag.errors import Bilingual
from rag.types import Why

_TITLES = (PP_PLACEHOLDER.TITLE, PP_PLACEHOLDER.CENTER_TITLE)
_FURNITURE: dict[Any, Why] = {
    PP_PLACEHOLDER.SLIDE_NUMBER: "page_number",
    PP_PLACEHOLDER.FOOTER: "running_line",
    PP_PLACEHOLDER.HEADER: "running_line",
    PP_PLACEHOLDER.DATE: "running_line",
}
# Shapes whose tops differ by less stand beside each other: half the height of a line of 18 points, in EMU.
_SAME_LINE = 114_300
_LONGEST_TITLE = 60


def parse(name: str, data: bytes) -> tuple[Parsed, ...]:
    """A presentation. Slides that are not shown are left out, noted and counted in a warning.

    Raises what `open_zip` raises, and `TableTooLarge`; python-pptx's own errors are the caller's to translate.
    """
    source = pptx.Presentation(io.BytesIO(readable(name, data)))
    builder = TextBuilder()
    hidden = 0
    read: set[str] = set()
    for slide in source.slides:
        builder.page()
        flatten_alternatives(slide._element)
        if slide._element.get("show") in ("0", "false"):
            hidden += 1
            builder.remove(whole(body_words(slide._element)), "hidden")
        else:
            _Slide(builder, read).read(slide)
    properties = source.core_properties
    meta = Meta(title=clean_line(properties.title or ""), version=clean_line(properties.version or ""))
    count = len(source.slides)
    reading = Bilingual(en=f"PowerPoint, {count} slide{'s' * (count != 1)}", zh=f"PowerPoint，{count} 张幻灯片")
    return (builder.parsed(meta, warnings=[_not_shown(name, hidden)] if hidden else [], reading=reading),)


class _Slide:
    """Puts one slide into the builder: its title as a heading, then its shapes, then its notes."""

    def __init__(self, builder: TextBuilder, read: set[str]) -> None:
        self._builder = builder
        self._read = read
        self._begun = False

    def read(self, slide: Any) -> None:
        shapes = list(slide.shapes)
        for shape in shapes:
            if _kind(shape) in _TITLES:
                self._words(body_words(shape._element), title=True)
        self._shapes(shape for shape in shapes if _kind(shape) not in _TITLES)
        notes = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
        lines = body_words(notes._txBody) if notes is not None else []
        label = "备注：" if any(is_wide(c) for line in lines for c in line.text) else "Notes: "
        self._words(lines, label)

    def _shapes(self, shapes: Iterable[Any]) -> None:
        for shape in in_reading_order(shapes):
            if why := _FURNITURE.get(_kind(shape)):
                self._builder.remove(whole(body_words(shape._element)), why)
            elif hasattr(shape, "shapes"):
                self._shapes(shape.shapes)  # what is grouped belongs together
            elif getattr(shape, "has_table", False):
                self._table(render(table_grid(shape.table)))
                for words, _ in struck_out(body_words(shape._element)):
                    self._builder.remove(words, "deletion")
            elif getattr(shape, "has_chart", False):
                if self._seen(shape.chart.part):
                    continue
                chart = shape.chart._chartSpace
                self._text([chart_title(chart)])
                self._table(chart_table(chart))
            elif diagram := diagram_part(shape._element):
                part = shape.part.related_part(diagram)
                self._words([] if self._seen(part) else diagram_words(part.blob))
            else:
                self._words(body_words(shape._element))

    def _seen(self, part: Any) -> bool:
        """Whether a part was read before: a file can point at one any number of times."""
        if part.partname in self._read:
            return True
        self._read.add(part.partname)
        return False

    def _table(self, rendered: Rendered) -> None:
        lines = rendered.lines
        if lines and not self._begun:
            self._text([lines[0]])
            lines = lines[1:]
        self._builder.table(lines, rendered.heading)

    def _words(self, lines: list[Line], label: str = "", title: bool = False) -> None:
        """Add a text body, `label` in front of it, and note what is struck out in it."""
        texts = [line.text for line in lines if line.text]
        self._text([label + texts[0], *texts[1:]] if texts else [], title)
        for words, back in struck_out(lines):
            self._builder.remove(words, "deletion", back)

    def _text(self, lines: list[str], title: bool = False) -> None:
        """Add lines; the first of a slide open its section, named by its title or else by the start of its text."""
        lines = [line for line in map(clean_text, lines) if line]
        if self._begun or not lines:
            self._builder.lines(lines)
            return
        self._begun = True
        name = clean_line("\n".join(lines) if title else lines[0])
        self._builder.heading(1, name if len(name) <= _LONGEST_TITLE else f"{name[:_LONGEST_TITLE]}…", "\n".join(lines))


def in_reading_order(shapes: Iterable[Any]) -> list[Any]:
    """Shapes from the top to the bottom, those at one height from left to right."""
    rows: list[list[Any]] = []
    for shape in sorted(shapes, key=lambda shape: shape.top or 0):
        if rows and (shape.top or 0) - (rows[-1][0].top or 0) < _SAME_LINE:
            rows[-1].append(shape)
        else:
            rows.append([shape])
    return [shape for row in rows for shape in sorted(row, key=lambda shape: shape.left or 0)]


def table_grid(table: Any) -> list[list[Cell]]:
    """A slide's table; places that a merged cell covers carry its text and anchor. Raises `TableTooLarge`."""
    rows = [list(row.cells) for row in table.rows]
    width = max(map(len, rows), default=0)
    check_places(len(rows), width)
    grid = [[Cell("", (r, c)) for c in range(width)] for r in range(len(rows))]
    covered: set[tuple[int, int]] = set()
    for r, row in enumerate(rows):
        for c, cell in enumerate(row):
            if (r, c) in covered:
                continue
            text = Cell(one_line("\n".join(body_lines(cell._tc))), (r, c))
            grid[r][c] = text
            if cell.is_merge_origin:
                for place in product(
                    range(r, min(r + cell.span_height, len(rows))), range(c, min(c + cell.span_width, width))
                ):
                    covered.add(place)
                    grid[place[0]][place[1]] = text
    return grid


def _kind(shape: Any) -> Any:
    return shape.placeholder_format.type if shape.is_placeholder else None


def _not_shown(name: str, number: int) -> Bilingual:
    return Bilingual(
        en=f"{name}: left out because hidden: {number} slide{'s' * (number != 1)}. To take them in, show them in PowerPoint and upload again.",
        zh=f"{name}：有 {number} 张隐藏的幻灯片未收入。如需收入，请取消隐藏后重新上传。",
    )
