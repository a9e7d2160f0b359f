"""PDF files with a text layer: lines joined into paragraphs, ruled tables as rows, one start offset per page."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from typing import Any

import pdfplumber
from pdfminer.pdfdocument import PDFPasswordIncorrect
from pdfplumber.utils.exceptions import PdfminerException

from rag.corpus.clean import clean_line
from rag.corpus.load.builder import Meta, Parsed, TextBuilder
from rag.corpus.load.container import check_streams, damaged
from rag.corpus.load.layout import Line, Page, read_page, without_running_lines
from rag.corpus.load.metadata import title_line
from rag.corpus.load.paragraphs import Paragraphs, frame_of, typography_of
from rag.corpus.load.table import Header, render
from rag.errors import Bilingual, EmptyDocument, LoadError

MAX_PAGES = 2000
_RUBBISH = 0.05
_NO_CHARACTERS = re.compile(r"\(cid:\d+\)|[\ufffd\ue000-\uf8ff]")


def parse(name: str, data: bytes) -> tuple[Parsed, ...]:
    """A PDF file.

    Raises:
        LoadError: it needs a password, is damaged, or has more than 2000 pages.
        UnsafeFile: it would unpack to more than 200 MB.
        EmptyDocument: no page has a text layer (a scan).
    """
    check_streams(name, data)
    try:
        source = pdfplumber.open(io.BytesIO(data))
    except PdfminerException as error:
        if any(isinstance(argument, PDFPasswordIncorrect) for argument in error.args):
            raise LoadError(
                en=f"{name}: it is encrypted and needs a password to open. Save a copy without one.",
                zh=f"{name}：文件已加密，需要密码才能打开，请另存为无密码的副本。",
            ) from error
        raise damaged(name) from error
    with source:
        pages = _pages(name, source)
        meta = _properties(source.metadata)
    warnings = _check_text(name, pages)
    pages = without_running_lines(pages)
    typography = typography_of(pages)
    builder = TextBuilder()
    _fill(builder, pages, Paragraphs(builder, typography))
    title = typography.title or title_line(builder.text())
    return (builder.parsed(meta, title_hint=title, warnings=warnings),)


def _pages(name: str, source: Any) -> list[Page]:
    if len(source.pages) > MAX_PAGES:
        raise LoadError(
            en=f"{name}: more than {MAX_PAGES} pages. Split the file.", zh=f"{name}：超过 {MAX_PAGES} 页，请拆分文件。"
        )
    pages = []
    for page in source.pages:
        pages.append(read_page(page))
        page.close()  # lets go of the page's objects, which are many times its size
    return pages


def _fill(builder: TextBuilder, pages: Sequence[Page], paragraphs: Paragraphs) -> None:
    """Add every page; a table at the top of a page goes on with the one at the bottom of the page before."""
    header: Header | None = None
    width = 0
    for page in pages:
        paragraphs.page(frame_of(page))
        for number, item in enumerate(page.items):
            if isinstance(item, Line):
                paragraphs.add(item)
                continue
            paragraphs.end()
            goes_on = number == 0 and header is not None and len(item.grid[0]) == width
            rendered = render(item.grid, header if goes_on else None)
            builder.table(rendered.lines, rendered.heading)
            header, width = rendered.header, len(item.grid[0])
        if not page.items or isinstance(page.items[-1], Line):
            header = None
    paragraphs.end()


def _properties(metadata: dict[str, Any]) -> Meta:
    title, version = metadata.get("Title"), metadata.get("Version")
    return Meta(
        title=clean_line(title) if isinstance(title, str) else "",
        version=clean_line(version) if isinstance(version, str) else "",
    )


def _check_text(name: str, pages: Sequence[Page]) -> list[Bilingual]:
    """What a person should know about the text layer. Raises `EmptyDocument` when there is none at all."""
    empty = [number for number, page in enumerate(pages, start=1) if page.n_characters == 0]
    if len(empty) == len(pages):
        raise EmptyDocument(
            en=f"{name}: no page has a text layer; it is scanned and needs OCR first.",
            zh=f"{name}：没有文字层，是扫描件，请先做 OCR（文字识别）。",
        )
    warnings = []
    scanned = [number for number in empty if pages[number - 1].has_images]
    if scanned:
        listed = _listed(scanned)
        warnings.append(
            Bilingual(
                en=f"{name}: no text on page {listed}; scanned pages need OCR and were left out.",
                zh=f"{name}：第 {listed} 页没有文字层，扫描页需先做 OCR，未收入。",
            )
        )
    overruled = [number for number, page in enumerate(pages, start=1) if page.is_overruled]
    if overruled:
        listed = _listed(overruled)
        warnings.append(
            Bilingual(
                en=f"{name}: too many drawn lines on page {listed}; tables there were read as plain text.",
                zh=f"{name}：第 {listed} 页的线条过多，其中的表格按普通文字读取。",
            )
        )
    if _rubbish(pages) > _RUBBISH:
        warnings.append(
            Bilingual(
                en=f"{name}: part of its text layer cannot be read as characters; check the text, or export it again.",
                zh=f"{name}：部分文字层无法识别为字符，请检查文字，或重新导出 PDF。",
            )
        )
    return warnings


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers[:20])) + ("…" if len(numbers) > 20 else "")


def _rubbish(pages: Sequence[Page]) -> float:
    """Share of characters that mean nothing: glyph numbers, replacement and private-use characters."""
    text = "".join(line.text for page in pages for line in page.items if isinstance(line, Line))
    found = sum(len(match) for match in _NO_CHARACTERS.findall(text))
    return found / max(len(text), 1)
