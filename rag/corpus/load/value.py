"""What a cell's text is by how it is written: a number, a date, a code, or words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

Kind = Literal["date", "number", "code", "words"]

# A number, amount, percentage or date; a year, a month or a quarter alone may well head a column.
_VALUE = re.compile(
    r"[\d\s.,，:：/%％¥￥$€+\-−~–—≤≥<>年月日元天万个小时次人]*\d[\d\s.,，:：/%％¥￥$€+\-−~–—≤≥<>年月日元天万个小时次人]*"
)
_PERIOD = re.compile(r"(?:19|20)\d{2}\s*年?度?|(?:(?:19|20)\d{2}\s*年)?\s*\d{1,2}\s*月份?")
_DATE = re.compile(r"\d{4}\s*[年\-/.]\s*\d{1,2}\s*[月\-/.]\s*\d{1,2}\s*日?|\d{4}\s*年\s*\d{1,2}\s*月")
# HR-001, V2.0, A/0, GB/T 1.1, QP-HR-01（A）, 第2版, 第 1 页 共 5 页, 厂发〔2026〕3号
_CODE = re.compile(
    r"[A-Za-z][A-Za-z/.\-_ ]{0,15}[\-/._ ]?\d[\dA-Za-z/.\-_（）()]{0,30}"
    r"|第\s*[\d一二三四五六七八九十A-Z]{1,3}\s*(?:版|次修订|页.{0,12})"
    r"|\D{1,12}[〔\[（(【]\s*(?:19|20)\d{2}\s*[〕\]）)】]\s*第?\s*\d{1,5}\s*号"
)

_MAIL = re.compile(r"[\w.+\-]+@[\w\-]+(?:\.[\w\-]+)+")
# What tables of all kinds call their columns; evidence, not a list of what may stand there.
_NAME = re.compile(
    r".{0,8}(?:名称|姓名|编号|序号|代码|项目|类别|类型|等级|级别|档次|职级|部门|单位|岗位|职务|城市|地区|标准|上限|下限|金额|费用|单价"
    r"|数量|人数|天数|比例|日期|时间|期限|内容|说明|备注|要求|条件|方式|范围|责任人|负责人|电话|地址)|(?:.{0,20} )?(?:name|no\.?|number|code"
    r"|item|type|category|level|grade|department|unit|position|city|region|limit|amount|price|rate|quantity|days|date|time|note|remark"
    r"|description|standard|owner|contact)s?",
    re.IGNORECASE,
)


def is_value(text: str) -> bool:
    """Whether a cell's text is a number, amount, percentage or date; a year, a month or a quarter alone may be a name.

    >>> is_value("1,200 元"), is_value("2026-10-01"), is_value("2026年"), is_value("HR-001")
    (True, True, False, False)
    """
    return not _PERIOD.fullmatch(text) and _VALUE.fullmatch(text) is not None


def kind(text: str) -> Kind:
    """How `text` is written; a year or a month alone is words, for it may be a name.

    >>> kind("2026-10-01"), kind("V2.0"), kind("1,200 元"), kind("人力资源部")
    ('date', 'code', 'number', 'words')
    """
    if _DATE.fullmatch(text):
        return "date"
    if is_value(text):
        return "number"
    return "code" if _CODE.fullmatch(text) else "words"


def is_name(text: str) -> bool:
    """Whether `text` is what tables of all kinds call their columns.

    >>> is_name("住宿标准"), is_name("人力资源部")
    (True, False)
    """
    return _NAME.fullmatch(text) is not None


def are_alike(texts: Sequence[str]) -> bool:
    """Whether all of two or more texts are numbers, all dates, all codes, all years or months, or all mail addresses.

    >>> are_alike(["HR-001", "HR-002"]), are_alike(["2024", "2025"]), are_alike(["2024年", "600"]), are_alike(["甲", "乙"])
    (True, True, False, False)
    """
    kinds = set(map(kept, texts))
    return len(texts) > 1 and len(kinds) == 1 and "words" not in kinds


def kept(text: str) -> str:
    """What the values of a column have in common: ``mail``, ``period`` (a year or a month) or what `kind` says."""
    if _MAIL.fullmatch(text):
        return "mail"
    return "period" if _PERIOD.fullmatch(text) else kind(text)
