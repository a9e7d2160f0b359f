"""What the gate said of the evidence, above the answer: why it was refused, what came nearest, and the button that asks for an answer anyway."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import gradio as gr

from rag.errors import Language
from rag.types import Answer, Document, Gate
from rag.ui.panels import columns, notice, table
from rag.ui.render import escape
from rag.ui.strings import text


class GateView(NamedTuple):
    """Components above the answer."""

    why: gr.HTML
    anyway: gr.Button


def build_gate(label: gr.I18n) -> GateView:
    """Build it inside the current layout."""
    why = gr.HTML(js_on_load=None, elem_id="gate")
    anyway = gr.Button(label("gate.anyway"), size="sm", visible=False, elem_id="answer-anyway")
    return GateView(why, anyway)


def no_gate(view: GateView) -> dict[Any, Any]:
    """Nothing was weighed."""
    return {view.why: "", view.anyway: gr.Button(visible=False)}


def show_gate(view: GateView, answer: Answer, documents: Mapping[str, Document], language: Language) -> dict[Any, Any]:
    """A refusal with its reasons and the button; of evidence that was enough, its signals one click away."""
    weighed = answer.gate
    if weighed is None:
        return no_gate(view)
    signals = _signals(weighed, language)
    if weighed.enough:
        passed = "gate.written" if weighed.written else "gate.enough"  # once written, the answer is weighed too
        passed = passed if answer.quoted is None else "gate.unshown"
        said = escape(text(passed, language, p=f"{weighed.p:.2f}", below=f"{weighed.below:.2f}"))
        shown = f'<details class="gate"><summary>{said}</summary>{signals}</details>'
        if answer.quoted is not None:
            why = text(f"gate.{answer.quoted.why}", language)
            shown = notice(text("gate.quoted", language, why=why), "warning") + shown
        return {view.why: shown, view.anyway: gr.Button(visible=False)}
    against = min(weighed.signals, key=lambda signal: signal.gives)
    decided = text(f"gate.{against.name}", language)
    key = "gate.withdrawn" if weighed.written else "gate.refused"
    said = text(key, language, p=f"{weighed.p:.2f}", below=f"{weighed.below:.2f}", why=decided)
    shown = notice(said, "warning") + _nearest(weighed, answer, documents, language)
    shown += f'<details class="gate"><summary>{escape(text("gate.signals", language))}</summary>{signals}</details>'
    return {view.why: shown, view.anyway: gr.Button(visible=True)}


def _nearest(weighed: Gate, answer: Answer, documents: Mapping[str, Document], language: Language) -> str:
    """The sentences that came nearest, each under its source; without those whose document is gone."""
    packed = {evidence.marker: evidence for evidence in answer.prompt.packed}
    items = []
    for near in weighed.nearest:
        evidence = packed.get(near.marker)
        if evidence is not None and evidence.chunk.key in documents:
            words = documents[evidence.chunk.key].text[slice(*near.span)]
            items.append(f"<li><b>{escape(evidence.heading)}</b><p>{escape(words)}</p></li>")
    head = escape(text("gate.nearest", language))
    return f'<p class="sub">{head}</p><ul class="list gate">{"".join(items)}</ul>' if items else ""


def _signals(weighed: Gate, language: Language) -> str:
    rows = [
        (escape(text(f"gate.{signal.name}", language)), f"{signal.value:.3f}", f"{signal.gives:+.2f}")
        for signal in weighed.signals
    ]
    return (
        table(columns("head.gate", language), rows, "gate")
        + f'<p class="caption">{escape(text("gate.how", language))}</p>'
    )
