"""The Documents tab in Chromium over stand-in models: guesses seen and corrected, what was left out, the same name again."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser import steps
from tests.ui.fakes import page_app, served

pytestmark = pytest.mark.browser
PATIENCE_MS = 120_000
PAGE = (
    "<html><head><title>休假通知</title></head><body><nav>首页 | 联系我们</nav><main><h1>休假通知</h1>"
    "<p>第一条 每年15天。</p><p>第二条 须提前申请。</p></main></body></html>"
)


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    app, _ = page_app(tmp_path_factory.mktemp("samples"))
    yield served(app)
    app.close()


@pytest.fixture
def page(url: str, visit: Callable[..., Any], tmp_path: Path) -> Any:
    """A visitor who brought a web page."""
    shown = visit(url)
    shown.set_default_timeout(PATIENCE_MS)
    (tmp_path / "休假通知_2025-06.html").write_text(PAGE, encoding="utf-8")
    steps.upload(shown, tmp_path / "休假通知_2025-06.html")
    return shown


def value(page: Any, field: str) -> str:
    return str(page.locator(f"#document-{field} input, #document-{field} textarea").first.input_value())


def test_what_was_left_out_is_one_click_away(page: Any) -> None:
    assert "联系我们" not in page.locator("#document-text").inner_text()
    page.locator("#document-left-out summary", has_text="导航").click()
    page.locator("#document-left-out table", has_text="联系我们").wait_for()
    page.locator("#as-read label").nth(1).click()
    gone = page.locator("#document-text mark.gone", has_text="联系我们")
    gone.wait_for()
    assert "line-through" in gone.evaluate("e => getComputedStyle(e).textDecorationLine")
    page.locator("#as-read label").nth(0).click()
    gone.wait_for(state="detached")


def test_a_guess_is_corrected(page: Any) -> None:
    assert value(page, "version") == "2025-06"
    assert "据文件名推测" in page.locator("#document-version").inner_text()
    assert page.locator("#docs-table .guess").count() >= 1
    page.locator("#document-title input").fill("带薪休假通知 <b>")
    page.locator("#document-effective_from input").fill("明天")
    page.click("#document-save")
    page.locator("#document-saved .error", has_text="日期").wait_for()
    assert value(page, "title") == "带薪休假通知 <b>"  # what was typed is not lost
    page.locator("#document-effective_from input").fill("2026年1月1日")
    page.click("#document-save")
    page.locator("#document-saved", has_text="已保存").wait_for()
    assert value(page, "effective_from") == "2026-01-01"
    assert "您填写的" in page.locator("#document-title").inner_text()
    page.locator("#docs-table", has_text="带薪休假通知 <b>").wait_for()
    steps.open_tab(page, "chunks")
    assert page.locator("#chunk-document input").input_value().startswith("带薪休假通知 <b>")


def test_the_same_name_again_stands_beside_when_asked_to(page: Any, tmp_path: Path) -> None:
    path, rows = tmp_path / "a.txt", page.locator("#docs-table tbody tr", has_text="a.txt")
    page.locator("#docs-progress .notice").wait_for()
    for words, beside, seen in (
        ("每年3天。", False, ""),
        ("每年5天。", False, "已替换"),
        ("每年7天。", True, "不同版本"),
    ):
        path.write_text(words, encoding="utf-8")
        page.locator("#again label").nth(int(beside)).click()
        page.locator("#upload input[type=file]").set_input_files([path])
        rows.filter(has_text=seen).first.wait_for()
        page.locator("#docs-progress .notice").wait_for()  # the upload has ended: another one is taken
        assert rows.count() == 1 + beside


def test_a_sample_is_looked_at_and_cannot_be_changed(url: str, visit: Callable[..., Any]) -> None:
    page = visit(url, locale="en-US")
    page.locator("#document-saved", has_text="cannot be changed").wait_for()
    assert page.locator("#document-save").is_disabled() and page.locator("#remove").is_disabled()
    assert "cleaned" in page.locator("#as-read").inner_text()
    page.locator("#document input").click()
    page.get_by_role("option").nth(1).click()
    page.locator("#document-text", has_text="3000元").wait_for()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_what_was_left_out_can_be_read_on_a_phone(
    url: str, visit: Callable[..., Any], tmp_path: Path, dark: bool
) -> None:
    page = visit(url, phone=True, dark=dark)
    page.set_default_timeout(PATIENCE_MS)
    (tmp_path / "休假通知_2025-06.html").write_text(PAGE, encoding="utf-8")
    steps.upload(page, tmp_path / "休假通知_2025-06.html")
    page.locator("#document-left-out summary").first.click()
    page.locator("#as-read label").nth(1).click()
    page.locator("#document-text mark.gone").first.wait_for()
    assert steps.fits_its_width(page) and steps.pale(page) == []


@pytest.mark.parametrize(("locale", "really"), [("zh-CN", "确定移除"), ("en-US", "Really remove")])
def test_removing_asks_once_and_is_done_with_the_keyboard(
    url: str, visit: Callable[..., Any], tmp_path: Path, locale: str, really: str
) -> None:
    page = visit(url, locale=locale)
    (tmp_path / "甲.txt").write_text("每年3天。", encoding="utf-8")
    steps.upload(page, tmp_path / "甲.txt")
    row = page.locator("#docs-table tbody tr", has_text="甲.txt")

    def press(*keys: str) -> None:
        for key in keys:
            page.keyboard.press(key)

    page.dblclick("#remove")
    page.locator("#remove-which", has_text=really).wait_for()
    page.wait_for_timeout(500)
    assert row.count() == 1 and steps.fits_its_width(page) and steps.pale(page) == []
    press("Tab", "Tab", "Enter")  # keep it
    page.locator("#remove-which").wait_for(state="hidden")
    assert row.count() == 1
    page.wait_for_function("document.activeElement.id === 'remove'")
    press("Enter")
    page.locator("#remove-yes").wait_for()
    press("Tab", "Enter")
    row.wait_for(state="detached")
