import pytest

from rag.corpus.load import load
from rag.corpus.load.builder import TextBuilder
from rag.corpus.load.table import find_header, plain_grid, render, table_lines
from rag.errors import UnsafeFile
from rag.types import Section


def test_rows_that_can_be_read_alone() -> None:
    grid = plain_grid([["城市", "上限"], ["北京", "600"], ["杭州", ""], ["", ""]])
    assert table_lines(grid) == ("城市: 北京；上限: 600", "城市: 杭州")


def test_a_caption_above_and_a_corner_without_name() -> None:
    grid = plain_grid([["标准", "", ""], ["", "2025年", "2026年"], ["北京", "550", "600"]])
    assert table_lines(grid) == ("标准", "北京；2025年: 550；2026年: 600")


def test_without_a_header_cells_are_joined() -> None:
    assert table_lines(plain_grid([["600", "450"], ["a", "b"]])) == ("600 | 450", "a | b")
    assert table_lines(plain_grid([["甲", "乙"]])) == ("甲 | 乙",)
    assert table_lines(plain_grid([])) == ()
    assert find_header(plain_grid([["长" * 61, "乙"], ["a", "b"]])) is None


def test_a_table_that_goes_on_uses_the_header_and_drops_its_repetition() -> None:
    header = render(plain_grid([["甲", "乙"], ["1", "2"]])).header
    assert render(plain_grid([["3", "4"]]), header).lines == ("甲: 3；乙: 4",)
    assert render(plain_grid([["甲", "乙"], ["3", "4"]]), header).lines == ("甲: 3；乙: 4",)


def test_how_much_stands_behind_a_row() -> None:
    rows = [["标准", ""], ["城市", "上限"], ["", ""], ["北京", "600"], ["杭州", "70"]]
    rendered = render(plain_grid(rows))
    text = "\n".join(rendered.lines)
    assert text == "标准\n城市: 北京；上限: 600\n城市: 杭州；上限: 70"
    before = [text[: len(text) - rendered.behind(row)] for row in range(-1, len(rows))]
    first, second = "标准", "标准\n城市: 北京；上限: 600"
    assert before == ["", first, first, first, second, text]
    assert render(plain_grid([])).behind(0) == 0


def test_what_a_cell_of_a_web_page_holds_and_does_not_show_is_noted_behind_the_table() -> None:
    rows = "<tr><td>城市<td>上限<tr><td>北京<!--旧--><td>600<tr><td>杭州<td>70"
    (read,) = load("a.html", f"<p>甲<table>{rows}</table><p>乙".encode())
    (note,) = read.removed
    assert (note.text, read.text[: note.at]) == ("旧", "甲\n\n城市: 北京；上限: 600\n城市: 杭州；上限: 70")


LONG = "长" * 100_000


@pytest.mark.parametrize(
    "rows",
    [
        f"<tr><th>甲</th><th>乙</th></tr><tr><td rowspan=300>{LONG}</td><td>1</td></tr>" + "<tr><td>2</td></tr>" * 299,
        f"<tr><td colspan=1000>{LONG}</td></tr><tr><td>1</td></tr>",
        # a column name that reaches down makes the row below part of the header, however long its cells
        f"<tr><th rowspan=2>甲</th><th>乙</th></tr><tr><th>{LONG}</th></tr>" + "<tr><td>1</td><td>2</td></tr>" * 300,
    ],
)
def test_text_that_merged_cells_and_names_repeat_is_bounded(rows: str) -> None:
    with pytest.raises(UnsafeFile, match=r"表\.html.*characters"):
        load("表.html", f"<table>{rows}</table>".encode())


def test_a_very_long_heading_is_a_paragraph() -> None:
    b = TextBuilder()
    b.heading(1, "章" * 200)
    b.heading(2, "长" * 201, shown="## " + "长" * 201)
    b.add("正文")
    parsed = b.parsed()
    assert parsed.sections == (Section(0, ("章" * 200,)),)
    assert parsed.text == f"{'章' * 200}\n\n## {'长' * 201}\n\n正文"


def test_builder_records_where_things_start() -> None:
    b = TextBuilder()
    b.page()
    b.heading(1, "一")
    b.add("  正文 \r\n")
    b.page()
    b.page()
    b.extend("续")
    b.heading(3, "三", shown="### 三")
    b.heading(2, "二")
    b.heading(1, "\x00")
    b.add("\x00")
    b.page()
    parsed = b.parsed()
    assert parsed.text == "一\n\n正文续\n\n### 三\n\n二"
    assert parsed.pages == (0, 5, 5, len(parsed.text))
    assert parsed.sections == (Section(0, ("一",)), Section(8, ("一", "三")), Section(15, ("一", "二")))


def test_units_below_a_column_of_units_are_values() -> None:
    rows = [["指标", "单位"], ["营业收入", "万元"], ["员工人数", "人"]]
    assert table_lines(plain_grid(rows)) == ("指标: 营业收入；单位: 万元", "指标: 员工人数；单位: 人")
    rows = [["类别", "期限", "金额"], ["合同", "年", "万元"], ["档案", "月", "元"]]
    assert table_lines(plain_grid(rows))[0] == "类别: 合同；期限: 年；金额: 万元"
    rows = [["项目", "金额", "人数"], ["单位", "万元", "人"], ["差旅", "12", "3"]]
    assert table_lines(plain_grid(rows)) == ("项目/单位: 差旅；金额/万元: 12；人数/人: 3",)


def test_names_of_columns_without_values_are_in_the_text() -> None:
    rows = [["姓名", "部门", "签字"], ["张三", "财务部", ""]]
    assert table_lines(plain_grid(rows)) == ("姓名 | 部门 | 签字", "姓名: 张三；部门: 财务部")
