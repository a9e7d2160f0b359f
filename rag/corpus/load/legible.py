"""How much a text looks like text: a PDF font without a right character map gives letters that form no words."""

from __future__ import annotations

import re
import unicodedata

_WORD = re.compile(r"[^\W_]+")
_VOWELS = frozenset("aeiouyáàâäãåæéèêëíìîïóòôöõøœúùûüýěůőűąęıаеёиоуыэюяіїєαεηιουωάέήίόύώ")
# Above it a page reads well; below it, something else would have been better.
GOOD, POOR = 0.9, 0.7
_LEAST = 20


def legible(text: str) -> float:
    """The share of the letters of `text` that stand where letters stand in a text, 0…1; 1 where there are too few to tell.

    A letter of an alphabet should be in a word of one case (or with a capital first) that has a vowel; a Chinese or
    Korean character should be one of the common ones; a private or unassigned character is none.

    >>> round(legible("Peněžní prostředky na účtech společnosti"), 1), legible("3HQČåQtSURVWĜHGN\\\\QD~þWHFK3HQ") < 0.5
    (1.0, True)
    """
    good = total = 0
    for found in _WORD.finditer(text):
        word = found.group()
        wide = [c for c in word if ord(c) > 0x2E7F]
        letters = [c for c in word if c.isalpha() and ord(c) <= 0x2E7F]
        total += len(wide) + len(letters)
        good += sum(map(_is_common, wide))
        good += len(letters) if _is_word(word, letters) else 0
    bad = sum(unicodedata.category(c) in ("Co", "Cn", "Cc") and c not in "\n\t\r" or c == "\ufffd" for c in text)
    total += bad
    return good / total if total >= _LEAST else 1.0


def _is_word(word: str, letters: list[str]) -> bool:
    """Whether a run of letters and digits could be a word or a code of a language with an alphabet."""
    if len(letters) < 4:
        return True
    joined = "".join(letters)
    one_case = joined.islower() or joined.isupper() or (joined[:1].isupper() and joined[1:].islower())
    caseless = joined.lower() == joined.upper()
    if caseless:
        return True
    has_vowel = any(c in _VOWELS for c in unicodedata.normalize("NFC", joined.lower()))
    return one_case and has_vowel and (len(letters) > 0.6 * len(word))


def _is_common(character: str) -> bool:
    """Whether a wide character is in the everyday character sets of China, Taiwan or Korea; kana and marks are."""
    for encoding in ("gb2312", "euc_kr" if "\uac00" <= character <= "\ud7a3" else "big5"):
        try:
            character.encode(encoding)
        except UnicodeEncodeError:
            continue
        return True
    return not ("\u3400" <= character <= "\u9fff" or "\uac00" <= character <= "\ud7a3")
