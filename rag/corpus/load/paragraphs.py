"""Lines of PDF pages → paragraphs and headings, also across the page break."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from rag.corpus.clean import flow, is_wide
from rag.corpus.load.builder import TextBuilder
from rag.corpus.load.headings import heading_level
from rag.corpus.load.layout import Line, Page

_LARGER = 1.15
_LONGEST_HEADING = 60
_LONG = 20
_ITEM = re.compile(
    r"(?:[（(][一二三四五六七八九十\d]{1,3}[）)]|\d{1,3}[、.．)）](?!\d)|[①-⑳•·●○■□◆▪–\-]\s|[一二三四五六七八九十]{1,3}、"
    r"|第[一二三四五六七八九十百零〇\d]{1,6}[编章节条])"
)
_SENTENCE_END = tuple("。！？；!?;")


@dataclass(frozen=True, slots=True)
class Frame:
    """The type area of a page: where its lines end on the right, and the usual gap between them, in points."""

    right: float
    gap: float


@dataclass(frozen=True, slots=True)
class Typography:
    """What the sizes of type mean in a document: `title` is its largest lines at the top, `body` the usual size,
    `levels` the sizes of headings from the largest (the place of a size is its level less one)."""

    title: str
    body: float
    levels: tuple[float, ...]


def frame_of(page: Page) -> Frame:
    """Measured over the page's lines."""
    lines = lines_of(page)
    gaps = [b.top - a.bottom for a, b in zip(lines, lines[1:], strict=False) if abs(a.size - b.size) < 1]
    return Frame(max((line.x1 for line in lines), default=0.0), median(gaps) if gaps else 0.0)


def typography_of(pages: Sequence[Page]) -> Typography:
    """Measured over all lines, each weighing its characters."""
    lines = [line for page in pages for line in lines_of(page)]
    body = _weighted_median([(line.size, len(line.text)) for line in lines])
    levels = {round(line.size, 1) for line in lines if _is_large(line, body)}
    first = lines_of(pages[0])[:4] if pages else []
    largest = max((line.size for line in first), default=0.0)
    title = ""
    if largest >= _LARGER * body:
        for line in first:
            title = flow(title, line.text) if line.size > largest - 0.1 else title
        if sum(line.size > largest - 0.1 for line in lines) <= len(first):
            levels.discard(round(largest, 1))  # only the title has this size, so it heads no section
    return Typography(title, body, tuple(sorted(levels, reverse=True)))


def _weighted_median(values: Sequence[tuple[float, int]]) -> float:
    half, seen = sum(weight for _, weight in values) / 2, 0
    for value, weight in sorted(values):
        seen += weight
        if seen >= half:
            return value
    return 0.0


def lines_of(page: Page) -> list[Line]:
    """The page's lines, without its tables."""
    return [item for item in page.items if isinstance(item, Line)]


class Paragraphs:
    """Gathers lines until a paragraph ends, and adds it to the builder."""

    def __init__(self, builder: TextBuilder, typography: Typography) -> None:
        self._builder = builder
        self._typography = typography
        self._frame = self._next_frame = Frame(0.0, 0.0)
        self._text = ""
        self._last: Line | None = None
        self._new_page = False
        self._goes_on = False

    def page(self, frame: Frame) -> None:
        """A page begins; the paragraph before it may go on there."""
        last = self._last
        self.end()
        self._last, self._new_page = last, True
        self._builder.page()
        self._next_frame = frame

    def add(self, line: Line) -> None:
        """The next line of the page."""
        across, self._new_page = self._new_page, False
        level = self._level(line)
        if level is not None:
            self.end()
            self._builder.heading(level, line.text)
        else:
            starts = self._last is None or self._starts(self._last, line, across)
            if starts:
                self.end()
            self._goes_on = self._goes_on or (across and not starts)
            self._text = flow(self._text, line.text)
            self._last = line
        self._frame = self._next_frame

    def end(self) -> None:
        """The paragraph ends."""
        if self._text:
            (self._builder.extend if self._goes_on else self._builder.add)(self._text)
        self._text, self._last, self._goes_on = "", None, False

    def _level(self, line: Line) -> int | None:
        if len(line.text) >= _LONG and self._next_frame.right - line.x1 < 2 * line.size:
            return None  # a full line goes on in the next one
        wording = heading_level(line.text)
        if wording is not None:
            return wording
        size = round(line.size, 1)
        if size in self._typography.levels and _is_large(line, self._typography.body):
            return self._typography.levels.index(size) + 1
        return None

    def _starts(self, last: Line, line: Line, across: bool) -> bool:
        """Whether `line` begins a paragraph, after `last`; `across` when a page break stands between them."""
        if _ITEM.match(line.text) or abs(line.size - last.size) > 0.15 * last.size:
            return True
        if line.x0 > last.x0 + 1.2 * line.size and not _ITEM.match(last.text):
            return True  # indented (below an item the text hangs, which is no new paragraph)
        if self._frame.right - last.x1 > _first_word(line) + line.size:
            return True  # the line before had room for this one's first word
        if across:
            return last.text.endswith(_SENTENCE_END)
        return line.top - last.bottom > max(1.5 * self._frame.gap, self._frame.gap + 0.3 * line.size)


def _is_large(line: Line, body: float) -> bool:
    short = len(line.text) <= _LONGEST_HEADING and not line.text.endswith((*_SENTENCE_END, "，", ",", "."))
    return short and line.size >= _LARGER * body and any(c.isalpha() for c in line.text)


def _first_word(line: Line) -> float:
    """The width of what cannot be broken at the start of `line`: a word, or one Chinese character."""
    word = line.text.split(" ", 1)[0]
    unbroken = next((i for i, c in enumerate(word) if is_wide(c)), len(word)) or 1
    return (line.x1 - line.x0) * unbroken / max(len(line.text), 1)
