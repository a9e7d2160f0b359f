"""Why a candidate ranks where it does: its stages, its terms, its tokens, and what the numbers do not say. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rag.ask.choose import relevance
from rag.ask.explain import Pair, strongest_pairs, term_parts
from rag.ask.rerank import SCORE, WORDS, scaled, searched_by
from rag.ask.select import LEG_C
from rag.corpus.index import Corpus
from rag.corpus.lexical import Contribution, query_terms, terms
from rag.errors import Language
from rag.models.tokens import TokenStates
from rag.types import Candidate, Retrieval, Sought
from rag.ui.candidates_table import LEGS, STAGES, fate
from rag.ui.panels import columns, table
from rag.ui.render import escape
from rag.ui.strings import text

AROUND = 6
"""Characters shown on either side of a token of the chunk."""


def sought(retrieval: Retrieval) -> tuple[Sought, ...]:
    """The texts of the whole question's search, to which the scores ``dense`` and ``lexical`` belong."""
    if retrieval.query is not None and retrieval.query.legs:
        return retrieval.query.legs[0].texts
    return (Sought(retrieval.question, "question", 1.0, 1.0),)


def shared_words(candidate: Candidate, retrieval: Retrieval) -> list[tuple[int, int]]:
    """Where in its document the chunk holds terms that were searched, in order; terms that touch are one stretch."""
    legs = retrieval.query.legs if retrieval.query is not None else ()
    texts = [s for leg in legs for s in leg.texts if s.lexical > 0] or sought(retrieval)
    # single Chinese characters are terms of the index too, but marking every 年 and 的 would hide the rest
    asked = {t.term for s in texts for t in query_terms(s.text) if len(t.term) > 1 or t.term.isascii()}
    offset = candidate.chunk.start
    stretches: list[tuple[int, int]] = []
    for start, end in sorted((t.start, t.end) for t in terms(candidate.chunk.text) if t.term in asked):
        if stretches and start <= stretches[-1][1]:
            before = stretches.pop()
            start, end = before[0], max(before[1], end)
        stretches.append((start, end))
    return [(offset + start, offset + end) for start, end in stretches]


def why(candidate: Candidate, retrieval: Retrieval, corpus: Corpus, language: Language) -> str:
    """What each stage said of a candidate, and how its numbers came about, as an HTML paragraph."""
    parts = [text("why.rank", language, rank=candidate.rank, fate=fate(candidate, retrieval, language))]
    parts += _halves(candidate, retrieval, language)
    parts += _fusion(candidate, retrieval, language)
    if "rerank" in candidate.scores:
        parts.append(_reread(candidate, retrieval, language))
    if "mmr" in candidate.scores and corpus.dense is not None:
        parts.append(_diverse(candidate, retrieval, corpus, language))
    return f'<p class="why">{escape(" ".join(part.strip() for part in parts))}</p>'


def _place(candidate: Candidate, stage: str) -> dict[str, object]:
    return {"score": f"{candidate.scores[stage]:.4f}", "rank": candidate.ranks.get(stage, "–")}


def _halves(candidate: Candidate, retrieval: Retrieval, language: Language) -> list[str]:
    parts, of = [], "_whole" if _legs(candidate) else ""
    for stage in ("dense", "lexical"):
        if stage in candidate.scores:
            parts.append(text(f"why.{stage}", language, **_place(candidate, stage)))
        elif not _searched(stage, retrieval):
            parts.append(text(f"why.unsearched_{stage}", language))
        elif stage == "dense" and candidate.cosine is not None:
            parts.append(text(f"why.no_dense_but{of}", language, score=f"{candidate.cosine:.4f}"))
        else:
            parts.append(text(f"why.no_{stage}{of}", language))
    return parts


def _searched(stage: str, retrieval: Retrieval) -> bool:
    """Whether this retriever was asked at all; one that was asked and found nothing was."""
    if retrieval.query is not None and not retrieval.query.legs:  # the evidence was given
        return False
    if any(stage in c.scores for c in retrieval.candidates):
        return True
    mode = dict(retrieval.trace.settings).get("search.mode", stage)
    return mode in (stage, "fused") and not any(s.name == stage and s.skipped for s in retrieval.trace.steps)


def _legs(candidate: Candidate) -> list[str]:
    """The searches that found it, where there were several; empty where there was one."""
    return [leg for leg in LEGS if leg in candidate.ranks]


def _fusion(candidate: Candidate, retrieval: Retrieval, language: Language) -> list[str]:
    """How the fused score came about."""
    if "fused" not in candidate.scores:
        return []
    settings = dict(retrieval.trace.settings)
    parts, score = [], f"{candidate.scores['fused']:.4f}"
    legs, c = _legs(candidate), settings.get("search.rrf_c", "")
    if legs:
        said = ", ".join(f"{text(f'stage.{leg}', language)} {candidate.ranks[leg]}" for leg in legs)
        merged = " + ".join(f"1/({LEG_C}+{candidate.ranks[leg]})" for leg in legs)
        parts.append(text("why.legs", language, legs=said, c=LEG_C, terms=merged, score=score))
    elif settings.get("search.fusion") == "rrf":
        terms_ = (
            f"1/({c}+{candidate.ranks[s]})" for s in ("dense", "cross", "lexical", "named") if s in candidate.ranks
        )
        parts += [text(f"why.{name}", language) for name in ("cross", "named") if name in candidate.ranks]
        parts.append(text("why.rrf", language, terms=" + ".join(terms_), score=score))
    else:
        halves = {stage: f"{_share(candidate, stage, retrieval):.4f}" for stage in ("dense", "lexical")}
        parts.append(text("why.weighted", language, alpha=settings.get("search.alpha", ""), score=score, **halves))
    return parts


def _share(candidate: Candidate, stage: str, retrieval: Retrieval) -> float:
    """The score of `stage` between the least (0) and the greatest (1) of its list, all of which are candidates; 0 outside the list."""
    if stage not in candidate.scores:
        return 0.0
    listed = [c.scores[stage] for c in retrieval.candidates if stage in c.scores]
    low, high = min(listed), max(listed)
    return (candidate.scores[stage] - low) / (high - low) if high > low else 1.0


def _reread(candidate: Candidate, retrieval: Retrieval, language: Language) -> str:
    """How the reranked score came about: the two numbers it was made of, or, of a cross-encoder's, that it is its own."""
    note = next((s.note.of(language) for s in retrieval.trace.steps if s.name == "rerank"), "")
    said = {**_place(candidate, "rerank"), "note": note}
    head = [c for c in retrieval.candidates if "rerank" in c.scores]
    if "overlap" in candidate.scores:
        of = scaled([c.scores[searched_by(c)] for c in head])
        mine = next(value for c, value in zip(head, of, strict=True) if c.chunk.chunk_id == candidate.chunk.chunk_id)
        share = f"{candidate.scores['overlap']:.4f}"
        facts = {"a": SCORE, "b": WORDS, "scaled": f"{mine:.4f}", "share": share, "n": len(head)}
        return text("why.overlap", language, **said, **facts)
    if "likelihood" in candidate.scores:
        first, place = candidate.ranks[searched_by(candidate)], candidate.ranks["likelihood"]
        facts = {"raw": f"{candidate.scores['likelihood']:.4f}", "first": first, "place": place, "n": len(head)}
        c = dict(retrieval.trace.settings).get("search.rrf_c", "")
        return text("why.likelihood", language, **said, **facts, c=c)
    return text("why.rerank", language, **said)


def _diverse(candidate: Candidate, retrieval: Retrieval, corpus: Corpus, language: Language) -> str:
    """How the value of marginal relevance came about, of the places before it and the vectors."""
    assert corpus.dense is not None

    def before(c: Candidate) -> int:
        return c.ranks.get("rerank") or c.ranks[searched_by(c)]

    among = sorted((c for c in retrieval.candidates if "mmr" in c.ranks), key=before)
    place = [c.chunk.chunk_id for c in among].index(candidate.chunk.chunk_id)
    row = {chunk.chunk_id: i for i, chunk in enumerate(corpus.chunks)}
    vectors = corpus.dense.vectors
    ahead = [row[c.chunk.chunk_id] for c in among if c.ranks["mmr"] < candidate.ranks["mmr"]]
    nearest = float((vectors[ahead] @ vectors[row[candidate.chunk.chunk_id]]).max()) if ahead else 0.0
    return text(
        "why.mmr",
        language,
        **_place(candidate, "mmr"),
        lam=dict(retrieval.trace.settings).get("select.mmr", ""),
        relevance=f"{relevance(among)[place]:.4f}",
        before=place + 1,
        n=len(among),
        nearest=f"{nearest:.4f}",
    )


def reasons(candidate: Candidate, retrieval: Retrieval, corpus: Corpus, language: Language) -> str:
    """The terms with their shares of the BM25 score, and what each number is not."""
    parts = term_parts(candidate.chunk, corpus, sought(retrieval))
    return _terms(candidate, parts, language) + limits(candidate, language)


def _terms(candidate: Candidate, parts: Sequence[Contribution], language: Language) -> str:
    title = f"<h3>{escape(text('terms.title', language))}</h3>"
    if not parts:
        return f'{title}<p class="note">{escape(text("terms.none", language))}</p>'
    total, score = math.fsum(p.score for p in parts), candidate.scores.get("lexical")
    rows = [[f"<b>{escape(text('terms.sum', language))}</b>", "", "", f"<b>{total:.4f}</b>"]]
    rows += [[f"<b>{escape(p.term)}</b>", f"{p.asked:g}", str(p.found), _bar(p.score, parts[0].score)] for p in parts]
    notes = [text("terms.read", language)]
    if score is None:
        notes.append(text("terms.unlisted_whole" if _legs(candidate) else "terms.unlisted", language))
    elif not math.isclose(total, score, rel_tol=1e-4):
        notes.append(text("terms.differ", language, score=f"{score:.4f}"))
    said = "".join(f'<p class="note">{escape(note)}</p>' for note in notes)
    return title + table(columns("head.terms", language), rows, "terms") + said


def _bar(value: float, most: float) -> str:
    share = max(0.0, min(1.0, value / most)) if most > 0 else 0.0
    return f'{value:.4f}<span class="share" aria-hidden="true"><i style="width:{share:.1%}"></i></span>'


def limits(candidate: Candidate, language: Language) -> str:
    """What the scores of this candidate do not say, folded."""
    keys = [*(stage for stage in STAGES if stage in candidate.scores), "rank"]
    items = "".join(f"<li>{escape(text(f'limits.{key}', language))}</li>" for key in keys)
    title = escape(text("limits.title", language))
    return f'<details class="folded"><summary>{title}</summary><ul class="list">{items}</ul></details>'


def pairs(question: TokenStates, passage: TokenStates, language: Language, n: int = 1) -> str:
    """The strongest pairs of tokens, each with the words around it in the chunk. `question` is the first of the `n` texts searched as one vector."""
    found = strongest_pairs(question, passage)
    title = f"<h3>{escape(text('pairs.title', language))}</h3>"
    if not found:
        return f'{title}<p class="note">{escape(text("pairs.none", language))}</p>'
    rows = [
        [
            f"<b>{escape(question.text[slice(*pair.asked)])}</b>",
            _in_place(passage.text, pair),
            _bar(pair.similarity, 1.0),
        ]
        for pair in found
    ]
    note = f'<p class="note">{escape(text("pairs.note", language))}</p>'
    said = text("pairs.asked" if n == 1 else "pairs.asked_first", language, n=n, question=question.text)
    asked = f'<p class="note">{escape(said)}</p>'
    return title + asked + table(columns("head.pairs", language), rows, "pairs") + note


def _in_place(passage: str, pair: Pair) -> str:
    start, end = pair.found
    before, after = passage[max(0, start - AROUND) : start], passage[end : end + AROUND]
    return f"{escape(before)}<mark>{escape(passage[start:end])}</mark>{escape(after)}"
