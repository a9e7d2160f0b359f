"""The Chunks tab in Chromium over stand-in models: a small document and one of 3,000 chunks."""

import csv
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser import steps
from tests.ui.fakes import page_app, served

pytestmark = pytest.mark.browser
PATIENCE_MS = 120_000


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    app, _ = page_app(tmp_path_factory.mktemp("samples"))
    yield served(app)
    app.close()


def handbook(folder: Path, clauses: int) -> Path:
    """A handbook whose clauses become a chunk each, five to a section."""
    path = folder / "员工手册.md"
    parts = ["# 员工手册"]
    for i in range(1, clauses + 1):
        if i % 5 == 1:
            parts.append(f"## 第{i // 5 + 1}章 规定{i // 5 + 1}")
        parts.append(
            f"第{i}条 编号{i * 7919}的事项由{i * 104729}号部门办理，须提前{i % 9 + 1}天提交申请。"
            + f"另见{i * 31}号细则。" * 12
        )
    path.write_text("\n\n".join(parts), encoding="utf-8")
    return path


@pytest.fixture
def opened(url: str, visit: Callable[..., Any], tmp_path: Path) -> Callable[..., Any]:
    def open_handbook(clauses: int, **how: Any) -> Any:
        page = visit(url, **how)
        page.set_default_timeout(PATIENCE_MS)
        steps.upload(page, handbook(tmp_path, clauses))
        steps.open_tab(page, "chunks")
        return page

    return open_handbook


def typed(page: Any, field: str, said: str) -> None:
    page.locator(f"#{field} input, #{field} textarea").first.fill(said)


def framed(page: Any) -> str:
    return "".join(page.locator("#chunk-view mark.hit").all_inner_texts())


def in_sight(page: Any, mark: str) -> bool:
    """Whether the first such mark is in its box's visible part."""
    box, found = (
        page.locator("#chunk-view .doc").bounding_box(),
        page.locator(f"#chunk-view {mark}").first.bounding_box(),
    )
    return bool(box["y"] <= found["y"] <= box["y"] + box["height"])


def test_a_small_document_from_click_to_apply(url: str, visit: Callable[..., Any], hostile_file: Path) -> None:
    page = visit(url)
    page.set_default_timeout(PATIENCE_MS)
    steps.upload(page, hostile_file)
    steps.open_tab(page, "chunks")
    page.locator("#chunk-summary .histogram").wait_for()
    page.locator("#chunk-table [data-testid='cell-1-2']").click()
    page.locator("#chunk-view mark.hit").first.wait_for()
    page.locator("#chunk-detail code").first.wait_for()
    assert page.locator("#chunk-pick input").input_value() == "2"
    assert "<script>window.pwn=5</script>" in page.locator("#chunk-view .doc").inner_text()
    typed(page, "chunk-search", "<script>")
    page.locator("#chunk-found", has_text="1").wait_for()
    page.wait_for_function("document.querySelector('#chunk-view mark.hit')?.innerText === '<script>'")
    before = page.locator("#chunk-summary").inner_text()
    page.locator("#try-split button").first.click()
    typed(page, "try-size", "60")
    page.locator("#try-size input[type=number]").press("Enter")
    page.locator("#split-compared section").nth(1).wait_for()
    assert page.locator("#chunk-summary").inner_text() == before  # nothing is rebuilt yet
    now, tried = page.locator("#split-compared section").all()
    box, other = now.bounding_box(), tried.bounding_box()
    assert abs(box["y"] - other["y"]) < 2 and box["x"] + box["width"] <= other["x"]  # side by side
    page.click("#apply-split")
    page.locator("#chunk-progress .notice", has_text="已重建").wait_for()
    assert page.locator("#chunk-summary").inner_text() != before
    page.click("#settings button")
    assert page.locator("#set-size input").input_value() == "60"


def test_three_thousand_chunks_are_searched_jumped_to_and_turned(opened: Callable[..., Any]) -> None:
    page = opened(3000)
    page.locator("#chunk-summary", has_text=re.compile(r"[3-9],\d{3} 个切块")).wait_for()
    assert len(page.locator("#chunk-view .doc").inner_text()) <= 30_000  # never the whole text at once
    assert page.locator("#chunk-table .virtual-row").count() < 100
    typed(page, "chunk-search", "第2718条")
    page.wait_for_function("document.querySelector('#chunk-view mark.hit')?.innerText === '第2718条'")
    assert in_sight(page, "mark.hit")
    typed(page, "chunk-search", "编号")
    page.locator("#chunk-found", has_text="第 1 处，共 3,000 处").wait_for()
    page.click("#chunk-before")
    page.locator("#chunk-found", has_text="第 3,000 处").wait_for()
    page.locator("#chunk-search input").press("Enter")  # the one after the last is the first
    page.locator("#chunk-found", has_text="第 1 处").wait_for()
    typed(page, "chunk-search", "")
    page.wait_for_function("!document.querySelector('#chunk-found p')")
    typed(page, "chunk-pick", "1500")
    page.locator("#chunk-detail code").first.wait_for()
    start, end = (int(x) for x in re.findall(r":(\d+)-(\d+)", page.locator("#chunk-detail code").first.inner_text())[0])
    assert len(framed(page)) == end - start and in_sight(page, "mark.hit")
    page.locator("#chunk-section input").click()
    page.keyboard.type("321")  # the list is filtered by what is typed
    page.get_by_role("option", name="规定321").first.click()
    page.wait_for_function("document.querySelector('#chunk-view mark.hit')?.innerText.includes('规定321')")
    part = page.locator("#chunk-view .parts").inner_text()
    page.locator("#chunk-view button.turn").last.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("before => document.querySelector('#chunk-view .parts').innerText !== before", arg=part)
    assert page.evaluate("document.activeElement.className") == "doc"  # the keyboard stays in the text


def test_the_rows_of_a_long_document_come_in_parts(opened: Callable[..., Any]) -> None:
    page = opened(1100)
    page.locator("#chunk-rows input").click()
    page.get_by_role("option").nth(2).click()
    page.locator("#chunk-table .virtual-row", has_text="1001").first.wait_for()
    row = page.locator("#chunk-table [data-testid='cell-3-0']")
    number = row.inner_text().strip()
    row.click()
    page.wait_for_function("n => document.querySelector('#chunk-pick input').value === n", arg=number)
    assert number == "1004" and in_sight(page, "mark.hit")


def test_chunks_are_saved_by_the_browser(opened: Callable[..., Any], tmp_path: Path) -> None:
    page = opened(12)
    for kind in ("json", "csv"):
        with page.expect_download() as saving:
            page.click(f"#chunk-{kind}")
        saving.value.save_as(tmp_path / f"saved.{kind}")
        assert saving.value.suggested_filename.endswith(f".{kind}")
    found = json.loads((tmp_path / "saved.json").read_text("utf-8"))["chunks"]
    with (tmp_path / "saved.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    assert [row[1] for row in rows[1:]] == [chunk["chunk_id"] for chunk in found] and len(found) >= 12
    assert all(chunk["text"] == row[-1] for chunk, row in zip(found, rows[1:], strict=True))


def test_a_chunk_opens_from_the_keyboard(url: str, visit: Callable[..., Any]) -> None:
    page = visit(url)
    steps.open_tab(page, "chunks")
    assert page.locator("#chunk-view mark.hit").count() == 0
    page.locator("#chunk-pick input").focus()
    page.keyboard.press("1")
    page.locator("#chunk-view mark.hit").first.wait_for()


@pytest.mark.parametrize(("phone", "dark"), [(True, False), (False, True)], ids=["phone", "dark"])
def test_everything_the_tab_can_show_fits_and_can_be_read(opened: Callable[..., Any], phone: bool, dark: bool) -> None:
    page = opened(200, phone=phone, dark=dark, locale="en-US")
    typed(page, "chunk-search", "提前3天")
    page.locator("#chunk-found", has_text="Match 1").wait_for()
    typed(page, "chunk-pick", "7")
    page.locator("#chunk-detail code").first.wait_for()
    page.locator("#try-split button").first.click()
    typed(page, "try-size", "60")
    page.locator("#try-size input[type=number]").press("Enter")
    page.locator("#split-compared section").nth(1).wait_for()
    page.wait_for_timeout(300)
    assert steps.fits_its_width(page) and steps.pale(page) == []


def test_the_chosen_place_is_yellow_a_match_is_underlined_and_the_text_of_a_row_is_in_sight(
    opened: Callable[..., Any],
) -> None:
    page = opened(12)
    page.locator("#chunk-pick input").fill("2")
    page.locator("#chunk-view mark.hit").first.wait_for()
    look = "e => { const s = getComputedStyle(e); return [s.backgroundColor, s.boxShadow, s.textDecorationLine]; }"
    back, shadow, line = page.locator("#chunk-view mark.hit").first.evaluate(look)
    assert (back, shadow, line) == ("rgb(253, 230, 138)", "none", "none")
    typed(page, "chunk-search", "部门")
    page.locator("#chunk-view mark.word").first.wait_for()
    marks = page.locator("#chunk-view mark.word").evaluate_all(f"marks => marks.map({look})")
    assert {line for _, _, line in marks} == {"underline"} and {shadow for _, shadow, _ in marks} == {"none"}
    assert "黄色：所选位置 · 下划线：搜索的词" in page.locator("#tabs").inner_text()
    cell = page.locator("#chunk-table [data-testid='cell-1-1']").first
    box, table = cell.bounding_box(), page.locator("#chunk-table").bounding_box()
    assert "编号" in cell.inner_text() and box["x"] + 200 <= table["x"] + table["width"] <= 1280


def test_enter_after_pasted_words_stays_at_the_first_match_and_another_document_empties_the_boxes(
    opened: Callable[..., Any],
) -> None:
    page = opened(12)
    box = page.locator("#chunk-search input")
    for wait_ms in (0, 1500):  # before and after the page has searched by itself
        typed(page, "chunk-search", "")
        page.wait_for_function("!document.querySelector('#chunk-found p')")
        typed(page, "chunk-search", "编号")
        page.wait_for_timeout(wait_ms)
        box.press("Enter")
        page.wait_for_timeout(1500)
        assert "第 1 处，共 12 处" in page.locator("#chunk-found").inner_text()
        box.press("Enter")
        page.locator("#chunk-found", has_text="第 2 处").wait_for()
    page.locator("#chunk-table [data-testid='cell-1-2']").click()
    page.wait_for_function("document.querySelector('#chunk-pick input').value === '2'")
    page.locator("#chunk-document input").click()
    page.get_by_role("option").last.click()
    page.wait_for_function("document.querySelector('#chunk-pick input').value === ''")
    assert box.input_value() == page.locator("#chunk-match input").input_value() == ""
