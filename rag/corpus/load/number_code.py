"""A sheet's number formats (``#,##0.00;[Red]-0``, ``yyyy"年"m"月"``) taken apart into sections and tokens."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "text", "digit", "point", "comma", "percent", "power", "slash", "general", "at", "date", "elapsed", "noon"
]
_LONGEST = 255  # the longest a sheet takes
_TOKEN = re.compile(
    r"""
    "(?P<quoted>[^"]*)"?
  | \\(?P<escaped>.)
  | !(?P<shown>[^;"])  # the same in Chinese versions
  | (?P<unseen>_.|\*.)
  | \[(?P<bracket>[^\]]*)\]
  | (?P<general>general|g/通用格式)
  | (?P<noon>am/pm|a/p|上午/下午)
  | (?P<power>e[+\-])
  | (?P<date>y+|m+|d+|h+|s+|a{3,4}|e+|b{1,4}(?=[^a-z]|$)|g+)
  | (?P<digit>[0#?])
  | (?P<point>\.)
  | (?P<comma>,)
  | (?P<percent>%)
  | (?P<slash>/)
  | (?P<at>@)
  | (?P<text>.)
    """,
    re.IGNORECASE | re.VERBOSE | re.DOTALL | re.ASCII,  # ASCII: ſ is no s
)
# The long date and the time that the viewer's system prefers.
_SYSTEM = {"[$-F800]": "yyyy-mm-dd", "[$-F400]": "h:mm:ss"}
_CHINESE = re.compile(r"-(?:[0-9a-f]*[84]04|zh\b.*)$", re.IGNORECASE)
_CONDITION = re.compile(r"(<=|>=|<>|<|>|=)\s*(-?\d+(?:\.\d+)?)")
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "<>": operator.ne,
}


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a format and what it stands for; `text` is the literal text, or the letters of the format."""

    kind: Kind
    text: str


@dataclass(frozen=True, slots=True)
class Section:
    """One of the up to four parts of a format. `chinese` is the number of a ``[DBNum1]`` … ``[DBNum3]``, 0 without."""

    tokens: tuple[Token, ...]
    condition: tuple[str, float] | None = None
    chinese: int = 0
    in_chinese: bool = False
    """Whether months and days have their Chinese names."""

    @property
    def is_date(self) -> bool:
        """Whether it shows dates or times."""
        return any(token.kind in ("date", "elapsed", "noon") for token in self.tokens)

    @property
    def only_below_zero(self) -> bool:
        """Whether its condition holds for negative numbers only, so that it says by itself that they are."""
        return self.condition is not None and self.condition[0] in ("<", "<=") and self.condition[1] <= 0

    def holds(self, value: float) -> bool | None:
        """Whether its condition holds for `value`; None without a condition."""
        return None if self.condition is None else _COMPARE[self.condition[0]](value, self.condition[1])


def sections(code: str) -> tuple[Section, ...]:
    """The sections of a number format; one that shows nothing has no tokens.

    >>> [[t.text for t in s.tokens] for s in sections('0.0"天";[Red]-0')]
    [['0', '.', '0', '天'], ['-', '0']]
    """
    if system := next((own for mark, own in _SYSTEM.items() if mark in code.upper()), ""):
        code = system
    found: list[Section] = []
    tokens: list[Token] = []
    condition, chinese, in_chinese = None, 0, False
    for match in _TOKEN.finditer(code[:_LONGEST]):
        kind, text = match.lastgroup or "text", match.group(match.lastgroup or 0)
        if kind == "text" and text == ";":
            found.append(Section(tuple(tokens), condition, chinese, in_chinese))
            tokens, condition, chinese, in_chinese = [], None, 0, False
        elif kind == "bracket":
            said = _CONDITION.fullmatch(text.strip())
            if said:
                condition = (said.group(1), float(said.group(2)))
            elif text.lower().startswith("dbnum"):
                chinese = int(text[5:6]) if text[5:6] in ("1", "2", "3") else 0
            elif text.lower() in ("h", "hh", "m", "mm", "s", "ss"):
                tokens.append(Token("elapsed", text.lower()))
            elif text.startswith("$"):
                tokens.append(Token("text", text[1:].split("-")[0]))
                in_chinese = in_chinese or _CHINESE.search(text) is not None
        elif kind in ("quoted", "escaped", "shown"):
            tokens.append(Token("text", text))
        elif kind != "unseen":
            tokens.append(Token(kind, text.lower() if kind == "date" else text))  # type: ignore[arg-type]
    return (*found, Section(tuple(tokens), condition, chinese, in_chinese))[:4]
