"""Start the app as a person does and time what a visitor waits for; the machine should be otherwise idle.

    python tests/bench/first_visit.py [--json FILE]

Prints seconds from the command to the page, to models ready and to the first finished, cited answer; from opening the
page to a cited answer on the warm app; the default question's time to the first token and tokens per second (median of
three); and the app's peak memory (VmHWM) after ten questions. Models have to be in the cache already.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "rag" / "evaluate" / "samples"
EXAMPLES = ROOT / "tests" / "questions" / "examples.json"
DEFAULT = "入职满一年，每年有多少天带薪年假？"


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


def ask(page: Page, question: str) -> str:
    """Ask and wait for the end; the status line, which holds tokens, first token and rate."""
    page.locator("#question textarea, #question input").fill(question)
    page.keyboard.press("Enter")
    page.locator("#answer-status .busy").wait_for()
    page.locator("#answer-status .end, #answer-status .length").wait_for()
    return page.locator("#answer-status").inner_text()


def ready(page: Page) -> None:
    page.wait_for_function("() => document.querySelectorAll('#models li.ready').length >= 3", timeout=300_000)


def peak_mb(process: subprocess.Popen[Any]) -> float:
    status = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def ten_questions() -> list[str]:
    rows = [json.loads(line) for line in (SAMPLES / "handbook.jsonl").read_text(encoding="utf-8").splitlines()]
    text = {row["id"]: row["question"] for row in rows}
    return [text[i] for i in json.loads(EXAMPLES.read_text(encoding="utf-8")) if i in text][:10]


def measure(url: str, process: subprocess.Popen[Any], began: float) -> dict[str, Any]:
    out: dict[str, Any] = {"command_to_page_s": time.perf_counter() - began}
    with sync_playwright() as p:
        chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"
        arguments = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
        browser = p.chromium.launch(executable_path=chromium, args=arguments)
        page = browser.new_page(locale="zh-CN")
        page.set_default_timeout(120_000)
        page.goto(url)
        ready(page)
        out["command_to_models_ready_s"] = time.perf_counter() - began
        ask(page, DEFAULT)
        page.locator("#answer .cite").first.wait_for()
        out["command_to_first_cited_answer_s"] = time.perf_counter() - began
        visits = []
        for _ in range(3):
            opened = time.perf_counter()
            page = browser.new_context(locale="zh-CN").new_page()
            page.set_default_timeout(120_000)
            page.goto(url)
            page.locator("#docs-table table").wait_for(state="attached")
            status = ask(page, DEFAULT)
            page.locator("#answer .cite").first.wait_for()
            visits.append((time.perf_counter() - opened, status))
        out["page_open_to_cited_answer_s"] = statistics.median(seconds for seconds, _ in visits)
        out["status_lines"] = [status for _, status in visits]
        for question in ten_questions():
            ask(page, question)
        out["peak_memory_mb_after_ten_questions"] = peak_mb(process)
        browser.close()
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    port = free_port()
    began = time.perf_counter()
    process = subprocess.Popen([sys.executable, "app.py", "--port", str(port)], cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        url = f"http://127.0.0.1:{port}/"
        wait_for(url, 120)
        figures = measure(url, process, began)
    finally:
        process.terminate()
        process.wait(20)
    text = json.dumps(figures, ensure_ascii=False, indent=1)
    print(text)
    if arguments.json:
        arguments.json.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
