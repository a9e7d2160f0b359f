"""What stands where on a PDF page: lines of text and ruled tables, from top to bottom."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

from rag.corpus.clean import clean_line, flow_lines
from rag.corpus.load.table import Cell

# A gap wider than this share of the character size is a blank between words.
_WORD_GAP = 0.15
_MARGIN = 0.1
_MOST_PAGES = 0.6
_EDGE_LINES = 3
_PAGE_NUMBER = re.compile(
    r"(?:第\s*)?[-–—\s]*\d{1,4}[-–—\s]*(?:页)?(?:\s*[/／,，]?\s*(?:共|of)?\s*\d{1,4}\s*页?)?|page\s+\d+.*", re.I
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


def read_page(page: Any) -> Page:
    """The lines and tables of a pdfplumber page. Characters printed several times on one spot count once."""
    if not page.chars:
        return Page((), float(page.height), 0, bool(page.images))
    page = page.dedupe_chars()
    found = [table for table in page.find_tables() if len(table.rows) > 1 and len(table.columns) > 1]
    tables = [Table(grid, float(table.bbox[1])) for table in found if (grid := _grid(table))]
    boxes = [table.bbox for table in found if _grid(table)]
    rest = page.filter(lambda item: not any(_inside(item, box) for box in boxes)) if boxes else page
    lines = [_line(line) for line in rest.extract_text_lines(x_tolerance_ratio=_WORD_GAP)]
    items: list[Line | Table] = [*tables, *(line for line in lines if line.text)]
    items.sort(key=lambda item: item.top)
    return Page(tuple(items), float(page.height), len(page.chars), bool(page.images))


def without_running_lines(pages: list[Page]) -> list[Page]:
    """The pages without headers, footers and page numbers: what stands in the margin of most pages, digits aside."""
    counts: Counter[str] = Counter()
    for page in pages:
        counts.update({_digits_aside(line.text) for line in _edges(page)})
    enough = max(2.0, _MOST_PAGES * len(pages))
    result = []
    for page in pages:
        dropped = {
            line
            for line in _edges(page)
            if counts[_digits_aside(line.text)] >= enough or _PAGE_NUMBER.fullmatch(line.text)
        }
        result.append(replace(page, items=tuple(item for item in page.items if item not in dropped)))
    return result


def _edges(page: Page) -> list[Line]:
    low, high = _MARGIN * page.height, (1 - _MARGIN) * page.height
    lines = [item for item in page.items[:_EDGE_LINES] + page.items[-_EDGE_LINES:] if isinstance(item, Line)]
    return [line for line in lines if line.bottom < low or line.top > high]


def _digits_aside(text: str) -> str:
    return re.sub(r"\d+", "#", text)


def _line(line: dict[str, Any]) -> Line:
    sizes = [float(char["size"]) for char in line["chars"]]
    return Line(clean_line(line["text"]), line["x0"], line["x1"], line["top"], line["bottom"], median(sizes))


def _inside(item: dict[str, Any], box: Box) -> bool:
    x, y = (item["x0"] + item["x1"]) / 2, (item["top"] + item["bottom"]) / 2
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def _grid(table: Any) -> tuple[tuple[Cell, ...], ...]:
    """The table's places with text; empty when it holds fewer than two texts (a box around something)."""
    texts = table.extract(x_tolerance_ratio=_WORD_GAP)
    anchors: dict[Box, Cell] = {}
    for r, row in enumerate(table.rows):
        for c, box in enumerate(row.cells):
            if box is not None:
                anchors[box] = Cell(flow_lines(texts[r][c] or ""), (r, c))
    if sum(bool(cell.text) for cell in anchors.values()) < 2:
        return ()
    columns = [column.bbox for column in table.columns]
    return tuple(
        tuple(
            _covering(anchors, columns[c], row.bbox, (r, c)) if box is None else anchors[box]
            for c, box in enumerate(row.cells)
        )
        for r, row in enumerate(table.rows)
    )


def _covering(anchors: dict[Box, Cell], column: Box, row: Box, place: tuple[int, int]) -> Cell:
    """The merged cell that covers a place which has no cell of its own; an empty cell when none does."""
    x, y = (column[0] + column[2]) / 2, (row[1] + row[3]) / 2
    for box, cell in anchors.items():
        if box[0] <= x <= box[2] and box[1] <= y <= box[3]:
            return cell
    return Cell("", place)
