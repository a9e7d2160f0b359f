"""What a passage has in the place of a word: in 「由财务部审批」 against 「由人力资源部审批」, 人力资源部 in place of 财务部."""

from __future__ import annotations

import re
from typing import Final

from rag.ask.reading import Reading
from rag.ask.wording import FRAME, Word

_EDGE: Final = r"(?:^|$|(?<=[，,。；;：:！？!?\s（）()《》「」、])|(?=[，,。；;：:！？!?\s（）()《》「」、]))"
_BREAK: Final = re.compile(r"[，,。；;！？!?\n（）()《》「」]")
_SAYS: Final = re.compile(r"[\u3400-\u9fff]|[a-z]{3}")
_WIDTHS: Final = (6, 4, 3, 2, 1)
"""Characters before a word that are looked for, the most first."""
_FILLS: Final = {False: r"[^，,。；;！？!?\n（）()]{1,8}?", True: r"[a-z][a-z-]*(?: [a-z-]+){0,2}?"}
"""What may stand in the place of a Chinese and of a Latin word."""


def in_place(word: Word, said: Reading, passage: Reading) -> tuple[tuple[int, int], ...]:
    """What stands in `passage` between the same neighbours as `word` in the sentence: spans of the passage, none when it is the word itself.

    The neighbours are the two characters behind (a Latin word: the next word), or the end of the clause, and as many before as the passage
    has in any place.
    """
    text, latin = said.text, word.word[0].isascii()
    behind, before = text[word.end :], text[: word.start]
    opens, closes = not before or _BREAK.match(before[-1]), not behind or _BREAK.match(behind[0])
    if opens and closes:
        return ()
    follows = re.match(r" [a-z]+(?![a-z])" if latin else r"[^，,。；;！？!?\n]{1,2}", behind)
    if not closes and not follows:
        return ()
    next_to = follows.group() if follows else ""
    right = _EDGE if closes else re.escape(next_to) + (_EDGE if len(next_to) == 1 else "")
    for left in _lefts(before, latin, bool(opens), bool(closes)):
        found = [m.span("fill") for m in re.finditer(rf"{left}(?P<fill>{_FILLS[latin]})(?={right})", passage.text)]
        if found:
            if any(word.word in passage.text[a:b] for a, b in found):
                return ()
            return tuple(s for s in found if _instead(passage.text[slice(*s)], text, passage.text))
    return ()


def _lefts(before: str, latin: bool, opens: bool, closes: bool) -> list[str]:
    """Patterns for what stands before, the longest first; one character is enough where two follow."""
    if opens:
        return [_EDGE]
    if latin:
        match = re.search(r"(?<![a-z])[a-z0-9]+ \Z", before)
        return [re.escape(match.group())] if match else []
    clause = _BREAK.split(before)[-1]
    widths = [w for w in _WIDTHS if w <= len(clause) and (w > 1 or not closes)]
    return [
        re.escape(clause[-w:])
        for w in dict.fromkeys([min(len(clause), _WIDTHS[0]), *widths])
        if w > (1 if closes else 0)
    ]


def _instead(fill: str, sentence: str, passage: str) -> bool:
    """Whether it says something, and the sentence does not say it too."""
    return (
        fill.strip() not in FRAME
        and _SAYS.search(fill) is not None
        and sentence.count(fill.strip()) < passage.count(fill.strip())
    )


_JOINTS: Final = re.compile(
    r"(?P<left>[\u3400-\u9fffa-z0-9]{2})(?P<joint>或者?|以及|及(?!其|以|时)|和|与|且)(?P<right>[\u3400-\u9fffa-z0-9]{2})"
)
_EITHER: Final = ("或", "或者")


def joined_otherwise(said: Reading, passage: Reading) -> tuple[tuple[tuple[int, int], tuple[int, int]], ...]:
    """或 where the passage has 和 between the same, or the other way round: their spans in the sentence and in the passage."""
    out = []
    for match in _JOINTS.finditer(said.text):
        left, right = re.escape(match["left"][-1:]), re.escape(match["right"][:2])
        there = re.search(rf"{left}(或者?|以及|及|和|与|且){right}", passage.text)
        if there and (there.group(1) in _EITHER) != (match["joint"] in _EITHER):
            out.append((match.span("joint"), there.span(1)))
    return tuple(out)
