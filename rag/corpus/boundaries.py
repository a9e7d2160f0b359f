"""Where a text may be cut: after a paragraph, a line, a sentence, a clause, a word. A separator closes the piece before it."""

from __future__ import annotations

import re

PARAGRAPH = re.compile(r"\n{2,}")
LINE = re.compile(r"\n")
SENTENCE = re.compile(r"[。！？!?…]+[”’」』）)]*|\.(?=\s)")
CLAUSE = re.compile(r"[；，;,]")
WORD = re.compile(r"\s+")

KINDS = (PARAGRAPH, LINE, SENTENCE, CLAUSE, WORD)
"""From the coarsest to the finest."""

_CLOSING = "”’」』）)"
_MOST_CLOSING = 100


def ends_sentence(text: str, at: int) -> bool:
    """Whether no sentence is torn apart when `text` is cut at `at`: one ends there, or a line, or the text.

    >>> ends_sentence("年假15天。病假另计。", 6), ends_sentence("年假15天。病假另计。", 4)
    (True, False)
    """
    before, after = at, at
    while before > 0 and text[before - 1].isspace():
        before -= 1
    while after < len(text) and text[after].isspace():
        after += 1
    if before == 0 or after == len(text) or "\n" in text[before:after]:
        return True
    said = text[max(0, before - _MOST_CLOSING) : before].rstrip(_CLOSING)[-1:]
    return bool(said) and (said in "。！？!?…" or (said == "." and before < after))
