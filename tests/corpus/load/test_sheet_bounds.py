"""Areas of a workbook that its reader would fill with cells are counted before, however they are written."""

import io
import zipfile

import pytest
from openpyxl.comments import Comment
from openpyxl.formatting.rule import FormulaRule
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.hyperlink import Hyperlink
from openpyxl.worksheet.worksheet import Worksheet

from rag.corpus.load import load
from rag.errors import LoadError, UnsafeFile
from tests.corpus.load.files import book, rezipped

SHEET = "xl/worksheets/sheet1.xml"
RELATIONS = "xl/_rels/workbook.xml.rels"
EVERYWHERE = "A1:XFD1048576"
MAIN = 'xmlns{}="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'


def plain() -> bytes:
    return book(s=lambda sheet: sheet.append(["名", "值"]))


def parts(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def behind_the_rows(more: str) -> bytes:
    data = plain()
    return rezipped(data, {SHEET: parts(data)[SHEET].replace(b"</sheetData>", b"</sheetData>" + more.encode())})


@pytest.mark.parametrize(
    "more",
    [
        f'<mergeCells><mergeCell ref="{EVERYWHERE}"/></mergeCells>',
        '<mergeCells><mergeCell ref="A1&#58;XFD1048576"/></mergeCells>',
        '<mergeCells><mergeCell ref="a1:xfd1048576"/></mergeCells>',
        '<mergeCells><mergeCell ref="$A$1:$XFD$1048576"/></mergeCells>',
        f"<mergeCells><mergeCell x='>' ref = '{EVERYWHERE}'/></mergeCells>",
        f'<mergeCells {MAIN.format(":q-1")}><q-1:mergeCell ref="{EVERYWHERE}"/></mergeCells>',
        '<mergeCells><mergeCell ref="A:XFD"/></mergeCells>',
        "<mergeCells>" + '<mergeCell ref="A1:Z1000"/>' * 20 + "</mergeCells>",
        f'<hyperlinks><hyperlink ref="{EVERYWHERE}" location="x"/></hyperlinks>',
        '<hyperlinks><hyperlink ref="A1&#58;XFD1048576" location="x"/></hyperlinks>',
    ],
)
def test_a_huge_area_is_refused_before_it_is_filled(more: str) -> None:
    with pytest.raises(UnsafeFile, match="cells"):
        load("a.xlsx", behind_the_rows(more))


@pytest.mark.parametrize("path", ["xl/other/s.xml", "xl/other/s.bin", "s"])
def test_a_sheet_is_known_by_what_names_it_and_not_by_its_path(path: str) -> None:
    made = parts(behind_the_rows(f'<mergeCells><mergeCell ref="{EVERYWHERE}"/></mergeCells>'))
    made[path] = made.pop(SHEET)
    made[RELATIONS] = made[RELATIONS].replace(b"/" + SHEET.encode(), b"/" + path.encode())
    made["[Content_Types].xml"] = made["[Content_Types].xml"].replace(SHEET.encode(), path.encode())
    assert path.encode() in made[RELATIONS]
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in made.items():
            archive.writestr(name, content)
    with pytest.raises(UnsafeFile, match="cells"):
        load("a.xlsx", stream.getvalue())
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in made.items():
            content = content.replace(EVERYWHERE.encode(), b"A2:B2")
            archive.writestr(name, content.replace(b"<worksheet", b"<!DOCTYPE worksheet><worksheet", 1))
    with pytest.raises(LoadError, match="damaged|declares"):
        load("a.xlsx", stream.getvalue())


def test_a_part_counts_for_every_sheet_that_it_is() -> None:
    data = behind_the_rows('<mergeCells><mergeCell ref="A2:J10000"/></mergeCells>')
    assert load("a.xlsx", data)[0].text == "s\n\n名 | 值"
    workbook = parts(data)["xl/workbook.xml"]
    start = workbook.index(b"<sheet ")
    one = workbook[start : workbook.index(b"/>", start) + 2]
    many = b"".join(one.replace(b'name="s"', b'name="s%d"' % n) for n in range(6))
    with pytest.raises(UnsafeFile, match="cells"):
        load("a.xlsx", rezipped(data, {"xl/workbook.xml": workbook.replace(one, many)}))


def test_a_comment_on_an_area() -> None:
    def fill(sheet: Worksheet) -> None:
        sheet["A1"] = "上限"
        sheet["A1"].comment = Comment("要改", "张")

    data = book(s=fill)
    (member,) = [name for name in parts(data) if "comments" in name and name.endswith(".xml")]
    wide = parts(data)[member].replace(b'ref="A1"', f'ref="{EVERYWHERE}"'.encode())
    with pytest.raises(UnsafeFile, match="cells"):
        load("a.xlsx", rezipped(data, {member: wide}))


def test_areas_that_cost_nothing_are_no_cells() -> None:
    def fill(sheet: Worksheet) -> None:
        sheet.append(["名", "值"])
        sheet.conditional_formatting.add(EVERYWHERE, FormulaRule(formula=["TRUE"]))
        validation = DataValidation(type="list", formula1='"是,否"')
        validation.add("C1:C1048576")
        sheet.add_data_validation(validation)
        sheet.auto_filter.ref = EVERYWHERE
        sheet["A1"].hyperlink = Hyperlink(ref="A1", location="s!B1")

    assert load("a.xlsx", book(s=fill))[0].text == "s\n\n名 | 值"


@pytest.mark.parametrize(
    ("cell", "unsolved"),
    [
        ("<c><f>1+1</f></c>", True),
        ("<c><f>1+1</f><v/></c>", True),
        ("<c><f>1+1</f> <v></v> </c>", True),
        ('<c><f t="shared" si="0"/><v></v></c>', True),
        (f"<q:c {MAIN.format(':q')}><q:f>1+1</q:f></q:c>", True),
        ("<c><f>1+1</f><v>2</v></c>", False),
        ("<c><f>1+1</f>" + " " * 100_000 + "<v>2</v></c>", False),
        ("<c><v>2</v></c>", False),
    ],
)
def test_formulas_without_a_result(cell: str, unsolved: bool) -> None:
    data = plain()
    row = f"<row>{cell}</row></sheetData>".encode()
    (document,) = load("a.xlsx", rezipped(data, {SHEET: parts(data)[SHEET].replace(b"</sheetData>", row)}))
    assert any("1 formulas" in warning.en for warning in document.warnings) == unsolved
