"""What questions ask for, case by case."""

import random
from collections.abc import Callable

import pytest

from rag.ask.wanted import answers, names, wanted
from tests.hostile import text as hostile


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("病假每年有几天？", "每年5天全薪病假。", "病假应当天告知主管。"),
        ("请年假要提前几天申请？", "应提前3个工作日提交。", "由直属主管审批。"),
        ("住宿标准是多少钱？", "每晚600元。", "住宿3晚以内。"),
        ("会议室能坐多少人？", "可坐10至14人。", "可提前14天预订。"),
        ("新办法什么时候施行？", "自2026年10月1日起施行。", "由人力资源部解释。"),
        ("服务台几点开门？", "工作日8:00开门。", "服务台在三楼。"),
        ("试用期多久？", "试用期为3个月。", "工资为90%。"),
        ("How many days of leave do I have?", "You have 15 days a year.", "Your supervisor approves."),
        ("When does it take effect?", "It takes effect on 1 October 2026.", "It replaces the old policy."),
    ],
)
def test_an_answering_sentence_holds_what_is_asked_for(question: str, right: str, wrong: str) -> None:
    asked = wanted(question)
    assert asked.asks != "other"
    assert answers(asked, right)
    assert not answers(asked, wrong)


@pytest.mark.parametrize("question", ["谁审批年假？", "年假怎么申请？", "可以报销吗？", "Who approves it?"])
def test_a_question_without_a_kind_is_answered_by_any_sentence(question: str) -> None:
    assert wanted(question).asks == "other"
    assert answers(wanted(question), "由直属主管审批。")


def test_what_the_question_says_itself_is_no_answer() -> None:
    assert not answers(wanted("工作满10天可以休几天？"), "工作满10天的员工。")


def test_numbers_written_in_digits_have_to_be_named() -> None:
    asked = wanted("2024年VPN-4031怎么处理？")
    assert names(asked, "2024年版\nＶＰＮ－４０３１：提交IT-F-402")
    assert not names(asked, "2024年版\nVPN-4033")
    assert names(wanted("年假有几天？"), "")


def test_hostile_questions_are_read(seeds: Callable[[int], range]) -> None:
    for seed in seeds(30):
        rng = random.Random(seed)
        asked = wanted(hostile(rng))
        assert isinstance(answers(asked, hostile(rng)), bool)
        assert isinstance(names(asked, hostile(rng)), bool)
