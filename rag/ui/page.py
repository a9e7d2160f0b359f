"""The whole page as components: header, question, settings and the tabs."""

from __future__ import annotations

from typing import NamedTuple

import gradio as gr

from rag.config import Limits
from rag.ui.answer import AnswerTab, build_answer
from rag.ui.candidates import CandidatesTab, build_candidates
from rag.ui.chunks import ChunksTab, build_chunks
from rag.ui.documents import DocumentsTab, build_documents
from rag.ui.evaluate import EvaluateTab, build_evaluate
from rag.ui.gate import GateView, build_gate
from rag.ui.prompt import PromptTab, build_prompt
from rag.ui.settings import SettingsPanel, build_settings
from rag.ui.style import EXAMPLES_SCRIPT

TAB_IDS = ("documents", "chunks", "candidates", "prompt", "answer", "evaluate")


class Page(NamedTuple):
    """Every component that a handler reads or writes."""

    models: gr.HTML
    timer: gr.Timer
    question: gr.Textbox
    ask: gr.Button
    retrieve: gr.Button
    stop: gr.Button
    earlier: gr.HTML
    drop: gr.Button
    examples: gr.HTML
    settings: SettingsPanel
    tabs: gr.Tabs
    documents: DocumentsTab
    chunks: ChunksTab
    candidates_tab: gr.Tab
    candidates: CandidatesTab
    prompt_tab: gr.Tab
    prompt: PromptTab
    gate: GateView
    answer: AnswerTab
    evaluate_tab: gr.Tab
    evaluate: EvaluateTab


def build_page(label: gr.I18n, limits: Limits) -> Page:
    """Build everything inside the current ``gr.Blocks``; `label` gives the strings the browser translates."""
    gr.Markdown(label("app.title"), elem_id="title")
    gr.Markdown(label("app.what"), elem_id="what")
    models = gr.HTML(js_on_load=None, elem_id="models")
    with gr.Row(elem_id="ask-row"):
        question = gr.Textbox(
            label=label("ask.question"),
            placeholder=label("ask.placeholder"),
            max_length=limits.question_characters,
            lines=1,
            max_lines=1,
            scale=6,
            min_width=280,
            elem_id="question",
        )
        ask = gr.Button(label("ask.answer"), variant="primary", scale=0, min_width=88, elem_id="ask")
        retrieve = gr.Button(label("ask.retrieve"), scale=0, min_width=88, elem_id="retrieve")
        stop = gr.Button(label("ask.stop"), scale=0, min_width=88, elem_id="stop")
    with gr.Row(elem_id="earlier-row"):
        earlier = gr.HTML(js_on_load=None, elem_id="earlier")
        drop = gr.Button(label("ask.drop"), size="sm", scale=0, min_width=88, visible=False, elem_id="drop-earlier")
    examples = gr.HTML({}, html_template="<div class='chips'></div>", js_on_load=EXAMPLES_SCRIPT, elem_id="examples")
    settings = build_settings(label)
    with gr.Tabs(selected="documents", elem_id="tabs", overflow_behavior="wrap") as tabs:
        with gr.Tab(label("tab.documents"), id="documents"):
            documents = build_documents(label)
        with gr.Tab(label("tab.chunks"), id="chunks"):
            chunks = build_chunks(label)
        with gr.Tab(label("tab.candidates"), id="candidates") as candidates_tab:
            candidates = build_candidates(label)
        with gr.Tab(label("tab.prompt"), id="prompt") as prompt_tab:
            prompt = build_prompt(label)
        with gr.Tab(label("tab.answer"), id="answer"):
            gate = build_gate(label)
            answer = build_answer(label)
        with gr.Tab(label("tab.evaluate"), id="evaluate") as evaluate_tab:
            evaluate = build_evaluate(label)
    return Page(
        models, gr.Timer(1.0), question, ask, retrieve, stop, earlier, drop, examples, settings, tabs, documents, chunks,
        candidates_tab, candidates, prompt_tab, prompt, gate, answer, evaluate_tab, evaluate,
    )  # fmt: skip
