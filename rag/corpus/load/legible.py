"""How much a text looks like text: a PDF font without a right character map gives letters that form no words."""

from __future__ import annotations

import re
import unicodedata

_WORD = re.compile(r"[^\W_]+")
# An address is no words in any language, and a printed page of the web has one at its foot.
_ADDRESS = re.compile(r"[a-zA-Z]{2,8}://\S+")
_VOWELS = frozenset("aeiouyáàâäãåæéèêëíìîïóòôöõøœúùûüýěůőűąęıаеёиоуыэюяіїєαεηιουωάέήίόύώ")
# Above it a page reads well; below it, something else would have been better.
GOOD, POOR = 0.9, 0.7
_LEAST = 20
_FEWEST_VOWELS = 0.25
_ALPHABETS = 0x2E7F  # the last character before the radicals of Chinese
_NARROW = re.compile(f"[^{chr(_ALPHABETS + 1)}-\U0010ffff]+")


def legible(text: str) -> float:
    """The share of the letters of `text` that stand where letters stand in a text, 0…1; 1 where there are too few to tell.

    A letter of an alphabet should be in a word of one case (or with a capital first) that has a vowel; a Chinese or
    Korean character should be one of the common ones; a private or unassigned character is none.

    >>> round(legible("Peněžní prostředky na účtech společnosti"), 1), legible("3HQČåQtSURVWĜHGN\\\\QD~þWHFK3HQ") < 0.5
    (1.0, True)
    """
    good = total = 0.0
    words: list[tuple[str, str]] = []
    text = _ADDRESS.sub(" ", text)
    for found in _WORD.finditer(text):
        word = found.group()
        wide = [c for c in word if ord(c) > _ALPHABETS]
        total += len(wide)
        good += sum(map(_is_common, wide))
        for run in _NARROW.findall(word):  # Chinese is written around a word without blanks
            words.append((run, "".join(filter(str.isalpha, run))))
    letters = sum(len(own) for _, own in words)
    vowels = sum(c in _VOWELS for _, own in words for c in unicodedata.normalize("NFC", own.lower()))
    cased = sum(c.lower() != c.upper() for _, own in words for c in own)
    enough = min(1.0, vowels / (_FEWEST_VOWELS * cased)) if cased else 1.0
    good += enough * sum(len(own) for word, own in words if _is_word(word, own))
    bad = sum(unicodedata.category(c) in ("Co", "Cn", "Cc") and c not in "\n\t\r" or c == "\ufffd" for c in text)
    total += letters + bad
    return good / total if total >= _LEAST else 1.0


def _is_word(word: str, letters: str) -> bool:
    """Whether a run of letters and digits could be a word or a code of a language with an alphabet."""
    if len(letters) < 3 or letters.lower() == letters.upper():
        return True
    one_case = letters.islower() or letters.isupper() or (letters[0].isupper() and letters[1:].islower())
    has_vowel = any(c in _VOWELS for c in unicodedata.normalize("NFC", letters.lower()))
    return one_case and has_vowel and len(letters) > 0.6 * len(word)


def _is_common(character: str) -> bool:
    """Whether a wide character is among the everyday ones of China, Taiwan or Korea; kana and marks are."""
    if "\uac00" <= character <= "\ud7a3":
        return len(character.encode("euc_kr")) == 2  # the others are spelled out, in eight bytes
    if not "\u3400" <= character <= "\u9fff" and ord(character) < 0x20000:
        return True
    simplified, traditional = character.encode("gb2312", "ignore"), character.encode("big5", "ignore")
    return b"\xb0" <= simplified[:1] <= b"\xd7" or b"\xa4" <= traditional[:1] <= b"\xc6"
