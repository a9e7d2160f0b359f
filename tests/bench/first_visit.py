"""Start the app as a person does and time what a visitor waits for; the machine should be otherwise idle.

    python tests/bench/first_visit.py [--json FILE]

Prints seconds from the command to the page, to models ready and to the first finished, cited answer; from opening the
page to a cited answer on the warm app; and the default question's time to the first token and tokens per second (median of
three). Models have to be in the cache already.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.bench.visiting import DEFAULT, app, ask, chromium, ready, visit  # noqa: E402


def measure(url: str, began: float) -> dict[str, Any]:
    out: dict[str, Any] = {"command_to_page_s": time.perf_counter() - began}
    with chromium() as browser:
        page = visit(browser, url)
        ready(page)
        out["command_to_models_ready_s"] = time.perf_counter() - began
        ask(page, DEFAULT)
        page.locator("#answer .cite").first.wait_for()
        out["command_to_first_cited_answer_s"] = time.perf_counter() - began
        visits = []
        for _ in range(3):
            opened = time.perf_counter()
            page = visit(browser, url)
            status = ask(page, DEFAULT)
            page.locator("#answer .cite").first.wait_for()
            visits.append((time.perf_counter() - opened, status))
        out["page_open_to_cited_answer_s"] = statistics.median(seconds for seconds, _ in visits)
        out["status_lines"] = [status for _, status in visits]
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    began = time.perf_counter()
    with app() as (url, _):
        figures = measure(url, began)
    text = json.dumps(figures, ensure_ascii=False, indent=1)
    print(text)
    if arguments.json:
        arguments.json.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
