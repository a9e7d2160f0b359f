import docx
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from rag.corpus.load import load
from tests.corpus.load.files import at_sections, checked, word


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
