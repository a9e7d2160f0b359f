"""The Candidates tab: every candidate with its scores and its fate, why it is there, and the chunk in its document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import gradio as gr

from rag.asking import Asked
from rag.corpus.index import Corpus
from rag.errors import Language
from rag.types import Candidate, Retrieval
from rag.ui import candidates_table, candidates_why, panels, render
from rag.ui.candidates_beside import beside
from rag.ui.candidates_table import EVERY, SORTS, Sort
from rag.ui.scripts_candidates import CANDIDATE_SCRIPT, MAP_SCRIPT, SCROLL_TO_PROGRESS
from rag.ui.strings import text


class CandidatesTab(NamedTuple):
    """Components of the Candidates tab."""

    progress: gr.HTML
    summary: gr.HTML
    words: gr.Textbox
    outcome: gr.Dropdown
    sort: gr.Dropdown
    table: gr.Dataframe
    count: gr.HTML
    pick: gr.Dropdown
    view: gr.HTML
    reasons: gr.HTML
    pairs: gr.HTML
    outside: gr.HTML
    beside: gr.HTML
    keep: gr.Button
    drop: gr.Button
    draw: gr.Button
    map: gr.HTML

    def rows(self) -> list[Any]:
        """What decides which rows are shown, in what order."""
        return [self.words, self.outcome, self.sort]

    def listed(self) -> list[Any]:
        """What shows the rows."""
        return [self.table, self.count, self.pick]

    def opened(self) -> list[Any]:
        """What shows one candidate."""
        return [self.pick, self.view, self.reasons, self.pairs]


KINDS = ["number", "str", *["number"] * 8, "str", "str", "str", "number", "str", "str", "str"]
WIDTHS = [56, 128, 82, 56, 82, 56, 82, 56, 82, 56, 170, 330, 96, 56, 200, 70, 200]


def build_candidates(label: gr.I18n) -> CandidatesTab:
    """Build the tab inside the current layout."""
    progress = gr.HTML(js_on_load=SCROLL_TO_PROGRESS, elem_id="cand-progress")
    summary = gr.HTML(js_on_load=None, elem_id="cand-summary")
    with gr.Row():
        words = gr.Textbox(
            label=label("cand.filter"),
            placeholder=label("cand.filter_hint"),
            max_length=200,
            lines=1,
            max_lines=1,
            elem_id="cand-filter",
        )
        outcome = gr.Dropdown([], label=label("cand.outcome"), elem_id="cand-outcome")
        sort = gr.Dropdown(list(SORTS), value="rank", label=label("cand.sort"), elem_id="cand-sort")
    table = gr.Dataframe(
        headers=["#"] * len(KINDS),
        datatype=KINDS,
        column_widths=WIDTHS,
        label=label("cand.table"),
        interactive=False,
        wrap=False,
        max_height=430,
        elem_id="cand-table",
        buttons=[],
    )
    count = gr.HTML(js_on_load=None, elem_id="cand-count")
    outside = gr.HTML(js_on_load=None, elem_id="cand-outside")
    pick = gr.Dropdown([], label=label("cand.pick"), elem_id="cand-pick")
    with gr.Row(elem_classes=["sides"]):
        with gr.Column(scale=3, min_width=300):
            view = gr.HTML(js_on_load=CANDIDATE_SCRIPT, elem_id="cand-view")
            gr.Markdown(label("cand.legend"), elem_classes=["caption"])
        with gr.Column(scale=2, min_width=300):
            reasons = gr.HTML(js_on_load=None, elem_id="cand-reasons")
            pairs = gr.HTML(js_on_load=None, elem_id="cand-pairs")
    with gr.Accordion(label("beside.title"), open=False, elem_id="cand-compare"):
        with gr.Row(elem_classes=["buttons"]):
            keep = gr.Button(label("beside.keep"), size="sm", scale=0, min_width=200, elem_id="cand-keep")
            drop = gr.Button(label("beside.drop"), size="sm", scale=0, min_width=200, elem_id="cand-drop")
        two = gr.HTML(js_on_load=None, elem_id="cand-beside")
    with gr.Accordion(label("map.title"), open=False, elem_id="cand-map-part"):
        draw = gr.Button(label("map.draw"), size="sm", scale=0, min_width=200, elem_id="cand-draw")
        place = gr.HTML(js_on_load=MAP_SCRIPT, elem_id="cand-map")
    return CandidatesTab(
        progress, summary, words, outcome, sort, table, count, pick, view, reasons, pairs, outside, two, keep, drop, draw, place
    )  # fmt: skip


def no_candidates(tab: CandidatesTab, line: str, language: Language) -> dict[Any, Any]:
    """The tab without candidates, and why in one line."""
    return {
        tab.summary: panels.notice(line),
        tab.words: "",
        tab.outcome: gr.Dropdown(choices=candidates_table.outcomes((), language), value=EVERY),
        tab.sort: gr.Dropdown(choices=[(text(f"sort.{name}", language), name) for name in SORTS], value="rank"),
        tab.table: {"headers": panels.columns("head.candidates", language), "data": []},
        tab.pick: gr.Dropdown(choices=[], value=None),
        **dict.fromkeys((tab.progress, tab.count, tab.view, tab.reasons, tab.pairs, tab.outside, tab.map), ""),
        tab.beside: panels.notice(text("beside.none", language)),
    }


def show_candidates(
    tab: CandidatesTab, asked: Asked, other: Asked | None, kept: bool, language: Language
) -> dict[Any, Any]:
    """The candidates of a retrieval, the first one opened, beside those of an `other` (`kept`: by the visitor)."""
    retrieval, corpus = asked.retrieval, asked.corpus
    found = retrieval.candidates
    packed = sum(c.status.fate == "packed" for c in found)
    line = text("cand.summary", language, n=len(found), question=render.preview(retrieval.question), packed=packed)
    edge = candidates_table.boundary(retrieval, language)
    outside = candidates_table.outside(retrieval, corpus.documents, language)
    if retrieval.problem is not None:
        line += " " + retrieval.problem.of(language)
    summary = panels.notice(line, "warning" if retrieval.problem else "info")
    if edge:
        summary += f'<p class="note edge">{render.escape(edge)}</p>'
    summary += candidates_table.ran(retrieval.trace, language)
    summary += candidates_table.searched(retrieval.query, retrieval.question, language)
    if not found:
        return no_candidates(tab, "", language) | {tab.summary: summary, tab.outside: outside}
    return {
        tab.progress: "",
        tab.summary: summary,
        tab.words: "",
        tab.outcome: gr.Dropdown(choices=candidates_table.outcomes(found, language), value=EVERY),
        tab.sort: "rank",
        **show_rows(tab, asked, ("", EVERY, "rank"), found[0].rank, language),
        **show_one(tab, found[0], asked, language),
        tab.outside: outside,
        tab.beside: show_beside(asked, other, kept, language),
        tab.map: "",
    }


def show_rows(
    tab: CandidatesTab, asked: Asked, wanted: tuple[str, str, Sort], opened: int, language: Language
) -> dict[Any, Any]:
    """The rows that hold the words and had the outcome `wanted`, in its order; the list beside them holds the same.

    `opened`: the rank of the candidate that is shown; the list stands at it as long as it holds it.
    """
    found, documents = asked.retrieval.candidates, asked.corpus.documents
    shown = candidates_table.chosen(found, documents, *wanted)[: render.TABLE_ROWS]
    said = text("cand.shown", language, shown=len(shown), n=len(found)) if len(shown) < len(found) else ""
    rows = candidates_table.candidate_rows(shown, asked.retrieval, documents, language)
    return {
        tab.table: {
            "headers": panels.columns("head.candidates", language),
            "data": rows,
            "metadata": {"display_value": candidates_table.written(rows)},
        },
        tab.count: f'<p class="note">{render.escape(said)}</p>' if said else "",
        tab.pick: gr.Dropdown(
            choices=_names(shown, asked.corpus, language),
            value=opened if opened in {c.rank for c in shown} else None,
        ),
    }


def _names(found: Sequence[Candidate], corpus: Corpus, language: Language) -> list[tuple[str, int]]:
    """The choices of the list: what is shown, and the rank."""
    titles = corpus.documents
    return [
        (
            text(
                "cand.choice",
                language,
                rank=c.rank,
                title=titles[c.chunk.key].title,
                start=c.chunk.start,
                end=c.chunk.end,
            ),
            c.rank,
        )
        for c in found
    ]


def show_one(tab: CandidatesTab, candidate: Candidate, asked: Asked, language: Language) -> dict[Any, Any]:
    """A candidate in its document, and why it is where it is; its tokens are compared later, when they are asked for."""
    return {
        tab.view: candidate_view(candidate, asked.retrieval, asked.corpus, language),
        tab.reasons: candidates_why.reasons(candidate, asked.retrieval, asked.corpus, language),
        tab.pairs: f'<p class="note">{render.escape(text("pairs.wait", language))}</p>',
    }


def show_beside(asked: Asked, other: Asked | None, kept: bool, language: Language) -> str:
    """This retrieval and another one side by side; a hint while there is no other."""
    if other is None or other.retrieval is asked.retrieval:
        return panels.notice(text("beside.kept" if kept else "beside.none", language))
    return beside(asked, other, kept, language)


def candidate_view(candidate: Candidate, retrieval: Retrieval, corpus: Corpus, language: Language) -> str:
    """What each stage said of the candidate, and its chunk in the document with the words that were searched marked."""
    document = corpus.documents[candidate.chunk.key]
    words = candidates_why.shared_words(candidate, retrieval)
    return candidates_why.why(candidate, retrieval, corpus, language) + render.passage(
        document, candidate.chunk, language, words=words
    )
