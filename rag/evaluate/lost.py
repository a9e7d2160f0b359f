"""Where a question's evidence was lost on its way into the prompt: the first step that fails, and what to change."""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from rag.ask.search import lexical_scores
from rag.corpus.index import Corpus
from rag.corpus.lexical import terms
from rag.corpus.ranking import top_k
from rag.errors import Bilingual
from rag.evaluate.diagnosis import Cause, Diagnosis, quoted, titled
from rag.evaluate.labels import Place, Relevant, spans_of
from rag.evaluate.left_out import left_out
from rag.evaluate.mislabelled import mislabelled
from rag.evaluate.run import Outcome, stage_lists
from rag.evaluate.unsearched import unsearched
from rag.types import Candidate, Chunk

# How far the length of a row may be from 1.
_TOLERANCE = 1e-3
# What the settings allow at most.
_MOST_SIZE, _MOST_DEPTH = 4000, 200
# Of the chunks that would meet a need (a document has thousands), of the places that none holds, and of the labels that
# point nowhere, so many are looked at.
_LOOKED_AT = 8
# How far candidates got that are not in the prompt, the least first.
_FATES = ("below_threshold", "beyond_k", "duplicate", "per_document", "over_budget", "withheld")


@dataclass(frozen=True, slots=True, eq=False)
class _Scene:
    """One outcome and its corpus, as whoever asked may see it. `rows`: ``(n,) bool``, the chunks that may be ranked."""

    outcome: Outcome
    corpus: Corpus
    permitted: frozenset[str]
    rows: NDArray[np.bool_]
    chunks: Mapping[str, Sequence[Chunk]]
    """Of each document, in text order."""
    position: Mapping[str, int]
    candidates: Mapping[str, Candidate]
    lexical: Mapping[int, int]
    """Row → rank in the lexical list without an end; rows that share no term with the question have none."""

    def ran(self, retriever: str) -> bool:
        """Whether that retriever was asked."""
        return any(s.name == retriever and not s.skipped for s in self.outcome.retrieval.trace.steps)

    def order(self, chunk: Chunk) -> tuple[float, float, bool, float]:
        """A sort key, the furthest first: candidates by what became of them and by rank, then those that may be ranked."""
        candidate, at = self.candidates.get(chunk.chunk_id), self.position[chunk.chunk_id]
        if candidate is None:
            return 1, math.inf, not self.rows[at], self.lexical.get(at, math.inf)
        fate = candidate.status.fate
        return -_FATES.index(fate) if fate in _FATES else -len(_FATES), candidate.rank, False, 0

    def holders(self, place: Place) -> list[Chunk]:
        """The chunks that hold a quote whole, or any part of a page or document."""
        chunks = self.chunks.get(place.key, ())
        if place.exact:
            return [c for c in chunks if c.start <= place.start and place.end <= c.end]
        return [c for c in chunks if c.start < place.end and place.start < c.end]


def lost(outcome: Outcome, corpus: Corpus, groups: frozenset[str]) -> Diagnosis | None:
    """The earliest step at which a need that the prompt does not meet was lost; None when all are met.

    Of the places that would meet a need, the one that got furthest counts. What `groups` may not see is not there.
    """
    met = outcome.relevant.met(spans_of(stage_lists(outcome.retrieval)["packed"]))
    unmet = [need for need in outcome.relevant.needs if need not in met]
    if not unmet:
        return None
    scene = _scene(outcome, corpus, groups)
    return min((_need(scene, need) for need in unmet), key=lambda d: d.progress)


def _scene(outcome: Outcome, corpus: Corpus, groups: frozenset[str]) -> _Scene:
    rows = corpus.allowed(outcome.settings.search, date.today(), groups).rows
    query = outcome.retrieval.query
    scores = lexical_scores(query.legs[0], corpus) if query else np.zeros(0, dtype=np.float32)
    hits = top_k(scores, len(rows), rows & (scores > 0)) if len(scores) == len(rows) else []
    wanted = {place.key for place in outcome.relevant.places}
    chunks: dict[str, list[Chunk]] = {key: [] for key in wanted}
    for chunk in corpus.chunks:
        if chunk.key in wanted:
            chunks[chunk.key].append(chunk)
    return _Scene(
        outcome,
        corpus,
        corpus.permitted(groups),
        rows,
        chunks,
        {chunk.chunk_id: i for i, chunk in enumerate(corpus.chunks)},
        {c.chunk.chunk_id: c for c in outcome.retrieval.candidates},
        {hit.position: rank for rank, hit in enumerate(hits, 1)},
    )


def _need(scene: _Scene, need: int) -> Diagnosis:
    """What became of the label that got furthest; of equals the best ranked."""
    relevant = scene.outcome.relevant
    places = [place for place in relevant.places if place.label.need == need]
    if not places:
        labels = [label for label in relevant.missing if label.need == need][:_LOOKED_AT]
        return max((mislabelled(label, scene.corpus, scene.permitted) for label in labels), key=lambda d: d.progress)
    held = [(place, scene.holders(place)) for place in places]
    chunks = {chunk.chunk_id: chunk for _, found in held for chunk in found}
    if not chunks:
        return max((_no_chunk(scene, place) for place in places[:_LOOKED_AT]), key=lambda d: d.progress)
    best = heapq.nsmallest(_LOOKED_AT, chunks.values(), key=scene.order)
    return max((_chunk(scene, chunk, need) for chunk in best), key=lambda d: d.progress)


def _chunk(scene: _Scene, chunk: Chunk, need: int) -> Diagnosis:
    early = _index(scene, chunk, need) or _scope(scene, chunk, need)
    if early is not None:
        return early
    candidate = scene.candidates.get(chunk.chunk_id)
    name = _name(scene, chunk)
    return left_out(candidate, scene.outcome, need, name) if candidate else _no_candidate(scene, chunk, need)


def _name(scene: _Scene, chunk: Chunk) -> Bilingual:
    document = titled(scene.corpus.documents[chunk.key])
    return Bilingual(
        en=f"the chunk {chunk.start}–{chunk.end} of {document}", zh=f"{document}的切块 {chunk.start}–{chunk.end}"
    )


def _no_chunk(scene: _Scene, place: Place) -> Diagnosis:
    chunks = scene.chunks[place.key]
    document, need = scene.corpus.documents[place.key], place.label.need
    passage = quoted(document.text[place.start : place.end])
    en = f"{titled(document)} has {passage} at {place.start}–{place.end}, but"
    zh = f"{titled(document)}的 {place.start}–{place.end} 处有{passage}，但"
    if not Relevant("chunk", (need,), (place,), {}, ()).evidence(spans_of(chunks)):
        return Diagnosis(
            "chunk",
            "not_in_any_chunk",
            need,
            Bilingual(
                en=f"{en} no chunk holds that stretch, or the end of it.",
                zh=f"{zh}这一段（或其一部分）不在任何切块中。",
            ),
            Bilingual(
                en="Index the document again (remove it and add it); the Chunks tab must then show the stretch inside a chunk.",
                zh="请重新索引该文档（移除后再添加），并在「切块」页确认这一段落在切块内。",
            ),
        )
    length, now = place.end - place.start, scene.corpus.split
    size = min(_MOST_SIZE, max(2 * length, now.size))
    cuts = ", ".join(f"{c.start}–{c.end}" for c in chunks if c.start < place.end and place.start < c.end)
    return Diagnosis(
        "chunk",
        "quote_cut",
        need,
        Bilingual(
            en=f"{en} the split cut it: the chunks there are {cuts}, none holds all of it, and not all of them are in the prompt.",
            zh=f"{zh}被切分截断：此处的切块为 {cuts}，没有一个包含全文，也没有全部放入提示词。",
        ),
        Bilingual(
            en=f"The passage has {length} characters: set overlap (now {now.overlap}) to {length} or more and size (now {now.size}) "
            f"to {size} or more; the Chunks tab shows the boundaries.",
            zh=f"该段共 {length} 字：请把重叠 overlap（现为 {now.overlap}）调到 {length} 以上，块大小 size（现为 {now.size}）"
            f"调到 {size} 以上；边界见「切块」页。",
        ),
    )


def _index(scene: _Scene, chunk: Chunk, need: int) -> Diagnosis | None:
    """The first index that was asked and has no row by which the chunk could be found."""
    n, at = len(scene.corpus.chunks), scene.position[chunk.chunk_id]
    vectors = scene.corpus.dense.vectors if scene.corpus.dense is not None and scene.ran("dense") else None
    scores = scene.corpus.lexical.scores(chunk.passage) if scene.ran("lexical") else None
    name = _name(scene, chunk)
    cause: Cause
    # no numbers: they would count documents that whoever asked may not see
    if any(rows is not None and len(rows) != n for rows in (vectors, scores)):
        cause = "row_count"
        words = Bilingual(
            en="An index does not have as many rows as there are chunks, so its rows stand for the wrong ones.",
            zh="索引的行数与切块数不一致，各行对应的已不是原来的切块。",
        )
    elif vectors is not None and not _unit(vectors[at]):
        cause = "bad_vector"
        length = float(np.linalg.norm(vectors[at]))
        en, zh = (f"{length:.3g}",) * 2 if math.isfinite(length) else ("not a number", "非数值")
        words = Bilingual(
            en=f"The dense index has no usable vector for {name.en}: its length is {en} instead of 1.",
            zh=f"向量索引中{name.zh}的向量不可用：长度为 {zh}，应为 1。",
        )
    elif scores is not None and terms(chunk.text) and scores[at] <= 0:
        cause = "bad_terms"
        words = Bilingual(
            en=f"The lexical index does not find {name.en} by its own words: its row is empty or another's.",
            zh=f"词汇索引用{name.zh}自身的词也查不到它：该行为空，或属于别的切块。",
        )
    else:
        return None
    advice = Bilingual(
        en="The index is damaged: build it again (remove the documents and add them, or delete the saved index).",
        zh="索引已损坏，请重建（移除文档后重新添加，或删除已保存的索引）。",
    )
    return Diagnosis("index", cause, need, words, advice)


def _unit(row: NDArray[np.float32]) -> bool:
    return bool(abs(np.linalg.norm(row) - 1) <= _TOLERANCE)  # not finite: no


def _scope(scene: _Scene, chunk: Chunk, need: int) -> Diagnosis | None:
    """Whether the scope leaves the chunk out, and by what."""
    if scene.rows[scene.position[chunk.chunk_id]]:
        return None
    documents = scene.corpus.documents
    seen = [documents[key] for key in scene.permitted]
    return unsearched(documents[chunk.key], seen, scene.outcome.settings.search, need)


def _no_candidate(scene: _Scene, chunk: Chunk, need: int) -> Diagnosis:
    """No retriever had it: at which rank each would have."""
    search, name = scene.outcome.settings.search, _name(scene, chunk)
    rank = scene.lexical.get(scene.position[chunk.chunk_id])
    if rank is None:
        en, zh = "it shares no term with the question", "它与问题没有共同的词"
    else:
        en, zh = (
            f"its lexical rank is {rank} of {len(scene.lexical)}",
            f"词汇检索排第 {rank} 名（共 {len(scene.lexical)} 名）",
        )
    dense = [c.scores["dense"] for c in scene.candidates.values() if "dense" in c.scores]
    if dense:
        en += f"; its dense rank is not kept beyond {len(dense)} (the last cosine there is {min(dense):.3f})"
        zh += f"；向量检索只保留前 {len(dense)} 名（末位余弦 {min(dense):.3f}），其后名次未知"
    words = Bilingual(
        en=f"No retriever had {name.en} among its first {search.depth}: {en}.",
        zh=f"各路检索的前 {search.depth} 名中都没有{name.zh}：{zh}。",
    )
    if rank is None and not dense:
        advice = Bilingual(
            en="Ask in the document's words, or let the dense retriever search too (mode: fused); see the Candidates tab.",
            zh="请用文档中的词提问，或同时启用向量检索（检索方式 mode 设为 fused）；见「候选」页。",
        )
        return Diagnosis("candidates", "no_shared_term", need, words, advice)
    if scene.ran("lexical") and rank is not None and rank <= _MOST_DEPTH:
        en, zh = (
            f"Set depth (now {search.depth}) to {rank} or more",
            f"请把每路候选数 depth（现为 {search.depth}）调到 {rank} 以上",
        )
    elif rank is not None and rank <= search.depth:
        en, zh = (
            "Set mode to fused, so that the lexical list counts too",
            "请把检索方式 mode 设为 fused，让词汇检索也参与",
        )
    else:
        en = f"Raise depth (now {search.depth}, at most {_MOST_DEPTH}), or ask in the document's words"
        zh = f"请调大每路候选数 depth（现为 {search.depth}，最多 {_MOST_DEPTH}），或用文档中的词提问"
    advice = Bilingual(en=f"{en}; see the Candidates tab.", zh=f"{zh}；见「候选」页。")
    return Diagnosis("candidates", "beyond_depth", need, words, advice)
