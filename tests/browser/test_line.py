"""One answer at a time, in Chromium over stand-in models: who waits reads how many are before, and a closed tab lets the next one in."""

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


@pytest.fixture
def held(tmp_path: Path) -> Iterator[tuple[str, threading.Event]]:
    """A page whose answers wait before their last character until the event is set."""
    more = threading.Event()
    app, _ = page_app(tmp_path, more=more)
    yield served(app), more
    more.set()
    app.close()


def test_who_waits_reads_how_many_are_before_and_a_closed_tab_lets_the_next_one_in(
    held: tuple[str, threading.Event], visit: Callable[..., Any]
) -> None:
    url, more = held
    first, second, third = visit(url, ready_s=60), visit(url, ready_s=60), visit(url, locale="en-US", ready_s=60)
    steps.ask(first, QUESTION)
    steps.first_token(first)
    steps.ask(second, QUESTION)
    second.locator("#answer-status .busy", has_text=text("answer.ahead", "zh", n=1)).wait_for()
    steps.ask(third, QUESTION)
    third.locator("#answer-status .busy", has_text=text("answer.ahead", "en", n=2)).wait_for()
    first.close()
    steps.first_token(second, 15)
    third.locator("#answer-status .busy", has_text=text("answer.ahead", "en", n=1)).wait_for()
    assert steps.stop(third) < 5 and third.locator("#answer").inner_text() == ""
    more.set()
    steps.finished(second)
    shown = second.locator("#steps .times").inner_text()
    assert all(text(f"times.{part}", "zh") in shown for part in ("embed", "search", "prompt", "first", "all"))
