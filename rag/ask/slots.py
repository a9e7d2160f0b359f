"""What a passage has in the place of a word: in 「由财务部审批」 against 「由人力资源部审批」, 人力资源部 in place of 财务部."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rag.ask.reading import Reading
from rag.ask.wording import Word

_EDGE: Final = r"(?:^|$|[，,。；;：:！？!?\s（）()《》「」、])"
_BREAK: Final = re.compile(r"[，,。；;！？!?\n（）()《》「」]")
_HAN: Final = re.compile(r"[\u3400-\u9fff]|[a-z]{3}")
LONGEST: Final = 8
"""Characters that stand in a word's place at most."""


def in_place(word: Word, said: Reading, passage: Reading) -> Iterator[tuple[int, int]]:
    """What stands in `passage` between the same neighbours as `word` in the sentence, and less often in the sentence: spans of the passage.

    The neighbours are the character before and the two behind, or where a clause begins or ends there, the two on the other side.
    """
    text = said.text
    before, behind = text[max(0, word.start - 2) : word.start], text[word.end : word.end + 2]
    opens, closes = not before or _BREAK.match(before[-1]), not behind or _BREAK.match(behind[0])
    if opens and closes:
        return
    left = _EDGE if opens else re.escape(before if closes else before[-1:])
    right = _EDGE if closes else re.escape(behind)
    if not opens and closes and len(before) < 2:
        return
    found = []
    for match in re.finditer(
        rf"(?:{left})(?P<rival>[^，,。；;！？!?\n（）()]{{1,{LONGEST}}}?)(?=(?:{right}))", passage.text
    ):
        rival = match["rival"].strip()
        if word.word in rival:
            return  # the word stands there itself
        if _HAN.search(rival) and text.count(rival) < passage.text.count(rival):
            at = match.start("rival") + match["rival"].index(rival)
            found.append((at, at + len(rival)))
    yield from found
