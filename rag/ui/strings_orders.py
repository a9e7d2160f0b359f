"""What the page says of sentences that speak to the machine; a part of the table in `rag.ui.strings`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from rag.errors import Bilingual

_B = Bilingual
# fmt: off
ORDERS: Final[Mapping[str, Bilingual]] = MappingProxyType({
    "order.title": _B("Sentences that give the machine orders (patterns found them, no model):", "对机器下达指令的句子（由固定模式查出，不用模型）："),
    "head.orders": _B("Source|Sentence|Why|What became of it", "来源|句子|原因|处理"),
    "order.out": _B("left out of the prompt", "未放入提示词"),
    "order.in": _B("in the prompt (withhold is off)", "仍在提示词中（未开启扣下）"),
    "order.name": _B("in a title, version, section or column name", "出现在标题、版本、章节名或列名中"),
    "order.nothing_else": _B("Candidates that hold nothing else, not packed:", "只有这类内容、未放入的候选："),
    "order.in_chunk": _B("Speaks to the machine, not to the staff ({why}):", "对机器而非对员工说话（{why}）："),
    "order.in_context": _B("What is put in front of it speaks to the machine ({why}).", "前面的上下文（标题、章节）对机器说话（{why}）。"),
    "order.override": _B("sets its instructions aside", "要求抛开已有指令"),
    "order.role": _B("gives it another role or mode", "要求换角色或模式"),
    "order.markup": _B("imitates the marks of a chat", "仿冒对话标记"),
    "order.reveal": _B("asks for what it was told", "索要提示词"),
    "order.dictate": _B("dictates what to answer", "规定怎么回答"),
    "order.citing": _B("forbids or fakes sources", "禁止或伪造出处"),
    "order.act": _B("asks for an action", "要求执行操作"),
    "order.address": _B("addresses the machine", "直接称呼机器"),
    "order.comment": _B("in a comment", "写在注释里"),
    "order.hidden": _B("hidden characters", "含隐藏字符"),
    "order.encoded": _B("encoded or reversed", "经编码或倒写"),
    "chunks.flagged": _B("{n} sentences of what is shown give the machine orders (red wavy line).", "所示部分有 {n} 句对机器下达指令（红色波浪线）。"),
})
# fmt: on
