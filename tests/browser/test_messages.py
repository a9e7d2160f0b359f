"""What the page says when something cannot be done, and that light work waits for nobody, in Chromium over stand-ins."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from rag.ui.app import App
from tests.browser import steps
from tests.ui.fakes import QUESTION, page_app, served

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def more() -> threading.Event:
    """Answers end before their last character until it is set."""
    return threading.Event()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, more: threading.Event) -> Iterator[tuple[App, str]]:
    app, _ = page_app(tmp_path_factory.mktemp("samples"), more=more)
    yield app, served(app)
    more.set()
    app.close()


def toast(page: Any) -> Any:
    return page.locator("[data-testid=toast-body]")


@pytest.mark.parametrize(("locale", "said"), [("zh-CN", "没有这个切块，本文档共"), ("en-US", "There is no such chunk")])
def test_an_error_of_light_work_is_said_on_the_page(
    site: tuple[App, str], visit: Callable[..., Any], locale: str, said: str
) -> None:
    page = visit(site[1], locale=locale)
    steps.open_tab(page, "chunks")
    page.locator("#chunk-view mark").first.wait_for()
    page.locator("#chunk-pick input").fill("99")
    toast(page).filter(has_text=said).wait_for()


def test_a_bug_is_said_on_the_page_without_its_words(
    site: tuple[App, str], visit: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: Any) -> None:
        raise KeyError("蓝鲸")

    page = visit(site[1])
    steps.open_tab(page, "chunks")
    page.locator("#chunk-view mark").first.wait_for()
    monkeypatch.setattr("rag.ui.chunks.show_one", broken)
    page.locator("#chunk-pick input").fill("1")
    toast(page).filter(has_text="这里出了问题").wait_for()
    assert "KeyError" in caplog.text and "蓝鲸" not in caplog.text


def test_a_page_that_opens_has_nothing_to_complain_of(site: tuple[App, str], visit: Callable[..., Any]) -> None:
    page = visit(site[1])
    answers: list[Any] = []
    page.on("response", lambda answer: answers.append(answer))
    page.reload()
    page.locator("#docs-table table").wait_for()
    for name in steps.TABS:
        steps.open_tab(page, name)
    page.wait_for_timeout(1500)
    assert [r.url for r in answers if r.status >= 400] == [] and toast(page).count() == 0


def complete(page: Any, question: str) -> None:
    """Candidates and Prompt, opened one after the other, show all of what `question` found."""
    steps.open_tab(page, "candidates")
    page.locator("#cand-summary", has_text=question).wait_for()
    page.locator("#cand-table [data-testid='cell-1-8']").wait_for()
    page.locator("#cand-view mark.chunk").first.wait_for()
    steps.open_tab(page, "prompt")
    page.locator("#prompt-text", has_text=question).wait_for()
    page.locator("#prompt-messages", has_text=question).wait_for()


def test_tables_are_complete_whether_opened_before_while_or_after_an_answer(
    site: tuple[App, str], more: threading.Event, visit: Callable[..., Any]
) -> None:
    """Nor do they empty when the answer goes on: Gradio does that to what an earlier yield of one event gave closed tabs."""
    page = visit(site[1])
    asked = ["年假有多少天？", "设备报销的上限？", "设备报销每年多少？", "年假怎样规定？"]
    for n, question in enumerate(asked):
        more.clear()
        steps.ask(page, question)
        if n == 2:
            steps.open_tab(page, "candidates")  # perhaps before anything was found
        else:
            steps.first_token(page)
        if n:
            complete(page, question)
        more.set()
        steps.open_tab(page, "answer")
        steps.finished(page)
        complete(page, question)
    more.clear()
    steps.ask(page, "年假最多几天？")
    steps.first_token(page)
    assert steps.stop(page) < 5
    complete(page, "年假最多几天？")


def test_a_candidate_is_opened_while_an_answer_is_written(
    site: tuple[App, str], visit: Callable[..., Any], more: threading.Event
) -> None:
    other = visit(site[1])
    steps.ask(other, QUESTION)
    steps.first_token(other)  # takes the only place for answers
    page = visit(site[1])
    steps.open_tab(page, "candidates")
    steps.retrieve(page, QUESTION)
    steps.ask(page, QUESTION)
    page.locator("#answer-status", has_text="等待").wait_for()
    steps.open_tab(page, "candidates")
    page.locator("#cand-table [data-testid='cell-1-8']").click()
    page.locator("#cand-view .doc", has_text="设备").wait_for(timeout=5000)
    steps.open_tab(page, "answer")
    assert "等待" in page.locator("#answer-status").inner_text()
    more.set()
    steps.finished(page)
