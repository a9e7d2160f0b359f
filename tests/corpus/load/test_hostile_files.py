"""Files built to keep their reader busy: read or refused within the limits, in words, while all else goes on."""

import io
import threading
import time
import zipfile
from collections.abc import Callable, Iterator

import pytest

from rag.config import Limits
from rag.corpus.load.process import Reader, ReadingRoom
from rag.errors import LimitReached, LoadError, RagError, UnsafeFile
from tests.corpus.load.files import word

LIMITS = Limits(parse_seconds=3.0, parse_bytes=700_000_000, characters=3_000_000)


@pytest.fixture(scope="module")
def reader() -> Iterator[Reader]:
    with ReadingRoom().reader(LIMITS) as made:
        yield made


def with_body(body: bytes) -> bytes:
    """A Word file whose body begins with `body`."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(word(lambda d: d.add_paragraph("a")))) as plain:
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in plain.namelist():
                data = plain.read(name)
                if name == "word/document.xml":
                    data = data.replace(b"<w:body>", b"<w:body>" + body)
                archive.writestr(name, data)
    return out.getvalue()


def empty_pages(n: int) -> bytes:
    """A PDF of `n` pages with nothing on them."""
    kids = b" ".join(b"%d 0 R" % (i + 3) for i in range(n))
    parts = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count %d/Kids[%s]>>" % (n, kids)]
    parts += [b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>"] * n
    data, places = b"%PDF-1.4\n", []
    for i, part in enumerate(parts):
        places.append(len(data))
        data += b"%d 0 obj%sendobj\n" % (i + 1, part)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return data + b"xref\n0 %d\n0000000000 65535 f \n%strailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (
        n + 3 - 2,
        table,
        n + 3 - 2,
        len(data),
    )


def run(text: bytes) -> bytes:
    return b"<w:p><w:r><w:t>" + text + b"</w:t></w:r></w:p>"


FILES: dict[str, tuple[Callable[[], bytes], type[RagError] | None]] = {
    # what is known to be too much is refused by its own limit, named
    "bomb.docx": (lambda: with_body(run(b"a" * 190_000_000)), UnsafeFile),
    "empty.pdf": (lambda: empty_pages(3000), LoadError),
    "tags.html": (lambda: b"<html>" + b"<p>a" * 200_000, UnsafeFile),
    "long.txt": (lambda: b"word " * 1_000_000, LimitReached),
    "nest.json": (lambda: b"[" * 5_000_000, LoadError),
    "nest.html": (lambda: b"<html>" + b"<div>" * 1500, UnsafeFile),
    # the rest is read, or not within the time or memory
    "headings.md": (lambda: b"# a\n\n" * 1_000_000, None),
    "heading runs.md": (lambda: b"".join(b"%s a\n" % (b"#" * (i % 6 + 1)) for i in range(300_000)), None),
    "brackets.md": (lambda: b"[" * 2_000_000, None),
    "lines.txt": (lambda: b"a\n" * 1_400_000, None),
    "blanks.txt": (lambda: b"a" + b" \t" * 2_000_000 + b"b", None),
    "quotes.csv": (lambda: b'"a,' * 1_000_000, None),
    "columns.csv": (lambda: b"a," * 1_000_000, None),
    "nest.xml": (lambda: b"<a>" * 300_000 + b"x" + b"</a>" * 300_000, None),
    "nest.docx": (
        lambda: with_body(b"<w:tbl><w:tr><w:tc>" * 2000 + run(b"a") + b"</w:tc></w:tr></w:tbl>" * 2000),
        None,
    ),
    "paragraphs.docx": (lambda: with_body(run(b"a") * 200_000), None),
    "parts.eml": (lambda: b"From: a@b\nContent-Type: multipart/mixed; boundary=x\n\n" + b"--x\n\n" * 400_000, None),
    "comments.html": (lambda: b"<html>" + b"<!--" * 90_000, None),
    "nest.rtf": (lambda: b"{\\rtf1 " + b"{" * 1_000_000, None),
}


@pytest.mark.parametrize("name", FILES)
def test_read_or_refused_within_the_limits(reader: Reader, name: str) -> None:
    make, expected = FILES[name]
    data, done, ticks = make(), threading.Event(), 0

    def beat() -> None:
        nonlocal ticks
        while not done.wait(0.02):
            ticks += 1

    thread = threading.Thread(target=beat)
    thread.start()
    began, error = time.monotonic(), None
    try:
        documents = reader.read(name, data, threading.Event())
    except RagError as raised:
        error, documents = raised, ()
    finally:
        done.set()
        thread.join()
    assert ticks or time.monotonic() - began < 0.5  # this process went on meanwhile
    assert bool(documents) == (error is None)
    if expected is not None:
        assert type(error) is expected
    if error is not None:
        assert isinstance(error, LimitReached | LoadError)
        for message, ends in ((error.text.en, "."), (error.text.zh, "。")):
            assert name in message and message.rstrip().endswith(ends)
        if isinstance(error, LimitReached):
            assert any(c.isdigit() for c in error.text.en) and any(c.isdigit() for c in error.text.zh)
