"""Letters of rich text that are raised, lowered or struck out: marked in the source, found again in its text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from rag.corpus.load.raised import Place, marked, written

_STRUCK = "\ufdd3", "\ufdd4"  # not characters, like the marks of `raised`
_NEEDED = re.compile(r"\\(?:super|sub|strike|deleted)")
_TOKEN = re.compile(r"\\([a-z]{1,32})(-?\d{1,10})? ?|\\[^a-z]|[{}]", re.IGNORECASE)
_CUT = re.compile("[\ufdd0\ufdd1\ufdd3][^\ufdd0-\ufdd4]*[\ufdd2\ufdd4]")
_PART = re.compile("([\ufdd0\ufdd1\ufdd3])([^\ufdd0-\ufdd4]*)[\ufdd2\ufdd4]|([^\ufdd0-\ufdd4]+)")
_MARK = re.compile("[\ufdd0-\ufdd4]")
_PLACES: dict[str, Place] = {"super": "raised", "sub": "lowered", "\ufdd0": "raised", "\ufdd1": "lowered"}
_LINES = {"strike", "striked", "deleted"}


@dataclass(frozen=True, slots=True)
class _Letters:
    place: Place = None
    lines: frozenset[str] = frozenset()
    """The kinds of line through them."""


def with_marks(source: str) -> str:
    """`source` with marks around what is raised, lowered or struck out (words deleted in a revision too).

    What is struck out and raised as well is only struck out.
    """
    return "".join(_marked(source)) if _NEEDED.search(source) else source


def parted(line: str) -> tuple[str, list[tuple[int, str]]]:
    """A line or a cell of the text of `with_marks` as it is written, and what is struck out with its place in it."""
    tokens = [(t.group(1) or "", t.group(2) or t.group(3) or "") for t in _PART.finditer(line)]
    shown = iter(written([(text, _PLACES.get(kind)) for kind, text in tokens if kind != _STRUCK[0]]))
    out: list[str] = []
    struck: list[tuple[int, str]] = []
    length = 0
    for kind, text in tokens:
        if kind == _STRUCK[0]:
            struck.append((length, text))
        else:
            out.append(next(shown))
            length += len(out[-1])
    return "".join(out), struck


def unmarked(text: str) -> str:
    """`text` of `with_marks` without the marks."""
    return _MARK.sub("", text)


def in_cells(text: str) -> str:
    """`text` with marks that end and begin again where a cell or a line does."""
    return _CUT.sub(lambda m: re.sub(r"[^|\n]+", lambda part: m[0][0] + part[0] + m[0][-1], m[0][1:-1]), text)


def _marked(source: str) -> Iterator[str]:
    """The source piece by piece; the marks of a group stand inside it, so that they go where its words go."""
    above: list[_Letters] = []
    now = _Letters()
    at = 0
    for token in _TOKEN.finditer(source):
        if token[0] == "{":
            above.append(now)
            continue
        if token[0] == "}":
            after = above.pop() if above else _Letters()
        else:
            after = _after(now, (token[1] or "").lower(), token[2] != "0")
        if _signs(after) == _signs(now):
            now = after
            continue
        yield source[at : token.start()]
        yield f"{_code(_signs(now)[1])}{token[0]}{_code(_signs(after)[0])}"
        at, now = token.end(), after
    yield source[at:]


def _after(now: _Letters, word: str, on: bool) -> _Letters:
    """How letters look behind a control word."""
    if word in _PLACES:
        return replace(now, place=_PLACES[word] if on else None)
    if word in _LINES:
        return replace(now, lines=now.lines | {word} if on else now.lines - {word})
    if word == "nosupersub":
        return replace(now, place=None)
    return _Letters() if word == "plain" else now


def _signs(letters: _Letters) -> tuple[str, str]:
    if letters.lines:
        return _STRUCK
    mark = marked(" ", letters.place)
    return (mark[0], mark[-1]) if letters.place else ("", "")


def _code(sign: str) -> str:
    """A mark as rich text writes characters, in a group of its own: what follows is read as before."""
    return f"{{\\uc0\\u{ord(sign) - 0x10000} }}" if sign else ""
