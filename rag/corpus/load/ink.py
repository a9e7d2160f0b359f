"""What a PDF page carries, whichever engine read it: characters with their places, and ruled lines."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

Box = tuple[float, float, float, float]
"""Left, top, right, bottom, in points from the page's upper left corner."""
SLANTED = -1
_NEAR = math.radians(15)
_BOLD = re.compile(r"bold|heavy|black|demi|simhei|heiti|黑体|BX\d|[-,_.](?:bd|b)$", re.IGNORECASE)
_PALEST, _PALE = 0.98, 0.6


@dataclass(frozen=True, slots=True)
class Style:
    """How characters are set. `turn`: degrees counter-clockwise (0, 90, 180, 270), or `SLANTED`."""

    turn: int = 0
    bold: bool = False
    pale: bool = False


@dataclass(frozen=True, slots=True)
class Glyph:
    """A character as drawn; positions in points from the upper left corner, `size` of the type in points."""

    text: str
    x0: float
    top: float
    x1: float
    bottom: float
    size: float
    style: Style = Style()

    @property
    def x(self) -> float:
        """The middle, from the left."""
        return (self.x0 + self.x1) / 2

    @property
    def y(self) -> float:
        """The middle, from the top."""
        return (self.top + self.bottom) / 2


@dataclass(frozen=True, slots=True)
class Ink:
    """One page: glyphs in drawing order, straight level and upright rules as boxes without width or height."""

    glyphs: tuple[Glyph, ...]
    rules: tuple[Box, ...]
    width: float
    height: float
    has_images: bool


def turn_of(a: float, b: float) -> int:
    """The `Style.turn` of text whose baseline runs in direction (`a`, `b`), y upwards.

    >>> turn_of(12, 0), turn_of(0, 12), turn_of(1, 1)
    (0, 90, -1)
    """
    angle = math.atan2(b, a)
    quarters = round(angle / (math.pi / 2))
    return quarters % 4 * 90 if abs(angle - quarters * math.pi / 2) <= _NEAR else SLANTED


def is_bold(font: str) -> bool:
    """Whether a font is a bold one by its name (Microsoft YaHei is not, for all its Hei).

    >>> is_bold("ABCDEF+SimHei"), is_bold("Times-Bold"), is_bold("MicrosoftYaHei")
    (True, True, False)
    """
    return bool(_BOLD.search(font))


def is_pale(color: Sequence[float]) -> bool:
    """Whether text of this colour (grey, RGB or CMYK, each 0…1) is pale on white; white itself is not."""
    if len(color) == 4:
        color = [(1 - c) * (1 - color[3]) for c in color[:3]]
    if len(color) == 3:
        color = [0.3 * color[0] + 0.59 * color[1] + 0.11 * color[2]]
    return len(color) == 1 and _PALE <= color[0] < _PALEST


def rules_along(points: Sequence[tuple[float, float]]) -> list[Box]:
    """The level and upright stretches between neighbouring points."""
    found = []
    for (x0, y0), (x1, y1) in zip(points, points[1:], strict=False):
        if abs(y0 - y1) < 0.5 <= abs(x0 - x1):
            found.append((min(x0, x1), y0, max(x0, x1), y0))
        elif abs(x0 - x1) < 0.5 <= abs(y0 - y1):
            found.append((x0, min(y0, y1), x0, max(y0, y1)))
    return found


def around(box: Box) -> list[Box]:
    """The four sides of `box`."""
    x0, top, x1, bottom = box
    return [(x0, top, x1, top), (x0, bottom, x1, bottom), (x0, top, x0, bottom), (x1, top, x1, bottom)]


def turned(turn: int, width: float, height: float) -> Callable[[Box], Box]:
    """Where boxes go when a page of `width` × `height` is turned so that text of `turn` reads from left to right."""
    if turn == 90:  # it read upwards, the lines from left to right
        return lambda b: (height - b[3], b[0], height - b[1], b[2])
    if turn == 270:  # it read downwards, the lines from right to left
        return lambda b: (b[1], width - b[2], b[3], width - b[0])
    if turn == 180:
        return lambda b: (width - b[2], height - b[3], width - b[0], height - b[1])
    return lambda b: b


def turn_glyphs(glyphs: Sequence[Glyph], move: Callable[[Box], Box], turn: int) -> list[Glyph]:
    """The glyphs at the places that `move` gives, each turned back by `turn`."""
    result = []
    for glyph in glyphs:
        x0, top, x1, bottom = move((glyph.x0, glyph.top, glyph.x1, glyph.bottom))
        own = glyph.style.turn
        style = replace(glyph.style, turn=own if own == SLANTED else (own - turn) % 360)
        result.append(Glyph(glyph.text, x0, top, x1, bottom, glyph.size, style))
    return result


def straightened(ink: Ink) -> Ink:
    """The page turned as it is read: most of its characters stand upright and run from left to right.

    Chinese set in columns from top to bottom is laid down, so that a column becomes a line.
    """
    seen = [g for g in ink.glyphs if g.text.strip()]
    turns = Counter(g.style.turn for g in seen)
    turn = turns.most_common(1)[0][0] if turns else 0
    if turn == SLANTED:  # a page drawn askew reads from left to right for want of better
        return replace(ink, glyphs=tuple(replace(g, style=replace(g.style, turn=0)) for g in ink.glyphs))
    down = turn == 0 and _runs_down(seen)
    if turn == 0 and not down:
        return ink
    move = turned(270 if down else turn, ink.width, ink.height)
    upended = turn in (90, 270) or down
    return Ink(
        tuple(turn_glyphs(ink.glyphs, move, turn)),
        tuple(map(move, ink.rules)),
        ink.height if upended else ink.width,
        ink.width if upended else ink.height,
        ink.has_images,
    )


def _runs_down(glyphs: Sequence[Glyph]) -> bool:
    """Whether most glyphs are followed by the one just below, and few by the one on the right."""
    down = right = 0
    for a, b in zip(glyphs, glyphs[1:], strict=False):
        near = 0.3 * a.size
        down += abs(a.x - b.x) < near and 0.6 * a.size < b.y - a.y < 2 * a.size
        right += abs(a.y - b.y) < near and 0 < b.x - a.x < 2 * a.size
    return down > 10 and down > 3 * right
