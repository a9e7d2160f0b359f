"""A question → what is searched: which texts, how much each weighs, and in how many legs. Pure; no model is asked.

Every text is made of what the visitor wrote (the question, the ones before it) and of the glossary, and the trace names each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rag.ask.glossary import Group, built_in, expand, parse, substituted
from rag.ask.parts import parts
from rag.ask.rewrite import Asked, rewrite, sign
from rag.config import QuerySettings
from rag.corpus.folding import SIMPLIFIED
from rag.errors import Bilingual
from rag.types import Leg, LegName, Query, Sought, Step

PARTS: Final[tuple[LegName, ...]] = ("part1", "part2", "part3")
DENSE_SYNONYMS: Final = 0.5
LEXICAL_SYNONYMS: Final = 0.05
"""Weights of the synonyms, beside 1 for the question. Measured: BM25 loses other evidence from 0.1 on, as a synonym has parts (年, 休假)
that stand everywhere."""

# Letters, digits and signs of the block of full-width forms, but not the punctuation that Chinese sentences are made with.
_FULL_WIDTH: Final = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F) if chr(code) not in "！（），：；？"} | {
    0x3000: " "
}


def formulate(question: str, history: Sequence[str], settings: QuerySettings) -> Query:
    """What is looked for when `question` is asked after `history` (oldest first).

    Raises `SettingError` when a line of ``settings.synonyms`` is no line of a glossary.

    >>> formulate("年假有几天？", [], QuerySettings(glossary=False)).legs
    (Leg(name='whole', texts=(Sought(text='年假有几天？', why='question', dense=1.0, lexical=1.0),)),)
    """
    known = groups(settings)
    asked = rewrite(question, history) if settings.follow_up else Asked(question)
    read = plain if settings.normalise else str
    texts = [Sought(read(question), "question", 1.0, 1.0)]
    if asked.earlier:
        texts.append(Sought(read(asked.joined), "earlier", 1.0, 1.0))
    legs = [Leg("whole", (*texts, *_synonyms(read(question), known)))]
    found = parts(read(question)) if settings.parts else ()
    if len(found) > 1:
        # a part often leans on the others (「没休完怎么办？」): it is read alone and within the whole question
        legs += [
            Leg(name, (Sought(part, "part", 1.0, 1.0), *texts, *_synonyms(part, known)))
            for name, part in zip(PARTS, found, strict=False)
        ]
    return Query(question, asked.earlier, tuple(legs))


def groups(settings: QuerySettings) -> tuple[Group, ...]:
    """The glossary as set: the visitor's own lines, and the package's file when it is on. Raises `SettingError`, naming the line."""
    own = parse(settings.synonyms, "Setting synonyms", "设置「同义词」（synonyms）")
    return (*own, *built_in()) if settings.glossary else own


def _synonyms(text: str, known: Sequence[Group]) -> tuple[Sought, ...]:
    """For the vector the text with synonyms in place of its words; for BM25 the synonyms alone, as it counts the text's own words already."""
    expansions = expand(text, known)
    if not expansions:
        return ()
    words = " ".join(synonym for expansion in expansions for synonym in expansion.synonyms)
    return (
        Sought(substituted(text, expansions), "synonyms", DENSE_SYNONYMS, 0.0),
        Sought(words, "synonyms", 0.0, LEXICAL_SYNONYMS),
    )


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
    why = sign(query.question) if query.earlier else None
    follows = (
        Bilingual(en=f"a question that follows ({why.en}); ", zh=f"承接前文（{why.zh}）；")
        if why
        else Bilingual("", "")
    )
    return Bilingual(en=f"{follows.en}searched: {'; '.join(en)}", zh=f"{follows.zh}检索内容：{'；'.join(zh)}")


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
