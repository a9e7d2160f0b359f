import io
import zipfile
from datetime import date, datetime, time

import pytest
from openpyxl.worksheet.worksheet import Worksheet

from rag.corpus.load import load
from rag.corpus.load.number import shown
from rag.errors import EmptyDocument, UnsafeFile
from tests.corpus.load.files import at_sections, book, checked, rezipped


def test_sheets_are_sections_and_rows_carry_column_names() -> None:
    def limits(sheet: Worksheet) -> None:
        sheet.append(["差旅标准（2026）"])
        sheet.merge_cells("A1:C1")
        sheet.append(["城市", "上限", "比例"])
        sheet.append(["北京", 3000.0, 0.125])
        sheet["C3"].number_format = "0.0%"
        sheet.append(["杭州", 450, None])
        sheet.append([])
        sheet.append(["注：含税。"])

    def dates(sheet: Worksheet) -> None:
        sheet.append(["事项", "日期"])
        sheet.append(["施行", date(2026, 10, 1)])

    (document,) = load("标准.xlsx", book(标准=limits, 日期=dates))
    checked(document)
    assert document.text == (
        "标准\n\n差旅标准（2026）\n城市: 北京；上限: 3000；比例: 12.5%\n城市: 杭州；上限: 450\n\n注：含税。\n\n"
        "日期\n\n事项: 施行；日期: 2026-10-01"
    )
    assert at_sections(document) == {("标准",): "标准", ("日期",): "日期"}


def test_merged_cells_and_two_header_rows() -> None:
    def fill(sheet: Worksheet) -> None:
        for row in (["职级", "标准", None], [None, "住宿", "餐费"], ["P1", 600, 120], [None, 450, 100]):
            sheet.append(row)
        for area in ("A1:A2", "B1:C1", "A3:A4"):
            sheet.merge_cells(area)

    (document,) = load("a.xlsx", book(s=fill))
    assert document.text.split("\n")[2:] == [
        "职级: P1；标准/住宿: 600；标准/餐费: 120",
        "职级: P1；标准/住宿: 450；标准/餐费: 100",
    ]


def test_rows_after_an_empty_row_keep_the_column_names() -> None:
    def fill(sheet: Worksheet) -> None:
        for row in (["甲", "乙"], ["一", "二"], [], ["三", "四"]):
            sheet.append(row)

    assert load("a.xlsx", book(s=fill))[0].text == "s\n\n甲: 一；乙: 二\n\n甲: 三；乙: 四"


def test_a_stray_cell_at_the_end_of_the_sheet_costs_nothing() -> None:
    def fill(sheet: Worksheet) -> None:
        sheet.append(["甲", "乙"])
        sheet.append(["一", "二"])
        sheet["XFD1048576"] = "远"

    assert load("a.xlsx", book(s=fill))[0].text.endswith("远")


def test_formulas_without_a_stored_result_are_counted() -> None:
    def fill(sheet: Worksheet) -> None:
        sheet.append(["合计", "=1+1"])

    (document,) = load("a.xlsx", book(s=fill))
    assert "1 formulas" in document.warnings[0].en


def test_a_huge_merged_area_is_refused_before_it_is_built() -> None:
    def fill(sheet: Worksheet) -> None:
        sheet["A1"] = "x"
        sheet.merge_cells("A1:B2")

    data = book(s=fill)
    member = "xl/worksheets/sheet1.xml"
    sheet_xml = zipfile.ZipFile(io.BytesIO(data)).read(member).replace(b"A1:B2", b"A1:XFD1048576")
    with pytest.raises(UnsafeFile, match="cells"):
        load("a.xlsx", rezipped(data, {member: sheet_xml}))


def test_an_empty_workbook() -> None:
    with pytest.raises(EmptyDocument):
        load("a.xlsx", book(s=lambda sheet: None))


@pytest.mark.parametrize(
    ("value", "picture", "expected"),
    [
        (3000.0, "General", "3000"),
        (0.1 + 0.2, "General", "0.3"),
        (2.5, "0", "3"),  # half away from zero, as a sheet rounds
        (-2.5, "0", "-3"),
        (-0.001, "0.00", "0.00"),
        (1234567.891, "#,##0.00", "1,234,567.89"),
        (0.5, "0%", "50%"),
        (1 / 3, "0.00%", "33.33%"),
        (1.5, "0.##", "1.5"),
        (2, "0.##", "2"),
        (0.5, "#.0", "0.5"),
        (12, '0"天"', "12天"),
        (3000, '"¥"#,##0', "¥3,000"),
        (3000, "[$¥-804]#,##0.00", "¥3,000.00"),
        (3000, '_ "¥"* #,##0_ ;_ "¥"* -#,##0_ ', "¥3,000"),
        (7, "000", "007"),
        (1500000, "#,##0,", "1,500"),
        (12345678901234, "General", "12345678901234"),
        (True, "General", "TRUE"),
        (datetime(2026, 10, 1), "yyyy/m/d", "2026-10-01"),
        (datetime(2026, 10, 1, 9, 30), "General", "2026-10-01 09:30"),
        (time(22, 0), "h:mm", "22:00"),
        ("007", "General", "007"),
        (None, "General", ""),
        (1e300, "0.00", "1e+300"),
    ],
)
def test_values_as_the_sheet_shows_them(value: object, picture: str, expected: str) -> None:
    assert shown(value, picture) == expected
