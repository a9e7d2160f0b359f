"""Characters that a font draws and nobody types, as the characters that are meant."""

from __future__ import annotations

import unicodedata

NO_CHARACTER = "\ufffd"
# Bullets and check boxes of the symbol fonts that word processors use, which have no characters of their own.
_SYMBOLS = {
    0xF0B7: "•",
    0xF06C: "●",
    0xF06E: "■",
    0xF075: "◆",
    0xF0A7: "▪",
    0xF0D8: "➢",
    0xF0FC: "✓",
    0xF0E0: "→",
    0xF0E8: "➔",
    0xF0A8: "□",
    0xF06F: "□",
    0xF0A3: "□",
    0xF052: "☑",
    0xF0FE: "☑",
    0xF054: "☒",
}
# Simplified parts of characters that fonts share with the whole characters (Unicode has no mapping for these).
_PARTS = dict(
    zip(
        map(ord, "⺟⺠⻁⻄⻅⻆⻉⻋⻓⻔⻘⻙⻚⻛⻜⻝⻢⻣⻤⻥⻦⻨⻩⻬⻮⻰⻳"),
        "母民虎西见角贝车长门青韦页风飞食马骨鬼鱼鸟麦黄齐齿龙龟",
        strict=True,
    )
)
# Latin ligatures, whole characters in the block of radicals, and compatibility characters of Han.
_COMPOSED = (*range(0xFB00, 0xFB07), *range(0x2F00, 0x2FD6), *range(0xF900, 0xFAFF), 0x2E9F, 0x2EF3)
_TYPED = str.maketrans({**{code: unicodedata.normalize("NFKC", chr(code)) for code in _COMPOSED}, **_PARTS, **_SYMBOLS})


def as_typed(text: str) -> str:
    """`text` with ligatures, radicals and the bullets of symbol fonts replaced by what they stand for.

    >>> as_typed("\\ufb01lled"), as_typed("\\u2f64\\u2ee2"), as_typed("\\uf0b7")
    ('filled', '用马', '•')
    """
    return text if text.isascii() else text.translate(_TYPED)


def is_readable(text: str) -> bool:
    """Whether a glyph stands for a character: not by its number alone (``(cid:7)``), in private use, or by none."""
    return not text.startswith("(cid:") and not any(c == NO_CHARACTER or "\ue000" <= c <= "\uf8ff" for c in text)
