"""Sentences of policies → shorter, or in other words, and still true: by rules that keep every number, unit, condition and name."""

from __future__ import annotations

import random
import re

_HAN = "零一二三四五六七八九"
_SAME: tuple[tuple[str, str], ...] = (
    ("之内", "以内|内"),
    ("之后", "以后|后"),
    ("之前", "以前"),
    ("应(?=在|提|当场|立即|事先|完成|先)", "应当|需要|要"),
    ("不得", "不能|不可以"),
    ("(?<!不)可以(?=[\u4e00-\u9fff])", "能"),
    ("禁止", "不允许"),
    ("(?<!最长)(?<!最晚)不超过(?=[0-9])", "不多于|最多"),
    ("(?:不少于|不低于)(?=[0-9])", "至少"),
    ("最多(?=2|3|4|5|6|发)", "至多"),
    ("遗失", "丢失"),
    ("可享受|享有|享受", "有|可以享受"),
    ("须由", "需要由"),
    ("无需|不需要", "不用"),
    ("(?<!双方)每人每年", "每位员工每年"),
    ("的，", "时，|的话，"),
    ("员工(?!工|手册|网|人事)", "职工"),
    ("以书面形式", "书面"),
    ("忘记", "忘了"),
    ("联系", "找"),
    ("发放", "发"),
    ("每人每餐", "每人一餐"),
    ("本人及随行家属", "员工本人和随行家属"),
    ("或者", "或"),
    ("并且", "且"),
    ("给予", "发给"),
    ("告知", "告诉"),
    ("报告(?=IT)", "告知"),
    ("由(?=(?:直属主管|部门负责人|分管副总)(?:审批|批准))", "经"),
    ("at least", "no fewer than"),
    ("at most", "no more than"),
    ("must", "has to"),
    ("every employee has", "all employees have"),
    ("is valid for", "stays valid for"),
)
_LEADS = ("", "", "根据规定，", "按照公司制度，", "是的，", "公司规定，")
_CLAUSE = re.compile(r"[^，；]+[，；。]?")
_DANGLING = ("即", "且", "并", "但", "或", "其中", "除", "也", "则", "逾期", "以便", "到时", "过期", "超过的", "由其")
_OPEN = tuple("由须应可不经为最每均加按在对权写填提报享补无再单超到返给发暂除并且也") + (
    "结转",
    "账号",
    "计入",
    "需要",
    "当年",
    "当月",
)
"""How a clause begins that leaves its subject to the one before it."""
_CONDITION = re.compile(r"的，$|者，$|，如|若|超过|不满|满")
_HANGING = re.compile(r"(?:后|时|期间|情况|大小|的)[，。；]?$")
"""A clause that ends so waits for the next."""
_LEAST = 8
"""Characters of a shortened sentence: less says nothing without its question."""


def shortened(text: str, draw: random.Random) -> str | None:
    """Some clauses of the sentence in a row, or all but one in the middle that is no condition; None where it has too few."""
    clauses = [m.group() for m in _CLAUSE.finditer(text)]
    if len(clauses) < 2:
        return None
    options = []
    row = ": " in text
    for a in range(1 if row else len(clauses)):  # a cell says nothing without what its row is about
        for b in range(a + 1 + row, len(clauses) + 1):
            part = "".join(clauses[a:b]).strip()
            # a clause behind its condition would say more than the sentence does
            behind = a > 0 and clauses[a - 1].endswith("，")
            bound = behind and (_CONDITION.search(clauses[a - 1]) or clauses[a].startswith((*_DANGLING, *_OPEN)))
            whole = not bound and not part.startswith(_DANGLING) and not _HANGING.search(part)
            if b - a < len(clauses) and len(part) >= _LEAST and whole and part.count("（") == part.count("）"):
                options.append(part)
    if len(clauses) >= 3 and "；" not in text and ": " not in text:
        for i in range(1, len(clauses) - 1):
            if not _CONDITION.search(clauses[i]) and not clauses[i + 1].startswith(_DANGLING):
                options.append("".join([*clauses[:i], *clauses[i + 1 :]]))
    if not options:
        return None
    return draw.choice(options).rstrip("，；。") + ("。" if re.search("[\u4e00-\u9fff]", text) else "")


def reworded(text: str, draw: random.Random) -> str:
    """Up to four synonyms, numbers in the other numerals, and a lead as answers have it."""
    rules = [rule for rule in _SAME if re.search(rule[0], text)]
    for pattern, new in draw.sample(rules, min(4, len(rules))):
        text = re.sub(pattern, draw.choice(new.split("|")), text, count=1)
    if draw.random() < 0.5:
        text = re.sub(
            r"(?<![A-Za-z0-9_.:：-])(\d{1,2})(?=天|年|个月|个工作日|小时|周|次)",
            lambda m: "两" if m[1] == "2" else numeral(int(m[1])),
            text,
            count=1,
        )
        text = re.sub(r"(?<![A-Za-z0-9_.:：-])([1-9])000(?=元)", lambda m: f"{_HAN[int(m[1])]}千", text, count=1)
    return (draw.choice(_LEADS) if re.search("[\u4e00-\u9fff]", text) else "") + text


def numeral(n: int) -> str:
    """A whole number below 100 in Chinese.

    >>> numeral(2), numeral(10), numeral(15), numeral(20), numeral(36)
    ('二', '十', '十五', '二十', '三十六')
    """
    tens, ones = divmod(n, 10)
    if tens == 0:
        return _HAN[ones]
    return ("" if tens == 1 else _HAN[tens]) + "十" + (_HAN[ones] if ones else "")


def told_of_row(row: str, draw: random.Random) -> str | None:
    """A sentence about one cell of a table's row: what the row is about, the column, the value.

    >>> told_of_row("假期: 婚假；天数: 13天", random.Random(0))
    '婚假的天数是13天。'
    """
    cells = [cell.partition(": ")[::2] for cell in re.split("；", row.rstrip("。")) if ": " in cell]
    if len(cells) < 2:
        return None
    about, of = cells[0][1], ""
    rest = cells[1:]
    if cells[1][0] in ("项目", "条件", "环节") and len(cells) > 2:  # only both together say what the row is about
        of, rest = cells[1][1], cells[2:]
    usable = [
        cell for cell in rest if cell[1] not in ("无", "") and len(cell[1]) < 30 and not cell[0].startswith("是否")
    ]
    if not usable:
        return None
    name, value = draw.choice(usable)
    if not re.search("[\u4e00-\u9fff]", row):
        return f"{about}, {name}: {value}"
    verb = draw.choice(("是", "为"))
    if name.endswith("城市"):
        return f"{about}在{name}的{of}{verb}{value}。" if of else f"{about}在{name}{verb}{value}。"
    return f"{about}的{of}的{name}{verb}{value}。" if of else f"{about}的{name}{verb}{value}。"
