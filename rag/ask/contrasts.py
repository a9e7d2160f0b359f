"""Words that exclude each other: 有效 and 无效, 工作日 and 自然日, paid and unpaid; and whether a sentence and a passage have different ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rag.ask.reading import Reading

# Words that exclude each other; a sentence that has one of them where its source has another says something else. Those of
# one named group say the same.
_CONTRASTS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        "(?P<valid>有效)|(?P<void>无效|失效|作废)",
        "(?P<own>(?:员工|个人|本人|自行)(?:自行|全额)?(?:承担|负担|支付|负责)|自理|自付|自负)|(?P<firm>(?:公司|单位|企业)(?:全额|统一)?(?:承担|负担|支付|负责|报销))",
        "(?P<paid>(?<!不)带薪|有薪)|(?P<unpaid>不带薪|无薪)", "上限|下限", "每次|首次", "才能|就能", "署名|匿名", "转正|试用", "工作日|自然日|休息日|节假日", "当天|当日|次日", "当年|次年|上年", "当月|本月|次月|上月|下月", "上午|下午", "增加|减少", "不超过|(?<!不)(?<!不得)超过",
        "不低于|(?<!不)低于", "国内|境外|国外", "(?:(?<![^，,。；])|^)(?:公司|员工)", "自愿|强制", "电子|纸质", "全额|减半", r"(?<![a-z])paid(?![a-z])|unpaid", "含税|不含税", "事前|事后|事先", "线上|线下", "正式|临时", "入职|离职",
        "内部|外部", "免费|收费|自费", "上浮|下浮|下调|上调", "提高|降低", "逾期|按时|按期", "直接|间接", "白天|夜间", "随时|定期", "公开|保密", "同意|拒绝", "单程|往返", "本人|他人", "(?P<earliest>最早)|(?P<latest>最晚|最迟)", "书面|口头", "甲方|乙方", "应收|应付", "定期|不定期", "(?P<sooner>提前|提早)|(?P<later>推迟|延后|顺延|延期|推后)",
    )
)  # fmt: skip
_ENDS: Final = frozenset({"最早", "最晚", "最迟", "上限", "下限"})


def contrasts(said: Reading, passage: Reading) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Of words that exclude each other (有效, 无效) the sentence has one that the passage has not, and the passage others in as many places: both spans."""
    for contrast in _CONTRASTS:
        ours, theirs = list(contrast.finditer(_without_limits(said))), list(contrast.finditer(_without_limits(passage)))
        sides = {m.lastgroup or m.group() for m in theirs}
        for match in ours:
            if len(theirs) >= len(ours) and (match.lastgroup or match.group()) not in sides:
                yield match.span(), theirs[0].span()


def _without_limits(reading: Reading) -> str:
    """The text without the words for the side of a number, which is compared as that (不超过); but for those that are contrasts too."""
    text = reading.text
    for start, end in (mark for fact in reading.facts for mark in fact.marks):
        if text[start:end] not in _ENDS:
            text = text[:start] + " " * (end - start) + text[end:]
    return text
