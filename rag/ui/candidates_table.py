"""The table of candidates as rows: what each stage gave, what became of each and why; filtered and sorted. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal, get_args

from rag.ask.choose import edge
from rag.ask.query import is_plain
from rag.corpus.approximate import MISSING
from rag.corpus.folding import plain
from rag.errors import Language
from rag.types import Candidate, Document, LegName, Query, Retrieval, Trace
from rag.ui.panels import columns, notice, steps, table
from rag.ui.render import TABLE_ROWS, Cell, escape, preview
from rag.ui.strings import text

Sort = Literal["rank", "dense", "lexical", "fused", "rerank", "document"]
SORTS: Final[tuple[Sort, ...]] = get_args(Sort)
STAGES: Final = ("dense", "lexical", "fused", "rerank")
"""Stages with columns of their own; `OTHERS` share one."""
LEGS: Final = get_args(LegName)
OTHERS: Final = (*LEGS, "overlap", "likelihood", "mmr")
EVERY: Final = "all"


def fate(candidate: Candidate, retrieval: Retrieval, language: Language) -> str:
    """What became of a candidate and why, in words."""
    status = candidate.status
    if status.fate == "duplicate":
        better = next((c for c in retrieval.candidates if c.chunk.chunk_id == status.of), None)
        if better is not None:
            return text("fate.duplicate_of", language, rank=better.rank)
    threshold = dict(retrieval.trace.settings).get("search.threshold", "")
    if status.fate == "below_threshold" and candidate.cosine is not None and threshold not in ("", "None"):
        return text("fate.below_by", language, cosine=f"{candidate.cosine:.4f}", threshold=threshold)
    return text(f"fate.{status.fate}", language, marker=status.marker, of=status.of)


def candidate_rows(
    shown: Sequence[Candidate], retrieval: Retrieval, documents: Mapping[str, Document], language: Language
) -> list[list[Cell]]:
    """One row per candidate (at most `TABLE_ROWS`), in the order of `strings` ``head.candidates``."""
    rows: list[list[Cell]] = []
    for c in shown[:TABLE_ROWS]:
        document = documents[c.chunk.key]
        row: list[Cell] = [c.rank, fate(c, retrieval, language)]
        for stage in STAGES:
            score = c.scores.get(stage)
            row += [None if score is None else round(score, 4), c.ranks.get(stage)]
        row += [
            document.title,
            preview(c.chunk.text),
            document.version or "–",
            c.chunk.page,
            " › ".join(c.chunk.section),
            text(f"origin.{document.origin}", language),
            other_stages(c, language),
        ]
        rows.append(row)
    return rows


def written(rows: Sequence[Sequence[Cell]]) -> list[list[str]]:
    """The rows as they are read: every score with its four decimals, so that they stand under each other."""
    return [
        ["" if cell is None else f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in r] for r in rows
    ]


def other_stages(candidate: Candidate, language: Language) -> str:
    """Score and rank of the stages without columns of their own, in words; empty when none of them ran."""
    said = (
        text(
            "cand.stage",
            language,
            stage=text(f"stage.{stage}", language),
            score=f"{candidate.scores[stage]:.4f}",
            rank=candidate.ranks.get(stage, "–"),
        )
        for stage in OTHERS
        if stage in candidate.scores
    )
    return "; ".join(said)


def outcomes(found: Sequence[Candidate], language: Language) -> list[tuple[str, str]]:
    """The choices of the outcome filter: all, then each fate there is with its number."""
    counts: dict[str, int] = {}
    for c in found:
        counts[c.status.fate] = counts.get(c.status.fate, 0) + 1
    some = [
        (text("cand.some", language, fate=text(f"fate.{name}", language, marker="", of="…").strip(), n=n), name)
        for name, n in counts.items()
    ]
    return [(text("cand.every", language, n=len(found)), EVERY), *some]


def chosen(
    found: Sequence[Candidate], documents: Mapping[str, Document], words: str, outcome: str, sort: Sort
) -> list[Candidate]:
    """The candidates that hold every one of `words` and had this `outcome` (`EVERY`: any), in the order of `sort`.

    Scores sort from the greatest; who has none comes last. Of equals the better final rank comes first.
    """
    wanted = plain(words).split()

    def holds(c: Candidate) -> bool:
        document = documents[c.chunk.key]
        where = plain("\n".join((document.title, document.version, *c.chunk.section, c.chunk.text)))
        return all(word in where for word in wanted)

    kept = [c for c in found if outcome in (EVERY, c.status.fate) and holds(c)]
    return sorted(kept, key=_order(sort))


def _order(sort: Sort) -> Callable[[Candidate], tuple[float | str, ...]]:
    if sort == "rank":
        return lambda c: (c.rank,)
    if sort == "document":
        return lambda c: (c.chunk.key, c.chunk.start)
    return lambda c: (-c.scores.get(sort, float("-inf")), c.rank)


def boundary(retrieval: Retrieval, language: Language) -> str:
    """Where the prompt ends: the last one packed beside the first left out, as one sentence; empty without both."""
    found = edge(retrieval.candidates)
    if found is None:
        return ""
    last, out = found.scores
    return text(
        "cand.edge",
        language,
        stage=text(f"stage.{found.stage}", language),
        last=found.last.rank,
        score=f"{last:.4f}",
        out=found.out.rank,
        other=f"{out:.4f}",
        fate=fate(found.out, retrieval, language),
    )


def searched(query: Query | None, question: str, language: Language) -> str:
    """The texts that were searched, one row each, in a folded part; of a question alone just that one."""
    if query is not None and not query.legs:
        return f'<p class="note">{escape(text("query.given", language))}</p>'
    legs = query.legs if query is not None else ()
    rows = [
        [
            escape(text(f"stage.{leg.name}", language)),
            f"<b>{escape(sought.text)}</b>",
            escape(text(f"query.{sought.why}", language)),
            f"{sought.dense:g}",
            f"{sought.lexical:g}",
        ]
        for leg in legs
        for sought in leg.texts
    ]
    body = table(columns("head.query", language), rows, "query") if rows else f"<p>{escape(question)}</p>"
    if any(len(leg.texts) > 1 for leg in legs):
        body += f'<p class="note">{escape(text("query.mean", language))}</p>'
    title = escape(text("query.title", language, n=max(1, len(rows))))
    # what is searched besides the question as it was asked is not hidden behind a click
    opened = "" if query is None or is_plain(query) else " open"
    return f'<details class="folded"{opened}><summary>{title}</summary>{body}</details>'


def ran(trace: Trace, language: Language) -> str:
    """What was asked for and did not happen, each in a sentence, then all steps in a folded part."""
    # why there is no prompt is said with the number of candidates already
    missed = [s for s in trace.steps if s.name != "pack" and (s.skipped or MISSING.of(language) in s.note.of(language))]
    said = "".join(notice(f"{text(f'step.{s.name}', language)}: {s.note.of(language)}", "warning") for s in missed)
    title = escape(text("cand.steps", language, n=len(trace.steps)))
    return f'{said}<details class="folded"><summary>{title}</summary>{steps(trace, language)}</details>'


def other_versions(retrieval: Retrieval, documents: Mapping[str, Document], language: Language) -> str:
    """One line on the versions not in force in which something was found too, best first; empty when there are none."""
    keys = dict.fromkeys(c.chunk.key for c in retrieval.outside if c.status.of)
    named = [_named(documents[key], language) for key in keys]
    if not named:
        return ""
    said = text("outside.versions", language, named=("、" if language == "zh" else ", ").join(named))
    return f'<p class="note">{escape(said)}</p>'


def _named(document: Document, language: Language) -> str:
    start, end = document.effective_from, document.effective_to
    key = "dates" if start and end else "from" if start else "until"
    dates = text(f"outside.{key}", language, start=start, end=end) if start or end else ""
    of = ("，" if language == "zh" else ", ").join(filter(None, (document.version, dates)))
    return text("outside.named", language, title=document.title, of=of or "–")


def outside(retrieval: Retrieval, documents: Mapping[str, Document], language: Language) -> str:
    """What only the scope left out, folded; empty when there is nothing."""
    found = retrieval.outside[:TABLE_ROWS]
    if not found:
        return ""
    rows = []
    for c in found:
        document = documents[c.chunk.key]
        newer = documents.get(c.status.of)
        name = f"{newer.title} {newer.version}".strip() if newer is not None else c.status.of
        why = text("outside.version", language, of=name) if c.status.of else text("outside.scope", language)
        scores = [f"{c.scores[stage]:.4f}" if stage in c.scores else "–" for stage in ("dense", "lexical")]
        cells = (
            f"<b>{escape(document.title)}</b>",
            escape(document.version or "–"),
            escape(" › ".join(c.chunk.section)),
            escape(c.chunk.page or "–"),
            escape(why),
            *scores,
            escape(preview(c.chunk.text)),
        )
        rows.append(cells)
    title = escape(text("outside.title", language, n=len(found)))
    body = table(columns("head.outside", language), rows, "outside")
    return f'<details class="folded"><summary>{title}</summary>{body}</details>'
