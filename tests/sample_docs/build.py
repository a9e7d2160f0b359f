"""Rebuilds the sample documents that are not plain text: ``python tests/sample_docs/build.py [FOLDER]``.

Every file ``sources/NAME.SUFFIX.md`` becomes ``sample_docs/NAME.SUFFIX``. The sources use a small markup:
``# title``, ``## heading``, ``- item``, table rows ``| a | b |`` whose first row is the header (``<`` joins a
cell to the one on its left, ``^`` to the one above), and paragraphs. Two runs give the same bytes.
"""

from __future__ import annotations

import html
import io
import re
import sys
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from pathlib import Path

import docx
import openpyxl
from openpyxl.styles import Alignment, Font
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.platypus import Flowable, LongTable, Paragraph, SimpleDocTemplate, TableStyle

SOURCES = Path(__file__).parent / "sources"
SAMPLES = Path(__file__).parents[2] / "sample_docs"
COMPANY = "云衡科技有限公司"
STAMP = datetime(2026, 10, 1, 9, 0, 0)
PDF_FONT = "STSong-Light"

Rows = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a source: `level` is 1 or 2 for headings and 0 otherwise; `rows` is empty but for tables."""

    text: str
    level: int = 0
    item: bool = False
    rows: Rows = ()


def parse(source: str) -> tuple[Block, ...]:
    """The blocks of a source, in order."""
    blocks: list[Block] = []
    lines = [line.strip() for line in source.splitlines() if line.strip()]
    for is_table, group in groupby(lines, key=lambda line: line.startswith("|")):
        if is_table:
            rows = tuple(tuple(cell.strip() for cell in line.strip("|").split("|")) for line in group)
            blocks.append(Block("", rows=rows))
            continue
        for line in group:
            hashes, _, rest = line.partition(" ")
            if hashes in ("#", "##"):
                blocks.append(Block(rest, level=len(hashes)))
            elif line.startswith("- "):
                blocks.append(Block(rest, item=True))
            else:
                blocks.append(Block(line))
    return tuple(blocks)


def merges(rows: Rows) -> Iterator[tuple[int, int, int, int]]:
    """Merged areas ``(top, left, bottom, right)``, inclusive, of the cells marked ``<`` and ``^``."""
    for top, row in enumerate(rows):
        for left, cell in enumerate(row):
            if cell in ("<", "^"):
                continue
            right = left
            while right + 1 < len(row) and row[right + 1] == "<":
                right += 1
            bottom = top
            while bottom + 1 < len(rows) and rows[bottom + 1][left] == "^":
                bottom += 1
            if (top, left) != (bottom, right):
                yield top, left, bottom, right


def _shown(cell: str) -> str:
    return "" if cell in ("<", "^") else cell


def _repack(data: bytes) -> bytes:
    """The same zip with one fixed time for all entries and for the modification date inside."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for info in old.infolist():
            content = old.read(info)
            if info.filename == "docProps/core.xml":
                modified = rf"\g<1>{STAMP.isoformat()}Z<".encode()
                content = re.sub(rb"(<dcterms:modified[^>]*>)[^<]*<", modified, content)
            entry = zipfile.ZipInfo(info.filename, STAMP.timetuple()[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(entry, content)
    return out.getvalue()


def word(blocks: tuple[Block, ...]) -> bytes:
    """A DOCX with real heading styles and merged cells."""
    document = docx.Document()
    core = document.core_properties
    core.author, core.title, core.created, core.modified = COMPANY, blocks[0].text, STAMP, STAMP
    for block in blocks:
        if block.level:
            document.add_heading(block.text, level=block.level)
        elif block.rows:
            table = document.add_table(len(block.rows), len(block.rows[0]), style="Table Grid")
            for y, row in enumerate(block.rows):
                for x, cell in enumerate(row):
                    table.cell(y, x).text = _shown(cell)
            for top, left, bottom, right in merges(block.rows):
                text = block.rows[top][left]
                table.cell(top, left).merge(table.cell(bottom, right)).text = text
        else:
            document.add_paragraph(block.text, style="List Bullet" if block.item else None)
    out = io.BytesIO()
    document.save(out)
    return _repack(out.getvalue())


def _pdf_table(rows: Rows) -> LongTable:
    cell = ParagraphStyle("cell", fontName=PDF_FONT, fontSize=9, leading=12, wordWrap="CJK")
    longest = [max(len(_shown(text)) + 2 for text in column) for column in zip(*rows, strict=True)]
    width = A4[0] - 156
    table = LongTable(
        [[Paragraph(html.escape(_shown(text)), cell) for text in row] for row in rows],
        colWidths=[width * length / sum(longest) for length in longest],
        repeatRows=1,
    )
    style: list[tuple[object, ...]] = [
        ("GRID", (0, 0), (-1, -1), 0.5, colors.black),
        ("BACKGROUND", (0, 0), (-1, 0), colors.whitesmoke),
        ("TOPPADDING", (0, 0), (-1, -1), 2),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 2),
    ]
    style += [("SPAN", (left, top), (right, bottom)) for top, left, bottom, right in merges(rows)]
    table.setStyle(TableStyle(style))
    return table


def pdf(blocks: tuple[Block, ...]) -> bytes:
    """A PDF with a text layer; a table that breaks over pages repeats its header row."""
    pdfmetrics.registerFont(UnicodeCIDFont(PDF_FONT))
    styles = {
        0: ParagraphStyle("text", fontName=PDF_FONT, fontSize=11, leading=18, spaceAfter=6, wordWrap="CJK"),
        1: ParagraphStyle("title", fontName=PDF_FONT, fontSize=18, leading=28, spaceAfter=10, wordWrap="CJK"),
        2: ParagraphStyle("heading", fontName=PDF_FONT, fontSize=14, leading=24, spaceBefore=8, wordWrap="CJK"),
    }
    story: list[Flowable] = [
        _pdf_table(block.rows) if block.rows else Paragraph(html.escape(block.text), styles[block.level])
        for block in blocks
    ]
    out = io.BytesIO()
    SimpleDocTemplate(out, pagesize=A4, title=blocks[0].text, author=COMPANY, invariant=1).build(story)
    return out.getvalue()


def sheet(blocks: tuple[Block, ...]) -> bytes:
    """An XLSX: a sheet for every heading, with the title and version lines above the table."""
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    book.properties.creator, book.properties.title, book.properties.created = COMPANY, blocks[0].text, STAMP
    first = next(i for i, block in enumerate(blocks) if block.level == 2)
    name = ""
    for block in blocks[first:]:
        if block.level:
            name = block.text
            continue
        page = book.create_sheet(name)
        for y, line in enumerate(blocks[:first], start=1):
            page.cell(y, 1, line.text).font = Font(bold=line.level == 1)
        for y, row in enumerate(block.rows, start=first + 1):
            for x, cell in enumerate(row, start=1):
                target = page.cell(y, x, _shown(cell) or None)
                target.alignment = Alignment(wrap_text=True, vertical="top")
                target.font = Font(bold=y == first + 1)
        for top, left, bottom, right in merges(block.rows):
            page.merge_cells(
                start_row=top + first + 1, start_column=left + 1, end_row=bottom + first + 1, end_column=right + 1
            )
        for x in range(len(block.rows[0])):
            page.column_dimensions["ABCDEFGH"[x]].width = 24
    out = io.BytesIO()
    book.save(out)
    return _repack(out.getvalue())


def web(blocks: tuple[Block, ...]) -> bytes:
    """An HTML page with the navigation and footer that intranet pages carry."""
    parts: list[str] = []
    for block in blocks:
        text = html.escape(block.text)
        if block.rows:
            head, *body = block.rows
            parts.append("<table>\n<tr>" + "".join(f"<th>{html.escape(c)}</th>" for c in head) + "</tr>")
            parts += ["<tr>" + "".join(f"<td>{html.escape(c)}</td>" for c in row) + "</tr>" for row in body]
            parts.append("</table>")
        elif block.level:
            parts.append(f"<h{block.level}>{text}</h{block.level}>")
        else:
            parts.append(f"<ul><li>{text}</li></ul>" if block.item else f"<p>{text}</p>")
    page = (
        '<!DOCTYPE html>\n<html lang="zh-CN">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{html.escape(blocks[0].text)}</title>\n<style>td, th {{ border: 1px solid #999 }}</style>\n"
        "</head>\n<body>\n<nav>内网首页 制度中心 我的工单</nav>\n<main>\n"
        + "\n".join(parts)
        + "\n</main>\n<footer>云衡科技内部资料</footer>\n</body>\n</html>\n"
    )
    return page.encode()


WRITERS: dict[str, Callable[[tuple[Block, ...]], bytes]] = {".docx": word, ".pdf": pdf, ".xlsx": sheet, ".html": web}


def build(source: Path) -> tuple[str, bytes]:
    """Name and bytes of the sample document that `source` describes. A ``.txt`` is the source in GB18030."""
    name = source.name.removesuffix(".md")
    text = source.read_text(encoding="utf-8")
    suffix = Path(name).suffix
    return name, text.encode("gb18030") if suffix == ".txt" else WRITERS[suffix](parse(text))


def main(folder: Path) -> None:
    """Write every built document into `folder`."""
    for source in sorted(SOURCES.glob("*.md")):
        name, data = build(source)
        (folder / name).write_bytes(data)
        print(f"{name}\t{len(data)} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else SAMPLES)
