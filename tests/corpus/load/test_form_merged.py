"""Forms and tables with cells over several rows: no word is lost, and what is no form is not taken for one."""

import random
from collections.abc import Callable

import pytest

from rag.corpus.load import load
from rag.corpus.load.form import form_line
from rag.corpus.load.table import Cell, plain_grid, table_lines

_LABELS = "编号 版本 生效日期 编制部门 密级 名称 姓名 部门 备注 单位 金额 序号 项目".split()
_VALUES = ["HR-001", "V2.0", "2026-01-01", "人事部", "内部", "", "100", "元", "张三", "注：见附件", "单位：万元", "是"]


def merged_grid(rng: random.Random) -> list[list[Cell]]:
    """Up to 5 × 6 places, some of them in cells over two columns or three rows."""
    height, width = rng.randint(1, 5), rng.randint(1, 6)
    places: dict[tuple[int, int], Cell] = {}
    for r in range(height):
        for c in range(width):
            if (r, c) in places:
                continue
            text = rng.choice(_LABELS) + rng.choice(["", "", "："]) if rng.random() < 0.5 else rng.choice(_VALUES)
            wide, high = rng.choice([1, 1, 1, 2]), rng.choice([1, 1, 1, 2, 3])
            area = [(i, j) for i in range(r, min(r + high, height)) for j in range(c, min(c + wide, width))]
            if any(place in places for place in area):
                area = [(r, c)]
            places.update(dict.fromkeys(area, Cell(text, (r, c), rng.random() < 0.1)))
    return [[places[r, c] for c in range(width)] for r in range(height)]


def test_every_word_of_a_merged_table_is_in_its_lines(seeds: Callable[[int], range]) -> None:
    for seed in seeds(20_000):
        grid = merged_grid(random.Random(seed))
        written = "".join(table_lines(grid)).replace(": ", "：")
        lost = [cell.text for row in grid for cell in row if cell.text.rstrip("：") not in written]
        assert not lost, (seed, grid)


def test_a_label_over_two_rows_of_a_form_stands_above_the_table_below_it() -> None:
    page = (
        "<p>开头<table><tr><td>编号<td>HR-001<td>版本<td>V2.0<td rowspan=2>密级<td>内部<tr><td>编制部门<td>人事部<td>生效日期"
        "<td>2026-01-01<td>公开<tr><td>序号<td>项目<td>金额<td>备注<td>甲<td>乙<tr><td>1<td>交通<td>100<td>无<td>x<td>y</table>"
    )
    (read,) = load("a.html", page.encode())
    assert read.text.split("\n")[2:] == [
        "编号: HR-001；版本: V2.0；密级: 内部",
        "编制部门: 人事部；生效日期: 2026-01-01；密级: 公开",
        "序号: 1；项目: 交通；金额: 100；备注: 无；甲: x；乙: y",
    ]


def test_cells_merged_down_all_rows_are_one_row() -> None:
    page = "<p>开头<table><tr><td rowspan=2>甲<td rowspan=2>乙<tr></table>"
    assert load("a.html", page.encode())[0].text == "开头\n\n甲 | 乙"
    names, both = [Cell("城市", (0, 0)), Cell("标准", (0, 1))], [Cell("北京", (2, 0)), Cell("600", (2, 1))]
    assert table_lines([names, names, both, both]) == ("城市: 北京；标准: 600",)


def test_a_row_that_is_no_pairs_keeps_its_words() -> None:
    rows = [["甲", "乙", "丙"], ["", "乙"]]
    grid = [[cell for cell in row] for row in plain_grid(rows)]
    assert [form_line(row) for row in grid] == ["甲 | 乙 | 丙", "乙"]


@pytest.mark.parametrize(
    "rows",
    [
        # one column of labels: too few of them are those of a document's own block
        ["编号|HR-001", "食堂|2026-01-01", "班车|2026-02-01", "宿舍|2026-03-01"],
        # … or nothing beside them is a code or a date
        ["审核|通过", "批准|通过", "会签|通过"],
        # … or most of them are called otherwise
        ["编号|HR-001", "密级|内部", "食堂|午餐", "班车|每日", "宿舍|四人"],
        # … or the first has neither beside it and one of them is called otherwise
        ["审核|通过", "批准|V2.0", "食堂|午餐"],
        # two columns of them: too few are called as labels are
        ["编号|早班|食堂|晚班", "班车|早班|宿舍|晚班", "球场|早班|泳池|晚班"],
    ],
)
def test_few_labels_are_no_evidence_of_a_form(rows: list[str]) -> None:
    first, *below = (row.split("|") for row in rows)
    named = ["；".join(f"{name}: {text}" for name, text in zip(first, row, strict=True)) for row in below]
    assert table_lines(plain_grid([row.split("|") for row in rows])) == tuple(named)
