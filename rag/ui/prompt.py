"""The Prompt tab: the exact string, its parts and their tokens, the budget, and what was left out."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import gradio as gr

from rag.corpus.index import Corpus
from rag.errors import Language
from rag.types import Retrieval
from rag.ui import panels
from rag.ui.flagged import withheld_table
from rag.ui.strings import text


class PromptTab(NamedTuple):
    """Components of the Prompt tab."""

    budget: gr.HTML
    text: gr.Code
    parts: gr.HTML
    messages: gr.Code


def build_prompt(label: gr.I18n) -> PromptTab:
    """Build the tab inside the current layout."""
    budget = gr.HTML(js_on_load=None, elem_id="prompt-budget")
    code = gr.Code(
        "",
        label=label("prompt.text"),
        language=None,
        wrap_lines=True,
        interactive=False,
        lines=8,
        max_lines=24,
        elem_id="prompt-text",
        buttons=["copy", "download"],
    )
    parts = gr.HTML(js_on_load=None, elem_id="prompt-parts")
    messages = gr.Code(
        "",
        label=label("prompt.messages"),
        language=None,
        wrap_lines=True,
        interactive=False,
        lines=4,
        max_lines=18,
        elem_id="prompt-messages",
        buttons=["copy", "download"],
    )
    return PromptTab(budget, code, parts, messages)


def no_prompt(tab: PromptTab, line: str, kind: str = "info") -> dict[Any, Any]:
    """The tab without a prompt, and why in one line."""
    return {tab.budget: panels.notice(line, kind), tab.text: "", tab.parts: "", tab.messages: ""}


def show_prompt(
    tab: PromptTab, retrieval: Retrieval, corpus: Corpus, answer_tokens: int, language: Language
) -> dict[Any, Any]:
    """The prompt of a retrieval, or why there is none."""
    prompt, problem = retrieval.prompt, retrieval.problem
    if prompt is None:
        return no_prompt(tab, problem.of(language) if problem else text("prompt.none", language), "warning")
    messages = [{"role": m.role, "content": m.content} for m in prompt.messages]
    if prompt.rendered:
        head = panels.budget(prompt, answer_tokens, language)
    else:
        head = panels.notice(problem.of(language) if problem else text("prompt.unrendered", language), "warning")
    return {
        tab.budget: head,
        tab.text: prompt.text,
        tab.parts: panels.prompt_parts(prompt, corpus.documents, language)
        + withheld_table(prompt, corpus.documents, language),
        tab.messages: json.dumps(messages, ensure_ascii=False, indent=2),
    }
