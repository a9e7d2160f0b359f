"""Raised and struck-out words of every format: a figure is never glued to another, and nothing is lost unnoted."""

import io
import random
from collections.abc import Callable

import docx
import openpyxl
import pptx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont

from rag.corpus.load import load
from rag.corpus.load.raised import Place, marked, spelled, written
from rag.types import Document

CASES: list[tuple[list[tuple[str, Place]], str]] = [
    ([("资本10", None), ("4", "raised"), ("万元", None)], "资本10^4万元"),
    ([("3000", None), ("1", "raised"), ("元", None)], "3000^1元"),
    ([("每人", None), ("1", "raised"), ("3000元", None)], "每人^1 3000元"),
    ([("1", "raised"), ("3000元", None)], "1 3000元"),
    ([("5m", None), ("2", "raised")], "5m^2"),
    ([("10", None), ("-", "raised"), ("3", "raised"), (" m", None)], "10^-3 m"),
    ([("10", None), ("n+1", "raised"), ("5", None)], "10^(n+1)5"),
    ([("3000", None), ("1,2", "raised"), ("元", None)], "3000^(1,2)元"),
    ([("3000", None), ("[1]", "raised"), ("元", None)], "3000[1]元"),
    ([("on the 10", None), ("th", "raised"), (" of May", None)], "on the 10th of May"),
    ([("H", None), ("2", "lowered"), ("O", None)], "H2O"),
    ([("x", None), ("1", "lowered"), ("2", None)], "x_1 2"),
    ([("101", None), ("2", "lowered"), ("，", None)], "101_2，"),
    ([("x", None), ("1", "lowered"), ("2", "raised")], "x1^2"),
    ([("10", None), ("", "raised"), ("4", None)], "104"),
    ([("", None), ("", "raised")], ""),
    ([], ""),
]


@pytest.mark.parametrize(("runs", "expected"), CASES)
def test_figures_above_and_below_the_line_keep_to_themselves(runs: list[tuple[str, Place]], expected: str) -> None:
    assert "".join(written(runs)) == expected
    assert spelled("".join(marked(*run) for run in runs)) == expected


def test_whatever_the_runs_their_characters_stay_and_no_digits_meet(seeds: Callable[[int], range]) -> None:
    for seed in seeds(300):
        rng = random.Random(seed)
        runs: list[tuple[str, Place]] = [
            ("".join(rng.choices("12m元,-", k=rng.randint(0, 3))), rng.choice((None, "raised", "lowered")))
            for _ in range(rng.randint(1, 6))
        ]
        texts = written(runs)
        for (run, _), text in zip(runs, texts, strict=True):
            assert run in text, runs
            assert set(text.replace(run, "", 1)) <= set("^_() "), runs
        assert spelled("".join(marked(*run) for run in runs)) == "".join(texts)
        shown = [(text, place) for text, place in zip(texts, (place for _, place in runs), strict=True) if text]
        for (first, one), (second, other) in zip(shown, shown[1:], strict=False):
            if one != other:
                assert not (first[-1].isdigit() and second[0].isdigit()), runs


def test_marks_that_stand_alone_stay_for_cleaning_to_name() -> None:
    assert spelled("10\ufdd04") == "10\ufdd04"


def removed(document: Document) -> list[tuple[str, str]]:
    return [(one.why, one.text) for one in document.removed]


def as_read(document: Document) -> str:
    """The text with what was left out put back at its places."""
    text = document.text
    for one in reversed(document.removed):
        text = text[: one.at] + one.text + text[one.at :]
    return text


def word(*runs: tuple[str, str], table: bool = False) -> Document:
    """A document of one paragraph (or one cell below a header) of runs, each with its properties as XML."""
    source = docx.Document()
    paragraph = source.add_paragraph()
    if table:
        made = source.add_table(2, 2)
        made.cell(0, 0).text, made.cell(0, 1).text, made.cell(1, 0).text = "项目", "标准", "住宿"
        paragraph = made.cell(1, 1).paragraphs[0]
    for text, properties in runs:
        run = paragraph.add_run(text)
        if properties:
            run._element.insert(0, parse_xml(f"<w:rPr {nsdecls('w')}>{properties}</w:rPr>"))
    stream = io.BytesIO()
    source.save(stream)
    return load("制度.docx", stream.getvalue())[0]


SUPER, SUB = '<w:vertAlign w:val="superscript"/>', '<w:vertAlign w:val="subscript"/>'
STRUCK = "<w:strike/>"


def test_word_raised_and_lowered() -> None:
    document = word(
        ("注册资本10", ""), ("4", SUPER), ("万元，每人3000", ""), ("1", SUPER), ("元，H", ""), ("2", SUB), ("O", "")
    )
    assert document.text == "注册资本10^4万元，每人3000^1元，H2O"
    assert word(("标准10", ""), ("4", '<w:vertAlign w:val="baseline"/>'), ("元", "")).text == "标准104元"


def test_word_raised_by_a_style() -> None:
    source = docx.Document()
    style = source.styles.add_style("Mark", docx.enum.style.WD_STYLE_TYPE.CHARACTER)
    style.font.superscript = True
    gone = source.styles.add_style("Gone", docx.enum.style.WD_STYLE_TYPE.CHARACTER)
    gone.font.strike = True
    paragraph = source.add_paragraph("每人3000")
    paragraph.add_run("1", style="Mark")
    paragraph.add_run("元，年假")
    paragraph.add_run("10", style="Gone")
    paragraph.add_run("15", style="Gone").font.strike = False
    paragraph.add_run("天")
    stream = io.BytesIO()
    source.save(stream)
    document = load("制度.docx", stream.getvalue())[0]
    assert document.text == "每人3000^1元，年假15天"
    assert removed(document) == [("deletion", "10")]


def test_word_equation() -> None:
    source = docx.Document()
    math = "http://schemas.openxmlformats.org/officeDocument/2006/math"
    run = "<m:r><m:t>{}</m:t></m:r>".format
    source.add_paragraph("资本")._element.append(
        parse_xml(
            f'<m:oMath xmlns:m="{math}"><m:sSup><m:e>{run("10")}</m:e><m:sup>{run("4")}</m:sup></m:sSup></m:oMath>'
        )
    )
    stream = io.BytesIO()
    source.save(stream)
    assert load("制度.docx", stream.getvalue())[0].text == "资本10^4"


@pytest.mark.parametrize("line", [STRUCK, "<w:dstrike/>"])
def test_word_struck_out(line: str) -> None:
    document = word(("年假", ""), ("10", line), ("15天", ""), ("3", '<w:strike w:val="0"/>'))
    assert document.text == "年假15天3"
    assert removed(document) == [("deletion", "10")]
    assert as_read(document) == "年假1015天3"
    in_table = word(("300", line), ("500元", ""), table=True)
    assert in_table.text.endswith("项目: 住宿；标准: 500元")
    assert removed(in_table) == [("deletion", "300")]


def page(html: str) -> Document:
    return load("制度.html", html.encode())[0]


@pytest.mark.parametrize("around", ["<p>{}</p>", "<div>{}</div>", "<ul><li>{}</li></ul>", "{}"])
@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("资本10<sup>4</sup>万元", "资本10^4万元"),
        ("3000<sup><a href='#n'>1</a></sup>元", "3000^1元"),
        ("H<sub>2</sub>O，x<sub>1</sub>2", "H2O，x_1 2"),
        ("10<span style='font-size:60%; Vertical-Align : super'>4</span>元", "10^4元"),
        ("10<math><msup><mn>10</mn><mn>4</mn></msup></math>", "1010^4"),
        ("<math><msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup></math>", "x1^2"),
        ("第10<sup>th</sup> 天", "第10th 天"),
    ],
)
def test_page_raised_and_lowered(around: str, html: str, text: str) -> None:
    assert page(f"<h1>制度</h1>{around.format(html)}").text.splitlines()[-1].removeprefix("- ") == text


@pytest.mark.parametrize(
    "html",
    ["<del>{}</del>", "<s>{}</s>", "<strike>{}</strike>", "<span style='text-decoration: red line-through'>{}</span>"],
)
def test_page_struck_out(html: str) -> None:
    old = html.format("10")
    document = page(f"<p>年假{old}15天</p>")
    assert document.text == "年假15天"
    assert removed(document) == [("deletion", "10")]
    assert as_read(document) == "年假1015天"
    document = page(f"<table><tr><th>项目<th>标准<tr><td>住宿<td>{old}500元</table>")
    assert document.text.endswith("标准: 500元")
    assert removed(document) == [("deletion", "10")]
    assert page("<p>年假<u>10</u>天</p>").text == "年假10天"


def test_page_in_a_mark_that_never_ends_keeps_its_blocks() -> None:
    document = page("<h1>制度</h1><sup><div><p>第一段</p><h2>范围</h2><p>第二段</p></div>")
    assert document.text.split("\n\n") == ["制度", "第一段", "范围", "第二段"]
    assert document.sections[-1].path == ("范围",)


def slide(*paragraphs: list[tuple[str, dict[str, str]]], table: bool = False) -> Document:
    """One slide of a text box (or the second cell of a table) whose runs have attributes of their letters."""
    source = pptx.Presentation()
    made = source.slides.add_slide(source.slide_layouts[6])
    frame = made.shapes.add_textbox(0, 0, 999, 999).text_frame
    if table:
        grid = made.shapes.add_table(2, 2, 0, 2_000_000, 999, 999).table
        grid.cell(0, 0).text, grid.cell(0, 1).text, grid.cell(1, 0).text = "项目", "标准", "住宿"
        frame.text = "差旅"
        frame = grid.cell(1, 1).text_frame
    for n, paragraph in enumerate(paragraphs):
        line = frame.paragraphs[0] if n == 0 else frame.add_paragraph()
        for text, letters in paragraph:
            run = line.add_run()
            run.text = text
            for name, value in letters.items():
                run.font._element.set(name, value)
    stream = io.BytesIO()
    source.save(stream)
    return load("制度.pptx", stream.getvalue())[0]


UP, DOWN, LINE = {"baseline": "30000"}, {"baseline": "-25000"}, {"strike": "sngStrike"}


def test_slide_raised_and_lowered() -> None:
    document = slide([("资本10", {}), ("4", UP), ("万元，x", {"baseline": "0"}), ("1", DOWN), ("2", {})])
    assert document.text == "资本10^4万元，x_1 2"
    assert slide([("500", {}), ("1", UP), ("元", {})], table=True).text.endswith("标准: 500^1元")


@pytest.mark.parametrize("line", ["sngStrike", "dblStrike"])
def test_slide_struck_out(line: str) -> None:
    struck = {"strike": line}
    document = slide(
        [("作废的一行", struck)], [(" 年假", {}), ("10", struck), ("15天", {"strike": "noStrike"})], [("末行", {})]
    )
    assert document.text == "年假15天\n末行"
    assert removed(document) == [("deletion", "作废的一行"), ("deletion", "10")]
    assert as_read(document) == "作废的一行年假1015天\n末行"
    in_table = slide([("300", struck), ("500元", {})], table=True)
    assert in_table.text.endswith("标准: 500元")
    assert removed(in_table) == [("deletion", "300")]


def sheet(*cells: CellRichText | str | int, struck: str = "") -> Document:
    """A sheet with a row 项目, 标准 and a row of each cell; the font of the cell `struck` has a line through it."""
    book = openpyxl.Workbook()
    book.active.append(["项目", "标准"])
    for n, cell in enumerate(cells, 2):
        book.active.cell(n, 1, f"第{n}项")
        book.active.cell(n, 2).value = cell
    if struck:
        book.active[struck].font = openpyxl.styles.Font(strike=True)
    stream = io.BytesIO()
    book.save(stream)
    return load("标准.xlsx", stream.getvalue())[0]


def test_sheet_raised_and_lowered() -> None:
    up, down = InlineFont(vertAlign="superscript"), InlineFont(vertAlign="subscript")
    document = sheet(CellRichText("资本10", TextBlock(up, "4"), "万"), CellRichText("H", TextBlock(down, "2"), "O"), 3)
    assert document.text.endswith("项目: 第2项；标准: 资本10^4万\n项目: 第3项；标准: H2O\n项目: 第4项；标准: 3")


def test_sheet_struck_out() -> None:
    line = InlineFont(strike=True)
    document = sheet(CellRichText(TextBlock(line, "300"), TextBlock(InlineFont(), "500")), 700)
    assert document.text.endswith("项目: 第2项；标准: 500\n项目: 第3项；标准: 700")
    assert removed(document) == [("deletion", "300")]


def test_sheet_struck_cell() -> None:
    document = sheet(600, 1000, 700, struck="B3")
    assert document.text.endswith("项目: 第2项；标准: 600\n项目: 第3项\n项目: 第4项；标准: 700")
    assert removed(document) == [("deletion", "1000")]
    rich = CellRichText("1", TextBlock(InlineFont(strike=True), "2"), TextBlock(InlineFont(), "元"))
    document = sheet(600, rich, struck="B3")
    assert document.text.endswith("项目: 第3项；标准: 元")
    assert removed(document) == [("deletion", "1"), ("deletion", "2")]
    plain = CellRichText(TextBlock(InlineFont(), "2"), TextBlock(InlineFont(b=True), "元"))
    assert sheet(600, plain, struck="B3").text.endswith("项目: 第3项；标准: 2元")
    assert removed(sheet(600, struck="D9")) == []


def test_sheet_struck_row_does_not_end_its_table() -> None:
    book = openpyxl.Workbook()
    for row in (["项目", "标准"], ["住宿", 500], ["交通", 300], ["餐费", 100]):
        book.active.append(row)
    for place in ("A3", "B3"):
        book.active[place].font = openpyxl.styles.Font(strike=True)
    stream = io.BytesIO()
    book.save(stream)
    document = load("标准.xlsx", stream.getvalue())[0]
    assert document.text.endswith("项目: 住宿；标准: 500\n项目: 餐费；标准: 100")
    assert removed(document) == [("deletion", "交通"), ("deletion", "300")]


def rich(body: str) -> Document:
    body = "".join(c if ord(c) < 128 else f"\\u{(ord(c) + 0x8000) % 0x10000 - 0x8000}?" for c in body)
    return load("制度.rtf", rf"{{\rtf1\ansi\ansicpg936\uc1 {body}}}".encode())[0]


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (r"资本10{\super 4}万元", "资本10^4万元"),
        (r"资本10\super 4\nosupersub 万元", "资本10^4万元"),
        (r"资本10\super 4\super0 万元", "资本10^4万元"),
        (r"资本10{\b\super 4\plain 5}万元", "资本10^4 5万元"),
        (r"资本10{\super{\b 4}}万元", "资本10^4万元"),
        (r"H{\sub 2}O，x{\sub 1}2", "H2O，x_1 2"),
        (r"10{\super th} {\*\x \super y}天", "10th 天"),
        (r"{\super 1\par 2}3000元", "1\n2 3000元"),
    ],
)
def test_rich_text_raised_and_lowered(body: str, text: str) -> None:
    assert rich(body).text == text


@pytest.mark.parametrize("line", ["strike", "striked1", "deleted"])
def test_rich_text_struck_out(line: str) -> None:
    off = line.rstrip("1") + "0"
    document = rich(rf"第一行\par\par 年假\{line} 10\{off} 15天，资本10{{\super 4}}{{\{line} 旧}}元\par 末行")
    assert document.text == "第一行\n\n年假15天，资本10^4元\n末行"
    assert removed(document) == [("deletion", "10"), ("deletion", "旧")]
    assert as_read(document) == "第一行\n\n年假1015天，资本10^4旧元\n末行"


def test_rich_text_struck_out_in_cells() -> None:
    rows = r"\trowd 项目\cell 标准\cell\row \trowd 住宿\cell {\strike 300}500\cell\row {\strike\trowd 交通\cell 100\cell\row}"
    document = rich(rows + r"\pard 完")
    assert document.text.startswith("项目: 住宿；标准: 500")
    assert document.text.endswith("\n\n完")
    assert removed(document) == [("deletion", "300"), ("deletion", "交通"), ("deletion", "100")]


def test_word_specks_are_hidden() -> None:
    document = word(("可见", ""), ("极小", '<w:sz w:val="4"/>'), ("的字", '<w:sz w:val="10"/>'))
    assert document.text == "可见的字"
    assert removed(document) == [("hidden", "极小")]
