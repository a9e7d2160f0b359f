"""What stands where on a PDF page: lines of text and ruled tables, from top to bottom."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

from rag.corpus.clean import clean_line, flow_lines, is_wide
from rag.corpus.load.table import Cell

# A gap wider than this share of the character size is a blank. Chinese is set with a thin gap around numbers
# and stretched to full lines, so beside a wide character it takes more.
_GAP, _WIDE_GAP = 0.2, 0.5
# Some files put a space character under every gap; one without room is not seen by a reader.
_SPACED_GAP = 0.1
_SAME_SPOT = 0.12
MAX_CROSSINGS = 5000
_MARGIN = 0.1
_MOST_PAGES = 0.6
_EDGE_LINES = 3
_BUCKET = 24.0
_PAGE_NUMBER = re.compile(
    r"(?:第\s*)?[-–—\s]*\d{1,4}[-–—\s]*(?:页)?(?:\s*[/／,，]?\s*(?:共|of)?\s*\d{1,4}\s*页?)?|page\s+\d+.*",
    re.IGNORECASE,
)

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text; positions in points from the page's upper left corner, `size` is the characters' usual size."""

    text: str
    x0: float
    x1: float
    top: float
    bottom: float
    size: float


@dataclass(frozen=True, slots=True)
class Table:
    """A ruled table of at least two rows and columns."""

    grid: tuple[tuple[Cell, ...], ...]
    top: float


@dataclass(frozen=True, slots=True)
class Page:
    """One page: `items` from top to bottom; `height` in points; `n_characters` of the text layer."""

    items: tuple[Line | Table, ...]
    height: float
    n_characters: int
    has_images: bool
    is_overruled: bool = False
    """So many lines are drawn that no tables were looked for: it would take minutes."""


@dataclass(frozen=True, slots=True)
class _Glyph:
    text: str
    x0: float
    x1: float
    top: float
    bottom: float
    size: float

    @property
    def y(self) -> float:
        return (self.top + self.bottom) / 2


def read_page(page: Any) -> Page:
    """The lines and tables of a pdfplumber page. Characters printed several times on one spot count once."""
    glyphs = _once(_glyphs(page.chars))
    items: list[Line | Table] = []
    overruled = _crossings(page.edges) > MAX_CROSSINGS
    if glyphs and not overruled:
        for table in page.find_tables():
            if len(table.rows) > 1 and len(table.columns) > 1:
                grid, rest = _grid(table, glyphs)
                if grid:
                    items.append(Table(grid, float(table.bbox[1])))
                    glyphs = rest
    items += [line for line in lines_from(glyphs) if line.text]
    items.sort(key=lambda item: item.top)
    return Page(tuple(items), float(page.height), len(page.chars), bool(page.images), overruled)


def lines_from(glyphs: Iterable[_Glyph]) -> list[Line]:
    """Glyphs gathered into lines by their height on the page, each line from left to right."""
    rows: list[list[_Glyph]] = []
    for glyph in sorted(glyphs, key=lambda g: (g.y, g.x0)):
        if rows and glyph.y - rows[-1][0].y <= 0.5 * min(glyph.size, rows[-1][0].size):
            rows[-1].append(glyph)
        else:
            rows.append([glyph])
    return [_line(sorted(row, key=lambda g: g.x0)) for row in rows if any(g.text.strip() for g in row)]


def without_running_lines(pages: Sequence[Page]) -> list[Page]:
    """The pages without page numbers and repeated headers and footers.

    A header or footer is what stands in the margin of most pages, digits aside; it is kept where it stands first.
    """
    counts: Counter[str] = Counter()
    for page in pages:
        counts.update({_digits_aside(line.text) for line in _edges(page)})
    enough = max(2.0, _MOST_PAGES * len(pages))
    result = []
    seen: set[str] = set()
    for page in pages:
        running = {line: _digits_aside(line.text) for line in _edges(page)}
        dropped = {line for line, key in running.items() if counts[key] >= enough and key in seen}
        dropped |= {line for line in running if _PAGE_NUMBER.fullmatch(line.text)}
        seen.update(running.values())
        result.append(replace(page, items=tuple(item for item in page.items if item not in dropped)))
    return result


def _crossings(edges: Sequence[dict[str, Any]]) -> int:
    """How many places a page's rules can cross at, at most."""
    upright = {round(edge["x0"]) for edge in edges if edge["orientation"] == "v"}
    level = {round(edge["top"]) for edge in edges if edge["orientation"] == "h"}
    return len(upright) * len(level)


def _glyphs(characters: Sequence[dict[str, Any]]) -> list[_Glyph]:
    """The characters that stand upright; rotated ones are stamps and watermarks, unless all are."""
    upright = [c for c in characters if c["upright"]] or list(characters)
    return [
        _Glyph(c["text"], float(c["x0"]), float(c["x1"]), float(c["top"]), float(c["bottom"]), float(c["size"]) or 1.0)
        for c in upright
        if c["text"]
    ]


def _once(glyphs: Sequence[_Glyph]) -> list[_Glyph]:
    """Without glyphs printed again on (almost) the same spot, as bold and shadow effects do."""
    kept: list[_Glyph] = []
    seen: dict[tuple[str, int, int], list[_Glyph]] = defaultdict(list)
    for glyph in glyphs:
        near = _SAME_SPOT * glyph.size
        column, row = int(glyph.x0 // near), int(glyph.top // near)
        around = (g for i in (-1, 0, 1) for j in (-1, 0, 1) for g in seen.get((glyph.text, column + i, row + j), ()))
        if not any(abs(g.x0 - glyph.x0) < near and abs(g.top - glyph.top) < near for g in around):
            kept.append(glyph)
        # a shadow is shifted again and again, so a dropped glyph counts as seen too
        seen[glyph.text, column, row].append(glyph)
    return kept


def _line(glyphs: Sequence[_Glyph]) -> Line:
    seen = [glyph for glyph in glyphs if glyph.text.strip()]
    text, before, spaced = "", None, False
    for glyph in glyphs:
        if not glyph.text.strip():
            spaced = True
            continue
        text += f" {glyph.text}" if before and _is_blank(before, glyph, spaced) else glyph.text
        before, spaced = glyph, False
    return Line(
        clean_line(text),
        seen[0].x0,
        max(g.x1 for g in seen),
        min(g.top for g in seen),
        max(g.bottom for g in seen),
        median(g.size for g in seen),
    )


def _is_blank(before: _Glyph, glyph: _Glyph, spaced: bool) -> bool:
    """Whether there is a blank between two glyphs; `spaced` when the file puts a space character there."""
    if spaced:
        least = _SPACED_GAP
    else:
        least = _WIDE_GAP if is_wide(before.text[-1]) or is_wide(glyph.text[0]) else _GAP
    return glyph.x0 - before.x1 > least * max(glyph.size, before.size)


def _edges(page: Page) -> list[Line]:
    low, high = _MARGIN * page.height, (1 - _MARGIN) * page.height
    lines = [item for item in page.items[:_EDGE_LINES] + page.items[-_EDGE_LINES:] if isinstance(item, Line)]
    return [line for line in lines if line.bottom < low or line.top > high]


def _digits_aside(text: str) -> str:
    return re.sub(r"\d+", "#", text)


def _grid(table: Any, glyphs: Sequence[_Glyph]) -> tuple[tuple[tuple[Cell, ...], ...], list[_Glyph]]:
    """The table's places with their text, and the glyphs that stand outside it.

    The grid is empty when fewer than two cells hold text (a box around something).
    """
    places: dict[Box, tuple[int, int]] = {}
    for r, row in enumerate(table.rows):
        for c, box in enumerate(row.cells):
            if box is not None:
                places[box] = (r, c)
    inside, rest = _sort_into(list(places), glyphs)
    cells = {
        box: Cell(flow_lines("\n".join(line.text for line in lines_from(inside[box]))), place)
        for box, place in places.items()
    }
    if sum(bool(cell.text) for cell in cells.values()) < 2:
        return (), list(glyphs)
    lefts = [column.bbox[0] for column in table.columns]
    grid = tuple(
        tuple(
            cells[box] if box is not None else _covering(cells, lefts[c], row.bbox[1], (r, c))
            for c, box in enumerate(row.cells)
        )
        for r, row in enumerate(table.rows)
    )
    return grid, rest


def _sort_into(boxes: Sequence[Box], glyphs: Sequence[_Glyph]) -> tuple[dict[Box, list[_Glyph]], list[_Glyph]]:
    """Each glyph into the box around its middle; those in no box are the rest."""
    buckets: dict[int, list[Box]] = defaultdict(list)
    for box in boxes:
        for bucket in range(int(box[1] // _BUCKET), int(box[3] // _BUCKET) + 1):
            buckets[bucket].append(box)
    inside: dict[Box, list[_Glyph]] = {box: [] for box in boxes}
    rest: list[_Glyph] = []
    for glyph in glyphs:
        x, y = (glyph.x0 + glyph.x1) / 2, glyph.y
        around = buckets.get(int(y // _BUCKET), ())
        home = next((b for b in around if b[0] <= x <= b[2] and b[1] <= y <= b[3]), None)
        (inside[home] if home else rest).append(glyph)
    return inside, rest


def _covering(cells: dict[Box, Cell], left: float, top: float, place: tuple[int, int]) -> Cell:
    """The merged cell that covers a place which has no cell of its own; an empty cell when none does."""
    x, y = left + 1, top + 1
    for box, cell in cells.items():
        if box[0] <= x <= box[2] and box[1] <= y <= box[3]:
            return cell
    return Cell("", place)
