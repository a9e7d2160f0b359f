"""Dates and times as a sheet shows them, where that can be read without knowing the sheet's country."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta

from rag.corpus.load.number_code import Section, Token
from rag.corpus.load.numerals import counted

_MONTHS = "January February March April May June July August September October November December".split()
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_CHINESE_DAYS = "一二三四五六日"
_DIGITS = str.maketrans("0123456789", "〇一二三四五六七八九")
Moment = datetime | date | time | timedelta


def moment(value: Moment, section: Section) -> str:
    """`value` as a sheet with this format shows it, where the year comes first in four digits or 年, 月 or 日 are said.

    Any other date (10/1/26, 1/10/2026, 1-Oct, and the short date that every country writes its own way) is written 2026-10-01, so
    that it can be told which day it is; a time goes behind it as the format shows it.

    >>> from rag.corpus.load.number_code import sections
    >>> [moment(datetime(2026, 10, 1, 9, 5), sections(c)[0]) for c in ('yyyy"年"m"月"d"日"', "yyyy/m/d h:mm", "d/m/yyyy")]
    ['2026年10月1日', '2026/10/1 9:05', '2026-10-01']
    """
    tokens = _with_minutes(section.tokens)
    if isinstance(value, timedelta):
        return _elapsed(value, tokens)
    parts = {token.text[0] for token in tokens if token.kind == "date"}
    shows_day = bool(parts & set("ymdeab"))
    shows_time = bool(parts & set("hs")) or "M" in parts or any(token.kind in ("elapsed", "noon") for token in tokens)
    if not (shows_day or shows_time):
        return _plain(value)
    clock = _clock(tokens) if shows_day else tokens
    if isinstance(value, time):
        return _written(datetime.combine(date(1900, 1, 1), value), clock, section) if shows_time else _plain(value)
    if not isinstance(value, datetime):
        value = datetime.combine(value, time())
    if not shows_day or _can_be_read(tokens):
        return _written(value, tokens, section)
    day = value.strftime("%Y-%m") if parts <= {"m", "y"} and "y" in parts else value.date().isoformat()
    return f"{day} {_written(value, clock, section).strip(' :.')}" if shows_time else day


def _plain(value: Moment) -> str:
    """In ISO form, to the minute; a day without a time where it is midnight."""
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ", "minutes")
    return value.isoformat("minutes") if isinstance(value, time) else str(value)


def _can_be_read(tokens: Sequence[Token]) -> bool:
    if any(sign in token.text for token in tokens if token.kind == "text" for sign in "年月日号"):
        return True
    letters = [token.text for token in tokens if token.kind == "date"]
    dated = [one for one in letters if one[0] in "ymde"]
    if all(len(one) > 2 and one[0] in "md" for one in dated):  # only names: of a month, of a day of the week
        return True
    return dated[0][:3] == "yyy" or dated[0][0] == "e" or ("yyyy" in dated and any(one[:3] == "mmm" for one in dated))


def _with_minutes(tokens: Sequence[Token]) -> list[Token]:
    """The tokens, ``M`` for minutes: an m behind hours or in front of seconds."""
    marks = [i for i, token in enumerate(tokens) if token.kind in ("date", "elapsed")]
    out = list(tokens)
    for before, at, after in zip([None, *marks], marks, [*marks[1:], None], strict=False):
        if tokens[at].text[0] == "m" and tokens[at].kind == "date" and len(tokens[at].text) <= 2:
            behind = before is not None and tokens[before].text[0] == "h"
            in_front = after is not None and tokens[after].text[0] == "s"
            if behind or in_front:
                out[at] = Token("date", "M" * len(tokens[at].text))
    return out


def _clock(tokens: Sequence[Token]) -> list[Token]:
    """The tokens that say the time of day, with the words between and behind them (「h"时"mm"分"」), and nothing of the day."""
    marks = [at for at, token in enumerate(tokens) if _is_clock(token)]
    if not marks:
        return []
    end = marks[-1] + 1
    while end < len(tokens) and tokens[end].kind != "date":
        end += 1
    return [token for token in tokens[marks[0] : end] if token.kind != "date" or _is_clock(token)]


def _is_clock(token: Token) -> bool:
    return token.kind in ("noon", "elapsed") or (token.kind == "date" and token.text[0] in "hMs")


def _written(value: datetime, tokens: Sequence[Token], section: Section) -> str:
    noon = next((token.text for token in tokens if token.kind == "noon"), "")
    hour = (value.hour % 12 or 12) if noon else value.hour
    out = ""
    for at, token in enumerate(tokens):
        if token.kind == "date":
            out += _part(value, token.text, hour, section)
        elif token.kind == "noon":
            early, late = token.text.split("/")
            out += early if value.hour < 12 else late
        elif token.kind == "elapsed":
            out += str(value.hour if token.text[0] == "h" else value.minute if token.text[0] == "m" else value.second)
        elif token.kind == "digit":
            before = [one.kind for one in tokens[:at] if one.kind != "digit"]
            digits = sum(1 for one in tokens[:at] if one.kind == "digit")
            out += f"{value.microsecond:06}"[digits : digits + 1] if before[-1:] == ["point"] else ""
        elif token.kind != "at":
            out += token.text
    return out.strip()


def _part(value: datetime, letters: str, hour: int, section: Section) -> str:
    chinese = section.chinese
    first, length = letters[0], len(letters)
    if first == "y":
        return _number(value.year if length > 2 else value.year % 100, 1 if length > 2 else 2, chinese, year=True)
    if first == "e":
        return _number(value.year, 1, chinese, year=True)
    if first == "m" and length > 2:
        name = counted(value.month) + "月" if section.in_chinese else _MONTHS[value.month - 1]
        if section.in_chinese:
            return name
        return name[:3] if length == 3 else name[0] if length == 5 else name
    if first == "a" or (first == "d" and length > 2 and section.in_chinese):
        before = "星期" if length == 4 else "周" if first == "d" else ""
        return before + _CHINESE_DAYS[value.weekday()]
    if first == "d" and length > 2:
        name = _DAYS[value.weekday()]
        return name[:3] if length == 3 else name
    if first == "b":
        return str(value.year + 543)
    if first == "g":
        return ""
    number = {"m": value.month, "d": value.day, "h": hour, "M": value.minute, "s": value.second}[first]
    return _number(number, min(length, 2), chinese)


def _number(number: int, width: int, chinese: int, year: bool = False) -> str:
    if chinese == 1:
        return str(number).translate(_DIGITS) if year else counted(number)
    return f"{number:0{width}}"


def _elapsed(value: timedelta, tokens: Sequence[Token]) -> str:
    """A duration: its largest unit in brackets counts all of it."""
    seconds = abs(value.total_seconds())
    largest = next((token.text[0] for token in tokens if token.kind == "elapsed"), "h")
    rounded = round(seconds) if any(token.text[:1] == "s" for token in tokens) else round(seconds / 60) * 60
    parts = {"h": rounded // 3600, "M": rounded // 60 % 60, "m": rounded // 60, "s": rounded % 60}
    if largest == "s":
        parts["s"] = rounded
    sign = "-" if value < timedelta() and rounded else ""
    if not any(token.kind == "elapsed" for token in tokens):
        return f"{sign}{parts['h']}:{parts['M']:02}"
    out = ""
    for token in tokens:
        if token.kind in ("date", "elapsed") and token.text[0] in parts:
            out += f"{parts[token.text[0]]:0{min(len(token.text), 2)}}"
        elif token.kind == "text":
            out += token.text
    return sign + out.strip()
