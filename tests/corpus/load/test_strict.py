import io
import re
import zipfile

import pytest

from rag.corpus.load import load
from rag.corpus.load.strict import transitional
from tests.corpus.load.files import book, rezipped, word
from tests.corpus.load.test_slides import deck, slide

# From the annexes of ISO/IEC 29500-1 and -4: the two spellings of one name.
NAMES = {
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main": "http://purl.oclc.org/ooxml/wordprocessingml/main",
    "http://schemas.openxmlformats.org/spreadsheetml/2006/main": "http://purl.oclc.org/ooxml/spreadsheetml/main",
    "http://schemas.openxmlformats.org/presentationml/2006/main": "http://purl.oclc.org/ooxml/presentationml/main",
    "http://schemas.openxmlformats.org/drawingml/2006/main": "http://purl.oclc.org/ooxml/drawingml/main",
    "http://schemas.openxmlformats.org/drawingml/2006/chart": "http://purl.oclc.org/ooxml/drawingml/chart",
    "http://schemas.openxmlformats.org/officeDocument/2006/extended-properties": (
        "http://purl.oclc.org/ooxml/officeDocument/extendedProperties"
    ),
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships": (
        "http://purl.oclc.org/ooxml/officeDocument/relationships"
    ),
}
FILES = {
    "a.docx": word(lambda d: d.add_heading("第一章 总则", 1)),
    "a.xlsx": book(标准=lambda sheet: sheet.append(["城市", "上限"])),
    "a.pptx": deck(lambda source: slide(source, "题")),
}


def strict(data: bytes) -> bytes:
    changes = {}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for member in archive.namelist():
            xml = archive.read(member)
            for loose, tight in NAMES.items():
                xml = xml.replace(loose.encode(), tight.encode())
            changes[member] = xml
    return rezipped(data, changes)


@pytest.mark.parametrize("name", FILES)
def test_a_strict_file_reads_like_the_other(name: str) -> None:
    changed = strict(FILES[name])
    assert any(b"purl.oclc.org" in zipfile.ZipFile(io.BytesIO(changed)).read(part) for part in ("_rels/.rels",))
    (before,), (after,) = load(name, FILES[name]), load(name, changed)
    assert (after.text, after.sections, after.warnings) == (before.text, before.sections, before.warnings)


def test_text_that_speaks_of_the_names_stays() -> None:
    said = '<w:t a="1">xmlns="http://purl.oclc.org/ooxml/a/b" &lt;x y="http://purl.oclc.org/ooxml/a/b"&gt;</w:t>'
    assert transitional(said.encode()) == said.encode()
    assert (
        transitional(b"<a b='http://purl.oclc.org/ooxml/x/y'/>")
        == b"<a b='http://schemas.openxmlformats.org/x/2006/y'/>"
    )


def test_tags_that_do_not_close_cost_no_more_than_their_length() -> None:
    xml = b'http://purl.oclc.org/ooxml/ <a b="' * 20_000 + b"<a \"'" * 100_000
    assert transitional(xml) == xml


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.docx", b"application/vnd.ms-word.document.macroEnabled.main+xml"),
        ("a.docx", b"application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml"),
        ("a.pptx", b"application/vnd.openxmlformats-officedocument.presentationml.slideshow.main+xml"),
        ("a.pptx", b"application/vnd.ms-powerpoint.slideshow.macroEnabled.main+xml"),
        ("a.xlsx", b"application/vnd.ms-excel.sheet.macroEnabled.main+xml"),
    ],
)
def test_templates_shows_and_files_with_macros(name: str, kind: bytes) -> None:
    types = zipfile.ZipFile(io.BytesIO(FILES[name])).read("[Content_Types].xml")
    main = re.compile(rb"application/[\w.\-]+\.(?:document|sheet|presentation)\.main\+xml")
    changed, count = main.subn(kind, types)
    assert count == 1
    changed_file = rezipped(FILES[name], {"[Content_Types].xml": changed})
    assert load(name, changed_file)[0].text == load(name, FILES[name])[0].text
