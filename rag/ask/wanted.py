"""What a question asks for, and which of its own numbers a sentence that answers it has to name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from rag.ask.facts import Fact, facts, same
from rag.ask.units import UNITS
from rag.corpus.folding import plain
from rag.corpus.lexical import query_terms

Asks = Literal["when", "amount", "other"]

_WHEN: Final = re.compile(
    r"什么时[候间]|何时|哪[一]?[天年日月]|几[月号日点时]|(?:日期|时间)(?=是|为|[?？。]|$)|多会儿|星期几|周几|(?<![a-z])(?:when|what (?:time|date|day|year))(?![a-z])"
)
_AMOUNT: Final = re.compile(
    r"(?:多少|几(?!乎|率|何|时|月|号|点|日(?![天]))|(?<![a-z])how (?:many|much|long|often|old|far)(?![a-z]))(?P<of>[^，。？?、\s]{0,4}|.{0,12})"
    r"|多[久长大高远重宽厚快]|(?<![a-z])what (?:is|was) the (?:amount|price|limit|rate|number|percentage)"
)
_IDLE: Final = re.compile("[的了是在有和与及就都而也把被给我你您他她它们这那个一下请想可以能吗呢吧啊呀嘛么]+")
_DIGITS: Final = re.compile(r"\d+(?:\.\d+)?")
_MONEY: Final = re.compile(
    r"钱|价|元|费|薪|工资|奖金|补贴|额|赔|报销|发多少|(?<![a-z])(?:cost|pay|price|much|fee|allowance)"
)
_LENGTH: Final = frozenset({"day", "workday", "month", "minute", "second", "night", "quarter"})
_MONIES: Final = frozenset({"yuan", "dollar", "euro", "yen", "hkd", "percent"})


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an answering sentence must hold: a date or time (``when``), a number (``amount``; of one of `units` when any are named).

    `given`: the numbers that the question writes in digits (a year, a code's), which that sentence, the one before it or its
    headings have to name; `own`: the question's own facts, which are no answer to it.
    """

    asks: Asks
    units: frozenset[str]
    given: frozenset[str]
    own: tuple[Fact, ...]


def wanted(question: str) -> Wanted:
    """Read a question.

    >>> wanted("请年假要提前几天申请？").asks, sorted(wanted("请年假要提前几天申请？").units)
    ('amount', ['day', 'workday'])
    >>> wanted("2024年的年会在哪天办？").asks, sorted(wanted("2024年的年会在哪天办？").given)
    ('when', ['2024'])
    """
    read = plain(question)
    given, own = frozenset(_DIGITS.findall(read)), facts(read)
    match = _AMOUNT.search(read)
    if _WHEN.search(read):
        return Wanted("when", frozenset(), given, own)
    if match is None:
        return Wanted("other", frozenset(), given, own)
    return Wanted("amount", _units(read, match), given, own)


def answers(wanted: Wanted, sentence: str) -> bool:
    """Whether a sentence holds something of the kind that is asked for, other than what the question says itself.

    >>> asked = wanted("病假每年有几天？")
    >>> [answers(asked, text) for text in ("病假每年5天。", "病假须提交证明。", "病假工资按80%发放。")]
    [True, False, False]
    """
    if wanted.asks == "other":
        return True
    new = [fact for fact in facts(plain(sentence)) if not any(same(own, fact) for own in wanted.own)]
    if wanted.asks == "when":
        return any(fact.kind == "date" for fact in new)
    return any(fact.kind == "number" and (not wanted.units or fact.unit in wanted.units) for fact in new)


def names(wanted: Wanted, around: str) -> bool:
    """Whether a sentence, with what belongs to it, writes every number of the question.

    >>> names(wanted("2024年满一年有几天年假？"), "2026年起，满1年的每年15天。")
    False
    """
    return wanted.given <= frozenset(_DIGITS.findall(plain(around)))


def content(question: str) -> list[bool]:
    """For each character whether it says what the question is about: it belongs to a term that is looked for, and to no particle.

    >>> question = "请问年假有多少天？"
    >>> "".join(c for c, told in zip(question, content(question), strict=True) if told)
    '年假天'
    """
    told = [False] * len(question)
    for term in query_terms(question):
        told[term.start : term.end] = [True] * (term.end - term.start)
    for match in _IDLE.finditer(plain(question)):
        told[match.start() : match.end()] = [False] * (match.end() - match.start())
    return told


def _units(read: str, match: re.Match[str]) -> frozenset[str]:
    """The units that an answer may count in; none when the question names none."""
    behind = (match.groupdict().get("of") or "").strip()
    for unit, _, pattern in UNITS:
        if behind and pattern.match(behind):
            if unit in _LENGTH:
                return frozenset({"day", "workday"}) if unit in ("day", "workday") else frozenset({unit})
            return _MONIES if unit in _MONIES else frozenset({unit})
    if match.group() in ("多久", "多长") or "long" in match.group():
        return _LENGTH
    return _MONIES if _MONEY.search(read) else frozenset()
