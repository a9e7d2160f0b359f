"""The first candidates, read once more beside the question: by shared words, by the generator's likelihood, or by a cross-encoder."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from rag.ask.fuse import reciprocal_rank_fusion
from rag.ask.rules import language_of
from rag.config import Rerank, Settings
from rag.corpus.lexical import query_terms, terms
from rag.corpus.ranking import Hit
from rag.errors import Bilingual, ModelUnavailable
from rag.types import Candidate, ChatMessage, Step

if TYPE_CHECKING:  # torch comes with these
    from rag.models.generator import Generator
    from rag.models.reranker import Reranker

SCORE, WORDS = 0.7, 0.3
"""What the score of the search and the shared words weigh in the reading by words."""

# What the generator is asked to write; how likely it finds the visitor's question there is read off.
WRITE = {
    "zh": "制度条文：\n{passage}\n\n请写出一个可以用上面的条文回答的问题。",
    "en": "Policy clause:\n{passage}\n\nWrite a question that the clause above answers.",
}

_NAMES: dict[Rerank, Bilingual] = {
    "overlap": Bilingual(
        en=f"{SCORE} × the search's score, scaled to 0–1, + {WORDS} × the share of the question's terms in the passage",
        zh=f"{SCORE} × 检索得分（缩放到 0–1）+ {WORDS} × 问题词项在段落中出现的比例",
    ),
    "likelihood": Bilingual(
        en="mean log-probability of the question after the passage, by {model}; its ranks and the search's fused, RRF, c = {c}",
        zh="{model} 在段落之后写出该问题的平均对数概率；其名次与检索名次按 RRF 融合，c = {c}",
    ),
    "cross": Bilingual(en="cross-encoder {model}", zh="交叉编码器 {model}"),
}


class Readers(Protocol):
    """The models that can read again; each accessor raises `ModelUnavailable`."""

    def generator(self) -> Generator:
        """The generator."""

    def reranker(self) -> Reranker:
        """The cross-encoder."""


@dataclass(frozen=True, slots=True)
class _Read:
    """What a reading gave: the final `values` by which the order is made, the `raw` ones, and what is said of it."""

    values: tuple[float, ...]
    raw: tuple[float, ...]
    model: str = ""
    cut: int = 0


def rerank(
    question: str, found: Sequence[Candidate], settings: Settings, models: Readers, stop: threading.Event
) -> tuple[tuple[Candidate, ...], tuple[Step, ...]]:
    """The candidates in their new order, and the trace's row on it; none when nothing is to be read again.

    The first ``select.rerank_top`` get the stage ``rerank`` and change places among themselves; those behind keep theirs.
    ``overlap`` and ``likelihood``, stages too, are what `rerank` was made of. Where the model cannot be had the order
    stays, and the row says so. Raises `Stopped` once `stop` is set.
    """
    way, head = settings.select.rerank, found[: settings.select.rerank_top]
    if way == "none" or not head:
        return tuple(found), ()
    began = time.perf_counter()
    try:
        read = _read(way, question, head, settings, (models, stop))
    except ModelUnavailable as error:
        note = Bilingual(
            en=f"not read again, the search's order stands: {error.text.en}",
            zh=f"未重排，沿用检索的顺序：{error.text.zh}",
        )
        return tuple(found), (Step("rerank", time.perf_counter() - began, len(head), 0, note, skipped=True),)
    order = sorted(range(len(head)), key=lambda i: (-read.values[i], i))
    again = [_placed(head[i], way, read, i, rank) for rank, i in enumerate(order, 1)]
    note = _note(way, read, settings)
    step = Step("rerank", time.perf_counter() - began, len(head), len(head), note)
    return (*again, *found[len(head) :]), (step,)


def _read(
    way: Rerank, question: str, head: Sequence[Candidate], settings: Settings, by: tuple[Readers, threading.Event]
) -> _Read:
    models, stop = by
    passages = [c.chunk.passage for c in head]
    if way == "overlap":
        shared = [overlap(question, passage) for passage in passages]
        of = scaled([c.scores[searched_by(c)] for c in head])
        return _Read(tuple(SCORE * s + WORDS * o for s, o in zip(of, shared, strict=True)), tuple(shared))
    if way == "cross":
        reranker = models.reranker()
        scores, cut = reranker.scores(question, passages, stop)
        return _Read(tuple(scores), tuple(scores), reranker.name, cut)
    generator = models.generator()
    likely = generator.likelihoods(_prompts(question, passages, generator), _asked(question, generator), stop)
    first = [Hit(i, -i) for i in range(len(head))]
    second = sorted((Hit(i, value) for i, value in enumerate(likely)), key=lambda h: (-h.score, h.position))
    fused = {h.position: h.score for h in reciprocal_rank_fusion([first, second], settings.search.rrf_c)}
    return _Read(tuple(fused[i] for i in range(len(head))), tuple(likely), generator.name)


def overlap(question: str, passage: str) -> float:
    """The share of the question's different terms, as BM25 looks for them, that the passage holds; 0…1.

    >>> overlap("annual leave", "leave of absence")
    0.5
    """
    wanted = {term.term for term in query_terms(question)}
    return len(wanted & {term.term for term in terms(passage)}) / len(wanted) if wanted else 0.0


def searched_by(candidate: Candidate) -> str:
    """The stage that gave the search's order, before anything was read again."""
    return next(stage for stage in ("fused", "dense", "lexical") if stage in candidate.scores)


def scaled(scores: Sequence[float]) -> list[float]:
    """Each score between the least (0) and the greatest (1) of them; 1 where all are equal.

    >>> scaled([2.0, 4.0, 3.0])
    [0.0, 1.0, 0.5]
    """
    low, high = min(scores), max(scores)
    return [(score - low) / (high - low) if high > low else 1.0 for score in scores]


def _prompts(question: str, passages: Sequence[str], generator: Generator) -> list[tuple[int, ...]]:
    """For each passage the conversation up to where the question would be written."""
    said = WRITE[language_of(question)]
    safe = [generator.chat.break_specials(passage)[0] for passage in passages]
    return [generator.chat.render([ChatMessage("user", said.format(passage=passage))]).input_ids for passage in safe]


def _asked(question: str, generator: Generator) -> tuple[int, ...]:
    return generator.chat.encode(generator.chat.break_specials(question)[0])


def _placed(candidate: Candidate, way: Rerank, read: _Read, i: int, rank: int) -> Candidate:
    scores = {**candidate.scores, "rerank": read.values[i]}
    ranks = {**candidate.ranks, "rerank": rank}
    if way != "cross":  # its scores are the values themselves
        scores[way] = read.raw[i]
        ranks[way] = 1 + sum((-raw, j) < (-read.raw[i], i) for j, raw in enumerate(read.raw))
    return replace(candidate, scores=scores, ranks=ranks, rank=rank)


def _note(way: Rerank, read: _Read, settings: Settings) -> Bilingual:
    name, facts = _NAMES[way], {"model": read.model, "c": settings.search.rrf_c}
    en, zh = (text.format(**facts) if way != "overlap" else text for text in (name.en, name.zh))
    if read.cut:
        en += f"; {read.cut} passages were too long for it and were read in part"
        zh += f"；{read.cut} 个段落超长，只读了一部分"
    return Bilingual(en=en, zh=zh)
