"""Lines of PDF pages → paragraphs, also across columns and the page break."""

from __future__ import annotations

import re

from rag.corpus.load.aligned import are_rows
from rag.corpus.load.builder import TextBuilder
from rag.corpus.load.layout import Left, Page
from rag.corpus.load.lines import Line, first_word, flow_broken, is_near

_ITEM = re.compile(
    r"(?:[（(][一二三四五六七八九十\d]{1,3}[）)]|\d{1,3}[、.．)）](?!\d)|[①-⑳•·●○■□☑☒◆▪➢✓–\-]\s?|[一二三四五六七八九十]{1,3}、"
    r"|第[一二三四五六七八九十百零〇\d]{1,6}[编章节条])"
)
_LABEL = re.compile(r"(?:[^\s，。；：:！？!?,;]\s?){1,8}[：:](?![\d/])")
_SENTENCE_END = tuple("。！？；!?;")


class Paragraphs:
    """Gathers lines until a paragraph ends, and adds it to the builder."""

    def __init__(self, builder: TextBuilder) -> None:
        self._builder = builder
        self._gap = 0.0
        self._text = ""
        self._last: Line | None = None
        self._new_page = False
        self._goes_on = False
        self._is_labelled = False

    def page(self, page: Page) -> None:
        """A page begins; the paragraph before it may go on there."""
        last = self._last
        self.end()
        self._last, self._new_page = last, True
        self._builder.page()
        self._gap = page.usual_gap()

    def add(self, line: Line) -> None:
        """The next line of the page."""
        across, self._new_page = self._new_page, False
        starts = self._last is None or self._starts(self._last, line, across)
        if starts:
            self.end()
            self._is_labelled = _LABEL.match(line.text) is not None
        self._goes_on = self._goes_on or (not starts and not self._text)
        self._text = flow_broken(self._text, line.text)
        self._last = line

    def heading(self, level: int, title: str) -> None:
        """A heading, which ends the paragraph."""
        self.end()
        self._new_page = False
        self._builder.heading(level, title)

    def leave_out(self, left: Left) -> None:
        """Words that are left out here; the paragraph may go on behind them."""
        last = self._last
        self.end()
        self._builder.remove(left.text, left.why)
        self._last = last

    def end(self) -> None:
        """The paragraph ends."""
        if self._text:
            (self._builder.extend if self._goes_on else self._builder.add)(self._text)
        self._text, self._last, self._goes_on = "", None, False

    def _starts(self, last: Line, line: Line, across: bool) -> bool:
        """Whether `line` begins a paragraph, after `last`; `across` when a page break stands between them."""
        if _ITEM.match(line.text) or abs(line.size - last.size) > 0.15 * last.size:
            return True
        if are_rows(last, line) or (self._is_labelled and _LABEL.match(line.text)):
            return True  # rows of something in columns; 地址：…, then 电话：…, however long the first
        if line.parts and last.text.endswith(_SENTENCE_END) and line.right - line.x1 > 2 * line.size:
            return True  # the first row below a sentence
        across = across or line.left != last.left or line.top < last.top
        shift = line.left - last.left if across else 0.0
        if line.x0 - shift > last.x0 + 1.2 * line.size and not _ITEM.match(last.text):
            return True  # indented (below an item the text hangs, which is no new paragraph)
        if last.right - last.x1 > first_word(line) + line.size:
            return True  # the line before had room for this one's first word
        if across:
            return last.text.endswith(_SENTENCE_END)
        return not is_near(last, line, self._gap)
