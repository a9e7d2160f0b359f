"""A blank SVG to draw on: matplotlib draws, the browser writes the words. Readable on white and on dark paper.

matplotlib never sees a label: it would measure Chinese with a font that has none, warn about every character, and
read formulas between dollar signs. It gets a placeholder, and the label takes its place in the finished tree, where
the XML writer escapes it.
"""

from __future__ import annotations

import hashlib
import io
import re
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from lxml.etree import _Element
    from matplotlib.axes import Axes

WIDTH: Final = 480.0
"""Units of the viewBox; so narrow that 12-unit letters can be read on a phone."""
FONT: Final = 12.0
LINE: Final = 18.0
EDGE: Final = 8.0
INK: Final = "#64748b"
"""Text and axes; as every colour here, at least 3 : 1 against white and against near-black."""
TEAL: Final = "#0d9488"
AMBER: Final = "#b45309"
PALETTE: Final = (TEAL, AMBER, "#0284c7", "#8b5cf6", "#db2777", INK)
_FAMILY: Final = "system-ui, -apple-system, Segoe UI, PingFang SC, Microsoft YaHei, Noto Sans CJK SC, sans-serif"
_PLACEHOLDER: Final = "label-{}"


class Drawing:
    """One plot of `WIDTH` × `height` units; all places are in these units from the top left corner."""

    def __init__(self, height: float) -> None:
        import matplotlib
        from matplotlib.figure import Figure

        # For the whole process, always to the same values: its own context manager is not safe between threads.
        matplotlib.rcParams["svg.fonttype"] = "none"  # text stays text
        matplotlib.rcParams["svg.hashsalt"] = "rag"  # the same drawing gets the same ids
        self._figure = Figure(figsize=(WIDTH / 72, height / 72), dpi=72, facecolor="none")
        self._height = height
        self._labels: list[str] = []

    def axes(self, left: float, top: float, right: float, bottom: float) -> Axes:
        """Axes between these edges, without a frame, with faint lines at the ticks of both directions."""
        box = (left / WIDTH, 1 - bottom / self._height, (right - left) / WIDTH, (bottom - top) / self._height)
        axes = self._figure.add_axes(box, facecolor="none")
        for spine in axes.spines.values():
            spine.set_visible(False)
        axes.tick_params(which="both", length=0, labelsize=FONT - 1, labelcolor=INK)
        axes.grid(color=INK, alpha=0.25, linewidth=0.7)
        axes.set_axisbelow(True)
        return axes

    def text(
        self, x: float, y: float, label: str, width: float, align: Literal["left", "center", "right"] = "left"
    ) -> None:
        """`label` on one line, its middle at height `y`; cut where it would be wider than `width`."""
        from matplotlib.transforms import IdentityTransform

        self._figure.text(
            x,
            self._height - y,
            _PLACEHOLDER.format(len(self._labels)),
            transform=IdentityTransform(),
            ha=align,
            va="center",
            size=FONT,
            color=INK,
        )
        self._labels.append(fit(label, width))

    def legend(self, entries: Sequence[tuple[str, str]], top: float) -> None:
        """A coloured square and a label for every (label, colour); see `legend_height`."""
        from matplotlib.patches import Rectangle

        for (label, color), (x, row) in zip(entries, _places([label for label, _ in entries]), strict=True):
            y = top + (row + 0.5) * LINE
            square = Rectangle((x / WIDTH, 1 - (y + 5) / self._height), 10 / WIDTH, 10 / self._height, color=color)
            self._figure.add_artist(square)
            self.text(x + 15, y, label, WIDTH - 2 * EDGE - 15)

    def svg(self, title: str) -> str:
        """The drawing as an ``<svg>`` element as wide as its place, `title` for those who hear the page.

        It can stand in a page beside others: no id of theirs is the same, and no style reaches beyond it.
        """
        from lxml import etree

        drawn = io.BytesIO()
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        self._figure.savefig(drawn, format="svg", facecolor="none", metadata=nothing)
        parser = etree.XMLParser(remove_comments=True, resolve_entities=False, no_network=True)
        root = etree.fromstring(drawn.getvalue(), parser)
        for style in [e for e in root.iter() if e.tag.endswith("}style")]:
            _remove(style)  # it is meant for every element of the page; the root's style says it for this drawing
        _own_ids(root, "p" + hashlib.sha256(drawn.getvalue()).hexdigest()[:10])
        by_placeholder = {_PLACEHOLDER.format(i): label for i, label in enumerate(self._labels)}
        for element in [e for e in root.iter() if e.tag.endswith("}text")]:
            element.text = by_placeholder.get(element.text or "", element.text)
            element.set("style", re.sub(r"font-family: [^;]*;? ?", "", element.get("style", "")))
        for name in ("width", "height", "version"):
            del root.attrib[name]
        root.set("role", "img")
        root.set(
            "style",
            f"display: block; width: 100%; height: auto; max-width: {WIDTH * 1.4:g}px; "
            f"font-family: {_FAMILY}; stroke-linejoin: round; stroke-linecap: butt",
        )
        heading = etree.Element("{http://www.w3.org/2000/svg}title")
        heading.text = plain(title)
        root.insert(0, heading)
        return str(etree.tostring(root, encoding="unicode", with_tail=False))


def legend_height(labels: Sequence[str]) -> float:
    """The height a legend of these labels takes."""
    return LINE * (1 + max((row for _, row in _places(labels)), default=-1))


def plain(label: str) -> str:
    """`label` on one line, with U+FFFD for what XML cannot hold.

    >>> plain("a\\x00 b\\n c")
    'a� b c'
    """
    spaced = " ".join(label.split())
    return "".join("�" if unicodedata.category(c) in ("Cc", "Cs") or c in "\ufffe\uffff" else c for c in spaced)


def fit(label: str, width: float) -> str:
    """`label`, cut with … where it would be wider than `width`.

    >>> fit("放进提示词的证据", 50)
    '放进提…'
    """
    label = plain(label)
    if text_width(label) <= width:
        return label
    while label and text_width(label) > width - FONT:
        label = label[:-1]
    return label.rstrip() + "…"


def text_width(label: str) -> float:
    """About how wide `label` will be: the browser's fonts are not known here."""
    return sum(1.0 if unicodedata.east_asian_width(c) in "WF" else 0.58 for c in label) * FONT


def _places(labels: Sequence[str]) -> list[tuple[float, int]]:
    """Left edge and row of every entry of a legend, filled row by row."""
    places, x, row = [], EDGE, 0
    for label in labels:
        width = 15 + min(text_width(plain(label)), WIDTH - 2 * EDGE - 15)
        if x > EDGE and x + width > WIDTH - EDGE:
            x, row = EDGE, row + 1
        places.append((x, row))
        x += width + 16
    return places


def _own_ids(root: _Element, prefix: str) -> None:
    """Prefix the ids that something refers to; drop the others."""
    attributes = [(e, name, str(value)) for e in root.iter() for name, value in e.attrib.items()]
    used = {found for _, _, value in attributes for found in re.findall(r"^#(.+)$|url\(#(.+?)\)", value)}
    names = {a or b for a, b in used}
    for element, name, value in attributes:
        if name != "id":
            element.set(name, re.sub(r"^#|(?<=url\()#", f"#{prefix}", value) if "#" in value else value)
        elif value in names:
            element.set(name, prefix + value)
        else:
            del element.attrib[name]


def _remove(element: _Element) -> None:
    parent = element.getparent()
    if parent is not None:
        parent.remove(element)
