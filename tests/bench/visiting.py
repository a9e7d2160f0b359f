"""The app as it is started by hand, and a visitor in Chromium, for what measures them."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "rag" / "evaluate" / "samples"
EXAMPLES = ROOT / "tests" / "questions" / "examples.json"
DEFAULT: Final = "入职满一年，每年有多少天带薪年假？"
PATIENCE_MS: Final = 120_000


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


def wait_for(url: str, seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            urllib.request.urlopen(url, timeout=1).read(1)
            return
        except (urllib.error.URLError, OSError):
            time.sleep(0.05)
    raise SystemExit(f"{url} did not answer within {seconds} s")


@contextmanager
def app() -> Iterator[tuple[str, subprocess.Popen[Any]]]:
    """``python app.py`` on a free port, in a process group of its own; its address once it answers. It ends with the block."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "app.py", "--port", str(port)], cwd=ROOT, stderr=subprocess.DEVNULL, start_new_session=True
    )
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # whoever ends this does not leave the app behind
    try:
        url = f"http://127.0.0.1:{port}/"
        wait_for(url, 120)
        yield url, process
    finally:
        process.terminate()
        process.wait(20)


@contextmanager
def chromium(elsewhere: bool = False) -> Iterator[Browser]:
    """A browser. `elsewhere`: with the lowest priority: a visitor's has cores of its own, and takes none of the app's."""
    with sync_playwright() as p, tempfile.TemporaryDirectory() as folder:
        path = os.environ.get("CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"
        if elsewhere:
            gently = Path(folder) / "chromium"
            gently.write_text(f'#!/bin/sh\nexec nice -n 39 {shlex.quote(path)} "$@"\n', encoding="utf-8")
            gently.chmod(0o700)
            path = str(gently)
        arguments = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
        browser = p.chromium.launch(executable_path=path, args=arguments)
        yield browser
        browser.close()


def visit(browser: Browser, url: str) -> Page:
    """A new visitor's page, its tables there."""
    page = browser.new_context(locale="zh-CN").new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(url)
    page.locator("#docs-table table").wait_for(state="attached")
    return page


def ready(page: Page) -> None:
    """Wait until models and samples are."""
    page.wait_for_function("() => document.querySelectorAll('#models li.ready').length >= 3", timeout=300_000)


def ask(page: Page, question: str) -> str:
    """Ask and wait for the end; the status line, which holds tokens, first token and rate."""
    page.locator("#question textarea, #question input").fill(question)
    page.keyboard.press("Enter")
    page.locator("#answer-status .busy").wait_for()
    page.locator("#answer-status .end, #answer-status .length").wait_for()
    return page.locator("#answer-status").inner_text()


# of an answer that stood there before neither a character nor its end is taken for the new one's
_TIMED = """limit => new Promise((seen, missed) => {
  const began = performance.now(), after = () => (performance.now() - began) / 1000;
  let busy = false, empty = false, first = null;
  const look = () => {
    const status = document.querySelector('#answer-status'), answer = document.querySelector('#answer .answer');
    const said = answer ? answer.innerText.trim() : '';
    busy = busy || !!status.querySelector('.busy');
    empty = empty || (busy && !said);
    if (empty && said && first === null) first = after();
    if (busy && status.querySelector('.end, .length')) { watch.disconnect(); seen({first: first, whole: after()}); }
  };
  const watch = new MutationObserver(look);
  watch.observe(document.body, {subtree: true, childList: true, characterData: true, attributes: true});
  setTimeout(() => missed(new Error('no answer: ' + document.querySelector('#answer-status').innerText)), limit);
  document.querySelector('#ask').click();
})"""


def timed_answer(page: Page, question: str) -> tuple[float | None, float]:
    """Press Answer; seconds, by the page's own clock, to the first character and to the end. No character: the gate refused."""
    page.locator("#question textarea, #question input").fill(question)
    took = page.evaluate(_TIMED, PATIENCE_MS)
    return took["first"], took["whole"]


def ten_questions() -> list[str]:
    rows = [json.loads(line) for line in (SAMPLES / "handbook.jsonl").read_text(encoding="utf-8").splitlines()]
    text = {row["id"]: row["question"] for row in rows}
    return [text[i] for i in json.loads(EXAMPLES.read_text(encoding="utf-8")) if i in text][:10]
