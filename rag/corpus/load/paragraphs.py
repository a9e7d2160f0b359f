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
_ITEM = re.compile(
    r"(?:[（(][一二三四五六七八九十\d]{1,3}[）)]|\d{1,3}[、.．)）](?!\d)|[①-⑳•·●○■□◆▪–\-]\s|[一二三四五六七八九十]{1,3}、"
    r"|第[一二三四五六七八九十百零〇\d]{1,6}[编章节条])"
)
_SENTENCE_END = tuple("。！？；!?;")


@dataclass(frozen=True, slots=True)
class Frame:
    """The type area of the pages: where lines end on the right, the usual gap between lines, size of the body text."""

    right: float
    gap: float
    size: float


@dataclass(frozen=True, slots=True)
class Headline:
    """A line in larger type: the document's title, or a heading of `level` (by how large it is)."""

    title: str
    levels: tuple[float, ...]
    """Sizes of headings from the largest; the place of a size is its level less one."""


def frame_of(pages: Sequence[Page]) -> Frame:
    """Measured over all lines of `pages`, each line weighing its characters."""
    lines = [line for page in pages for line in lines_of(page)]
    if not lines:
        return Frame(0.0, 0.0, 0.0)
    sizes = sorted((line.size, len(line.text)) for line in lines)
    half, seen, body = sum(weight for _, weight in sizes) / 2, 0, sizes[-1][0]
    for size, weight in sizes:
        seen += weight
        if seen >= half:
            body = size
            break
    gaps = [b.top - a.bottom for page in pages for a, b in _neighbours(page) if b.top >= a.bottom]
    return Frame(max(line.x1 for line in lines), median(gaps) if gaps else 0.0, body)


def headlines(pages: Sequence[Page], frame: Frame) -> Headline:
    """The title (the largest lines at the top of the first page) and the sizes that mark headings."""
    first = lines_of(pages[0])[:4] if pages else []
    largest = max((line.size for line in first), default=0.0)
    title = ""
    everywhere = {round(line.size, 1) for page in pages for line in lines_of(page) if _is_large(line, frame)}
    if largest >= _LARGER * frame.size:
        for line in first:
            if line.size > largest - 0.1:
                title = flow(title, line.text)
        others = sum(line.size > largest - 0.1 for page in pages for line in lines_of(page)) > len(first)
        if not others:
            everywhere.discard(round(largest, 1))
    return Headline(title, tuple(sorted(everywhere, reverse=True)))


def lines_of(page: Page) -> list[Line]:
    """The page's lines, without its tables."""
    return [item for item in page.items if isinstance(item, Line)]


class Paragraphs:
    """Gathers lines until a paragraph ends, and adds it to the builder."""

    def __init__(self, builder: TextBuilder, frame: Frame, headline: Headline) -> None:
        self._builder = builder
        self._frame = frame
        self._headline = headline
        self._text = ""
        self._last: Line | None = None
        self._across = False

    def add(self, line: Line) -> None:
        """The next line of the page."""
        level = self._level(line)
        if level is not None:
            self.end()
            self._builder.heading(level, line.text)
            self._last = None
            return
        if self._last is None or self._starts(self._last, line):
            self.end()
        self._text = flow(self._text, line.text)
        self._last = line

    def page_over(self) -> None:
        """The page ends; the last paragraph is added, and may go on on the next page."""
        last = self._last if self._text else None
        self.end()
        if last and not last.text.endswith(_SENTENCE_END) and self._frame.right - last.x1 < 2 * last.size:
            self._last, self._across = last, True

    def end(self) -> None:
        """The paragraph ends."""
        if self._text:
            (self._builder.extend if self._across else self._builder.add)(self._text)
        self._text, self._last, self._across = "", None, False

    def _level(self, line: Line) -> int | None:
        wording = heading_level(line.text)
        if wording is not None:
            return wording
        size = round(line.size, 1)
        if size in self._headline.levels and _is_large(line, self._frame):
            return self._headline.levels.index(size) + 1
        return None

    def _starts(self, last: Line, line: Line) -> bool:
        """Whether `line` begins a paragraph, after `last`."""
        if _ITEM.match(line.text) or abs(line.size - last.size) > 0.15 * last.size:
            return True
        if line.x0 > last.x0 + 1.2 * line.size and not _ITEM.match(last.text):
            return True  # indented (below an item the text hangs, which is no new paragraph)
        if self._frame.right - last.x1 > _first_word(line) + line.size:
            return True  # the line before had room for this one's first word
        return line.top - last.bottom > max(1.5 * self._frame.gap, self._frame.gap + 0.3 * line.size)


def _is_large(line: Line, frame: Frame) -> bool:
    short = len(line.text) <= _LONGEST_HEADING and not line.text.endswith((*_SENTENCE_END, "，", ",", "."))
    return short and line.size >= _LARGER * frame.size and any(c.isalpha() for c in line.text)


def _first_word(line: Line) -> float:
    """The width of what cannot be broken at the start of `line`: a word, or one Chinese character."""
    word = line.text.split(" ", 1)[0]
    unbroken = next((i for i, c in enumerate(word) if is_wide(c)), len(word)) or 1
    return (line.x1 - line.x0) * unbroken / max(len(line.text), 1)


def _neighbours(page: Page) -> list[tuple[Line, Line]]:
    lines = lines_of(page)
    return list(zip(lines, lines[1:], strict=False))
