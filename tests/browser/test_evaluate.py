"""The Evaluate tab in Chromium over stand-in models: a set from file to report, its mistakes, and how it fits."""

import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser import steps
from tests.ui.evaluate_kit import GOOD, PAID, ROWS, jsonl
from tests.ui.fakes import page_app, served

pytestmark = pytest.mark.browser
HOSTILE = "${Object.assign(window,{pwn:1})}<img src=x onerror=window.pwn=2>{{value}}"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    app, _ = page_app(tmp_path_factory.mktemp("samples"))
    yield served(app)
    app.close()


@pytest.fixture
def bring(tmp_path: Path) -> Callable[..., None]:
    """``bring(page, *rows)``: open the tab and upload a set."""

    def brought(page: Any, *rows: dict[str, Any]) -> None:
        path = tmp_path / "set.jsonl"
        path.write_bytes(jsonl(*rows))
        steps.open_tab(page, "evaluate")
        page.locator("#eval-set p").first.wait_for()  # what the tab opens with must not come after what is uploaded
        with page.expect_file_chooser() as chooser:
            page.click("#eval-upload")
        chooser.value.set_files(path)
        page.locator("#eval-set", has_text=f"{len(rows)}").locator("text=set.jsonl").wait_for()

    return brought


def run(page: Any, what: int = 0) -> None:
    page.locator("#eval-what label").nth(what).click()
    page.click("#eval-run")
    page.locator("#eval-outcomes [data-testid='cell-0-0']").wait_for()


def test_from_a_set_to_a_failed_question_on_every_tab(url: str, visit: Callable[..., Any], bring: Any) -> None:
    page = visit(url)
    bring(page, *ROWS)
    run(page, what=1)
    assert "4 题" in page.locator("#eval-progress").inner_text()
    assert page.locator("#eval-figures svg").count() >= 2
    page.locator("#eval-failed input").click()
    page.locator("#eval-count", has_text="失败").wait_for()
    # the table draws its rows anew a moment later: a press before that is one on the row that stood there
    page.wait_for_function("document.querySelectorAll('#eval-outcomes .virtual-row').length < 4")
    page.wait_for_timeout(300)
    page.locator("#eval-outcomes .virtual-row", has_text=PAID["question"]).locator("[data-col='3']").click()
    page.locator("#eval-diagnosis .warning", has_text="失败环节").wait_for()
    assert page.locator("#question textarea, #question input").input_value() == PAID["question"]
    steps.open_tab(page, "chunks")  # never opened before
    box = page.locator("#chunk-view .doc").bounding_box()
    mark = page.locator("#chunk-view mark.hit").first.bounding_box()
    assert box["y"] <= mark["y"] <= box["y"] + box["height"]
    assert "设备报销制度" in page.locator("#chunk-document input").input_value()
    steps.open_tab(page, "candidates")
    page.locator("#cand-table [data-testid='cell-0-0']").wait_for()
    assert PAID["question"] in page.locator("#cand-summary").inner_text()
    steps.open_tab(page, "prompt")
    page.locator("#prompt-text", has_text=PAID["question"]).wait_for()
    steps.open_tab(page, "answer")
    page.locator("#answer button.cite").first.click()
    page.locator("#source .doc mark.hit").first.wait_for()


def test_a_question_opens_from_the_keyboard(url: str, visit: Callable[..., Any], bring: Any) -> None:
    page = visit(url)
    bring(page, GOOD, PAID)
    run(page)
    page.locator("#eval-pick input").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.locator("#eval-diagnosis", has_text="没有失败之处").wait_for()


def test_variants_a_threshold_and_reports(url: str, visit: Callable[..., Any], bring: Any) -> None:
    page = visit(url)
    bring(page, *ROWS)
    page.click("#eval-compare button")
    page.locator("#eval-first input").click()
    page.get_by_role("option", name="search.packed").click()
    page.locator("#eval-first-values textarea, #eval-first-values input").fill("1，3")
    run(page)
    assert page.locator("#eval-compared tbody tr").count() == 4  # two variants, evidence and nDCG
    page.locator("#eval-which input").click()
    page.get_by_role("option").nth(2).click()
    page.wait_for_timeout(1500)
    page.click("#eval-use")
    page.locator("#eval-used .notice").wait_for()
    page.locator("#eval-threshold input[type=range]").focus()
    before = page.locator("#eval-cut-view").inner_text()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("was => document.querySelector('#eval-cut-view').innerText !== was", arg=before)
    page.click("#eval-use-cut")
    said = page.locator("#eval-cut-note .notice").inner_text()
    page.click("#settings button")
    assert page.locator("#set-packed input").input_value() == "3"
    assert page.locator("#set-threshold textarea, #set-threshold input").input_value() in said
    for button, look in (("#eval-report-json", json.loads), ("#eval-report-html", lambda text: text.index("<html"))):
        for _ in range(2):  # a second press saves it again
            with page.expect_download() as download:
                page.click(button)
            look(download.value.path().read_text("utf-8"))


def test_the_table_is_edited_applied_and_saved(url: str, visit: Callable[..., Any], bring: Any) -> None:
    page = visit(url)
    bring(page, GOOD, PAID)
    page.locator("#eval-edit button").first.click()
    editor = page.locator("#eval-table textarea:focus, #eval-table input:focus")
    cell = page.locator("#eval-table [data-testid='cell-0-4']")
    cell.dblclick()
    editor.wait_for()
    page.keyboard.press("End")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("每年")
    page.keyboard.press("Enter")
    page.click("#eval-apply")
    page.locator("#eval-edit-note .info").wait_for()
    cell = page.locator("#eval-table [data-testid='cell-1-7']")
    cell.scroll_into_view_if_needed()
    cell.dblclick()
    editor.wait_for()  # what is typed before it is there is lost
    page.keyboard.type("someday")
    page.keyboard.press("Enter")
    page.click("#eval-apply")
    page.locator("#eval-edit-note .error", has_text="as_of").wait_for()
    assert "someday" in cell.inner_text()  # to be mended, not typed again
    with page.expect_download() as download:
        page.click("#eval-jsonl")
    rows = [json.loads(line) for line in download.value.path().read_text("utf-8").splitlines()]
    assert rows == [GOOD | {"points": ["15天", "每年"]}, PAID]


def test_stop_and_what_was_done_by_then(tmp_path: Path, visit: Callable[..., Any], bring: Any) -> None:
    app, _ = page_app(tmp_path, before=0.5)
    try:
        page = visit(served(app))
        bring(page, *(GOOD | {"id": str(n)} for n in range(30)))
        page.locator("#eval-what label").nth(1).click()
        page.click("#eval-run")
        page.locator("#eval-progress", has_text=re.compile("已完成 [2-9] / 30 题")).wait_for()
        page.locator("#eval-figures table").wait_for()  # partial results
        page.click("#eval-stop")
        page.locator("#eval-progress .warning", has_text="停止").wait_for(timeout=3000)
        page.locator("#eval-outcomes [data-testid='cell-0-0']").wait_for()
        # pressed again while it runs, it begins anew
        page.click("#eval-run")
        page.locator("#eval-progress", has_text=re.compile("已完成 [2-9] / 30 题")).wait_for()
        page.locator("#eval-what label").nth(0).click()
        page.click("#eval-run")
        page.locator("#eval-progress .info", has_text="30 题").wait_for(timeout=5000)
        page.wait_for_timeout(1500)
        assert page.locator("#eval-progress .info", has_text="30 题").count() == 1
    finally:
        app.close()


def test_an_answer_that_still_streams_does_not_write_over_an_opened_question(
    tmp_path: Path, visit: Callable[..., Any], bring: Any
) -> None:
    app, models = page_app(tmp_path, before=3)
    generator = models.generator()
    prompt_stream = generator.stream

    def late(*given: Any) -> Iterator[Any]:
        for generated in prompt_stream(*given):
            if given[2].is_set():
                time.sleep(1)  # its end comes when the question has long been opened
            yield generated

    generator.stream = late  # type: ignore[method-assign]
    try:
        page = visit(served(app))
        bring(page, GOOD, PAID)
        run(page)
        steps.ask(page, "年假几天？")
        page.locator("#answer-status .busy", has_text="正在读提示词").wait_for()
        steps.open_tab(page, "evaluate")
        page.locator("#eval-outcomes [data-testid='cell-1-3']").click()
        page.locator("#eval-diagnosis .facts").wait_for()
        page.wait_for_timeout(2500)
        steps.open_tab(page, "answer")
        assert "评测中的一题" in page.locator("#answer-status").inner_text()
    finally:
        app.close()


def test_hostile_questions_are_text(url: str, visit: Callable[..., Any], bring: Any) -> None:
    page = visit(url)
    label = {"document": HOSTILE, "quote": HOSTILE}
    bring(
        page,
        GOOD | {"id": HOSTILE, "question": HOSTILE, "category": HOSTILE, "points": [HOSTILE], "relevant": [label]},
        GOOD,
    )
    page.locator("#eval-edit button").first.click()
    page.locator("#eval-table [data-testid='cell-0-1']").wait_for()
    run(page, what=2)
    page.locator("#eval-outcomes [data-testid='cell-0-3']").click()
    page.locator("#eval-diagnosis .facts", has_text="<img src=x").wait_for()
    page.locator("#eval-pick input").click()
    for tab in steps.TABS:
        steps.open_tab(page, tab)
        page.wait_for_timeout(200)
    # `visit` looks at window.pwn at the end


@pytest.mark.parametrize(
    ("phone", "dark", "width"),
    [(False, False, 1280), (False, True, 1280), (True, False, None), (False, False, 640)],
    ids=["desktop", "dark", "phone", "zoom-200"],
)
def test_results_fit_the_screen_and_can_be_read(
    url: str, visit: Callable[..., Any], bring: Any, phone: bool, dark: bool, width: int | None
) -> None:
    page = visit(url, phone=phone, dark=dark)
    if width:
        page.set_viewport_size({"width": width, "height": 800})
    bring(page, *ROWS)
    page.locator("#eval-edit button").first.click()
    page.click("#eval-compare button")
    page.locator("#eval-first input").click()
    page.get_by_role("option", name="search.packed").click()
    page.locator("#eval-first-values textarea, #eval-first-values input").fill("1")
    run(page, what=2)
    page.locator("#eval-outcomes [data-testid='cell-1-3']").click()
    page.locator("#eval-diagnosis .facts").wait_for()
    page.wait_for_timeout(300)
    assert steps.fits_its_width(page)
    assert steps.pale(page) == []


def test_english(url: str, visit: Callable[..., Any]) -> None:
    page = visit(url, locale="en-US")
    steps.open_tab(page, "evaluate")
    page.locator("#eval-set", has_text="Sample questions").wait_for()
    seen = page.locator("#tabs .tabitem >> visible=true").last.inner_text()
    assert not re.findall(r"[\u4e00-\u9fff]", re.sub(r"e\.g\. \S+", "", seen)), seen
