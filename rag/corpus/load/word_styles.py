"""What Word's styles say of a paragraph: its name, its outline level, its list, whether it is bold or hidden."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from docx.oxml.ns import qn

from rag.corpus.load.numbering import Reference, is_on
from rag.corpus.load.raised import Place

_HEADING = re.compile(r"(?:heading|标题|標題)\s*([1-9])", re.IGNORECASE)
_CONTENTS = re.compile(r"(?:toc|目录|目錄)\s*(?:\d|heading|标题|標題)", re.IGNORECASE)
_MOST_BASES = 20
_PLACES: dict[str, Place] = {"superscript": "raised", "subscript": "lowered"}


@dataclass(frozen=True, slots=True)
class Style:
    """A style with what it takes over from the styles it is based on; None where none of them says."""

    name: str = ""
    level: int | None = None
    """Outline level, 1 is outermost; None for body text."""
    listed: Reference | None = None
    bold: bool | None = None
    hidden: bool | None = None
    struck: bool | None = None
    place: str | None = None
    """Where its letters stand, as the file says it: superscript, subscript, baseline."""

    @property
    def is_title(self) -> bool:
        """Whether it is the style of a document's title."""
        return self.name.lower() in ("title", "标题", "標題")

    @property
    def is_contents(self) -> bool:
        """Whether it is the style of a table of contents or of the line above it."""
        return _CONTENTS.match(self.name) is not None


def styles(root: Any) -> dict[str, Style]:
    """Every style of styles.xml by its id, the paragraphs' default under the empty one."""
    elements = {style.get(qn("w:styleId")) or "": style for style in root.iterchildren(qn("w:style"))}
    found = {style_id: _resolved(style_id, elements) for style_id in elements}
    for style_id, element in elements.items():
        if element.get(qn("w:type")) == "paragraph" and element.get(qn("w:default")) in ("1", "true", "on"):
            found[""] = found[style_id]
    return found


def linked_lists(root: Any) -> dict[str, str]:
    """The list of every numbering style, by the style's id."""
    found = {}
    for style in root.iterchildren(qn("w:style")):
        number = style.find(f"{qn('w:pPr')}/{qn('w:numPr')}/{qn('w:numId')}")
        if style.get(qn("w:type")) == "numbering" and number is not None:
            found[style.get(qn("w:styleId")) or ""] = number.get(qn("w:val")) or ""
    return found


def with_own(style: Style, properties: Any) -> Style:
    """`style`, with what a paragraph's own properties (w:pPr, None without) change."""
    if properties is None:
        return style
    level, listed = _outline(properties), _listed(properties, ())
    if listed is not None and not listed.list_id:  # only a level is said: the list is the style's
        listed = replace(style.listed, level=listed.level, styles=()) if style.listed else None
    return replace(
        style,
        level=style.level if level is None else level or None,
        listed=style.listed if listed is None else listed,
    )


def switch(properties: Any, tag: str) -> bool | None:
    """Whether run properties (w:rPr, None without) switch `tag` on or off; None when they do not say."""
    element = properties.find(qn(tag)) if properties is not None else None
    return None if element is None else is_on(element)


def is_struck(letters: Any, style: Style) -> bool:
    """Whether a run's own properties (w:rPr, None without), or else its `style`, draw a line through it."""
    own = _struck(letters)
    return bool(style.struck if own is None else own)


def is_speck(letters: Any) -> bool:
    """Whether a run's own properties (w:rPr, None without) make it 2 points high or less, which nobody reads."""
    size = letters.find(qn("w:sz")) if letters is not None else None
    return size is not None and re.fullmatch(r"[0-4](?:\.0)?", size.get(qn("w:val")) or "") is not None  # half points


def place(letters: Any, style: Style) -> Place:
    """Where a run stands by its own properties, or else by its `style`."""
    return _PLACES.get(_vertical(letters) or style.place or "")


def _struck(letters: Any) -> bool | None:
    """One line or two; None when neither is said."""
    said = [switch(letters, tag) for tag in ("w:strike", "w:dstrike")]
    return True if True in said else False if False in said else None


def _vertical(letters: Any) -> str | None:
    element = letters.find(qn("w:vertAlign")) if letters is not None else None
    return element.get(qn("w:val")) if element is not None else None


def _resolved(style_id: str, elements: dict[str, Any]) -> Style:
    name = _name(elements[style_id])
    level, listed, bold, hidden, struck, where = None, None, None, None, None, None
    below: list[str] = []
    for step_id, step in _bases(style_id, elements):
        below.append(step_id)
        properties, letters = step.find(qn("w:pPr")), step.find(qn("w:rPr"))
        if properties is not None:
            level = _outline(properties) if level is None else level
            listed = _joined(listed, _listed(properties, tuple(below)))
        heading = _HEADING.fullmatch(_name(step))
        level = int(heading.group(1)) if level is None and heading else level
        bold = switch(letters, "w:b") if bold is None else bold
        hidden = switch(letters, "w:vanish") if hidden is None else hidden
        struck = _struck(letters) if struck is None else struck
        where = where or _vertical(letters)
    return Style(name, level or None, listed if listed and listed.list_id else None, bold, hidden, struck, where)


def _joined(own: Reference | None, base: Reference | None) -> Reference | None:
    """A style's list, with that of the style it is based on where it says only a level."""
    if own is None or base is None:
        return own or base
    return own if own.list_id else replace(own, list_id=base.list_id)


def _bases(style_id: str, elements: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """A style and those it is based on, one after the other; circles and endless chains end (Word knows 11 steps)."""
    for _ in range(_MOST_BASES):
        if style_id not in elements:
            return
        yield style_id, elements[style_id]
        based = elements[style_id].find(qn("w:basedOn"))
        style_id = (based.get(qn("w:val")) or "") if based is not None else ""


def _name(style: Any) -> str:
    name = style.find(qn("w:name"))
    return (name.get(qn("w:val")) or "") if name is not None else ""


def _outline(properties: Any) -> int | None:
    """The outline level that paragraph properties set, 1…9, 0 for body text; None when they set none."""
    outline = properties.find(qn("w:outlineLvl"))
    value = outline.get(qn("w:val")) if outline is not None else None
    if value is None or not re.fullmatch(r"[0-9]", value):
        return None
    return (int(value) + 1) % 10


def _listed(properties: Any, styles_below: tuple[str, ...]) -> Reference | None:
    """The list that paragraph properties name; an empty `list_id` when they name only a level."""
    numbered = properties.find(qn("w:numPr"))
    if numbered is None:
        return None
    list_id, level = numbered.find(qn("w:numId")), numbered.find(qn("w:ilvl"))
    at = level.get(qn("w:val")) or "" if level is not None else ""
    return Reference(
        (list_id.get(qn("w:val")) or "") if list_id is not None else "",
        int(at) if re.fullmatch(r"[0-8]", at) else 0,
        styles_below,
    )
