"""What a person does on the page, for tests in a browser."""

from pathlib import Path
from typing import Any

TABS = {"documents": 0, "chunks": 1, "candidates": 2, "prompt": 3, "answer": 4, "evaluate": 5}


def open_tab(page: Any, name: str) -> None:
    page.get_by_role("tab").nth(TABS[name]).click()


def tab_in_front(page: Any) -> str:
    chosen = page.locator("[role=tab][aria-selected=true]").first.inner_text()
    names = [page.get_by_role("tab").nth(n).inner_text() for n in TABS.values()]
    return list(TABS)[names.index(chosen)]


def fill_question(page: Any, question: str) -> None:
    page.locator("#question textarea, #question input").fill(question)


def ask(page: Any, question: str) -> None:
    """Enter in the question box."""
    fill_question(page, question)
    page.keyboard.press("Enter")


# a script's promise has no timeout of Playwright's: it has its own, or what does not come is waited for without end
_RETRIEVE = """([question, limit_ms]) => new Promise((seen, missed) => {
  const summary = document.querySelector('#cand-summary'), began = performance.now();
  const look = () => { if (summary.innerText.includes(question)) { watch.disconnect(); seen((performance.now() - began) / 1000); } };
  const watch = new MutationObserver(look);
  watch.observe(summary, {subtree: true, childList: true, characterData: true});
  setTimeout(() => missed(new Error('no candidates of ' + question + ': ' + summary.innerText)), limit_ms);
  document.querySelector('#retrieve').click();
})"""
LIMIT_MS = 60_000


def retrieve(page: Any, question: str) -> float:
    """Press Retrieve; seconds until the candidates of this question are on the page, by the page's own clock.

    The Candidates tab has to be open already, or the summary is not there to be watched.
    """
    fill_question(page, question)
    return float(page.evaluate(_RETRIEVE, [question, LIMIT_MS]))


_STILL = """() => new Promise(done => {
  let last = null, times = 0;
  const look = () => {
    times = window.scrollY === last ? times + 1 : 0;
    last = window.scrollY;
    if (times >= 4) done(); else setTimeout(look, 100);
  };
  look();
})"""


def still(page: Any) -> None:
    """Wait until the page scrolls no more: what is pressed by its place would have moved away."""
    page.evaluate(_STILL)


def first_token(page: Any, timeout_s: float = 60) -> None:
    page.locator("#answer .answer > *").first.wait_for(timeout=timeout_s * 1000)


def finished(page: Any, timeout_s: float = 120) -> None:
    page.locator("#answer-status .end, #answer-status .length").wait_for(timeout=timeout_s * 1000)


def upload(page: Any, *files: Path) -> None:
    """Choose files and wait until the page says how many were taken in."""
    open_tab(page, "documents")
    before = page.locator("#docs-progress").inner_text()
    page.locator("#upload input[type=file]").set_input_files(list(files))
    page.wait_for_function(
        "before => { const e = document.querySelector('#docs-progress .notice');"
        " return e && e.parentElement.innerText !== before }",
        arg=before,
    )


def remove(page: Any) -> None:
    """Remove the chosen document, and answer that it is meant."""
    page.click("#remove")
    page.click("#remove-yes")


_STOP = """limit_ms => new Promise((seen, missed) => {
  const status = document.querySelector('#answer-status'), began = performance.now();
  const look = () => { if (status.querySelector('.stopped')) { watch.disconnect(); seen((performance.now() - began) / 1000); } };
  const watch = new MutationObserver(look);
  watch.observe(status, {subtree: true, childList: true, attributes: true});
  setTimeout(() => missed(new Error('nothing was stopped: ' + status.innerText)), limit_ms);
  document.querySelector('#stop').click();
})"""


def stop(page: Any) -> float:
    """Press Stop while an answer is being written; seconds until the page says stopped, by the page's own clock."""
    return float(page.evaluate(_STOP, LIMIT_MS))


def fits_its_width(page: Any) -> bool:
    """No horizontal scrolling of the page as a whole."""
    wide, shown = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    return bool(wide <= shown) and (page.viewport_size is None or shown <= page.viewport_size["width"])


_PALE = """least => {
  const pen = Object.assign(document.createElement('canvas'), {width: 1, height: 1}).getContext('2d', {willReadFrequently: true});
  const rgba = css => {
    pen.clearRect(0, 0, 1, 1); pen.fillStyle = css; pen.fillRect(0, 0, 1, 1);
    const d = pen.getImageData(0, 0, 1, 1).data; return [d[0], d[1], d[2], d[3] / 255];
  };
  const over = (top, under) => [0, 1, 2].map(i => top[i] * top[3] + under[i] * (1 - top[3]));
  const light = c => {
    const [r, g, b] = c.map(v => v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  return [...document.querySelectorAll('body *')].filter(e => {
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())) return false;
    return e.getClientRects().length && getComputedStyle(e).visibility !== 'hidden' && !e.closest(':disabled');
  }).map(e => {
    const line = []; for (let p = e; p; p = p.parentElement) line.unshift(getComputedStyle(p));
    const under = line.reduce((below, style) => over(rgba(style.backgroundColor), below), [255, 255, 255]);
    const ink = rgba(getComputedStyle(e).color); ink[3] *= line.reduce((all, style) => all * style.opacity, 1);
    const a = light(over(ink, under)), b = light(under);
    return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), e.textContent.trim().slice(0, 30)];
  }).filter(([ratio]) => ratio < least);
}"""


def pale(page: Any, least: float = 4.5) -> list[Any]:
    """Texts in sight whose contrast with what is under them is less than `least` (WCAG's ratio), disabled ones left out."""
    return list(page.evaluate(_PALE, least))
