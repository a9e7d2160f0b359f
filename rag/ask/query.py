"""A question → what is searched: which texts, how much each weighs, and in how many legs. Pure; no model is asked.

Every text is made of what the visitor wrote (the question, the ones before it) and of the glossary, and the trace names each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rag.ask.rewrite import Asked, rewrite
from rag.config import QuerySettings
from rag.corpus.lexical import SIMPLIFIED
from rag.errors import Bilingual
from rag.types import Leg, Query, Sought, Step

ALONE: Final = 2.0
"""Weight of the question alone, beside 1 for the joined text. Measured: less loses questions on a new subject, more loses follow-ups."""

# Letters, digits and signs of the block of full-width forms, but not the punctuation that Chinese sentences are made with.
_FULL_WIDTH: Final = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F) if chr(code) not in "！（），：；？"} | {
    0x3000: " "
}


def formulate(question: str, history: Sequence[str], settings: QuerySettings) -> Query:
    """What is looked for when `question` is asked after `history` (oldest first).

    >>> formulate("年假有几天？", [], QuerySettings()).legs
    (Leg(name='whole', texts=(Sought(text='年假有几天？', why='question', dense=1.0, lexical=1.0),)),)
    """
    asked = rewrite(question, history) if settings.follow_up else Asked(question)
    read = plain if settings.normalise else str
    if asked.earlier:
        texts = [
            Sought(read(question), "question", ALONE, ALONE),
            Sought(read(asked.joined), "earlier", 1.0, 1.0),
        ]
    else:
        texts = [Sought(read(question), "question", 1.0, 1.0)]
    return Query(question, asked.earlier, (Leg("whole", tuple(texts)),))


def plain(text: str) -> str:
    """`text` in half-width letters and digits and simplified characters, one for one; the rest as it is.

    >>> plain("請問ＶＰＮ－４０３１是什麼？")
    '请问VPN-4031是什么？'
    """
    return text.translate(_FULL_WIDTH).translate(SIMPLIFIED)


def is_plain(query: Query) -> bool:
    """Whether the question alone is searched, as it was asked."""
    return [leg.texts for leg in query.legs] == [(Sought(query.question, "question", 1.0, 1.0),)]


def query_step(seconds: float, query: Query, n_history: int) -> tuple[Step, ...]:
    """The trace's row on what is searched; none when that is the question as asked, and nothing was asked before it."""
    if is_plain(query) and not n_history:
        return ()
    return (Step("rewrite", seconds, n_history, len(query.earlier), _note(query, n_history)),)


def _note(query: Query, n_history: int) -> Bilingual:
    """Every text that is searched, with its weights, leg by leg."""
    if is_plain(query):
        return Bilingual(
            en=f"searched as asked, without the {n_history} before it",
            zh=f"按原问题检索，不连同之前的 {n_history} 个提问",
        )
    en, zh = [], []
    for leg in query.legs:
        texts = " + ".join(_shown(sought) for sought in leg.texts)
        name = _LEGS[leg.name]
        en.append(f"{name.en}: {texts}")
        zh.append(f"{name.zh}：{texts}")
    return Bilingual(en="searched: " + "; ".join(en), zh="检索内容：" + "；".join(zh))


def _shown(sought: Sought) -> str:
    text = " / ".join(sought.text.split("\n"))
    weights = dict.fromkeys(f"{weight:g}" for weight in (sought.dense, sought.lexical))
    return f"{text} ×{' | '.join(weights)}"


_LEGS: Final = {
    "whole": Bilingual(en="the question", zh="整个问题"),
    "part1": Bilingual(en="part 1", zh="第 1 问"),
    "part2": Bilingual(en="part 2", zh="第 2 问"),
    "part3": Bilingual(en="part 3", zh="第 3 问"),
    "draft": Bilingual(en="the draft", zh="回答草稿"),
}
