"""What was measured on collections as lines of plain text, and as JSON with every query."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rag.config import Settings
from rag.evaluate.benchmark import METHODS, PLAIN_C, PLAIN_DEPTH, K, Mean, Measured, Row, rows, skipped
from rag.evaluate.models_used import Facts
from rag.evaluate.statistics import Interval, Paired


@dataclass(frozen=True, slots=True)
class Table:
    """What was measured under which settings with which encoder. `missing`: collections that an early end left out."""

    settings: Settings
    encoder: Facts
    measured: tuple[Measured, ...]
    missing: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """What the line under these settings is called, with their hash."""
        return f"{'shipped' if self.settings == Settings() else 'as set'} {self.settings.hash()}"


def lines(table: Table) -> list[str]:
    """The whole table: figures, then seconds, then what has to be known of them."""
    found = [row for measured in table.measured for row in rows(measured)]
    written = ", ".join(f"{name}={value}" for name, value in table.settings.lines())
    out = [
        f"nDCG@{K} / hit@1, both × 100; a document ranks as its best chunk",
        f"plain RRF: c = {PLAIN_C}, the first {PLAIN_DEPTH} chunks of dense and of lexical as here, the query as it is written",
        f"encoder: {', '.join(f'{name} {value}' for name, value in table.encoder)}",
        f"settings {table.settings.hash()}: {written}",
        "",
        *_table(
            ["collection", "n", "chunks", "dense", "lexical", "plain RRF", table.line,
             f"− plain RRF, nDCG@{K}", "p", "− plain RRF, hit@1", "p"],
            [_figures(row) for row in found],
        ),
        "",
        *_table(
            ["collection", "documents", "s indexing", "encoded", *(f"ms a query, {m}" for m in ("dense", "lexical", "plain RRF")),
             f"ms a query, {table.line}"],
            [_times(measured) for measured in table.measured],
        ),
        "",
        "[low, high]: 95 % bootstrap interval of the difference, paired by query; p: paired sign-flip test",
    ]  # fmt: skip
    notes = [note for measured in table.measured for note in _notes(measured)]
    return [*out, *notes, *(f"{name}: not measured, ended before" for name in table.missing)]


def to_json(table: Table) -> str:
    """Settings, encoder, figures, and per query what each method gave."""
    data: dict[str, Any] = {
        "complete": not table.missing,
        "settings": table.settings.lines(),
        "settings_hash": table.settings.hash(),
        "shipped": table.settings == Settings(),
        "encoder": dict(table.encoder),
        "k": K,
        "plain_rrf": {"c": PLAIN_C, "depth": PLAIN_DEPTH},
        "collections": [_collection(measured) for measured in table.measured],
        "missing": table.missing,
    }
    return json.dumps(data, ensure_ascii=False, indent=1)


def _figures(row: Row) -> list[str]:
    cells = [f"{100 * mean.ndcg:.1f} / {100 * mean.hit:.1f}" for mean in row.means]
    return [row.name, str(row.n), str(row.chunks), *cells, *_paired(row.ndcg), *_paired(row.hit)]


def _paired(paired: Paired) -> list[str]:
    d = paired.difference
    return [f"{100 * d.mean:+.1f} [{100 * d.low:+.1f}, {100 * d.high:+.1f}]", f"{paired.p:.4f}"]


def _times(measured: Measured) -> list[str]:
    whole = rows(measured)[0]
    spent = [f"{1000 * mean.seconds:.1f}" for mean in whole.means]
    counts = [str(measured.documents), f"{measured.seconds:.1f}", str(measured.encoded)]
    return [measured.name, *counts, *spent]


def _notes(measured: Measured) -> list[str]:
    """What makes figures look worse, or other, than they are."""
    short = [
        f"{measured.name}: {mean.method}: fewer than {K} documents for {mean.short} of {len(measured.asked)} queries"
        for mean in rows(measured)[0].means
        if mean.short and mean.method != "lexical"  # which ends where no word is shared
    ]
    left = [
        f"{measured.name}: line: {step} skipped or replaced for {n} of {len(measured.asked)} queries"
        for step, n in skipped(measured).items()
    ]
    return [*short, *left]


def _collection(measured: Measured) -> Mapping[str, Any]:
    return {
        "name": measured.name,
        "documents": measured.documents,
        "chunks": measured.chunks,
        "encoded": measured.encoded,
        "indexing_seconds": measured.seconds,
        "rows": [_row(row) for row in rows(measured)],
        "skipped": dict(skipped(measured)),
        "queries": [
            {"id": a.id, **{method: asdict(a.of(method)) for method in METHODS}} for a in measured.asked
        ],
    }  # fmt: skip


def _row(row: Row) -> Mapping[str, Any]:
    return {
        "name": row.name,
        "n": row.n,
        **{mean.method: _mean(mean) for mean in row.means},
        "line_minus_rrf": {"ndcg": _difference(row.ndcg), "hit": _difference(row.hit)},
    }


def _mean(mean: Mean) -> Mapping[str, Any]:
    return {"ndcg": mean.ndcg, "hit": mean.hit, "seconds": mean.seconds, "short": mean.short}


def _difference(paired: Paired) -> Mapping[str, Any]:
    interval: Interval = paired.difference
    return {
        "mean": interval.mean,
        "low": interval.low,
        "high": interval.high,
        "p": paired.p,
        "noise": paired.noise,
        "gained": len(paired.gained),
        "lost": len(paired.lost),
    }


def _table(head: Sequence[str], cells: Sequence[Sequence[str]]) -> list[str]:
    return [" | ".join(row) for row in (head, ["---"] * len(head), *cells)]
