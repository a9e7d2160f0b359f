"""Chinese numerals → the number they write, so that 八十二 and 82, and 3.5万 and 35000, are one term."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

NUMERALS: Final = "〇零一二两三四五六七八九十百千万亿"
_DIGITS: Final = {character: value for value, character in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_UNITS: Final = {"十": 10, "百": 100, "千": 1000}
_GROUPS: Final = {"亿": 10**8, "万": 10**4}  # the greater first

# Lengths are bounded, so that a run of digits without end is read as a word and not computed with.
_FIGURE: Final = r"(?:\d{1,3}(?:,\d{3}){1,4}|\d{1,15})(?:\.\d{1,6})?"
_SIGNS: Final = "(?:[百千]?[万亿]|[百千])"
AMOUNT: Final = f"{_FIGURE}{_SIGNS}"
"""A pattern without groups: digits, then the signs they count (``3.5万``, ``2千万``)."""


def number(numeral: str) -> str | None:
    """The number in Arabic digits; None when it is not one written by the rules (``万一``).

    Digits alone are read one by one, as years are. A last digit that follows a sign counts the next lower unit, as it
    is spoken.

    >>> [number(n) for n in ("八十二", "十五", "一千零五十", "三万二千", "二〇二六", "两", "一百五", "三万二")]
    ['82', '15', '1050', '32000', '2026', '2', '150', '32000']
    >>> number("万一"), number("十百"), number("")
    (None, None, None)
    """
    if numeral and all(c in _DIGITS for c in numeral):
        return "".join(str(_DIGITS[c]) for c in numeral)
    total, rest, last = 0, numeral, 1
    for sign, group in _GROUPS.items():
        head, found, tail = rest.partition(sign)
        if found:
            value = _below_ten_thousand(head, 1)
            if not value:
                return None
            total, rest, last = total + value * group, tail, group // 10
    end = _below_ten_thousand(rest, last) if rest else 0
    return str(total + end) if end is not None and total + end > 0 else None


def amount(written: str) -> str:
    """The number of what `AMOUNT` matches, in plain digits.

    >>> [amount(a) for a in ("3万", "3.5万", "2千万", "1,200万", "0.25亿", "1.23456万")]
    ['30000', '35000', '20000000', '12000000', '25000000', '12345.6']
    """
    value = Decimal(written.rstrip("百千万亿").replace(",", ""))
    for sign in re.findall("[百千万亿]", written):
        value *= (_UNITS | _GROUPS)[sign]
    whole, _, fraction = f"{value:f}".partition(".")
    fraction = fraction.rstrip("0")
    return f"{whole.lstrip('0') or '0'}.{fraction}" if fraction else whole.lstrip("0") or "0"


def _below_ten_thousand(numeral: str, last: int) -> int | None:
    """Units must fall and a digit stand before each (not before a leading 十); a digit alone counts `last`."""
    total, digit, unit_before, ones = 0, None, 10_000, last
    for position, c in enumerate(numeral):
        if c in "零〇":
            if digit is not None:
                return None
            ones = 1
        elif c in _DIGITS:
            if digit is not None:
                return None
            digit = _DIGITS[c]
        elif c in _UNITS and _UNITS[c] < unit_before and (digit is not None or (c == "十" and position == 0)):
            unit_before = _UNITS[c]
            total, digit, ones = total + (1 if digit is None else digit) * unit_before, None, unit_before // 10
        else:
            return None
    return total + (digit or 0) * ones if numeral else None
