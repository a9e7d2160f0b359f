"""Ranked lists → candidates in the order of the search; and, once there is a prompt, what became of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from rag.ask.fuse import reciprocal_rank_fusion, weighted_sum
from rag.ask.search import LegRun, Runs
from rag.config import SearchSettings
from rag.corpus.dense import DenseIndex
from rag.corpus.index import Corpus
from rag.corpus.ranking import Hit
from rag.errors import Bilingual
from rag.types import Candidate, Evidence, Status, Step

LEG_C: Final = 1
"""The constant of the RRF that merges the legs of a query: a first place in one leg counts as much as third places in two."""


def candidates(runs: Runs, corpus: Corpus, settings: SearchSettings) -> tuple[Candidate, ...]:
    """Every chunk some retriever returned, best first. With one list there is nothing to fuse: its order stands.

    Of several legs each has its order first; RRF with c = `LEG_C` merges these.
    """
    lists: dict[str, Sequence[Hit]] = {"dense": runs.dense, "lexical": runs.lexical}
    whole = LegRun("whole", runs.dense, runs.lexical, runs.foreign, runs.named)
    both = settings.mode == "fused" and runs.query is not None
    order = _order(whole, settings, both)
    if runs.further:
        orders: dict[str, Sequence[Hit]] = {leg.name: _order(leg, settings, both) for leg in (whole, *runs.further)}
        lists |= orders
        order = reciprocal_rank_fusion(list(orders.values()), LEG_C)
    if both or runs.further:
        lists["fused"] = order
    scores: dict[int, dict[str, float]] = {}
    ranks: dict[int, dict[str, int]] = {}
    for stage, hits in lists.items():
        for rank, hit in enumerate(hits, 1):
            scores.setdefault(hit.position, {})[stage] = hit.score
            ranks.setdefault(hit.position, {})[stage] = rank
    if settings.fusion == "rrf" and both:
        for name, stage, positions in (("cross", "dense", runs.foreign), ("named", "lexical", runs.named)):
            for position in positions:
                scores[position][name], ranks[position][name] = scores[position][stage], ranks[position][stage]
    cosines = _cosines([h.position for h in order], runs, corpus)
    return tuple(
        Candidate(corpus.chunks[h.position], scores[h.position], ranks[h.position], rank, Status("not_packed"), cosine)
        for rank, (h, cosine) in enumerate(zip(order, cosines, strict=True), 1)
    )


def _order(leg: LegRun, settings: SearchSettings, both: bool) -> Sequence[Hit]:
    if not both:
        return leg.dense or leg.lexical
    if settings.fusion == "rrf":
        return reciprocal_rank_fusion([leg.dense, leg.lexical], settings.rrf_c, (leg.foreign, leg.named))
    return weighted_sum(leg.dense, leg.lexical, settings.alpha)


def _cosines(positions: Sequence[int], runs: Runs, corpus: Corpus) -> Sequence[float | None]:
    """A candidate that only the lexical list returned has a cosine too: it is computed here, not taken for 0."""
    if runs.query is None or corpus.dense is None:
        return [None] * len(positions)
    cosines: list[float] = DenseIndex(corpus.dense.vectors[list(positions)]).scores(runs.query).tolist()
    return cosines


def settle(
    found: Sequence[Candidate],
    left: Mapping[str, Status],
    packed: Sequence[Evidence],
    dropped: Sequence[str],
    withheld: Sequence[str] = (),
) -> tuple[Candidate, ...]:
    """The candidates with what became of each: packed, over budget, withheld, beyond the first k, or `left` out before (by chunk id)."""
    marker = {e.chunk.chunk_id: e.marker for e in packed}
    tried = dict.fromkeys(dropped, Status("over_budget")) | dict.fromkeys(withheld, Status("withheld"))

    def status(chunk_id: str) -> Status:
        if chunk_id in marker:
            return Status("packed", marker[chunk_id])
        return left.get(chunk_id) or tried.get(chunk_id) or Status("beyond_k")

    return tuple(replace(c, status=status(c.chunk.chunk_id)) for c in found)


def fuse_step(seconds: float, runs: Runs, n_out: int, settings: SearchSettings) -> Step:
    """The trace's row on how the lists became one."""
    lone = Bilingual(en="dense", zh="向量检索") if runs.query is not None else Bilingual(en="lexical", zh="词汇检索")
    if settings.mode != "fused" or runs.query is None:
        note = Bilingual(en=f"{lone.en} only, nothing to fuse", zh=f"仅{lone.zh}，无需融合")
    elif settings.fusion == "rrf":
        note = _rrf_note(settings.rrf_c, len(runs.foreign), len(runs.named))
    else:
        note = Bilingual(en=f"weighted sum, alpha = {settings.alpha}", zh=f"加权和，α = {settings.alpha}")
    if runs.further:
        n = 1 + len(runs.further)
        note = Bilingual(
            en=f"{n} lists, each: {note.en}; merged by RRF, c = {LEG_C}",
            zh=f"{n} 个列表，各自：{note.zh}；再以 RRF 合并，c = {LEG_C}",
        )
    skipped = settings.mode == "fused" and runs.query is None
    n_in = len(runs.dense) + len(runs.lexical) + sum(len(leg.dense) + len(leg.lexical) for leg in runs.further)
    return Step("fuse", seconds, n_in, n_out, note, skipped)


def _rrf_note(c: int, foreign: int, named: int) -> Bilingual:
    """Says of the passages whose rank counts twice, without which the formula would not give their scores."""
    en, zh = f"RRF, c = {c}", f"RRF，c = {c}"
    if foreign:
        en += f"; passages in another language than the question: {foreign}, their dense rank counts twice"
        zh += f"；{foreign} 个段落与问题语言不同，其向量检索名次计两次"
    if named:
        en += f"; passages with a code or clause that the question names: {named}, their lexical rank counts twice"
        zh += f"；{named} 个段落含有问题所指的编号或条款，其词汇检索名次计两次"
    return Bilingual(en=en, zh=zh)
