"""Sentences that speak to the machine, on the page: which words say so, why, and whether they are in the prompt. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rag.ask.evidence import withheld
from rag.errors import Language
from rag.types import Chunk, Document, Flagged, Prompt, Reason
from rag.ui.panels import columns, table
from rag.ui.render import Layer, escape, preview, shade
from rag.ui.strings import text

LONGEST = 300
"""Of a longer sentence the beginning is shown."""


def reasons(found: Iterable[Reason], language: Language) -> str:
    """Reasons in words, each once."""
    return text("list.between", language).join(text(f"order.{reason}", language) for reason in dict.fromkeys(found))


def quoted(document: Document, flagged: Flagged) -> str:
    """The sentence as escaped HTML, the words that decided marked."""
    end = min(flagged.end, flagged.start + LONGEST)
    return shade(document.text, flagged.start, end, [Layer(a, b, "order") for a, b in flagged.signs])


def withheld_table(prompt: Prompt, documents: Mapping[str, Document], language: Language) -> str:
    """Every flagged sentence and name of the packed pieces, and whether it was left out; then the candidates that hold nothing else."""
    rows: list[Sequence[str]] = []
    for piece in prompt.packed:
        gone = {(f.start, f.end) for f in withheld(piece)}
        for f in piece.flagged:
            became = text("order.out" if (f.start, f.end) in gone else "order.in", language)
            words = quoted(documents[piece.chunk.key], f)
            rows.append((escape(piece.marker), words, escape(reasons(f.reasons, language)), escape(became)))
        for name in piece.names:
            became = text(
                "order.in" if name in piece.heading or name in "\n".join(piece.above) else "order.out", language
            )
            said = escape(text("order.name", language))
            rows.append((escape(piece.marker), escape(preview(name)), said, escape(became)))
    html = f'<p class="sub">{escape(text("order.title", language))}</p>' if rows or prompt.withheld else ""
    if rows:
        html += table(columns("head.orders", language), rows, "orders")
    if prompt.withheld:
        # chunk ids are "key:start-end"
        titles = [documents[k].title if (k := id_.rsplit(":", 1)[0]) in documents else "" for id_ in prompt.withheld]
        items = "".join(
            f"<li><b>{escape(t)}</b> <code>{escape(i)}</code></li>"
            for t, i in zip(titles, prompt.withheld, strict=True)
        )
        html += f'<p class="sub">{escape(text("order.nothing_else", language))}</p><ul class="list">{items}</ul>'
    return html


def flagged_lines(document: Document, chunk: Chunk, found: Iterable[Flagged], language: Language) -> str:
    """A line for every flagged sentence of a chunk, as escaped HTML: the sentence and why."""
    return "".join(
        f'<p class="facts remark">{escape(text("order.in_chunk", language, why=reasons(f.reasons, language)))} <span>{quoted(document, f)}</span></p>'
        for f in found
        if f.start < chunk.end and f.end > chunk.start
    )
