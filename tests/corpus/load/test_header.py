"""Which first rows are column names."""

import pytest

from rag.corpus.load.table import Cell, plain_grid, table_lines


def over_two_rows(*rows: str) -> list[list[Cell]]:
    """Cells from texts with bars between; ``^`` is the cell above."""
    grid: list[list[Cell]] = []
    for r, row in enumerate(rows):
        cells = enumerate(row.split("|"))
        grid.append([grid[r - 1][c] if text == "^" else Cell(text, (r, c)) for c, text in cells])
    return grid


@pytest.mark.parametrize(
    "rows",
    [
        ["第一条|员工应当按时上下班", "第二条|请假应当提前申请"],
        ["总则|员工应当按时上下班。", "请假|请假应当提前申请。"],
        ["如何请假？|在系统中提交", "如何报销？|在系统中提交"],
        ["甲方|某公司", "乙方|李四", "期限|三年"],
    ],
)
def test_sentences_articles_and_parties_are_no_column_names(rows: list[str]) -> None:
    grid = plain_grid([row.split("|") for row in rows])
    assert table_lines(grid) == tuple(row.replace("|", " | ") for row in rows)


def test_parties_beside_each_other_are_column_names() -> None:
    assert table_lines(plain_grid([["甲方", "乙方"], ["供货", "付款"]])) == ("甲方: 供货；乙方: 付款",)


def test_groups_in_the_first_column_of_a_table_without_names() -> None:
    rows = ["一线城市|住宿|实报实销", "^|伙食|包干使用", "其他城市|住宿|限额报销", "^|伙食|包干使用"]
    assert table_lines(over_two_rows(*rows)) == (
        "一线城市 | 住宿 | 实报实销",
        "一线城市 | 伙食 | 包干使用",
        "其他城市 | 住宿 | 限额报销",
        "其他城市 | 伙食 | 包干使用",
    )


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        (["城市|标准|", "^|住宿|伙食", "北京|600|100"], "城市: 北京；标准/住宿: 600；伙食: 100"),
        (["城市|标准|人数", "^|元|人", "北京|600|2"], "城市: 北京；标准/元: 600；人数/人: 2"),
        (["姓名|基本工资", "^|税前", "张三|3000"], "姓名: 张三；基本工资/税前: 3000"),
    ],
)
def test_names_over_two_rows(rows: list[str], line: str) -> None:
    assert table_lines(over_two_rows(*rows)) == (line,)
