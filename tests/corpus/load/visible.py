"""What a person can read in text given to a writer of Office files, worked out without the code under test."""

import random
import unicodedata

from tests import hostile

# Characters without a glyph that the cleaning takes out (see rag/corpus/clean.py); written down here a second time.
_UNSEEN = {
    *range(0x200B, 0x200C),
    0x200E,
    0x200F,
    *range(0x202A, 0x202F),
    *range(0x2060, 0x2065),
    *range(0x2066, 0x2070),
}
_UNSEEN |= {0xAD, 0xFEFF, 0xFFF9, 0xFFFA, 0xFFFB, *range(0xFDD0, 0xFDF0)}
_ENDS = "\r\n\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"


def for_xml(text: str) -> str:
    """`text` without what XML 1.0 cannot hold and without carriage returns, which a reader turns into line feeds."""
    return "".join(c for c in text if c in "\t\n" or (c >= " " and ord(c) & 0xFFFE != 0xFFFE))


def hostile_xml(rng: random.Random) -> str:
    """Hostile text that an Office file can hold."""
    return for_xml(hostile.text(rng))


def visible_lines(text: str) -> list[str]:
    """The lines of `text` that show something, each without blanks at its ends."""
    for end in _ENDS:
        text = text.replace(end, "\n")
    text = "".join(c for c in text if c in "\n\t" or (unicodedata.category(c) != "Cc" and not _unseen(ord(c))))
    return [line.strip() for line in text.split("\n") if line.strip()]


def _unseen(code: int) -> bool:
    return code in _UNSEEN or code & 0xFFFE == 0xFFFE
