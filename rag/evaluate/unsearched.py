"""A chunk that the scope of a question leaves out: by its policy, its version, or its section."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from rag.config import SearchSettings
from rag.corpus.current import in_force
from rag.errors import Bilingual
from rag.evaluate.diagnosis import Diagnosis, titled
from rag.types import Document


def unsearched(document: Document, seen: Iterable[Document], search: SearchSettings, need: int) -> Diagnosis:
    """Why no chunk of `document`, or not the one asked for, is searched. `seen`: all that whoever asks may see, `document` too."""
    if search.documents and document.doc_id not in search.documents:
        return _not_chosen(document, search, need)
    day = search.as_of or date.today()
    policy = [d for d in seen if (d.origin, d.doc_id) == (document.origin, document.doc_id)]
    current = in_force(policy, day)
    if search.scope == "all" or document.key in current:
        return _other_section(document, search, need)
    begins, ends = document.effective_from, document.effective_to
    en = f"{titled(document)} (in force {begins or '…'} to {ends or '…'}) is not searched as of {day}"
    zh = f"按 {day} 查询时不检索{titled(document)}（有效期 {begins or '…'} 至 {ends or '…'}）"
    advice = Bilingual(
        en="Ask as of a day on which it is in force (as_of), or search all versions (scope: all). If the dates are wrong, see the "
        "Documents tab; if the label means the old text, correct the label.",
        zh="请把生效日期 as_of 改为该版本有效的日期，或把版本范围 scope 设为全部版本；日期有误请看「文档」页；若标注的是旧条文，请更正标注。",
    )
    for instead in (d for d in policy if d.key in current):
        words = Bilingual(en=f"{en}; {titled(instead)} is, in its place.", zh=f"{zh}，检索的是{titled(instead)}。")
        return Diagnosis("scope", "other_version", need, words, advice)
    words = Bilingual(en=f"{en}; no version of it is in force then.", zh=f"{zh}，当日没有任何现行版本。")
    return Diagnosis("scope", "not_in_force", need, words, advice)


def _not_chosen(document: Document, search: SearchSettings, need: int) -> Diagnosis:
    n = len(search.documents)
    return Diagnosis(
        "scope",
        "not_chosen",
        need,
        Bilingual(
            en=f"{titled(document)} is not searched: it is none of the policies that were chosen ({n}).",
            zh=f"不检索{titled(document)}：它不在所选的制度之内（共选 {n} 份）。",
        ),
        Bilingual(
            en="Choose it too, or none, which searches all (documents, in the Settings panel).",
            zh="请在设置面板的「只查这些制度」（documents）中加选它，或全部不选（即检索全部）。",
        ),
    )


def _other_section(document: Document, search: SearchSettings, need: int) -> Diagnosis:
    return Diagnosis(
        "scope",
        "other_section",
        need,
        Bilingual(
            en=f"{titled(document)} is searched, but not the section of the evidence: its headings do not hold “{search.section}”.",
            zh=f"检索了{titled(document)}，但不含依据所在的章节：其标题中没有「{search.section}」。",
        ),
        Bilingual(
            en="Empty section in the Settings panel, or enter words of the evidence's own headings; the Chunks tab shows them.",
            zh="请清空设置面板中的章节（section），或填入依据所在章节标题中的词；各块的章节见「切块」页。",
        ),
    )
