"""The units that policies count in, in Chinese and English, and which side of a number their words mean."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final, Literal

Bound = Literal["at most", "under", "at least", "over", "before", "ahead", "after"]

# Unit, what one of it counts in that unit, and how it is written behind the number; the first that matches counts.
# A year is 12 months and a week 7 days, but a month is not 30 days, nor a working day a day.
UNITS: Final[tuple[tuple[str, Decimal, re.Pattern[str]], ...]] = tuple(
    (unit, Decimal(factor), re.compile(pattern))
    for unit, factor, pattern in (
        ("workday", "1", r"个?工作日|(?:full )?(?:working|business|work)[ -]days?"),
        ("day", "1", r"个?(?:自然日|日历[日天]|整?天)|日(?!期|常|报|志|元|本|程|均|内瓦|语|用)|(?:calendar |paid )?days?(?![a-z])"),
        ("day", "7", r"个?(?:星期|礼拜)(?![一二三四五六日天\d])|周(?!岁|年|[一二三四五六日天末\d])|weeks?(?![a-z])"),
        ("night", "1", r"个?晚上?|夜|nights?(?![a-z])"),
        ("month", "1", r"个?多?个月|(?<=个半)月|months?(?![a-z])"),
        ("month", "12", r"周年|年(?!度|级|龄|假|底|初|终|中|会|代|[春夏秋冬]|\d)|(?:full )?years?(?! old| of age)(?![a-z])"),
        ("quarter", "1", r"个?季度?|quarters?(?![a-z])"),
        ("minute", "60", r"个?(?:小时|钟头)|hours?(?![a-z])|hrs?(?![a-z])|h(?![a-z])"),
        ("minute", "1", r"分钟|minutes?(?![a-z])|mins?(?![a-z])"),
        ("second", "1", r"秒钟?|seconds?(?![a-z])"),
        ("dollar", "1", r"美元|美金|usd|(?:us )?dollars?"),
        ("euro", "1", r"欧元|euros?(?![a-z])|eur(?![a-z])"),
        ("pound", "1", r"英镑|gbp|pounds?(?![a-z])"),
        ("yen", "1", r"日元|日圆|yen(?![a-z])"),
        ("hkd", "1", r"港元|港币|hkd"),
        ("yuan", "1", r"元|块钱?|圆|人民币|rmb|cny|yuan"),
        ("percent", "1", r"%|％|个百分点|per ?cent"),
        ("percent", "100", r"倍"),
        ("percent", "10", r"成(?![本立为员功果绩交长分])"),
        ("metre", "1000", r"公里|千米|km(?![a-z])|kilomet(?:er|re)s?"),
        ("square metre", "1", r"平方米|平米|㎡"),
        ("metre", "0.01", r"厘米|cm(?![a-z])"),
        ("metre", "1", r"米(?![饭粉])|met(?:er|re)s?(?![a-z])|m(?![a-z0-9])"),
        ("megabyte", "1000", r"gb(?![a-z])|g(?![a-z0-9])"),
        ("megabyte", "1", r"mb(?![a-z])|兆"),
        ("kilogram", "1000", r"吨"),
        ("kilogram", "1", r"公斤|千克|kg(?![a-z])|kilograms?"),
        ("kilogram", "0.001", r"克(?!服)"),
        ("degree", "1", r"度(?!假)|℃|摄氏度"),
        ("age", "1", r"周?岁|years? (?:old|of age)"),
        ("person", "1", r"名|位(?![置于])|个?人(?![民力员事工均身数才次])|persons?|people|colleagues|employees"),
        ("time", "1", r"次(?![日年月序])|回(?![来复到国])|遍|times?(?![a-z])"),
        ("lesson", "1", "课时|学时"),
        *((pattern[:1], "1", pattern) for pattern in (
            "级", "等(?!级)", "档", "线", "类", "星", "层", "楼", "条", "章", "款", "节", "页", "份", "张", "件", "台", "部(?!门)", "辆", "间", "套", "本(?!人)", "封",
            "家", "门", "种", "支", "枚", "笔", "字", "届", "集", "首", "篇", "架", "艘", "股", "起", "场", "局", "期", "国", "省", "市", "票", "项", "对", "道", "片", "点",
            "分(?![钟之管别机为公布部])", "座", "轮", "杯", "亩", "世纪",
        )),
        ("one", "1", r"个"),
    )
)  # fmt: skip

# Before a number; up to a few characters of what is counted stand between. The first that matches counts.
_GAP: Final = r"(?:[^\W\d_]|[\s（）()]){0,8}?"
_NEAR: Final = r"(?:[了过到为是约共有一每]|\s){0,3}"
_WORDS_BEFORE: Final[tuple[tuple[Bound, str, str], ...]] = (
    ("at most", r"不(?:得|能|可以?|应|会|宜)?(?:超过|超出|高于|大于|多于|长于|晚于|迟于|突破)", _NEAR),
    ("at least", r"不(?:得|能|可以?|应|会|宜)?(?:低于|少于|小于|短于|早于)", _NEAR),
    ("under", r"不足|不满|未满|不到|未达到?|低于|少于|小于|短于|早于|less than|fewer than|under|below|shorter than", _NEAR),
    ("at most", r"最多|至多|最高|最长|最大|最晚|最迟|上限|封顶", _GAP),
    ("at least", r"至少|最少|最低|最短|起码|下限", _GAP),
    ("at most", r"up to|at most|(?:no|not) (?:more|longer|later) than|(?:not|never) exceed(?:ing)?|within|maximum(?: of)?|ceiling (?:is|of)|as much as", r" (?:an? |the )?"),
    ("at least", r"at least|(?:no|not) (?:less|fewer) than|minimum(?: of)?|from", " "),
    ("over", r"超过|超出|超|高于|大于|多于|长于|晚于|逾|满?不止|more than|over|exceed(?:s|ed|ing)?|longer than|above", _NEAR),
    ("at least", r"满|达到?|届满", _NEAR),
    ("ahead", r"提前|提早|预先", r"(?:[^\W\d_]|\s){0,2}"),
    ("after", r"推迟|推后|延后|延迟|延期|事后|过后", r"(?:[^\W\d_]|\s){0,2}"),
    ("after", r"(?<![a-z])after", " "),
    ("before", r"(?<![a-z])(?:before|by)", " "),
)  # fmt: skip
_WORDS_BEHIND: Final[tuple[tuple[Bound, str], ...]] = (
    ("at least", r"[的时间]{0,2}(?:及?以上|起(?![草来])|及其以上| or (?:more|older|longer|above)| and (?:above|over|more))"),
    ("at most", r"[的时间]{0,2}(?:及?以下|及?(?:之|以)?内(?![容部网科])| or (?:less|fewer|below))"),
    ("over", r"[的时间]{0,2}(?:之|以)?外(?![部地来籍勤出卖])"),
    ("before", r"[的时间钟]{0,2}(?:之|以)?前(?![台往提])| (?:before|ago|earlier)(?![a-z])"),
    ("ahead", r" (?:in advance|ahead|beforehand)(?![a-z])"),
    ("after", r"[的时间钟]{0,2}(?:之|以)?后(?![勤台])| (?:later|after)(?![a-z])"),
)  # fmt: skip

_BEFORE: Final = tuple((bound, re.compile(f"(?P<word>{words}){gap}$")) for bound, words, gap in _WORDS_BEFORE)
_BEHIND: Final = tuple((bound, re.compile(words)) for bound, words in _WORDS_BEHIND)
_SIDES: Final = ({"at most", "under"}, {"at least", "over"}, {"before", "ahead"}, {"after"})


def bounds(text: str, start: int, end: int) -> tuple[frozenset[Bound], tuple[tuple[int, int], ...]]:
    """Which side of the number ``text[start:end]`` (unit included) is meant, and the spans of the words that say so.

    `text` is folded and simplified (`rag.corpus.lexical`).

    >>> bounds("最多可以结转5天", 6, 8)
    (frozenset({'at most'}), ((0, 2),))
    >>> sorted(bounds("至少提前3天", 4, 6)[0]), sorted(bounds("15天", 0, 3)[0])
    (['ahead', 'at least'], [])
    """
    found: set[Bound] = set()
    marks: list[tuple[int, int]] = []
    low = start
    for _ in range(2):  # 至少提前3天
        window = text[max(0, low - 24) : low]
        matches = [(bound, m) for bound, pattern in _BEFORE if (m := pattern.search(window))]
        if not matches:
            break
        # the nearest, and of 不超过 and 超过 the whole
        bound, nearest = max(matches, key=lambda one: (one[1].end("word"), -one[1].start("word")))
        found.add(bound)
        first = low - len(window)
        marks.append((first + nearest.start("word"), first + nearest.end("word")))
        low = first + nearest.start()
    for _ in range(2):  # 10天以上之前
        for bound, pattern in _BEHIND:
            match = pattern.match(text, end)
            if match is not None:
                found.add(bound)
                marks.append(match.span())
                end = match.end()
                break
    return frozenset(found), tuple(sorted(marks))


def opposed(one: frozenset[Bound], other: frozenset[Bound], moment: bool = False) -> bool:
    """Whether two numbers that are equal mean different sides: 以上 and 以下, 之前 and 之后, 之内 and 之后.

    Over and at least are one side (超过10天, 10天以上), as are before and ahead, and of a `moment` at most and before
    (不晚于10:00); a number without a side is opposed to none.

    >>> opposed(frozenset({"at most"}), frozenset({"at least"})), opposed(frozenset({"over"}), frozenset({"at least"}))
    (True, False)
    >>> opposed(frozenset({"at least"}), frozenset())
    False
    """
    if not one or not other:
        return False
    a, b = ({i for i, side in enumerate(_SIDES) if side & bound} for bound in (one, other))
    for pair in ({0, 1}, {2, 3}):
        if a & pair and b & pair and a & pair != b & pair:
            return True
    if a & b:
        return False
    near = {frozenset({1, 3}), frozenset({1, 2})} | ({frozenset({0, 2})} if moment else set())  # 满一年后; 至少提前3天
    return not any(frozenset({x, y}) in near for x in a for y in b)
