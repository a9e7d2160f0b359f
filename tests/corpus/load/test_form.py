"""Forms, in which labels and what is filled in alternate, and tables that are none."""

import io

import docx
import openpyxl
import pytest

from rag.corpus.load import load
from rag.corpus.load.table import Cell, plain_grid, render, table_lines
from tests.corpus.load.ooxml import document


def lines(*rows: str) -> tuple[str, ...]:
    return table_lines(plain_grid([row.split("|") for row in rows]))


@pytest.mark.parametrize(
    ("rows", "read"),
    [
        (
            ["文件编号|HR-001|版本|V2.0", "生效日期|2026-10-01|归口部门|人力资源部"],
            ["文件编号: HR-001；版本: V2.0", "生效日期: 2026-10-01；归口部门: 人力资源部"],
        ),
        (["文件编号|HR-001|版本|V2.0"], ["文件编号: HR-001；版本: V2.0"]),
        (["文件名称|考勤制度|密级|内部", "编制|张三|审核|"], ["文件名称: 考勤制度；密级: 内部", "编制: 张三；审核:"]),
        (
            ["编制|张三|审核|李四|批准|王五", "日期|2026-1-1|日期|2026-1-2|日期|2026-1-3"],
            ["编制: 张三；审核: 李四；批准: 王五", "日期: 2026-1-1；日期: 2026-1-2；日期: 2026-1-3"],
        ),
        (
            ["文件编号|HR-001", "版本|V2.0", "发布日期|2026-10-01", "归口部门|人力资源部"],
            ["文件编号: HR-001", "版本: V2.0", "发布日期: 2026-10-01", "归口部门: 人力资源部"],
        ),
        (
            ["Document No.|HR-001|Version|2.0", "Effective date|2026-10-01|Prepared by|Li"],
            ["Document No.: HR-001；Version: 2.0", "Effective date: 2026-10-01；Prepared by: Li"],
        ),
        # labels nobody has listed: colons, or columns of which no row holds what a column would
        (["甲方：|某公司|乙方：|某某"], ["甲方: 某公司；乙方: 某某"]),
        (
            ["主机|AB-12|厂家|某厂", "座位|三楼|入网|2026-01-02", "配件|12|接口|五个"],
            ["主机: AB-12；厂家: 某厂", "座位: 三楼；入网: 2026-01-02", "配件: 12；接口: 五个"],
        ),
        (
            ["文件编号：HR-001|版本：V2.0", "生效日期：2026-10-01|归口部门：人力资源部"],
            ["文件编号: HR-001；版本: V2.0", "生效日期: 2026-10-01；归口部门: 人力资源部"],
        ),
    ],
)
def test_a_form_gives_its_labels_with_what_stands_beside_them(rows: list[str], read: list[str]) -> None:
    assert lines(*rows) == tuple(read)


def test_a_table_below_a_form_is_a_table_of_its_own() -> None:
    rows = [
        "考勤制度|||",
        "文件编号|HR-001|版本|V2.0",
        "修订记录|||",
        "版本|变更要点|日期|修改人",
        "V1.0|首次发布|2025-01-01|张三",
    ]
    rendered = render(plain_grid([row.split("|") for row in rows]))
    named = "版本: V1.0；变更要点: 首次发布；日期: 2025-01-01；修改人: 张三"
    assert rendered.lines == ("考勤制度", "文件编号: HR-001；版本: V2.0", "修订记录", named)
    assert rendered.heading == "考勤制度\n修订记录\n版本 | 变更要点 | 日期 | 修改人"


@pytest.mark.parametrize(
    "rows",
    [
        ["部门|人数|负责人|电话", "人事部|5|张三|1234"],
        ["版本|修订内容|修订日期|修订人", "V1|首次发布|2025-01-01|张三"],
        ["文件名称|编号|版本|生效日期", "考勤制度|HR-01|V2|2026-01-01"],
        ["姓名|3月工资|部门|4月工资", "张三|100|人事|120"],
        ["岗位|P5|岗位津贴|P6", "经理|1|高|2"],
        ["工序|ISO9001|部门|GB/T19001", "设计|8.3|研发|8.3"],
        ["城市|标准|城市|标准", "北京|600|上海|550"],
        ["名称|要点|类别|处理", "考勤|打卡|制度|记录"],
        ["城市|P7", "北京|500", "上海|450"],
        ["岗位|权限", "部门负责人|5000", "公司负责人|10000"],
        ["类别|示例", "姓名|张三", "电话|138"],
        ["编号|名称", "HR-01|考勤制度", "HR-02|年假制度"],
    ],
)
def test_a_table_with_column_names_is_no_form(rows: list[str]) -> None:
    first, *below = (row.split("|") for row in rows)
    named = ["；".join(f"{name}: {text}" for name, text in zip(first, row, strict=True)) for row in below]
    assert lines(*rows) == tuple(named)


def test_a_form_stands_above_a_long_table_and_is_not_long_itself() -> None:
    people = [f"{n}|甲{n}|乙|{n}" for n in range(300)]
    assert lines("编号|HR-1|版本|V2", "序号|姓名|部门|人数", *people)[:2] == (
        "编号: HR-1；版本: V2",
        "序号: 0；姓名: 甲0；部门: 乙；人数: 0",
    )
    assert lines(*["编号|HR-1|版本|V2"] * 300)[0] == "编号: 编号；HR-1: HR-1；版本: 版本；V2: V2"


def test_what_the_file_marks_decides() -> None:
    def grid(*rows: str) -> list[list[Cell]]:
        """Cells with a # are marked as header cells."""
        return [
            [Cell(text.lstrip("#"), (r, c), text.startswith("#")) for c, text in enumerate(row.split("|"))]
            for r, row in enumerate(rows)
        ]

    assert table_lines(grid("#甲|一|#乙|二", "#丙|三|#丁|四")) == ("甲: 一；乙: 二", "丙: 三；丁: 四")
    assert table_lines(grid("#编号|#HR-1|#版本|#V2", "甲|乙|丙|丁")) == ("编号: 甲；HR-1: 乙；版本: 丙；V2: 丁",)
    assert table_lines(grid("#2025|#600", "甲|乙")) == ("2025: 甲；600: 乙",)
    assert table_lines(grid("#|#一|#二|#三", "#北京|1|2|3")) == ("北京；一: 1；二: 2；三: 3",)


def test_no_word_of_a_form_is_lost_and_a_cell_over_all_rows_stands_first() -> None:
    logo = Cell("某公司", (0, 0))
    rows = [["文件编号", "HR-001", "版本", "V2.0"], ["生效日期", "2026-10-01", "备注", ""]]
    grid = [[logo, *(Cell(text, (r, c)) for c, text in enumerate(row, 1))] for r, row in enumerate(rows)]
    assert table_lines(grid) == ("某公司", "文件编号: HR-001；版本: V2.0", "生效日期: 2026-10-01；备注:")


def test_the_version_of_a_word_document_and_of_a_sheet_is_that_of_its_form() -> None:
    rows = [["文件编号", "HR-001", "版本", "V2.0"], ["生效日期", "2026-10-01", "归口部门", "人力资源部"]]
    made = docx.Document()
    table = made.add_table(2, 4)
    book = openpyxl.Workbook()
    for r, row in enumerate(rows):
        for c, text in enumerate(row):
            table.cell(r, c).text = text
            book.active.cell(r + 1, c + 1, text)
    for name, source in (("a.docx", made), ("a.xlsx", book)):
        out = io.BytesIO()
        source.save(out)
        (read,) = load(name, out.getvalue())
        assert "文件编号: HR-001；版本: V2.0\n生效日期: 2026-10-01；归口部门: 人力资源部" in read.text
        assert (read.version, str(read.effective_from)) == ("V2.0", "2026-10-01")


def test_merged_values_in_a_word_form() -> None:
    def cell(text: str, span: int = 1) -> str:
        return f'<w:tc><w:tcPr><w:gridSpan w:val="{span}"/></w:tcPr><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>'

    rows = [
        cell("文件名称") + cell("考勤制度", 3),
        cell("编号") + cell("HR-01") + cell("版本") + cell("A/0"),
        cell("说明", 4),
    ]
    (read,) = load("a.docx", document(f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in rows)}</w:tbl>"))
    assert read.text == "文件名称: 考勤制度\n编号: HR-01；版本: A/0\n说明"


def test_the_header_cells_of_a_web_page_decide() -> None:
    form = "<tr><th>甲</th><td>一</td></tr><tr><th>乙</th><td>二</td></tr>"
    named = "<tr><th>编号</th><th>HR-1</th></tr><tr><th>甲</th><td>一</td></tr>"
    (read,) = load("a.html", f"<p>开头</p><table>{form}</table><table>{named}</table>".encode())
    assert read.text == "开头\n\n甲: 一\n乙: 二\n\n编号: 甲；HR-1: 一"
