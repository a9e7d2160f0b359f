"""Under an answer, the system's own remarks: what another version says in its place, and sources that contradict each other. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from rag.corpus.index import Corpus
from rag.errors import Language
from rag.types import Answer, Difference, Document, Side
from rag.ui import render
from rag.ui.strings import text

Which = Literal["here", "there"]

# A button names its remark and which of the two sentences it opens.
REMARK_SCRIPT = """
element.addEventListener('click', event => {
  const button = event.target.closest('button.remark-open'); if (!button) return;
  trigger('side', {n: Number(button.dataset.n), which: button.dataset.which});
});
"""


def remarks(answer: Answer, documents: Mapping[str, Document], language: Language) -> str:
    """One line for each difference, with buttons that open either sentence; empty when there is none."""
    known = [(n, d) for n, d in enumerate(answer.differences) if d.here.key in documents and d.there.key in documents]
    if not known:
        return ""
    items = "".join(f"<li>{_line(n, d, documents, language)}</li>" for n, d in known)
    return (
        f'<p class="sub">{render.escape(text("conflict.title", language))}</p><ul class="list conflicts">{items}</ul>'
    )


def _line(n: int, difference: Difference, documents: Mapping[str, Document], language: Language) -> str:
    here, there = documents[difference.here.key], documents[difference.there.key]
    key = "source" if difference.kind == "source" else "value" if difference.by_value else "words"
    said = text(
        f"conflict.{key}",
        language,
        marker=difference.marker,
        other=difference.other,
        title=there.title,
        own=here.title,
        version=there.version or text("conflict.another", language),
        mine=here.version or difference.marker,
        here=_values(difference.here, here, language),
        there=_values(difference.there, there, language),
    )
    buttons = " ".join(
        f'<button type="button" class="remark-open" data-n="{n}" data-which="{which}">{render.escape(text(f"conflict.{which}", language))}</button>'
        for which in ("there", "here")
    )
    return f"{render.escape(said)} {buttons}"


def _values(side: Side, document: Document, language: Language) -> str:
    """The words that differ, or the sentence where only the other one has more."""
    spans = side.marks or ((side.start, side.end),)
    return text("list.between", language).join(render.preview(document.text[a:b], 60) for a, b in spans)


def side_view(answer: Answer, n: int, which: str, corpus: Corpus, language: Language) -> str | None:
    """One of the two sentences of a remark in its document, what differs underlined; None when there is no such remark."""
    if not 0 <= n < len(answer.differences) or which not in ("here", "there"):
        return None
    difference = answer.differences[n]
    side = difference.here if which == "here" else difference.there
    document = corpus.documents.get(side.key)
    chunk = next((c for c in corpus.chunks if c.key == side.key and c.start < side.end and c.end > side.start), None)
    if document is None or chunk is None:
        return None
    head = render.escape(text(f"conflict.opened_{which if difference.kind == 'version' else 'source'}", language))
    return f'<p class="why">{head}</p>{render.passage(document, chunk, language, (side.start, side.end), side.marks)}'
