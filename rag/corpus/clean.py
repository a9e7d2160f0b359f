"""Cleaning of text from files: pure functions on ``str`` that remove what nobody can read and keep what is written.

Full-width characters, Chinese punctuation and the composition of characters stay as they are: a quotation from a
policy must be found again in the file.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

_LINE_END = re.compile("\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
# Controls, lone surrogates, non-characters, and marks without width that hide or reorder text
# (the joiners U+200C and U+200D stay: emoji and some scripts need them).
_UNREADABLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\xad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
    + "".join(f"{chr(plane << 16 | 0xFFFE)}{chr(plane << 16 | 0xFFFF)}" for plane in range(1, 17))
    + "]"
)
_BLANK_LINES = re.compile(r"\n{3,}")
_SPACE = re.compile(r"\s+")


def clean_text(text: str) -> str:
    r"""`text` with ``\n`` line ends, without unreadable characters, trailing blanks and more than one blank line in a row.

    The result starts and ends with a line that holds something, holds no control character but ``\n`` and ``\t``
    and no surrogate, and is a fixed point: ``clean_text(clean_text(t)) == clean_text(t)``.

    >>> clean_text("一\r\n\r\n\r\n\x00二  \n")
    '一\n\n二'
    """
    text = _UNREADABLE.sub("", _LINE_END.sub("\n", text))
    text = "\n".join(line.rstrip() for line in text.split("\n"))
    return _BLANK_LINES.sub("\n\n", text).strip("\n")


def unreadable(text: str) -> Counter[str]:
    r"""The characters that `clean_text` takes out because nobody can read them, and how often each stands there.

    >>> unreadable("a\x00b\u200bc\x00") == {"\x00": 2, "\u200b": 1}
    True
    """
    return Counter(_UNREADABLE.findall(_LINE_END.sub("\n", text)))


def named(characters: Counter[str]) -> str:
    r"""Characters by their numbers, each once with how often it stands there.

    >>> named(Counter("\x00\u200b\x00"))
    'U+0000 ×2, U+200B'
    """
    return ", ".join(f"U+{ord(c):04X}" + (f" ×{n}" if n > 1 else "") for c, n in sorted(characters.items()))


def clean_line(text: str) -> str:
    r"""`text` on one line: cleaned, every run of white space one space, none at the ends.

    >>> clean_line(" 年假\n\x00 制度 ")
    '年假 制度'
    """
    return _SPACE.sub(" ", clean_text(text)).strip()


def is_wide(character: str) -> bool:
    """Whether `character` is of a script written without spaces (Chinese, Japanese, full-width punctuation)."""
    return unicodedata.east_asian_width(character) in "WF"


def flow(first: str, second: str) -> str:
    """Two lines of one paragraph joined: without a space where one side is Chinese, else with one.

    >>> flow("每年有", "15 天年假"), flow("annual", "leave")
    ('每年有15 天年假', 'annual leave')
    """
    if not first or not second:
        return first + second
    return first + ("" if is_wide(first[-1]) or is_wide(second[0]) else " ") + second


def flow_lines(text: str) -> str:
    r"""All lines of `text` joined by `flow`, for example the wrapped text of a table cell.

    >>> flow_lines("住宿\n标准")
    '住宿标准'
    """
    joined = ""
    for line in clean_text(text).split("\n"):
        joined = flow(joined, clean_line(line))
    return joined
