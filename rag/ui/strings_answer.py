"""What the Answer tab says of a sentence (whether a source carries it, and on which words that rests), and of the time it took."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from rag.errors import Bilingual

_B = Bilingual
# fmt: off
ANSWER: Final[Mapping[str, Bilingual]] = MappingProxyType({
    "answer.source_of": _B(
        "Source {marker} · {by} · {support} of the sentence's terms stand in the marked passage (rare ones and numbers count more)",
        "来源 {marker} · {by} · 句中词语有 {support} 出现在标记处（少见的词和数字权重更高）",
    ),
    "answer.legend_invalid": _B("not in the prompt", "提示词中没有"),
    "answer.legend_closest": _B("closest to a sentence that no source carries", "无来源支持之句的最接近来源"),
    "answer.unmarked": _B("no mark", "无标记"),
    "answer.is_unmarked": _B("The sentence claims nothing that could be checked", "此句没有可核对的陈述"),
    "answer.closest": _B("closest: {marker}", "最接近：{marker}"),
    "answer.nothing": _B("the answer says nothing that a source could carry", "回答没有作出任何可核对的陈述"),
    "answer.mark_cited": _B("✓", "✓"),
    "answer.mark_other": _B("✓ other source", "✓ 另有来源"),
    "answer.mark_none": _B("✗ not supported", "✗ 无来源支持"),
    "answer.is_cited": _B("Carried by the cited source: see why", "所引来源支持此句：查看依据"),
    "answer.is_other": _B("Not carried by what the model cites, but by another source: see why", "模型所引来源不支持此句，另一来源支持：查看依据"),
    "answer.is_none": _B("No source carries this sentence: see why", "没有来源支持此句：查看依据"),
    "answer.method": _B(
        "The sentence was compared by rules with passages of the sources: numbers with their units, dates, limits (at least, before …), no and not, conditions, names, and at least {enough} of its words "
        "(from {short} characters on), or {close} of its terms, rare ones counting more, where no number, date or name decides. The passage has to come {near} as near as the nearest of all and to hold "
        "{full} of the words of the one that holds most. Each has to agree. Not seen: a condition of the source that the sentence leaves out or adds in words of its own (all employees for all regular employees), "
        "who does something to whom, what comes first, and what is said in quite other words.",
        "按规则将此句与来源段落逐项比对：带单位的数字、日期、上下限（以上、之前等）、否定、条件、名称，以及至少 {enough} 的用词（{short} 字起）；没有数字、日期或名称可以决定时，须有 {close} 的词语（少见词权重更高）。"
        "所比段落的接近程度须达到最接近段落的 {near}，所含用词须达到最多者的 {full}。每一项都必须一致。规则看不到：原文有而句中略去、或句中自行加上的条件（如“全体正式员工”写成“全体员工”），谁对谁，先后次序，以及完全换一种说法的内容。",
    ),
    "answer.withdrawn": _B("What the model wrote (withdrawn)", "模型所写内容（已撤回）"),
    "answer.compared": _B("compared with {marker}", "对照 {marker}"),
    "answer.no_clues": _B("There was nothing to compare it with.", "没有可供比对的内容。"),
    "head.clues": _B("About|In the answer|In the source|Agrees", "项目|回答中|来源中|一致"),
    "clue.number": _B("number", "数字"),
    "clue.date": _B("date, time", "日期时间"),
    "clue.limit": _B("limit", "上下限"),
    "clue.negation": _B("negation", "否定"),
    "clue.condition": _B("condition", "条件"),
    "clue.name": _B("name", "名称"),
    "clue.words": _B("words", "用词"),
    "clue.place": _B("what belongs together", "对应关系"),
    "clue.terms": _B("terms", "词语"),
    "clue.asked": _B("the question's terms", "问题的词语"),
    "clue.far": _B("how near", "接近程度"),
    "clue.fewer": _B("words, against others", "用词（与其他段落相比）"),
    "clue.less": _B("terms, against others", "词语（与其他段落相比）"),
    "clue.share_words": _B("{found} of its words stand there, at least {least} have to", "该处有其用词的 {found}，至少须 {least}"),
    "clue.share_terms": _B("{found} of its terms stand there, at least {least} have to", "该处有其词语的 {found}，至少须 {least}"),
    "clue.share_asked": _B("{found} of the question's terms stand there, at least {least} have to", "该处有问题词语的 {found}，至少须 {least}"),
    "clue.share_far": _B("comes {found} as near as another passage, at least {least} is asked for", "接近程度为另一段落的 {found}，至少须 {least}"),
    "clue.share_fewer": _B("holds {found} as many of its words as another passage, at least {least} is asked for", "所含用词为另一段落的 {found}，至少须 {least}"),
    "clue.share_less": _B("holds {found} of its terms; another passage holds {least} and says otherwise", "含其词语的 {found}；另一段落含 {least}，而所说不同"),
    "clue.yes": _B("yes", "是"),
    "clue.no": _B("no", "否"),
    "clue.nowhere": _B("in no source", "任何来源中都没有"),
    "clue.heading": _B("in the heading of {marker}", "见 {marker} 的标题"),
    "clue.there": _B("{marker}: {words}", "{marker}：{words}"),
    "answer.ahead": _B("Waiting in line: answers before yours: {n}", "排队等待中：前面还有 {n} 个回答"),
    "times.query": _B("query", "检索式"),
    "times.embed": _B("embed", "问题向量"),
    "times.search": _B("search", "检索"),
    "times.rerank": _B("rerank", "重排"),
    "times.prompt": _B("prompt", "提示词"),
    "times.wait": _B("wait in line", "排队"),
    "times.gate": _B("gate", "把关"),
    "times.first": _B("first token", "首个 token"),
    "times.writing": _B("writing", "逐词生成"),
    "times.checks": _B("citations and checks", "引用与核对"),
    "times.all": _B("together", "合计"),
    "times.seconds": _B("{s} s", "{s} 秒"),
    "times.then": _B("What came from this visit's cache shows the times of then.", "取自本次访问缓存的部分，用时为当时的记录。"),
    "clue.elsewhere": _B("not there, but in {marker}: {words}", "该处没有，见 {marker}：{words}"),
})
