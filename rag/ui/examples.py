"""The example questions, for the sample policies, one of them without an answer there."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from rag.errors import Language
from rag.ui.strings import text

EXAMPLES: Final[Mapping[Language, tuple[str, ...]]] = MappingProxyType(
    {
        "zh": (
            "入职满一年，每年有多少天带薪年假？",
            "请年假要提前几天申请，谁审批？",
            "办公设备每年可以报销多少元？",
            "忘记密码怎么办？",
            "一线城市出差住宿标准是多少？",
            "试用期最长多久？",
            "VPN-4031 是什么错误？",
            "公司有宠物津贴吗？",
            "工牌搞丢了，补一张多少钱",
            "没有休完的年休假能留到下一年用吗？",
            "2025版的年假办法规定入职满一年有几天年假？",
            "P2级故障的解决时限是多久？",
            "VPN-4013怎么处理？",
            "离职后账号什么时候停用？竞业限制最长多久？",
            "访客来访需要登记吗？",
            "出差住我姑姑家，公司给点补贴不",
            "绩效A级对应的奖金系数是多少？",
        ),
        "en": (
            "How many days of paid annual leave after one year?",
            "What is the daily meal allowance on a business trip to Japan?",
            "How soon must I report a lost laptop?",
        ),
    }
)
SHOWN = 8
"""So many are buttons at once; the others are one click away."""


def examples(language: Language) -> list[str]:
    """The example questions, those in the visitor's language first."""
    other: Language = "en" if language == "zh" else "zh"
    return [*EXAMPLES[language], *EXAMPLES[other]]


def shown_examples(language: Language) -> dict[str, Any]:
    """What the script of the examples is given: the questions, how many are shown at once, the words of the toggle."""
    return {
        "questions": examples(language),
        "shown": SHOWN,
        "more": text("ask.more", language),
        "fewer": text("ask.fewer", language),
    }
