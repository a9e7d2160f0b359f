"""Lines of a PDF that belong to its pages and not to its text: headers, footers, page numbers, watermarks."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rag.corpus.load.layout import Item, Left, Page, body_size
from rag.corpus.load.lines import Line
from rag.corpus.load.page_number import is_page_number_in, lone_page_number, says_page
from rag.corpus.load.typography import numbering
from rag.types import Why

_ZONE = 0.16
_EDGE_LINES = 4
_SLOT = 4.0
_MOST_PAGES = 0.6
_MANY_PAGES = 0.4
_NEARLY_ALL = 0.8
_MOSTLY = 0.8
_DIGITS = re.compile(r"\d+")
_NUMBERED = re.compile(r"[\d.．、:：]+")
_CHAPTER_PAGES = 40
_ANNEX = re.compile(r"(?:附件|附表|附录|附錄|附图|附)\s*[\d一二三四五六七八九十]{1,3}\s*[:：]?")


@dataclass(frozen=True, slots=True)
class _Spot:
    """A line near the upper or lower end of page `page` (from 0)."""

    page: int
    line: Line
    is_top: bool
    is_apart: bool
    """Smaller than the text, or further from it than its lines are from each other."""


def left_out(pages: Sequence[Page]) -> list[Page]:
    """The pages with running lines, page numbers and watermarks turned into `Left`.

    A header of most pages is kept where it stands first, for it often says what document this is and nothing else does;
    not when its words stand in the text as well. One that changes with the chapters only repeats their headings.
    """
    why: dict[tuple[int, Line], Why] = {}
    for number, line in _watermarks(pages):
        why[number, line] = "watermark"
    body = body_size(pages)
    spots = [spot for n, page in enumerate(pages) for spot in _spots(n, page, body) if (n, spot.line) not in why]
    for spot in _numbers(spots, len(pages)):
        why[spot.page, spot.line] = "page_number"
    spots = [spot for spot in spots if (spot.page, spot.line) not in why]
    running = _from_outside(_running(spots, pages), pages, set(why))
    for spot in running:
        why[spot.page, spot.line] = "running_line"
    for spot in _first_ones(running, pages, set(why)):
        del why[spot.page, spot.line]
    return [
        replace(
            page,
            items=tuple(_left(item, why.get((n, item)) if isinstance(item, Line) else None) for item in page.items),
        )
        for n, page in enumerate(pages)
    ]


def _left(item: Item, why: Why | None) -> Item:
    return Left(item.text, why, item.top) if why and isinstance(item, Line) else item


def _watermarks(pages: Sequence[Page]) -> list[tuple[int, Line]]:
    """Lines apart from the text with the same words at the same place on most pages."""
    found: dict[tuple[str, int], list[tuple[int, Line]]] = defaultdict(list)
    for number, page in enumerate(pages):
        for line in page.apart:
            found[line.text, round((line.top + line.bottom) / 2 / 12)].append((number, line))
    enough = max(2.0, _MOST_PAGES * len(pages))
    return [spot for spots in found.values() if len({n for n, _ in spots}) >= enough for spot in spots]


def _spots(number: int, page: Page, body: float) -> list[_Spot]:
    lines = sorted(page.lines, key=lambda line: line.top)
    if not lines:
        return []
    others = [item for item in page.items if not isinstance(item, Left)]
    usual = min(max(page.usual_gap(), 0.3 * body), 1.2 * body)
    spots = []
    for is_top, edge in ((True, lines[:_EDGE_LINES]), (False, lines[-_EDGE_LINES:])):
        for line in edge:
            zone = line.bottom < _ZONE * page.height if is_top else line.top > (1 - _ZONE) * page.height
            if zone:
                spots.append(_Spot(number, line, is_top, _is_apart(line, others, is_top, body, usual)))
    return spots


def _is_apart(line: Line, others: Sequence[Item], is_top: bool, body: float, usual: float) -> bool:
    """Whether a line is smaller than the text, or a wider gap parts it, and what is further out, from the text."""
    if line.size < 0.95 * body:
        return True
    if is_top:
        gap = min((o.top - line.bottom for o in others if o.top > line.top + 1), default=0.0)
    else:
        gap = min((line.top - _bottom(o) for o in others if o.top < line.top - 1), default=0.0)
    return gap > 1.6 * usual


def _bottom(item: Item) -> float:
    return item.bottom if isinstance(item, Line) else item.box[3] if not isinstance(item, Left) else item.top


def _numbers(spots: Sequence[_Spot], n_pages: int) -> list[_Spot]:
    """Page numbers: lines that are nothing else, and count as the pages do."""
    candidates = [(spot, value) for spot in spots if (value := lone_page_number(spot.line.text)) is not None]
    offsets: dict[int, int] = defaultdict(int)
    for spot, value in candidates:
        offsets[value - spot.page] += 1
    return [
        spot
        for spot, value in candidates
        if value - spot.page == 1
        or offsets[value - spot.page] >= 2
        or says_page(spot.line.text)
        or (n_pages == 1 and not spot.is_top and spot.is_apart)  # a page taken out of a longer file
    ]


def _running(spots: Sequence[_Spot], pages: Sequence[Page]) -> list[_Spot]:
    """Headers and footers: what stands at a height where the same words, or one of a few, come on most pages."""
    result: list[_Spot] = []
    for is_top in (True, False):
        for slot in _at_one_height([spot for spot in spots if spot.is_top == is_top]):
            result += _in_slot(slot, pages)
    return result


def _in_slot(slot: Sequence[_Spot], pages: Sequence[Page]) -> list[_Spot]:
    """The running lines among lines at one height."""
    groups: dict[str, list[_Spot]] = defaultdict(list)
    for spot in slot:
        groups[_DIGITS.sub("#", spot.line.text)].append(spot)
    again = [
        g for g in groups.values() if len({s.page for s in g}) > 1 and not _are_headings(g) and _digits_count_pages(g)
    ]
    repeated = [spot for group in again for spot in group]
    share = len({spot.page for spot in repeated}) / len(pages)
    apart = sum(spot.is_apart for spot in slot) / len(slot)
    if share >= (_MANY_PAGES if apart >= _MOSTLY else _NEARLY_ALL if len(pages) > 3 else 2.0):
        once = [s for s in slot if s not in repeated and _stands_in_text(s, pages)] if apart >= _MOSTLY else []
        return repeated + once
    return [
        spot
        for group in again
        for spot in group
        if len(group) >= _MOST_PAGES * len(pages) and sum(s.is_apart for s in group) > 0.5 * len(group)
    ]


def _stands_in_text(spot: _Spot, pages: Sequence[Page]) -> bool:
    """Whether the words of a chapter's header, its numbers aside, are also in lines of the text, on its page or before."""
    if _ANNEX.fullmatch(spot.line.text):
        return False  # the heading of its page, which the text before it has named
    words = [part for part in _NUMBERED.split(_plain(spot.line.text).casefold()) if len(part) > 1]
    near = pages[max(spot.page - _CHAPTER_PAGES, 0) : spot.page + 1]
    lines = {_plain(line.text).casefold() for page in near for line in page.lines if line != spot.line}
    return bool(words) and all(any(part in line for line in lines) for part in words)


def _at_one_height(group: Sequence[_Spot]) -> list[list[_Spot]]:
    parts: list[list[_Spot]] = []
    for spot in sorted(group, key=lambda s: s.line.bottom):
        if parts and spot.line.bottom - parts[-1][0].line.bottom < _SLOT:
            parts[-1].append(spot)
        else:
            parts.append([spot])
    return parts


def _are_headings(group: Sequence[_Spot]) -> bool:
    """Whether the lines are numbered one after the other as chapters and sections are (第3节 on page 3)."""
    if len({spot.line.text for spot in group}) == 1 or numbering(group[0].line.text) is None:
        return False
    figures = _DIGITS.search(group[0].line.text)
    return figures is None or not is_page_number_in(group[0].line, *figures.span())


def _digits_count_pages(spots: Sequence[_Spot]) -> bool:
    """Whether every number in the line is the same on (nearly) all pages, or counts them and is written as one that does.

    A number that only rises from page to page is that of a form, an annex or a year: 附件1, 附件2, each on a page of its own.
    """
    figures = [list(_DIGITS.finditer(spot.line.text)) for spot in spots]
    for column in zip(*figures, strict=True):
        values = [int(found.group()[:9]) for found in column]
        enough = 0.8 * len(values)
        if max(map(values.count, set(values))) >= enough:
            continue
        by_page = [value - spot.page for value, spot in zip(values, spots, strict=True)]
        worded = sum(is_page_number_in(s.line, *found.span()) for s, found in zip(spots, column, strict=True))
        if min(worded, max(map(by_page.count, set(by_page)))) < enough:
            return False
    return True


def _from_outside(running: Sequence[_Spot], pages: Sequence[Page], gone: set[tuple[int, Line]]) -> list[_Spot]:
    """The spots that nothing of the text parts from the end of the page."""
    chosen = {(spot.page, spot.line) for spot in running} | gone
    kept = []
    for spot in running:
        line = spot.line
        outer = (o for o in pages[spot.page].lines if (o.top < line.top - 1 if spot.is_top else o.top > line.top + 1))
        if all((spot.page, other) in chosen for other in outer):
            kept.append(spot)
    return kept


def _first_ones(running: Sequence[_Spot], pages: Sequence[Page], gone: set[tuple[int, Line]]) -> list[_Spot]:
    """The spots where a header stands first and is kept."""
    headers: dict[str, list[_Spot]] = defaultdict(list)
    for spot in running:
        if spot.is_top:
            headers[_DIGITS.sub("#", spot.line.text)].append(spot)
    first = [min(g, key=lambda s: s.page) for g in headers.values() if len(g) >= _MANY_PAGES * len(pages)]
    if not first:
        return []
    body = {_plain(item.text) for n, page in enumerate(pages) for item in page.lines if (n, item) not in gone}
    text = "\n".join(body)
    return [spot for spot in first if _plain(spot.line.text) not in text]


def _plain(text: str) -> str:
    return re.sub(r"\s+", "", text)
