import csv
import io
import random
import time
from collections.abc import Callable

import pytest

from rag.corpus.load import load
from rag.corpus.load.cell import one_line
from rag.errors import EmptyDocument, LoadError, UnsafeFile
from tests import hostile
from tests.corpus.load.files import checked

ROWS = [["职级", "住宿标准", "说明"], ["P1", "600", "一线城市，含税"], ["P2", "450", '称"其余"城市;每晚']]


def written(rows: list[list[str]], **options: object) -> str:
    stream = io.StringIO()
    csv.writer(stream, **options).writerows(rows)  # type: ignore[arg-type]
    return stream.getvalue()


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "gb18030", "utf-16"])
@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
def test_rows_with_column_names_whatever_separates_them(delimiter: str, encoding: str, quoting: int) -> None:
    data = written(ROWS, delimiter=delimiter, quoting=quoting).encode(encoding)
    (document,) = load("标准.csv", data)
    checked(document)
    assert document.text == (
        '职级: P1；住宿标准: 600；说明: 一线城市，含税\n职级: P2；住宿标准: 450；说明: 称"其余"城市;每晚'
    )
    (table,) = document.tables
    assert (table.start, table.end, table.header) == (0, len(document.text), "职级 | 住宿标准 | 说明")
    assert {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars"}[delimiter] in document.reading.en
    assert load("标准.tsv", data)[0].text == document.text


def test_titles_empty_rows_and_a_second_table() -> None:
    text = "2026年差旅标准,,\n职级,住宿,餐费\nP1,600,120\n\n城市,上限,备注\n北京,600,一线\n"
    (document,) = load("a.csv", text.encode())
    assert document.text == "2026年差旅标准\n职级: P1；住宿: 600；餐费: 120\n\n城市: 北京；上限: 600；备注: 一线"


@pytest.mark.parametrize(
    "second",
    [
        ["城市,等级", "北京,一线", "杭州,二线"],  # called as columns are
        ["甲类,乙类", "北京,HR-1", "杭州,HR-2"],  # codes below words
        ["颜色,形状", "红,圆", "蓝,方"],  # words where numbers stood
        ["颜色,形状", "红,600", "蓝,700"],
    ],
)
def test_a_second_table_of_the_same_columns_has_its_own_names(second: list[str]) -> None:
    (document,) = load("a.csv", "\n".join(["姓名,分机", "张三,12", "李四,13", "", *second]).encode())
    names, *rows = [line.split(",") for line in second]
    expected = ["；".join(f"{n}: {v}" for n, v in zip(names, row, strict=True)) for row in rows]
    assert document.text.split("\n\n")[1].split("\n") == expected
    assert document.tables[1].header == " | ".join(names)


@pytest.mark.parametrize(
    "rest",
    [
        ["王五,财务", "赵六,法务"],
        ["王五,HR-1", "赵六,HR-2"],
        ["王五,销售", "赵六,销售"],
        ["王五,行政", "赵六,HR-1"],
        ["王五,2024", "赵六,2025"],
    ],
)
def test_rows_behind_an_empty_one_that_hold_no_names_go_on(rest: list[str]) -> None:
    (document,) = load("a.csv", "\n".join(["姓名,去向", "张三,销售", "李四,行政", "", *rest]).encode())
    assert document.text.split("\n\n")[1].split("\n")[0].startswith(f"姓名: {rest[0].split(',')[0]}")


@pytest.mark.parametrize(
    "rows",
    [
        ["张三,13800000000,2024-01-02", "李四,13800000001,2024-01-03"],
        ["张三,销售,2024", "李四,行政,2025", "王五,财务,2023"],
        ["HR-001,年假表", "HR-002,病假表"],
        ["张三,zs@example.com", "李四,ls@example.com"],
        ["张三,2024年1月", "李四,2024年2月"],
    ],
)
def test_a_first_row_like_those_below_is_a_row_and_the_note_says_so(rows: list[str]) -> None:
    (document,) = load("a.csv", "\n".join(rows).encode())
    checked(document)
    assert document.text.split("\n") == [row.replace(",", " | ") for row in rows]
    (warning,) = document.warnings
    assert "without column names (from row 1)" in warning.en and "没有列名（从第 1 行起）" in warning.zh


@pytest.mark.parametrize(
    "rows",
    [
        ["城市,2024年,2025年", "北京,600,700"],
        ["姓名,Q1,Q2", "张三,A1,B2", "李四,A2,B1"],
        ["姓名,部门", "张三,销售"],
        ["姓名,工号", "张三,HR-1", "李四,HR-2"],
    ],
)
def test_names_stay_names(rows: list[str]) -> None:
    (document,) = load("a.csv", "\n".join(rows).encode())
    assert document.text.startswith(f"{rows[0].split(',')[0]}: ") and document.warnings == ()


def test_line_breaks_inside_quotation_marks_stay_in_their_cell() -> None:
    (document,) = load("a.csv", '项目,说明\n年假,"满一年\n十五天"\n'.encode())
    assert document.text == "项目: 年假；说明: 满一年十五天"
    assert document.warnings == ()


@pytest.mark.parametrize("text", ['项目,说明\n年假,"十五天\n病假,按规定\n', '项目,说明\n年假,"十五"天"\n病假,按规定\n'])
def test_quotation_marks_that_do_not_pair_swallow_nothing(text: str) -> None:
    (document,) = load("a.csv", text.encode())
    assert "年假" in document.text.split("\n")[0] and document.text.split("\n")[1] == "项目: 病假；说明: 按规定"
    assert "do not pair" in document.warnings[0].en and "引号" in document.warnings[0].zh


def test_only_the_row_with_the_stray_mark_is_taken_as_it_stands() -> None:
    rows = [f'"{n}号","住宿, 餐费","第一行\n第""{n}""行"' for n in range(40)]
    strays = {7: '7号,"住宿,x', 20: '20号,"住"宿",x', 39: '"39号,住宿,x'}
    source = "\n".join(["编号,项目,说明", *(strays.get(n, row) for n, row in enumerate(rows))])
    (document,) = load("a.csv", source.encode())
    checked(document)
    lines = document.text.split("\n")
    assert len(lines) == 40
    expected = {
        7: '编号: 7号；项目: "住宿；说明: x',
        20: '编号: 20号；项目: "住"宿"；说明: x',
        39: '编号: "39号；项目: 住宿；说明: x',
    }
    for n, line in enumerate(lines):
        assert line == expected.get(n, f'编号: {n}号；项目: 住宿, 餐费；说明: 第一行 第"{n}"行')
    (warning,) = document.warnings
    for language in (warning.en, warning.zh):
        assert "16, 41, 78" in language.replace("、", ", ")


def test_marks_that_open_over_and_over_are_looked_at_a_few_times() -> None:
    def seconds(rows: int) -> float:
        began = time.process_time()
        (document,) = load("a.csv", b"k,l,m\n" + b'x",y,"z\n' * rows)
        assert document.text.count('"z') == rows and "do not pair" in document.warnings[0].en
        return time.process_time() - began

    # looking for the end of each down to the end of the file makes eight times as many take some fifty times as long
    assert seconds(16000) < 24 * seconds(2000)


def test_what_excel_writes_above_the_rows_is_no_row() -> None:
    (document,) = load("a.csv", "sep=;\n项目;说明\n年假;十五天,可分段\n".encode())
    assert document.text == "项目: 年假；说明: 十五天,可分段"


def test_an_export_named_xls_is_read_as_the_text_it_is() -> None:
    (document,) = load("导出.xls", "姓名\t天数\n张三\t15\n".encode("utf-16"))
    assert document.text == "姓名: 张三；天数: 15"
    assert ".xls" in document.warnings[0].en and "table as text" in document.warnings[0].en


def test_too_many_cells_and_cells_too_long_are_refused_with_the_limit() -> None:
    with pytest.raises(UnsafeFile, match="500,000"):
        load("a.csv", b"a,b,c,d,e\n" * 100_001)
    with pytest.raises(LoadError, match="131,072"):
        load("a.csv", b"a,b\n1," + b"x" * 140_000)
    with pytest.raises(EmptyDocument):
        load("a.csv", b",,\n,,\n")


def test_every_cell_of_a_hostile_table_comes_back_once(seeds: Callable[[int], range]) -> None:
    for seed in seeds(300):
        rng = random.Random(seed)
        names = ["甲列", "乙列", "丙列"]
        rows = [[f"值{r}{c}" + hostile.text(rng, 2) for c in range(3)] for r in range(rng.randint(2, 5))]
        delimiter = rng.choice(",\t;|")
        data = written([names, *rows], delimiter=delimiter).encode()
        (document,) = load("a.csv", data)
        if "wrong" in str(document.warnings):
            continue
        checked(document)
        expected = ["；".join(f"{n}: {one_line(v)}" for n, v in zip(names, row, strict=True)) for row in rows]
        assert document.text.split("\n") == [line.rstrip() for line in expected], seed
