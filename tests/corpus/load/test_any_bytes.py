"""Whatever the bytes: documents that keep their promises, or a `LoadError` that names the file."""

import csv
import html
import io
import json
import random
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path

import pytest

from rag.corpus.load import SUFFIXES, load
from rag.errors import LoadError
from tests import hostile
from tests.corpus.load.files import book, checked, pdf, ruled, said, word
from tests.corpus.load.test_xls import old_book

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
SAMPLES = Path(__file__).resolve().parents[3] / "sample_docs"


def _xml(text: str) -> str:
    """Without what XML cannot hold, which the libraries that write the files refuse."""
    return "".join(c for c in text if c in "\t\n" or " " <= c <= "\ufffd" and c != "\x7f" and c != "\ufffe")


def _word(rng: random.Random) -> bytes:
    def fill(d) -> None:  # type: ignore[no-untyped-def]
        for _ in range(4):
            d.add_heading(_xml(hostile.line(rng)), rng.randint(0, 4))
            d.add_paragraph(_xml(hostile.text(rng)), style=rng.choice(("Normal", "List Bullet")))
        table = d.add_table(3, 3)
        for row in table.rows:
            for cell in row.cells:
                cell.text = _xml(hostile.text(rng, 2))
        table.cell(rng.randint(0, 1), 0).merge(table.cell(2, rng.randint(0, 2)))

    return word(fill)


def _book(rng: random.Random) -> bytes:
    def fill(sheet) -> None:  # type: ignore[no-untyped-def]
        for _ in range(4):
            sheet.append(["'" + _xml(hostile.text(rng, 2)) for _ in range(3)])
        sheet.merge_cells("A2:B3")

    return book(s=fill)


def _pdf(rng: random.Random) -> bytes:
    pages = []
    for _ in range(3):
        lines = [said(72, 60 + 20 * n, hostile.line(rng), rng.choice((9, 12, 12, 20))) for n in range(8)]
        pages.append("\n".join([*lines, ruled([[hostile.line(rng, 1) for _ in range(3)] for _ in range(3)], 500)]))
    return pdf(*pages, packed=rng.random() < 0.5)


def _html(rng: random.Random) -> bytes:
    parts = [
        f"<{t}>{hostile.text(rng, 4)}" for t in rng.choices(("p", "h1", "h3", "td", "table", "li", "div", "tr"), k=12)
    ]
    return "".join(parts).encode()


def _json(rng: random.Random) -> bytes:
    items = [
        {
            "doc_id": f"d{n}",
            "title": "题" + hostile.line(rng),
            "version": "1",
            "source": "s",
            "text": "文" + hostile.text(rng),
        }
        for n in range(3)
    ]
    return json.dumps(items, ensure_ascii=rng.random() < 0.5).encode()


def _markdown(rng: random.Random) -> bytes:
    return "\n".join(
        rng.choice(("# ", "## ", "> ", "- ", "|a|b|\n|-|-|\n|", "```\n", "", "---\n")) + hostile.text(rng, 3)
        for _ in range(8)
    ).encode()


def _rows(rng: random.Random) -> bytes:
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=rng.choice(",\t;|"))
    writer.writerows([[hostile.text(rng, 2) for _ in range(3)] for _ in range(5)])
    return ("列一,列二,列三\n" + stream.getvalue()).encode(rng.choice(("utf-8", "utf-16", "gb18030")))


def _xml_file(rng: random.Random) -> bytes:
    parts = [
        f"<{t}>{html.escape(_xml(hostile.text(rng, 4)))}</{t}>" for t in rng.choices(("p", "title", "item", "b"), k=8)
    ]
    return f"<doc><p>文</p>{''.join(parts)}</doc>".encode()


def _mail(rng: random.Random) -> bytes:
    made = EmailMessage()
    made["Subject"] = "题" + hostile.line(rng)
    made["From"] = "hr@example.com"
    made.set_content(_xml(hostile.text(rng)), charset="utf-8", cte="base64")
    if rng.random() < 0.5:
        made.add_attachment(rng.randbytes(20), maintype="a", subtype="b", filename=hostile.line(rng))
    return made.as_bytes()


def _rich(rng: random.Random) -> bytes:
    words = "".join(f"\\u{ord(c)}?" for c in hostile.text(rng) if c < "\ud800")
    return ("{\\rtf1\\ansi\\ansicpg936{\\fonttbl{\\f0\\fcharset134 X;}}\\uc1 \\u25991?" + words + "}").encode()


def _old_book(rng: random.Random) -> bytes:
    return old_book(一=[[_xml(hostile.text(rng, 2)) or "空" for _ in range(3)] for _ in range(4)])


BUILDERS: dict[str, Callable[[random.Random], bytes]] = {
    "a.txt": lambda rng: hostile.text(rng).encode(rng.choice(("utf-8", "utf-16", "gb18030"))),
    "a.md": _markdown,
    "a.json": _json,
    "a.jsonl": lambda rng: b"\n".join(json.dumps(item).encode() for item in json.loads(_json(rng))),
    "a.html": _html,
    "a.csv": _rows,
    "a.xml": _xml_file,
    "a.eml": _mail,
    "a.rtf": _rich,
    "a.xls": _old_book,
    "a.docx": _word,
    "a.xlsx": _book,
    "a.pdf": _pdf,
}


def _loads_or_refuses(name: str, data: bytes) -> bool:
    try:
        documents = load(name, data)
    except LoadError as error:
        assert name in error.message("zh") and name in error.message("en")
        return False
    for document in documents:
        checked(document)
    return True


@pytest.mark.parametrize("name", list(BUILDERS))
def test_hostile_text_in_every_format(name: str, seeds: Callable[[int], range]) -> None:
    loaded = sum(_loads_or_refuses(name, BUILDERS[name](random.Random(seed))) for seed in seeds(200))
    assert loaded > 0.8 * len(seeds(200))


def test_random_bytes_under_every_name(seeds: Callable[[int], range]) -> None:
    heads = (
        b"",
        b"PK\x03\x04",
        b"%PDF-1.4\n",
        b"<html>",
        b"[{",
        b"\xff\xfe",
        b"---\n",
        OLE,
        b"{\\rtf1",
        b"<?xml ",
        b"From: a\n",
    )
    for seed in seeds(2000):
        rng = random.Random(seed)
        _loads_or_refuses(f"a{rng.choice(SUFFIXES)}", rng.choice(heads) + rng.randbytes(rng.randint(0, 600)))


@pytest.mark.parametrize("name", ["a.docx", "a.xlsx", "a.pdf", "a.xls", "a.eml", "a.xml", "a.rtf"])
def test_cut_and_changed_files(name: str, seeds: Callable[[int], range]) -> None:
    whole = BUILDERS[name](random.Random(7))
    refused = 0
    for seed in seeds(200):
        rng = random.Random(seed)
        data = bytearray(whole[: rng.randint(0, len(whole))] if rng.random() < 0.5 else whole)
        for _ in range(rng.randint(0, 8)):
            if data:
                data[rng.randrange(len(data))] = rng.randrange(256)
        refused += not _loads_or_refuses(name, bytes(data))
    assert refused > 0


@pytest.mark.parametrize(
    "line", ["字" * 200_000, "a" * 200_000, "# " * 100_000, "| a " * 20_000, "<div>" * 20_000, "> " * 20_000]
)
@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.html", "a.csv", "a.xml", "a.eml", "a.rtf", "a.jsonl"])
def test_very_long_lines(name: str, line: str) -> None:
    _loads_or_refuses(name, line.encode())


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.html"])
@pytest.mark.parametrize("end", [b"x", b"<html><p>x"])
@pytest.mark.parametrize("comments", [b"<!---->" * 5000, b"<!-- a -->\n" * 5000])
def test_a_row_of_comments_is_looked_through_once(name: str, end: bytes, comments: bytes) -> None:
    """Trying every way to read it would hold the whole server for days from some 40 comments on."""
    _loads_or_refuses(name, comments + end)


@pytest.mark.parametrize("name", list(BUILDERS))
def test_the_same_bytes_give_the_same_documents(name: str) -> None:
    data = BUILDERS[name](random.Random(3))
    assert load(name, data) == load(name, data)


def test_the_sample_documents_load_without_warnings_and_with_one_key_each() -> None:
    files = [p for p in sorted(SAMPLES.iterdir()) if p.suffix in SUFFIXES]
    documents = [checked(d) for p in files for d in load(p.name, p.read_bytes(), "sample")]
    assert len({d.key for d in documents}) == len(documents) >= len(files) > 0
    assert not [w.en for d in documents for w in d.warnings]
