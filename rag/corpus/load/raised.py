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
    groups = [
        (place, [n for n, _ in group])
        for place, group in groupby(
            ((n, place) for n, (text, place) in enumerate(runs) if text), key=lambda one: one[1]
        )
    ]
    before = ""
    for (place, numbers), (above, following) in zip(groups, [*groups[1:], (None, [])], strict=False):
        run = "".join(runs[n][0] for n in numbers)
        if place:
            after = runs[following[0]][0] if following and not above else ""  # one that is raised has a sign of its own
            sign = _sign(before, run, after, place)
            texts[numbers[0]] = sign + texts[numbers[0]]
            if sign.endswith("("):
                texts[numbers[-1]] += ")"
            elif _touch(run, after):
                texts[numbers[-1]] += " "
        before = run
    return texts


def marked(text: str, place: Place) -> str:
    """`text` with marks of where it stands, for `spelled`, once what follows it is known."""
    return f"{_BEGIN[place]}{text}{_END}" if text and place else text


def spelled(text: str) -> str:
    """A text with runs that `marked` marked, as `written` writes it."""
    return spelled_each([text])[0]


def spelled_each(texts: Sequence[str]) -> list[str]:
    """`spelled` for texts that follow each other on one line; a run that `marked` marked is in one of them."""
    if not any(_END in text for text in texts):
        return list(texts)
    runs: list[tuple[str, Place]] = []
    ends: list[int] = []
    for text in texts:
        at = 0
        for found in _MARKED.finditer(text):
            place: Place = "raised" if found.group(1) == _BEGIN["raised"] else "lowered"
            runs += [(text[at : found.start()], None), (found.group(2), place)]
            at = found.end()
        runs.append((text[at:], None))
        ends.append(len(runs))
    out = written(runs)
    return ["".join(out[start:end]) for start, end in zip([0, *ends], ends, strict=False)]


def _sign(before: str, run: str, after: str, place: Place) -> str:
    if place == "lowered":
        return "_" if before and (_touch(before, run) or _touch(run, after)) else ""
    if not before[-1:].isalnum() or not _SIGNED.match(run) or _ORDINAL.fullmatch(before[-1] + run):
        return ""
    return "^(" if _JOINED.search(run) else "^"


def _touch(left: str, right: str) -> bool:
    return left[-1:].isdecimal() and right[:1].isdecimal()
