import io
from datetime import date
from typing import Any

import pytest
import xlwt

from rag.corpus.load import load
from rag.errors import EmptyDocument, LoadError
from tests.corpus.load.files import at_sections, checked


def old_book(**sheets: list[list[Any]]) -> bytes:
    """A workbook of Excel 97; a tuple is a value and its number format."""
    book = xlwt.Workbook()
    for name, rows in sheets.items():
        sheet = book.add_sheet(name)
        for r, row in enumerate(rows):
            for c, value in enumerate(row):
                if isinstance(value, tuple):
                    sheet.write(r, c, value[0], xlwt.easyxf(num_format_str=value[1]))
                elif value is not None:
                    sheet.write(r, c, value)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def test_rows_with_column_names_numbers_and_dates_as_shown() -> None:
    rows = [
        ["职级", "住宿标准", "生效日期", "比例"],
        ["P1", (1600, "#,##0"), (date(2026, 10, 1), "yyyy-mm-dd"), (0.125, "0.0%")],
        ["P2", 450.5, None, True],
    ]
    (document,) = load("标准.xls", old_book(差旅=rows, 空表=[]))
    checked(document)
    assert document.text == (
        "差旅\n\n职级: P1；住宿标准: 1,600；生效日期: 2026-10-01；比例: 12.5%\n职级: P2；住宿标准: 450.5；比例: TRUE"
    )
    assert at_sections(document) == {} or list(at_sections(document)) == [("差旅",)]
    assert document.tables[0].header == "职级 | 住宿标准 | 生效日期 | 比例"
    assert document.reading.en == "old Excel (.xls), 2 sheets"
    assert document.warnings == ()


def test_times_and_days_of_the_week_in_chinese_formats() -> None:
    row = [(0.375, 'h"时"mm"分"'), (0.729166667, '上午/下午h"点"'), (46083, "[$-804]aaaa;@"), (35000, '0!.0,"万"')]
    (document,) = load("a.xls", old_book(s=[["上班", "下班", "星期", "金额"], row]))
    assert document.text == "s\n\n上班: 9时00分；下班: 下午5点；星期: 星期一；金额: 3.5万"


def test_merged_cells_stand_at_every_place_they_cover() -> None:
    book = xlwt.Workbook()
    sheet = book.add_sheet("一")
    for c, name in enumerate(("部门", "岗位", "天数")):
        sheet.write(0, c, name)
    sheet.write_merge(1, 2, 0, 0, "人事部")
    for r, (post, days) in enumerate((("专员", 10), ("主管", 15)), start=1):
        sheet.write(r, 1, post)
        sheet.write(r, 2, days)
    hidden = book.add_sheet("藏")
    hidden.write(0, 0, "内部说明")
    hidden.visibility = 1
    stream = io.BytesIO()
    book.save(stream)
    (document,) = load("a.xls", stream.getvalue())
    assert "部门: 人事部；岗位: 专员；天数: 10\n部门: 人事部；岗位: 主管；天数: 15" in document.text
    assert "内部说明" in document.text and "藏" in document.warnings[0].zh


def test_an_old_workbook_under_another_name_is_read_with_a_warning() -> None:
    (document,) = load("a.xlsx", old_book(一=[["甲", "乙"], ["a", "b"]]))
    assert "甲: a；乙: b" in document.text
    assert "old Excel workbook" in document.warnings[0].en


def test_empty_and_damaged_ones_are_refused() -> None:
    with pytest.raises(EmptyDocument):
        load("a.xls", old_book(一=[]))
    whole = old_book(一=[["甲", "乙"], ["a", "b"]])
    for cut in (600, 1500, len(whole) - 3000):
        with pytest.raises(LoadError, match=r"a\.xls"):
            load("a.xls", whole[:cut])
    with pytest.raises(LoadError, match="damaged"):
        load("a.xls", bytes(range(256)) * 4)
