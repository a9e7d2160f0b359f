import random
from collections.abc import Callable

import docx
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from rag.corpus.load import load
from tests.corpus.load.files import at_sections, checked, word
from tests.corpus.load.ooxml import abstract, document, level, listed, num, paragraph, run
from tests.corpus.load.visible import hostile_xml, visible_lines


def test_headings_lists_and_paragraphs_in_order() -> None:
    def fill(d: docx.document.Document) -> None:
        d.add_heading("差旅管理办法", 0)
        d.add_paragraph("版本：V2.1　生效日期：2026/10/1")
        d.add_heading("第三章 交通", 1)
        d.add_heading("第十二条 高铁", 2)
        d.add_paragraph("  二等座。")
        d.add_paragraph("甲", style="List Bullet")
        d.add_paragraph("乙", style="List Number")
        d.add_heading("第四章 住宿", 1)
        d.add_paragraph("一\n二")

    (document,) = load("差旅（2025版）.docx", word(fill))
    checked(document)
    assert document.text == (
        "差旅管理办法\n\n版本：V2.1　生效日期：2026/10/1\n\n第三章 交通\n\n第十二条 高铁\n\n二等座。\n\n- 甲\n1. 乙\n\n第四章 住宿\n\n一\n二"
    )
    assert at_sections(document) == {
        ("第三章 交通",): "第三章 交通",
        ("第三章 交通", "第十二条 高铁"): "第十二条 高铁",
        ("第四章 住宿",): "第四章 住宿",
    }
    assert (document.doc_id, document.version, document.title) == ("差旅", "V2.1", "差旅管理办法")
    assert str(document.effective_from) == "2026-10-01"


def test_core_properties() -> None:
    def fill(d: docx.document.Document) -> None:
        d.core_properties.title, d.core_properties.version = "属性标题", "7"
        d.add_paragraph("正文")

    (document,) = load("a.docx", word(fill))
    assert (document.title, document.key) == ("属性标题", "a@7")


def test_merged_cells_carry_their_value() -> None:
    def fill(d: docx.document.Document) -> None:
        table = d.add_table(4, 3)
        for r, row in enumerate(
            (("职级", "标准", ""), ("", "住宿", "餐费"), ("P1", "600", "120"), ("P1", "450", "无"))
        ):
            for c, text in enumerate(row):
                table.cell(r, c).text = text
        for first, last, text in (((0, 0), (1, 0), "职级"), ((0, 1), (0, 2), "标准"), ((2, 0), (3, 0), "P1")):
            merged = table.cell(*first).merge(table.cell(*last))
            merged.text = text

    (document,) = load("a.docx", word(fill))
    assert document.text == "职级: P1；标准/住宿: 600；标准/餐费: 120\n职级: P1；标准/住宿: 450；标准/餐费: 无"


def test_a_table_without_header_and_one_with_one_column() -> None:
    def fill(d: docx.document.Document) -> None:
        for rows in ((("1", "2"), ("3", "4")), (("甲",), ("乙",))):
            table = d.add_table(len(rows), len(rows[0]))
            for r, row in enumerate(rows):
                for c, text in enumerate(row):
                    table.cell(r, c).text = text
            d.add_paragraph("完")

    (document,) = load("a.docx", word(fill))
    assert document.text == "1 | 2\n3 | 4\n\n完\n\n甲\n乙\n\n完"


def test_a_text_box_counts_once_and_deleted_text_not_at_all() -> None:
    box = "<w:txbxContent><w:p><w:r><w:t>框内</w:t></w:r></w:p></w:txbxContent>"
    names = nsdecls("w") + ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    paragraph = (
        f"<w:p {names}><w:r><w:t>留</w:t></w:r><w:del><w:r><w:delText>删</w:delText><w:t>去</w:t></w:r></w:del>"
        f"<w:ins><w:r><w:t>增</w:t></w:r></w:ins><w:r><mc:AlternateContent><mc:Choice>{box}</mc:Choice>"
        f"<mc:Fallback>{box}</mc:Fallback></mc:AlternateContent></w:r></w:p>"
    )
    data = word(lambda d: d.element.body.insert(0, parse_xml(paragraph)))
    assert load("a.docx", data)[0].text == "留增\n\n框内"


def test_outline_levels_make_headings_without_a_heading_style() -> None:
    paragraph = f'<w:p {nsdecls("w")}><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:r><w:t>总说明</w:t></w:r></w:p>'

    def fill(d: docx.document.Document) -> None:
        d.add_paragraph("前言。")
        d.element.body.insert(1, parse_xml(paragraph))

    (document,) = load("a.docx", word(fill))
    assert at_sections(document) == {("总说明",): "总说明"}


def test_signs_breaks_and_inline_containers() -> None:
    inside = (
        run("软")
        + "<w:r><w:softHyphen/></w:r>"
        + f"<w:smartTag>{run('标')}</w:smartTag><w:hyperlink>{run('链')}</w:hyperlink>"
        + f"<w:sdt><w:sdtPr/><w:sdtContent>{run('控')}</w:sdtContent></w:sdt><w:bdo>{run('向')}</w:bdo>"
        + '<w:r><w:sym w:font="Wingdings" w:char="F0FE"/><w:sym w:font="Webdings" w:char="F061"/><w:sym w:font="宋体" w:char="2460"/>'
        + "<w:tab/><w:noBreakHyphen/><w:br/></w:r>"
        + run("\uf0a8", '<w:rFonts w:ascii="Wingdings"/>')
        + f"<w:r><w:ruby><w:rt>{run('háng')}</w:rt><w:rubyBase>{run('行')}</w:rubyBase></w:ruby></w:r>"
    )
    (read,) = load("a.docx", document(paragraph(inside)))
    assert read.text == "软标链控向☑①\t-\n□行（háng）"
    assert [(r.why, r.text) for r in read.removed] == [("unreadable", "U+F061 (Webdings)")]


def test_a_bold_numbered_line_is_a_heading() -> None:
    bold = "<w:b/>"
    body = [
        paragraph("年假办法"),
        paragraph(run("1. 目的", bold)),
        paragraph("为规范管理。"),
        paragraph(run("1.1 范围", bold)),
        paragraph(run("2. 一句话写得很粗。", bold)),
        paragraph(run("3. 半", bold) + run("粗")),
    ]
    (read,) = load("a.docx", document(*body))
    assert at_sections(read) == {("1. 目的",): "1. 目的", ("1. 目的", "1.1 范围"): "1.1 范围"}
    body = [
        paragraph("Handbook"),
        *(paragraph(run(t, bold)) for t in ("CHAPTER 1 – Aims", "A.\tPurpose", "(1) Scope", "Plain")),
    ]
    (read,) = load("a.docx", document(*body))
    assert [section.path for section in read.sections] == [
        ("CHAPTER 1 – Aims",),
        ("CHAPTER 1 – Aims", "A. Purpose"),
        ("CHAPTER 1 – Aims", "A. Purpose", "(1) Scope"),
    ]


def test_a_frame_of_one_cell_is_only_a_frame() -> None:
    inner = f"<w:tbl><w:tr><w:tc>{paragraph('城市')}</w:tc><w:tc>{paragraph('上限')}</w:tc></w:tr>"
    inner += f"<w:tr><w:tc>{paragraph('北京')}</w:tc><w:tc>{paragraph('600')}</w:tc></w:tr></w:tbl>"
    cell = paragraph("第一章 总则") + paragraph("正文。") + inner + paragraph("")
    (read,) = load("a.docx", document(f"<w:tbl><w:tr><w:tc>{cell}</w:tc></w:tr></w:tbl>"))
    assert read.text == "第一章 总则\n\n正文。\n\n城市: 北京；上限: 600"
    assert at_sections(read) == {("第一章 总则",): "第一章 总则"}


def test_cells_that_start_late_merge_down_and_hold_boxes_lists_and_tables() -> None:
    def cell(inside: str, properties: str = "") -> str:
        return f"<w:tc><w:tcPr>{properties}</w:tcPr>{inside}</w:tc>"

    box = f"<w:r><w:pict><w:txbxContent>{paragraph('框内')}</w:txbxContent></w:pict></w:r>"
    nested = f"<w:tbl><w:tr>{cell(paragraph('内甲'))}{cell(paragraph('内乙'))}</w:tr></w:tbl>"
    rows = (
        "<w:tr>" + cell(paragraph("职级")) + cell(paragraph("标准"), '<w:gridSpan w:val="2"/>') + "</w:tr>"
        "<w:tr>" + cell(paragraph("P1"), '<w:vMerge w:val="restart"/>') + cell(paragraph("住宿")) + cell(paragraph(run("600") + box)) + "</w:tr>"
        "<w:tr>" + cell(paragraph(""), "<w:vMerge/>") + cell(listed("证件", 1) + listed("发票", 1)) + cell(nested + paragraph("")) + "</w:tr>"
        '<w:tr><w:trPr><w:gridBefore w:val="1"/></w:trPr>' + cell(paragraph("餐费")) + cell(paragraph("120")) + "</w:tr>"
    )  # fmt: skip
    numbering = abstract(1, level(0, "decimal", "%1.")) + num(1, 1)
    (read,) = load("a.docx", document(f"<w:tbl>{rows}</w:tbl>", numbering=numbering))
    assert read.text.split("\n") == [
        "职级: P1；标准: 住宿；标准: 600 框内",
        "职级: P1；标准: 1. 证件 2. 发票；标准: 内甲 | 内乙",
        "标准: 餐费；标准: 120",
    ]


def test_rows_that_the_file_calls_a_header() -> None:
    header = "<w:trPr><w:tblHeader/></w:trPr>"
    rows = "".join(
        f"<w:tr>{properties}{''.join(f'<w:tc>{paragraph(t)}</w:tc>' for t in row)}</w:tr>"
        for row, properties in ((("1月", "2026"), header), (("5", "6"), header), (("7", "8"), ""))
    )
    (read,) = load("a.docx", document(f"<w:tbl>{rows}</w:tbl>"))
    assert read.text == "1月/5: 7；2026/6: 8"


def test_charts_and_smart_art() -> None:
    drawing = "http://schemas.openxmlformats.org/drawingml/2006"
    chart = (
        f'<c:chartSpace xmlns:c="{drawing}/chart" xmlns:a="{drawing}/main"><c:chart><c:title><c:tx><c:rich><a:p><a:r>'
        "<a:t>人数</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart><c:ser><c:tx><c:strRef><c:strCache>"
        '<c:pt idx="0"><c:v>入职</c:v></c:pt></c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:strCache>'
        '<c:pt idx="0"><c:v>一季度</c:v></c:pt></c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache>'
        '<c:pt idx="0"><c:v>3</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser></c:barChart></c:plotArea></c:chart>'
        "</c:chartSpace>"
    )
    model = f'<d:dataModel xmlns:d="{drawing}/diagram" xmlns:a="{drawing}/main"><d:ptLst>'
    model += "".join(f"<d:pt><d:t><a:p><a:r><a:t>{t}</a:t></a:r></a:p></d:t></d:pt>" for t in ("申请", "审批"))
    model += "</d:ptLst></d:dataModel>"
    pointers = f'<w:r><w:drawing><c:chart xmlns:c="{drawing}/chart" r:id="chart1"/></w:drawing></w:r>'
    pointers += f'<w:r><w:drawing><d:relIds xmlns:d="{drawing}/diagram" r:dm="diagramData1"/></w:drawing></w:r>'
    (read,) = load("a.docx", document(paragraph(pointers), parts={"chart1": chart, "diagramData1": model}))
    assert read.text == "人数\n\n一季度；入职: 3\n\n申请\n审批"


def one_document_comes_back(rng: random.Random) -> None:
    words: list[str] = []

    def said() -> str:
        words.append(f"〔{len(words)}〕{hostile_xml(rng)}")
        return words[-1]

    def fill(d: docx.document.Document) -> None:
        for _ in range(rng.randint(2, 12)):
            kind = rng.randrange(4)
            if kind == 0:
                d.add_heading(said(), rng.randint(0, 4))
            elif kind == 1:
                d.add_paragraph(said(), style=rng.choice(("List Bullet", "List Number", "List Number 2")))
            elif kind == 2:
                for cell in d.add_table(1, 2).rows[0].cells:
                    cell.text = said()
            else:
                added = d.add_paragraph(said())
                added.add_run(said()).bold = True

    (read,) = load("a.docx", word(fill))
    checked(read)
    place = 0
    squeezed = "".join(read.text.split())
    for line in visible_lines("\n".join(words)):
        place = squeezed.index("".join(line.split()), place) + len("".join(line.split()))
    for number in range(len(words)):
        assert read.text.count(f"〔{number}〕") == 1


def test_every_visible_word_comes_back_once_and_in_order(seeds: Callable[[int], range]) -> None:
    for seed in seeds(200):
        one_document_comes_back(random.Random(seed))
