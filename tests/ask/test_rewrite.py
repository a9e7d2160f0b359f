import random

import pytest

from rag.ask.rewrite import CHARACTERS, TURNS, Asked, rewrite, sign
from tests import hostile


def test_a_question_without_others_is_searched_as_it_is() -> None:
    for history in ([], ["", " \n"]):
        asked = rewrite("那年假呢？", history)
        assert asked == Asked("那年假呢？") and asked.joined == "那年假呢？"


def test_the_last_ones_go_in_front_in_the_order_they_were_asked() -> None:
    asked = rewrite("丁？", ["甲？", "乙？", "丙？"])
    assert TURNS == 2 and asked.earlier == ("乙？", "丙？")
    assert asked.joined == "乙？\n丙？\n丁？"


@pytest.mark.parametrize(("before", "kept"), [(CHARACTERS - 4, 1), (CHARACTERS - 3, 0)])
def test_what_does_not_fit_is_left_out_whole(before: int, kept: int) -> None:
    asked = rewrite("谁批？", ["年" * before])
    assert len(asked.earlier) == kept and len(asked.joined) <= CHARACTERS


def test_nothing_is_said_that_was_not_asked(seeds) -> None:
    for seed in seeds(300):
        rng = random.Random(seed)
        history = [hostile.text(rng, rng.randint(0, 6)) for _ in range(rng.randint(0, 5))]
        question = hostile.text(rng, rng.randint(1, 6)) * rng.choice((1, 1, 30))
        asked = rewrite(question, history)
        assert asked.question == question, seed
        said = [text.strip() for text in history if text.strip()]
        assert list(asked.earlier) == said[len(said) - len(asked.earlier) :]
        assert not asked.earlier or len(asked.joined) <= CHARACTERS
        assert asked == rewrite(question, history)


@pytest.mark.parametrize(
    "question",
    [
        "那上海呢？",
        "C呢",
        "国庆值班的话呢",
        "它要谁来批？",
        "这个处分多久能消掉",
        "這個處分多久能消掉",
        "二孩也是这么多吗？",
        "衡山厅也这样吗？",
        "啥时候到手？",
        "谁批？",
        "能用多久？",
        "到账要几天？",
        "他方便吗？",
        "And for a director?",
    ],
)
def test_signs_of_a_question_that_follows(question: str) -> None:
    assert sign(question) is not None and rewrite(question, ["甲？"]).earlier == ("甲？",)


@pytest.mark.parametrize(
    "question",
    [
        "出差住宿能报多少？",
        "其他人的工资能看吗？",  # not 他
        "这个月迟到三次会怎样？",  # this month, not this thing
        "先还本金还是先还利息呢？",  # asks by more than 呢
        "VPN怎么开？",
        "年假几天？",
        "设备多少钱？",
        "组里一个试用期的同事下周去深圳出差，他酒店一晚上限多少",  # says itself who he is
        "How many days of annual leave do I have?",
        # a word that holds a character by which one asks, or a pronoun's
        "个税是什么？",
        "个稅怎么办？",
        "怎么用印？",
        "会费多少？",
        "前台怎么去？",
        "在哪用餐？",
        "迟到怎么办？",
        "备用金能挪作他用吗？",
        "排他条款怎么签？",
        "那曲出差补贴多少？",
        "",
        "？",
    ],
)
def test_a_question_without_a_sign_stands_alone(question: str) -> None:
    if question.strip("？"):
        assert sign(question) is None
    assert rewrite(question, ["甲？"]).question == question
