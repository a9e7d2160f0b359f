"""Files on their way in, in Chromium over stand-ins: several uploads after each other, one too large, Stop."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from rag.config import Limits
from tests.ui.fakes import page_app, served

pytestmark = pytest.mark.browser
PATIENCE_MS = 60_000


@pytest.fixture
def held(tmp_path: Path) -> Iterator[tuple[str, threading.Event]]:
    """A page that indexes nothing until the event is set, and takes files of 1,000 bytes."""
    go_on = threading.Event()
    (tmp_path / "samples").mkdir()
    app, models = page_app(tmp_path / "samples", limits=Limits(file_bytes=1000))
    models.encoder().between = lambda: go_on.wait(PATIENCE_MS / 1000)  # type: ignore[attr-defined]
    yield served(app), go_on
    go_on.set()
    app.close()


def choose(page: Any, folder: Path, **files: str) -> None:
    for name, said in files.items():
        (folder / f"{name}.txt").write_text(said, encoding="utf-8")
    page.locator("#upload input[type=file]").set_input_files([folder / f"{name}.txt" for name in files])


def test_what_is_chosen_while_files_are_read_comes_after_them(
    held: tuple[str, threading.Event], visit: Callable[..., Any], tmp_path: Path
) -> None:
    page = visit(held[0])
    page.set_default_timeout(PATIENCE_MS)
    row = page.locator("#docs-table tbody tr")
    assert page.locator("#docs-stop").is_hidden()
    choose(page, tmp_path, 甲="每年3天。", 大="年" * 400)
    page.locator("#docs-progress .progress", has_text="编码").wait_for()  # it says nothing more until the event is set
    assert page.locator("#docs-stop").is_visible()
    choose(page, tmp_path, 乙="每月5天。")
    page.locator("#docs-progress .progress", has_text="等待您的上一项更改完成").wait_for()
    page.wait_for_timeout(1000)
    assert "等待" in page.locator("#docs-progress").inner_text()  # said once, and nothing writes over it meanwhile
    held[1].set()
    row.filter(has_text="乙.txt").wait_for()
    assert row.filter(has_text="甲.txt").count() == 1
    failed = row.filter(has_text="大.txt")
    assert "失败" in failed.inner_text() and "1,000 字节" in failed.inner_text()
    page.locator("#docs-progress", has_text="已收入 1 个文件中的 1 个").wait_for()
    assert page.locator("#docs-stop").is_hidden()


def test_stop_beside_the_bar_names_what_was_not_taken_in(
    held: tuple[str, threading.Event], visit: Callable[..., Any], tmp_path: Path
) -> None:
    page = visit(held[0], locale="en-US")
    page.set_default_timeout(PATIENCE_MS)
    choose(page, tmp_path, first="每年3天。")
    page.locator("#docs-progress .progress", has_text="encode").wait_for()
    choose(page, tmp_path, second="每月5天。")
    page.locator("#docs-progress .progress", has_text="Waiting").wait_for()
    page.click("#docs-stop")
    page.locator("#docs-progress", has_text="not taken in: second.txt").wait_for()  # it had not begun
    held[1].set()
    rows = page.locator("#docs-table tbody tr", has_text="Stopped before it was taken in")
    rows.filter(has_text="first.txt").wait_for()
    assert page.locator("#docs-stop").is_hidden()
