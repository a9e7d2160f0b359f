"""How much of a text is in everyday Chinese use: it tells a right reading of bytes from a wrong one.

Kept beside a detector library because it is the better judge of short Chinese text: of lines of 8 characters in
GB18030 it names 98 to 100 % rightly, chardet 87 %, charset-normalizer 28 to 35 % (Big5: 100, 97 and 75 %). Of what is
not Chinese it knows nothing; there the library decides.
"""

from __future__ import annotations

import re

SURE = 0.95
PLAUSIBLE = 0.80
_PUNCTUATION = "·×÷°①②③④⑤⑥⑦⑧⑨⑩≤≥→√□■●○◆★‧•〇"


def _is_everyday(character: str) -> bool:
    """Whether a Han character is in the everyday half of a national table: level 1 of GB 2312 or level 1 of Big5."""
    simplified, traditional = character.encode("gb2312", "ignore"), character.encode("big5", "ignore")
    return b"\xb0" <= simplified[:1] <= b"\xd7" or b"\xa4" <= traditional[:1] <= b"\xc6"


_HAN = "".join(filter(_is_everyday, map(chr, range(0x4E00, 0xA000))))
_BEYOND = re.compile("[^\t\n\r\f\v\0 -\x7f]+")
_RARE = re.compile(f"[^\t\n\r\f\v\0 -\x7f\u3000-\u303f\uff01-\uffe6\u2010-\u203b{_PUNCTUATION}{_HAN}]")


def commonness(text: str) -> float:
    """Share of characters beyond ASCII that are in everyday use, 0…1 (1 when there are none beyond ASCII).

    Bytes read in a wrong encoding give valid but rare characters, so this tells the readings apart.
    """
    beyond = count_beyond(text)
    return 1 - len(_RARE.findall(text)) / beyond if beyond else 1.0


def count_beyond(text: str) -> int:
    """How many characters are evidence: beyond ASCII, or control characters that no text holds."""
    return sum(map(len, _BEYOND.findall(text)))
