import io
import random
import zipfile
from collections.abc import Callable
from typing import Any

import pptx
import pytest
from lxml import etree
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.oxml.ns import qn
from pptx.util import Emu, Inches

from rag.corpus.load import load
from rag.errors import EmptyDocument, LoadError, UnsafeFile
from tests.corpus.load.files import at_sections, checked, rezipped
from tests.corpus.load.visible import hostile_xml, visible_lines

TITLE_ONLY, BLANK = 5, 6


def deck(fill: Callable[[Any], None]) -> bytes:
    source = pptx.Presentation()
    fill(source)
    stream = io.BytesIO()
    source.save(stream)
    return stream.getvalue()


def slide(source: Any, title: str = "") -> Any:
    added = source.slides.add_slide(source.slide_layouts[TITLE_ONLY if title else BLANK])
    if title:
        added.shapes.title.text = title
    return added


def box(parent: Any, text: str, top: float, left: float = 1) -> Any:
    added = parent.shapes.add_textbox(Inches(left), Inches(top), Inches(2), Inches(0.5))
    added.text_frame.text = text
    return added


def test_every_slide_is_a_page_and_a_section_and_its_words_come_in_reading_order() -> None:
    def fill(source: Any) -> None:
        first = slide(source, "年假\v办法")
        box(first, "下", 4)
        box(first, "右\n右二", 2, left=5)
        box(first, "左", 2.05)
        first.notes_slide.notes_text_frame.text = "讲稿"
        second = slide(source)
        box(second, "没有标题", 1)
        box(second, "正文", 2)
        slide(source, "完")

    (document,) = load("培训.pptx", deck(fill))
    checked(document)
    assert document.text == "年假\n办法\n\n左\n\n右\n右二\n\n下\n\n备注：讲稿\n\n没有标题\n\n正文\n\n完"
    assert document.pages == (0, document.text.index("没有标题"), document.text.index("完"))
    assert at_sections(document) == {("年假 办法",): "年假", ("没有标题",): "没有标题", ("完",): "完"}
    assert document.reading.en == "PowerPoint, 3 slides"


def test_what_is_grouped_stays_together() -> None:
    def fill(source: Any) -> None:
        only = slide(source, "题")
        group = only.shapes.add_group_shape()
        box(group, "卡一文", 3)
        box(group, "卡一题", 2)
        other = only.shapes.add_group_shape()
        box(other, "卡二题", 2, left=5)
        box(other, "卡二文", 3, left=5)

    assert load("a.pptx", deck(fill))[0].text == "题\n\n卡一题\n\n卡一文\n\n卡二题\n\n卡二文"


def test_a_table_with_merged_cells() -> None:
    def fill(source: Any) -> None:
        table = slide(source, "题").shapes.add_table(3, 2, 0, Inches(3), Inches(4), Inches(1)).table
        for r, row in enumerate((("职级", "天数"), ("P1", "10"), ("", "12"))):
            for c, text in enumerate(row):
                table.cell(r, c).text = text
        table.cell(1, 0).merge(table.cell(2, 0))

    (document,) = load("a.pptx", deck(fill))
    assert document.text == "题\n\n职级: P1；天数: 10\n职级: P1；天数: 12"
    (table,) = document.tables
    assert (document.text[table.start :], table.header) == ("职级: P1；天数: 10\n职级: P1；天数: 12", "职级 | 天数")


def test_a_chart_gives_its_title_and_its_data() -> None:
    def fill(source: Any) -> None:
        data = CategoryChartData()
        data.categories = ["一季度", "二季度"]
        data.add_series("入职", (3, 4.5))
        data.add_series("离职", (1, None))
        kind = XL_CHART_TYPE.COLUMN_CLUSTERED
        chart = slide(source, "题").shapes.add_chart(kind, 0, Inches(3), Inches(4), Inches(3), data).chart
        chart.has_title = True
        chart.chart_title.text_frame.text = "人数"

    assert load("a.pptx", deck(fill))[0].text == "题\n\n人数\n\n一季度；入职: 3；离职: 1\n二季度；入职: 4.5"


def test_automatic_numbers_and_slide_numbers() -> None:
    def fill(source: Any) -> None:
        only = slide(source, "题")
        frame = box(only, "甲\n乙\n注\n丙", 2).text_frame
        for number, kind in ((0, "ea1ChsPeriod"), (1, "ea1ChsPeriod"), (3, "circleNumDbPlain")):
            properties = frame.paragraphs[number]._p.get_or_add_pPr()
            etree.SubElement(properties, qn("a:buAutoNum"), type=kind)
        field = etree.SubElement(
            box(only, "第页", 3).text_frame.paragraphs[0]._p, qn("a:fld"), type="slidenum", id="{0}"
        )
        etree.SubElement(field, qn("a:t")).text = "7"

    assert load("a.pptx", deck(fill))[0].text == "题\n\n一. 甲\n二. 乙\n注\n① 丙\n\n第页"


def test_a_hidden_slide_is_left_out_and_noted() -> None:
    def fill(source: Any) -> None:
        slide(source, "见")
        slide(source, "不见")._element.set("show", "0")
        slide(source, "又见")

    (document,) = load("a.pptx", deck(fill))
    assert document.text == "见\n\n又见"
    assert load("b.pptx", deck(lambda source: slide(source, "见")))[0].reading.en == "PowerPoint, 1 slide"
    assert [(r.text, r.why, r.page, r.at) for r in document.removed] == [("不见", "hidden", 2, 1)]
    assert "left out because hidden: 1 slide." in document.warnings[0].en


def test_the_footer_and_the_number_of_a_slide_are_noted() -> None:
    def fill(source: Any) -> None:
        only = slide(source, "题")
        for kind, text in (("ftr", "内部资料"), ("sldNum", "3")):
            added = box(only, text, 7)
            holder = etree.SubElement(added._element.nvSpPr.find(qn("p:nvPr")), qn("p:ph"), type=kind)
            assert holder is not None

    (document,) = load("a.pptx", deck(fill))
    assert document.text == "题"
    assert [(r.text, r.why) for r in document.removed] == [("内部资料", "running_line"), ("3", "page_number")]


MC = "http://schemas.openxmlformats.org/markup-compatibility/2006"


def test_a_choice_counts_once() -> None:
    def fill(source: Any) -> None:
        only = slide(source, "题")
        shape = box(only, "公式", 2)._element
        tree = shape.getparent()
        alternatives = etree.SubElement(tree, f"{{{MC}}}AlternateContent")
        for branch in ("Choice", "Fallback"):
            etree.SubElement(alternatives, f"{{{MC}}}{branch}").append(etree.fromstring(etree.tostring(shape)))
        tree.remove(shape)

    assert load("a.pptx", deck(fill))[0].text == "题\n\n公式"


def test_smart_art_gives_its_words() -> None:
    drawing = "http://schemas.openxmlformats.org/drawingml/2006"
    model = f"{drawing}/diagram"
    relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    frame = (
        f'<p:graphicFrame xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="{drawing}/main">'
        '<p:nvGraphicFramePr><p:cNvPr id="9" name="d"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr>'
        f'<p:xfrm><a:off x="0" y="3000000"/><a:ext cx="1" cy="1"/></p:xfrm><a:graphic><a:graphicData uri="{model}">'
        f'<dgm:relIds xmlns:dgm="{model}" xmlns:r="{relations}" r:dm="rId77"/></a:graphicData></a:graphic></p:graphicFrame>'
    )
    points = "".join(f"<dgm:pt><dgm:t><a:p><a:r><a:t>{t}</a:t></a:r></a:p></dgm:t></dgm:pt>" for t in ("申请", "审批"))
    data = (
        f'<dgm:dataModel xmlns:dgm="{model}" xmlns:a="{drawing}/main"><dgm:ptLst>{points}</dgm:ptLst></dgm:dataModel>'
    )
    source = deck(lambda s: slide(s, "流程")._element.find(f".//{qn('p:spTree')}").append(etree.fromstring(frame)))
    archive = zipfile.ZipFile(io.BytesIO(source))
    rels = archive.read("ppt/slides/_rels/slide1.xml.rels")
    link = f'<Relationship Id="rId77" Type="{relations}/diagramData" Target="../diagrams/data1.xml"/></Relationships>'
    types = archive.read("[Content_Types].xml")
    part = '<Override PartName="/ppt/diagrams/data1.xml" ContentType="application/xml"/></Types>'
    changed = rezipped(
        source,
        {
            "ppt/slides/_rels/slide1.xml.rels": rels.replace(b"</Relationships>", link.encode()),
            "[Content_Types].xml": types.replace(b"</Types>", part.encode()),
            "ppt/diagrams/data1.xml": data.encode(),
        },
    )
    assert load("a.pptx", changed)[0].text == "流程\n\n申请\n审批"


def test_an_empty_a_damaged_and_a_hostile_presentation() -> None:
    with pytest.raises(EmptyDocument):
        load("a.pptx", deck(lambda source: None))
    good = deck(lambda source: slide(source, "题"))
    with pytest.raises(LoadError, match="damaged"):
        load("a.pptx", good[: len(good) // 2])
    with pytest.raises(LoadError, match="damaged"):
        load("a.pptx", b"PK\3\4 cut")
    with pytest.raises(UnsafeFile, match="document type"):
        load("a.pptx", rezipped(good, {"ppt/slides/slide1.xml": b'<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>'}))


def one_deck_comes_back(rng: random.Random) -> None:
    words: list[str] = []

    def said() -> str:
        words.append(f"〔{len(words)}〕{hostile_xml(rng)}")
        return words[-1]

    def fill(source: Any) -> None:
        for _ in range(rng.randint(1, 5)):
            current = slide(source, said())
            for place in range(rng.randint(0, 4)):
                top = Inches(2) + Emu(200_000 * place)
                current.shapes.add_textbox(Inches(rng.random()), top, Inches(2), Inches(1)).text_frame.text = said()
            if rng.random() < 0.5:
                current.notes_slide.notes_text_frame.text = said()

    (document,) = load("a.pptx", deck(fill))
    checked(document)
    place = 0
    for line in visible_lines("\n".join(words)):
        place = document.text.index(line, place) + len(line)


def test_every_visible_word_comes_back_once_and_in_order(seeds: Callable[[int], range]) -> None:
    for seed in seeds(200):
        one_deck_comes_back(random.Random(seed))
