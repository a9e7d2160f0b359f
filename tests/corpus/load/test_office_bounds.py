"""Small Office files that would become endless texts, tables or loops."""

import io
import random
import re
import zipfile
from collections.abc import Callable

import pytest
from lxml import etree
from openpyxl.worksheet.worksheet import Worksheet
from pptx.oxml.ns import qn

from rag.corpus.load import load, sheet
from rag.errors import LoadError, UnsafeFile
from tests.corpus.load.files import book, checked, rezipped
from tests.corpus.load.ooxml import NAMES, abstract, document, field, level, listed, num, paragraph, run
from tests.corpus.load.test_slides import box, deck, slide

LONG = "长" * 100_000


def test_notes_comments_and_headers_are_read_once_however_often_they_are_named() -> None:
    notes = f'<w:footnotes {NAMES}><w:footnote w:id="1">{paragraph(LONG)}</w:footnote></w:footnotes>'
    comments = f'<w:comments {NAMES}><w:comment w:id="1">{paragraph(LONG)}</w:comment></w:comments>'
    header = f"<w:hdr {NAMES}>{paragraph(LONG)}</w:hdr>"
    to = '<w:r><w:footnoteReference w:id="1"/><w:commentReference w:id="1"/></w:r>'
    section = '<w:sectPr><w:headerReference w:type="default" r:id="header1"/></w:sectPr>'
    body = [paragraph(run("文") + to, section)] * 300
    parts = {"footnotes": notes, "comments": comments, "header1": header}
    (read,) = load("a.docx", document(*body, parts=parts))
    assert read.text.count(LONG) == 1
    assert sum(len(r.text) for r in read.removed) <= 2 * len(LONG)


def test_one_wide_row_does_not_widen_a_hundred_thousand_others() -> None:
    wide = "<w:tr>" + f"<w:tc>{paragraph('x')}</w:tc>" * 3000 + "</w:tr>"
    narrow = f"<w:tr><w:tc>{paragraph('y')}</w:tc></w:tr>" * 3000
    with pytest.raises(UnsafeFile, match="table"):
        load("a.docx", document(f"<w:tbl>{wide}{narrow}</w:tbl>"))


def test_styles_based_on_each_other_end() -> None:
    chain = "".join(
        f'<w:style w:type="paragraph" w:styleId="S{n}"><w:name w:val="S{n}"/><w:basedOn w:val="S{n + 1}"/></w:style>'
        for n in range(1000)
    )
    circle = '<w:style w:type="paragraph" w:styleId="S1000"><w:name w:val="c"/><w:basedOn w:val="S1000"/></w:style>'
    assert load("a.docx", document(paragraph("文", '<w:pStyle w:val="S0"/>'), styles=chain + circle))[0].text == "文"


@pytest.mark.parametrize(
    "wrap",
    [
        lambda inside: f"<w:tbl><w:tr><w:tc>{inside}</w:tc></w:tr></w:tbl>",
        lambda inside: f"<w:tbl><w:tr><w:tc>{inside}</w:tc><w:tc>{paragraph('x')}</w:tc></w:tr></w:tbl>",
        lambda inside: paragraph(f"<w:r><w:pict><w:txbxContent>{inside}</w:txbxContent></w:pict></w:r>"),
        lambda inside: f"<w:sdt><w:sdtContent>{inside}</w:sdtContent></w:sdt>",
    ],
)
def test_what_is_nested_too_deep_is_read_or_refused(wrap) -> None:  # type: ignore[no-untyped-def]
    inside = paragraph("底")
    for _ in range(20):
        inside = wrap(inside)
    assert "底" in load("a.docx", document(inside))[0].text


def test_what_is_nested_deeper_than_a_parser_goes_is_refused() -> None:
    data = document(paragraph("x"))
    xml = zipfile.ZipFile(io.BytesIO(data)).read("word/document.xml")
    nested = b"<w:p>" + b"<w:r><w:pict>" * 3000 + b"</w:pict></w:r>" * 3000 + b"</w:p>"
    with pytest.raises(LoadError, match="damaged"):
        load("a.docx", rezipped(data, {"word/document.xml": xml.replace(b"<w:body>", b"<w:body>" + nested)}))


def test_a_text_that_many_cells_share_is_counted_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    def fill(cells: Worksheet) -> None:
        for _ in range(1100):
            cells.append(["长" * 100])

    monkeypatch.setattr(sheet, "MAX_CHARACTERS", 100_000)
    with pytest.raises(UnsafeFile, match="characters"):
        load("a.xlsx", book(s=fill))


def test_levels_and_merged_cells_of_slides_are_bounded() -> None:
    def fill(source) -> None:  # type: ignore[no-untyped-def]
        only = slide(source, "题")
        properties = box(only, "甲", 2).text_frame.paragraphs[0]._p.get_or_add_pPr()
        properties.set("lvl", "999999999")
        etree.SubElement(properties, qn("a:buAutoNum"), type="arabicPeriod")
        table = only.shapes.add_table(2, 2, 0, 3_000_000, 1, 1).table
        table.cell(0, 0).text = "合"
        table.cell(0, 0)._tc.set("rowSpan", "99999999")
        table.cell(0, 0)._tc.set("gridSpan", "99999999")

    assert load("a.pptx", deck(fill))[0].text == "题\n\n1. 甲\n\n合"


def _rich() -> dict[str, bytes]:
    """A document, a workbook and a presentation with much of what the loaders know."""
    notes = f'<w:footnotes {NAMES}><w:footnote w:id="1">{paragraph("注")}</w:footnote></w:footnotes>'
    header = f"<w:hdr {NAMES}>{paragraph('页眉')}</w:hdr>"
    row = "<w:tr>" + f"<w:tc>{paragraph('格')}</w:tc>" * 3 + "</w:tr>"
    table = f"<w:tbl>{row * 3}</w:tbl>"
    inside = (
        run("甲") + '<w:r><w:footnoteReference w:id="1"/></w:r>' + field("PAGE", run("1")) + field("TOC", run("目"))
    )
    body = [
        listed("一", 1),
        listed("二", 1, 1),
        paragraph(inside),
        table,
        paragraph("第一章 总则", '<w:outlineLvl w:val="0"/>'),
    ]
    numbering = abstract(1, level(0, "chineseCounting", "第%1章"), level(1, "decimal", "%1.%2")) + num(1, 1)

    def cells(one: Worksheet) -> None:
        for row in (["城市", "上限", "比例"], ["北京", 600, 0.5], ["合", None, None]):
            one.append(row)
        one["C2"].number_format = '[DBNum2]0.0%;[Red]"x"'
        one.merge_cells("A3:C3")

    def slides(source) -> None:  # type: ignore[no-untyped-def]
        only = slide(source, "题")
        box(only, "甲", 2)
        only.shapes.add_table(2, 2, 0, 3_000_000, 1, 1).table.cell(0, 0).text = "格"
        only.notes_slide.notes_text_frame.text = "备注"

    section = '<w:sectPr><w:headerReference w:type="default" r:id="header1"/></w:sectPr>'
    parts = {"footnotes": notes, "header1": header}
    return {
        "a.docx": document(*body, paragraph("完", section), numbering=numbering, parts=parts),
        "a.xlsx": book(s=cells),
        "a.pptx": deck(slides),
    }


def test_parts_changed_at_random_are_read_or_refused(seeds: Callable[[int], range]) -> None:
    files = _rich()
    loaded = 0
    for seed in seeds(600):
        rng = random.Random(seed)
        name = rng.choice(list(files))
        archive = zipfile.ZipFile(io.BytesIO(files[name]))
        members = [m for m in archive.namelist() if m.endswith((".xml", ".rels")) and "theme" not in m]
        own = [
            m for m in members if re.search(r"document|numbering|footnotes|header|sheet1|styles|slide1|notesSlide1", m)
        ]
        member = rng.choice(own if rng.random() < 0.8 else members)
        xml = archive.read(member)
        for _ in range(rng.randint(1, 3)):
            values = list(re.finditer(rb'="([^"]*)"', xml))
            if values and rng.random() < 0.7:  # another value somewhere
                start, end = rng.choice(values).span(1)
                strange = (b"", b"0", b"-1", b"99999999999", b"x", b"rId99", rng.choice(values).group(1))
                xml = xml[:start] + rng.choice(strange) + xml[end:]
            else:  # an element gone
                tags = list(re.finditer(rb"<[^/!?][^<>]*/>", xml))
                if tags:
                    start, end = rng.choice(tags).span()
                    xml = xml[:start] + xml[end:]
        try:
            documents = load(name, rezipped(files[name], {member: xml}))
        except LoadError:
            continue
        loaded += 1
        for one in documents:
            checked(one)
    assert loaded > 0.3 * len(seeds(600))
