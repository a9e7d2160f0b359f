"""Word documents (.docx): paragraphs with their automatic numbers, tables, text boxes and notes, in the body's order."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import Any

import docx
from docx.oxml.ns import qn

from rag.corpus.clean import clean_line, flow_lines
from rag.corpus.load.builder import Meta, Parsed, TextBuilder
from rag.corpus.load.cell import one_line
from rag.corpus.load.headings import heading_level
from rag.corpus.load.metadata import from_lines, title_line
from rag.corpus.load.numbering import Numbering
from rag.corpus.load.strict import readable
from rag.corpus.load.table import render, table_lines
from rag.corpus.load.word_headings import bold_level
from rag.corpus.load.word_parts import Parts, is_contents, opens_contents
from rag.corpus.load.word_styles import Style, linked_lists, styles, with_own
from rag.corpus.load.word_table import all_words, deleted, grid, header_rows, is_frame, row_cells, table_rows
from rag.corpus.load.word_text import Mark, TextReader, Words, repeats_a_choice
from rag.errors import Bilingual

_P, _TABLE = qn("w:p"), qn("w:tbl")
_GONE = {qn("w:del"), qn("w:moveFrom")}
_PASSED_OVER = {qn("w:sdtPr"), qn("w:sectPr"), qn("w:pPr"), qn("w:tcPr")}


def parse(name: str, data: bytes) -> tuple[Parsed, ...]:
    """A Word document. Raises what `open_zip` raises, and `TableTooLarge`; python-docx's errors are the caller's to translate.

    There are no pages: where one ends is decided anew by every program that shows the document.
    """
    source = docx.Document(io.BytesIO(readable(name, data)))
    parts = Parts(source)
    walker = _Walker(parts)
    lines = parts.running_lines()
    for line, why in lines:
        walker.builder.remove(line, why)
    walker.walk(source.element.body)
    walker.end_block()
    walker.end_list()
    properties = source.core_properties
    declared = Meta(title=clean_line(properties.title or ""), version=clean_line(properties.version or ""))
    in_header = from_lines("\n".join(line for line, why in lines if why == "running_line"))
    return (
        walker.builder.parsed(
            declared.or_else(in_header),
            title_hint=walker.title or title_line(walker.builder.text()),
            warnings=_warnings(name, walker.numbering, parts),
            reading=Bilingual(en="Word (no fixed pages)", zh="Word（无固定页码）"),
        ),
    )


class _Walker:
    """Goes through the body once and fills a `TextBuilder`."""

    def __init__(self, parts: Parts) -> None:
        self.builder = TextBuilder()
        self.title = ""
        self.numbering = Numbering(parts.numbering, linked_lists(parts.styles))
        self._parts = parts
        self._styles = styles(parts.styles)
        self._reader = TextReader(parts.body, self._styles, parts.comments)
        self._list: list[str] = []
        self._list_length = 0
        self._list_marks: list[Mark] = []
        self._carried: tuple[Words, Style] | None = None
        """A paragraph of which a revision deleted the mark at its end: it goes on with the next."""
        self._in_contents = False
        self._of_cells: list[tuple[int, Words]] = []
        """What the cells of a table hold and do not show, with the number of their row."""
        self._row = 0

    def walk(self, parent: Any) -> None:
        for element in parent.iterchildren():
            if element.tag == _P:
                self._paragraph(element)
            elif element.tag == _TABLE:
                self._table(element)
            elif is_contents(element) and not self._in_contents:
                self._in_contents = True
                self.walk(element)
                self._in_contents = False
            elif element.tag in _GONE:
                self.end_block()
                self._gone(Mark(0, all_words(element), "deletion"))
            elif element.tag not in _PASSED_OVER and not repeats_a_choice(element):
                self.walk(element)

    def end_block(self) -> None:
        """Nothing follows here that a paragraph without a mark at its end could go on with."""
        carried, self._carried = self._carried, None
        if carried:
            self._finish(*carried)

    def end_list(self) -> None:
        """Hand the list's lines over, and what was left out of them."""
        self.builder.lines(self._list)
        self._leave_out(self._list_marks, self._list_length)
        self._list, self._list_marks, self._list_length = [], [], 0

    def _paragraph(self, element: Any) -> None:
        style = self._style(element)
        words = self._reader.words(element, style)
        if self._in_contents or style.is_contents or opens_contents(element, words.text, self._styles):
            self.end_block()
            self._gone(Mark(0, words.text, "contents"))
            return
        if self._carried:
            words = _joined(self._carried[0], words)
        self._carried = None
        if _ends_in_deleted_mark(element):
            self._carried = words, style
        else:
            self._finish(words, style)

    def _finish(self, words: Words, style: Style) -> None:
        label = self._label(words, style)
        if words.text.strip():
            self._place(label, words, style)
        else:
            self._gone(*words.marks)
        self._add_aside(words)

    def _label(self, words: Words, style: Style) -> str | None:
        """The paragraph's automatic number. An empty one has one too, but none that holds only what is not shown."""
        counts = style.listed is not None and (words.text.strip() or not words.marks)
        return self.numbering.label(style.listed) if counts and style.listed else None

    def _place(self, label: str | None, words: Words, style: Style) -> None:
        """Put a paragraph where it belongs: a heading, a line of a list, a block of its own."""
        text = words.text.strip()
        whole = f"{label or ''}{text}"
        shift = len(label or "") - (len(words.text) - len(words.text.lstrip()))
        marks = [Mark(min(max(m.at + shift, 0), len(whole)), m.text, m.why) for m in words.marks]
        clause = label is None or label.startswith("第")
        level = style.level if style.level is not None else heading_level(whole) if clause else None
        if level is None and words.bold:
            level = bold_level(whole)
        if level is None and not clause:
            self._add_line(f"{label}{flow_lines(text)}", marks)
            return
        self.end_list()
        if style.is_title:
            self.title = self.title or clean_line(text)
            self.builder.add(whole)
        elif level is not None:
            self.builder.heading(level, whole)
        else:
            self.builder.add(whole)
        self._leave_out(marks, len(whole))

    def _add_line(self, line: str, marks: Sequence[Mark] = ()) -> None:
        start = self._list_length + (1 if self._list else 0)
        self._list_marks += [Mark(start + m.at, m.text, m.why) for m in marks]
        self._list.append(line)
        self._list_length = start + len(line)

    def _leave_out(self, marks: Sequence[Mark], length: int) -> None:
        """Note what stood in the `length` characters that were added last."""
        for mark in marks:
            self.builder.remove(mark.text, mark.why, max(length - mark.at, 0))

    def _gone(self, *marks: Mark) -> None:
        """Note what stood in a paragraph of which nothing is shown."""
        if self._list:
            self._list_marks += [Mark(self._list_length, m.text, m.why) for m in marks]
        else:
            self._leave_out(marks, 0)

    def _add_aside(self, words: Words) -> None:
        """Add what a paragraph refers to: its notes right below it, then its text boxes, charts and SmartArt."""
        for kind, note_id, sign in words.notes:
            words_of_note = self._parts.note(kind, note_id)
            note = f"{sign} {words_of_note}"
            if not words_of_note:
                continue
            if self._list:
                self._add_line(flow_lines(note))
            else:
                self.builder.add(note)
        for box in words.boxes:
            self.end_list()
            self.walk(box)
            self.end_block()
        for graphic in words.graphics:
            self.end_list()
            lines, rendered = self._parts.graphic(graphic)
            self.builder.lines(lines)
            self.builder.table(rendered.lines, rendered.heading)

    def _table(self, element: Any) -> None:
        self.end_block()
        self.end_list()
        if is_frame(element):
            for row in table_rows(element):
                for cell in row_cells(row):
                    self.walk(cell)
                    self.end_block()
            self.end_list()
            for _, text in deleted(element):
                self.builder.remove(text, "deletion")
            return
        rendered = render(grid(element, self._cell_in_row, self._cover), heads=header_rows(element))
        self.builder.table(rendered.lines, rendered.heading)
        words, self._of_cells = self._of_cells, []
        gone = [(row, mark) for row, one in words for mark in one.marks]
        gone += [(row, Mark(0, text, "deletion")) for row, text in deleted(element)]
        for row, mark in sorted(gone, key=lambda pair: pair[0]):
            self.builder.remove(mark.text, mark.why, rendered.behind(row))
        for _, one in words:
            self._add_aside(one)
        self.end_list()

    def _cell_in_row(self, cell: Any, row: int) -> str:
        self._row = row
        return self._cell_text(cell)

    def _cell_text(self, cell: Any) -> str:
        """A cell's paragraphs on one line; a table inside the cell gives its rows, joined by 「；」."""
        return one_line("\n".join(self._cell_parts(cell)))

    def _cell_parts(self, parent: Any) -> Iterator[str]:
        for child in parent.iterchildren():
            if child.tag == _P:
                style = self._style(child)
                words = self._reader.words(child, style)
                text = f"{self._label(words, style) or ''}{words.text.strip()}" if words.text.strip() else ""
                if text:
                    yield text
                for box in words.boxes:
                    yield from self._cell_parts(box)
                self._of_cells.append((self._row, Words("", words.marks, (), words.notes, words.graphics)))
            elif child.tag == _TABLE:
                inside = grid(
                    child, lambda cell, _: self._cell_text(cell), lambda _, text: self._cover(self._row, text)
                )
                yield "；".join(table_lines(inside))
                self._leave_in_row(*(text for _, text in deleted(child)))
            elif child.tag in _GONE:
                self._leave_in_row(all_words(child))
            elif child.tag not in _PASSED_OVER and not repeats_a_choice(child):
                yield from self._cell_parts(child)

    def _cover(self, row: int, text: str) -> None:
        self._of_cells += [(row, Words("", (Mark(0, text, "hidden"),)))] if text else []

    def _leave_in_row(self, *texts: str) -> None:
        self._of_cells.append((self._row, Words("", tuple(Mark(0, text, "deletion") for text in texts))))

    def _style(self, element: Any) -> Style:
        properties = element.find(qn("w:pPr"))
        named = properties.find(qn("w:pStyle")) if properties is not None else None
        default = self._styles.get("", Style())
        return with_own(self._styles.get(named.get(qn("w:val")), default) if named is not None else default, properties)


def _joined(first: Words, second: Words) -> Words:
    """Two paragraphs of which a revision deleted the mark between them."""
    if not first.text and not first.marks:
        return second
    moved = tuple(Mark(m.at + len(first.text), m.text, m.why) for m in second.marks)
    return Words(
        first.text + second.text,
        first.marks + moved,
        first.boxes + second.boxes,
        first.notes + second.notes,
        first.graphics + second.graphics,
        first.bold and second.bold,
    )


def _ends_in_deleted_mark(paragraph: Any) -> bool:
    letters = paragraph.find(f"{qn('w:pPr')}/{qn('w:rPr')}")
    return letters is not None and any(child.tag in _GONE for child in letters)


def _warnings(name: str, numbering: Numbering, parts: Parts) -> list[Bilingual]:
    said = []
    if numbering.unknown:
        kinds = ", ".join(sorted(numbering.unknown))
        said.append(
            Bilingual(
                en=f"{name}: automatic numbers of the kind {kinds} are written as digits.",
                zh=f"{name}：{kinds} 类型的自动编号改写为阿拉伯数字。",
            )
        )
    if parts.embedded:
        said.append(
            Bilingual(
                en=f"{name}: {parts.embedded} embedded documents are not read. Open and save the file in Word to take them in.",
                zh=f"{name}：有 {parts.embedded} 个嵌入文档未读取。请用 Word 打开并重新保存后再上传。",
            )
        )
    return said
