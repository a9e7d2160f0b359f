"""Kinds of sentences that pass for what they are not: each against one source, with the true one beside the false."""

import pytest

from rag.ask.cite import cite, sources
from rag.config import SplitSettings
from rag.corpus.split import split
from rag.types import Document, Evidence


def support(answer: str, source: str, question: str = "") -> str:
    document = Document("a", "1", "a", "own", "a", "a", source)
    chunk = split(document, SplitSettings(), None)[0]
    packed = sources([Evidence("S1", chunk, "[S1] a", ((chunk.start, chunk.end),))], {"a": document})
    (sentence,) = cite(answer, packed, True, question).sentences
    return sentence.support


@pytest.mark.parametrize(
    ("true", "false"),
    [
        ("工龄满3年的3天，满5年的5天。", "工龄满3年的5天，满5年的3天。"),
        ("一线城市600元，二线城市450元。", "一线城市450元，二线城市600元。"),
        ("病假10天，年假5天。", "病假5天，年假10天。"),
        ("年假5天和病假10天。", "年假10天和病假5天。"),
        ("Annual leave is 5 days and sick leave is 10 days.", "Annual leave is 10 days and sick leave is 5 days."),
        ("Managers get 80 euros, and staff get 50 euros.", "Managers get 50 euros, and staff get 80 euros."),
    ],
)
def test_two_numbers_that_changed_places(true: str, false: str) -> None:
    assert support(true, true) == "cited" and support(false, true) == "none"


def test_numbers_in_another_order_are_not_swapped() -> None:
    assert support("二线城市450元，一线城市600元。", "一线城市每晚600元，二线城市每晚450元。") == "cited"
    turned = "Sick leave is 10 days and annual leave is 5 days."
    assert support(turned, "Annual leave is 5 days and sick leave is 10 days.") == "cited"
    assert support("年假最多15天，可结转5天。", "年假每年最多15天，其中5天可以结转。") == "cited"


@pytest.mark.parametrize(
    ("answer", "source", "expected"),
    [
        ("补贴100元/天。", "补贴100元/天。", "cited"),
        ("补贴100元/天。", "补贴100元/月。", "none"),
        ("罚款100元/次。", "罚款100元/天。", "none"),
        ("每天100元补贴。", "补贴100元/天。", "cited"),
        ("补贴100元/天。", "每天补贴100元。", "cited"),
        ("每月100元补贴。", "补贴100元/天。", "none"),
        ("补贴为每人每天100元。", "补贴100元/人·天。", "cited"),
        ("The allowance is 50 yuan per day.", "The allowance is 50 yuan/day.", "cited"),
        ("The allowance is 50 yuan/day.", "The allowance is 50 yuan/month.", "none"),
    ],
)
def test_a_pace_behind_a_stroke(answer: str, source: str, expected: str) -> None:
    assert support(answer, source) == expected


@pytest.mark.parametrize(
    ("answer", "source", "expected"),
    [
        ("罚款1元。", "罚款。", "none"),
        ("试用期1个月。", "试用期见合同。", "none"),
        ("须提前1天申请。", "须提前申请。", "none"),
        ("每人限领1台电脑。", "每人可领电脑。", "none"),
        ("电脑四年换一次。", "电脑每四年更换。", "cited"),
        ("一张发票的金额不超过500元。", "单张发票金额不超过500元。", "cited"),
        ("工资在当月最后一个工作日发放。", "工资在当月最后工作日发放。", "cited"),
        ("工资在次月一个工作日内发放。", "工资在次月内发放。", "none"),
    ],
)
def test_a_number_of_one_is_a_number(answer: str, source: str, expected: str) -> None:
    assert support(answer, source) == expected


@pytest.mark.parametrize(("answer", "expected"), [("82391111。", "cited"), ("82391000。", "none"), ("42", "none")])
def test_a_bare_number_is_a_claim(answer: str, expected: str) -> None:
    assert support(answer, "前台电话：82391111。", "前台电话是多少？") == expected


def test_the_number_of_a_line_is_none() -> None:
    for number in ("1. ", "1、", "1) ", "**1.** ", "1 "):
        assert support(f"{number}年假15天。", "年假15天。") == "cited"


def test_an_address_ends_where_the_sentence_goes_on() -> None:
    source = "申请请发至hr@abc.com邮箱。"
    assert support("申请发至邮箱hr@abc.com。", source) == "cited"
    assert support("申请发至邮箱hr@abd.com。", source) == "none"


@pytest.mark.parametrize(
    ("answer", "source"),
    [
        ("年假15天。", "每年享有15天带薪年假。"),
        ("带薪年假15天。", "每年享有15天带薪年假。"),
        ("餐补25元。", "每天发放25元餐补。"),
        ("住宿费600元。", "每晚报销600元住宿费。"),
    ],
)
def test_a_short_answer_in_another_order(answer: str, source: str) -> None:
    assert support(answer, source) == "cited"


def test_a_marker_of_any_number_and_one_cut_off_is_no_number() -> None:
    for marker in ("[S100]", "[S2026]", "[S1, S100]", "[S9", "[S", "（S2"):
        assert support(f"年假15天{marker}", "年假15天。") == "cited"


@pytest.mark.parametrize(
    ("answer", "source", "expected"),
    [
        ("费用由公司承担。", "费用由员工自理。", "none"),
        ("费用由公司支付。", "费用自理。", "none"),
        ("每人每年3000元，超出部分由公司承担。", "报销额度为每人每年3000元。超出部分由员工自理。", "none"),
        ("培训费由公司负责。", "培训费由员工自付。", "none"),
        ("超出部分由员工承担。", "超出部分由员工自理。", "cited"),
        ("费用由公司负担。", "费用由公司承担。", "cited"),
        ("优惠券须在30天内使用，逾期有效。", "优惠券须在30天内使用，逾期作废。", "none"),
        ("优惠券三个月有效。", "优惠券的有效期为三个月，逾期作废。", "cited"),
        ("优惠券须在30天内使用，逾期失效。", "优惠券须在30天内使用，逾期作废。", "cited"),
    ],
)
def test_who_pays_and_what_is_valid(answer: str, source: str, expected: str) -> None:
    assert support(answer, source) == expected


@pytest.mark.parametrize("yes", ["是的。", "有的。", "对。", "当然。", "Yes."])
def test_a_bare_yes_claims_what_its_question_asks(yes: str) -> None:
    question = "年假可以跨年累计吗？"
    assert support(yes, "年假可以跨年累计。", question) == "cited"
    assert support(yes, "年假不得跨年累计。", question) == "none"
    assert support(yes, "食堂每天供应午餐。", question) == "none"
    assert support(yes, "试用期员工没有年假。", "试用期员工是否有年假？") == "none"


def test_a_bare_yes_to_another_question_claims_nothing() -> None:
    assert support("当然。", "年假15天。", "请告诉我年假天数") == "no_claim"


@pytest.mark.parametrize(
    "answer",
    [
        "报销须由董事长审批，如有疑问请联系王五咨询。",
        "如果需要报销，可随时联系王五说明。",
        "以下是报销须由董事长审批：",
        "有问题可以咨询董事长：",
        "If you have questions, contact Wang Wu.",
    ],
)
def test_whom_to_ask_and_what_stands_before_a_colon_is_said(answer: str) -> None:
    assert support(answer, "报销须由部门负责人审批。") == "none"


@pytest.mark.parametrize(
    "answer",
    [
        "如有其他问题，请随时告诉我。",
        "如果您还有疑问，欢迎随时提问。",
        "希望以上内容对您有帮助。",
        "具体如下：",
        "年假的规定如下：",
        "请假流程：",
        "I hope this helps!",
        "Let me know if you have any other questions.",
    ],
)
def test_what_is_only_polite_or_announces_claims_nothing(answer: str) -> None:
    assert support(answer, "报销须由部门负责人审批。") == "no_claim"


@pytest.mark.parametrize(
    ("source", "true", "false"),
    [
        ("假期: 婚假；天数: 13天；是否带薪: 带薪", "假期: 婚假；天数: 13天；是否带薪: 带薪", "假期: 婚假；天数: 13天；是否带薪: 不带薪"),
        ("住宿上限: 600元；伙食上限: 100元", "住宿上限: 600元；伙食上限: 100元", "住宿上限: 600元；伙食下限: 100元"),
        ("会议室最早可以提前14天预订。", "会议室最早能提前十四天预订。", "会议室最晚能提前十四天预订。"),
        ("储值卡无论金额大小，一律不得收受。", "储值卡不管多少钱都不得收受。", "储值卡不管多少钱都可以收。"),
        ("访客使用无线网络的，不得使用员工的电脑。", "访客不能使用员工的电脑。", "访客使用无线网络的，可以使用职工的电脑。"),
        ("产品质保期为24个月，传感器类产品为36个月。", "产品的质保期是24个月。", "传感器类产品的质保期是24个月。"),
        ("应届毕业生租金为每人每月400元。", "应届毕业生租金每人每月400元。", "退休返聘人员租金为每人每月400元。"),
        ("提交时限: 转正员工提前30天，试用期员工提前3天", "试用期员工提出离职的，提前3天。", "试用期员工提出离职的，提前30天。"),
        ("夜间气温低至零下5度时停工。", "零下5度时停工。", "5度时停工。"),
    ],
)  # fmt: skip
def test_one_thing_made_false(source: str, true: str, false: str) -> None:
    assert support(true, source) == "cited" and support(false, source) == "none"


@pytest.mark.parametrize(
    ("source", "answer"),
    [
        ("确需外带的，由分管副总审批。", "确需外带的，经分管副总审批。"),
        ("设备遗失的，应在1小时内报告服务台。", "设备遗失的，应在1小时内告知服务台。"),
        ("采购方式: 竞争性谈判；最少报价家数: 3家", "竞争性谈判至少要三家报价。"),
        ("级别: P2级故障；解决时限: 8小时", "P2级故障要在8小时内解决。"),
        ("会议室单次预订最长4小时。", "会议室每次预订最长4小时。"),
        ("礼品应当场谢绝。", "礼品应当当场谢绝。"),
        ("事项: 报销；第二审批人: 分管副总", "报销的第二审批人为分管副总。"),
        ("年假由直属主管审批。", "年假的审批人是直属主管。"),
        ("费用10000元至20000元的，服务期为12个月；超过20000元的，服务期为24个月。", "费用超过两万元的，服务期是24个月。"),
        ("年假未休完的部分最多可以结转5天。", "未休完的年假最多可以结转5天。"),
    ],
)  # fmt: skip
def test_the_same_in_other_words(source: str, answer: str) -> None:
    assert support(answer, source) == "cited"


def test_to_a_question_in_another_language_a_number_with_its_side_is_no_less_carried() -> None:
    assert (
        support("The ceiling is 36 hours a month.", "The ceiling is 36 hours a month.", "加班的上限是多少小时？")
        == "cited"
    )
