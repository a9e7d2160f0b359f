"""What reading files costs: pages per second of PDF and DOCX beside a plain loop over the same file (A B A B …, medians).

    python tests/bench/loading.py [--pages 60] [--handbook 872] [--rounds 3] [--json FILE]

Plain: every page's text by pypdf, every paragraph and cell by python-docx; no tables, headings or order. The handbook is
read once, in a process of its own, for its time and its memory. All files are written here, by reportlab and python-docx.
"""

from __future__ import annotations

import argparse
import io
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import docx
import pypdf
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Table, TableStyle

from rag.corpus.load import load

FONT = "STSong-Light"
CLAUSE = "第{n}条 员工应当在事项发生之日起五个工作日内提交申请，并附上原始凭证，由直属主管审核后报人力资源部备案；情况紧急的，可以先行办理，但应当在返回后两日内补办手续，额度按职级确定。"
ROWS = [("城市", "档次", "住宿上限", "伙食补助"), *((f"城市{n}", "二线", f"{400 + n} 元", "100 元") for n in range(12))]


def handbook(pages: int) -> bytes:
    """A PDF of `pages` pages: each a heading, some 16 clauses, every third page a ruled table; a header and a number on each."""
    pdfmetrics.registerFont(UnicodeCIDFont(FONT))
    style, head = ParagraphStyle("b", fontName=FONT, fontSize=10, leading=15, wordWrap="CJK"), ParagraphStyle("h", fontName=FONT, fontSize=14, leading=24)  # fmt: skip
    grid = TableStyle([("GRID", (0, 0), (-1, -1), 0.5, colors.black), ("FONT", (0, 0), (-1, -1), FONT, 9)])

    def furnish(canvas: object, document: object) -> None:
        canvas.setFont(FONT, 9)  # type: ignore[attr-defined]
        canvas.drawString(72, A4[1] - 40, "云衡科技员工手册（2026 版）")  # type: ignore[attr-defined]
        canvas.drawCentredString(A4[0] / 2, 30, str(document.page))  # type: ignore[attr-defined]

    story: list[object] = []
    for page in range(pages):
        story.append(Paragraph(f"第{page + 1}节 手册内容", head))
        has_table = page % 3 == 0
        story += [Paragraph(CLAUSE.format(n=n + 1), style) for n in range(8 if has_table else 14)]
        story += [Table(ROWS, style=grid)] * has_table + [PageBreak()]
    stream = io.BytesIO()
    SimpleDocTemplate(stream, pagesize=A4, topMargin=60, bottomMargin=60).build(story, furnish, furnish)
    return stream.getvalue()


def word(pages: int) -> bytes:
    """A Word file of the same words, some `pages` pages."""
    document = docx.Document()
    for page in range(pages):
        document.add_heading(f"第{page + 1}节 手册内容", 1)
        for n in range(8 if page % 3 == 0 else 14):
            document.add_paragraph(CLAUSE.format(n=n + 1))
        if page % 3 == 0:
            table = document.add_table(len(ROWS), 4)
            for cells, row in zip(table.rows, ROWS, strict=True):
                for cell, text in zip(cells.cells, row, strict=True):
                    cell.text = text
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def plain_pdf(data: bytes) -> int:
    return sum(len(page.extract_text()) for page in pypdf.PdfReader(io.BytesIO(data)).pages)


def plain_word(data: bytes) -> int:
    source = docx.Document(io.BytesIO(data))
    cells = (cell.text for table in source.tables for row in table.rows for cell in row.cells)
    return sum(map(len, cells)) + sum(len(paragraph.text) for paragraph in source.paragraphs)


def seconds(run: Callable[[], object]) -> float:
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


def compared(
    name: str, pages: int, ours: Callable[[], object], plain: Callable[[], object], rounds: int
) -> dict[str, object]:
    ours()  # warm
    pairs = [(seconds(plain), seconds(ours)) for _ in range(rounds)]
    bare, whole = (statistics.median(pair[i] for pair in pairs) for i in (0, 1))
    ratio = statistics.median(b / a for a, b in pairs)
    print(f"| {name} | {pages} | {pages / whole:.1f} | {pages / bare:.1f} | {ratio:.2f} |")
    return {"name": name, "pages": pages, "pages_per_s": pages / whole, "plain_pages_per_s": pages / bare, "ratio": ratio, "pairs": pairs}  # fmt: skip


def read_once(path: Path) -> None:
    """In a process of its own: read one file and print what it took."""
    began = time.perf_counter()
    (document,) = load(path.name, path.read_bytes())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    taken = time.perf_counter() - began
    print(json.dumps({"seconds": taken, "cpu_seconds": time.process_time(), "peak_mib": peak, "pages": len(document.pages), "characters": len(document.text), "sections": len(document.sections), "tables": len(document.tables), "reading": document.reading.en}))  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=60)
    parser.add_argument("--handbook", type=int, default=872)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--read", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.read:
        read_once(arguments.read)
        return
    pdf, text = handbook(arguments.pages), word(arguments.pages)
    print("| file | pages | pages/s | plain loop, pages/s | times as long |\n|---|---|---|---|---|")
    results = [
        compared(
            "PDF beside pypdf", arguments.pages, lambda: load("a.pdf", pdf), lambda: plain_pdf(pdf), arguments.rounds
        ),  # fmt: skip
        compared(
            "DOCX beside python-docx",
            arguments.pages,
            lambda: load("a.docx", text),
            lambda: plain_word(text),
            arguments.rounds,
        ),  # fmt: skip
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "handbook.pdf"
        path.write_bytes(handbook(arguments.handbook))
        command = [sys.executable, str(Path(__file__).resolve()), "--read", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    largest = json.loads(done.stdout.splitlines()[-1])
    print("The handbook:", ", ".join(f"{key} {value}" for key, value in largest.items()))
    if arguments.json:
        arguments.json.write_text(json.dumps({"compared": results, "handbook": largest}, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
