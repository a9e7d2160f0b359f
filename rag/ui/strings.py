"""Every sentence and word the page shows, in both languages, in one table."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from rag.errors import Bilingual, Language
from rag.evaluate.words import WORDS
from rag.ui.strings_answer import ANSWER
from rag.ui.strings_candidates import CANDIDATES
from rag.ui.strings_chunks import CHUNKS
from rag.ui.strings_conflicts import CONFLICTS
from rag.ui.strings_documents import DOCUMENTS
from rag.ui.strings_evaluate import EVALUATE
from rag.ui.strings_gate import GATE
from rag.ui.strings_orders import ORDERS
from rag.ui.strings_settings import SETTINGS

_B = Bilingual
# fmt: off
TABLE: Final[Mapping[str, Bilingual]] = MappingProxyType({
    "app.title": _B("# Glass-box RAG", "# 玻璃盒 RAG"),
    "app.tab": _B("Glass-box RAG", "玻璃盒 RAG"),
    "app.what": _B(
        "Ask your policy files, and see every step between a file and a cited answer. Files stay in memory for this visit only; reloading the page starts anew.",
        "向制度文件提问，并看清从文件到带引用答案的每一步。文件只在本次访问期间保存在内存中，刷新页面即清空。",
    ),
    # question and settings
    "ask.question": _B("Question", "问题"),
    "ask.placeholder": _B("What would you like to know?", "想了解哪条规定？"),
    "ask.retrieve": _B("Retrieve", "检索"),
    "ask.answer": _B("Answer", "回答"),
    "ask.more": _B("More examples", "更多示例"),
    "ask.fewer": _B("Fewer examples", "收起示例"),
    "ask.stop": _B("Stop", "停止"),
    "ask.earlier": _B(
        "If the next question follows on (“And for Shanghai?”), it is searched together with:",
        "下一问若承接前文（如「那上海呢？」），将连同此前的提问一起检索：",
    ),
    "ask.drop": _B("Forget these", "不再连同"),
    # status of models and samples
    "role.encoder": _B("Encoder", "编码模型"),
    "role.generator": _B("Generator", "生成模型"),
    "role.reranker": _B("Reranker", "重排模型"),
    "role.samples": _B("Sample policies", "示例制度"),
    "state.waiting": _B("waiting", "等待中"),
    "state.fetching": _B("downloading", "下载中"),
    "state.loading": _B("loading", "加载中"),
    "state.ready": _B("ready", "就绪"),
    "state.failed": _B("not available", "不可用"),
    "without.encoder": _B("Retrieval is lexical only.", "目前只能按词汇检索。"),
    "without.generator": _B(
        "Candidates and messages are shown, but no answer can be written.", "可以查看候选和消息，但无法生成回答。"
    ),
    "without.reranker": _B("Candidates keep the order of the search.", "候选沿用检索的顺序，不重排。"),
    # shared by the tabs
    "tab.documents": _B("Documents", "文档"),
    "tab.chunks": _B("Chunks", "切块"),
    "tab.candidates": _B("Candidates", "候选"),
    "tab.prompt": _B("Prompt", "提示词"),
    "tab.answer": _B("Answer", "回答"),
    "file.ok": _B("ok", "正常"),
    "file.warning": _B("warning", "注意"),
    "file.error": _B("error", "失败"),
    "origin.sample": _B("sample", "示例"),
    "origin.own": _B("own", "自有"),
    "fact.version": _B("version {version}", "版本 {version}"),
    "fact.page": _B("page {page}", "第 {page} 页"),
    "fact.range": _B("characters {start}–{end}", "字符 {start}–{end}"),
    # prompt
    "prompt.none": _B("Ask a question first; the exact prompt appears here.", "请先提问，完整提示词会出现在这里。"),
    "prompt.text": _B("The exact string the model gets", "模型收到的完整字符串"),
    "prompt.messages": _B("Messages before the template", "套用模板前的消息"),
    "prompt.budget": _B(
        "{used} of {budget} tokens used; {kept} kept for the answer ({limit} in all).",
        "已用 {used} / {budget} 个 token；为回答保留 {kept} 个（共 {limit} 个）。",
    ),
    "prompt.unrendered": _B(
        "Not rendered: there is no generator whose template and tokens could be used. The messages are below.",
        "未生成最终提示词：没有可用的生成模型，无法套用模板和计数。消息见下。",
    ),
    "prompt.dropped": _B("Did not fit the budget:", "超出预算而未放入："),
    "prompt.broken": _B("Special-token strings and markers found in the material and broken visibly:", "材料中的特殊标记和引用编号已被拆开："),
    "part.template": _B("template", "模板"),
    "part.rules": _B("rules", "规则"),
    "part.evidence": _B("evidence", "证据"),
    "part.question": _B("question", "问题"),
    "part.free": _B("free", "剩余"),
    "part.kept": _B("kept for the answer", "为回答保留"),
    "head.segments": _B("Part|Source|Characters|Tokens|Text", "部分|来源|字符|Token|内容"),
    # answer
    "answer.idle": _B("Ask a question; the answer streams here.", "提出问题，答案会在这里逐字出现。"),
    "answer.searching": _B("Searching…", "正在检索…"),
    "answer.starting": _B("Waiting for the model…", "等待模型…"),
    "answer.waiting": _B("Weighing the evidence…", "正在判断证据是否足以回答…"),
    "answer.reading": _B("Reading the prompt… {n} tokens, {s} s", "正在读提示词… {n} 个 token，{s} 秒"),
    "answer.tokens": _B("{n} tokens", "{n} 个 token"),
    "answer.undone": _B("{n} tokens written by the model, withdrawn", "模型写出 {n} 个 token，已撤回"),
    "answer.to_check": _B("checked once it is complete", "写完后核对"),
    "answer.first": _B("first after {s} s", "首个用时 {s} 秒"),
    "answer.speed": _B("{v} tokens/s", "每秒 {v} 个"),
    "answer.markers": _B(
        "citations: {model} by the model, {system} by the system, {invalid} invalid", "引用：模型 {model} 处，系统 {system} 处，无效 {invalid} 处"
    ),
    "answer.kept": _B("from this visit's cache, not generated again", "取自本次访问的缓存，未重新生成"),
    "answer.bare": _B("{n} not carried by any source", "{n} 句没有来源支持"),
    "answer.retrieved": _B("Retrieved only; press Answer to have it answered.", "仅检索；按「回答」生成答案。"),
    "answer.invalid": _B("not in the prompt", "提示词中没有"),
    "answer.settings": _B("Settings of this run: {hash}", "本次设置：{hash}"),
    "answer.source": _B("Click a citation to see its source here.", "点击引用，来源会显示在这里。"),
    "answer.by_model": _B("cited by the model", "模型引用"),
    "answer.by_system": _B("attributed by the system", "系统归属"),
    "answer.gone": _B("That citation is no longer there. Ask again.", "该引用已不存在，请重新提问。"),
    "finish.running": _B("Answering…", "正在回答…"),
    "finish.end": _B("Done", "完成"),
    "finish.quoted": _B("Quoted from the sources", "已改为原文摘录"),
    "finish.refused": _B("Nothing was generated: the evidence is not enough", "未生成回答：证据不足"),
    "finish.length": _B("Ended: the answer tokens are used up", "已结束：达到回答长度上限"),
    "finish.stopped": _B("Stopped", "已停止"),
    "head.steps": _B("Step|Time|In|Out|Remark", "步骤|用时|输入|输出|说明"),
    "step.question": _B("question", "问题"),
    "progress.ahead": _B("(waiting for {n} files of others)", "（等待其他用户的 {n} 个文件）"),
    "progress.waits": _B("Waiting for your change before this one…", "等待您的上一项更改完成…"),
    "progress.speed": _B("· {rate} a second, about {left} min left", "· 每秒 {rate} 条，约剩 {left}（分:秒）"),
    "progress.reused": _B("(and {n} that had been encoded before)", "（另有 {n} 条沿用已有向量）"),
    "step.skipped": _B("skipped: ", "跳过："),
    "error.title": _B("Please note", "请注意"),
    "error.bug": _B(
        "Something went wrong here; it was noted. Please try again, or ask another question.",
        "这里出了问题，已记录。请重试，或换一个问题。",
    ),
    "error.session": _B("This page has no session. Reload it.", "页面没有会话，请刷新。"),
    "error.event": _B("The page did not say which place is meant. Press again, or reload it.", "页面没有说明要看哪一处，请再按一次，或刷新页面。"),
    "error.full": _B("There are too many visitors just now. Reload the page in a minute.", "当前访问人数过多，请一分钟后刷新页面重试。"),
    "error.groups": _B(
        "What you may see has changed, and this visit has ended with what it showed. Reload the page; own files have to be added again.",
        "您的查看权限已变更，本次访问及页面内容已失效。请刷新页面；自己的文件需要重新上传。",
    ),
    "error.stopped": _B("Stopped.", "已停止。"),
    "stopped.files": _B("Stopped: not taken in: {names}.", "已停止，没有收入：{names}。"),
    "stopped.remove": _B("Stopped: nothing was removed.", "已停止，没有移除。"),
    "stopped.save": _B("Stopped: what you entered was not saved.", "已停止，没有保存您填写的内容。"),
    "stopped.index": _B("Stopped: what is searched is as it was before.", "已停止，检索的内容与之前相同。"),
    **{key: said for key, said in WORDS.items() if key.startswith(("step.", "stage."))},  # the report names the steps alike
    **DOCUMENTS,
    **CHUNKS,
    **CANDIDATES,
    **ANSWER,
    **EVALUATE,
    **GATE,
    **ORDERS,
    **CONFLICTS,
    **SETTINGS,
})
# fmt: on


def text(key: str, language: Language, **facts: object) -> str:
    """The string `key` in `language`, its placeholders filled in."""
    return TABLE[key].of(language).format(**facts)


def both(key: str, **facts: object) -> Bilingual:
    """The string `key` in both languages, its placeholders filled in."""
    return Bilingual(en=text(key, "en", **facts), zh=text(key, "zh", **facts))


def translations() -> dict[str, dict[str, str]]:
    """Locale → key → string, for the parts of the page that the browser translates itself."""
    zh = {key: value.zh for key, value in TABLE.items()}
    chinese = ("zh", "zh-CN", "zh-TW", "zh-HK", "zh-SG", "zh-MO", "zh-Hans", "zh-Hant")
    return {"en": {key: value.en for key, value in TABLE.items()}, **dict.fromkeys(chinese, zh)}


def language_of(accepted: str | None) -> Language:
    """The language for an ``Accept-Language`` header: Chinese of any kind if the first choice is, else English.

    >>> language_of("zh-TW,zh;q=0.9,en;q=0.8"), language_of("fr,zh;q=0.5"), language_of(None)
    ('zh', 'en', 'en')
    """
    first = (accepted or "").split(",")[0].split(";")[0].strip().lower()
    return "zh" if first == "zh" or first.startswith("zh-") else "en"
