"""HTML pages: what a reader sees, without scripts, navigation and footers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bs4 import BeautifulSoup
from bs4.element import NavigableString, PageElement, PreformattedString, Tag

from rag.corpus.clean import clean_line, flow_lines
from rag.corpus.load.builder import Meta, Parsed, TextBuilder
from rag.corpus.load.encoding import decode
from rag.corpus.load.headings import heading_level
from rag.corpus.load.metadata import title_line
from rag.corpus.load.table import Cell, render
from rag.errors import UnsafeFile

MAX_CELLS = 500_000
MAX_TAGS = 100_000
_CHARSET = re.compile(rb"""<(?:meta|\?xml)\b[^>]*?(?:charset|encoding)\s*=\s*["']?\s*([\w\-]+)""", re.IGNORECASE)
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_DROPPED = frozenset(
    "head script style noscript template nav footer iframe object svg canvas select button textarea".split()
)
_BLOCKS = frozenset(
    "address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure form header "
    "hr html legend li main ol p pre section summary table tbody td tfoot th thead tr ul caption".split()
)
_HEADING = re.compile(r"h([1-6])")


def parse(name: str, data: bytes) -> tuple[Parsed, ...]:
    """An HTML page; a declared character set is tried first. Raises `UnsafeFile` beyond 100,000 tags or 500,000 cells."""
    if data.count(b"<") > MAX_TAGS:
        raise UnsafeFile(
            en=f"{name}: more than {MAX_TAGS:,} tags. Split the page.",
            zh=f"{name}：标签超过 {MAX_TAGS:,} 个，请拆分页面。",
        )
    declared = _CHARSET.search(data[:4096])
    decoded = decode(name, data, declared.group(1).decode("ascii") if declared else "")
    soup = BeautifulSoup(decoded.text, "lxml")
    page = _Page(name)
    page.walk(soup)
    page.finish()
    title = clean_line(soup.title.get_text()) if soup.title else ""
    hint = page.title or title_line(page.builder.text())
    return (
        page.builder.parsed(
            Meta(title=title), title_hint=hint, warnings=decoded.warnings, reading=decoded.as_kind("web page", "网页")
        ),
    )


class _Page:
    """Goes through the page once: words gather until a block ends."""

    def __init__(self, name: str) -> None:
        self.builder = TextBuilder()
        self.title = ""
        self._name = name
        self._words: list[str] = []
        self._items: list[str] = []

    def walk(self, parent: Tag) -> None:
        for child in parent.children:
            if isinstance(child, Tag):
                if not _invisible(child):
                    self._tag(child)
            elif _is_text(child):
                self._words.append(re.sub(r"\s+", " ", str(child)))

    def finish(self) -> None:
        self.end_block()
        self._end_list()

    def end_block(self) -> None:
        """The words so far are a paragraph; list items stay together as one block of lines."""
        text = _lines(self._words)
        self._words = []
        if text:
            self._end_list()
            level = heading_level(text)
            if level is None:
                self.builder.add(text)
            else:
                self.builder.heading(level, text)

    def _tag(self, tag: Tag) -> None:
        heading = _HEADING.fullmatch(tag.name)
        if tag.name == "br":
            self._words.append("\n")
        elif heading:
            self._heading(int(heading.group(1)), tag)
        elif tag.name == "table":
            self._table(tag)
        elif tag.name == "li":
            self._item(tag)
        elif tag.name == "pre":
            self.end_block()
            self._end_list()
            self.builder.add(tag.get_text())
        elif tag.name in _BLOCKS:
            self.end_block()
            self.walk(tag)
            self.end_block()
            if tag.name in ("ul", "ol"):
                self._end_list()
        else:
            self.walk(tag)

    def _heading(self, level: int, tag: Tag) -> None:
        self.end_block()
        self._end_list()
        title = flow_lines(tag.get_text(" "))
        if level == 1:
            self.title = self.title or title
        self.builder.heading(level, title)

    def _item(self, tag: Tag) -> None:
        """A list item is one line; one that holds blocks of its own (a table, a nested list) is walked."""
        self._flush_words()
        if tag.find(["table", "ul", "ol", "p", "div", "h1", "h2", "h3", "h4", "h5", "h6"]):
            self.walk(tag)
            self.end_block()
            return
        text = clean_line(_visible_text(tag))
        if text:
            self._items.append(f"- {text}")

    def _flush_words(self) -> None:
        if _lines(self._words):
            self.end_block()
        self._words = []

    def _end_list(self) -> None:
        items, self._items = self._items, []
        self.builder.lines(items)

    def _table(self, tag: Tag) -> None:
        self.end_block()
        self._end_list()
        if tag.find(["table", "h1", "h2", "h3", "h4", "h5", "h6"]):
            self.walk(tag)  # a table that only lays out the page
            self.end_block()
            return
        caption = tag.find("caption")
        if isinstance(caption, Tag):
            self.builder.add(flow_lines(caption.get_text()))
        rendered = render(self._grid(tag))
        self.builder.table(rendered.lines, rendered.heading)

    def _grid(self, table: Tag) -> list[list[Cell]]:
        """The table as a rectangle; a cell that spans rows or columns stands at every place it covers."""
        rows = [row for row in table.find_all("tr") if isinstance(row, Tag)]
        places: dict[tuple[int, int], Cell] = {}
        for r, row in enumerate(rows):
            column = 0
            for tag in row.find_all(["td", "th"], recursive=False):
                while (r, column) in places:
                    column += 1
                wide, high = _span(tag, "colspan"), _span(tag, "rowspan")
                cell = Cell(flow_lines(_visible_text(tag)), (r, column))
                down = min(r + high, len(rows)) if high else len(rows)
                places.update({(i, j): cell for i in range(r, down) for j in range(column, column + max(wide, 1))})
                self._check_size(len(places))
        width = max((column for _, column in places), default=-1) + 1
        self._check_size(len(rows) * width)
        return [[places.get((r, c), Cell("", (r, c))) for c in range(width)] for r in range(len(rows))]

    def _check_size(self, cells: int) -> None:
        if cells > MAX_CELLS:
            raise UnsafeFile(
                en=f"{self._name}: a table of more than {MAX_CELLS:,} cells. Split the page.",
                zh=f"{self._name}：表格单元格超过 {MAX_CELLS:,} 个，请拆分页面。",
            )


def _invisible(tag: Tag) -> bool:
    return tag.name in _DROPPED or tag.has_attr("hidden") or bool(_HIDDEN.search(str(tag.get("style") or "")))


def _is_text(node: PageElement) -> bool:
    """Whether a node is text: comments, declarations and the like are strings too."""
    return isinstance(node, NavigableString) and not isinstance(node, PreformattedString)


def _visible_text(tag: Tag) -> str:
    return _lines(_pieces(tag))


def _pieces(tag: Tag) -> Iterator[str]:
    for child in tag.children:
        if isinstance(child, Tag):
            if child.name == "br" or child.name in _BLOCKS:
                yield "\n"
            if not _invisible(child):
                yield from _pieces(child)
            if child.name in _BLOCKS:
                yield "\n"
        elif _is_text(child):
            yield re.sub(r"\s+", " ", str(child))


def _lines(pieces: list[str] | Iterator[str]) -> str:
    """Pieces of text joined; a line end in a page is only a blank, so it stands for one, and `br` breaks the line."""
    lines = (clean_line(line) for line in "".join(pieces).split("\n"))
    return "\n".join(line for line in lines if line)


def _span(tag: Tag, attribute: str) -> int:
    """A span as browsers read it: 1 when it is no number, at most 1000 columns; 0 rows reaches to the end."""
    value = str(tag.get(attribute) or "1").strip()
    return min(int(value), 1000) if value.isdecimal() and len(value) < 8 else 1
