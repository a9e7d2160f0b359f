"""Tables of contents in a PDF: their entries are headings that stand again where they belong."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rag.corpus.load.layout import Item, Left, Page
from rag.corpus.load.lines import Line

_HEADING = re.compile(
    r"目\s*[录錄次]|(?:table\s+of\s+)?contents|차\s*례|목\s*차|sommaire|table des matières|inhalt(?:sverzeichnis)?|содержание|оглавление|índice",
    re.IGNORECASE,
)
_LEADERS = re.compile(
    r"^(.*?\S)\s*(?:[.．。·•…‥_－—-]\s*){3,}\s*[-(（]?\s*(\d{1,4}|[ivxlc]{1,7})\s*[)）-]?$", re.IGNORECASE
)
_NUMBER = re.compile(r"\d{1,4}|[ivxlc]{1,7}", re.IGNORECASE)
_FEWEST = 3
_MOST_WRAPPED = 2


@dataclass(frozen=True, slots=True)
class _Entry:
    """An entry's words and page number (0: Roman), whether dots lead to it."""

    title: str
    number: int
    has_leaders: bool


@dataclass(frozen=True, slots=True)
class _Place:
    """An item of a page, by number."""

    page: int
    item: int
    line: Line


def without_contents(pages: Sequence[Page]) -> list[Page]:
    """The pages with the lines of tables of contents, and the word over them, turned into `Left`."""
    places = [
        _Place(n, i, item)
        for n, page in enumerate(pages)
        for i, item in enumerate(page.items)
        if isinstance(item, Line)
    ]
    gone: dict[tuple[int, int], Item] = {}
    number = 0
    while number < len(places):
        end = _end_of_contents(places, number, len(pages))
        for place in places[number:end]:
            gone[place.page, place.item] = Left(place.line.text, "contents", place.line.top)
        number = max(end, number + 1)
    return [
        replace(page, items=tuple(gone.get((n, i), item) for i, item in enumerate(page.items)))
        for n, page in enumerate(pages)
    ]


def _end_of_contents(places: Sequence[_Place], start: int, n_pages: int) -> int:
    """Where the contents that begin at `start` end; `start` itself when none begin there."""
    headed = bool(_HEADING.fullmatch(places[start].line.text))
    entries: list[_Entry] = []
    end, wrapped = start, 0
    for number in range(start + headed, len(places)):
        entry = _entry(places[number].line, headed)
        if entry is not None:
            entries.append(entry)
            end, wrapped = number + 1, 0
        elif headed and (wrapped < _MOST_WRAPPED if entries else wrapped == 0):
            wrapped += 1  # an entry of more than one line, a subtitle
        else:
            break
    if len(entries) < _FEWEST or not _counts_up(entries):
        return start
    if headed:
        return end
    if not all(entry.has_leaders for entry in entries) or max(entry.number for entry in entries) > n_pages + 50:
        return start
    return end if _stand_again(entries, places[end:]) else start


def _entry(line: Line, headed: bool) -> _Entry | None:
    found = _LEADERS.match(line.text)
    if found:
        return _Entry(found.group(1), _value(found.group(2)), True)
    tail = line.tail.strip()
    if headed and _NUMBER.fullmatch(tail) and len(line.text) > len(tail):
        return _Entry(line.text[: -len(tail)].strip(), _value(tail), False)
    return None


def _value(number: str) -> int:
    return int(number) if number.isdigit() else 0


def _counts_up(entries: Sequence[_Entry]) -> bool:
    """Whether page numbers grow from entry to entry, nearly always."""
    numbers = [entry.number for entry in entries if entry.number]
    falls = sum(b < a for a, b in zip(numbers, numbers[1:], strict=False))
    return falls <= 0.1 * len(numbers)


def _stand_again(entries: Sequence[_Entry], after: Sequence[_Place]) -> bool:
    """Whether most entries are lines further on."""
    later = {_plain(place.line.text) for place in after}
    return sum(_plain(entry.title) in later for entry in entries) > 0.5 * len(entries)


def _plain(text: str) -> str:
    return re.sub(r"\s+", "", text)
