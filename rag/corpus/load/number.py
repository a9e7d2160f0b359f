"""Values of a spreadsheet as the sheet shows them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal
from fractions import Fraction

from openpyxl.utils.datetime import WINDOWS_EPOCH, from_excel

from rag.corpus.load.moment import moment
from rag.corpus.load.number_code import Section, Token, sections
from rag.corpus.load.numerals import counted

# Of a stored number no more digits than these are what somebody entered: 0.1 + 0.2 is 0.3 to a sheet.
_SIGNIFICANT = Context(prec=15, rounding=ROUND_HALF_EVEN)
# Where a number without a format is written without a power of ten.
_PLAIN_FROM, _PLAIN_BELOW = Decimal("1e-9"), Decimal("1e21")
_LARGEST = 20  # digits in front of the point; a longer number is shown in powers of ten
_EXACT = Context(prec=400, rounding=ROUND_HALF_UP)  # a format asks for up to 255 digits
_NOT_ZERO = "123456789一二三四五六七八九壹贰叁肆伍陆柒捌玖"
_UNITS = {1: "十百千", 2: "拾佰仟"}
_OF_TIME = ("date", "elapsed", "noon")
# The digits of [DBNum1], [DBNum2] and [DBNum3]; 0 is a format without them.
_DIGITS = ("0123456789", "〇一二三四五六七八九", "零壹贰叁肆伍陆柒捌玖", "０１２３４５６７８９")


class Picture:
    """A number format, taken apart once for all cells that have it.

    >>> Picture('#,##0.00;[Red]-#,##0.00').shown(-1234.5), Picture('[DBNum2]General"元"').shown(1200)
    ('-1,234.50', '壹仟贰佰元')
    """

    def __init__(self, code: str, epoch: datetime = WINDOWS_EPOCH) -> None:
        """`epoch` is the day that the sheet counts its days from."""
        self._sections = sections(code)
        self._epoch = epoch

    def shown(self, value: object) -> str:
        """`value` as a sheet shows it; dates that could be mistaken are written 2026-10-01 (see `moment`).

        A number without a format is written with all its digits, which a cell may have no room for.
        """
        if value is None:
            return ""
        if isinstance(value, bool):
            return "TRUE" if value else "FALSE"
        if isinstance(value, int | float):
            return self._number(value)
        if isinstance(value, datetime | date | time | timedelta):
            return moment(value, self._sections[0])
        return self._text(str(value))

    def _text(self, value: str) -> str:
        """Text, as the section for text (the fourth, or one with an @) frames it."""
        section = next((s for s in self._sections if any(token.kind == "at" for token in s.tokens)), None)
        if section is None:
            return value
        return "".join(
            value if token.kind == "at" else token.text for token in section.tokens if token.kind in ("at", "text")
        )

    def _number(self, value: int | float) -> str:
        if isinstance(value, float) and not math.isfinite(value):
            return str(value)
        section, unsigned = self._section(value)
        if section is not None and section.is_date:
            return self._day(value, section)
        if section is None or any(token.kind == "at" for token in section.tokens):
            return _general(value)
        written = _written(abs(value), section)
        signed = value < 0 and not unsigned and any(digit in _NOT_ZERO for digit in written)
        return f"{'-' if signed else ''}{written}".strip()

    def _day(self, value: int | float, section: Section) -> str:
        """A number of days in a format of dates that the libraries do not take for one (``aaaa``, ``e"年"``)."""
        kinds = [token.kind for token in section.tokens]
        has_clock = any(
            token.kind != "date" or token.text[0] in "hs" for token in section.tokens if token.kind in _OF_TIME
        )
        if "digit" in kinds or value < (0 if has_clock else 1):
            return _general(value)
        try:
            return moment(from_excel(value, self._epoch), section)
        except (OverflowError, ValueError):  # no day has this number
            return _general(value)

    def _section(self, value: float) -> tuple[Section | None, bool]:
        """The section that shows `value`, and whether it is one for negative numbers, which says so itself."""
        numbers = [s for s in self._sections[:3] if not any(token.kind == "at" for token in s.tokens)]
        if not numbers:
            return None, False
        if any(section.condition for section in numbers):
            section = next((one for one in numbers if one.holds(value) is not False), None)
            return section, section is not None and section.only_below_zero
        if value < 0 and len(numbers) > 1:
            return numbers[1], True
        if value == 0 and len(numbers) > 2:
            return numbers[2], False
        return numbers[0], False


def shown(value: object, code: str, epoch: datetime = WINDOWS_EPOCH) -> str:
    """`value` written as a sheet with the number format `code` shows it.

    >>> shown(3000.0, "General"), shown(0.125, "0.0%"), shown(1234.5, '"¥"#,##0.00'), shown(7, "000")
    ('3000', '12.5%', '¥1,234.50', '007')
    """
    return Picture(code, epoch).shown(value)


def _written(value: int | float, section: Section) -> str:
    """`value` (not negative) by the tokens of a section."""
    tokens = section.tokens
    kinds = [token.kind for token in tokens]
    if "general" in kinds:
        number = _counted(_general(value), section.chinese)
        return "".join(
            number if token.kind == "general" else token.text for token in tokens if token.kind in ("general", "text")
        )
    if "digit" not in kinds:
        return "".join(token.text for token in tokens if token.kind in ("text", "percent", "slash", "comma", "point"))
    exact = _stored(value).scaleb(2 * kinds.count("percent"), context=_EXACT)
    if "slash" in kinds:
        return _fraction(exact, tokens)
    last = max(at for at, kind in enumerate(kinds) if kind == "digit")
    point = kinds.index("point") if "point" in kinds else len(kinds)
    end = last + 1
    while end < len(kinds) and kinds[end] == "comma":  # every comma behind the digits divides by a thousand
        exact, end = exact.scaleb(-3), end + 1
    if exact.adjusted() > _LARGEST:
        return _general(value)
    if "power" in kinds:
        return _power(exact, tokens, kinds.index("power"), point)
    whole = [at for at, kind in enumerate(kinds) if kind == "digit" and at < point]
    part = [at for at, kind in enumerate(kinds) if kind == "digit" and at > point]
    grouped = bool(whole) and "comma" in kinds[whole[0] : whole[-1]]
    integer, _, decimals = f"{exact.quantize(Decimal(1).scaleb(-len(part)), context=_EXACT):f}".partition(".")
    places = {**_fill(tokens, whole, integer, grouped), **_cut(tokens, part, decimals)}
    if not any(places.get(at) for at in part):
        places[point] = ""
    if not whole and integer.strip("0"):
        places[point] = f"{integer}{places.get(point, '.')}"
    shown_kinds = ("text", "percent", "point", "digit")
    out = "".join(places.get(at, token.text) for at, token in enumerate(tokens) if token.kind in shown_kinds)
    return _by_digit(out, section.chinese)


def _fill(tokens: Sequence[Token], places: Sequence[int], integer: str, grouped: bool) -> dict[int, str]:
    """The digits in front of the point, from the right; what is too many stands at the first place."""
    integer = integer.lstrip("0")
    filled: dict[int, str] = {}
    for position, at in enumerate(reversed(places)):
        digit = integer[-1 - position : len(integer) - position] if position < len(integer) else ""
        digit = digit or ("0" if tokens[at].text == "0" else "")
        if position == len(places) - 1:
            rest = integer[: max(len(integer) - position - 1, 0)]
            digit = _commas(rest + digit, position) if grouped else rest + digit
        elif grouped and digit and position and position % 3 == 0:
            digit += ","
        filled[at] = digit
    return filled


def _commas(digits: str, behind: int) -> str:
    """A comma behind every digit that has a multiple of three digits behind it, `behind` of them not in `digits`."""
    out = ""
    for at, digit in enumerate(digits):
        left = len(digits) - 1 - at + behind
        out += digit + ("," if left and left % 3 == 0 else "")
    return out


def _cut(tokens: Sequence[Token], places: Sequence[int], decimals: str) -> dict[int, str]:
    """The digits behind the point; a last zero is shown only at a place that asks for it."""
    keep = len(places)
    while keep and decimals[keep - 1] == "0" and tokens[places[keep - 1]].text != "0":
        keep -= 1
    return {at: decimals[i] if i < keep else "" for i, at in enumerate(places)}


def _fraction(exact: Decimal, tokens: Sequence[Token]) -> str:
    """A whole number and a fraction: ``# ?/?`` with up to as many digits, ``# ?/8`` in eighths."""
    slash = next(at for at, token in enumerate(tokens) if token.kind == "slash")
    below = "".join(
        t.text for t in tokens[slash + 1 :] if t.kind == "digit" or (t.kind == "text" and t.text.isdecimal())
    )
    whole = sum(1 for token in tokens[:slash] if token.kind == "digit") > below.count("?") + below.count("#")
    fixed = int(below) if below.isdecimal() and int(below) else 0
    integer, rest = divmod(Fraction(exact), 1) if whole or fixed else (0, Fraction(exact))
    if fixed:
        above, under = round(rest * fixed), fixed
    else:
        near = rest.limit_denominator(10 ** min(len(below), 4) - 1) if below else Fraction(round(rest))
        above, under = near.numerator, near.denominator
    if (whole or fixed) and above == under:
        integer, above = integer + 1, 0
    if not above:
        return str(integer)
    return f"{integer} {above}/{under}" if integer else f"{above}/{under}"


def _power(exact: Decimal, tokens: Sequence[Token], power: int, point: int) -> str:
    """Powers of ten: ``0.00E+00``; several places in front of the point keep the power a multiple of their number."""
    kinds = [token.kind for token in tokens]
    step = max(kinds[: min(point, power)].count("digit"), 1)
    decimals = kinds[point:power].count("digit")
    exponent = exact.adjusted() // step * step if exact else 0
    mantissa = exact.scaleb(-exponent).quantize(Decimal(1).scaleb(-decimals), context=_EXACT)
    if mantissa.adjusted() >= step:  # 9.99 was rounded up to 10.0
        exponent += step
        mantissa = exact.scaleb(-exponent).quantize(Decimal(1).scaleb(-decimals), context=_EXACT)
    width = kinds[power:].count("digit")
    sign = "-" if exponent < 0 else "+" if tokens[power].text[1] == "+" else ""
    return f"{mantissa:f}E{sign}{abs(exponent):0{width}}"


def _counted(number: str, kind: int) -> str:
    """A written number as ``[DBNum1]`` and ``[DBNum2]`` (for amounts) say it, with wide digits for ``[DBNum3]``."""
    whole, point, decimals = number.partition(".")
    if kind not in _UNITS or not whole.isdecimal() or len(whole) > 12:
        return _by_digit(number, kind)
    return counted(int(whole), _DIGITS[kind], _UNITS[kind], one_ten=True) + point + _by_digit(decimals, kind)


def _by_digit(number: str, kind: int) -> str:
    return number.translate(str.maketrans(_DIGITS[0], _DIGITS[kind])) if kind else number


def _stored(value: int | float) -> Decimal:
    """What is stored: a whole number with all the digits in the file, another with the 15 that a sheet keeps."""
    return Decimal(value) if isinstance(value, int) else _SIGNIFICANT.create_decimal_from_float(value)


def _general(value: int | float) -> str:
    """A number without a format (General): what is stored, not what a cell shows.

    A cell shows up to 11 digits and fewer where it is narrow (123456789012.35 as 1.23457E+11): what somebody looks for
    is the number that was entered, and that one is kept. No power of ten is written from 1e-9 up to below 1e21.
    """
    stored = _stored(value)
    if not stored:
        return "0"
    if not _PLAIN_FROM <= abs(stored) < _PLAIN_BELOW:
        return f"{_SIGNIFICANT.create_decimal(stored).normalize(_SIGNIFICANT):g}"
    written = f"{stored:f}"
    return written.rstrip("0").rstrip(".") if "." in written else written
