"""What a Word file holds and does not show, and what stands beside its body: noted in its place, or put where it is read."""

from rag.corpus.load import load
from rag.types import Document
from tests.corpus.load.ooxml import NAMES, abstract, document, field, level, listed, num, paragraph, run


def removed(document: Document) -> list[tuple[str, str, str]]:
    """What was left out: why, the words, and the five characters of text before their place."""
    return [(r.why, r.text, document.text[max(r.at - 5, 0) : r.at]) for r in document.removed]


def test_revisions_are_read_as_accepted_and_what_they_deleted_is_noted_in_its_place() -> None:
    body = (
        "<w:p>"
        + run("每年有")
        + '<w:del w:id="1" w:author="a"><w:r><w:delText>10</w:delText></w:r></w:del>'
        + f'<w:ins w:id="2" w:author="a">{run("15")}</w:ins>'
        + run("天年假。")
        + f'<w:moveFrom w:id="3" w:author="a">{run("搬走")}</w:moveFrom><w:moveTo w:id="4" w:author="a">{run("搬来")}</w:moveTo></w:p>'
    )
    (read,) = load("a.docx", document(body))
    assert read.text == "每年有15天年假。搬来"
    assert removed(read) == [("deletion", "10", "每年有"), ("deletion", "搬走", "5天年假。")]


def test_a_deleted_paragraph_mark_joins_two_paragraphs() -> None:
    gone = '<w:rPr><w:del w:id="1" w:author="a"/></w:rPr>'
    (read,) = load("a.docx", document(paragraph("每年", gone), paragraph("15天。"), paragraph("完")))
    assert read.text == "每年15天。\n\n完"


def row(*cells: str, properties: str = "") -> str:
    inside = "".join(cell if cell.startswith("<w:tc>") else f"<w:tc>{paragraph(cell)}</w:tc>" for cell in cells)
    return f"<w:tr>{properties}{inside}</w:tr>"


def change(kind: str, inside: str = "") -> str:
    return f'<w:{kind} w:id="1" w:author="a">{inside}</w:{kind}>'


def test_deleted_rows_and_cells_are_noted_where_they_stood() -> None:
    deleted = f"<w:trPr>{change('del')}</w:trPr>"
    cell = f"<w:tc><w:tcPr>{change('cellDel')}</w:tcPr>{paragraph('旧')}</w:tc>"
    rows = row("城市", "上限") + row("北京", "500", properties=deleted) + row("北京", "600")
    rows += row("杭州", "70", cell) + row("广州", "80", properties=deleted) + row("深圳", "90")
    (read,) = load("a.docx", document(paragraph("标准"), f"<w:tbl>{rows}</w:tbl>", paragraph("完")))
    assert read.text == "标准\n\n城市: 北京；上限: 600\n城市: 杭州；上限: 70\n城市: 深圳；上限: 90\n\n完"
    assert removed(read) == [
        ("deletion", "北京 500", "标准\n\n"),
        ("deletion", "旧", "限: 70"),
        ("deletion", "广州 80", "限: 70"),
    ]


def test_what_a_cell_does_not_show_is_noted_at_the_end_of_its_row() -> None:
    gone = f"<w:trPr>{change('del')}</w:trPr>"
    inner = f"<w:tbl>{row('内', properties=gone)}{row('内二')}</w:tbl>"
    nested = f"<w:tc>{inner}{change('del', paragraph('块'))}</w:tc>"
    struck = paragraph(run("60") + change("del", "<w:r><w:delText>50</w:delText></w:r>"))
    rows = row("城市", "上限") + row("北京", f"<w:tc>{struck}</w:tc>") + row("上海", nested) + row("杭州", "70")
    (read,) = load("a.docx", document(f"<w:tbl>{rows}</w:tbl>"))
    assert read.text == "城市: 北京；上限: 60\n城市: 上海；上限: 内二\n城市: 杭州；上限: 70"
    assert removed(read) == [
        ("deletion", "50", "限: 60"),
        ("deletion", "内", "限: 内二"),
        ("deletion", "块", "限: 内二"),
    ]


def test_a_paragraph_without_its_mark_keeps_its_words_and_their_place() -> None:
    gone = f"<w:rPr>{change('del')}</w:rPr>"
    table = f"<w:tbl>{row('城市', '上限')}{row('北京', '600')}</w:tbl>"
    inside = f"<w:tc>{paragraph('框内')}{paragraph('框尾', gone)}</w:tc>"
    body = paragraph("表前", gone), table, f"<w:tbl><w:tr>{inside}</w:tr></w:tbl>", paragraph("文末", gone)
    (read,) = load("a.docx", document(*body))
    assert read.text == "表前\n\n城市: 北京；上限: 600\n\n框内\n\n框尾\n\n文末"


def test_a_block_that_was_moved_away_is_noted_and_where_it_went_it_is_read() -> None:
    away = change("moveFrom", paragraph("第一条 休假。") + paragraph("再议。"))
    (read,) = load(
        "a.docx", document(paragraph("甲"), away, paragraph("乙"), change("moveTo", paragraph("第一条 休假。")))
    )
    assert read.text == "甲\n\n乙\n\n第一条 休假。"
    assert removed(read) == [("deletion", "第一条 休假。 再议。", "甲")]


def test_comments_and_hidden_words_are_noted_and_not_read() -> None:
    comments = f'<w:comments {NAMES}><w:comment w:id="0" w:author="张">{paragraph("要改")}</w:comment></w:comments>'
    reference = '<w:r><w:commentReference w:id="0"/></w:r>'
    styles = '<w:style w:type="character" w:styleId="H"><w:name w:val="H"/><w:rPr><w:vanish/></w:rPr></w:style>'
    body = run("见") + reference + run("藏", "<w:vanish/>") + run("不藏", '<w:vanish w:val="0"/>')
    body += run("藏二", '<w:rStyle w:val="H"/>') + run("完")
    (read,) = load("a.docx", document(paragraph(body), parts={"comments": comments}, styles=styles))
    assert read.text == "见不藏完"
    assert removed(read) == [("comment", "要改", "见"), ("hidden", "藏", "见"), ("hidden", "藏二", "见不藏")]


def test_notes_stand_below_their_paragraph() -> None:
    def notes(kind: str, *texts: str) -> str:
        inside = "".join(f'<w:{kind} w:id="{n}">{paragraph(t)}</w:{kind}>' for n, t in enumerate(texts, 2))
        return f'<w:{kind}s {NAMES}><w:{kind} w:type="separator" w:id="0"/>{inside}</w:{kind}s>'

    def to(kind: str, note_id: int) -> str:
        return f'<w:r><w:{kind}Reference w:id="{note_id}"/></w:r>'

    body = [
        paragraph(run("年假") + to("footnote", 3) + run("和病假") + to("endnote", 2) + run("。")),
        listed(run("甲") + to("footnote", 4), 1),
        "<w:tbl><w:tr>" + "".join(f"<w:tc>{paragraph(run(t) + to('footnote', 2))}</w:tc>" for t in "丙丁") + "</w:tr></w:tbl>",
    ]  # fmt: skip
    parts = {
        "footnotes": notes("footnote", "试用期除外", "按日折算", "女职工除外"),
        "endnotes": notes("endnote", "另见"),
    }
    numbering = abstract(1, level(0, "decimal", "%1.")) + num(1, 1)
    (read,) = load("a.docx", document(*body, parts=parts, numbering=numbering))
    assert read.text == (
        "年假[^1]和病假[^i]。\n\n[^1] 按日折算\n\n[^i] 另见\n\n1. 甲[^2]\n[^2] 女职工除外\n\n"
        "丙[^3] | 丁[^4]\n\n[^3] 试用期除外"
    )


def test_headers_and_footers_are_running_lines_and_say_the_version() -> None:
    art = '<w:r><w:pict><v:shape xmlns:v="urn:schemas-microsoft-com:vml"><v:textpath string="机密"/></v:shape></w:pict></w:r>'
    header = f"<w:hdr {NAMES}>{paragraph('云衡科技　版本：A/3　生效日期：2026-05-01')}{paragraph(art)}</w:hdr>"
    footer = f"<w:ftr {NAMES}>{paragraph(run('第') + field('PAGE', run('7')) + run('页'))}</w:ftr>"
    section = '<w:sectPr><w:headerReference w:type="default" r:id="header1"/><w:footerReference w:type="default" r:id="footer1"/></w:sectPr>'
    body = paragraph("正文。", section)
    (read,) = load("a.docx", document(body, parts={"header1": header, "footer1": footer}))
    assert read.text == "正文。"
    assert [(r.why, r.text, r.at) for r in read.removed] == [
        ("watermark", "机密", 0),
        ("running_line", "云衡科技 版本：A/3 生效日期：2026-05-01", 0),
        ("running_line", "第页", 0),
    ]
    assert (read.version, str(read.effective_from)) == ("A/3", "2026-05-01")


def test_a_table_of_contents_is_left_out_however_it_is_made() -> None:
    by_style = [
        paragraph("目　录"),
        paragraph("第一章 总则1", '<w:pStyle w:val="TOC1"/>'),
        paragraph("第二章 休假3", '<w:pStyle w:val="TOC1"/>'),
    ]
    style = '<w:style w:type="paragraph" w:styleId="TOC1"><w:name w:val="toc 1"/></w:style>'
    begin, separate, end = (f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "separate", "end"))
    code = '<w:r><w:instrText> TOC \\o "1-3" </w:instrText></w:r>'
    page = field("PAGEREF _Toc1", run("1"))
    by_field = [
        paragraph("目录"),
        paragraph(begin + code + separate + run("总则") + page),
        paragraph(run("休假 3") + end),
    ]
    gallery = '<w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj></w:sdtPr>'
    by_control = [f"<w:sdt>{gallery}<w:sdtContent>{paragraph('目录')}{paragraph('总则 1')}</w:sdtContent></w:sdt>"]
    for contents in (by_style, by_field, by_control):
        (read,) = load("a.docx", document(*contents, paragraph("第一章 总则"), paragraph("正文。"), styles=style))
        assert read.text == "第一章 总则\n\n正文。"
        assert {r.why for r in read.removed} == {"contents"}
        assert "总则" in "".join(r.text for r in read.removed)


def test_a_field_shows_its_result_and_one_without_an_end_hides_nothing() -> None:
    link = field('HYPERLINK "http://x.example"', run("制度网"))
    nested = field("IF " + "1 = 1", run("甲") + field("NUMPAGES", run("9")))
    simple = f'<w:fldSimple w:instr=" DOCPROPERTY x ">{run("乙")}</w:fldSimple><w:fldSimple w:instr="PAGE">{run("3")}</w:fldSimple>'
    endless = '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>TOC</w:instrText></w:r>'
    endless += '<w:r><w:fldChar w:fldCharType="separate"/></w:r>'
    (read,) = load(
        "a.docx", document(paragraph(link + nested + simple), paragraph(endless + run("一")), paragraph("二"))
    )
    assert read.text == "制度网甲乙\n\n一\n\n二"
