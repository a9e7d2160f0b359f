"""Small files of every format, built in memory."""

import hashlib
import io
import zipfile
import zlib
from collections.abc import Callable, Sequence

import docx
from openpyxl import Workbook
from openpyxl.worksheet.worksheet import Worksheet

from rag.types import Document

PAGE_WIDTH, PAGE_HEIGHT = 595, 842


def checked(document: Document) -> Document:
    """`document`, after the promises that hold for every document whatever was in the file."""
    text = document.text
    assert text.strip()
    assert not [c for c in text if (c < " " and c not in "\n\t") or "\x7f" <= c <= "\x9f" or "\ud800" <= c <= "\udfff"]
    assert "\n\n\n" not in text
    text.encode()
    starts = [section.start for section in document.sections]
    assert starts == sorted(starts)
    assert all(0 <= start < len(text) for start in starts)
    assert all(section.path and all(section.path) for section in document.sections)
    assert list(document.pages) == sorted(document.pages)
    assert all(0 <= start <= len(text) for start in document.pages)
    assert document.pages[:1] in ((), (0,))
    places = [one.at for one in document.removed]
    assert places == sorted(places)
    assert all(0 <= place <= len(text) for place in places)
    edges = [edge for table in document.tables for edge in (table.start, table.end)]
    assert edges == sorted(edges)
    assert all(0 <= table.start < table.end <= len(text) for table in document.tables)
    for value in (document.doc_id, document.title, document.source, document.key):
        assert value and not any(c < " " for c in value)
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    assert document.key == f"{document.doc_id}@{document.version or digest}"
    return document


def at_sections(document: Document) -> dict[tuple[str, ...], str]:
    """The line of text at which each section starts, by path."""
    return {s.path: document.text[s.start :].split("\n", 1)[0] for s in document.sections}


def word(fill: Callable[[docx.document.Document], None]) -> bytes:
    source = docx.Document()
    fill(source)
    stream = io.BytesIO()
    source.save(stream)
    return stream.getvalue()


def book(**sheets: Callable[[Worksheet], None]) -> bytes:
    """A workbook; each keyword names a sheet and the function that fills it."""
    source = Workbook()
    source.remove(source.active)
    for name, fill in sheets.items():
        fill(source.create_sheet(name))
    stream = io.BytesIO()
    source.save(stream)
    return stream.getvalue()


def rezipped(data: bytes, changes: dict[str, bytes]) -> bytes:
    """The archive with some entries replaced or added."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.namelist():
            new.writestr(entry, changes.get(entry, old.read(entry)))
        for entry in changes.keys() - set(old.namelist()):
            new.writestr(entry, changes[entry])
    return stream.getvalue()


def said(x: float, top: float, text: str, size: float = 12) -> str:
    """Drawing operators for `text` with its top left corner at (x, top), in points from the upper left of the page."""
    code = text.encode("utf-16-be", "replace").hex()
    return f"BT /F1 {size} Tf {x} {PAGE_HEIGHT - top - size} Td <{code}> Tj ET"


def rule(x0: float, top0: float, x1: float, top1: float) -> str:
    return f"{x0} {PAGE_HEIGHT - top0} m {x1} {PAGE_HEIGHT - top1} l S"


def ruled(rows: Sequence[Sequence[str]], top: float, width: float = 100, height: float = 24) -> str:
    """A table with a line around every cell, from (72, top)."""
    columns = len(rows[0])
    parts = [rule(72, top + r * height, 72 + columns * width, top + r * height) for r in range(len(rows) + 1)]
    parts += [rule(72 + c * width, top, 72 + c * width, top + len(rows) * height) for c in range(columns + 1)]
    for r, row in enumerate(rows):
        parts += [said(78 + c * width, top + r * height + 6, cell, 10) for c, cell in enumerate(row)]
    return "\n".join(parts)


def pdf(*pages: str, password: str | None = None, title: str = "", packed: bool = False) -> bytes:
    """A PDF of these pages (drawing operators), in a Chinese font that is not embedded.

    With a `password` it is encrypted (40 bit); the empty one is an owner's protection only.
    """
    count = len(pages)
    key, entry = _encryption(password) if password is not None else (b"", b"")

    def sealed(number: int, text: bytes) -> bytes:
        """What object `number` holds, encrypted when the file is."""
        return _rc4(hashlib.md5(key + number.to_bytes(3, "little") + b"\0\0").digest()[:10], text) if key else text

    def string(number: int, text: bytes) -> bytes:
        return b"<%s>" % sealed(number, text).hex().encode()

    objects = {
        1: b"<</Type/Catalog/Pages 2 0 R>>",
        2: f"<</Type/Pages/Count {count}/Kids[{' '.join(f'{6 + 2 * n} 0 R' for n in range(count))}]>>".encode(),
        3: b"<</Type/Font/Subtype/Type0/BaseFont/STSong-Light/Encoding/UniGB-UCS2-H/DescendantFonts[4 0 R]>>",
        4: b"<</Type/Font/Subtype/CIDFontType0/BaseFont/STSong-Light/DW 1000/W[1 95 500]/FontDescriptor 5 0 R"
        b"/CIDSystemInfo<</Registry%s/Ordering%s/Supplement 2>>>>" % (string(4, b"Adobe"), string(4, b"GB1")),
        5: b"<</Type/FontDescriptor/FontName/STSong-Light/Flags 4/FontBBox[-25 -254 1000 880]/ItalicAngle 0"
        b"/Ascent 880/Descent -120/CapHeight 880/StemV 93>>",
    }
    trailer = b"<</Root 1 0 R/Size %d" % (6 + 2 * count + 2)
    for n, operators in enumerate(pages):
        box = f"/MediaBox[0 0 {PAGE_WIDTH} {PAGE_HEIGHT}]/Resources<</Font<</F1 3 0 R>>>>"
        objects[6 + 2 * n] = f"<</Type/Page/Parent 2 0 R{box}/Contents {7 + 2 * n} 0 R>>".encode()
        plain = operators.encode("ascii")
        content = sealed(7 + 2 * n, zlib.compress(plain) if packed else plain)
        kind = b"/Filter/FlateDecode" if packed else b""
        objects[7 + 2 * n] = b"<</Length %d%s>>stream\n%s\nendstream" % (len(content), kind, content)
    if entry:
        objects[6 + 2 * count] = entry
        trailer += b"/Encrypt %d 0 R/ID[<00><00>]" % (6 + 2 * count)
    if title:
        objects[7 + 2 * count] = b"<</Title%s>>" % string(7 + 2 * count, b"\xfe\xff" + title.encode("utf-16-be"))
        trailer += b"/Info %d 0 R" % (7 + 2 * count)
    return _written(objects, trailer + b">>")


def _written(objects: dict[int, bytes], trailer: bytes) -> bytes:
    out, places = b"%PDF-1.4\n", {}
    for number, body in sorted(objects.items()):
        places[number] = len(out)
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 1\n0000000000 65535 f \n"
    for number, place in places.items():
        out += b"%d 1\n%010d 00000 n \n" % (number, place)
    return out + b"trailer\n%s\nstartxref\n%d\n%%%%EOF" % (trailer, start)


_PAD = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")


def _encryption(password: str) -> tuple[bytes, bytes]:
    """The file key and the Encrypt dictionary of the standard handler, revision 2."""
    user = (password.encode() + _PAD)[:32]
    owner = _rc4(hashlib.md5((b"owner" + _PAD)[:32]).digest()[:5], user)
    key = hashlib.md5(user + owner + (-44).to_bytes(4, "little", signed=True) + b"\0").digest()[:5]
    check = _rc4(key, _PAD)
    entry = b"<</Filter/Standard/V 1/R 2/P -44/O<%s>/U<%s>>>" % (owner.hex().encode(), check.hex().encode())
    return key, entry


def _rc4(key: bytes, data: bytes) -> bytes:
    state, j = list(range(256)), 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    out, i, j = bytearray(), 0, 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)
