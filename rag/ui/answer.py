"""The Answer tab: the streamed answer, its citations and their sources, and what each step took."""

from __future__ import annotations

from typing import Any, NamedTuple

import gradio as gr

from rag.corpus.index import Corpus
from rag.errors import Language
from rag.types import Answer, Citation
from rag.ui import panels, render
from rag.ui.strings import text
from rag.ui.style import ANSWER_SCRIPT, SCROLL_TO_SOURCE


class AnswerTab(NamedTuple):
    """Components of the Answer tab."""

    status: gr.HTML
    answer: gr.HTML
    versions: gr.HTML
    """Which other versions say something on the question; set with what was found."""
    legend: gr.HTML
    source: gr.HTML
    steps: gr.HTML


def build_answer(label: gr.I18n) -> AnswerTab:
    """Build the tab inside the current layout."""
    status = gr.HTML(js_on_load=None, elem_id="answer-status")
    with gr.Row(equal_height=False):
        with gr.Column(scale=6, min_width=300):
            # the pieces are set with textContent by the script: no text ever becomes HTML here
            answer = gr.HTML(
                [],
                html_template="<div class='answer' aria-live='polite'></div>",
                js_on_load=ANSWER_SCRIPT,
                elem_id="answer",
            )
            versions = gr.HTML(js_on_load=None, elem_id="answer-versions")
            legend = gr.HTML(js_on_load=None, elem_id="answer-legend")
        with gr.Column(scale=5, min_width=300):
            source = gr.HTML(js_on_load=SCROLL_TO_SOURCE, elem_id="source")
    steps = gr.HTML(js_on_load=None, elem_id="steps")
    return AnswerTab(status, answer, versions, legend, source, steps)


def empty_answer(tab: AnswerTab, status: str, language: Language) -> dict[Any, Any]:
    """The tab before an answer, with a status line (HTML)."""
    return {
        tab.status: status,
        tab.answer: [],
        tab.versions: "",
        tab.legend: legend(language),
        tab.source: panels.notice(text("answer.source", language)),
        tab.steps: "",
    }


def legend(language: Language) -> str:
    """What the marks in the answer mean."""
    items = [
        ("cite model", "S1", text("answer.by_model", language)),
        ("cite system", "S1", text("answer.by_system", language)),
        ("invalid", "[S9]", text("answer.legend_invalid", language)),
        ("flag", text("answer.unsupported", language), text("answer.legend_bare", language)),
    ]
    cells = "".join(
        f'<li><span class="{css}" aria-hidden="true">{render.escape(sign)}</span>{render.escape(said)}</li>'
        for css, sign, said in items
    )
    return f'<ul class="legend">{cells}</ul>'


def show_answer(tab: AnswerTab, answer: Answer, language: Language, stopped: bool = False) -> dict[Any, Any]:
    """The answer as far as it is written; the steps once it is complete."""
    shown: dict[Any, Any] = {
        tab.status: panels.answer_line(answer, language, stopped),
        tab.answer: render.answer_segments(answer, language),
    }
    if answer.done or stopped:
        shown[tab.steps] = panels.steps(answer.trace, language)
    return shown


def find_citation(answer: Answer, marker: str, start: int) -> Citation | None:
    """The citation with this marker at this place, or the first with this marker; None when there is none."""
    valid = [c for c in answer.citations if c.chunk_id is not None and c.marker == marker]
    return next((c for c in valid if c.start == start), valid[0] if valid else None)


def source_view(citation: Citation, answer: Answer, corpus: Corpus, language: Language) -> str | None:
    """The passage a citation names, marked in its document; None when the document is gone."""
    chunk = next((e.chunk for e in answer.prompt.packed if e.chunk.chunk_id == citation.chunk_id), None)
    if chunk is None or chunk.key not in corpus.documents:
        return None
    by = text(f"answer.by_{citation.by}", language)
    line = text("answer.source_of", language, marker=citation.marker, by=by, support=f"{citation.support:.0%}")
    body = render.passage(corpus.documents[chunk.key], chunk, language, span=citation.span)
    return f'<p class="why">{render.escape(line)}</p>{body}'
