"""A question of several parts → its parts, by rules. Each is made of the visitor's own words in their order; words may be left out, none comes in.

Three shapes are taken apart, and only these:

1. sentences, each of which asks: 「年假有几天？没休完怎么办？」
2. clauses between commas or after 另外, 以及, 还有, 顺便 (in English: ", and how …"), each of which asks: 「试用期多长，工资打几折？」
   What does not ask (「我入职两年了，…」) stays in front of what follows it.
3. things joined by 和, 与, 跟 or 、 of which is asked 分别 or 各: 「北京和上海的住宿标准分别是多少？」

Anything else is one question; so is what would come to more than `MOST` parts.
"""

from __future__ import annotations

import re
from typing import Final

MOST: Final = 3
LEAST: Final = 3
"""Letters of a part at least: 「多少？」 alone asks for nothing."""

_ASKS = re.compile(
    "什么|啥|怎么|咋|如何|多少|多久|多长|多大|多远|多高|几|哪|谁|为何|是否|吗|呢|么(?=\\W|$)|(?<!申|邀)请问|([能会要有可是算给报行])不\\1|能不能|有没有|可不可以|不(?=[？?]|$)|赔不赔"
    r"|\b(?:how|what|when|where|who|whom|which|why)\b|^\W*(?:and |or )?(?:can|could|do|does|did|is|are|may|must|should|will|would)\b",
    re.I,
)
_SENTENCE = re.compile(r"(?<=[？?！!。])(?![？?！!。）)」”])|\n+")
_CLAUSE = re.compile(
    r"(?<=[，,；;、])(?!\d{3}(?!\d))|(?=另外|以及|还有|顺便)|(?=\band (?:how|what|when|where|who|which|why|can|do|does|is|are|may|must|should|will)\b)",
    re.I,
)
_JOINED = re.compile(
    r"(?P<before>(?:[^，,；;。？?！!]*[，,；;])?)(?P<things>[^，,；;。？?！!]+?)(?P<tail>的[^，,；;。？?！!和与跟、]*?)?(?:分别|各自|各)(?P<rest>.+)\Z",
    re.S,
)
_AND = re.compile("[和与跟、]|以及")
_LETTER = re.compile(r"\w")


def parts(question: str) -> tuple[str, ...]:
    """The parts of `question` in their order; the question itself, alone, when it is one.

    >>> parts("年假有几天，没休完怎么办？"), parts("北京和上海的住宿标准分别是多少？")
    (('年假有几天', '没休完怎么办？'), ('北京的住宿标准是多少？', '上海的住宿标准是多少？'))
    >>> parts("出差回来，住宿费怎么报？")
    ('出差回来，住宿费怎么报？',)
    """
    found = _merged(_SENTENCE.split(question))
    if len(found) == 1:
        found = _things(question) or _merged(_CLAUSE.split(question))
    if not 1 < len(found) <= MOST or any(len(_LETTER.findall(part)) < LEAST for part in found):
        return (question,)
    return tuple(found)


def _merged(pieces: list[str]) -> list[str]:
    """Pieces that ask, each behind those before it that do not; at the end these stay with the last that does."""
    out: list[str] = []
    waiting = ""
    for piece in pieces:
        waiting += piece
        if _ASKS.search(piece):
            out.append(waiting)
            waiting = ""
    if not out:
        return [waiting]
    out[-1] += waiting
    return [part.strip().strip("，,；;、").strip() for part in out]


def _things(question: str) -> list[str]:
    """One part for each of the things of which is asked 分别 or 各."""
    match = _JOINED.match(question.strip())
    if match is None:
        return []
    things = [thing.strip() for thing in _AND.split(match["things"])]
    if len(things) < 2 or not all(things):
        return []
    tail = match["tail"] or ""
    if any("的" in thing for thing in things[:-1]):  # each has its own: 「采购的预付款和验收后的尾款分别…」
        things[-1] += tail
        tail = ""
    return [f"{match['before']}{thing}{tail}{match['rest']}" for thing in things]
