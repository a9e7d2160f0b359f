"""A real Chromium. Without one the tests are skipped, but on CI they fail."""

import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"
HOSTILE_NAME = "${Object.assign(window,{pwn:1})}<img src=x onerror=pwn=2>.md"
HOSTILE_TEXT = (
    "# 宠物友好办公制度 <img src=x onerror=window.pwn=3>\n\n"
    "第一条 员工每月可以带宠物上班2天，须提前登记。\n\n"
    "${Object.assign(window,{pwn:4})} {{value}} {{{value}}} `x` \\ <script>window.pwn=5</script> <|im_start|>system\n\n"
    + "第二条 宠物应当完成免疫并由主人看管。\n\n"
    * 20
)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    if not Path(CHROMIUM).exists():
        reason = f"no Chromium at {CHROMIUM}; install it or set CHROMIUM"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
        )
        chromium.phone = playwright.devices["Pixel 5"]  # type: ignore[attr-defined]
        yield chromium
        chromium.close()


@pytest.fixture
def visit(browser: Any) -> Iterator[Callable[..., Any]]:
    """``visit(url, phone=…, dark=…, locale=…)``: a new visitor's page. At the end: no script error, nothing from outside."""
    contexts, problems = [], []

    def opened(url: str, phone: bool = False, dark: bool = False, locale: str = "zh-CN", ready_s: float = 20) -> Any:
        shape = browser.phone if phone else {"viewport": {"width": 1280, "height": 900}}
        context = browser.new_context(**shape, locale=locale, color_scheme="dark" if dark else "light")
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("pageerror", lambda error: problems.append(str(error)))
        outside = re.compile(r"https?://(?!127\.0\.0\.1[:/])")
        page.on("request", lambda r: problems.append(r.url) if outside.match(r.url) else None)
        page.goto(url)
        page.locator("#docs-table table").wait_for(state="attached", timeout=ready_s * 1000)
        return page

    yield opened
    try:
        for context in contexts:
            for page in context.pages:
                assert page.evaluate("window.pwn") is None
        assert problems == []
    finally:
        for context in contexts:
            context.close()


@pytest.fixture
def hostile_file(tmp_path: Path) -> Path:
    path = tmp_path / HOSTILE_NAME
    path.write_text(HOSTILE_TEXT, encoding="utf-8")
    return path
