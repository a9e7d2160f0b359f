"""The words in DrawingML: text bodies, charts and SmartArt, as PowerPoint (and Word) store them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lxml import etree

from rag.corpus.load.numerals import numeral
from rag.corpus.load.raised import Place, written
from rag.corpus.load.table import Header, Rendered, plain_grid, render

DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
_CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_DIAGRAM = "http://schemas.openxmlformats.org/drawingml/2006/diagram"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_MATH_TEXT = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"
_PARAGRAPH, _PROPERTIES, _LETTERS, _TEXT, _BREAK, _FIELD, _NUMBERED = (
    f"{{{DRAWING}}}{tag}" for tag in ("p", "pPr", "rPr", "t", "br", "fld", "buAutoNum")
)
_EXPONENTS: dict[str, Place] = {
    _MATH_TEXT.replace("}t", "}sup"): "raised",
    _MATH_TEXT.replace("}t", "}sub"): "lowered",
}
_BASELINE = re.compile(r"(-?)0*[1-9][\d.]*%?")  # thousandths of a percent of the size, or percent
_ALTERNATIVES = "{http://schemas.openxmlformats.org/markup-compatibility/2006}AlternateContent"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_DEEPEST = 8
_SCHEME = re.compile(r"(arabicDb|arabic|alphaLc|alphaUc|romanLc|romanUc|circleNumDb|ea1Chs|ea1Cht)(\w+)")
_SYSTEMS = {
    "arabicDb": "decimalFullWidth",
    "arabic": "decimal",
    "alphaLc": "lowerLetter",
    "alphaUc": "upperLetter",
    "romanLc": "lowerRoman",
    "romanUc": "upperRoman",
    "circleNumDb": "decimalEnclosedCircle",
    "ea1Chs": "chineseCounting",
    "ea1Cht": "chineseCounting",
}
_AROUND = {"Period": ("", "."), "ParenR": ("", ")"), "ParenBoth": ("(", ")"), "Minus": ("-", "-"), "Plain": ("", "")}


def parsed_part(xml: bytes) -> Any:
    """The root element of an XML part, without entities and without fetching. Raises `lxml.etree.XMLSyntaxError`."""
    return etree.fromstring(xml, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False))


def flatten_alternatives(root: Any) -> None:
    """Put the chosen content in the place of every choice, for readers that pass over both; the fallback repeats it."""
    for alternatives in list(root.iter(_ALTERNATIVES)):
        parent = alternatives.getparent()
        branches = [branch for branch in alternatives if branch.tag != _FALLBACK] or list(alternatives)
        if parent is not None and branches:
            place = parent.index(alternatives)
            parent[place : place + 1] = list(branches[0])


@dataclass(frozen=True, slots=True)
class Line:
    """A paragraph of a text body: `text` is what it says, `struck` the words struck out, each before a character of it."""

    text: str
    struck: tuple[tuple[int, str], ...] = ()


def body_lines(body: Any) -> list[str]:
    """The paragraphs of a text body, with the automatic numbers they set themselves; empty ones are left out."""
    return [line.text for line in body_words(body) if line.text]


def body_words(body: Any) -> list[Line]:
    """`body_lines` with what is struck out; the text of a paragraph that is struck out as a whole is empty."""
    counts: list[int] = []
    lines = []
    for paragraph in body.iter(_PARAGRAPH):
        pieces = list(_pieces(paragraph, None, False))
        shown = written([(text, place) for text, place, struck in pieces if not struck])
        text = "".join(shown).strip()
        if not text and not any(struck for _, _, struck in pieces):
            continue
        number = _label(paragraph, counts)
        label = f"{number} " if number and text else ""
        at = len(label) - (len("".join(shown)) - len("".join(shown).lstrip()))
        gone, rest = [], iter(shown)
        for words, _, struck in pieces:
            if struck:
                gone.append((min(max(at, 0), len(label + text)), words))
            else:
                at += len(next(rest))
        lines.append(Line(label + text, tuple(gone)))
    return lines


def _pieces(element: Any, place: Place, struck: bool) -> Iterator[tuple[str, Place, bool]]:
    """The texts in `element`, where they stand and whether they are struck out."""
    letters = element.find(_LETTERS)
    if letters is not None:
        raised = _BASELINE.fullmatch(letters.get("baseline") or "")
        place = ("lowered" if raised.group(1) else "raised") if raised else None
        struck = letters.get("strike") in ("sngStrike", "dblStrike")
    for child in element.iterchildren():
        if child.tag in (_TEXT, _MATH_TEXT):
            yield child.text or "", place, struck
        elif child.tag == _BREAK:
            yield "\n", None, False
        elif child.tag == _FIELD and child.get("type") == "slidenum":
            continue
        elif isinstance(child.tag, str):
            yield from _pieces(child, _EXPONENTS.get(child.tag, place), struck)


def _label(paragraph: Any, counts: list[int]) -> str:
    """The paragraph's number; `counts` holds how far every level of the body has counted."""
    properties = paragraph.find(_PROPERTIES)
    level = min(max(int(properties.get("lvl") or 0), 0), _DEEPEST) if properties is not None else 0
    numbered = properties.find(_NUMBERED) if properties is not None else None
    del counts[level + 1 :]
    counts += [0] * (level + 1 - len(counts))
    if numbered is None:
        counts[level] = 0
        return ""
    counts[level] += 1
    scheme = _SCHEME.fullmatch(numbered.get("type") or "")
    value = int(numbered.get("startAt") or 1) + counts[level] - 1
    if not scheme or scheme.group(2) not in _AROUND:
        return f"{value}."
    before, after = _AROUND[scheme.group(2)]
    return f"{before}{numeral(value, _SYSTEMS[scheme.group(1)])}{after}"


def chart_title(chart: Any) -> str:
    """The words above a chart, on one line; empty without any."""
    title = chart.find(f"{_CHART}chart/{_CHART}title")
    return " ".join(body_lines(title)) if title is not None else ""


def chart_table(chart: Any) -> Rendered:
    """A chart's data as a table: a line per category with its value in every series. Raises `TableTooLarge`."""
    series = list(chart.iter(f"{_CHART}ser"))
    names = [_first(one.find(f"{_CHART}tx")) for one in series]
    columns = [_points(one, ("val", "yVal")) for one in series]
    categories: dict[int, str] = {}
    for one in series:
        categories = {**_points(one, ("cat", "xVal")), **categories}
    places = sorted(set(categories).union(*columns))
    rows = [[categories.get(i, ""), *(column.get(i, "") for column in columns)] for i in places]
    return render(plain_grid(rows), Header(("", *names), 0))


def _first(element: Any) -> str:
    found = next(element.iter(f"{_CHART}v"), None) if element is not None else None
    return (found.text or "") if found is not None else ""


def _points(series: Any, names: Sequence[str]) -> dict[int, str]:
    """The stored points of a series by place. Of several levels of categories the innermost comes first and is taken."""
    for name in names:
        element = series.find(f"{_CHART}{name}")
        if element is not None:
            points = reversed(list(element.iter(f"{_CHART}pt")))
            return {int(point.get("idx") or 0): _first(point) for point in points}
    return {}


def diagram_part(element: Any) -> str:
    """The id of the relation to the data of a SmartArt graphic inside `element`; empty when it holds none."""
    found = next(element.iter(f"{{{_DIAGRAM}}}relIds"), None)
    return (found.get(f"{{{_RELATIONS}}}dm") or "") if found is not None else ""


def diagram_words(data: bytes) -> list[Line]:
    """The words of a SmartArt graphic, point by point in the order they are stored."""
    return [line for point in parsed_part(data).iter(f"{{{_DIAGRAM}}}pt") for line in body_words(point)]


def diagram_lines(data: bytes) -> list[str]:
    """`diagram_words` without what is struck out."""
    return [line.text for line in diagram_words(data) if line.text]


def struck_out(lines: Sequence[Line]) -> list[tuple[str, int]]:
    """What is struck out in lines that were added as one block, each with its distance from the block's end."""
    found: list[tuple[str, int]] = []
    below = 0
    for line in reversed(lines):
        found += [(words, below + len(line.text) - at) for at, words in reversed(line.struck)]
        below += len(line.text) + 1 if line.text else 0
    return found[::-1]


def whole(lines: Sequence[Line]) -> str:
    """All words of `lines`, those that are struck out too."""
    return "\n".join(
        " ".join(part for part in (line.text, *(words for _, words in line.struck)) if part) for line in lines
    )
