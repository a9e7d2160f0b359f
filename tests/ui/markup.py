"""Readers of the page's HTML for tests, and what should not be able to do anything in it."""

import html
import re
from html.parser import HTMLParser

from rag.types import Document

PAYLOADS = (
    "<img src=x onerror=alert(1)>",
    "${Object.assign(window,{pwn:1})}",
    "{{x}}{{{x}}}",
    "</div><script>alert(1)</script>",
    "\"' onmouseover=alert(1) x='",
    "`${1}`\\",
)
ALLOWED = {"mark", "i", "div", "p", "b", "span", "table", "thead", "tbody", "tr", "th", "td", "code", "ul", "li", "details", "summary", "dl", "dt", "dd", "button", "section", "h3", "figure", "figcaption", "u"}  # fmt: skip


class Reader(HTMLParser):
    """An independent reader of the HTML: its elements, their attributes, and the text of the ``.doc`` box."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self.depth = 0
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]
        if tag == "div" and (("class", "doc") in attrs or self.depth):
            self.depth += 1

    def handle_endtag(self, tag: str) -> None:
        if tag == "div" and self.depth:
            self.depth -= 1

    def handle_data(self, data: str) -> None:
        if self.depth:
            self.text.append(data)


def read(markup: str) -> Reader:
    reader = Reader()
    reader.feed(markup)
    reader.close()
    return reader


def harmless(markup: str) -> Reader:
    """Only the page's own elements, and no attribute that runs script."""
    reader = read(markup)
    assert set(reader.tags) <= ALLOWED, set(reader.tags) - ALLOWED
    assert not [a for a in reader.attributes if a.startswith("on") or a in ("src", "href", "srcdoc")]
    return reader


def untagged(markup: str) -> str:
    """The text without tags, unescaped: a second oracle, for fragments (a browser folds NUL and CR, this does not)."""
    return html.unescape(re.sub(r"<[^>]*>", "", markup))


def document(source: str, title: str = "t", version: str = "v") -> Document:
    return Document("d", version, f"d@{version}", "own", title, "f.txt", source, pages=(0,) if source else ())


def pieces(markup: str) -> list[tuple[str, str]]:
    """Class and text of every run of a shaded text."""
    found = re.findall(r'<mark class="([^"]*)">([^<]*)</mark>|<i [^>]*></i>|([^<]+)', markup)
    return [(css, html.unescape(marked or plain)) for css, marked, plain in found]
