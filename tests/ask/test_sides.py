"""More kinds of one thing made false beside the same said truly: exceptions, the two sides of a number, what a no denies, and times."""

import pytest

from rag.ask.facts import facts
from rag.corpus.folding import plain
from tests.ask.test_claims import support


@pytest.mark.parametrize(
    ("source", "true", "false"),
    [
        # the two sides of one number
        (
            "5000元以下的采购无需招标，5000元以上的采购必须招标。",
            "5000元以下的采购无需招标。",
            "5000元以下的采购必须招标。",
        ),
        (
            "5000元以下的采购无需招标，5000元以上的采购必须招标。",
            "5000元以上的采购必须招标。",
            "5000元以上的采购无需招标。",
        ),
        ("礼品200元以内的可以收受，200元以上的应当上交。", "200元以内的礼品可以收受。", "200元以内的应当上交。"),
        (
            "单笔超过10万元的由总经理审批；不超过10万元的由财务总监审批。",
            "单笔超过10万元由总经理审批。",
            "不超过10万元的由总经理审批。",
        ),
        # a sign of money before its number
        (
            "Amounts above $500 require a signature.",
            "Amounts over $500 require a signature.",
            "Amounts below $500 require a signature.",
        ),
        ("报销不超过¥5,000.00。", "报销最多5000元。", "报销不低于¥5,000.00。"),
        ("奖金不超过$5 million。", "奖金最多$5 million。", "奖金最多$5 billion。"),
        # before and after, with a number behind
        ("年假应在休假前3个工作日提出。", "年假须提前三个工作日提出。", "年假应在休假后3个工作日提出。"),
        # exceptions
        ("除春节以外，法定节假日均安排值班。", "除了春节，法定节假日都安排值班。", "春节安排值班。"),
        # what a no denies
        (
            "兼职员工不享受补充医疗保险，但享受意外伤害保险。",
            "兼职员工享受意外伤害保险。",
            "兼职员工不享受意外伤害保险。",
        ),
        ("加班须事先经书面批准，逾期不补。", "加班须事先批准。", "加班无需事先批准。"),
        ("未经批准的加班不计算加班费。", "未经批准的加班不算加班费。", "未经批准的加班计算加班费。"),
        ("未经批准的加班不计算加班费。", "未获批准的加班不计算加班费。", "经批准的加班不计算加班费。"),
        ("快递费由寄件部门承担，到付件一律拒收。", "到付件一律不收。", "到付件可以接收。"),
        ("每月15日发放上月工资，遇节假日顺延。", "工资遇节假日顺延发放。", "遇节假日提前。"),
        # times of the day
        ("宿舍22:30熄灯，周五和周六延长至23:30。", "周五和周六延长至23:30。", "宿舍23:30熄灯。"),
        # paces
        ("违约金按日万分之五计算。", "违约金每日万分之五。", "违约金按月万分之五计算。"),
    ],
)
def test_one_thing_made_false_and_the_same_said_truly(source: str, true: str, false: str) -> None:
    assert (support(true, source), support(false, source)) == ("cited", "none")


def test_what_stands_there_word_for_word_is_carried() -> None:
    for text in (
        "提示PRN-3005的，表示当月彩色额度已用完，提示PRN-3050的，表示打印机缺纸。",
        "由值班室引导救护车，通知急救员携带除颤器到场，并联系家属。",
    ):
        assert support(text, text) == "cited"


@pytest.mark.parametrize(
    ("said", "source"),
    [
        ("补贴500英镑。", "补贴为£500。"),
        ("10万元以下的采购合同一人签字。", "10万元以上的采购合同须两人签字，10万元以下的一人签字。"),
        ("5000元以下的采购无需招标。", "5000元以上的采购必须招标，5000元以下的不招标。"),
        ("户外广告牌的拆除须经批准。", "拆除户外广告牌须经批准。"),
        ("体检按年龄分为两档。", "体检按员工年龄分为两档。"),
        ("除总经理外，任何人不得查阅。", "除总经理外，任何人不得查阅，也不得复制。"),
    ],
)
def test_what_is_said_truly_in_other_words_is_carried(said: str, source: str) -> None:
    assert support(said, source) == "cited"


def test_what_is_not_yet_approved_ends_with_its_clause() -> None:
    source = "尚未批准的加班不计算加班费。"
    assert support("尚未批准的加班不计算加班费。", source) == "cited"
    assert support("尚未批准的加班计算加班费。", source) == "none"


def test_besides_is_no_exception() -> None:
    source = "除年假外，员工还享受带薪病假。"
    assert support("员工享受年假。", source) == "cited"


@pytest.mark.parametrize(
    ("text", "value", "unit"), [("¥5,000.00", "5000", "yuan"), ("$500", "500", "dollar"), ("￥1.5万", "15000", "yuan")]
)
def test_a_sign_of_money_is_the_unit_and_belongs_to_the_number(text: str, value: str, unit: str) -> None:
    [fact] = facts(plain(text))
    assert (fact.value, fact.unit, fact.start, fact.end) == (value, unit, 0, len(text))
