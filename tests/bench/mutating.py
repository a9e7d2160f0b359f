"""Sentences → the same with one thing changed that makes them false, and the same in other words, still true. Pure and seeded.

Written from the texts of the policies alone, without knowing how answers are checked.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["number", "unit or date", "negation or condition", "name"]
KINDS: tuple[Kind, ...] = ("number", "unit or date", "negation or condition", "name")


@dataclass(frozen=True)
class Change:
    """``text[start:end]`` becomes `new`."""

    start: int
    end: int
    new: str

    def of(self, text: str) -> str:
        """The changed text."""
        return text[: self.start] + self.new + text[self.end :]


Rule = tuple[str, str]
"""A pattern and what stands in its place."""

_HAN = "一二三四五六七八九十"
_UNITS = "个工作日|个月|周岁|小时|分钟|公里|美元|学时|天|年|元|周|次|人|位|张|家|台|晚|倍|份|件|名|项|类|%|万元|MB|GB"
_ENGLISH_UNITS = (
    "working days?|days?|weeks?|months?|years?|hours?|minutes?|yuan|US dollars|percent|characters|MB|nights?"
)
_WORDS = "one two three four five six seven eight nine ten twelve fifteen twenty".split()

_NUMBER = re.compile(
    rf"(?<![A-Za-z0-9_.:：\-–—第至])(?P<d>\d+(?:\.\d+)?)(?=\s?(?:{_UNITS}|{_ENGLISH_UNITS}))|(?<=[数机话打是])(?:: |（)?(?P<e>\d+(?:\.\d+)?)"
    rf"|(?<![第{_HAN}百千万两几数])(?P<h>[二两三四五六七八九十]|[一二三四五六七八九]?十[一二三四五六七八九]?)(?={_UNITS})"
    rf"|\b(?P<w>{'|'.join(_WORDS)})\b(?= (?:{_ENGLISH_UNITS}))",
)
_DATED = re.compile(r"\d{4}年|\d+月\d+日|每月\d+日")
"""Numbers in these are dates."""

UNIT_RULES: tuple[Rule, ...] = (
    (r"(?<=\d)个工作日|(?<=[二两三四五六七八九十])个工作日", "天|周|个月"),
    (r"(?<=[\d二两三四五六七八九十])天", "个工作日|周|个月|小时"),
    (r"(?<=[\d二两三四五六七八九十])个月", "年|周|天"),
    (r"(?<![\d]{4})(?<=[\d二两三四五六七八九十])年(?!级|假)", "个月|周"),
    (r"(?<=[\d一二两三四五六七八九十])小时", "分钟|天"),
    (r"(?<=\d)分钟", "小时|天"),
    (r"(?<=\d)美元", "元|欧元"),
    (r"(?<=\d)元", "万元|美元"),
    (r"(?<=\d)%", "元|‰"),
    (r"(?<=\d)MB", "GB|KB"),
    (r"(?<=[\d两])周(?!岁)", "个月|天"),
    (r"(?<=\d)学时", "天"),
    (r"每人每年", "每人每月"),
    (r"(?<!人)每年", "每月|每季度"),
    (r"每月(?!\d+[日号])", "每年|每周"),
    (r"每周(?![一二三四五])", "每月|每年"),
    (r"每天|一天", "每周|每月"),
    (r"每晚", "每周"),
    (r"每公里", "每小时"),
    (r"周四", "周二|周五"),
    (r"次年", "当年"),
    (r"当天", "次日|当月"),
    (r"working days", "weeks|months|calendar days"),
    (r"(?<!working )\bdays\b", "weeks|months|hours"),
    (r"\bmonths\b", "years|weeks"),
    (r"\bhours?\b", "days|minutes"),
    (r"\bminutes\b", "hours|seconds"),
    (r"(?<=\d )yuan", "US dollars|euros"),
    (r"US dollars", "yuan|euros"),
    (r"\ba year\b", "a month"),
    (r"\ba day\b", "a week"),
    (r"\bper week\b|\ba week\b", "per month"),
    (r"\ba month\b", "a week|a year"),
    (r"(?<=\d )MB", "GB"),
)
CONDITION_RULES: tuple[Rule, ...] = (
    (r"不得|不能|不可以", "可以"),
    (r"禁止|不允许", "允许"),
    (r"(?<![不也])可以(?!不)", "不得|不可以"),
    (r"不需要|无需|不用(?!不)", "需要"),
    (r"不超过|不会超过", "不少于|至少为"),
    (r"至少要", "最多只需"),
    (r"不少于|不低于|至少(?!要)", "不超过|最多"),
    (r"(?<!不)(?<!不会)超过", "不超过|低于"),
    (r"(?<![不已未])满(?=[\d一二三四五六七八九十半])(?!.{1,4}(?:之前|以前))", "不满|未满"),
    (r"不满|不到", "超过"),
    (r"最长(?!不超过)|最多|最高", "最少|至少"),
    (r"最早", "最晚"),
    (r"最晚", "最早"),
    (r"上限", "下限"),
    (r"之内|以内|(?<=[天日月时年钟])内", "之后|以后"),
    (r"(?<!及)以上", "以下"),
    (r"以下(?!简称)", "以上"),
    (r"及以上", "及以下"),
    (r"提前", "推迟"),
    (r"之前|以前|(?<=[日天0])前", "之后"),
    (r"之后|以后|(?<=[年束证权假])后", "之前"),
    (r"不累计|不累积|不结转", "可以累计"),
    (r"不公开", "公开"),
    (r"不算", "算"),
    (r"(?<!不)(?<!打)算(?=作|劳动)", "不算"),
    (r"不作记录|免于记录|不记录", "均要记录"),
    (r"免费", "收费"),
    (r"除外", "也包括在内"),
    (r"只对", "不只对"),
    (r"已经转正|(?<![未已经])转正(?=员工|满|的员工)", "尚未转正|未转正"),
    (r"事先", "事后"),
    (r"(?<!不)须由|(?<!不)须经|(?<!必)须", "无须"),
    (r"应当(?!场)|应(?=[提在事完立存包每先书妥急]|当场)", "不应|无需"),
    (r"可享受|享有|享受|给予", "不享有|不再享有"),
    (r"(?<!不)报销(?!额|应|单|时|标)", "不予报销"),
    (r"自动(?!化)", "不会自动"),
    (r"照发", "停发"),
    (r"(?<!不)计入", "不计入"),
    (r"(?<!不)属于", "不属于"),
    (r"(?<!不)保留|(?<![不期要])保存(?!在)", "不保留"),
    (r"是否带薪: 带薪", "是否带薪: 不带薪"),
    (r"上浮", "下浮"),
    (r"(?<!不)缴纳", "不缴纳"),
    (r"连续(?=输|休)", "非连续"),
    (r"带薪(?=年假)", "无薪"),
    (r"\bmust not\b", "may"),
    (r"\bmay\b(?! not)", "may not"),
    (r"\bcan never\b|\bcannot\b", "can"),
    (r"\bat least\b", "at most"),
    (r"\bup to\b|\bat most\b", "at least"),
    (r"\bwithin\b(?= \d)", "no earlier than"),
    (r"\bafter\b", "before"),
    (r"\bbefore\b", "after"),
    (r"[Nn]o receipt is needed", "a receipt is needed"),
    (r"\bforbidden\b|\bblocked\b", "allowed"),
    (r"\bis paid\b", "is not paid"),
    (r"\bDo not\b", "Please"),
    (r"\blonger than\b", "shorter than"),
    (r"\bneeds\b", "does not need"),
    (r"\bpaid annual\b", "unpaid annual"),
)
_CONDITIONS = ("仅限管理岗位：", "仅在法定节假日期间，", "只适用于销售岗位：", "只有经总经理特批，才适用：")
"""Put in front, they narrow what no policy narrows."""
NAMES: tuple[tuple[str, ...], ...] = (
    ("直属主管", "部门负责人", "分管副总", "总经理", "财务经理", "董事长"),
    ("人力资源部", "行政部", "财务部", "信息技术部", "法务部", "内审部", "安全组", "市场部", "研发部"),
    ("IT服务台", "行政服务台", "财务部"),
    ("采购委员会", "信息安全委员会", "工会"),
    ("年假", "婚假", "产假", "陪产假", "病假", "事假", "丧假", "育儿假"),
    ("北京", "上海", "广州", "深圳", "杭州", "成都", "青岛", "哈尔滨", "三亚", "义乌", "温州", "绍兴", "南京", "武汉"),
    ("日本", "韩国", "澳大利亚"),
    ("笔记本电脑", "台式工作站", "显示器", "打印机"),
    ("发明专利", "实用新型", "外观设计"),
    ("一线城市", "二线城市", "三线城市"),
    ("P1至P6", "P7至P8", "P9及以上"),
    ("蓝色", "橙色", "红色", "绿色"),
    ("餐补", "通讯补贴", "交通补贴", "高温补贴"),
    ("南门", "北门", "西门"),
    ("一等座", "二等座", "商务座"),
    ("经济舱", "商务舱", "头等舱"),
    ("公开招标", "竞争性谈判", "单一来源采购"),
    ("试用期", "服务期", "实习期"),
    ("会计凭证", "劳动合同", "会议纪要"),
    ("工牌", "餐卡", "车位卡"),
    ("电子礼品卡", "现金", "购物卡"),
    ("应届毕业生", "退休返聘人员"),
    ("配偶的父母", "叔伯"),
    ("生日礼", "结婚礼", "中秋慰问", "春节慰问"),
    ("P1级", "P2级", "P3级"),
    ("传感器", "控制器", "执行器"),
    ("direct supervisor", "head of department", "deputy general manager", "general manager"),
    ("IT service desk", "Human Resources", "Finance", "Legal"),
    ("Information Security Committee", "Works Council"),
    ("Marriage", "Paternity", "Maternity", "Bereavement"),
    ("Japan", "Korea", "Australia", "Brazil"),
    ("annual leave", "sick leave", "study leave"),
    ("relatives or friends", "colleagues"),
    ("Mail attachments", "Shared folders"),
    ("meal allowance", "laundry allowance"),
)
_CODE = re.compile(r"(?<![A-Za-z])([A-Z]{2,4}(?:-F)?-)(\d{3,4})")
_FORM = re.compile(r"《([^》]+?(?:单|表|协议))》|(?<=表单名称: )([^；]+)")


def mutations(kind: Kind, text: str, beside: str, forms: Sequence[str], draw: random.Random) -> str | None:
    """`text` with one thing of `kind` changed, or None where there is none. `beside`: the evidence, whose other numbers are the best lies.

    `forms`: the names of all forms.
    """
    makers: dict[Kind, Callable[[], Iterator[Change]]] = {
        "number": lambda: _numbers(text, beside, draw),
        "unit or date": lambda: _units(text, draw),
        "negation or condition": lambda: _conditions(text, draw),
        "name": lambda: _names(text, beside, forms, draw),
    }
    changes = [change for change in makers[kind]() if change.of(text) != text]
    return draw.choice(changes).of(text) if changes else None


def _numbers(text: str, beside: str, draw: random.Random) -> Iterator[Change]:
    dates = [m.span() for m in _DATED.finditer(text)]
    others = sorted({(m["d"], _unit(beside, m.end("d"))) for m in _NUMBER.finditer(beside) if m["d"]})
    for found in _NUMBER.finditer(text):
        name = found.lastgroup or "d"
        start, end = found.span(name)
        if any(a <= start < b for a, b in dates):
            continue
        old = found[name]
        if name == "h":
            near = [h for h in "两三四五六七八九十" if h != old and not {h, old} <= {"二", "两"}]
            new = draw.choice(near)
        elif name == "w":
            new = draw.choice([w for w in _WORDS[1:] if w != old])
        else:
            same = [o for o, unit in others if float(o) != float(old) and unit == _unit(text, end)]
            new = draw.choice(same) if same and draw.random() < 0.5 else _other(old, draw)
        yield Change(start, end, new)


def _unit(text: str, at: int) -> str:
    """The unit that stands there, or ""."""
    found = re.match(rf" ?({_UNITS}|{_ENGLISH_UNITS})", text[at:])
    return found[1] if found else ""


def _other(old: str, draw: random.Random) -> str:
    """Another number of the same look: a little more or less, doubled, ten times, or two digits swapped."""
    if "." in old:
        return f"{float(old) + draw.choice((0.1, 0.3, 1.0)):.1f}"
    n = int(old)
    step = 10 ** max(0, len(old) - 1)
    choices = {
        n + step,
        n * 2,
        n * 10,
        n + 1 if n < 50 else n + step // 2 or n + 5,
        max(1, n - step) if n > step else n + 3,
    }
    if len(old) > 1 and old[0] != old[1] and old[1] != "0":
        choices.add(int(old[1] + old[0] + old[2:]))
    return str(draw.choice(sorted(choices - {n})))


def _units(text: str, draw: random.Random) -> Iterator[Change]:
    yield from _by_rules(UNIT_RULES, text, draw)
    for found in re.finditer(r"(\d+)月(\d+)日", text):
        month, day = int(found[1]), int(found[2])
        new = draw.choice([f"{month % 12 + 1}月{day}日", f"{month}月{day % 28 + 3}日"])
        yield Change(*found.span(), new)
    for found in re.finditer(r"(?<![\d年])(\d{1,2})(?=月(?:上浮|至|、))", text):
        yield Change(*found.span(), str(int(found[1]) % 12 + 1))
    for found in re.finditer(r"(?<=20)(\d\d)(?=年)", text):
        yield Change(*found.span(), f"{int(found[1]) - draw.choice((1, 2)):02d}")
    for found in re.finditer(r"(?<=每月)(\d+)(?=[日号])", text):
        yield Change(*found.span(), str(int(found[1]) % 25 + draw.choice((2, 5))))
    for found in re.finditer(r"(?<!\d)(\d{1,2}):(\d\d)(?!\d)", text):
        hour = (int(found[1]) + draw.choice((1, 2, 22))) % 24
        yield Change(*found.span(), draw.choice([f"{hour}:{found[2]}", f"{found[1]}:{(int(found[2]) + 30) % 60:02d}"]))


def _conditions(text: str, draw: random.Random) -> Iterator[Change]:
    yield from _by_rules(CONDITION_RULES, text, draw)
    narrow = draw.choice(_CONDITIONS)
    if re.search("[\u4e00-\u9fff]", text) and ": " not in text and draw.random() < 0.15:
        yield Change(0, 0, narrow)


def _names(text: str, beside: str, forms: Sequence[str], draw: random.Random) -> Iterator[Change]:
    for group in NAMES:
        pattern = "|".join(map(re.escape, sorted(group, key=len, reverse=True)))
        for found in re.finditer(pattern, text):
            others = [name for name in group if name != found[0] and name not in text]
            if text[: found.start()].endswith(
                ("加", "还要")
            ):  # what comes on top of the others leaves them where they are
                others = [name for name in others if name not in beside]
            near = [name for name in others if name in beside]
            if others:
                yield Change(*found.span(), draw.choice(near if near and draw.random() < 0.5 else others))
    for found in _CODE.finditer(text):
        number = str(int(found[2][:-1] + str((int(found[2][-1]) + draw.choice((1, 3, 5))) % 10))).zfill(len(found[2]))
        yield Change(found.start(2), found.end(2), number)
    for found in _FORM.finditer(text):
        group_number = 1 if found[1] else 2
        others = [name for name in forms if name != found[group_number] and name not in text]
        if others:
            yield Change(found.start(group_number), found.end(group_number), draw.choice(others))


def _by_rules(rules: Sequence[Rule], text: str, draw: random.Random) -> Iterator[Change]:
    for pattern, new in rules:
        for found in re.finditer(pattern, text):
            yield Change(*found.span(), draw.choice(new.split("|")))
