"""What a PDF page carries and its reader does not see or is not meant to read: words off the page, specks, struck-out words."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from rag.corpus.clean import clean_line
from rag.corpus.load.ink import Box, Glyph, Ink

# In points.
_SPECK = 2.0
_MOST_SHOWN = 2000
_BAND = 4.0
# A page with more is a drawing.
_MOST_RULES = 1000
# Of the size of the type: how far from the middle of the letters a line may lie that strikes them out, how much of it
# may stand out at each end, how much of its length is over letters, and how thick it is at most.
_OFF_MIDDLE, _OUT, _COVERED, _THICK = 0.25, 0.5, 0.6, 0.15

Noted = list[tuple[str, float]]
"""Texts that are left out, each with its height on the page."""


def without_hidden(ink: Ink) -> tuple[Ink, Noted]:
    """The page without the glyphs that lie outside it and those under two points, unless most are so small.

    What is noted is bounded: of each kind the first 2000 characters, in the order in which they were drawn.
    """
    inside: list[Glyph] = []
    outside: list[Glyph] = []
    for glyph in ink.glyphs:
        # no number at all, as a malformed file may give, is not on the page either
        is_on = glyph.x1 >= 0 and glyph.x0 <= ink.width and glyph.bottom >= 0 and glyph.top <= ink.height
        (inside if is_on else outside).append(glyph)
    specks = [g for g in inside if _is_speck(g)]
    if len(specks) > 0.5 * len(inside):
        specks = []
    if not outside and not specks:
        return ink, []
    small = {id(g) for g in specks}
    kept = tuple(g for g in inside if id(g) not in small)
    return replace(ink, glyphs=kept), _noted(outside, ink.height) + _noted(specks, ink.height)


def _is_speck(glyph: Glyph) -> bool:
    return glyph.size < _SPECK and glyph.x1 - glyph.x0 < _SPECK and glyph.bottom - glyph.top < _SPECK


def _noted(glyphs: Sequence[Glyph], height: float) -> Noted:
    text = clean_line("".join(g.text for g in glyphs[:_MOST_SHOWN]))
    if not text:
        return []
    return [(text + "…" * (len(glyphs) > _MOST_SHOWN), min(max(glyphs[0].top, 0.0), height))]


def without_struck(glyphs: Sequence[Glyph], rules: Sequence[Box]) -> tuple[list[Glyph], list[Box], Noted]:
    """The glyphs and rules without the words that are struck out and the lines that do it.

    Such a line runs through the middle of the letters of one line, begins and ends with them, and meets no upright one,
    as the rules of a table and the sides of a coloured box do.
    """
    level = [rule for rule in rules if rule[1] == rule[3] and rule[2] > rule[0]]
    if not level or len(level) > _MOST_RULES:
        return list(glyphs), list(rules), []
    bands: dict[int, list[Glyph]] = defaultdict(list)
    for glyph in sorted(glyphs, key=lambda g: g.x):
        if glyph.style.turn == 0 and glyph.text.strip():
            bands[int(glyph.y // _BAND)].append(glyph)
    upright = sorted(rule for rule in rules if rule[0] == rule[2])
    struck: set[int] = set()
    lines: set[Box] = set()
    found: list[tuple[float, float, str]] = []
    for rule in sorted(set(level), key=lambda r: (r[1], r[0])):
        crossed = _crossed(rule, bands)
        if crossed and not _meets(rule, upright, crossed[0].size):
            lines.add(rule)
            text = clean_line("".join(g.text for g in crossed if id(g) not in struck))
            found += [(crossed[0].top, crossed[0].x0, text)] if text else []
            struck.update(map(id, crossed))
    noted = [(text, top) for top, _, text in sorted(found)]
    return [g for g in glyphs if id(g) not in struck], [rule for rule in rules if rule not in lines], noted


def _crossed(rule: Box, bands: dict[int, list[Glyph]]) -> list[Glyph]:
    """The glyphs that the rule runs through the middle of, from left to right, when it runs over little else; else none."""
    x0, y, x1, _ = rule
    crossed: list[Glyph] = []
    reach = _BAND * 2
    for band in range(int((y - reach) // _BAND), int((y + reach) // _BAND) + 1):
        row = bands.get(band, [])
        first, last = bisect_left(row, x0, key=lambda g: g.x), bisect_right(row, x1, key=lambda g: g.x)
        crossed += [g for g in row[first:last] if abs(g.y - y) <= _OFF_MIDDLE * g.size]
    if not crossed:
        return []
    crossed.sort(key=lambda g: g.x0)
    out = _OUT * crossed[0].size
    fits = crossed[0].x0 - x0 <= out and x1 - max(g.x1 for g in crossed) <= out
    return crossed if fits and sum(g.x1 - g.x0 for g in crossed) >= _COVERED * (x1 - x0) else []


def _meets(rule: Box, upright: Sequence[Box], size: float) -> bool:
    """Whether an upright rule of some length stands at an end of the level one."""
    for end in (rule[0], rule[2]):
        first = bisect_left(upright, end - 1, key=lambda r: r[0])
        for x, top, _, bottom in upright[first:]:
            if x > end + 1:
                break
            if bottom - top > _THICK * size and top - 1 <= rule[1] <= bottom + 1:
                return True
    return False
