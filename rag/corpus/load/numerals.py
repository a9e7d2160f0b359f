"""The counting systems of Word's automatic numbers: 12 → XII, l, 十二, ⑫."""

from __future__ import annotations

from collections.abc import Callable

_ROMAN = tuple(
    zip(
        (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1),
        ("M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"),
        strict=True,
    )
)
_IDEOGRAPHS, _ROUND = "〇一二三四五六七八九", "○一二三四五六七八九"
_LEGAL_SIMPLE, _LEGAL = "零壹贰叁肆伍陆柒捌玖", "零壹貳參肆伍陸柒捌玖"
_STEMS, _BRANCHES = "甲乙丙丁戊己庚辛壬癸", "子丑寅卯辰巳午未申酉戌亥"
_FULL = str.maketrans("0123456789", "０１２３４５６７８９")


def numeral(value: int, system: str) -> str | None:
    """`value` (0 or more) in Word's counting system of that name; None for a system that is not known here.

    Where a system has no sign for the value (① goes up to 20, 甲 to 10) Word shows digits, and so does this.

    >>> [numeral(12, s) for s in ("decimal", "upperRoman", "chineseCountingThousand", "decimalEnclosedCircle")]
    ['12', 'XII', '十二', '⑫']
    """
    written = _SYSTEMS.get(system)
    return None if written is None else written(value)


def _roman(value: int) -> str:
    if not 0 < value < 40_000:
        return str(value)
    out = ""
    for worth, sign in _ROMAN:
        times, value = divmod(value, worth)
        out += sign * times
    return out


def _letters(value: int) -> str:
    """a … z, then aa, bb … as Word goes on."""
    if not 0 < value <= 780:  # 30 letters in a row: what Word stops at
        return str(value)
    return chr(ord("a") + (value - 1) % 26) * ((value - 1) // 26 + 1)


def _ordinal(value: int) -> str:
    ending = "th" if value % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")
    return f"{value}{ending}"


def counted(value: int, digits: str = "零一二三四五六七八九", units: str = "十百千", one_ten: bool = False) -> str:
    """`value` (0 … 999,999,999,999) as it is said in Chinese; `one_ten`: 一十二 and not 十二.

    >>> counted(12), counted(105), counted(120), counted(20_010)
    ('十二', '一百零五', '一百二十', '二万零一十')
    """
    if not 0 < value < 10**12:
        return digits[0] if value == 0 else str(value)
    for worth, name in ((10**8, "亿"), (10**4, "万")):
        high, low = divmod(value, worth)
        if high:
            zero = digits[0] if 0 < low < worth // 10 else ""
            rest = counted(low, digits, units, True) if low else ""
            return f"{counted(high, digits, units, one_ten)}{name}{zero}{rest}"
    out, gap = "", False
    for place in (3, 2, 1, 0):
        digit = value // 10**place % 10
        if digit:
            out += (digits[0] if gap and out else "") + digits[digit] + (units[place - 1] if place else "")
        gap = not digit
    return out[1:] if 10 <= value < 20 and not one_ten else out


def _by_digit(signs: str) -> Callable[[int], str]:
    return lambda value: "".join(signs[int(digit)] for digit in str(value))


def _counted_below(limit: int, signs: str) -> Callable[[int], str]:
    """Said below `limit`, digit by digit from there."""
    return lambda value: counted(value) if 0 < value < limit else _by_digit(signs)(value)


def _from(last: int, code: int) -> Callable[[int], str]:
    """Signs for 1 … `last` that stand in a row in Unicode, the first at `code`."""
    return lambda value: chr(code + value - 1) if 0 < value <= last else str(value)


def _one_of(signs: str) -> Callable[[int], str]:
    return lambda value: signs[value - 1] if 0 < value <= len(signs) else str(value)


def _sixty(value: int) -> str:
    """甲子, 乙丑 … 癸亥."""
    return _STEMS[(value - 1) % 10] + _BRANCHES[(value - 1) % 12] if 0 < value <= 60 else str(value)


_CIRCLED = _from(20, 0x2460)
_SYSTEMS: dict[str, Callable[[int], str]] = {
    "decimal": str,
    "decimalHalfWidth": str,
    "decimalZero": lambda value: f"{value:02}",
    "decimalFullWidth": lambda value: str(value).translate(_FULL),
    "decimalFullWidth2": lambda value: str(value).translate(_FULL),
    "upperRoman": _roman,
    "lowerRoman": lambda value: _roman(value).lower(),
    "upperLetter": lambda value: _letters(value).upper(),
    "lowerLetter": _letters,
    "ordinal": _ordinal,
    "hex": lambda value: f"{value:X}",
    "numberInDash": lambda value: f"- {value} -",
    "decimalEnclosedCircle": _CIRCLED,
    "decimalEnclosedCircleChinese": _CIRCLED,
    "decimalEnclosedParen": _from(20, 0x2474),
    "decimalEnclosedFullstop": _from(20, 0x2488),
    "ideographEnclosedCircle": _from(10, 0x3280),
    "ideographTraditional": _one_of(_STEMS),
    "ideographZodiac": _one_of(_BRANCHES),
    "ideographZodiacTraditional": _sixty,
    "ideographDigital": _by_digit(_IDEOGRAPHS),
    "japaneseDigitalTenThousand": _by_digit(_IDEOGRAPHS),
    "taiwaneseDigital": _by_digit(_ROUND),
    "chineseCounting": _counted_below(100, _IDEOGRAPHS),
    "taiwaneseCounting": _counted_below(100, _ROUND),
    "chineseCountingThousand": counted,
    "taiwaneseCountingThousand": counted,
    "chineseLegalSimplified": lambda value: counted(value, _LEGAL_SIMPLE, "拾佰仟", True),
    "ideographLegalTraditional": lambda value: counted(value, _LEGAL, "拾佰仟", True).replace("万", "萬"),
    "none": lambda value: "",
    "bullet": lambda value: "-",
}
