import io
import zipfile

import pytest

from rag.corpus.load import container, load
from rag.errors import LoadError, UnsafeFile
from tests.corpus.load.files import book, rezipped, word

WORD = word(lambda d: d.add_paragraph("正文"))
BOOK = book(s=lambda sheet: sheet.append(["甲"]))
BOMB = (
    '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True))
    + "]><x>&i;</x>"
)
EXTERNAL = '<?xml version="1.0"?><!DOCTYPE x SYSTEM "file:///etc/passwd"><x/>'


@pytest.mark.parametrize(
    "xml", [BOMB, EXTERNAL, "<!DOCTYPE x><x/>", "<?xml version='1.0'?>\n<!-- c -->\n<!DOCTYPE x><x/>"]
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize(
    ("name", "data", "member"),
    [
        ("a.docx", WORD, "word/document.xml"),
        ("a.docx", WORD, "word/_rels/document.xml.rels"),
        ("a.docx", WORD, "[Content_Types].xml"),
        ("a.xlsx", BOOK, "xl/worksheets/sheet1.xml"),
        ("a.xlsx", BOOK, "docProps/core.xml"),
    ],
)
def test_a_document_type_is_refused_anywhere_and_in_any_encoding(
    xml: str, encoding: str, name: str, data: bytes, member: str
) -> None:
    with pytest.raises(UnsafeFile, match="document type"):
        load(name, rezipped(data, {member: xml.encode(encoding)}))


@pytest.mark.parametrize(("name", "data"), [("a.docx", WORD), ("a.xlsx", BOOK)])
def test_a_bomb_is_refused_unread(name: str, data: bytes) -> None:
    with pytest.raises(UnsafeFile, match="200 times"):
        load(name, rezipped(data, {"big.bin": bytes(2_000_000)}))
    with pytest.raises(UnsafeFile, match="parts"):
        load(name, rezipped(data, {f"n{i}": b"" for i in range(container.MAX_ENTRIES)}))


def test_a_size_over_the_cap_is_refused_by_its_directory_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(container, "MAX_BYTES", 1000)
    with pytest.raises(UnsafeFile, match="unpacks"):
        load("a.docx", WORD)


def test_two_entries_of_one_name_are_refused() -> None:
    stream = io.BytesIO(WORD)
    with zipfile.ZipFile(stream, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("word/document.xml", b"<x/>")
    with pytest.raises(UnsafeFile, match="same name"):
        load("a.docx", stream.getvalue())


def test_an_entry_cannot_give_more_than_its_directory_says() -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"<x>" + b"a" * 500_000 + b"</x>")
    lying = stream.getvalue().replace((500_007).to_bytes(4, "little"), (50).to_bytes(4, "little"))
    with pytest.raises(LoadError):
        load("a.docx", lying)


def test_links_to_elsewhere_are_ordinary() -> None:
    rels = zipfile.ZipFile(io.BytesIO(WORD)).read("word/_rels/document.xml.rels")
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink"
    link = f'<Relationship Id="rIdX" Type="{kind}" Target="http://x.example" TargetMode="External"/></Relationships>'
    changed = rels.replace(b"</Relationships>", link.encode())
    assert load("a.docx", rezipped(WORD, {"word/_rels/document.xml.rels": changed}))[0].text == "正文"


def test_a_container_without_its_main_part_is_damaged_or_unknown() -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("readme.txt", "x")
    with pytest.raises(LoadError, match=r"a\.docx"):
        load("a.docx", stream.getvalue())
