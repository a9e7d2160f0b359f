"""The markers of an answer, ``[S1]`` and what else a model makes of it: found while the text still grows."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass
from typing import Final

# [S1]  [S1, S3]  ［S１］  【S1】  (S1)  [2]  [S 1]  [S1-3]  [S1;S3]  [S1和S3]
_S: Final = r"[SＳｓ]\s{0,3}"
_JOIN: Final = r"\s{0,3}(?:(?:[,，、;；/&~～–—至到和与及-]|\band\b|\bto\b)\s{0,3})?"
_MARKER: Final = re.compile(
    rf"[\[［【]\s*(?P<a>{_S}\d{{1,9}}(?:{_JOIN}{_S}\d{{1,9}}|\s*[,，、;；/~～–—至-]\s*\d{{1,9}})*"
    rf"|\d{{1,2}}(?:\s*[,，、]\s*(?:{_S}\d{{1,9}}|\d{{1,2}}))*)\s*[\]］】]"
    rf"|[(（]\s*(?P<b>{_S}\d{{1,2}}(?:{_JOIN}{_S}\d{{1,2}}|\s*[,，、~～–—至-]\s*\d{{1,2}})*)\s*[)）]",
    re.I,
)
_NUMBER: Final = re.compile(rf"(?:{_S})?(\d{{1,9}})", re.I)
# What may stand in a marker behind its bracket.
_INSIDE: Final = r"[\sSＳｓ\d,，、;；/&~～–—至到和与及andto-]"
# What may still become a marker when more text comes: an open bracket and the first characters of a marker.
_UNFINISHED: Final = re.compile(rf"[\[［【(（]\s*(?:{_S}|(?:{_S})?\d{_INSIDE}*)?\Z", re.I)
# And of these, what an answer that is cut off can only have meant as one.
_STUB: Final = re.compile(rf"(?:[\[［【]\s*(?:{_S}|(?:{_S})?\d{_INSIDE}*)?|[(（]\s*{_S}(?:\d{_INSIDE}*)?)\Z", re.I)


@dataclass(frozen=True, slots=True)
class Marker:
    """One number of a marker: the `name` that it gives (``S1``), and its stretch ``text[start:end]`` of the bracket."""

    name: str
    start: int
    end: int


def settled(text: str) -> str:
    """The part of a growing answer that later text cannot turn into a marker.

    >>> settled("每年15天[S"), settled("每年15天[S1]")
    ('每年15天', '每年15天[S1]')
    """
    match = _UNFINISHED.search(text)
    return text[: match.start()] if match else text


def markers(text: str, start: int, end: int, known: Container[str]) -> Iterator[Marker]:
    """The markers in ``text[start:end]``; a number without S, as in ``[2]``, is one only when it names something `known`. Of a
    range, ``[S1-S3]``, the two that are written.

    >>> [(m.name, m.start, m.end) for m in markers("15天[S1, S9]。见[7]", 0, 16, {"S1"})]
    [('S1', 3, 6), ('S9', 6, 11)]
    """
    for match in _MARKER.finditer(text, start, end):
        numbers = list(_NUMBER.finditer(text, *match.span()))
        names = [f"S{int(n.group(1))}" for n in numbers]
        if not any(n.group()[0] in "SsＳｓ" for n in numbers) and not all(name in known for name in names):
            continue
        edges = [match.start(), *[n.end() for n in numbers[:-1]], match.end()]
        for name, a, b in zip(names, edges, edges[1:], strict=False):
            yield Marker(name, a, b)


def without(text: str) -> str:
    """`text` with blanks in place of its markers, so that none is taken apart at a line break or hides the stop before it; offsets stay the same."""
    return _MARKER.sub(lambda match: " " * len(match.group()), text)


def blanked(text: str) -> str:
    """`text` with blanks in place of whatever looks like a marker, or like one that was cut off at its end; offsets stay the same.

    >>> blanked("15天[S1]。"), blanked("15天[S1")
    ('15天    。', '15天   ')
    """
    return _STUB.sub(lambda match: " " * len(match.group()), without(text))


def broken(text: str) -> tuple[str, tuple[str, ...]]:
    """`text` of a file or a question with whatever looks like a marker made harmless but readable; also returns those found, in order.

    >>> broken("见[S1]和【2】")
    ('见[S·1]和【·2】', ('[S1]', '【2】'))
    """
    found = tuple(match.group() for match in _MARKER.finditer(text))
    return _MARKER.sub(lambda match: re.sub(r"(\d+)", r"·\1", match.group()), text), found


def unmarked(text: str) -> str:
    """`text` without whatever looks like a marker."""
    return _MARKER.sub("", text)


def behind(text: str, end: int) -> int:
    """Where a sentence that stops at `end` is over: a marker after the stop belongs to it, one that opens a line does not."""
    while True:
        at = len(text) - len(text[end:].lstrip())
        marker = _MARKER.match(text, at)
        if marker is None:
            return end
        rest_of_line = text[marker.end() :].split("\n", 1)[0]
        if "\n" in text[end - 1 : at] and unmarked(rest_of_line).strip():
            return end
        end = marker.end()
