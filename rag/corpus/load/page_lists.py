"""The numbers that a browser puts before the items of a page's ordered lists."""

from __future__ import annotations

import re

from bs4.element import Tag

from rag.corpus.load.numerals import numeral

_INTEGER = re.compile(r"-?[0-9]{1,9}")
_TYPES = {"a": "lower-alpha", "A": "upper-alpha", "i": "lower-roman", "I": "upper-roman", "1": "decimal"}
_STYLE = re.compile(r"list-style(?:-type)?\s*:\s*([^;]*)", re.IGNORECASE)
_LETTERS = ("lower-alpha", "lower-latin", "upper-alpha", "upper-latin")
_SYSTEMS = {
    "lower-roman": "lowerRoman",
    "upper-roman": "upperRoman",
    "decimal-leading-zero": "decimalZero",
    "cjk-ideographic": "chineseCountingThousand",
    "simp-chinese-informal": "chineseCountingThousand",
    "trad-chinese-informal": "chineseCountingThousand",
    "simp-chinese-formal": "chineseLegalSimplified",
    "cjk-decimal": "ideographDigital",
    "cjk-heavenly-stem": "ideographTraditional",
    "cjk-earthly-branch": "ideographZodiac",
}
_SIGNS = {"none", "disc", "circle", "square"}


class ItemNumbers:
    """Counts the items of every ordered list of a page, each asked for once and in order."""

    def __init__(self) -> None:
        self._last: dict[int, int] = {}

    def of(self, item: Tag) -> str:
        """The item's number; empty when none is shown or the list counts down.

        Styles are read of the item and its list alone; one that is not known here counts in digits.
        """
        whole = item.parent
        if whole is None or whole.name != "ol" or whole.has_attr("reversed"):
            return ""
        before = self._last.get(id(whole))
        said = str(item.get("value") or ("" if before is not None else whole.get("start") or "1")).strip()
        value = int(said) if _INTEGER.fullmatch(said) else (before or 0) + 1
        self._last[id(whole)] = value
        style = _style(item) or _style(whole) or "decimal"
        return "" if style in _SIGNS else f"{_written(value, style)}. "


def _style(tag: Tag) -> str:
    """The kind of numbers that a tag asks for, by its style or its type."""
    known = {*_LETTERS, *_SYSTEMS, *_SIGNS, "decimal"}
    for declared in _STYLE.findall(str(tag.get("style") or ""))[::-1]:
        if found := next((word for word in declared.lower().split() if word in known), ""):
            return found
    return _TYPES.get(str(tag.get("type") or ""), "")


def _written(value: int, style: str) -> str:
    if style in _LETTERS:
        letters = _letters(value)
        return letters.upper() if style.startswith("upper") else letters
    return str(value) if value < 0 else numeral(value, _SYSTEMS.get(style, "decimal")) or str(value)


def _letters(value: int) -> str:
    """a … z, then aa, ab … as browsers go on; digits below 1."""
    if value < 1:
        return str(value)
    written = ""
    while value:
        value, letter = divmod(value - 1, 26)
        written = chr(ord("a") + letter) + written
    return written
