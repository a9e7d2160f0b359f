"""Chinese numerals → the number they write, so that 八十二 and 82 are one term."""

from __future__ import annotations

from typing import Final

NUMERALS: Final = "〇零一二两三四五六七八九十百千万亿"
_DIGITS: Final = {character: value for value, character in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_UNITS: Final = {"十": 10, "百": 100, "千": 1000}
_GROUPS: Final = {"亿": 10**8, "万": 10**4}  # the greater first


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
