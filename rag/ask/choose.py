"""Candidates in their order → which of them may become evidence, in what order; of the others, why not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from rag.ask.mmr import maximal_marginal_relevance
from rag.ask.repeats import Repeats
from rag.config import SearchSettings, Settings
from rag.corpus.index import Corpus
from rag.errors import Bilingual
from rag.types import Candidate, Status, Step

ORDERS = ("mmr", "rerank", "fused", "dense", "lexical")
"""The stages whose score can decide the order, the last one that ran first."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """`found`: all candidates in their final order; `may`: those that may be packed, best first; `left`: why the others may not, by chunk id."""

    found: tuple[Candidate, ...]
    may: tuple[Candidate, ...]
    left: Mapping[str, Status]


@dataclass(frozen=True, slots=True)
class Edge:
    """Where the prompt ends: the `last` one packed and the best one behind it, `out`, with their scores of one `stage`."""

    stage: str
    last: Candidate
    out: Candidate

    @property
    def scores(self) -> tuple[float, float]:
        """The two scores, the packed one's first."""
        return self.last.scores[self.stage], self.out.scores[self.stage]


def edge(found: Sequence[Candidate]) -> Edge | None:
    """The end of the prompt among the candidates of a retrieval; None when nothing was packed, nothing is behind, or no stage judged both."""
    packed = [c for c in found if c.status.fate == "packed"]
    last = max(packed, key=lambda c: c.rank, default=None)
    if last is None:
        return None
    # with diversity, of those that it chose from: the others were left out before it
    behind = (c for c in found if c.rank > last.rank and ("mmr" in c.scores or "mmr" not in last.scores))
    out = min(behind, key=lambda c: c.rank, default=None)
    if out is None:
        return None
    stage = next((s for s in ORDERS if s in last.scores and s in out.scores), "")
    return Edge(stage, last, out) if stage else None


def eligible(found: Sequence[Candidate], settings: SearchSettings) -> tuple[Candidate, ...]:
    """Those candidates whose cosine reaches the threshold (all, when it is off or there are no vectors)."""
    floor = settings.threshold
    return tuple(c for c in found if floor is None or c.cosine is None or c.cosine >= floor)


def choose(
    question: str, found: Sequence[Candidate], corpus: Corpus, settings: Settings, said: Repeats | None = None
) -> Chosen:
    """The threshold, then repeats, then diversity, then so many of one policy: each over what the one before it left.

    `question` is what was searched. Diversity changes ranks: of those it may choose from, among the places they had.
    `said`: of the chunks of `found`, for who chooses among them more than once.
    """
    select = settings.select
    left: dict[str, Status] = {}
    may = eligible(found, settings.search)
    reach = {c.chunk.chunk_id for c in may}
    left |= {c.chunk.chunk_id: Status("below_threshold") for c in found if c.chunk.chunk_id not in reach}
    if select.near_duplicates:
        said = said or Repeats(question, [c.chunk for c in found], corpus.documents)
        better = said.among([i for i, c in enumerate(found) if c.chunk.chunk_id in reach])
        left |= {found[i].chunk.chunk_id: Status("duplicate", of=found[j].chunk.chunk_id) for i, j in better.items()}
        may = tuple(c for c in may if c.chunk.chunk_id not in left)
    if select.mmr is not None and corpus.dense is not None:
        places = [c.rank for c in may]
        may = tuple(replace(c, rank=rank) for c, rank in zip(_diverse(may, corpus, select.mmr), places, strict=True))
        moved = {c.chunk.chunk_id: c for c in may}
        found = sorted((moved.get(c.chunk.chunk_id, c) for c in found), key=lambda c: c.rank)
    if select.per_document:
        many = _beyond(may, corpus, select.per_document)
        left |= {chunk_id: Status("per_document") for chunk_id in many}
        may = tuple(c for c in may if c.chunk.chunk_id not in many)
    return Chosen(tuple(found), may, left)


def _beyond(may: Sequence[Candidate], corpus: Corpus, most: int) -> set[str]:
    """Chunk ids of those that are not among the first `most` of their policy."""
    seen: dict[tuple[str, str], int] = {}
    beyond = set()
    for c in may:
        document = corpus.documents[c.chunk.key]
        policy = (document.origin, document.doc_id)
        seen[policy] = seen.get(policy, 0) + 1
        if seen[policy] > most:
            beyond.add(c.chunk.chunk_id)
    return beyond


def _diverse(may: Sequence[Candidate], corpus: Corpus, lam: float) -> list[Candidate]:
    """In the order of marginal relevance, with its value and place as the stage ``mmr``."""
    assert corpus.dense is not None
    row = {chunk.chunk_id: i for i, chunk in enumerate(corpus.chunks)}
    vectors = corpus.dense.vectors[[row[c.chunk.chunk_id] for c in may]]
    picks = maximal_marginal_relevance(relevance(may), vectors, lam)
    return [
        replace(c, scores={**c.scores, "mmr": pick.score}, ranks={**c.ranks, "mmr": place})
        for place, pick in enumerate(picks, 1)
        for c in (may[pick.position],)
    ]


def relevance(ordered: Sequence[Candidate]) -> list[float]:
    """1 for the first, 1 − 1/n for the second, down to 1/n: scores of different stages have no common scale, places have.

    >>> relevance([None, None])  # type: ignore[list-item]
    [1.0, 0.5]
    """
    return [1 - place / len(ordered) for place in range(len(ordered))]


def select_step(seconds: float, chosen: Chosen, settings: Settings, there: tuple[bool, bool]) -> Step:
    """The trace's row on how many of the candidates may be packed. `there`: whether there are cosines, and vectors of the passages."""
    dense, vectors = there
    notes = [_threshold_note(settings.search.threshold, dense)]
    skipped = settings.search.threshold is not None and not dense
    select = settings.select
    if select.near_duplicates:
        repeated = _count(chosen, "duplicate")
        notes.append(Bilingual(en=f"repeats left out: {repeated}", zh=f"略去重复 {repeated} 条"))
    if select.mmr is not None:
        notes.append(
            Bilingual(
                en=f"ordered by MMR, λ = {select.mmr} (relevance: 1 for the first place, evenly down to 1/n for the last of n)",
                zh=f"按 MMR 排序，λ = {select.mmr}（相关性按名次：第一名为 1，均匀降到第 n 名的 1/n）",
            )
            if vectors
            else Bilingual(en="MMR not applied: no vectors", zh="MMR 未生效：没有向量")
        )
        skipped = skipped or not vectors
    if select.per_document:
        beyond = _count(chosen, "per_document")
        notes.append(
            Bilingual(
                en=f"at most {select.per_document} of one policy: {beyond} left out",
                zh=f"每份制度最多 {select.per_document} 条：略去 {beyond} 条",
            )
        )
    en, zh = "; ".join(note.en for note in notes), "；".join(note.zh for note in notes)
    return Step("select", seconds, len(chosen.found), len(chosen.may), Bilingual(en=en, zh=zh), skipped)


def _count(chosen: Chosen, fate: str) -> int:
    return sum(status.fate == fate for status in chosen.left.values())


def _threshold_note(threshold: float | None, dense: bool) -> Bilingual:
    if threshold is None:
        return Bilingual(en="threshold off", zh="未设阈值")
    if not dense:
        return Bilingual(
            en=f"threshold {threshold} not applied: no cosine without a dense search",
            zh=f"阈值 {threshold} 未生效：没有稠密检索，就没有余弦",
        )
    return Bilingual(en=f"cosine ≥ {threshold}", zh=f"余弦 ≥ {threshold}")
