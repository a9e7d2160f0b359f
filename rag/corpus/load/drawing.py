"""The words in DrawingML: text bodies, charts and SmartArt, as PowerPoint (and Word) store them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from lxml import etree

from rag.corpus.load.numerals import numeral
from rag.corpus.load.table import Header, Rendered, plain_grid, render

DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
_CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_DIAGRAM = "http://schemas.openxmlformats.org/drawingml/2006/diagram"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_MATH_TEXT = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"
_PARAGRAPH, _PROPERTIES, _TEXT, _BREAK, _FIELD, _NUMBERED = (
    f"{{{DRAWING}}}{tag}" for tag in ("p", "pPr", "t", "br", "fld", "buAutoNum")
)
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


def body_lines(body: Any) -> list[str]:
    """The paragraphs of a text body, with the automatic numbers they set themselves; empty ones are left out."""
    counts: list[int] = []
    lines = []
    for paragraph in body.iter(_PARAGRAPH):
        text = "".join(_pieces(paragraph)).strip()
        if text:
            label = _label(paragraph, counts)
            lines.append(f"{label} {text}" if label else text)
    return lines


def _pieces(element: Any) -> Iterator[str]:
    for child in element.iterchildren():
        if child.tag in (_TEXT, _MATH_TEXT):
            yield child.text or ""
        elif child.tag == _BREAK:
            yield "\n"
        elif child.tag == _FIELD and child.get("type") == "slidenum":
            continue
        elif isinstance(child.tag, str):
            yield from _pieces(child)


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


def diagram_lines(data: bytes) -> list[str]:
    """The words of a SmartArt graphic, point by point in the order they are stored."""
    return [line for point in parsed_part(data).iter(f"{{{_DIAGRAM}}}pt") for line in body_lines(point)]
