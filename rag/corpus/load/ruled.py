"""Tables of a PDF page that are drawn with rules: which cell a glyph stands in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from pdfplumber.table import TableFinder

from rag.corpus.clean import flow_lines
from rag.corpus.load.ink import Box, Glyph
from rag.corpus.load.lines import Line, plain_lines
from rag.corpus.load.table import Cell

MAX_CROSSINGS = 5000
_BUCKET, _MOST_BUCKETS = 24.0, 500

Grid = tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table of at least two rows and columns in `box`; `lefts` is where its columns begin.

    `full` holds the columns whose cell in the last row is filled to the end of its last line: a row that is cut by the
    end of the page goes on in these.
    """

    grid: Grid
    box: Box
    lefts: tuple[float, ...]
    full: frozenset[int] = frozenset()
    broken: frozenset[int] = frozenset()
    """The columns where a cell has a line that reaches the right side, with another below it: not set as wide as they need."""
    bold_top: bool = False
    """Whether the first row is bold and another is not."""
    names: tuple[Line, ...] = ()
    """Its first row where it is drawn without rules: what stands in its columns stands under these."""
    goes_on: bool = False
    """Whether it goes on with the last table of the page before."""

    @property
    def top(self) -> float:
        """Where it begins."""
        return self.box[1]


def is_overruled(rules: Sequence[Box]) -> bool:
    """Whether the rules may cross at so many places that looking for tables would take minutes."""
    upright = {round(rule[0]) for rule in rules if rule[0] == rule[2]}
    level = {round(rule[1]) for rule in rules if rule[1] == rule[3]}
    return len(upright) * len(level) > MAX_CROSSINGS


def find_tables(rules: Sequence[Box], glyphs: Sequence[Glyph]) -> tuple[list[Table], list[Glyph]]:
    """The tables, and the glyphs that stand in none of them."""
    tables: list[Table] = []
    rest = list(glyphs)
    # pdfplumber's finder asks a page for nothing but its edges
    for found in TableFinder(SimpleNamespace(edges=[_edge(rule) for rule in rules])).tables:
        if len(found.rows) > 1 and len(found.columns) > 1:
            table, rest = _table(found, rest)
            if table:
                tables.append(table)
    return tables, rest


def _edge(rule: Box) -> dict[str, Any]:
    x0, top, x1, bottom = rule
    return {
        "object_type": "line",
        "x0": x0,
        "top": top,
        "x1": x1,
        "bottom": bottom,
        "width": x1 - x0,
        "height": bottom - top,
        "orientation": "v" if x0 == x1 else "h",
    }


def _table(found: Any, glyphs: Sequence[Glyph]) -> tuple[Table | None, list[Glyph]]:
    """The table with its text, and the glyphs outside it; None when fewer than two cells hold text (a box around something)."""
    places: dict[Box, tuple[int, int]] = {}
    for r, row in enumerate(found.rows):
        for c, box in enumerate(row.cells):
            if box is not None:
                places[box] = (r, c)
    inside, rest = _sort_into(list(places), glyphs)
    lines = {box: plain_lines(within) for box, within in inside.items() if within}
    cells = {
        box: Cell(flow_lines("\n".join(line.text for line in lines.get(box, ()))), place)
        for box, place in places.items()
    }
    if sum(bool(cell.text) for cell in cells.values()) < 2:
        return None, list(glyphs)
    lefts = tuple(float(column.bbox[0]) for column in found.columns)
    grid = tuple(
        tuple(
            cells[box] if box is not None else _covering(cells, lefts[c], row.bbox[1], (r, c))
            for c, box in enumerate(row.cells)
        )
        for r, row in enumerate(found.rows)
    )
    last = enumerate(found.rows[-1].cells)
    full = frozenset(c for c, box in last if box is not None and lines.get(box) and _is_full(box, lines[box][-1]))
    by_row = [[lines[box] for box in row.cells if box is not None and lines.get(box)] for row in found.rows]
    bold = [all(line.bold for cell in row for line in cell) for row in by_row if row]
    broken = {places[box][1] for box, within in lines.items() if any(_is_full(box, line) for line in within[:-1])}
    bounds: Box = tuple(map(float, found.bbox))  # type: ignore[assignment]
    return Table(grid, bounds, lefts, full, frozenset(broken), bold[0] and not all(bold)), rest


def _is_full(box: Box, line: Line) -> bool:
    """Whether `line`, of some length, reaches the right side of the cell, so that words may go on behind it.

    Figures do too, for they are set to the right.
    """
    margin = 1.5 * line.size
    return line.x1 - line.x0 > 3 * margin and box[2] - line.x1 < margin and not _is_figure(line.text)


def _sort_into(boxes: Sequence[Box], glyphs: Sequence[Glyph]) -> tuple[dict[Box, list[Glyph]], list[Glyph]]:
    """Each glyph into the box around its middle; those in no box are the rest."""
    buckets: dict[int, list[Box]] = defaultdict(list)
    height = max(_BUCKET, (max(box[3] for box in boxes) - min(box[1] for box in boxes)) / _MOST_BUCKETS)
    for box in boxes:
        for bucket in range(int(box[1] // height), int(box[3] // height) + 1):
            buckets[bucket].append(box)
    inside: dict[Box, list[Glyph]] = {box: [] for box in boxes}
    rest: list[Glyph] = []
    for glyph in glyphs:
        x, y = glyph.x, glyph.y
        near = buckets.get(int(y // height), ())
        home = next((b for b in near if b[0] <= x <= b[2] and b[1] <= y <= b[3]), None)
        (inside[home] if home else rest).append(glyph)
    return inside, rest


def _covering(cells: dict[Box, Cell], left: float, top: float, place: tuple[int, int]) -> Cell:
    """The merged cell that covers a place which has no cell of its own; an empty cell when none does."""
    x, y = left + 1, top + 1
    for box, cell in cells.items():
        if box[0] <= x <= box[2] and box[1] <= y <= box[3]:
            return cell
    return Cell("", place)


def _is_figure(text: str) -> bool:
    return sum(c.isdigit() for c in text) > 0.4 * len(text)
