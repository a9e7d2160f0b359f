"""The Chunks tab: a document's text with its chunk boundaries, the table of chunks, and other splits tried on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import gradio as gr

from rag.config import Settings, SplitSettings
from rag.corpus.index import Corpus
from rag.errors import Language
from rag.types import Chunk, Document
from rag.ui import panels, render
from rag.ui.documents import label_of
from rag.ui.settings import choices
from rag.ui.strings import text
from rag.ui.style import SCROLL_TO_MARK


class ChunksTab(NamedTuple):
    """Components of the Chunks tab."""

    document: gr.Dropdown
    summary: gr.HTML
    table: gr.Dataframe
    pick: gr.Dropdown
    view: gr.HTML
    strategy: gr.Radio
    size: gr.Slider
    overlap: gr.Slider
    apply: gr.Button
    progress: gr.HTML


def build_chunks(label: gr.I18n) -> ChunksTab:
    """Build the tab inside the current layout."""
    plain = SplitSettings()
    document = gr.Dropdown([], label=label("chunks.document"), elem_id="chunk-document")
    with gr.Accordion(label("chunks.try"), open=False, elem_id="try-split"):
        with gr.Row():
            strategy = gr.Radio(choices("strategy", "en"), value=plain.strategy, label=label("set.strategy"))
            size = gr.Slider(20, 1000, plain.size, step=10, label=label("set.size"), elem_id="try-size")
            overlap = gr.Slider(0, 400, plain.overlap, step=5, label=label("set.overlap"), elem_id="try-overlap")
        apply = gr.Button(label("chunks.apply"), elem_id="apply-split", size="sm")
        progress = gr.HTML(js_on_load=None, elem_id="chunk-progress")
    summary = gr.HTML(js_on_load=None, elem_id="chunk-summary")
    with gr.Row(equal_height=False):
        with gr.Column(scale=5, min_width=300):
            view = gr.HTML(js_on_load=SCROLL_TO_MARK, elem_id="chunk-view")
            gr.Markdown(label("chunks.legend"), elem_classes=["caption"])
        with gr.Column(scale=6, min_width=300):
            table = gr.Dataframe(
                headers=["#"] * 8,
                column_widths=[44, 58, 58, 58, 86, 44, 150, 320],
                label=label("chunks.table"),
                interactive=False,
                wrap=False,
                max_height=430,
                elem_id="chunk-table",
                buttons=[],
            )
            # the rows of the table open by mouse only
            pick = gr.Dropdown([], label=label("chunks.pick"), elem_id="chunk-pick")
    return ChunksTab(document, summary, table, pick, view, strategy, size, overlap, apply, progress)


def document_choices(corpus: Corpus) -> list[tuple[str, str]]:
    """Title and version of every document, own ones first, and its key."""
    ordered = sorted(corpus.documents.values(), key=lambda d: (d.origin != "own", d.title, d.version))
    return [(label_of(d), d.key) for d in ordered]


def chunks_of(corpus: Corpus, key: str) -> list[Chunk]:
    """The chunks of one document, in order."""
    return [c for c in corpus.chunks if c.key == key]


def overlap_characters(chunks: Sequence[Chunk]) -> int:
    """How many characters are in two neighbouring chunks."""
    return sum(max(0, min(a.end, b.end) - b.start) for a, b in zip(chunks, chunks[1:], strict=False))


def show_chunks(
    tab: ChunksTab, document: Document, chunks: Sequence[Chunk], limit: int | None, language: Language
) -> dict[Any, Any]:
    """One document's chunks, none chosen."""
    mean = round(sum(len(c.text) for c in chunks) / len(chunks)) if chunks else 0
    line = text("chunks.count", language, n=len(chunks), mean=mean, overlap=overlap_characters(chunks))
    if len(chunks) > render.TABLE_ROWS:
        line += " " + text("chunks.cut", language, n=render.TABLE_ROWS)
    return {
        tab.summary: panels.notice(line),
        tab.table: {
            "headers": panels.columns("head.chunks", language),
            "data": render.chunk_rows(chunks, limit),
        },
        tab.pick: gr.Dropdown(choices=names(chunks), value=None),
        tab.view: render.chunked_document(document, chunks, None, language),
    }


def names(chunks: Sequence[Chunk]) -> list[tuple[str, int]]:
    """A line for each row of the table, and its number."""
    shown = enumerate(chunks[: render.TABLE_ROWS], 1)
    return [(f"{n}. {c.start}–{c.end} {render.preview(c.text, 40)}", n) for n, c in shown]


def show_preview(
    tab: ChunksTab, document: Document, now: Sequence[Chunk], tried: Sequence[Chunk], language: Language
) -> dict[Any, Any]:
    """Another split of the document, said to be a preview."""
    mean = round(sum(len(c.text) for c in tried) / len(tried)) if tried else 0
    line = text("chunks.preview", language, n=len(tried), was=len(now), mean=mean, overlap=overlap_characters(tried))
    return {
        tab.summary: panels.notice(line, "warning"),
        tab.view: render.chunked_document(document, tried, None, language),
    }


def show_split(tab: ChunksTab, settings: Settings, language: Language) -> dict[Any, Any]:
    """The controls of the preview set to the split in effect."""
    split = settings.split
    return {
        tab.strategy: gr.Radio(choices=choices("strategy", language), value=split.strategy),
        tab.size: split.size,
        tab.overlap: split.overlap,
    }


def framed(document: Document, chunks: Sequence[Chunk], row: int, language: Language) -> str:
    """The document's text with chunk `row` (0-based) framed."""
    return render.chunked_document(document, chunks, row, language)
