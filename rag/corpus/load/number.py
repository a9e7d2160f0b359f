"""Numbers and dates of a spreadsheet as the sheet shows them."""

from __future__ import annotations

import math
import re
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal

_SYMBOL = re.compile(r"\[\$([^\]\-]*)[^\]]*\]")
_BRACKETS = re.compile(r"\[[^\]]*\]")
_PADDING = re.compile(r"[_*].")
_PICTURE = re.compile(r"([^#0?]*)([#0?,]*)(?:\.([#0?]*))?([^#0?]*)")
_SIGNIFICANT = 11  # a cell of format General shows no more


def shown(value: object, picture: str) -> str:
    """`value` written as a sheet with the number format `picture` shows it; dates and times in ISO form.

    >>> shown(3000.0, "General"), shown(0.125, "0.0%"), shown(1234.5, '"¥"#,##0.00'), shown(7, "000")
    ('3000', '12.5%', '¥1,234.50', '007')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        return _number(value, picture)
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ", "minutes")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, time):
        return value.isoformat("minutes")
    if isinstance(value, timedelta):
        minutes = round(value.total_seconds() / 60)
        return f"{minutes // 60}:{minutes % 60:02}"
    return str(value)


def _number(value: int | float, picture: str) -> str:
    if not math.isfinite(value):
        return str(value)
    first = _SYMBOL.sub(r"\1", picture.split(";")[0])
    first = _PADDING.sub("", _BRACKETS.sub("", first)).replace('"', "").replace("\\", "")
    parts = _PICTURE.fullmatch(first)
    if not parts or not (parts.group(2) or parts.group(3)) or "E+" in first.upper():
        return _general(value)
    before, whole, decimals, after = parts.group(1), parts.group(2), parts.group(3) or "", parts.group(4)
    digits = whole.rstrip(",")
    exact = Decimal(repr(value)) * (100 if "%" in before + after else 1)
    exact = exact.scaleb(-3 * (len(whole) - len(digits)))  # every comma after the digits divides by a thousand
    if exact.adjusted() > 20:
        return _general(value)
    rounded = abs(exact.quantize(Decimal(1).scaleb(-len(decimals)), ROUND_HALF_UP))
    written = f"{rounded:{',' if ',' in digits else ''}f}"
    integer, _, fraction = written.partition(".")
    while fraction and decimals[len(fraction) - 1] != "0" and fraction.endswith("0"):
        fraction = fraction[:-1]
    integer = integer.zfill(digits.count("0")) if "," not in digits else integer
    sign = "-" if exact < 0 and rounded else ""
    return f"{sign}{before}{integer}{'.' if fraction else ''}{fraction}{after}".strip()


def _general(value: int | float) -> str:
    if isinstance(value, int) or (value.is_integer() and abs(value) < 1e21):
        return str(int(value))
    return f"{value:.{_SIGNIFICANT}g}"
