"""The numbers of a text with what they count, however they are written: 十五天, 0.3万元, 百分之五十, 一个半小时, five days."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from rag.ask.units import UNITS
from rag.corpus.numerals import AMOUNT, NUMERALS, amount, number

DIGITS: Final = rf"(?:\d{{1,4}}|[{NUMERALS}]{{1,5}})"
"""A pattern without groups: a short number in digits or numerals."""
_WORDS: Final = dict(zip("one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty".split(), range(1, 21), strict=True)) | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90, "hundred": 100}  # fmt: skip
_NUMBER: Final = re.compile(
    rf"(?P<of>(?:百|千|万|{DIGITS})分之)?(?:(?P<half>一?半)|(?P<amount>{AMOUNT})|(?P<figure>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d{{1,15}}(?:\.\d{{1,6}})?)|(?P<numeral>[{NUMERALS}]+)|(?<![a-z])(?P<word>{'|'.join(_WORDS)})(?![a-z]))"
)
_RANGE: Final = re.compile(rf"\s*(?:至|到|-|—|~|～|或|、|to|or)\s*(?:\d+(?:\.\d+)?|[{NUMERALS}]+)(?=\D)")
_BLANK: Final = re.compile(r"[ -]?(?:(?:unused|consecutive|full|paid|remote|calendar|unpaid|more) )?")
_FOLLOWS: Final = re.compile(r" ?([a-z]{2,}|[\u3400-\u9fff])(?<![至到或和与及的以之内外前后起])")
_SIGN: Final = re.compile(r"(?:(?:(?<![a-z])(?:us|hk)|(?<![a-z]))\$|[¥€£])\Z")
_MAGNITUDE: Final = re.compile(r" ?(?:thousand|million|billion|trillion|[kmb]n?)(?![a-z])")
_MONEY: Final = {"$": "dollar", "us$": "dollar", "hk$": "hkd", "¥": "yuan", "€": "euro", "£": "pound"}
_POINTED: Final = ("下", "上", "同", "另", "某")
"""Before 一: the week or year is pointed at (下一周), not counted."""
_LISTED: Final = re.compile(r"[ \t>*#-]*")
_LIST_STOP: Final = re.compile(r"[*_]*(?:[.、)）:：][*_]*\s*|\s+)[^\s。.]")
"""Behind the number of a line in a list; a number and nothing more is an answer."""


@dataclass(frozen=True, slots=True)
class Counted:
    """A number ``text[start:end]`` with its unit: `value` in plain digits, in units of `unit`.

    `unit`: "" when it counts nothing named, ``~`` and what follows when that is no known unit, ``第`` and the unit of an ordinal,
    ``日`` for what may be days or a day of a month.
    """

    value: str
    unit: str
    start: int
    end: int


def numbers(text: str) -> Iterator[Counted]:
    """The numbers of a folded and simplified text, in order.

    >>> [(n.value, n.unit) for n in numbers("十五天、0.3万元、百分之五十、一个半小时、第四条")]
    [('15', 'day'), ('3000', 'yuan'), ('50', 'percent'), ('90', 'minute'), ('4', '第条')]
    """
    over = 0
    for match in _NUMBER.finditer(text):
        if match.start() < over:
            continue  # the 半 of 一个半小时
        value = _value(match)
        half = text.startswith("个半", match.end())  # 一个半小时
        unit, factor, end = _unit(text, match.end() + 2 * half)
        ordinal = text.startswith("第", match.start() - 1) and match.start() > 0
        if value is None or _no_number(text, match, unit, ordinal):
            continue
        if ordinal:
            if not (match["numeral"] and unit in ("day", "month", "quarter")):  # 第二天 is 次日
                yield Counted(value, f"第{unit or ''}", match.start() - 1, end)
            continue
        end, more = (end, Decimal("0.5")) if half else _and_a_half(text, end)
        counted, over = (Decimal(value) + more) * factor, end
        if match["of"]:
            counted, unit = _fraction(match["of"], counted)
        if match["half"] and unit is None:
            counted, unit = Decimal(50), "percent"
        if unit == "day" and factor == 1 and text[end - 1] == "日" and not text.endswith(("历日", "然日"), 0, end):
            unit = "日"
        money = _SIGN.search(text, max(0, match.start() - 3), match.start())
        if money and not (unit is None and _MAGNITUDE.match(text, end)):  # $500 begins with its unit
            sign = _minus(text, money.start(), unit)
            value = "-" * bool(sign) + _plain(counted)
            yield Counted(value, unit or _MONEY[money.group()], money.start() - sign, end)
            continue
        sign = _minus(text, match.start(), unit)
        yield Counted("-" * bool(sign) + _plain(counted), unit or _unknown(text, end), match.start() - sign, end)


def _minus(text: str, at: int, unit: str | None) -> int:
    """How many characters before the number ``text[at:]`` make it negative: 零下, 负 or a hyphen that joins nothing (-5度, not 3-5天)."""
    if text.endswith("零下", 0, at):
        return 2
    if text.endswith("负", 0, at):
        return 1
    hyphen = text.endswith(("-", "−"), 0, at)
    apart = at == 1 or text[max(0, at - 2) : at - 1] in tuple(" (:，,=") or unit == "degree"
    return int(hyphen and apart and not text[max(0, at - 2) : at - 1].isdecimal())


def _no_number(text: str, match: re.Match[str], unit: str | None, ordinal: bool) -> bool:
    """Whether it is part of a word (一般, 万一, 十分), or the number of a line in a list."""
    at, numeral = match.start(), match["numeral"] or ""
    if match["half"]:
        alone = (
            match.group() == "一半" or text.endswith("减", 0, at) or text.startswith(("价", "数", "额"), match.end())
        )
        return unit is None and not alone
    if numeral == "一" and text.endswith(_POINTED, 0, at):
        return True
    if text.startswith("十分", match.start()) and not text.startswith("十分钟", match.start()):
        return True
    if unit is not None or ordinal or match["of"]:
        return False
    if match["word"] or (numeral and (len(numeral) == 1 or number(numeral) is None)):
        return True
    listed = not numeral and _LIST_STOP.match(text, match.end())
    return bool(listed) and _LISTED.fullmatch(text, text.rfind("\n", 0, at) + 1, at) is not None


def _value(match: re.Match[str]) -> str | None:
    if match["amount"]:
        return amount(match["amount"])
    if match["figure"]:
        return match["figure"].replace(",", "")
    if match["word"]:
        return str(_WORDS[match["word"]])
    return "0.5" if match["half"] else number(match["numeral"])


def _unit(text: str, at: int) -> tuple[str | None, Decimal, int]:
    """The unit behind a number, what it counts, and where it ends; a range (3至5天) has that of its second number."""
    start = at
    between = _RANGE.match(text, at)
    for at_unit in (at, *((between.end(),) if between else ())):
        blank = _BLANK.match(text, at_unit)
        begin = blank.end() if blank else at_unit
        for unit, factor, pattern in UNITS:
            match = pattern.match(text, begin)
            if match is not None:
                return unit, factor, match.end() if at_unit == at else start
    return None, Decimal(1), start


def _unknown(text: str, end: int) -> str:
    """The beginning of a unit that is none of the known: of 3 working weeks no more than of 3 days is said by 3."""
    match = _FOLLOWS.match(text, end)
    return f"~{match.group(1)}" if match else ""


def _and_a_half(text: str, end: int) -> tuple[int, Decimal]:
    """Where 两年半 ends, and the half more."""
    return (
        (end + 1, Decimal("0.5"))
        if text.startswith("半", end) and not text.startswith("半年", end)
        else (end, Decimal(0))
    )


def _fraction(of: str, counted: Decimal) -> tuple[Decimal, str]:
    parts = {"百": Decimal(100), "千": Decimal(1000), "万": Decimal(10000)}.get(of[0]) or Decimal(whole(of[:-2]) or 1)
    return counted * 100 / parts, "percent"


def _plain(value: Decimal) -> str:
    written = f"{value:f}"
    return written.rstrip("0").rstrip(".") if "." in written else written


def whole(written: str) -> int | None:
    """The number that digits or a numeral write; None when it is none, or no whole one."""
    if written.isdecimal():
        return int(written)
    value = number(written)
    return int(value) if value is not None and value.isdecimal() else None
