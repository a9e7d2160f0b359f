"""PDF files with a text layer: lines joined into paragraphs, ruled tables as rows, one start offset per page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rag.corpus.clean import clean_line
from rag.corpus.load.builder import Meta, Parsed, TextBuilder
from rag.corpus.load.container import check_streams
from rag.corpus.load.contents import without_contents
from rag.corpus.load.engines import Reading, read_pages
from rag.corpus.load.layout import Left, Page, with_common_margin
from rag.corpus.load.metadata import title_line
from rag.corpus.load.paragraphs import Paragraphs
from rag.corpus.load.ruled import Table
from rag.corpus.load.running_lines import left_out
from rag.corpus.load.table import Header, find_header, render
from rag.corpus.load.table_parts import joined
from rag.corpus.load.typography import Typography, is_chapter, typography_of
from rag.errors import Bilingual, EmptyDocument


def parse(name: str, data: bytes) -> tuple[Parsed, ...]:
    """A PDF file.

    Raises:
        LoadError: it needs a password, is damaged, or has more than 2000 pages.
        UnsafeFile: it would unpack to more than 200 MB.
        EmptyDocument: no page has a text layer (a scan).
    """
    check_streams(name, data)
    reading = read_pages(name, data)
    warnings = _check_text(name, reading)
    pages = joined(without_contents(left_out(with_common_margin(reading.pages))))
    typography = typography_of(pages)
    builder = TextBuilder()
    _fill(builder, pages, typography)
    first = title_line(builder.text())
    title = typography.title or ("" if is_chapter(first) else first)
    return (
        builder.parsed(_properties(reading.metadata), title_hint=title, warnings=warnings, reading=reading.described()),
    )


def _fill(builder: TextBuilder, pages: Sequence[Page], typography: Typography) -> None:
    paragraphs = Paragraphs(builder)
    header: Header | None = None
    for number, page in enumerate(pages):
        paragraphs.page(page)
        skip = 0
        for place, item in enumerate(page.items):
            if isinstance(item, Left):
                paragraphs.leave_out(item)
            elif isinstance(item, Table):
                paragraphs.end()
                header = _add_table(builder, item, header if item.goes_on else None)
            elif skip:
                skip -= 1
            elif (number, place) in typography.headings:
                heading = typography.headings[number, place]
                paragraphs.heading(heading.level, heading.title)
                skip = heading.n_lines - 1
            else:
                paragraphs.add(item)
    paragraphs.end()


def _add_table(builder: TextBuilder, table: Table, inherited: Header | None) -> Header | None:
    if inherited and find_header(table.grid) == inherited:
        builder.remove(" | ".join(inherited.names), "running_line")  # the column names, once more
    rendered = render(table.grid, inherited)
    builder.table(rendered.lines, rendered.heading)
    return rendered.header


def _properties(metadata: dict[str, Any]) -> Meta:
    title, version = (clean_line(v) if isinstance(v := metadata.get(key), str) else "" for key in ("Title", "Version"))
    return Meta(title=title if len(title) > 1 else "", version=version)


def _check_text(name: str, reading: Reading) -> list[Bilingual]:
    """What a person should know about the text layer. Raises `EmptyDocument` when there is none at all."""
    pages = reading.pages
    empty = [number for number, page in enumerate(pages, start=1) if page.n_characters == 0]
    if len(empty) == len(pages):
        raise EmptyDocument(
            en=f"{name}: none of its pages (1-{len(pages)}) has a text layer; it is scanned and needs OCR first.",
            zh=f"{name}：第 1-{len(pages)} 页都没有文字层，是扫描件，请先做 OCR（文字识别）。",
        )
    warnings = []
    scanned = _listed([number for number in empty if pages[number - 1].has_images])
    if scanned:
        warnings.append(
            Bilingual(
                en=f"{name}: no text on page {scanned}; scanned pages need OCR and were left out.",
                zh=f"{name}：第 {scanned} 页没有文字层，扫描页需先做 OCR，未收入。",
            )
        )
    overruled = _listed([number for number, page in enumerate(pages, start=1) if page.is_overruled])
    if overruled:
        warnings.append(
            Bilingual(
                en=f"{name}: too many drawn lines on page {overruled}; tables there were read as plain text.",
                zh=f"{name}：第 {overruled} 页的线条过多，其中的表格按普通文字读取。",
            )
        )
    unreadable = _listed([number for number, page in enumerate(pages, start=1) if page.n_unreadable])
    if unreadable:
        count = sum(page.n_unreadable for page in pages)
        warnings.append(
            Bilingual(
                en=f"{name}: {count} characters on page {unreadable} have no known meaning in the file and were left out.",
                zh=f"{name}：第 {unreadable} 页有 {count} 个字符在文件中没有对应的文字，未收入。",
            )
        )
    poor = _listed(reading.poor)
    if poor:
        warnings.append(
            Bilingual(
                en=f"{name}: the text layer of page {poor} does not read as text; check it, or export the PDF again or use OCR.",
                zh=f"{name}：第 {poor} 页的文字层读出来不像正常文字，请核对，或重新导出 PDF、改用 OCR。",
            )
        )
    return warnings


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers[:20])) + ("…" if len(numbers) > 20 else "")
