"""Two retrievals side by side: which candidates moved, which only one of them has. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rag.asking import Asked
from rag.errors import Language
from rag.types import Candidate, Document, Retrieval
from rag.ui.candidates_table import fate
from rag.ui.panels import columns, table
from rag.ui.render import TABLE_ROWS, escape, preview
from rag.ui.settings import name_of, value_of
from rag.ui.strings import text


@dataclass(frozen=True, slots=True)
class Row:
    """One chunk and what each of two retrievals made of it; at least one has it."""

    now: Candidate | None
    then: Candidate | None

    @property
    def moved(self) -> int | None:
        """Places it went up (negative: down); None where one of the two does not have it."""
        return self.then.rank - self.now.rank if self.now and self.then else None


def rows(now: Retrieval, then: Retrieval) -> tuple[Row, ...]:
    """Every chunk that one of them found, in the order of now, then what only the other has in its order."""
    before = {c.chunk.chunk_id: c for c in then.candidates}
    ours = {c.chunk.chunk_id for c in now.candidates}
    both = [Row(c, before.get(c.chunk.chunk_id)) for c in now.candidates]
    return (*both, *(Row(None, c) for c in then.candidates if c.chunk.chunk_id not in ours))


def changed(now: Retrieval, then: Retrieval) -> tuple[tuple[str, str, str], ...]:
    """Settings that differ: name, value then, value now."""
    before, ours = dict(then.trace.settings), dict(now.trace.settings)
    names = [*ours, *(name for name in before if name not in ours)]
    return tuple(
        (name, before.get(name, "–"), ours.get(name, "–")) for name in names if before.get(name) != ours.get(name)
    )


def beside(asked: Asked, other: Asked, kept: bool, language: Language) -> str:
    """Both retrievals as HTML: questions and settings, sums, and one row per chunk."""
    now, then = asked.retrieval, other.retrieval
    found = rows(now, then)
    documents = {**other.corpus.documents, **asked.corpus.documents}
    sides = (("beside.now", now), ("beside.pinned" if kept else "beside.before", then))
    heads = "".join(
        f"<dt>{escape(text(name, language))}</dt>"
        f"<dd>{escape(one.question)} <code>{escape(one.trace.settings_hash)}</code></dd>"
        for name, one in sides
    )
    said = "; ".join(_change(*change, language) for change in changed(now, then)) or text("beside.same", language)
    heads += f"<dt>{escape(text('beside.settings', language))}</dt><dd>{escape(said)}</dd>"
    notes = f'<p class="note">{escape(_sums(found, language))}</p>'
    if asked.corpus.split != other.corpus.split:
        notes += f'<p class="note">{escape(text("beside.split", language))}</p>'
    cells = [_cells(row, (now, then), documents, language) for row in found[:TABLE_ROWS]]
    return f'<dl class="known">{heads}</dl>{notes}{table(columns("head.beside", language), cells, "two")}'


def _change(name: str, before: str, now: str, language: Language) -> str:
    """A setting that differs, in the words of the panel."""
    setting = name.rpartition(".")[2]
    a, b = (value_of(setting, value, language) for value in (before, now))
    return f"{name_of(setting, language)}: {a} → {b}"


def _sums(found: tuple[Row, ...], language: Language) -> str:
    moves = [row.moved for row in found if row.moved is not None]
    used = [tuple(c is not None and c.status.fate == "packed" for c in (row.now, row.then)) for row in found]
    return text(
        "beside.sums",
        language,
        both=len(moves),
        up=sum(m > 0 for m in moves),
        down=sum(m < 0 for m in moves),
        still=moves.count(0),
        now=sum(row.then is None for row in found),
        then=sum(row.now is None for row in found),
        kept=used.count((True, True)),
        new=used.count((True, False)),
        gone=used.count((False, True)),
    )


def _cells(
    row: Row, sides: tuple[Retrieval, Retrieval], documents: Mapping[str, Document], language: Language
) -> list[str]:
    candidate = row.now or row.then
    assert candidate is not None
    if row.moved is None:
        moved = text("beside.only_now" if row.now else "beside.only_then", language)
    else:
        moved = f"↑ {row.moved}" if row.moved > 0 else f"↓ {-row.moved}" if row.moved else "="
    ranks = [str(c.rank) if c else "–" for c in (row.now, row.then)]
    fates = [escape(fate(c, side, language)) if c else "–" for c, side in zip((row.now, row.then), sides, strict=True)]
    title = documents[candidate.chunk.key].title
    return [*ranks, escape(moved), *fates, f"<b>{escape(title)}</b>", escape(preview(candidate.chunk.text, 60))]
