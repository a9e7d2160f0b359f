"""The page in Chromium over stand-in models: quick, for how it looks, moves and reads."""

import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from rag.ui.strings import text
from tests.browser import steps
from tests.ui.fakes import page_app, served

pytestmark = pytest.mark.browser
QUESTION = "入职满一年，每年有多少天带薪年假？"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    app, _ = page_app(tmp_path_factory.mktemp("samples"), between=0.03)
    yield served(app)
    app.close()


@pytest.fixture
def slow_url(tmp_path: Path) -> Iterator[str]:
    app, _ = page_app(tmp_path, before=20)
    yield served(app)
    app.close()


@pytest.mark.parametrize(
    ("phone", "dark"), [(False, False), (False, True), (True, False)], ids=["desktop", "desktop-dark", "phone"]
)
def test_every_tab_fits_the_screen(url: str, visit: Callable[..., Any], phone: bool, dark: bool) -> None:
    page = visit(url, phone=phone, dark=dark)
    steps.ask(page, QUESTION)
    steps.finished(page)
    for tab in steps.TABS:
        steps.open_tab(page, tab)
        page.wait_for_timeout(300)
        assert steps.fits_its_width(page), tab
        assert steps.pale(page, least=22) and steps.pale(page) == [], tab  # 21 is the most there is
    page.click("#settings button")
    assert steps.fits_its_width(page)


@pytest.fixture
def held(tmp_path: Path) -> Iterator[tuple[str, threading.Event]]:
    """A page whose answers wait before their last character until the event is set."""
    more = threading.Event()
    app, _ = page_app(tmp_path, more=more)
    yield served(app), more
    more.set()
    app.close()


def test_answer_with_all_kinds_of_marks(held: tuple[str, threading.Event], visit: Callable[..., Any]) -> None:
    url, more = held
    page = visit(url)
    steps.ask(page, QUESTION)
    steps.first_token(page)
    assert steps.tab_in_front(page) == "answer"
    # mid-stream: the first citation is there before the answer has ended
    cite = page.locator("#answer button.cite.model").first
    cite.focus()
    page.keyboard.press("Enter")
    page.locator("#source .doc mark.hit").first.wait_for()
    assert page.locator("#answer-status .busy").count() == 1
    more.set()
    steps.finished(page)
    assert page.evaluate("document.activeElement.className").startswith("cite")  # the focus survived the stream
    assert page.locator("#answer .invalid").inner_text().startswith("[S9]")
    assert page.locator("#answer button", has_text="S9").count() == 0
    assert page.locator("#answer .mark.none").count() >= 1
    assert page.locator("#steps tbody tr").count() >= 5
    box, mark = page.locator("#source .doc").bounding_box(), page.locator("#source mark.hit").first.bounding_box()
    assert box["y"] <= mark["y"] <= box["y"] + box["height"]


def test_candidates_and_prompt_are_filled_in_tabs_that_were_never_open(url: str, visit: Callable[..., Any]) -> None:
    page = visit(url)
    steps.ask(page, QUESTION)
    steps.finished(page)
    steps.open_tab(page, "candidates")
    page.locator("#cand-table [data-testid='cell-0-0']").wait_for()
    assert "名次" in page.locator("#cand-table").inner_text()
    page.locator("#cand-table [data-testid='cell-1-8']").click()
    page.locator("#cand-view .why", has_text="第 2 名").wait_for()
    page.locator("#cand-view mark.chunk").first.wait_for()
    steps.open_tab(page, "prompt")
    page.locator("#prompt-text", has_text="<|im_start|>").wait_for()
    used, most = (int(page.locator("[role=meter]").get_attribute(f"aria-value{x}")) for x in ("now", "max"))
    assert 0 < used <= most == 1888


def test_a_row_after_sorting_is_the_row_that_was_clicked(url: str, visit: Callable[..., Any]) -> None:
    page = visit(url)
    steps.open_tab(page, "candidates")
    steps.retrieve(page, QUESTION)
    head = page.locator("#cand-table th").first
    head.hover()
    head.locator("button").last.click()
    page.get_by_text(re.compile("降序|descending|Sort descending", re.I)).first.click()
    page.wait_for_timeout(300)
    first = page.locator("#cand-table .virtual-row").first
    rank = first.inner_text().split("\n")[0].strip()
    assert rank != "1"
    first.locator("[data-col='8']").click()
    page.locator("#cand-view .why", has_text=f"第 {rank} 名").wait_for()


def test_the_address_fills_the_question_and_the_tab(url: str, visit: Callable[..., Any]) -> None:
    page = visit(url + "/?q=%E5%B9%B4%E5%81%87%3Cb%3E%3F&tab=chunks", locale="zh-TW")
    assert page.locator("#question textarea, #question input").input_value() == "年假<b>?"
    assert steps.tab_in_front(page) == "chunks"
    assert page.locator("#ask").inner_text() == "回答"  # Taiwan reads Chinese


def test_english_page(url: str, visit: Callable[..., Any]) -> None:
    page = visit(url, locale="en-US")
    assert page.locator("#ask").inner_text() == "Answer"
    seen = page.locator("body").inner_text()
    assert not re.findall(r"(?:检索|文档|回答|设置|状态)", seen.replace("请年假", "")), seen
    steps.ask(page, "annual leave 15")
    steps.finished(page)
    assert "Done" in page.locator("#answer-status").inner_text()


def test_a_chosen_example_is_asked(url: str, visit: Callable[..., Any]) -> None:
    page = visit(url)
    page.locator(".chip").first.click()
    steps.finished(page)
    assert page.locator("#question textarea, #question input").input_value() == QUESTION


def test_more_examples_are_one_press_away(url: str, visit: Callable[..., Any]) -> None:
    page = visit(url, locale="en-US")
    chips, toggle = page.locator(".chip:not(.toggle)"), page.locator(".chip.toggle")
    assert chips.count() == 8 and chips.first.inner_text().startswith("How many days")
    toggle.focus()
    page.keyboard.press("Enter")
    assert chips.count() == 20 and toggle.get_attribute("aria-expanded") == "true"
    assert page.evaluate("document.activeElement.className").endswith("toggle")
    wanted = chips.nth(15).inner_text()
    chips.nth(15).click()
    steps.finished(page)
    assert page.locator("#question textarea, #question input").input_value() == wanted


def test_on_a_phone_the_source_of_a_pressed_citation_is_in_sight(url: str, visit: Callable[..., Any]) -> None:
    page = visit(url, phone=True)
    steps.ask(page, QUESTION)
    steps.finished(page)
    page.locator("#answer button.cite").first.click()
    page.locator("#source .doc mark.hit").first.wait_for()
    page.wait_for_timeout(500)
    top, bottom, height = page.evaluate(
        "(() => { const r = document.querySelector('#source mark.hit').getBoundingClientRect();"
        " return [r.top, r.bottom, window.innerHeight] })()"
    )
    assert 0 <= top and bottom <= height


def test_stop_after_an_answer_changes_nothing(url: str, visit: Callable[..., Any]) -> None:
    page = visit(url)
    steps.ask(page, QUESTION)
    steps.finished(page)
    before = page.locator("#answer-status").inner_text()
    page.click("#stop")
    page.wait_for_timeout(700)
    assert page.locator("#answer-status").inner_text() == before
    assert page.locator("[data-testid=toast-body]").count() == 0


def test_an_empty_question_is_told_and_nothing_is_lost(url: str, visit: Callable[..., Any]) -> None:
    page = visit(url)
    steps.ask(page, "")
    page.locator("[data-testid=toast-body]", has_text="请输入问题").wait_for()
    assert heading(page) == text("error.title", "zh")
    page.locator("#answer-status .error", has_text="请输入问题").wait_for()
    steps.ask(page, QUESTION)
    steps.finished(page)


def heading(page: Any) -> str:
    """The heading of a message, as it is painted."""
    title = page.locator(".toast-title.error").first
    assert title.evaluate("e => getComputedStyle(e).fontSize") == "0px"  # Gradio's own, which is always English
    return str(title.evaluate("e => getComputedStyle(e, '::after').content")).strip('"')


def test_the_heading_of_a_message_is_in_english_on_an_english_page(url: str, visit: Callable[..., Any]) -> None:
    page = visit(url, locale="en-US")
    steps.ask(page, "")
    page.locator("[data-testid=toast-body]", has_text="Please enter a question").wait_for()
    assert heading(page) == text("error.title", "en")


def test_a_wrong_setting_is_told_under_the_settings(url: str, visit: Callable[..., Any]) -> None:
    page = visit(url)
    page.click("#settings button")
    page.locator("#set-overlap input").fill("4000")
    page.locator("#set-overlap input").blur()
    page.locator("#settings-note .error", has_text="overlap").wait_for()
    page.locator("#set-overlap input").fill("10")
    page.locator("#set-overlap input").blur()
    page.locator("#settings-note .warning", has_text="重新建立索引").wait_for()


def test_a_new_question_ends_the_last_answer(slow_url: str, visit: Callable[..., Any]) -> None:
    page = visit(slow_url)
    steps.ask(page, "第一个问题")
    page.locator("#answer-status .busy", has_text="正在读提示词").wait_for()
    page.wait_for_timeout(1000)
    before = page.locator("#answer-status").inner_text().split("token")[0]
    page.locator(".chip").first.click()  # another way to ask, so not held back as a double click
    # the longer question makes a longer prompt, and that one is read within seconds, not after the first one's twenty
    page.wait_for_function(
        "before => { const now = document.querySelector('#answer-status').innerText;"
        " return now.includes('正在读提示词') && !now.startsWith(before) }",
        arg=before,
        timeout=8000,
    )
    assert page.locator("#answer-status .stopped").count() == 0


def test_stop_while_the_prompt_is_read(slow_url: str, visit: Callable[..., Any]) -> None:
    page = visit(slow_url)
    steps.ask(page, QUESTION)
    page.locator("#answer-status .busy", has_text="正在读提示词").wait_for()
    page.wait_for_timeout(500)
    assert steps.stop(page) <= 0.5


@pytest.mark.parametrize("locale", ["zh-CN", "en-US"])
@pytest.mark.parametrize("width", [393, 700, 1280])
def test_the_label_of_the_upload_box_leaves_its_icon_free(
    url: str, visit: Callable[..., Any], locale: str, width: int
) -> None:
    page = visit(url, locale=locale)
    page.set_viewport_size({"width": width, "height": 900})
    label, label_end, icon = page.evaluate(  # at one moment: the page may still be moving
        "(() => { const at = css => document.querySelector('#upload ' + css).getBoundingClientRect();"
        " return [at('label').top, at('label').bottom, at('button svg').top] })()"
    )
    assert label_end <= icon and label_end - label < 40  # one line


def test_remove_the_last_own_file(url: str, visit: Callable[..., Any], hostile_file: Path) -> None:
    page = visit(url)
    steps.upload(page, hostile_file)
    assert "只检索您上传的文件" in page.locator("#searching").inner_text()
    steps.remove(page)
    page.locator("#docs-progress", has_text="重新检索示例制度").wait_for()
    assert "示例制度" in page.locator("#searching").inner_text()


def test_a_vanished_upload_is_told(url: str, visit: Callable[..., Any], tmp_path: Path) -> None:
    page = visit(url)
    path = tmp_path / "制度.txt"
    path.write_text("每年3天。")
    # the janitor, or a full disk: the file goes between the upload and its reading

    def lose(route: Any) -> None:
        answer = route.fetch()
        for lost in answer.json():
            Path(lost).unlink()
        route.fulfill(response=answer)

    page.route(re.compile(r"/gradio_api/upload(\?|$)"), lose)
    page.locator("#upload input[type=file]").set_input_files(path)
    page.locator("[data-testid=toast-body]", has_text="重新选择文件").wait_for()


def test_a_press_while_the_last_search_is_on_its_way_is_not_lost(url: str, visit: Callable[..., Any]) -> None:
    page = visit(url)
    steps.open_tab(page, "candidates")
    for n in range(4):  # within the questions of a minute
        for question in (f"第{n}年的年假", f"第{n}年的设备报销"):
            steps.fill_question(page, question)
            page.evaluate("document.querySelector('#retrieve').click()")
        page.locator("#cand-summary", has_text=f"第{n}年的设备报销").wait_for()
