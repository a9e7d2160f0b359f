import io
import random
import re
import zipfile
from collections.abc import Callable
from datetime import date, time

import pytest
from openpyxl.comments import Comment
from openpyxl.worksheet.worksheet import Worksheet

from rag.corpus.load import load
from rag.errors import EmptyDocument
from tests.corpus.load.files import at_sections, book, checked, rezipped
from tests.corpus.load.visible import hostile_xml, visible_lines


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


def test_an_empty_workbook() -> None:
    with pytest.raises(EmptyDocument):
        load("a.xlsx", book(s=lambda sheet: None))


def lines(*rows: list[object], areas: tuple[str, ...] = ()) -> list[str]:
    def fill(sheet: Worksheet) -> None:
        for row in rows:
            sheet.append(row)
        for area in areas:
            sheet.merge_cells(area)

    (document,) = load("a.xlsx", book(s=fill))
    checked(document)
    return [line for line in document.text.split("\n")[1:] if line]


def test_lines_above_the_column_names_and_remarks_below() -> None:
    rows: list[list[object]] = [
        ["差旅费标准表", None, None, None, None, None],
        ["编制单位：行政部", None, None, None, "单位：元", None],
        ["城市", "住宿", "餐费", "交通", "补贴", "合计"],
        ["北京", 600, 120, 80, 50, 850],
        ["注：旺季可上浮20%。"],
    ]
    assert lines(*rows, areas=("A1:F1",)) == [
        "差旅费标准表",
        "编制单位：行政部 | 单位：元",
        "城市: 北京；住宿: 600；餐费: 120；交通: 80；补贴: 50；合计: 850",
        "注：旺季可上浮20%。",
    ]


def test_a_row_of_units_belongs_to_the_column_names() -> None:
    rows: list[list[object]] = [["城市", "住宿", "比例"], [None, "元/晚", "（%）"], ["北京", 600, 20]]
    assert lines(*rows) == ["城市: 北京；住宿/元/晚: 600；比例/（%）: 20"]


def test_two_rows_of_names_without_merged_cells() -> None:
    rows: list[list[object]] = [
        ["城市", "2025年", None, "2026年", None, "备注"],
        [None, "住宿", "餐费", "住宿", "餐费", None],
        ["北京", 500, 100, 600, 120, "含税"],
    ]
    (line,) = lines(*rows)
    assert line == "城市: 北京；2025年/住宿: 500；餐费: 100；2026年/住宿: 600；餐费: 120；备注: 含税"


def test_names_above_an_empty_row_and_a_second_table_of_the_same_width() -> None:
    rows: list[list[object]] = [
        ["住宿标准"],
        ["城市", "上限"],
        [],
        ["北京", 600],
        ["杭州", 450],
        [],
        ["职级", "天数"],
        ["P1", 10],
        [],
        ["P2", 12],
    ]
    (document,) = load("a.xlsx", book(s=lambda sheet: [sheet.append(row) for row in rows] and None))
    assert document.text.split("\n\n")[1:] == [
        "住宿标准\n城市 | 上限",
        "城市: 北京；上限: 600\n城市: 杭州；上限: 450",
        "职级: P1；天数: 10",
        "职级: P2；天数: 12",
    ]
    assert [table.header for table in document.tables] == [
        "住宿标准",
        "住宿标准\n城市 | 上限",
        "职级 | 天数",
        "职级 | 天数",
    ]


def test_what_is_hidden_is_read_and_said() -> None:
    def filtered(sheet: Worksheet) -> None:
        for row in (["城市", "上限", "草稿"], ["北京", 600, "a"], ["杭州", 450, "b"]):
            sheet.append(row)
        sheet.row_dimensions[3].hidden = True
        sheet.column_dimensions["C"].hidden = True

    def other(sheet: Worksheet) -> None:
        sheet.append(["机密"])
        sheet.sheet_state = "veryHidden"

    (document,) = load("a.xlsx", book(表=filtered, 底稿=other))
    assert "杭州" in document.text and "机密" in document.text and "草稿: b" in document.text
    assert document.warnings[0].zh == "a.xlsx：隐藏的工作表、列或行也已读取：表（C 列，第 3 行）；底稿。"
    assert document.reading.zh == "Excel，2 个工作表"


def test_comments_are_noted_and_not_read() -> None:
    def fill(sheet: Worksheet) -> None:
        sheet["A1"] = "上限"
        sheet["A1"].comment = Comment("要改", "张")

    (document,) = load("a.xlsx", book(s=fill))
    assert document.text == "s\n\n上限"
    assert [(r.why, r.text) for r in document.removed] == [("comment", "要改")]


def test_a_comment_is_noted_behind_its_row() -> None:
    def fill(sheet: Worksheet) -> None:
        for row in (["城市", "上限"], ["北京", 600], ["杭州", 70], [], ["备注", "甲"], ["乙", "丙"]):
            sheet.append(row)
        for place in ("C4", "B3", "A1", "B2", "B9"):
            sheet[place].comment = Comment(place, "张")

    (document,) = load("a.xlsx", book(s=fill))
    assert document.text.startswith("s\n\n城市: 北京；上限: 600\n城市: 杭州；上限: 70\n\n")
    start, first, second = 3, document.text.index("\n城市: 杭州"), document.text.index("\n\n", 5)
    places = {r.text: r.at for r in document.removed}
    assert (places["A1"], places["B2"], places["B3"]) == (start, first, second)
    assert second <= places["C4"] <= second + 2 and places["B9"] == len(document.text)


def test_words_in_shapes_stand_below_the_cells() -> None:
    data = book(s=lambda sheet: sheet.append(["甲"]))
    drawing = "http://schemas.openxmlformats.org/drawingml/2006"
    relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    shapes = (
        f'<x:wsDr xmlns:x="{drawing}/spreadsheetDrawing" xmlns:a="{drawing}/main"><x:twoCellAnchor><x:sp><x:txBody>'
        "<a:bodyPr/><a:p><a:r><a:t>填表说明</a:t></a:r></a:p><a:p><a:r><a:t>一式两份</a:t></a:r></a:p></x:txBody></x:sp>"
        "</x:twoCellAnchor></x:wsDr>"
    )
    member = "xl/worksheets/sheet1.xml"
    sheet_xml = zipfile.ZipFile(io.BytesIO(data)).read(member)
    link = f'<drawing xmlns:r="{relations}" r:id="rId1"/></worksheet>'
    rels = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" '
        f'Type="{relations}/drawing" Target="../drawings/drawing1.xml"/></Relationships>'
    )
    changed = rezipped(
        data,
        {
            member: sheet_xml.replace(b"</worksheet>", link.encode()),
            "xl/worksheets/_rels/sheet1.xml.rels": rels.encode(),
            "xl/drawings/drawing1.xml": shapes.encode(),
        },
    )
    assert load("a.xlsx", changed)[0].text == "s\n\n甲\n\n填表说明\n一式两份"


def test_dates_of_1904_errors_and_chinese_formats_known_only_by_number() -> None:
    def fill(sheet: Worksheet) -> None:
        sheet.append([date(2026, 10, 1), "#REF!", 46296])
        sheet["A1"].number_format = "yyyy/m/d"
        sheet["C1"].number_format = "0.0000000"

    source = book(s=fill)
    styles = zipfile.ZipFile(io.BytesIO(source)).read("xl/styles.xml")
    number = re.search(rb'<numFmt numFmtId="(\d+)" formatCode="0.0000000"', styles)
    assert number
    nameless = re.sub(rb'<numFmt numFmtId="%s"[^>]*>' % number.group(1), b"", styles)
    by_number = nameless.replace(b'numFmtId="%s"' % number.group(1), b'numFmtId="31"')
    (document,) = load("a.xlsx", rezipped(source, {"xl/styles.xml": by_number}))
    assert document.text == "s\n\n2026/10/1 | #REF! | 2026年10月1日"
    book_xml = zipfile.ZipFile(io.BytesIO(source)).read("xl/workbook.xml")
    later, count = re.subn(rb"<workbookPr\b[^>]*>", b'<workbookPr date1904="1"/>', book_xml)
    assert count == 1
    (document,) = load("a.xlsx", rezipped(source, {"xl/styles.xml": by_number, "xl/workbook.xml": later}))
    assert document.text == "s\n\n2030/10/2 | #REF! | 2030年10月2日"


def test_every_visible_word_comes_back_once_and_in_order(seeds: Callable[[int], range]) -> None:
    for seed in seeds(200):
        rng = random.Random(seed)
        words: list[str] = []

        def said(rng: random.Random = rng, words: list[str] = words) -> str:
            words.append(f"〔{len(words)}〕{hostile_xml(rng)}")
            return words[-1]

        def fill(sheet: Worksheet, rng: random.Random = rng, said: Callable[[], str] = said) -> None:
            row = 1
            for _ in range(rng.randint(1, 4)):
                for _ in range(rng.randint(1, 3)):
                    # longer than any column name, so that no row is taken for one and repeated
                    sheet.cell(row, 1, said() + "长" * 60)
                    if rng.random() < 0.7:
                        sheet.cell(row, rng.randint(2, 5), said() + "长" * 60)
                    row += 1
                row += rng.randint(1, 3)

        (document,) = load("a.xlsx", book(一=fill, 二=fill))
        checked(document)
        place, squeezed = 0, "".join(document.text.split())
        for line in visible_lines("\n".join(words)):
            place = squeezed.index("".join(line.split()), place) + len("".join(line.split()))
        assert all(document.text.count(f"〔{number}〕") == 1 for number in range(len(words)))


def test_times_and_days_of_the_week_in_chinese_formats() -> None:
    def fill(sheet: Worksheet) -> None:
        sheet.append(["上班", "下班", "星期", "金额"])
        sheet.append([time(9, 0), time(17, 30), 46083, 35000])
        for place, code in zip("ABCD", ('h"时"mm"分"', '上午/下午h"点"', "[$-804]aaaa;@", '0!.0,"万"'), strict=True):
            sheet[f"{place}2"].number_format = code

    (document,) = load("a.xlsx", book(s=fill))
    assert document.text == "s\n\n上班: 9时00分；下班: 下午5点；星期: 星期一；金额: 3.5万"
