"""Which lines of a PDF are headings, by size, weight and numbering, and at what level."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from rag.corpus.clean import flow
from rag.corpus.load.headings import heading_level
from rag.corpus.load.layout import Item, Page, body_size
from rag.corpus.load.lines import Line, first_word, is_near

_LARGER = 1.15
_LONGEST_HEADING = 80
_MOST_LINES = 3
_LONG = 20
_SENTENCE_END = tuple("。！？；!?;")
_NO_HEADING = (*_SENTENCE_END, "，", ",", ".")
_DATE = re.compile(
    r"[\d〇零一二三四五六七八九]{4}\s*年\s*[\d一二三四五六七八九十]{1,3}\s*月(?:\s*[\d一二三四五六七八九十]{1,3}\s*日)?|\d{4}([-./])\d{1,2}(?:\1\d{1,2})?"
    r"|(?:\d{1,2} )?[a-z]{3,9}\.? (?:\d{1,2}(?:st|nd|rd|th)?, ?)?(?:19|20)\d\d",
    re.IGNORECASE,
)
_COVER = 8
_NUMBERED = re.compile(r"\d{1,2}[、.．]\s*\D")
_NUMBERINGS = tuple(
    re.compile(pattern)
    for pattern in (
        r"第\s*[一二三四五六七八九十百零〇两\d.]{1,7}\s*编",
        r"第\s*[一二三四五六七八九十百零〇两\d.]{1,7}\s*章|(?:chapter|part)\s+\S",
        r"第\s*[一二三四五六七八九十百零〇两\d.]{1,7}\s*节|section\s+\d",
        r"第\s*[一二三四五六七八九十百零〇两\d.]{1,7}\s*条",
        r"[一二三四五六七八九十]{1,3}\s*[、.．]",
        r"[（(][一二三四五六七八九十]{1,3}[)）]",
        r"\d{1,2}(?:[、.．]\s*(?!\d)|\s+)",
        r"\d{1,2}[.．]\d{1,2}(?![.．\d])",
        r"\d{1,2}(?:[.．]\d{1,2}){2}(?![.．\d])",
        r"\d{1,2}(?:[.．]\d{1,2}){3}",
        r"[（(]\d{1,2}[)）]|\d{1,2}[)）]",
    )
)


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of `n_lines` lines; `level` 1 is outermost."""

    title: str
    level: int
    n_lines: int


@dataclass(frozen=True, slots=True)
class Typography:
    """The title (the largest lines at the top, empty when none is larger), and headings by page and item number."""

    title: str
    headings: dict[tuple[int, int], Heading]


@dataclass(frozen=True, slots=True)
class _Found:
    page: int
    item: int
    lines: tuple[Line, ...]
    text: str
    is_styled: bool

    @property
    def size(self) -> float:
        """Of the type, to half a point."""
        return round(2 * self.lines[0].size) / 2


_Kind = tuple[int, float, bool]
"""The place of its numbering in `_NUMBERINGS`; behind them all, and with size and weight, for a heading without one."""


def typography_of(pages: Sequence[Page]) -> Typography:
    """Measured over all lines, each weighing its characters."""
    lines = [line for page in pages for line in page.lines]
    body = body_size(pages)
    n_bold = sum(len(line.text) for line in lines if line.bold)
    bold_tells = n_bold < 0.3 * sum(len(line.text) for line in lines)
    found = [heading for number, page in enumerate(pages) for heading in _on_page(number, page, body, bold_tells)]
    title, title_size = _title(pages, lines, body)
    found = [h for h in found if not (title_size and abs(h.lines[0].size - title_size) < 0.1 and h.text in title)]
    cover = _cover(pages)
    found = [h for h in found if h.page or h.item > cover or h.text in title]
    levels = _levels(found)
    return Typography(title, {(h.page, h.item): Heading(h.text, levels[_kind(h)], len(h.lines)) for h in found})


def _title(pages: Sequence[Page], lines: Sequence[Line], body: float) -> tuple[str, float]:
    """The largest lines at the top, and their size where nothing else has it, so that they head no section.

    A chapter (第一章 总则, 1. Purpose) is no title, nor part of one: the lines of the title end before it.
    """
    first = pages[0].lines[:4] if pages else []
    largest = max((line.size for line in first), default=0.0)
    if largest < _LARGER * body:
        return "", 0.0
    title = ""
    for line in first:
        if line.size > largest - 0.1:
            if is_chapter(line.text):
                break
            title = flow(title, line.text)
    if not title:
        return "", 0.0
    alone = sum(line.size > largest - 0.1 for line in lines) <= len(first)
    return title, largest if alone else 0.0


def is_chapter(text: str) -> bool:
    """Whether `text` is the heading of a part by its number, and so no title.

    >>> is_chapter("第一章 总则"), is_chapter("1. Purpose"), is_chapter("2026 年度考核办法")
    (True, True, False)
    """
    return _NUMBERED.match(text) is not None or heading_level(text) is not None


def _cover(pages: Sequence[Page]) -> int:
    """The place on the first page of a date that stands alone near its top, under the title and names; -1 without one."""
    lines = [(place, item) for place, item in enumerate(pages[0].items if pages else ()) if isinstance(item, Line)]
    for number, (place, line) in enumerate(lines[:_COVER]):
        if _DATE.fullmatch(line.text):
            before = [above.text for _, above in lines[:number]]
            return -1 if any(numbering(t) is not None or t.endswith(_SENTENCE_END) for t in before) else place
    return -1


def _on_page(number: int, page: Page, body: float, bold_tells: bool) -> list[_Found]:
    found: list[_Found] = []
    items, usual = page.items, page.usual_gap()
    place = 0
    while place < len(items):
        group = _group(items, place, usual)
        heading = _as_heading(number, place, group, body, bold_tells) if group else None
        if heading and not (heading.is_styled and _runs_on(items, place, heading)):
            found.append(heading)
        place += len(group) or 1
    return found


def _group(items: Sequence[Item], place: int, usual: float) -> list[Line]:
    """The line at `place`, and those below it that go on in the same type where it had no room, and begin nothing new."""
    group: list[Line] = []
    for item in items[place:]:
        if not isinstance(item, Line):
            break
        if group:
            last = group[-1]
            alike = abs(item.size - last.size) < 0.5 and item.bold == last.bold and item.left == last.left
            below = item.top > last.top and is_near(last, item, usual)
            no_room = last.right - last.x1 < first_word(item) + item.size
            if not (alike and below and no_room) or numbering(item.text) is not None:
                break
        group.append(item)
    return group


def _as_heading(number: int, place: int, group: Sequence[Line], body: float, bold_tells: bool) -> _Found | None:
    first = group[0]
    text = ""
    for line in group:
        text = flow(text, line.text)
    large, bold = first.size >= _LARGER * body, first.bold and bold_tells
    fits = len(group) <= _MOST_LINES and len(text) <= _LONGEST_HEADING and not text.endswith(_NO_HEADING)
    wordy = any(c.isalpha() for c in text) and (large or not text.endswith((":", "：")))
    if (large or bold) and fits and wordy:
        return _Found(number, place, tuple(group), text, True)
    goes_on = len(group) > 1 or (len(first.text) >= _LONG and first.right - first.x1 < 2 * first.size)
    if heading_level(first.text) is not None and not goes_on:
        return _Found(number, place, (first,), first.text, False)
    return None


def _runs_on(items: Sequence[Item], place: int, heading: _Found) -> bool:
    """Whether a bold line is only a part of the paragraph around it."""
    last = items[place - 1] if place else None
    first = heading.lines[0]
    if not isinstance(last, Line) or abs(last.size - first.size) > 0.5 or last.left != first.left:
        return False
    full = last.right - last.x1 < 2 * last.size
    return full and not last.bold and 0 <= first.top - last.bottom < 0.6 * first.size and numbering(first.text) is None


def numbering(text: str) -> int | None:
    """Which kind of number `text` begins with, from 编 (0) to （1）; None when with none.

    >>> numbering("第二章 休假"), numbering("3.1 范围"), numbering("范围")
    (1, 7, None)
    """
    return next((place for place, pattern in enumerate(_NUMBERINGS) if pattern.match(text.lower())), None)


def _kind(heading: _Found) -> _Kind:
    kind = numbering(heading.text)
    return (len(_NUMBERINGS), heading.size, heading.lines[0].bold) if kind is None else (kind, 0.0, False)


def _levels(found: Sequence[_Found]) -> dict[_Kind, int]:
    """The larger the type, the higher the level; at one size bold is above light, and numbering decides the rest."""
    sizes: dict[_Kind, list[float]] = defaultdict(list)
    bold: dict[_Kind, list[bool]] = defaultdict(list)
    for heading in found:
        sizes[_kind(heading)].append(heading.size)
        bold[_kind(heading)].append(heading.lines[0].bold)
    order = sorted(sizes, key=lambda kind: (-median(sizes[kind]), -median(bold[kind]), kind[0]))
    return {kind: level for level, kind in enumerate(order, start=1)}
