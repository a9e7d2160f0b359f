"""Ranked lists → candidates in the order of the search; and, once there is a prompt, what became of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from rag.ask.fuse import reciprocal_rank_fusion, weighted_sum
from rag.ask.search import Runs
from rag.config import SearchSettings
from rag.corpus.dense import DenseIndex
from rag.corpus.index import Corpus
from rag.corpus.ranking import Hit
from rag.errors import Bilingual
from rag.types import Candidate, Evidence, Status, Step


def candidates(runs: Runs, corpus: Corpus, settings: SearchSettings) -> tuple[Candidate, ...]:
    """Every chunk some retriever returned, best first. With one list there is nothing to fuse: its order stands."""
    lists: dict[str, Sequence[Hit]] = {"dense": runs.dense, "lexical": runs.lexical}
    order: Sequence[Hit]
    if settings.mode == "fused" and runs.query is not None:
        order = (
            reciprocal_rank_fusion([runs.dense, runs.lexical], settings.rrf_c, runs.foreign)
            if settings.fusion == "rrf"
            else weighted_sum(runs.dense, runs.lexical, settings.alpha)
        )
        lists["fused"] = order
    else:
        order = runs.dense or runs.lexical
    scores: dict[int, dict[str, float]] = {}
    ranks: dict[int, dict[str, int]] = {}
    for stage, hits in lists.items():
        for rank, hit in enumerate(hits, 1):
            scores.setdefault(hit.position, {})[stage] = hit.score
            ranks.setdefault(hit.position, {})[stage] = rank
    if settings.fusion == "rrf" and "fused" in lists:
        for position in runs.foreign:
            scores[position]["cross"], ranks[position]["cross"] = scores[position]["dense"], ranks[position]["dense"]
    cosines = _cosines([h.position for h in order], runs, corpus)
    return tuple(
        Candidate(corpus.chunks[h.position], scores[h.position], ranks[h.position], rank, Status("not_packed"), cosine)
        for rank, (h, cosine) in enumerate(zip(order, cosines, strict=True), 1)
    )


def _cosines(positions: Sequence[int], runs: Runs, corpus: Corpus) -> Sequence[float | None]:
    """A candidate that only the lexical list returned has a cosine too: it is computed here, not taken for 0."""
    if runs.query is None or corpus.dense is None:
        return [None] * len(positions)
    cosines: list[float] = DenseIndex(corpus.dense.vectors[list(positions)]).scores(runs.query).tolist()
    return cosines


def settle(
    found: Sequence[Candidate], left: Mapping[str, Status], packed: Sequence[Evidence], dropped: Sequence[str]
) -> tuple[Candidate, ...]:
    """The candidates with what became of each: packed, over budget, beyond the first k, or `left` out before (by chunk id)."""
    marker = {e.chunk.chunk_id: e.marker for e in packed}
    over = set(dropped)

    def status(chunk_id: str) -> Status:
        if chunk_id in marker:
            return Status("packed", marker[chunk_id])
        return left.get(chunk_id) or Status("over_budget" if chunk_id in over else "beyond_k")

    return tuple(replace(c, status=status(c.chunk.chunk_id)) for c in found)


def fuse_step(seconds: float, runs: Runs, n_out: int, settings: SearchSettings) -> Step:
    """The trace's row on how the lists became one."""
    lone = Bilingual(en="dense", zh="向量检索") if runs.query is not None else Bilingual(en="lexical", zh="词汇检索")
    if settings.mode != "fused" or runs.query is None:
        note = Bilingual(en=f"{lone.en} only, nothing to fuse", zh=f"仅{lone.zh}，无需融合")
    elif settings.fusion == "rrf":
        note = _rrf_note(settings.rrf_c, len(runs.foreign))
    else:
        note = Bilingual(en=f"weighted sum, alpha = {settings.alpha}", zh=f"加权和，α = {settings.alpha}")
    skipped = settings.mode == "fused" and runs.query is None
    return Step("fuse", seconds, len(runs.dense) + len(runs.lexical), n_out, note, skipped)


def _rrf_note(c: int, foreign: int) -> Bilingual:
    """Says of the passages whose dense rank counts twice, without which the formula would not give their scores."""
    en, zh = f"RRF, c = {c}", f"RRF，c = {c}"
    if not foreign:
        return Bilingual(en=en, zh=zh)
    passages = "1 passage" if foreign == 1 else f"{foreign} passages"
    return Bilingual(
        en=f"{en}; the dense rank of {passages} in another language than the question counts twice",
        zh=f"{zh}；{foreign} 个段落与问题语言不同，其向量检索名次计两次",
    )
