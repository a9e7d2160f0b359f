"""A candidate that holds the evidence and is not in the prompt: what kept it out."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rag.errors import Bilingual
from rag.evaluate.diagnosis import Cause, Diagnosis
from rag.evaluate.run import Outcome
from rag.types import Candidate

# What the setting allows; and pieces beyond which more of them seldom help.
_MOST_PACKED, _WORTH_PACKING = 50, 10
# Characters of the line above a piece, besides title and section.
_HEADING = 40
_SEARCH = ("fused", "dense", "lexical")
"""The stages that give the search's order, the one that counts first."""
_RETRIEVERS = {"dense": Bilingual(en="dense", zh="向量"), "lexical": Bilingual(en="lexical", zh="词汇")}


def left_out(candidate: Candidate, outcome: Outcome, need: int, name: Bilingual) -> Diagnosis:
    """Why `candidate`, called `name`, is not in the prompt, from what the line itself wrote down about it."""
    fate = candidate.status.fate
    if fate == "below_threshold":
        return _threshold(candidate, outcome, need, name)
    if fate == "duplicate":
        return _duplicate(candidate, outcome, need, name)
    if fate == "per_document":
        return _per_document(candidate, outcome, need, name)
    if fate == "beyond_k":
        return _beyond(candidate, outcome, need, name)
    if fate == "over_budget":
        return _budget(candidate, outcome, need, name)
    if fate in ("withheld", "packed"):  # packed, and yet the labelled words are not in the prompt
        return _withheld(candidate, need, name)
    return _not_built(outcome, need)


def _ranks(candidate: Candidate) -> Bilingual:
    """``dense 1, lexical 14``"""
    ranks = [(name, candidate.ranks[stage]) for stage, name in _RETRIEVERS.items() if stage in candidate.ranks]
    if not ranks:
        return Bilingual(en="found for a part of the question only", zh="只按问题的一部分找到")
    return Bilingual(
        en=", ".join(f"{name.en} {rank}" for name, rank in ranks),
        zh="、".join(f"{name.zh}第 {rank} 名" for name, rank in ranks),
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _threshold(candidate: Candidate, outcome: Outcome, need: int, name: Bilingual) -> Diagnosis:
    cosine, floor = candidate.cosine or 0.0, outcome.settings.search.threshold
    ranks, low = _ranks(candidate), math.floor(cosine * 1000) / 1000
    return Diagnosis(
        "threshold",
        "below_threshold",
        need,
        Bilingual(
            en=f"The cosine of {name.en} is {cosine:.4f}, below the threshold {floor}. It was a candidate: {ranks.en}.",
            zh=f"{name.zh}的余弦为 {cosine:.4f}，低于阈值 {floor}。它是候选：{ranks.zh}。",
        ),
        Bilingual(
            en=f"Set threshold to at most {low} or switch it off; the Candidates tab shows every cosine.",
            zh=f"请把最低余弦 threshold 调到 {low} 以下，或留空关闭；各候选的余弦见「候选」页。",
        ),
    )


def _beyond(candidate: Candidate, outcome: Outcome, need: int, name: Bilingual) -> Diagnosis:
    """Ranked too low to be packed: by what ordered anew, or by the fusion, when before it it was among the first k."""
    search = outcome.settings.search
    ahead = [c for c in outcome.retrieval.candidates if c.rank <= candidate.rank]
    place = sum(c.status.fate in ("packed", "beyond_k") for c in ahead)
    ranks = _ranks(candidate)
    wanted = _more_packed(place, search.packed)
    for stage, order in (("mmr", ("rerank", *_SEARCH)), ("rerank", _SEARCH)):
        before = _place(candidate, outcome, order)
        if stage in candidate.ranks and before <= search.packed:
            return _put_down(stage, outcome, need, (name, wanted), (before, place))
    # none: it was found for a part of the question only
    best = min(
        (stage for stage in _RETRIEVERS if stage in candidate.ranks), key=lambda s: candidate.ranks[s], default=""
    )
    if best and "fused" in candidate.ranks and candidate.ranks[best] <= search.packed:
        if search.fusion == "weighted":
            towards = "greater" if best == "dense" else "smaller"
            en = f"Set alpha (now {search.alpha}) {towards}"
            zh = f"请把 α（alpha，现为 {search.alpha}）调{'大' if best == 'dense' else '小'}"
        else:
            en, zh = f"Search {best} only (mode: {best})", f"请仅用{_RETRIEVERS[best].zh}检索（mode: {best}）"
        return Diagnosis(
            "fusion",
            "fused_below",
            need,
            Bilingual(
                en=f"A retriever had {name.en} high enough ({ranks.en}), but fusion ({search.fusion}) put it at rank {candidate.ranks['fused']}, "
                f"below the {search.packed} that are packed.",
                zh=f"{name.zh}在单路检索中名次足够（{ranks.zh}），但融合（{search.fusion}）后为第 {candidate.ranks['fused']} 名，不在放入的 {search.packed} 个之内。",
            ),
            Bilingual(en=f"{en}, or {wanted.en}; see the Candidates tab.", zh=f"{zh}，或{wanted.zh}；见「候选」页。"),
        )
    return Diagnosis(
        "k",
        "beyond_k",
        need,
        Bilingual(
            en=f"{_capital(name.en)} is ranked {candidate.rank} ({ranks.en}), number {place} of those that could be packed; only {search.packed} are.",
            zh=f"{name.zh}排第 {candidate.rank} 名（{ranks.zh}），在可放入者中是第 {place} 个，而只放入 {search.packed} 个。",
        ),
        Bilingual(en=f"{_capital(wanted.en)}; see the Candidates tab.", zh=f"请{wanted.zh}；见「候选」页。"),
    )


def _place(candidate: Candidate, outcome: Outcome, stages: Sequence[str]) -> int:
    """Its place among those that could be packed, by the first of `stages` that each has; those of an earlier one come first."""

    def order(c: Candidate) -> tuple[int, int]:
        return next(((n, c.ranks[stage]) for n, stage in enumerate(stages) if stage in c.ranks), (len(stages), c.rank))

    could = [c for c in outcome.retrieval.candidates if c.status.fate in ("packed", "beyond_k")]
    return sum(order(c) <= order(candidate) for c in could)


def _put_down(
    stage: str, outcome: Outcome, need: int, said: tuple[Bilingual, Bilingual], places: tuple[int, int]
) -> Diagnosis:
    """The reranker, or diversity, moved it from among the first k. `said`: its name, how to pack it; `places`: before, after."""
    (name, wanted), (before, after), settings = said, places, outcome.settings
    if stage == "rerank":
        cause: Cause = "reranked_below"
        by = Bilingual(en=f"reranking ({settings.select.rerank})", zh=f"重排（{settings.select.rerank}）")
        advice = Bilingual(en="Choose another rerank, or none", zh="请换一种重排方式 rerank，或关闭重排")
    else:
        cause, lam = "diverse_below", settings.select.mmr
        by = Bilingual(en=f"diversity (MMR, λ = {lam})", zh=f"多样性（MMR，λ = {lam}）")
        advice = Bilingual(en=f"Raise mmr (now {lam}) or switch it off", zh=f"请调大 mmr（现为 {lam}），或关闭多样性")
    packed = settings.search.packed
    return Diagnosis(
        "select",
        cause,
        need,
        Bilingual(
            en=f"{_capital(name.en)} was number {before} of those that could be packed, but {by.en} put it at {after}, below the {packed} that are.",
            zh=f"{name.zh}在可放入者中原为第 {before} 个，但{by.zh}后为第 {after} 个，不在放入的 {packed} 个之内。",
        ),
        Bilingual(
            en=f"{advice.en}, or {wanted.en}; see the Candidates tab.", zh=f"{advice.zh}，或{wanted.zh}；见「候选」页。"
        ),
    )


def _duplicate(candidate: Candidate, outcome: Outcome, need: int, name: Bilingual) -> Diagnosis:
    """It repeats a better one; where that one is not in the prompt either, what kept that one out."""
    better = next(c for c in outcome.retrieval.candidates if c.chunk.chunk_id == candidate.status.of)
    if better.status.fate != "packed":
        both = Bilingual(
            en=f"the candidate ranked {better.rank}, which {name.en} repeats,",
            zh=f"第 {better.rank} 名（{name.zh}与它重复）",
        )
        return left_out(better, outcome, need, both)
    return Diagnosis(
        "select",
        "duplicate",
        need,
        Bilingual(
            en=f"{_capital(name.en)} (rank {candidate.rank}) was left out, for it repeats rank {better.rank}, which is in the prompt as {better.status.marker}.",
            zh=f"{name.zh}（第 {candidate.rank} 名）与第 {better.rank} 名重复而略去；后者已在提示词中（{better.status.marker}）。",
        ),
        Bilingual(
            en="The prompt has the same text: label that passage as well. Or keep repeats (near_duplicates off); see the Candidates tab.",
            zh="提示词中已有相同的文字：请把那一处也标为依据；或关闭去重（near_duplicates）保留重复；见「候选」页。",
        ),
    )


def _per_document(candidate: Candidate, outcome: Outcome, need: int, name: Bilingual) -> Diagnosis:
    most = outcome.settings.select.per_document
    return Diagnosis(
        "select",
        "per_document",
        need,
        Bilingual(
            en=f"{_capital(name.en)} (rank {candidate.rank}) was left out, for no more than {most} of one policy may be packed, and its policy has better ones.",
            zh=f"{name.zh}（第 {candidate.rank} 名）被略去：每份制度最多放入 {most} 条，而该制度有名次更前的。",
        ),
        Bilingual(
            en=f"Raise per_document (now {most}; 0: any number); see the Candidates tab.",
            zh=f"请调大每份制度的条数 per_document（现为 {most}；0 为不限）；见「候选」页。",
        ),
    )


def _more_packed(place: int, packed: int) -> Bilingual:
    """How to pack the candidate that is number `place`: pack more, unless that is more than a prompt is good for."""
    reword = Bilingual(en="ask in the document's words, which ranks it higher", zh="用文档中的词提问，使其名次提前")
    if place > _MOST_PACKED:
        return reword
    more = Bilingual(
        en=f"set packed (now {packed}) to {place} or more", zh=f"把证据数 packed（现为 {packed}）调到 {place} 以上"
    )
    if place <= _WORTH_PACKING:
        return more
    return Bilingual(
        en=f"{reword.en}, or {more.en} if the prompt has room", zh=f"{reword.zh}，或在提示词放得下时{more.zh}"
    )


def _budget(candidate: Candidate, outcome: Outcome, need: int, name: Bilingual) -> Diagnosis:
    settings, prompt = outcome.settings.generate, outcome.retrieval.prompt
    used = len(prompt.input_ids) if prompt else 0
    length = len(candidate.chunk.text)
    # those before it that did not fit come first when there is room; a token is seldom less than a character
    ahead = [
        c.chunk for c in outcome.retrieval.candidates if c.rank <= candidate.rank and c.status.fate == "over_budget"
    ]
    wanted = sum(len(chunk.passage) + _HEADING for chunk in ahead)
    # without a prompt not even one piece fitted, and what rules and question take is not known
    limit = min(32768, (settings.context_limit if prompt else 2 * settings.context_limit) + wanted)
    return Diagnosis(
        "budget",
        "over_budget",
        need,
        Bilingual(
            en=f"{_capital(name.en)} (rank {candidate.rank}, {length} characters) did not fit: the prompt may have {settings.budget} tokens "
            f"({settings.context_limit} − {settings.answer_tokens} kept for the answer), and {used} are used.",
            zh=f"{name.zh}（第 {candidate.rank} 名，{length} 字）放不下：提示词预算为 {settings.budget} 个 token"
            f"（{settings.context_limit} − 为回答保留的 {settings.answer_tokens}），已用 {used} 个。",
        ),
        Bilingual(
            en=f"Set context_limit (now {settings.context_limit}) to {limit}, or lower answer_tokens or size; the Prompt tab shows the budget.",
            zh=f"请把上下文上限 context_limit（现为 {settings.context_limit}）调到 {limit}，或减小 answer_tokens 或块大小 size；预算见「提示词」页。",
        ),
    )


def _withheld(candidate: Candidate, need: int, name: Bilingual) -> Diagnosis:
    return Diagnosis(
        "budget",
        "withheld",
        need,
        Bilingual(
            en=f"{_capital(name.en)} (rank {candidate.rank}): the labelled words were left out, for they give the machine orders.",
            zh=f"{name.zh}（第 {candidate.rank} 名）：所标的文字被当作对机器下达的指令扣下。",
        ),
        Bilingual(
            en="See the reasons on the Prompt and Chunks tabs; switch the setting withhold off if the words are harmless.",
            zh="原因见「提示词」页和「切块」页；如文字无害，可关闭设置 withhold。",
        ),
    )


def _not_built(outcome: Outcome, need: int) -> Diagnosis:
    problem = outcome.retrieval.problem or Bilingual(en="It was not built.", zh="提示词未生成。")
    return Diagnosis(
        "prompt",
        "not_built",
        need,
        Bilingual(
            en=f"The evidence was ranked high enough, but there is no prompt: {problem.en}",
            zh=f"证据的名次足够，但没有提示词：{problem.zh}",
        ),
        Bilingual(
            en="See the Prompt tab, and mend what it names in the file or the question.",
            zh="请查看「提示词」页，并修正其中指出的文件或问题。",
        ),
    )
