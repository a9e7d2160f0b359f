"""Why there is nothing to answer from, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator

from rag.config import SearchSettings, Settings
from rag.errors import AllWithheld, NothingFits


def nothing_fits(n: int, settings: Settings, bare: bool) -> NothingFits:
    """The error of a prompt that none of `n` candidates fits into; of one without evidence (`bare`), that is too long by itself."""
    budget = settings.generate.budget
    if bare:
        return NothingFits(
            en=f"Rules and question alone do not fit the budget of {budget} tokens. Raise the context limit, or shorten them.",
            zh=f"仅规则与问题就放不进 {budget} 个 token 的预算。请调大上下文上限，或缩短它们。",
        )
    if n == 0:
        en, zh = "Ask in other words", "请换一种问法"
        for more_en, more_zh in _narrowed(settings.search):
            en, zh = f"{en}, or {more_en}", f"{zh}，或{more_zh}"
        return NothingFits(
            en=f"Nothing was found that could be put into the prompt. {en}.",
            zh=f"没有找到可以放入提示词的内容。{zh}。",
        )
    return NothingFits(
        en=f"None of {n} candidates fits the budget of {budget} tokens. Raise the context limit, or choose a smaller chunk size.",
        zh=f"{n} 个候选都放不进 {budget} 个 token 的预算。请调大上下文上限，或减小块大小。",
    )


def all_withheld(n: int) -> AllWithheld:
    """The error of a prompt for which `n` candidates were found, all of them orders to the machine."""
    return AllWithheld(
        en=f"All {n} candidates hold nothing but sentences that give the machine orders, and these are withheld. See them in the Chunks tab, or switch the setting withhold off.",
        zh=f"{n} 个候选都只有对机器下达的指令，已被扣下。请在「切块」页查看，或关闭设置「扣下指令」（withhold）。",
    )


def _narrowed(search: SearchSettings) -> Iterator[tuple[str, str]]:
    """What would let more be found, in both languages: each setting that leaves something out, with its value."""
    if search.threshold is not None:
        yield f"lower the threshold (least cosine {search.threshold:g})", f"降低阈值（最低余弦 {search.threshold:g}）"
    if search.documents:
        n = len(search.documents)
        yield f"search more policies (only {n} chosen now)", f"放宽所选制度（现在只查 {n} 份）"
    if search.section:
        yield (
            f"search other sections (now only those whose heading says “{search.section}”)",
            f"放宽章节（现在只查标题含「{search.section}」的）",
        )
    if search.as_of is not None:
        yield (
            f"choose another date (now what was in force on {search.as_of})",
            f"换一个生效日期（现在只查 {search.as_of} 有效的）",
        )
