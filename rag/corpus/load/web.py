"""HTML pages: what a reader sees, without scripts, navigation and footers, and the address they came from."""

from __future__ import annotations

import re
from typing import Any

from bs4 import BeautifulSoup
from bs4.element import Comment, Tag

from rag.corpus.clean import clean_line
from rag.corpus.load.builder import Meta, Parsed, TextBuilder
from rag.corpus.load.clutter import Clutter
from rag.corpus.load.encoding import decode
from rag.corpus.load.metadata import title_line
from rag.corpus.load.page import Page
from rag.errors import UnsafeFile

MAX_TAGS = 100_000
_CHARSET = re.compile(rb"""<(?:meta|\?xml)\b[^>]*?(?:charset|encoding)\s*=\s*["']?\s*([\w\-]+)""", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://[^\s<>\"']{1,500}", re.IGNORECASE)
_SAVED = re.compile(r"\s*saved from url=\(\d{4}\)(\S+)")


def parse(name: str, data: bytes) -> tuple[Parsed, ...]:
    """An HTML page; a declared character set is tried first. Raises `UnsafeFile` beyond 100,000 tags or 500,000 cells."""
    if data.count(b"<") > MAX_TAGS:
        raise UnsafeFile(
            en=f"{name}: more than {MAX_TAGS:,} tags. Split the page.",
            zh=f"{name}：标签超过 {MAX_TAGS:,} 个，请拆分页面。",
        )
    declared = _CHARSET.search(data[:4096])
    decoded = decode(name, data, declared.group(1).decode("ascii") if declared else "")
    soup = _soup(decoded.text)
    builder, seen = TextBuilder(), ""
    for careful in (False, True):  # a page that is nothing but links is its links
        builder = TextBuilder()
        builder.source("\0" * decoded.text.count("\0"))
        seen = _read(name, builder, soup, careful)
        if builder.text():
            break
    meta = Meta(title=_title(soup), source=_address(soup))
    hint = seen or title_line(builder.text())
    reading = decoded.as_kind("web page", "网页")
    return (builder.parsed(meta, title_hint=hint, warnings=decoded.warnings, reading=reading),)


def add_page(name: str, builder: TextBuilder, html: str) -> None:
    """Add what a reader sees of `html`, a part of another file (a message, an entry of a feed)."""
    builder.source("\0" * html.count("\0"))
    _read(name, builder, _soup(html), careful=True)


def is_address(text: str) -> bool:
    """Whether `text` is an address on the web; it is shown, and never opened."""
    return bool(_ADDRESS.fullmatch(text))


def _soup(html: str) -> BeautifulSoup:
    return BeautifulSoup(html.replace("\0", ""), "lxml")  # which the parser would turn into a visible character


def _read(name: str, builder: TextBuilder, soup: BeautifulSoup, careful: bool) -> str:
    """Add the page to `builder`; its first heading of level 1 comes back."""
    builder.source("\n".join(map(str, soup.find_all(string=True))))
    page = Page(name, builder, Clutter(soup, careful))
    page.walk(soup)
    page.finish()
    return page.title


def _title(soup: BeautifulSoup) -> str:
    title = clean_line(soup.title.get_text()) if soup.title else ""
    return title or clean_line(_attribute(soup, "meta", {"property": "og:title"}, "content"))


def _address(soup: BeautifulSoup) -> str:
    """Where the page says it is from: only as text, and only on the web; else empty."""
    candidates = [
        _attribute(soup, "link", {"rel": "canonical"}, "href"),
        _attribute(soup, "meta", {"property": "og:url"}, "content"),
        _attribute(soup, "base", {}, "href"),
    ]
    saved = (_SAVED.match(str(node)) for node in soup.find_all(string=lambda node: isinstance(node, Comment), limit=5))
    candidates += [found.group(1) for found in saved if found]
    return next((address for address in map(clean_line, candidates) if is_address(address)), "")


def _attribute(soup: BeautifulSoup, tag: str, having: dict[str, Any], attribute: str) -> str:
    found = soup.find(tag, attrs=having)
    return str(found.get(attribute) or "") if isinstance(found, Tag) else ""
