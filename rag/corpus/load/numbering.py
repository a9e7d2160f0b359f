"""Word's automatic numbers: what numbering.xml defines, and how far every list has counted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from docx.oxml.ns import qn

from rag.corpus.load.numerals import numeral

_LEVELS = 9
_LONGEST_LABEL = 100
_PLACE = re.compile(r"%([1-9])")
_ZEROS = re.compile(r"(0*)1\b")
_CHOICE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Choice"
BULLET = "-"


@dataclass(frozen=True, slots=True)
class Reference:
    """What puts a paragraph in a list: a list and a level, or the styles whose level it is (the nearest first)."""

    list_id: str
    level: int
    styles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Level:
    start: int
    system: str
    width: int
    """Digits are filled up with zeros to this width (a custom system like 001, 002)."""
    text: str
    """What stands in front of a paragraph, ``%1`` for the number of the first level."""
    restarts_after: int | None
    """It starts again after a level up to this one (1 is outermost); 0 never, None after any above it."""
    digits_only: bool
    joint: str
    style: str


@dataclass(frozen=True, slots=True)
class _List:
    counts_as: str
    """Lists with the same abstract definition go on counting together."""
    levels: Mapping[int, _Level]
    starts: Mapping[int, int]
    """Levels at which this list starts again when it is first met."""


class Numbering:
    """The numbers of a document's paragraphs, asked for in the order of the document.

    `numbering` is the root of numbering.xml (None without it), `linked` the list of every numbering style by its id.
    """

    def __init__(self, numbering: Any, linked: Mapping[str, str]) -> None:
        self._lists = dict(_lists(numbering, linked)) if numbering is not None else {}
        self._counts: dict[str, list[int | None]] = {}
        self._met: set[tuple[str, int]] = set()
        self.unknown: set[str] = set()
        """Counting systems met that are shown as digits, because `numeral` does not know them."""

    def label(self, reference: Reference) -> str | None:
        """What stands in front of the next paragraph of a list, with the blank after it; None outside any list.

        A bullet is `BULLET` whatever its sign.
        """
        found = self._lists.get(reference.list_id)
        if found is None:
            return None
        linked = (n for style in reference.styles for n, level in found.levels.items() if level.style == style)
        at = next(linked, min(max(reference.level, 0), _LEVELS - 1))
        level = found.levels.get(at)
        if level is None:
            return None
        values = self._count(reference.list_id, found, at)
        if level.system == "bullet":
            return f"{BULLET} "
        written = _PLACE.sub(lambda place: self._written(found, level, values, int(place.group(1)) - 1), level.text)
        written = written[:_LONGEST_LABEL].strip()
        return f"{written}{level.joint}" if written else ""

    def _count(self, list_id: str, found: _List, at: int) -> list[int | None]:
        values = self._counts.setdefault(found.counts_as, [None] * _LEVELS)
        value = values[at]
        if at in found.starts and (list_id, at) not in self._met:
            values[at] = found.starts[at]
        else:
            values[at] = found.levels[at].start if value is None else value + 1
        self._met.add((list_id, at))
        for below in range(at + 1, _LEVELS):
            after = found.levels[below].restarts_after if below in found.levels else None
            if after is None or at < after:
                values[below] = None
        return values

    def _written(self, found: _List, shown: _Level, values: list[int | None], at: int) -> str:
        """The number of level `at` as `shown` puts it into its text; one not yet counted shows where it starts."""
        level = found.levels.get(at)
        if level is None:
            return ""
        value = values[at]
        value = level.start if value is None else value
        if shown.digits_only:
            return str(value)
        written = numeral(value, level.system)
        if written is None:
            self.unknown.add(level.system)
            return str(value)
        return written.zfill(level.width)


def _lists(numbering: Any, linked: Mapping[str, str]) -> Iterator[tuple[str, _List]]:
    abstracts = {str(_attribute(a, "abstractNumId")): a for a in numbering.iterchildren(qn("w:abstractNum"))}
    numbers = {str(_attribute(n, "numId")): n for n in numbering.iterchildren(qn("w:num"))}
    for list_id, number in numbers.items():
        counts_as = _value(number, "w:abstractNumId")
        abstract = abstracts.get(counts_as)
        style = _value(abstract, "w:numStyleLink") if abstract is not None else ""
        if style:  # the definition stands where the numbering style points
            counts_as = _value(numbers.get(linked.get(style, "")), "w:abstractNumId")
            abstract = abstracts.get(counts_as)
        if abstract is None:
            continue
        levels, starts = dict(_levels(abstract)), {}
        for override in number.iterchildren(qn("w:lvlOverride")):
            at = _number(_attribute(override, "ilvl"), 0)
            start = _value(override, "w:startOverride")
            levels.update(_levels(override))
            if start:
                starts[at] = _number(start, 1)
        yield list_id, _List(counts_as, levels, starts)


def _levels(parent: Any) -> Iterator[tuple[int, _Level]]:
    for element in parent.iterchildren(qn("w:lvl")):
        at = _number(_attribute(element, "ilvl"), 0)
        if not 0 <= at < _LEVELS:
            continue
        system, width = _system(element)
        restart = _value(element, "w:lvlRestart")
        legal = element.find(qn("w:isLgl"))
        yield (
            at,
            _Level(
                start=_number(_value(element, "w:start"), 0),
                system=system,
                width=width,
                text=_value(element, "w:lvlText")[:_LONGEST_LABEL],
                restarts_after=_number(restart, 0) if restart else None,
                digits_only=legal is not None and is_on(legal),
                joint="" if _value(element, "w:suff") == "nothing" else " ",
                style=_value(element, "w:pStyle"),
            ),
        )


def _system(level: Any) -> tuple[str, int]:
    """A level's counting system and the width of its digits; a custom one stands in a choice and is said by example."""
    plain = level.find(qn("w:numFmt"))
    chosen = next((f for choice in level.iter(_CHOICE) for f in choice.iterchildren(qn("w:numFmt"))), None)
    element = plain if plain is not None else chosen
    if element is None:
        return "decimal", 0
    system = _attribute(element, "val") or "decimal"
    if system != "custom":
        return system, 0
    example = _ZEROS.match(_attribute(element, "format") or "")
    return "decimal", len(example.group()) if example else 0


def is_on(element: Any) -> bool:
    """Whether a switch like ``<w:b/>`` is on: it is without a value, and with any but 0, false and off."""
    return _attribute(element, "val") not in ("0", "false", "off")


def _value(parent: Any, tag: str) -> str:
    element = parent.find(qn(tag)) if parent is not None else None
    return (_attribute(element, "val") or "") if element is not None else ""


def _attribute(element: Any, name: str) -> str | None:
    value: str | None = element.get(qn(f"w:{name}"))
    return value


def _number(text: str | None, default: int) -> int:
    """A whole number up to nine digits; `default` for anything else."""
    return int(text) if text and re.fullmatch(r"[0-9]{1,9}", text) else default
