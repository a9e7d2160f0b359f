"""Word documents out of raw markup: what python-docx has no calls for."""

import io
import re
import zipfile

import docx
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from tests.corpus.load.files import rezipped, word

NAMES = nsdecls("w") + ' xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
MC = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
WORD_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml"


def run(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def paragraph(inside: str, properties: str = "") -> str:
    """A paragraph; `inside` without a tag is its text."""
    inside = inside if inside.startswith("<") or not inside else run(inside)
    return f"<w:p><w:pPr>{properties}</w:pPr>{inside}</w:p>"


def listed(text: str, list_id: int, level: int = 0) -> str:
    return paragraph(text, f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{list_id}"/></w:numPr>')


def field(code: str, result: str) -> str:
    begin, separate, end = (f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "separate", "end"))
    return f"{begin}<w:r><w:instrText> {code} </w:instrText></w:r>{separate}{result}{end}"


def level(at: int, system: str, text: str, start: int = 1, more: str = "", suffix: str = "") -> str:
    """A level of a list. `more` stands where lvlRestart, pStyle and isLgl do."""
    suffix = f'<w:suff w:val="{suffix}"/>' if suffix else ""
    return (
        f'<w:lvl w:ilvl="{at}"><w:start w:val="{start}"/><w:numFmt w:val="{system}"/>{more}{suffix}'
        f'<w:lvlText w:val="{text}"/></w:lvl>'
    )


def abstract(number: int, *levels: str, more: str = "") -> str:
    return f'<w:abstractNum w:abstractNumId="{number}">{more}{"".join(levels)}</w:abstractNum>'


def num(number: int, of: int, overrides: str = "") -> str:
    return f'<w:num w:numId="{number}"><w:abstractNumId w:val="{of}"/>{overrides}</w:num>'


def document(*body: str, numbering: str = "", styles: str = "", parts: dict[str, str] | None = None) -> bytes:
    """A document of these blocks; `parts` are further parts of the main one by their kind (footnotes, comments, header1…)."""

    def fill(d: docx.document.Document) -> None:
        d.element.body.insert(0, parse_xml(f"<w:sdt {NAMES} {MC}><w:sdtContent>{''.join(body)}</w:sdtContent></w:sdt>"))

    data = word(fill)
    archive = zipfile.ZipFile(io.BytesIO(data))
    changes: dict[str, bytes] = {}
    if numbering:
        changes["word/numbering.xml"] = f"<w:numbering {NAMES} {MC}>{numbering}</w:numbering>".encode()
    if styles:
        changes["word/styles.xml"] = archive.read("word/styles.xml").replace(
            b"</w:styles>", f"{styles}</w:styles>".encode()
        )
    links, types = "", ""
    for kind, xml in (parts or {}).items():
        plain = re.sub(r"\d", "", kind)
        changes[f"word/{kind}.xml"] = xml.encode()
        links += f'<Relationship Id="{kind}" Type="{RELATIONS}/{plain}" Target="{kind}.xml"/>'
        types += f'<Override PartName="/word/{kind}.xml" ContentType="{WORD_TYPE}.{plain}+xml"/>'
    for member, end, more in (
        ("word/_rels/document.xml.rels", "</Relationships>", links),
        ("[Content_Types].xml", "</Types>", types),
    ):
        changes[member] = archive.read(member).replace(end.encode(), (more + end).encode())
    return rezipped(data, changes)
