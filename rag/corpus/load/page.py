"""The elements of a web page → blocks, headings, lists and tables; what is left out is noted at its place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, islice

from bs4.element import CData, Comment, PageElement, Tag

from rag.corpus.clean import clean_line, flow_lines
from rag.corpus.load.builder import TextBuilder
from rag.corpus.load.cell import Cell, one_line
from rag.corpus.load.clutter import Clutter, is_text
from rag.corpus.load.headings import heading_level
from rag.corpus.load.page_lists import ItemNumbers
from rag.corpus.load.places import Places, filled
from rag.corpus.load.raised import Place, marked, spelled, spelled_each
from rag.corpus.load.table import render
from rag.errors import UnsafeFile
from rag.types import Why

MAX_CELLS = 500_000
_LONGEST_NOTE = 2000
_BLOCKS = frozenset(
    "address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure form header "
    "hr html legend li main ol p pre section summary table tbody td tfoot th thead tr ul caption".split()
)
_HEADING = re.compile(r"h([1-6])")
_PLACES: dict[str, Place] = {"sup": "raised", "sub": "lowered"}
_ALIGNED = re.compile(r"vertical-align\s*:\s*(sub|super)\b", re.IGNORECASE)
# The parts of a formula by their place: what stands on the line, then what does not.
_FORMULAS: dict[str, tuple[Place, Place, Place]] = {
    "msup": (None, "raised", "raised"),
    "msub": (None, "lowered", "lowered"),
    "msubsup": (None, "lowered", "raised"),
}


@dataclass(slots=True)
class _Parts:
    """What a table holds: its captions, the cells of its rows, how many of the first are its head, and loose words."""

    captions: list[Tag] = field(default_factory=list)
    rows: list[list[Tag]] = field(default_factory=list)
    loose: list[str] = field(default_factory=list)
    heads: int = 0


class Page:
    """Goes through a page once: words gather until a block ends."""

    def __init__(self, name: str, builder: TextBuilder, clutter: Clutter) -> None:
        self.title = ""
        self._name = name
        self._builder = builder
        self._clutter = clutter
        self._words: list[str] = []
        self._items: list[str] = []
        self._numbers = ItemNumbers()
        self._label = ""
        self._left: list[tuple[int, str, Why]] = []

    def walk(self, parent: Tag) -> None:
        """Add what `parent` holds."""
        for child in parent.children:
            if isinstance(child, Tag):
                if not self._leaves_out(child):
                    self._tag(child)
            else:
                self._words.append(self._string(child))

    def _string(self, node: PageElement) -> str:
        """What is read of a node that is no element; a comment is noted."""
        if isinstance(node, Comment | CData):
            self._note(str(node), "comment")
        return re.sub(r"\s+", " ", str(node)) if is_text(node) else ""

    def finish(self) -> None:
        """The page ends."""
        self._end_block()
        self._end_list()
        self._write_notes([], "")

    def _leaves_out(self, tag: Tag) -> bool:
        if tag.name == "head":
            for script in tag.find_all(["script", "style"]):
                self._note(script.get_text(), "script")
            return True
        why = self._clutter.why(tag)
        if why:
            self._note(tag.get_text(" "), why)
        return why is not None

    def _note(self, text: str, why: Why) -> None:
        shown = re.sub(r"\s+", " ", text).strip()
        if shown:
            over = " …" if len(shown) > _LONGEST_NOTE else ""
            self._left.append((len(self._words), shown[:_LONGEST_NOTE] + over, why))

    def _write_notes(self, words: list[str], text: str) -> None:
        """Note what was left out among `words`, of which `text` was just added, at its place."""
        left, self._left = self._left, []
        if not left:
            return
        before = [0, *accumulate(map(filled, spelled_each(words)))]
        places = Places(text)
        for place, removed, why in left:
            self._builder.remove(removed, why, back=places.back(before[place]) if place < len(words) else 0)

    def _end_block(self) -> None:
        """The words so far are a paragraph; list items stay together as one block of lines."""
        words, self._words = self._words, []
        text = _lines(words)
        if text:
            text, self._label = self._label + text, ""
            self._end_list()
            level = heading_level(text)
            if level is None:
                self._builder.add(text)
            else:
                self._builder.heading(level, text)
        if not self._items:
            self._write_notes(words, text)

    def _tag(self, tag: Tag) -> None:
        heading = _HEADING.fullmatch(tag.name)
        if tag.name == "br":
            self._words.append("\n")
        elif heading:
            self._heading(int(heading.group(1)), tag)
        elif tag.name == "table":
            self._table(tag)
        elif tag.name == "li":
            self._item(tag)
        elif tag.name == "pre":
            self._end_block()
            self._end_list()
            self._builder.add(spelled("".join(self._pieces(tag, as_written=True))))
            self._write_notes([], "")
        elif tag.name in _BLOCKS:
            self._end_block()
            self.walk(tag)
            self._end_block()
            if tag.name in ("ul", "ol"):
                self._end_list()
        elif _place(tag) and not tag.find(_BLOCKS):
            self._words.append(marked(self._visible_text(tag), _place(tag)))
        else:
            self.walk(tag)

    def _heading(self, level: int, tag: Tag) -> None:
        self._end_block()
        self._end_list()
        title = flow_lines(self._visible_text(tag))
        if level == 1:
            self.title = self.title or title
        self._builder.heading(level, title)
        self._write_notes([], "")

    def _item(self, tag: Tag) -> None:
        """A list item is one line; one that holds blocks of its own (a table, a nested list) is walked."""
        if _lines(self._words):
            self._end_block()
        self._words = []
        if tag.find(["table", "ul", "ol", "p", "div", "h1", "h2", "h3", "h4", "h5", "h6"]):
            self._label = self._numbers.of(tag)
            self.walk(tag)
            self._end_block()
            self._label = ""
            return
        label = self._numbers.of(tag) or "- "
        text = clean_line(self._visible_text(tag))
        if text:
            self._items.append(f"{label}{text}")

    def _end_list(self) -> None:
        items, self._items = self._items, []
        if items:
            self._builder.lines(items)
            self._write_notes([], "")

    def _table(self, tag: Tag) -> None:
        self._end_block()
        self._end_list()
        if tag.find(["table", "h1", "h2", "h3", "h4", "h5", "h6"]):
            self.walk(tag)  # a table that only lays out the page
            self._end_block()
            return
        parts = _Parts()
        self._sort(tag, parts)
        self._builder.add(_lines(parts.loose))  # where browsers show it
        above = flow_lines("\n".join(map(self._visible_text, parts.captions)))
        self._builder.add(above)
        grid = self._grid(parts.rows)
        kept = [r for r, row in enumerate(grid) if any(cell.text for cell in row)]
        # names over nothing but empty rows are words
        rendered = render([grid[r] for r in kept], heads=sum(r < parts.heads for r in kept))
        heading = "\n".join(line for line in (above, rendered.heading) if line)
        self._builder.table(rendered.lines, heading)
        self._write_notes([], "")

    def _sort(self, parent: Tag, parts: _Parts) -> None:
        """Sort what a table holds, wherever in it: cells in a form inside their row, words outside of cells."""
        for child in parent.children:
            if not isinstance(child, Tag):
                parts.loose.append(self._string(child))
            elif self._leaves_out(child):
                continue
            elif child.name == "caption":
                parts.captions.append(child)
            elif child.name in ("td", "th"):
                parts.rows = parts.rows or [[]]
                parts.rows[-1].append(child)
            else:
                parts.rows += [[]] if child.name == "tr" else []
                parts.loose += ["\n"] if child.name == "br" or child.name in _BLOCKS else []
                is_head = child.name == "thead" and len(parts.rows) == parts.heads
                self._sort(child, parts)
                parts.heads = len(parts.rows) if is_head else parts.heads

    def _grid(self, rows: Sequence[Sequence[Tag]]) -> list[list[Cell]]:
        """The rows as a rectangle; a cell that spans rows or columns stands at every place it covers."""
        places: dict[tuple[int, int], Cell] = {}
        for r, row in enumerate(rows):
            column = 0
            for tag in row:
                while (r, column) in places:
                    column += 1
                wide, high = _span(tag, "colspan"), _span(tag, "rowspan")
                cell = Cell(one_line(self._visible_text(tag)), (r, column), tag.name == "th")
                down = min(r + high, len(rows)) if high else len(rows)
                places.update({(i, j): cell for i in range(r, down) for j in range(column, column + max(wide, 1))})
                self._check_size(len(places))
        width = max((column for _, column in places), default=-1) + 1
        self._check_size(len(rows) * width)
        return [[places.get((r, c), Cell("", (r, c))) for c in range(width)] for r in range(len(rows))]

    def _check_size(self, cells: int) -> None:
        if cells > MAX_CELLS:
            raise UnsafeFile(
                en=f"{self._name}: a table of more than {MAX_CELLS:,} cells. Split the page.",
                zh=f"{self._name}：表格单元格超过 {MAX_CELLS:,} 个，请拆分页面。",
            )

    def _visible_text(self, tag: Tag) -> str:
        return _lines(self._pieces(tag))

    def _pieces(self, tag: Tag, as_written: bool = False) -> Iterator[str]:
        """What is seen of an element, piece by piece; with `as_written` its line ends and blanks stay."""
        for child in tag.children:
            if isinstance(child, Tag):
                if child.name == "br" or child.name in _BLOCKS:
                    yield "\n"
                if child.name == "li":
                    yield self._numbers.of(child) or "- "
                if self._leaves_out(child):
                    pass
                elif _place(child):
                    yield marked(self._visible_text(child), _place(child))
                else:
                    yield from self._pieces(child, as_written)
                if child.name in _BLOCKS:
                    yield "\n"
            elif as_written and is_text(child):
                yield str(child)
            else:
                yield self._string(child)


def _place(tag: Tag) -> Place:
    """Where an element stands by its name, its place in a formula (MathML) or its style."""
    if place := _PLACES.get(tag.name):
        return place
    parent = tag.parent
    if parent is not None and parent.name in _FORMULAS:
        at = sum(isinstance(other, Tag) for other in islice(tag.previous_siblings, 4))
        return _FORMULAS[parent.name][min(at, 2)]
    found = _ALIGNED.search(str(tag.get("style") or ""))
    return _PLACES.get(found.group(1).lower().replace("super", "sup")) if found else None


def _lines(pieces: Iterable[str]) -> str:
    """Pieces of text joined; a line end in a page is only a blank, so it stands for one, and `br` breaks the line."""
    lines = (clean_line(line) for line in spelled("".join(pieces)).split("\n"))
    return "\n".join(line for line in lines if line)


def _span(tag: Tag, attribute: str) -> int:
    """A span as browsers read it: 1 when it is no number, at most 1000 columns; 0 rows reaches to the end."""
    value = str(tag.get(attribute) or "1").strip()
    return min(int(value), 1000) if value.isdecimal() and len(value) < 8 else 1
