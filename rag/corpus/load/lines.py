"""Glyphs of a PDF page gathered into lines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from rag.corpus.clean import clean_line, flow, is_wide
from rag.corpus.load.ink import SLANTED, Glyph, turn_glyphs, turned
from rag.corpus.load.raised import Place, written

# A gap wider than this share of the character size is a blank. Chinese is set with a thin gap around numbers
# and stretched to full lines, so beside a wide character it takes more.
_GAP, _WIDE_GAP = 0.2, 0.5
# Some files put a space character under every gap; one without room is not seen by a reader.
_SPACED_GAP = 0.1
_SAME_SPOT = 0.12
# A gap wider than this share of the character size may part two columns.
_PIECE_GAP = 0.9
_SMALL = 0.87
# Of the size of the type beside it, from its bottom.
_SHIFTED, _LITTLE = 0.16, 0.05

Row = list[Glyph]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text; positions in points from the page's upper left corner, `size` is the characters' usual size."""

    text: str
    x0: float
    x1: float
    top: float
    bottom: float
    size: float
    bold: bool = False
    pale: bool = False
    parts: tuple[Line, ...] = ()
    """What its wide gaps part, from left to right; empty without one."""
    left: float = 0.0
    right: float = 0.0
    """Where the column that it stands in begins and ends."""

    @property
    def tail(self) -> str:
        """What stands after its last wide gap, for example the page number of an entry in a table of contents."""
        return self.parts[-1].text if self.parts else ""


def once(glyphs: Sequence[Glyph]) -> tuple[list[Glyph], list[Glyph]]:
    """The glyphs, and those printed again on (almost) the same spot, as bold and shadow effects do."""
    kept: list[Glyph] = []
    again: list[Glyph] = []
    seen: dict[tuple[str, int, int], list[Glyph]] = defaultdict(list)
    for glyph in glyphs:
        near = _SAME_SPOT * glyph.size
        column, row = int(glyph.x0 // near), int(glyph.top // near)
        around = (g for i in (-1, 0, 1) for j in (-1, 0, 1) for g in seen.get((glyph.text, column + i, row + j), ()))
        if any(abs(g.x0 - glyph.x0) < near and abs(g.top - glyph.top) < near for g in around):
            if glyph.text.strip():
                again.append(glyph)
        else:
            kept.append(glyph)
        # a shadow is shifted again and again, so a dropped glyph counts as seen too
        seen[glyph.text, column, row].append(glyph)
    return kept, again


def rows_of(glyphs: Iterable[Glyph]) -> list[Row]:
    """Upright glyphs gathered by their height on the page, each row from left to right; raised and lowered figures with their row."""
    rows: list[Row] = []
    level: Glyph | None = None  # the first of the row; a larger one tells better where the line is
    for glyph in sorted(glyphs, key=lambda g: (g.y, g.x0)):
        if level is not None and glyph.y - level.y <= 0.5 * min(glyph.size, level.size):
            rows[-1].append(glyph)
            level = glyph if glyph.size > level.size else level
        else:
            rows.append([glyph])
            level = glyph
    rows = [sorted(row, key=lambda g: g.x0) for row in rows if any(g.text.strip() for g in row)]
    return _with_raised(rows)


def _with_raised(rows: list[Row]) -> list[Row]:
    """Rows of small glyphs that stand in the gaps of a row beside them go into that row."""
    kept: list[Row] = []
    waiting: Row | None = None
    for row in rows:
        if waiting is not None:
            if _fits_into(waiting, row):
                row = sorted([*waiting, *row], key=lambda g: g.x0)
            else:
                kept.append(waiting)
        waiting = None
        if kept and _fits_into(row, kept[-1]):
            kept[-1] = sorted([*kept[-1], *row], key=lambda g: g.x0)
        else:
            waiting = row
    return kept if waiting is None else [*kept, waiting]


def _fits_into(small: Row, row: Row) -> bool:
    """Whether every glyph of `small` is a raised or lowered figure of `row`: smaller, beside a glyph, over none."""
    if len(small) > len(row) or small[0].size > _SMALL * row[0].size:
        return False
    top, bottom = min(g.top for g in row), max(g.bottom for g in row)
    for glyph in (g for g in small if g.text.strip()):
        if min(glyph.bottom, bottom) - max(glyph.top, top) < 0.4 * (glyph.bottom - glyph.top):
            return False
        reach = 0.6 * row[0].size
        beside = any(abs(glyph.x0 - g.x1) < reach or abs(g.x0 - glyph.x1) < reach for g in row if g.text.strip())
        over = any(
            min(glyph.x1, g.x1) - max(glyph.x0, g.x0) > 0.5 * (glyph.x1 - glyph.x0) for g in row if g.text.strip()
        )
        if over or not beside:
            return False
    return True


def pieces(row: Row) -> list[Row]:
    """The row cut at its wide gaps, blanks at the cuts left out."""
    parts: list[Row] = []
    for glyph in row:
        if not glyph.text.strip():
            if parts:
                parts[-1].append(glyph)
            continue
        last = next((g for g in reversed(parts[-1]) if g.text.strip()), None) if parts else None
        if last is None or glyph.x0 - last.x1 > _PIECE_GAP * max(glyph.size, last.size):
            parts.append([glyph])
        else:
            parts[-1].append(glyph)
    return parts


def line_of(row: Row, left: float = 0.0, right: float = 0.0) -> Line:
    """A row as a line in the column from `left` to `right`; the row holds a visible glyph."""
    seen = [glyph for glyph in row if glyph.text.strip()]
    parts = pieces(row)
    return Line(
        _text(row),
        seen[0].x0,
        max(g.x1 for g in seen),
        min(g.top for g in seen),
        max(g.bottom for g in seen),
        median(g.size for g in seen),
        sum(g.style.bold for g in seen) > 0.8 * len(seen),
        sum(g.style.pale for g in seen) > 0.8 * len(seen),
        tuple(map(line_of, parts)) if len(parts) > 1 else (),
        left,
        right,
    )


def plain_lines(glyphs: Iterable[Glyph]) -> list[Line]:
    """The glyphs as lines from top to bottom, whatever stands beside what; text that is turned comes after the rest."""
    turns: dict[int, list[Glyph]] = defaultdict(list)
    for glyph in glyphs:
        turns[glyph.style.turn].append(glyph)
    lines = [line for turn in sorted(turns) if turn != SLANTED for line in _turned_lines(turns[turn], turn)]
    return [line for line in lines if line.text]


def _turned_lines(glyphs: Sequence[Glyph], turn: int) -> list[Line]:
    if turn == 0:
        return [line_of(row) for row in rows_of(glyphs)]
    lines = []
    for row in rows_of(turn_glyphs(glyphs, turned(turn, 0.0, 0.0), turn)):
        back = turn_glyphs(row, turned((360 - turn) % 360, 0.0, 0.0), 0)
        box = min(g.x0 for g in back), max(g.x1 for g in back), min(g.top for g in back), max(g.bottom for g in back)
        flat = line_of(row)
        lines.append(Line(flat.text, *box, flat.size, flat.bold, flat.pale))
    return lines


def _text(row: Row) -> str:
    """What the row says; figures that are raised or lowered beside others are written as `raised.written` does: 10^4."""
    runs: list[tuple[str, Place]] = []
    before, base, spaced = None, _first_on_the_line(row), False
    for glyph in row:
        if not glyph.text.strip():
            spaced = True
            continue
        place = _stands(glyph, base)
        if before and _is_blank(before, glyph, spaced):
            runs.append((" ", None))
        runs.append((glyph.text, place))
        base = base if place else glyph
        before, spaced = glyph, False
    return clean_line("".join(written(runs) if any(place for _, place in runs) else [text for text, _ in runs]))


def _first_on_the_line(row: Row) -> Glyph:
    """The first of the largest glyphs: what stands before it may be raised too."""
    return max((g for g in row if g.text.strip()), key=lambda g: g.size)


def _stands(glyph: Glyph, base: Glyph) -> Place:
    """Whether a glyph stands above or below the line that `base` stands on: smaller, and not by its size alone."""
    if glyph.size > _SMALL * base.size:
        return None
    up, higher = (base.bottom - glyph.bottom) / base.size, (base.y - glyph.y) / base.size
    if up > _SHIFTED and higher > _LITTLE:
        return "raised"
    return "lowered" if up < -_LITTLE and higher < -_LITTLE else None


def _is_blank(before: Glyph, glyph: Glyph, spaced: bool) -> bool:
    """Whether there is a blank between two glyphs; `spaced` when the file puts a space character there."""
    if spaced:
        least = _SPACED_GAP
    else:
        least = _WIDE_GAP if is_wide(before.text[-1]) or is_wide(glyph.text[0]) else _GAP
    return glyph.x0 - before.x1 > least * max(glyph.size, before.size)


def first_word(line: Line) -> float:
    """The width of what cannot be broken at the start of `line`: a word, or one Chinese character."""
    word = line.text.split(" ", 1)[0]
    unbroken = next((i for i, c in enumerate(word) if is_wide(c)), len(word)) or 1
    return (line.x1 - line.x0) * unbroken / max(len(line.text), 1)


def is_near(above: Line, below: Line, usual: float) -> bool:
    """Whether the gap between two lines is no wider than within a paragraph; `usual` is the usual one there, in points."""
    return below.top - above.bottom <= max(1.5 * usual, usual + 0.3 * below.size)


def flow_broken(first: str, second: str) -> str:
    """Two lines of a paragraph joined, a word that was broken with a hyphen made whole.

    >>> flow_broken("the organi-", "sation"), flow_broken("2023-", "0379"), flow_broken("每年", "15 天")
    ('the organisation', '2023-0379', '每年15 天')
    """
    hyphen = len(first) > 1 and first[-1] in "-\u2010" and first[-2].isalnum() and second[:1].isalnum()
    if not hyphen or is_wide(first[-2]) or is_wide(second[0]):
        return flow(first, second)
    return (first[:-1] if first[-2].islower() and second[0].islower() else first) + second
