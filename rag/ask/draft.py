"""A draft of the answer, to search with once more: for questions whose words are not those of the text that answers them.

The draft is written from what the first search found, by the generator, and may be wrong: it is only searched with, never
shown as an answer or given to the generator again.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from rag.ask.cite import without_markers
from rag.ask.prompt import build_prompt
from rag.config import Settings
from rag.corpus.index import Corpus
from rag.errors import Bilingual, ModelUnavailable, NothingFits, Stopped, UnsafePrompt
from rag.types import Candidate, Leg, Query, Sought, Step

if TYPE_CHECKING:  # torch comes with it
    from collections.abc import Callable

    from rag.models.generator import Generator

TOKENS: Final = 64
"""Length of a draft at most."""
EVIDENCE: Final = 3
"""Candidates it is written from."""


def second_round(
    query: Query,
    found: Sequence[Candidate],
    corpus: Corpus,
    settings: Settings,
    generator: Callable[[], Generator],
    stop: threading.Event,
) -> tuple[Query, Step]:
    """`query` with one more leg, question and draft, and the step that wrote it; without one where none can be had, and the step says why.

    Raises `Stopped` when `stop` is set meanwhile.
    """
    began = time.perf_counter()
    try:
        draft = _draft(query, found, corpus, settings, generator(), stop)
    except (ModelUnavailable, NothingFits, UnsafePrompt) as error:
        return query, Step("draft", time.perf_counter() - began, len(found), 0, error.text, skipped=True)
    seconds = time.perf_counter() - began
    if stop.is_set():
        raise Stopped(en="The search was stopped.", zh="检索已停止。")
    if not any(c.isalnum() for c in draft):
        why = Bilingual(en="the draft found no answer: not searched with", zh="草稿未给出答案，不用于检索")
        return query, Step("draft", seconds, len(found), 0, why, skipped=True)
    leg = Leg("draft", (*query.legs[0].texts[:1], Sought(draft, "draft", 1.0, 1.0)))
    note = Bilingual(
        en=f"searched again, with the question and this draft: {draft}", zh=f"连同问题再检索一轮，草稿：{draft}"
    )
    return replace(query, legs=(*query.legs, leg), draft=draft), Step("draft", seconds, len(found), 1, note)


def _draft(
    query: Query,
    found: Sequence[Candidate],
    corpus: Corpus,
    settings: Settings,
    generator: Generator,
    stop: threading.Event,
) -> str:
    """What the generator answers, greedily, from the first candidates: on one line, without markers and refusals."""
    greedy = replace(
        settings.generate,
        answer_tokens=min(TOKENS, settings.generate.answer_tokens),
        temperature=0.0,
        rules="",
        refuse=False,
    )  # nobody weighs a draft: the model is asked to say when there is no answer
    few = replace(settings, search=replace(settings.search, packed=EVIDENCE), generate=greedy)
    prompt = build_prompt(query.question, found, corpus.documents, few, generator.chat, earlier=query.earlier)
    text, own = "", threading.Event()  # of this draft alone: a generator sets it when it is done
    for generated in generator.stream(prompt.input_ids, greedy, own):
        text = generated.text
        if stop.is_set():
            own.set()
    return " ".join(without_markers(text).split())
