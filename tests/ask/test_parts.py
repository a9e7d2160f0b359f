import random
import re

import pytest

from rag.ask.parts import LEAST, MOST, parts
from tests import hostile

APART = [
    ("年假有几天，没休完怎么办？", ("年假有几天", "没休完怎么办？")),
    ("年假有几天？没休完怎么办？", ("年假有几天？", "没休完怎么办？")),
    ("北京和上海的住宿标准分别是多少？", ("北京的住宿标准是多少？", "上海的住宿标准是多少？")),
    ("一线、二线和三线城市的上限各是多少", ("一线的上限是多少", "二线的上限是多少", "三线城市的上限是多少")),
    ("采购的预付款和验收后的尾款分别付多少", ("采购的预付款付多少", "验收后的尾款付多少")),
    ("我入职两年了，年假有几天？没休完怎么办？", ("我入职两年了，年假有几天？", "没休完怎么办？")),
    ("工牌丢了去哪补办，另外补办要多少钱，谢谢", ("工牌丢了去哪补办", "另外补办要多少钱，谢谢")),
    ("How many days do I get, and what happens to the rest?", ("How many days do I get", "and what happens to the rest?")),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "expected"), APART, ids=[a for a, _ in APART])
def test_what_is_taken_apart(asked: str, expected: tuple[str, ...]) -> None:
    assert parts(asked) == expected


@pytest.mark.parametrize(
    "asked",
    [
        "年假有几天？",
        "出差回来，住宿费怎么报？",
        "VPN连不上，提示VPN-4031，怎么办？",
        "员工和部门负责人都要签字吗？",  # one question of two things
        "金额超过3,000元的，谁批？",
        "年假有几天？多少？",  # a part of nothing
        "甲几天，乙几天，丙几天，丁几天？",  # too many
        "I lost my laptop, my badge and my keys. What now?",
        "",
        "？？？",
    ],
)
def test_what_stays_whole(asked: str) -> None:
    assert parts(asked) == (asked,)


def test_parts_hold_nothing_that_was_not_asked(seeds) -> None:
    pieces = [
        "年假有几天",
        "没休完怎么办",
        "我是P5",
        "，",
        "？",
        "和",
        "、",
        "分别",
        "各是多少",
        "的",
        "另外",
        "and how ",
        ", ",
        "\n",
    ]
    for seed in seeds(600):
        rng = random.Random(seed)
        asked = "".join(rng.choice((*pieces, hostile.text(rng, 1)[:30])) for _ in range(rng.randint(1, 10)))
        found = parts(asked)
        assert 1 <= len(found) <= MOST, seed
        if len(found) == 1:
            assert found == (asked,), seed
        for part in found:
            rest = iter(asked)
            assert all(character in rest for character in part), (seed, part)  # its characters in their order
            assert len(found) == 1 or len(re.findall(r"\w", part)) >= LEAST, seed
