"""Raised and lowered figures beside others: 10⁴ is written 10^4, never 104. One rule for every format that has them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Literal

Place = Literal["raised", "lowered"] | None
"""Where a run of text stands: above or below the line, None on it."""

# Not characters: no file can mean anything by them, and cleaning takes them out.
_BEGIN: dict[Place, str] = {"raised": "\ufdd0", "lowered": "\ufdd1"}
_END = "\ufdd2"
_MARKED = re.compile("([\ufdd0\ufdd1])([^\ufdd0-\ufdd2]*)\ufdd2")
_ORDINAL = re.compile(r"\d(?:st|nd|rd|th|er|re|ère|e|ème|eme)", re.IGNORECASE)
_JOINED = re.compile(r"[^\W_](?:\s*[^\w\s()（）]+\s*)[^\W_]")
_SIGNED = re.compile(r"[+\-−]?[^\W_]")


def written(runs: Sequence[tuple[str, Place]]) -> list[str]:
    """The texts of `runs`, which follow each other in one block, as they are written on one line; one for each run.

    A raised run behind a letter or a digit has ``^`` in front (10^4, m^2, 3000^1), in brackets when it is an expression
    (10^(n+1)); letters that make a number an ordinal stay (10th). A lowered run stays as it is (H2O) unless a digit
    touches a digit: then it has ``_`` in front (101_2). Before a digit on the line a blank ends both.

    >>> "".join(written([("10", None), ("4", "raised"), ("万元", None)]))
    '10^4万元'
    """
    texts = [text for text, _ in runs]
    before, i = "", 0
    for place, group in groupby(runs, key=lambda run: run[1]):
        end = i + len(list(group))
        run = "".join(texts[i:end])
        if place and run:
            after, above = next((runs[n] for n in range(end, len(runs)) if runs[n][0]), ("", None))
            after = "" if above else after  # that one has a sign of its own
            sign = _sign(before, run, after, place)
            texts[i] = sign + texts[i]
            if sign.endswith("("):
                texts[end - 1] += ")"
            elif _touch(run, after):
                texts[end - 1] += " "
        before = run or before
        i = end
    return texts


def marked(text: str, place: Place) -> str:
    """`text` with marks of where it stands, for `spelled`, once what follows it is known."""
    return f"{_BEGIN[place]}{text}{_END}" if text and place else text


def spelled(text: str) -> str:
    """A text with runs that `marked` marked, as `written` writes it."""
    if _END not in text:
        return text
    runs: list[tuple[str, Place]] = []
    at = 0
    for found in _MARKED.finditer(text):
        place: Place = "raised" if found.group(1) == _BEGIN["raised"] else "lowered"
        runs += [(text[at : found.start()], None), (found.group(2), place)]
        at = found.end()
    return "".join(written([*(run for run in runs if run[0]), (text[at:], None)]))


def _sign(before: str, run: str, after: str, place: Place) -> str:
    if place == "lowered":
        return "_" if before and (_touch(before, run) or _touch(run, after)) else ""
    if not before[-1:].isalnum() or not _SIGNED.match(run) or _ORDINAL.fullmatch(before[-1] + run):
        return ""
    return "^(" if _JOINED.search(run) else "^"


def _touch(left: str, right: str) -> bool:
    return left[-1:].isdecimal() and right[:1].isdecimal()
