"""The Evaluate tab: its components, and what they say of the results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import gradio as gr

from rag.config import MOST_RULES
from rag.errors import Language, RagError
from rag.evaluate.questions import FIELDS, MOST_QUESTIONS
from rag.evaluate.run import GIVEN, Given
from rag.evaluate.variants import setting_names
from rag.types import Document
from rag.ui import panels
from rag.ui.sessions import Visit
from rag.ui.strings import text
from rag.ui.style import SAVE_SCRIPT

WHAT: dict[str, tuple[Given, ...]] = {"retrieval": (), "answers": ("retrieved",), "all": GIVEN}
"""What a run can be asked for, and the kinds of evidence it answers from then."""
SAVED = ("jsonl", "csv", "xlsx")
OUTCOME_KINDS = ["number", "str", "str", "str", "str", "str", "str"]
MOST_DRAFTS = 50


class EvaluateTab(NamedTuple):
    """Components of the Evaluate tab."""

    set_line: gr.HTML
    upload: gr.UploadButton
    samples: gr.Button
    jsonl: gr.Button
    csv: gr.Button
    xlsx: gr.Button
    set_note: gr.HTML
    table: gr.Dataframe
    apply: gr.Button
    draft_n: gr.Number
    draft: gr.Button
    draft_stop: gr.Button
    edit_note: gr.HTML
    what: gr.Radio
    categories: gr.Dropdown
    most: gr.Number
    k: gr.Number
    first: gr.Dropdown
    first_values: gr.Textbox
    second: gr.Dropdown
    second_values: gr.Textbox
    run: gr.Button
    stop: gr.Button
    progress: gr.HTML
    age: gr.HTML
    compared: gr.HTML
    choice: gr.Row
    which: gr.Dropdown
    use_variant: gr.Button
    used: gr.HTML
    figures: gr.HTML
    cut: gr.Column
    curve: gr.HTML
    threshold: gr.Slider
    threshold_view: gr.HTML
    use_threshold: gr.Button
    cut_note: gr.HTML
    more: gr.Column
    failed: gr.Checkbox
    count: gr.HTML
    outcomes: gr.Dataframe
    pick: gr.Dropdown
    diagnosis: gr.HTML
    report_html: gr.Button
    report_json: gr.Button
    download: gr.HTML

    def plan(self) -> set[Any]:
        """The components that say what to run."""
        compared = {self.first, self.first_values, self.second, self.second_values}
        return {self.what, self.categories, self.most, self.k, *compared}


def build_evaluate(label: gr.I18n) -> EvaluateTab:
    """Build the tab inside the current layout."""
    made = _build_set(label) | _build_run(label)
    made |= _build_results(label)
    with gr.Column(visible=False) as made["more"]:
        made |= _build_questions(label)
        gr.Markdown(label("eval.save_report"))
        with gr.Row(elem_classes=["buttons"]):
            for kind in ("html", "json"):
                made[f"report_{kind}"] = gr.Button(
                    label(f"eval.report_{kind}"), size="sm", scale=0, min_width=180, elem_id=f"eval-report-{kind}"
                )
    made["download"] = gr.HTML({}, html_template="<span></span>", js_on_load=SAVE_SCRIPT, elem_id="eval-download")
    return EvaluateTab(**made)


def _build_set(label: gr.I18n) -> dict[str, Any]:
    gr.Markdown(label("eval.set"))
    made: dict[str, Any] = {"set_line": gr.HTML(js_on_load=None, elem_id="eval-set")}
    with gr.Row(elem_classes=["buttons"]):
        made["upload"] = gr.UploadButton(label("eval.upload"), size="sm", scale=0, min_width=220, elem_id="eval-upload")
        made["samples"] = gr.Button(label("eval.samples"), size="sm", scale=0, min_width=110, elem_id="eval-samples")
        for kind in SAVED:
            made[kind] = gr.Button(
                label(f"eval.save_{kind}"), size="sm", scale=0, min_width=100, elem_id=f"eval-{kind}"
            )
    made["set_note"] = gr.HTML(js_on_load=None, elem_id="eval-set-note")
    with gr.Accordion(label("eval.edit"), open=False, elem_id="eval-edit"):
        gr.Markdown(label("eval.edit_help"), elem_classes=["caption"])
        made["table"] = gr.Dataframe(
            headers=list(FIELDS),
            datatype="str",
            column_widths=[100, 300, 110, 340, 180, 120, 160, 110, 100, 80, 80],
            label=label("eval.edit_table"),
            interactive=True,
            wrap=True,
            max_height=430,
            elem_id="eval-table",
            buttons=[],
        )
        with gr.Row(elem_classes=["buttons"]):
            made["apply"] = gr.Button(label("eval.apply"), size="sm", scale=0, min_width=110, elem_id="eval-apply")
            made["draft_n"] = gr.Number(
                5, precision=0, step=1, label=label("eval.draft_n"), scale=0, min_width=120, elem_id="eval-draft-n"
            )
            made["draft"] = gr.Button(label("eval.draft"), size="sm", scale=0, min_width=220, elem_id="eval-draft")
            made["draft_stop"] = gr.Button(
                label("eval.draft_stop"), size="sm", scale=0, min_width=110, elem_id="eval-draft-stop"
            )
        made["edit_note"] = gr.HTML(js_on_load=None, elem_id="eval-edit-note")
    return made


def _build_run(label: gr.I18n) -> dict[str, Any]:
    gr.Markdown(label("eval.run_title"))
    made: dict[str, Any] = {}
    kinds = [(text(f"eval.what_{kind}", "en"), kind) for kind in WHAT]
    made["what"] = gr.Radio(kinds, value="retrieval", label=label("eval.what"), elem_id="eval-what")
    with gr.Row():
        made["categories"] = gr.Dropdown(
            [], multiselect=True, label=label("eval.categories"), scale=3, min_width=240, elem_id="eval-categories"
        )
        made["most"] = gr.Number(
            MOST_QUESTIONS, precision=0, step=1, label=label("eval.most"), min_width=150, elem_id="eval-most"
        )
        made["k"] = gr.Number(10, precision=0, step=1, label=label("eval.k"), min_width=110, elem_id="eval-k")
    with gr.Accordion(label("eval.compare"), open=False, elem_id="eval-compare"):
        for name in ("first", "second"):
            with gr.Row():
                made[name] = gr.Dropdown([], label=label("eval.setting"), min_width=240, elem_id=f"eval-{name}")
                made[f"{name}_values"] = gr.Textbox(
                    label=label("eval.values"),
                    placeholder=label("eval.values_hint"),
                    max_length=MOST_RULES,
                    min_width=240,
                    elem_id=f"eval-{name}-values",
                )
    with gr.Row(elem_classes=["buttons"]):
        made["run"] = gr.Button(label("eval.run"), variant="primary", scale=0, min_width=88, elem_id="eval-run")
        made["stop"] = gr.Button(label("eval.stop"), scale=0, min_width=88, elem_id="eval-stop")
    made["progress"] = gr.HTML(js_on_load=None, elem_id="eval-progress")
    return made


def _build_results(label: gr.I18n) -> dict[str, Any]:
    """What is there for retrieval alone too; empty until a run has ended."""
    made: dict[str, Any] = {
        "age": gr.HTML(js_on_load=None, elem_id="eval-age"),
        "compared": gr.HTML(js_on_load=None, elem_id="eval-compared"),
    }
    with gr.Row(visible=False, elem_classes=["buttons"]) as made["choice"]:
        made["which"] = gr.Dropdown([], label=label("eval.which"), min_width=280, elem_id="eval-which")
        made["use_variant"] = gr.Button(label("eval.use_variant"), scale=0, min_width=150, elem_id="eval-use")
    made["used"] = gr.HTML(js_on_load=None, elem_id="eval-used")
    made["figures"] = gr.HTML(js_on_load=None, elem_id="eval-figures")
    with gr.Column(visible=False) as made["cut"]:
        gr.Markdown(label("eval.cut_title"))
        with gr.Row(equal_height=False):
            with gr.Column(min_width=300):
                made["curve"] = gr.HTML(js_on_load=None, elem_id="eval-curve")
            with gr.Column(min_width=300):
                made["threshold"] = gr.Slider(-1, 1, 0, step=0.001, label=label("eval.cut"), elem_id="eval-threshold")
                made["threshold_view"] = gr.HTML(js_on_load=None, elem_id="eval-cut-view")
                made["use_threshold"] = gr.Button(label("eval.use_cut"), size="sm", elem_id="eval-use-cut")
                made["cut_note"] = gr.HTML(js_on_load=None, elem_id="eval-cut-note")
    return made


def _build_questions(label: gr.I18n) -> dict[str, Any]:
    gr.Markdown(label("eval.questions"))
    made: dict[str, Any] = {"failed": gr.Checkbox(False, label=label("eval.failed_only"), elem_id="eval-failed")}
    made["count"] = gr.HTML(js_on_load=None, elem_id="eval-count")
    made["outcomes"] = gr.Dataframe(
        headers=["#"] * len(OUTCOME_KINDS),
        datatype=OUTCOME_KINDS,
        column_widths=[50, 130, 110, 420, 70, 90, 190],
        label=label("eval.outcomes"),
        interactive=False,
        wrap=False,
        max_height=430,
        elem_id="eval-outcomes",
        buttons=[],
    )
    made["pick"] = gr.Dropdown([], label=label("eval.pick"), elem_id="eval-pick")
    made["diagnosis"] = gr.HTML(js_on_load=None, elem_id="eval-diagnosis")
    return made


def in_language(tab: EvaluateTab, language: Language) -> dict[Any, Any]:
    """The options in the visitor's language."""
    labels = {name: text(f"set.{name.split('.')[1]}", language) for name in setting_names()}
    names = [(text("eval.no_setting", language), ""), *((f"{said} · {name}", name) for name, said in labels.items())]
    kinds = [(text(f"eval.what_{kind}", language), kind) for kind in WHAT]
    return {
        tab.what: gr.Radio(choices=kinds),
        tab.first: gr.Dropdown(choices=names, value=""),
        tab.second: gr.Dropdown(choices=names, value=""),
    }


def age(visit: Visit, language: Language) -> str:
    """A remark when the results are about documents that are not what is searched now."""
    if visit.experiment is None:
        return ""
    try:
        now: Mapping[str, Document] | None = visit.workspace.corpus().documents
    except RagError:  # the samples are on their way
        now = None
    same = now is not None and dict(now) == dict(visit.experiment.runs[0].bench.corpus.documents)
    return "" if same else panels.notice(text("eval.earlier", language), "warning")


def no_results(tab: EvaluateTab) -> dict[Any, Any]:
    """The tab without results."""
    return {
        **dict.fromkeys((tab.age, tab.compared, tab.used, tab.figures), ""),
        **dict.fromkeys((tab.cut, tab.more), gr.Column(visible=False)),
        tab.choice: gr.Row(visible=False),
    }
