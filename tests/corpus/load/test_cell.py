"""Lines that somebody ended in a cell stay apart, in every format; a row of header cells in a page can name a group."""

import io

import docx
import openpyxl
import pytest

from rag.corpus.load import load

TEXT = "住宿500元\n伙食100元"


def sheet() -> bytes:
    book = openpyxl.Workbook()
    for row in (["城市", "标准"], ["北京", TEXT]):
        book.active.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def word() -> bytes:
    made = docx.Document()
    table = made.add_table(2, 2)
    for c, text in enumerate(["城市", "标准", "北京", TEXT]):
        table.cell(c // 2, c % 2).text = text
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.csv", f'城市,标准\n北京,"{TEXT}"\n'.encode()),
        ("a.xlsx", sheet()),
        ("a.docx", word()),
        ("a.html", "<table><tr><th>城市<th>标准<tr><td>北京<td>住宿500元<br>伙食100元</table>".encode()),
        ("a.html", "<table><tr><th>城市<th>标准<tr><td>北京<td><p>住宿500元</p><p>伙食100元</p></table>".encode()),
    ],
)
def test_lines_of_a_cell_are_joined_by_a_blank(name: str, data: bytes) -> None:
    assert load(name, data)[0].text.endswith("城市: 北京；标准: 住宿500元 伙食100元")


_ROWS = "<tr><th colspan=2>一、国内<tr><td>住宿<td>500<tr><th colspan=2>二、国外<tr><td>住宿<td>1500"


@pytest.mark.parametrize("head", ["<thead><tr><th>项目<th>标准</thead><tbody>", "<tr><th>项目<th>标准"])
def test_a_header_cell_over_the_whole_width_below_the_names_is_a_group(head: str) -> None:
    (read,) = load("a.html", f"<p>开头<table>{head}{_ROWS}</table>".encode())
    assert read.text == "开头\n\n一、国内\n项目: 住宿；标准: 500\n二、国外\n项目: 住宿；标准: 1500"


def test_the_head_of_a_table_says_how_many_rows_are_names() -> None:
    head = "<thead><tr><td>项目<td>标准<tr><td>说明<td>元/天</thead>"
    (read,) = load("a.html", f"<p>开头<table>{head}<tr><th>住宿<th>500<tr><th>伙食<th>100</table>".encode())
    assert read.text == "开头\n\n项目/说明: 住宿；标准/元/天: 500\n项目/说明: 伙食；标准/元/天: 100"
