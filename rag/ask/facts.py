"""The numbers, dates and codes of a text, however they are written: 十五天 is 15天, 0.3万元 is 3000元, 3个工作日 is not 3天."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from rag.ask.counted import DIGITS, numbers, whole
from rag.ask.units import Bound, bounds, opposed
from rag.corpus.numerals import NUMERALS

FactKind = Literal["number", "date", "code", "rate"]

_MONTHS: Final = {name: n for n, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)}
_DAYS: Final = {name: n for n, name in enumerate("mon tue wed thu fri sat sun".split(), 1)} | {c: n for n, c in enumerate("一二三四五六日", 1)} | {"天": 7, "末": 8}  # fmt: skip
_HALVES: Final = {
    "上午": 0,
    "早上": 0,
    "凌晨": 0,
    "早晨": 0,
    "中午": 0,
    "下午": 12,
    "晚上": 12,
    "夜间": 12,
    "深夜": 12,
    "半夜": 12,
    "傍晚": 12,
    "晚": 12,
    "": 0,
}
_NAME_OF_MONTH: Final = r"(?P<{0}>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"

_CODE: Final = re.compile(
    r"[a-z0-9_.+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+|(?<![a-z0-9])(?=[a-z0-9_./-]{0,40}\d)[a-z]+(?:[-_./]?[a-z0-9]+)+(?![a-z0-9])"
)
_DATES: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?<![\d.])(?P<y>(?:19|20)\d\d)\s*[-/.年]\s*(?P<m>\d{1,2})\s*[-/.月]\s*(?P<d>\d{1,2})(?!\d)\s*[日号]?",
        rf"(?<![\d.])(?P<y>(?:19|20)\d\d|[{NUMERALS}]{{4}})\s*(?:年|[-/.](?=\d))\s*(?P<m>\d{{1,2}}|[一二三四五六七八九十]{{1,2}})(?![\d.%天个])\s*月?(?P<d>(?<=月)[一二三四五六七八九十]{{1,3}}(?=[日号]))?[日号份]?",
        r"(?<![\d.])(?P<y>(?:19|20)\d\d)\s*年(?![内以之后前多])(?:度|版)?|(?<![\d.,])(?P<y2>(?:19|20)\d\d)(?=版|度|\s+version)",
        rf"(?<![\d个])(?P<m>\d{{1,2}}|[一二三四五六七八九十]{{1,2}})\s*月\s*(?P<d>{DIGITS})\s*[日号]",
        rf"(?<![\d个.])(?P<m>\d{{1,2}}|(?<![{NUMERALS}])[一二三四五六七八九十]{{1,2}})\s*月(?!薪|均)(?:份)?",
        rf"(?<=[每当次上本下]月)(?P<d>{DIGITS})\s*(?:[日号]|(?![日号天个次元%.\d]))|(?P<d2>(?<![\d.])\d{{1,2}})号(?![楼线院码])",
        rf"(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {_NAME_OF_MONTH.format('m')}(?:,? (?P<y>(?:19|20)\d\d))?",
        rf"(?<![a-z]){_NAME_OF_MONTH.format('m')} (?P<d>\d{{1,2}})(?!\d)(?:st|nd|rd|th)?(?:,? (?P<y>(?:19|20)\d\d))?",
        r"(?<![a-z])(?P<m>january|february|march|april|june|july|august|september|october|november|december)(?![a-z])",
    )
)
_CLOCKS: Final = (
    re.compile(
        r"(?P<half>上午|早上|凌晨|早晨|中午|下午|晚上|夜间|深夜|半夜|傍晚|晚)?(?<!\d)(?P<h>\d{1,2})[:：](?P<min>\d\d)(?!\d)\s*(?P<pm>pm|am)?"
    ),
    re.compile(
        rf"(?P<half>上午|早上|凌晨|早晨|中午|下午|晚上|夜间|深夜|半夜|傍晚|晚)?(?<![\d.])(?P<h>{DIGITS})(?:点钟?|时(?![间候期长效]))(?P<min>半|\d\d(?=分)|整)?分?"
    ),
    re.compile(r"(?P<half>)(?<![\d.:])(?P<h>\d{1,2})(?P<min>) ?(?P<pm>pm|am)(?![a-z])"),
)
_WEEKDAY: Final = re.compile(
    r"(?:周|星期|礼拜)(?P<d>[一二三四五六日天末])|(?<![a-z])(?P<e>mon|tue|wed|thu|fri|sat|sun)(?:[a-z]*day)?s?(?![a-z])"
)
_OF: Final = "自然年|年度?|季度?|月|天|日|周|星期|工作日|晚|夜|小时|分钟|学期|次|人|名|位|间|件|份|公里|千米|平方米|米|项|张|台|辆|车|户|组|单|笔|吨|公斤|桌|门|篇|层|批|家|轮|届|部门"
_OF_EN: Final = "year|month|week|day|night|hour|person|time|quarter|kilometre"
_RATE: Final = re.compile(
    rf"(?P<zh>每|全|单(?=[次日件笔晚年]|人(?![间床房份]))|(?<![一二三四五六七八九十\d])各)(?:一|个|满)?(?P<of>{_OF})|(?<!定)按(?P<of3>季度|小时|[年月日天周季次])(?![期时间份程历薪龄限资级常序末初底边转一二三四五六])|(?<=[^\d一二三四五六七八九十半个])(?P<of2>年|月|日)均"
    rf"|(?<![a-z])(?:a|per|each|every)(?: calendar| working| full)? (?P<en>{_OF_EN})(?![a-z])|(?<![a-z])(?P<ly>year|month|week|dai|quarter|annual)ly(?![a-z])"
)
_STROKE: Final = re.compile(rf"[/·] ?(?:(?P<of>{_OF})|(?P<en>{_OF_EN})(?![a-z]))")
_RATES: Final = {"自然年": "year", "年": "year", "年度": "year", "季": "quarter", "季度": "quarter", "月": "month", "天": "day", "日": "day", "周": "week", "星期": "week", "晚": "night", "夜": "night", "小时": "hour", "次": "time", "人": "person", "名": "person", "位": "person", "公里": "kilometre", "dai": "day", "annual": "year"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fact:
    """A number, date, code or rate, ``text[start:end]`` with its unit.

    `value` is what is compared: an amount in the units of `unit`, or a date such as ``--10-01``. `bound`: which side of
    it is meant, `marks` the spans of the words that say so. `unit` "" is a number that counts nothing named.
    """

    kind: FactKind
    value: str
    unit: str
    bound: frozenset[Bound]
    start: int
    end: int
    marks: tuple[tuple[int, int], ...] = ()


def facts(text: str) -> tuple[Fact, ...]:
    """The facts of a folded and simplified text, in order; none overlaps another.

    >>> [(f.value, f.unit) for f in facts("十五天、3个工作日、0.3万元、百分之五十、半年")]
    [('15', 'day'), ('3', 'workday'), ('3000', 'yuan'), ('50', 'percent'), ('6', 'month')]
    >>> [(f.kind, f.value) for f in facts("2026年10月1日起，每月10日18:00前提交hr-f-012")]
    [('date', '2026-10-01'), ('rate', 'month'), ('date', '--10'), ('date', '18:00'), ('code', 'hr-f-012')]
    """
    taken = [False] * (len(text) + 1)
    out: list[Fact] = []
    for found in (_codes(text), _dates(text), _clocks(text), _rates(text), _counted_ones(text)):
        for fact in found:
            if not any(taken[fact.start : fact.end]):
                out.append(fact)
                taken[fact.start : fact.end] = [True] * (fact.end - fact.start)
    return tuple(sorted(out, key=lambda fact: fact.start))


def same(said: Fact, there: Fact) -> bool:
    """Whether two facts are the same number, date or code, whichever side of it is meant.

    A number without a unit is the same as one with any; a date is the same as a fuller one (10月1日, 2026年10月1日); 一年 is every year.
    """
    if said.kind == "number" == there.kind:
        units = {said.unit, there.unit}
        return said.value == there.value and (
            len(units) == 1
            or units == {"日", "day"}
            or ("" in units and "percent" not in units)
            or _counted(said.unit, there.unit)
        )
    if said.kind == "date" == there.kind:
        return _same_date(said.value, there.value)
    if {said.kind, there.kind} == {"number", "date"}:
        day, count = (said, there) if said.kind == "date" else (there, said)
        return count.unit == "日" and count.value.isdigit() and day.value == f"--{int(count.value):02d}"
    if {said.kind, there.kind} == {"number", "rate"}:
        rate, count = (said, there) if said.kind == "rate" else (there, said)
        return (count.value, count.unit) in _ONCE and rate.value == _ONCE[count.value, count.unit] and not count.bound
    return said.kind == there.kind and said.value == there.value


def contrary(said: Fact, there: Fact) -> bool:
    """Whether facts that are the same number mean different sides of it (以上, 以下)."""
    return opposed(said.bound, there.bound, moment="date" in (said.kind, there.kind))


_ONCE: Final = {("12", "month"): "year", ("1", "month"): "month", ("1", "day"): "day", ("7", "day"): "week", ("1", "night"): "night", ("1", "time"): "time", ("1", "person"): "person", ("60", "minute"): "hour", ("1", "quarter"): "quarter"}  # fmt: skip
_PIECES: Final = frozenset({"one", "份", "张", "件", "项", "条", "种", "款", "台", "部", "本", "家", "支", "对"})


def _counted(one: str, other: str) -> bool:
    """Whether two measure words count the same: 个 stands for any of things."""
    return "one" in (one, other) and {one, other} <= _PIECES | {"person"}


def _same_date(said: str, there: str) -> bool:
    if (
        ":" in said
        or ":" in there
        or not (said[0].isdigit() or said[0] == "-")
        or not (there[0].isdigit() or there[0] == "-")
    ):
        return said == there
    a, b = (list(_parts(value)) for value in (said, there))
    both = [(x, y) for x, y in zip(a, b, strict=True) if x and y]
    return bool(both) and all(x == y for x, y in both) and (bool(a[2]) == bool(b[2]) or not a[2])


def _parts(value: str) -> Iterator[str]:
    """Year, month and day of a date, "" for those it leaves open."""
    year, _, rest = ("", "", value[1:]) if value.startswith("-") else value.partition("-")
    month, _, day = ("", "", rest[1:]) if rest.startswith("-") else rest.partition("-")
    yield from (year, month, day)


def _codes(text: str) -> Iterator[Fact]:
    for match in _CODE.finditer(text):
        yield Fact("code", match.group().strip("."), "", frozenset(), *match.span())


def _dates(text: str) -> Iterator[Fact]:
    for pattern in _DATES:
        for match in pattern.finditer(text):
            part = match.groupdict()
            year, month, day = (part.get(k) or part.get(f"{k}2") or "" for k in "ymd")
            value = _date(year, _MONTHS.get(month[:3], month) if month else "", day)
            if value is not None:
                yield Fact("date", value, "", *_sided(text, *match.span()))
    for match in _WEEKDAY.finditer(text):
        yield Fact("date", f"weekday {_DAYS[match['d'] or match['e']]}", "", frozenset(), *match.span())


def _date(year: str, month: str | int, day: str) -> str | None:
    numbers = [whole(str(part)) if part else 0 for part in (year, month, day)]
    if None in numbers:
        return None
    y, m, d = (n or 0 for n in numbers)
    if (month and not 1 <= m <= 12) or (day and not 1 <= d <= 31):
        return None
    if d:
        return (
            f"{y:04d}-{m:02d}-{d:02d}"
            if y
            else (f"--{m:02d}-{d:02d}" if m else f"--{d:02d}").replace("--", "-", bool(m))
        )
    if m:
        return f"{y:04d}-{m:02d}" if y else f"-{m:02d}"
    return f"{y:04d}" if y else None


def _clocks(text: str) -> Iterator[Fact]:
    for pattern in _CLOCKS:
        for match in pattern.finditer(text):
            hour, written = whole(match["h"]), match["min"] or ""
            if hour is None or hour > 24:
                continue
            minutes = 30 if written == "半" else int(written) if written.isdigit() else 0
            late = _HALVES[match["half"] or ""] if hour < 12 else 0
            if match.groupdict().get("pm") == "pm" and hour < 12:
                late = 12
            yield Fact("date", f"{hour + late:02d}:{minutes:02d}", "", *_sided(text, *match.span()))


def _rates(text: str) -> Iterator[Fact]:
    for match in _RATE.finditer(text):
        of = match["of"] or match["of2"] or match["of3"] or match["en"] or match["ly"]
        yield Fact("rate", _RATES.get(of, of), "", frozenset(), *match.span())
    for number in numbers(text):  # 100元/天, 100元/人·天
        at = number.end
        while number.unit and (stroke := _STROKE.match(text, at)):
            of, at = stroke["of"] or stroke["en"], stroke.end()
            yield Fact("rate", _RATES.get(of, of), "", frozenset(), *stroke.span())


def _counted_ones(text: str) -> Iterator[Fact]:
    for n in numbers(text):
        sided = not n.unit.startswith("第")
        yield Fact(
            "number", n.value, n.unit, *(_sided(text, n.start, n.end) if sided else (frozenset(), n.start, n.end))
        )


def _sided(text: str, start: int, end: int) -> tuple[frozenset[Bound], int, int, tuple[tuple[int, int], ...]]:
    """The side that is meant of the number ``text[start:end]``, its span, and where the words stand that say so."""
    side, marks = bounds(text, start, end)
    return side, start, end, marks
