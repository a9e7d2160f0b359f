"""What stands on a PDF page in reading order: lines of text, tables, and what was left out of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

from rag.corpus.load.columns import in_reading_order
from rag.corpus.load.ink import SLANTED, Box, Glyph, Ink, straightened
from rag.corpus.load.lines import Line, first_word, once, plain_lines
from rag.corpus.load.presentation import NO_CHARACTER, as_typed, is_readable
from rag.corpus.load.ruled import Table, find_tables, is_overruled
from rag.corpus.load.unseen import without_hidden, without_struck
from rag.types import Why

# Much larger than the text it lies under or over; or pale.
_HUGE = 1.8
_FAR = 2.5
_FULL_PAGE = 10
_NARROW = 0.75
_MOST_LAYERS = 20
_MOST_APART = 200


@dataclass(frozen=True, slots=True)
class Left:
    """Words of the page that are left out, at height `top`."""

    text: str
    why: Why
    top: float


Item = Line | Table | Left


@dataclass(frozen=True, slots=True)
class Page:
    """One page: `items` in reading order; `width` and `height` in points; `n_characters` of the text layer."""

    items: tuple[Item, ...]
    width: float
    height: float
    n_characters: int
    has_images: bool
    is_overruled: bool = False
    """So many lines are drawn that no tables were looked for: it would take minutes."""
    n_unreadable: int = 0
    """Glyphs that stand for no character."""
    apart: frozenset[Line] = frozenset()
    """Lines that lie over or under other text or are pale: watermarks, when they come on most pages."""

    @property
    def lines(self) -> list[Line]:
        """The lines of text outside its tables."""
        return [item for item in self.items if isinstance(item, Line)]

    def usual_gap(self) -> float:
        """The usual gap between two lines of a paragraph, in points: where the first has no room left, if any has not."""
        lines = self.lines
        pairs = [
            (a, b)
            for a, b in zip(lines, lines[1:], strict=False)
            if abs(a.size - b.size) < 1 and a.left == b.left and b.top > a.top
        ]
        full = [b.top - a.bottom for a, b in pairs if a.right - a.x1 < 1.5 * a.size]
        gaps = full or [b.top - a.bottom for a, b in pairs]
        return median(gaps) if gaps else 0.0


def read_page(ink: Ink) -> Page:
    """The lines and tables of a page. Characters printed several times on one spot count once."""
    shown, hidden = without_hidden(ink)
    ink = straightened(shown)
    readable, n_unreadable = _readable(ink.glyphs)
    glyphs, again = once(readable)
    glyphs = _made_bold(glyphs, again)
    left = [Left(text, "overprint", top) for text, top in _overprinted(again)]
    left += [Left(text, "watermark", top) for text, top in _slanted(glyphs)]
    left += [Left(text, "hidden", top) for text, top in hidden]
    if n_unreadable:
        left.append(Left(f"{NO_CHARACTER} ×{n_unreadable}", "unreadable", 0.0))
    glyphs = [g for g in glyphs if g.style.turn != SLANTED]
    rules = [rule for rule in ink.rules if _is_near(rule, ink)]
    glyphs, rules, struck = without_struck(glyphs, rules)
    left += [Left(text, "deletion", top) for text, top in struck]
    overruled = is_overruled(rules)
    tables, glyphs = find_tables(rules, glyphs) if glyphs and not overruled else ([], glyphs)
    apart, glyphs = _set_apart(glyphs)
    turned = plain_lines(g for g in glyphs if g.style.turn != 0)
    items = list[Item](in_reading_order([g for g in glyphs if g.style.turn == 0], tables, ink.height))
    others: list[Item] = [*left, *apart, *turned]
    for item in sorted(others, key=lambda item: item.top):
        items.insert(_place(items, item.top), item)
    return Page(
        tuple(items), ink.width, ink.height, len(ink.glyphs), ink.has_images, overruled, n_unreadable, frozenset(apart)
    )


def with_common_margin(pages: Sequence[Page]) -> list[Page]:
    """The pages, where the lines of short ones (a cover, a last page) may reach as far to the right as on the others.

    Where most lines of a page that is far from filled leave room for what follows them, the widest of them need not be
    full either: lines may reach as far as to where the margins of the page are alike.
    """
    pages = list(map(_with_room, pages))
    rights = [max(line.right for line in page.lines) for page in pages if len(page.lines) >= _FULL_PAGE]
    common = median(rights) if rights else 0.0
    return [page if len(page.lines) >= _FULL_PAGE else _reaching(page, common) for page in pages]


def _with_room(page: Page) -> Page:
    left, right = min((i.left for i in page.lines), default=0.0), max((i.right for i in page.lines), default=0.0)
    whole = [line for line in page.lines if line.left == left and line.right == right]
    pairs = list(zip(whole, whole[1:], strict=False))
    full = sum(right - a.x1 <= first_word(b) + b.size for a, b in pairs)
    alike = page.width - left
    if not whole or right - left >= _NARROW * (alike - left) or 2 * full >= len(pairs):
        return page
    chosen = {id(line) for line in whole}
    return replace(
        page,
        items=tuple(replace(i, right=alike) if isinstance(i, Line) and id(i) in chosen else i for i in page.items),
    )


def _reaching(page: Page, right: float) -> Page:
    own = max((line.right for line in page.lines), default=right)
    if own >= right:
        return page
    items = (replace(i, right=right) if isinstance(i, Line) and i.right == own else i for i in page.items)
    return replace(page, items=tuple(items))


def body_size(pages: Sequence[Page]) -> float:
    """The usual size of type, each line weighing its characters; 0 without lines."""
    sizes = sorted((line.size, len(line.text)) for page in pages for line in page.lines)
    half, seen = sum(weight for _, weight in sizes) / 2, 0
    for size, weight in sizes:
        seen += weight
        if seen >= half:
            return size
    return 0.0


def _is_near(rule: Box, ink: Ink) -> bool:
    """Whether a rule is on the page, or near it."""
    within_x = -ink.width < rule[0] and rule[2] < 2 * ink.width
    return within_x and -ink.height < rule[1] and rule[3] < 2 * ink.height


def _readable(glyphs: Sequence[Glyph]) -> tuple[list[Glyph], int]:
    """The glyphs that stand for characters, and the number of the others."""
    kept, dropped = [], 0
    for glyph in glyphs:
        text = as_typed(glyph.text)
        if is_readable(text):
            kept.append(glyph if text == glyph.text else replace(glyph, text=text))
        else:
            dropped += 1
    return kept, dropped


def _made_bold(glyphs: Sequence[Glyph], again: Sequence[Glyph]) -> list[Glyph]:
    """Glyphs that are printed twice to look bold are bold."""
    if not again:
        return list(glyphs)
    twice = {(g.text, round(g.x / g.size), round(g.y / g.size)) for g in again}
    return [
        replace(g, style=replace(g.style, bold=True))
        if (g.text, round(g.x / g.size), round(g.y / g.size)) in twice
        else g
        for g in glyphs
    ]


def _overprinted(again: Sequence[Glyph]) -> list[tuple[str, float]]:
    """What was printed again, line by line, each with the number of times (of which it counts no more than 20)."""
    counts: dict[str, int] = {}
    tops: dict[str, float] = {}
    for _ in range(_MOST_LAYERS):
        layer, again = once(again)
        for line in plain_lines(layer):
            counts[line.text] = counts.get(line.text, 0) + 1
            tops.setdefault(line.text, line.top)
    return [(text if counts[text] == 1 else f"{text} ×{counts[text]}", top) for text, top in tops.items()]


def _slanted(glyphs: Sequence[Glyph]) -> list[tuple[str, float]]:
    """The phrases that run aslant, each once with the number of times."""
    phrases: list[tuple[str, float]] = []
    last: Glyph | None = None
    for glyph in (g for g in glyphs if g.style.turn == SLANTED):
        near = last is not None and max(abs(glyph.x - last.x), abs(glyph.y - last.y)) < _FAR * max(
            glyph.size, last.size
        )
        if near:
            phrases[-1] = phrases[-1][0] + glyph.text, phrases[-1][1]
        else:
            phrases.append((glyph.text, glyph.top))
        last = glyph
    counts = Counter(text.strip() for text, _ in phrases)
    tops = {text.strip(): top for text, top in reversed(phrases) if text.strip()}
    return [(text if counts[text] == 1 else f"{text} ×{counts[text]}", top) for text, top in sorted(tops.items())]


def _set_apart(glyphs: Sequence[Glyph]) -> tuple[list[Line], list[Glyph]]:
    """Lines that are no part of the text around them, and the other glyphs.

    These are pale or very large glyphs that other text lies over, or beside which nothing else stands.
    """
    if not glyphs:
        return [], []
    usual = median(g.size for g in glyphs)
    odd = [g for g in glyphs if (g.style.pale or g.size > _HUGE * usual) and g.style.turn == 0]
    if not odd or len(odd) > 0.5 * len(glyphs):
        return [], list(glyphs)
    rest = [g for g in glyphs if not ((g.style.pale or g.size > _HUGE * usual) and g.style.turn == 0)]
    lines = plain_lines(odd)
    if len(lines) > _MOST_APART:
        return [], list(glyphs)
    apart = [line for line in lines if _is_apart(line, rest)]
    taken = [g for g in odd if any(_holds(line, g) for line in apart)]
    kept = {id(g) for g in taken}
    return apart, [g for g in glyphs if id(g) not in kept]


def _holds(line: Line, glyph: Glyph) -> bool:
    return line.top <= glyph.y <= line.bottom and line.x0 - 1 <= glyph.x <= line.x1 + 1


def _is_apart(line: Line, rest: Sequence[Glyph]) -> bool:
    """Whether other text lies in the line's box, or none stands on its row."""
    middle = (line.top + line.bottom) / 2
    on_row = False
    for glyph in rest:
        if not glyph.text.strip():
            continue
        if _holds(line, glyph):
            return True
        on_row = on_row or (glyph.top <= middle <= glyph.bottom)
    return not on_row


def _place(items: Sequence[Item], top: float) -> int:
    """Where something at height `top` goes among items in reading order: before the first that is lower, else last."""
    for number, item in enumerate(items):
        if item.top > top and all(later.top > top for later in items[number : number + 3]):
            return number
    return len(items)
