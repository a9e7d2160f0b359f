"""The Candidates tab: every candidate with its scores and its fate, and the chunk in its document."""

from __future__ import annotations

from typing import Any, NamedTuple

import gradio as gr

from rag.corpus.index import Corpus
from rag.corpus.lexical import terms
from rag.errors import Language
from rag.types import Candidate, Retrieval
from rag.ui import panels, render
from rag.ui.strings import text
from rag.ui.style import SCROLL_TO_MARK


class CandidatesTab(NamedTuple):
    """Components of the Candidates tab."""

    summary: gr.HTML
    table: gr.Dataframe
    pick: gr.Dropdown
    view: gr.HTML


KINDS = ["number", "str", *["number"] * 6, "str", "str", "str", "number", "str", "str"]
WIDTHS = [56, 128, 74, 56, 74, 56, 74, 56, 170, 330, 96, 56, 200, 70]


def build_candidates(label: gr.I18n) -> CandidatesTab:
    """Build the tab inside the current layout."""
    summary = gr.HTML(js_on_load=None, elem_id="cand-summary")
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
    pick = gr.Dropdown([], label=label("cand.pick"), elem_id="cand-pick")
    view = gr.HTML(js_on_load=SCROLL_TO_MARK, elem_id="cand-view")
    gr.Markdown(label("cand.legend"), elem_classes=["caption"])
    return CandidatesTab(summary, table, pick, view)


def no_candidates(tab: CandidatesTab, line: str, language: Language) -> dict[Any, Any]:
    """The tab without candidates, and why in one line."""
    return {
        tab.summary: panels.notice(line),
        tab.table: {"headers": panels.columns("head.candidates", language), "data": []},
        tab.pick: gr.Dropdown(choices=[], value=None),
        tab.view: "",
    }


def show_candidates(tab: CandidatesTab, retrieval: Retrieval, corpus: Corpus, language: Language) -> dict[Any, Any]:
    """The candidates of a retrieval, the first one opened."""
    if not retrieval.candidates:
        line = text("cand.summary", language, n=0, question=render.preview(retrieval.question), packed=0)
        return no_candidates(tab, line, language)
    heads = panels.columns("head.candidates", language)
    found = retrieval.candidates
    packed = sum(c.status.fate == "packed" for c in found)
    line = text("cand.summary", language, n=len(found), question=render.preview(retrieval.question), packed=packed)
    if retrieval.problem is not None:
        line += " " + retrieval.problem.of(language)
    names = [
        text(
            "cand.choice",
            language,
            rank=c.rank,
            title=corpus.documents[c.chunk.key].title,
            start=c.chunk.start,
            end=c.chunk.end,
        )
        for c in found
    ]
    return {
        tab.summary: panels.notice(line, "warning" if retrieval.problem else "info"),
        tab.table: {"headers": heads, "data": render.candidate_rows(found, corpus.documents, language)},
        tab.pick: gr.Dropdown(
            choices=[(name, c.rank) for name, c in zip(names, found, strict=True)], value=found[0].rank
        ),
        tab.view: candidate_view(found[0], retrieval, corpus, language),
    }


def candidate_view(candidate: Candidate, retrieval: Retrieval, corpus: Corpus, language: Language) -> str:
    """Why the candidate ranks where it does, and its chunk in the document with the question's words marked."""
    # single Chinese characters are terms of the index too, but marking every 年 and 的 would hide the rest
    asked = {t.term for t in terms(retrieval.question) if len(t.term) > 1 or t.term.isascii()}
    offset = candidate.chunk.start
    words = [(offset + t.start, offset + t.end) for t in terms(candidate.chunk.text) if t.term in asked]
    document = corpus.documents[candidate.chunk.key]
    reason = render.why(candidate, dict(retrieval.trace.settings), language)
    return reason + render.passage(document, candidate.chunk, language, words=words)
