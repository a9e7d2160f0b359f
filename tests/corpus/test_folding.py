"""Folding against the definition, character by character."""

import random
import sys
import unicodedata

from rag.corpus.folding import fold
from tests import hostile


def by_definition(c: str) -> str:
    if c in "\u2010\u2011":
        return "-"
    wide = unicodedata.normalize("NFKC", c).lower()
    if len(wide) == 1:
        return wide
    return c.lower() if len(c.lower()) == 1 else c


def test_every_character_there_is() -> None:
    for code in range(sys.maxunicode + 1):
        c = chr(code)
        assert fold(c) == (c.lower() if c.isascii() else by_definition(c)), hex(code)


def test_a_text_is_folded_character_by_character(seeds) -> None:
    for seed in seeds(200):
        text = hostile.text(random.Random(seed))
        assert fold(text) == "".join(map(fold, text)) and len(fold(text)) == len(text)
