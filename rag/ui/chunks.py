"""The Chunks tab: a document's text with its chunk boundaries, the table of chunks, and other splits tried on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import gradio as gr

from rag.config import Settings, SplitSettings
from rag.corpus.duplicates import MOST_CHARACTERS, near_duplicates
from rag.corpus.index import Corpus
from rag.corpus.remarks import Remark, remarks
from rag.errors import Language
from rag.types import Chunk, Document
from rag.ui import chunk_views, panels
from rag.ui.documents import choices_of
from rag.ui.render import TABLE_ROWS, VIEW_CHARACTERS, escape
from rag.ui.settings import choices
from rag.ui.strings import text
from rag.ui.style import COMPARE_SCRIPT, SAVE_SCRIPT, VIEW_SCRIPT

MOST_SECTIONS = 1000
"""Of more sections the first are offered to jump to."""
_COMPARED = VIEW_CHARACTERS // 3


class ChunksTab(NamedTuple):
    """Components of the Chunks tab."""

    document: gr.Dropdown
    summary: gr.HTML
    search: gr.Textbox
    match: gr.Number
    before: gr.Button
    after: gr.Button
    found: gr.HTML
    page: gr.Number
    section: gr.Dropdown
    pick: gr.Number
    view: gr.HTML
    detail: gr.HTML
    remarked: gr.Checkbox
    rows: gr.Dropdown
    table: gr.Dataframe
    strategy: gr.Radio
    size: gr.Slider
    overlap: gr.Slider
    compared: gr.HTML
    apply: gr.Button
    progress: gr.HTML
    json: gr.Button
    csv: gr.Button
    download: gr.HTML

    def opened(self) -> list[Any]:
        """What is written when a document is opened."""
        jumps = [self.search, self.match, self.found, self.page, self.section, self.pick]
        return [self.document, self.summary, *jumps, self.view, self.detail, self.remarked, self.rows, self.table]

    def split(self) -> list[Any]:
        """The controls of the split that is tried."""
        return [self.strategy, self.size, self.overlap]

    def written(self) -> list[Any]:
        """What is written when the corpus changes."""
        return [*self.opened(), *self.split(), self.compared, self.progress]


@dataclass(frozen=True, slots=True)
class Opened:
    """A document whose chunks are shown.

    `remarks` and `twins` have an entry per chunk (`rag.corpus.remarks`, `rag.corpus.duplicates`); `compared`: whether
    near-identical ones were looked for; `limit`: the most tokens the encoder reads, None without one.
    """

    corpus_id: str
    document: Document
    chunks: Sequence[Chunk]
    remarks: Sequence[Sequence[Remark]]
    twins: Sequence[int | None]
    compared: bool
    limit: int | None
    language: Language

    @classmethod
    def of(cls, corpus: Corpus, document: Document, limit: int | None, language: Language) -> Opened:
        """The chunks of one document of a corpus."""
        mine = [c for c in corpus.chunks if c.key == document.key]
        looked = near_duplicates(mine)
        twins = looked if looked is not None else (None,) * len(mine)
        found = remarks(document, mine, limit, twins)
        return cls(corpus.corpus_id, document, mine, found, twins, looked is not None, limit, language)

    def numbers(self, remarked: bool) -> list[int]:
        """The numbers (from 1) of all chunks, or of those with remarks."""
        return [n for n, found in enumerate(self.remarks, 1) if found or not remarked]


def build_chunks(label: gr.I18n) -> ChunksTab:
    """Build the tab inside the current layout."""
    made: dict[str, Any] = {"document": gr.Dropdown([], label=label("chunks.document"), elem_id="chunk-document")}
    made["summary"] = gr.HTML(js_on_load=None, elem_id="chunk-summary")
    made |= _build_split(label)
    made |= _build_jumps(label)
    with gr.Row(equal_height=False):
        with gr.Column(scale=5, min_width=300):
            made["view"] = gr.HTML(js_on_load=VIEW_SCRIPT, elem_id="chunk-view")
            gr.Markdown(label("chunks.legend"), elem_classes=["caption"])
            made["detail"] = gr.HTML(js_on_load=None, elem_id="chunk-detail")
        with gr.Column(scale=6, min_width=300):
            made |= _build_table(label)
    return ChunksTab(**made)


def _build_split(label: gr.I18n) -> dict[str, Any]:
    plain, made = SplitSettings(), dict[str, Any]()
    with gr.Accordion(label("chunks.try"), open=False, elem_id="try-split"):
        with gr.Row():
            made["strategy"] = gr.Radio(choices("strategy", "en"), value=plain.strategy, label=label("set.strategy"))
            made["size"] = gr.Slider(20, 1000, plain.size, step=4, label=label("set.size"), elem_id="try-size")
            made["overlap"] = gr.Slider(
                0, 400, plain.overlap, step=4, label=label("set.overlap"), elem_id="try-overlap"
            )
        made["compared"] = gr.HTML(js_on_load=COMPARE_SCRIPT, elem_id="split-compared")
        made["apply"] = gr.Button(label("chunks.apply"), elem_id="apply-split", size="sm")
        made["progress"] = gr.HTML(js_on_load=None, elem_id="chunk-progress")
    return made


def _build_jumps(label: gr.I18n) -> dict[str, Any]:
    made: dict[str, Any] = {}
    with gr.Row(elem_classes=["jumps"]):
        made["search"] = gr.Textbox(
            label=label("chunks.search"),
            max_length=chunk_views.LONGEST_QUERY,
            max_lines=1,
            scale=3,
            min_width=200,
            elem_id="chunk-search",
        )
        made["match"] = _number(label("chunks.match"), "chunk-match")
        made["before"] = gr.Button(label("chunks.before"), size="sm", scale=0, min_width=80, elem_id="chunk-before")
        made["after"] = gr.Button(label("chunks.after"), size="sm", scale=0, min_width=80, elem_id="chunk-after")
        made["page"] = _number(label("chunks.page"), "chunk-page")
        made["section"] = gr.Dropdown(
            [], label=label("chunks.section"), scale=3, min_width=200, elem_id="chunk-section"
        )
        made["pick"] = _number(label("chunks.pick"), "chunk-pick")
    made["found"] = gr.HTML(js_on_load=None, elem_id="chunk-found")
    return made


def _number(label: Any, elem_id: str) -> gr.Number:
    return gr.Number(None, precision=0, minimum=1, step=1, label=label, min_width=110, scale=1, elem_id=elem_id)


def _build_table(label: gr.I18n) -> dict[str, Any]:
    made: dict[str, Any] = {}
    with gr.Row(elem_classes=["buttons"]):
        made["remarked"] = gr.Checkbox(False, label=label("chunks.remarked"), min_width=180, elem_id="chunk-remarked")
        made["rows"] = gr.Dropdown([], label=label("chunks.rows"), visible=False, min_width=140, elem_id="chunk-rows")
    made["table"] = gr.Dataframe(
        headers=["#"] * 9,
        column_widths=[48, 320, 64, 64, 62, 112, 46, 130, 150],
        label=label("chunks.table"),
        interactive=False,
        wrap=False,
        max_height=430,
        elem_id="chunk-table",
        buttons=[],
    )
    with gr.Row(elem_classes=["buttons"]):
        for kind in ("json", "csv"):
            made[kind] = gr.Button(
                label(f"chunks.save_{kind}"), size="sm", scale=0, min_width=150, elem_id=f"chunk-{kind}"
            )
    made["download"] = gr.HTML({}, html_template="<span></span>", js_on_load=SAVE_SCRIPT, elem_id="chunk-download")
    return made


def document_choices(corpus: Corpus) -> list[tuple[str, str]]:
    """Title and version of every document, own ones first, and its key."""
    ordered = sorted(corpus.documents.values(), key=lambda d: (d.origin != "own", d.title, d.version))
    return choices_of(ordered)


def show_chunks(tab: ChunksTab, opened: Opened) -> dict[Any, Any]:
    """One document's chunks, none chosen; nothing searched."""
    document, language = opened.document, opened.language
    sections = [(" › ".join(s.path), n) for n, s in enumerate(document.sections[:MOST_SECTIONS], 1)]
    n = len(document.sections)
    more = text("chunks.sections_cut", language, n=f"{MOST_SECTIONS:,}", all=f"{n:,}") if n > MOST_SECTIONS else ""
    return {
        tab.summary: summary(opened),
        tab.search: "",
        tab.match: None,
        tab.found: "",
        tab.page: _jump("chunks.page", len(document.pages), language),
        tab.section: gr.Dropdown(choices=sections, value=None, interactive=bool(sections), info=more or None),
        tab.pick: _jump("chunks.pick", len(opened.chunks), language),
        tab.detail: "",
        **show_text(tab, opened),
        **show_rows(tab, opened, False, 1),
    }


def summary(opened: Opened) -> str:
    """The figures of the chunks, and how many have which remark."""
    figures = chunk_views.figures(opened.chunks, opened.limit, opened.language)
    figures += chunk_views.remark_counts(opened.remarks, opened.language)
    if opened.compared:
        return figures
    return (
        figures
        + f'<p class="facts remark">{escape(text("chunks.not_compared", opened.language, n=f"{MOST_CHARACTERS:,}"))}</p>'
    )


def _jump(key: str, most: int, language: Language, value: int | None = None) -> gr.Number:
    name = text(key, language) + (text("chunks.of", language, n=f"{most:,}") if most else "")
    # no maximum: the browser would keep a wrong number to itself
    return gr.Number(value=value, label=name, interactive=most > 0)


def show_text(
    tab: ChunksTab,
    opened: Opened,
    focus: chunk_views.Span | None = None,
    found: Sequence[chunk_views.Span] = (),
    at: int | None = None,
) -> dict[Any, Any]:
    """The part of the text around `focus`, or from `at`; see `chunk_views.chunked`."""
    part = chunk_views.around(opened.document, focus, at)
    return {tab.view: chunk_views.chunked(opened.document, opened.chunks, part, focus, found, opened.language)}


def show_one(tab: ChunksTab, opened: Opened, number: int, found: Sequence[chunk_views.Span] = ()) -> dict[Any, Any]:
    """The chunk of this number (from 1) framed in the text, and what is known of it."""
    chunk, twin = opened.chunks[number - 1], opened.twins[number - 1]
    like = twin + 1 if twin is not None else None
    said = chunk_views.detail(opened.document, chunk, opened.remarks[number - 1], like, opened.limit, opened.language)
    return {**show_text(tab, opened, (chunk.start, chunk.end), found), tab.detail: said}


def show_rows(tab: ChunksTab, opened: Opened, remarked: bool, part: int) -> dict[Any, Any]:
    """Rows of the table: the `part`-th `TABLE_ROWS` of all chunks or of those with remarks."""
    numbers = opened.numbers(remarked)
    parts = [numbers[i : i + TABLE_ROWS] for i in range(0, len(numbers), TABLE_ROWS)] or [[]]
    part = min(max(part, 1), len(parts))
    options = [(f"{rows[0]:,}–{rows[-1]:,}", n) for n, rows in enumerate(parts, 1) if rows]
    rows = chunk_views.chunk_rows(opened.chunks, parts[part - 1], opened.remarks, opened.limit, opened.language)
    return {
        tab.remarked: remarked,
        tab.rows: gr.Dropdown(choices=options, value=part if options else None, visible=len(parts) > 1),
        tab.table: {"headers": panels.columns("head.chunks", opened.language), "data": rows},
    }


def show_at(tab: ChunksTab, opened: Opened, number: int) -> dict[Any, Any]:
    """The chunk of this number (from 1) of a document that is being opened, its row in the table."""
    return {
        **show_one(tab, opened, number),
        **show_rows(tab, opened, False, (number - 1) // TABLE_ROWS + 1),
        tab.pick: _jump("chunks.pick", len(opened.chunks), opened.language, number),
    }


def show_preview(
    tab: ChunksTab, opened: Opened, splits: tuple[SplitSettings, SplitSettings], tried: Sequence[Chunk], at: int
) -> dict[Any, Any]:
    """The split in the index and the one that is tried, each with its figures and the text from offset `at`."""
    longest = chunk_views.longest_of(opened.chunks, tried)
    part = chunk_views.around(opened.document, None, at, _COMPARED)
    sides = zip(("chunks.now", "chunks.tried"), splits, (opened.chunks, tried), strict=True)
    made = "".join(
        f"<section><h3>{escape(text(key, opened.language))} · {escape(split_name(split, opened.language))}</h3>"
        f"{chunk_views.figures(chunks, opened.limit, opened.language, longest)}"
        f"{chunk_views.chunked(opened.document, chunks, part, None, (), opened.language)}</section>"
        for key, split, chunks in sides
    )
    return {tab.compared: f'<div class="beside compared-splits">{made}</div>'}


def split_name(split: SplitSettings, language: Language) -> str:
    """A split's strategy, size and overlap, for a heading."""
    return f"{text(f'option.{split.strategy}', language)} {split.size}/{split.overlap}"


def show_split(tab: ChunksTab, settings: Settings, language: Language) -> dict[Any, Any]:
    """The controls of the preview set to the split in effect."""
    split = settings.split
    return {
        tab.strategy: gr.Radio(choices=choices("strategy", language), value=split.strategy),
        tab.size: split.size,
        tab.overlap: split.overlap,
        tab.compared: "",
    }
