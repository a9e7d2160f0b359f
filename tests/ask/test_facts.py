"""Numbers, dates and codes however they are written, and what must not compare equal."""

import random
from datetime import date, timedelta

import pytest

from rag.ask.facts import contrary, facts, same
from rag.ask.reading import read
from rag.corpus.folding import plain
from tests import hostile


def one(text: str):
    found = facts(plain(text))
    assert len(found) == 1, [(f.kind, f.value, f.unit) for f in found]
    return found[0]


@pytest.mark.parametrize(
    ("one_way", "another"),
    [
        ("十五天", "15天"),
        ("１５天", "15 天"),
        ("15日内", "15天以内"),
        ("三千元", "3000元"),
        ("0.3万元", "3,000元"),
        ("3千元", "3000块"),
        ("百分之五十", "50%"),
        ("一半", "50%"),
        ("九成", "90%"),
        ("1.5倍", "150%"),
        ("两年", "24个月"),
        ("半年", "6个月"),
        ("两周", "14天"),
        ("半小时", "30分钟"),
        ("一个半小时", "90分钟"),
        ("3 working days", "3个工作日"),
        ("five years", "5年"),
        ("2公里", "2000米"),
        ("下午6点", "18:00"),
        ("上午十点半", "10:30"),
        ("2026年10月1日", "2026-10-01"),
        ("二〇二六年十月", "2026年10月"),
        ("31 March", "3月31日"),
        ("星期三", "周三"),
        ("每月", "per month"),
        ("每年", "一年"),
        ("HR-F-012", "hr-f-012"),
        ("单次", "每次"),
        ("三个半月", "3.5个月"),
        ("3个半小时", "210分钟"),
        ("零下5度", "-5℃"),
    ],
)
def test_the_same_however_it_is_written(one_way: str, another: str) -> None:
    assert same(one(one_way), one(another)) and same(one(another), one(one_way))


@pytest.mark.parametrize(
    ("one_thing", "another"),
    [
        ("3个工作日", "3天"),
        ("3个月", "3天"),
        ("3月", "3个月"),
        ("15天", "16天"),
        ("3000元", "3000美元"),
        ("3000元", "30000元"),
        ("50%", "50元"),
        ("30天", "1个月"),
        ("24小时", "24分钟"),
        ("10:00", "11:00"),
        ("10月1日", "10月11日"),
        ("2026年10月1日", "2025年10月1日"),
        ("每月", "每年"),
        ("一线", "二线"),
        ("第四条", "第五条"),
        ("HR-F-012", "HR-F-021"),
        ("周一", "周二"),
        ("3次", "3人"),
        ("零下5度", "5度"),
        ("-15天", "15天"),
        ("3个半月", "3个半小时"),
    ],
)
def test_not_the_same(one_thing: str, another: str) -> None:
    assert not same(one(one_thing), one(another)) and not same(one(another), one(one_thing))


@pytest.mark.parametrize(
    ("one_side", "another", "against"),
    [
        ("10天以上", "10天以下", True),
        ("不超过10天", "超过10天", True),
        ("满一年", "未满一年", True),
        ("至少3天", "最多3天", True),
        ("提前3天", "3天之后", True),
        ("10:00之前", "10:00之后", True),
        ("15天内", "15天后", True),
        ("不低于50万元", "低于50万元", True),
        ("超过10天", "10天以上", False),
        ("不超过36小时", "最多36小时", False),
        ("满一年后", "满一年", False),
        ("至少提前3天", "提前3天", False),
        ("不晚于10:00", "10:00之前", False),
        ("最多2天", "2天", False),
        ("up to 5 days", "最多5天", False),
    ],
)
def test_the_side_that_is_meant(one_side: str, another: str, against: bool) -> None:
    a, b = one(one_side), one(another)
    assert same(a, b) and contrary(a, b) is against and contrary(b, a) is against


@pytest.mark.parametrize(
    "text", ["一般", "万一", "统一安排", "一律", "一致", "三思", "十分", "千方百计", "hundreds", "first of all"]
)
def test_numerals_that_count_nothing(text: str) -> None:
    assert facts(plain(text)) == ()


def numeral(n: int) -> str:
    """1…99 as they are said; another writer than the reader under test."""
    digits = "零一二三四五六七八九"
    tens, ones = divmod(n, 10)
    head = "" if tens == 0 else ("十" if tens == 1 else f"{digits[tens]}十")
    return head + (digits[ones] if ones else "")


def test_every_number_of_days_and_every_day_of_a_year(seeds) -> None:
    for n in range(1, 100):
        assert same(one(f"{numeral(n)}天"), one(f"{n}天")), n
        if n > 1:
            assert not same(one(f"{numeral(n)}天"), one(f"{n - 1}天"))
    for seed in seeds(300):
        day = date(2026, 1, 1) + timedelta(random.Random(seed).randrange(365))
        written = one(f"{day.year}年{day.month}月{day.day}日")
        assert written.value == day.isoformat()
        assert same(one(f"{day.month}月{day.day}日"), written)
        assert same(one(f"{numeral(day.month)}月{numeral(day.day)}日"), written)


def test_offsets_order_and_no_overlap_on_anything(seeds) -> None:
    for seed in seeds(400):
        text = hostile.text(random.Random(seed), 12)
        reading = read(text, with_words=True)
        assert len(reading.text) == len(text)
        for a, b in zip(reading.facts, reading.facts[1:], strict=False):
            assert 0 <= a.start < a.end <= b.start <= b.end <= len(text)
        for operator in reading.operators:
            assert 0 <= operator.start < operator.end <= len(text)
            assert 0 <= operator.reach[0] <= operator.reach[1] <= len(text)
        for word in reading.words:
            assert reading.text[word.start : word.end] == word.word


def test_long_runs_do_not_take_long() -> None:
    for text in (
        "1" * 20_000,
        "一" * 20_000,
        "不得" * 5_000,
        "10:" * 5_000,
        "每年" * 5_000,
        "a1-" * 5_000,
        "第" * 9_000,
        " " * 20_000,
    ):
        found = read(text, with_words=True)
        parts = (*found.facts, *found.operators, *found.words)
        assert len(found.text) == len(text) and all(0 <= p.start < p.end <= len(text) for p in parts)
