"""The question set in use: which it is, what it is called, and what the Evaluate tab shows of it."""

from __future__ import annotations

from typing import Any

import gradio as gr

from rag.corpus.index import Corpus
from rag.errors import Language
from rag.evaluate import words
from rag.evaluate.labels import Resolver
from rag.evaluate.question_cells import header
from rag.evaluate.question_files import sample_set, table_rows
from rag.evaluate.questions import QuestionSet
from rag.ui import panels, render
from rag.ui.evaluate import EvaluateTab
from rag.ui.sessions import Visit
from rag.ui.strings import text


def name_of(questions: QuestionSet, language: Language) -> str:
    """What a set is called on the page; a file may be called like the built-in set and is another."""
    is_sample = questions.name == "sample" and questions == sample_set()
    return text("eval.samples_name", language) if is_sample else questions.name


def edited_name(questions: QuestionSet | None, language: Language) -> str:
    """What a set is called once it was changed here, or begun here."""
    if questions is None:
        return text("eval.own_name", language)
    begun = {text("eval.own_name", "en"), text("eval.own_name", "zh")}
    ends = (text("eval.edited", "en"), text("eval.edited", "zh"))
    name = name_of(questions, language)
    return name if name in begun or name.endswith(ends) else name + text("eval.edited", language)


def set_in_use(visit: Visit) -> QuestionSet | None:
    """The set the visitor brought; without one the built-in questions, as long as no own documents are searched."""
    if visit.questions is None and not visit.workspace.own_documents():
        return sample_set()
    return visit.questions


def show_set(
    tab: EvaluateTab, questions: QuestionSet | None, corpus: Corpus | None, language: Language
) -> dict[Any, Any]:
    """The line on a set, its categories to choose from, and its rows to edit."""
    rows = table_rows(questions, language) if questions is not None else []
    names = questions.categories() if questions is not None else ()
    choices = [(name or words.text("report.no_category", language), name) for name in names]
    return {
        tab.set_line: set_line(questions, corpus, language),
        tab.categories: gr.Dropdown(choices=choices, value=[], multiselect=True),
        tab.table: {"headers": header(language), "data": rows},
    }


def set_line(questions: QuestionSet | None, corpus: Corpus | None, language: Language) -> str:
    """Which set is loaded, what its questions expect, and how many labels point to nothing in `corpus`."""
    if questions is None:
        return panels.notice(text("eval.set_none", language))
    expects = [q.expects for q in questions.questions]
    counts = {kind: expects.count(kind) for kind in ("answer", "refusal", "unknown")}
    drafts = sum(q.draft for q in questions.questions)
    line = text("eval.set_line", language, name=name_of(questions, language), n=len(expects), draft=drafts, **counts)
    if corpus is None:
        return panels.notice(line)
    labelled = any(q.relevant for q in questions.questions)
    resolver = Resolver(corpus, frozenset(corpus.documents))
    missing = [found for q in questions.questions if (found := resolver.resolve(q).missing)]
    if not missing:
        return panels.notice(f"{line} · {text('eval.set_found', language)}" if labelled else line)
    example = render.preview(missing[0][0].document, 60)
    n = sum(map(len, missing))
    lost = text("eval.set_missing", language, n=n, questions=len(missing), example=example)
    return panels.notice(f"{line} · {lost}", "warning")
