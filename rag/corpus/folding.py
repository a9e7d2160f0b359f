"""Text made alike before it is compared: half-width, lower case, simplified characters; character by character, so that offsets stay."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Final

from opencc import OpenCC

# The hyphens that PDF and Word files hold for one that shall not break.
_HYPHENS: Final = {"\u2010": "-", "\u2011": "-"}
# All but what stays as it is: of a Chinese text most characters, so that it is not gone through one by one.
_FOLDED: Final = re.compile("[^\\x00-@\\[-\\x7f\u4e00-\u9fff]")


def _simplified() -> Mapping[int, str]:
    """Traditional characters → simplified, one for one, so that offsets stay the same."""
    characters = [chr(code) for low, high in ((0x3400, 0x4DC0), (0x4E00, 0xA000)) for code in range(low, high)]
    # a line each: the converter shall see no words, which it would convert as wholes
    pairs = zip(characters, OpenCC("t2s").convert("\n".join(characters)).split("\n"), strict=True)
    return {ord(old): new for old, new in pairs if old != new and len(new) == 1}


SIMPLIFIED: Final = _simplified()


def fold(text: str) -> str:
    """Full-width → half-width, upper → lower case, hyphens → ``-``, character by character, so that offsets stay the same.

    >>> fold("ＶＰＮ－４０３１ ½")
    'vpn-4031 ½'
    """
    return _FOLDED.sub(lambda match: _fold_character(match.group()), text)


def plain(text: str) -> str:
    """`text` folded, in simplified characters; as long as before.

    >>> plain("ＶＰＮ 帳號")
    'vpn 帐号'
    """
    return fold(text).translate(SIMPLIFIED)


def _fold_character(c: str) -> str:
    if c.isascii():
        return c.lower()
    plain = _HYPHENS.get(c) or unicodedata.normalize("NFKC", c).lower()
    if len(plain) == 1:
        return plain
    lower = c.lower()  # of a sign that stands for several letters (Ⅳ) the case alone
    return lower if len(lower) == 1 else c
