"""The Documents tab: files in, one row per document, what is being searched, and one document looked at and corrected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date
from typing import Any, NamedTuple

import gradio as gr

from rag.corpus.current import in_force
from rag.corpus.index import Corpus
from rag.errors import Language
from rag.types import Document
from rag.ui import document_details, panels
from rag.ui.document_details import View
from rag.ui.strings import text
from rag.ui.style import VIEW_SCRIPT
from rag.workspace import Workspace

EDITED = ("title", "version", "effective_from", "effective_to")
"""What a visitor can correct."""
_VIEWS: tuple[View, ...] = ("cleaned", "as_read")
_AGAIN = ("replace", "beside")


class DocumentsTab(NamedTuple):
    """Components of the Documents tab."""

    upload: gr.File
    again: gr.Radio
    progress: gr.HTML
    stop: gr.Button
    searching: gr.HTML
    include: gr.Checkbox
    table: gr.HTML
    which: gr.Dropdown
    remove: gr.Button
    asked: gr.Row
    asked_which: gr.HTML
    remove_yes: gr.Button
    remove_no: gr.Button
    known: gr.HTML
    title: gr.Textbox
    version: gr.Textbox
    effective_from: gr.Textbox
    effective_to: gr.Textbox
    save: gr.Button
    saved: gr.HTML
    left_out: gr.HTML
    view: gr.Radio
    text: gr.HTML

    def fields(self) -> list[gr.Textbox]:
        """What a visitor can correct, in the order of `EDITED`."""
        return [self.title, self.version, self.effective_from, self.effective_to]

    def opened(self) -> list[Any]:
        """What is written when a document is opened."""
        return [
            self.which, self.remove, self.asked, self.asked_which, self.known, *self.fields(), self.save, self.saved, self.left_out, self.view, self.text,
        ]  # fmt: skip

    def written(self) -> list[Any]:
        """What is written when the corpus changes."""
        return [self.upload, self.progress, self.searching, self.include, self.table, *self.opened()]


def build_documents(label: gr.I18n) -> DocumentsTab:
    """Build the tab inside the current layout."""
    made: dict[str, Any] = {"searching": gr.HTML(js_on_load=None, elem_id="searching")}
    with gr.Row():
        with gr.Column(scale=3, min_width=280):
            made["upload"] = gr.File(label=label("docs.upload"), file_count="multiple", height=150, elem_id="upload")
            gr.Markdown(label("docs.kinds"), elem_classes=["caption"])
        with gr.Column(scale=2, min_width=280):
            made["again"] = gr.Radio(
                again_choices("en"), value="replace", label=label("docs.again"), info=label("docs.again_info"), elem_id="again"
            )  # fmt: skip
            made["include"] = gr.Checkbox(
                False, label=label("docs.include"), info=label("docs.include_info"), elem_id="include-samples"
            )
    with gr.Row(elem_classes=["buttons", "work"]):
        made["progress"] = gr.HTML(js_on_load=None, elem_id="docs-progress", min_width=240)
        made["stop"] = gr.Button(label("ask.stop"), size="sm", scale=0, min_width=88, elem_id="docs-stop")
    made["table"] = gr.HTML(js_on_load=None, elem_id="docs-table")
    gr.Markdown(label("details.heading"))
    with gr.Row(elem_classes=["buttons"]):
        made["which"] = gr.Dropdown([], label=label("docs.which"), elem_id="document", min_width=240)
        made["remove"] = gr.Button(
            label("docs.remove"), elem_id="remove", scale=0, min_width=90, interactive=False
        )  # fmt: skip
    # behind the button in the order of the keyboard; another button, so that a double click confirms nothing
    with gr.Row(visible=False, elem_classes=["buttons"], elem_id="remove-asked") as made["asked"]:
        made["asked_which"] = gr.HTML(js_on_load=None, elem_id="remove-which", min_width=240)
        made["remove_yes"] = gr.Button(label("docs.remove_yes"), scale=0, min_width=110, elem_id="remove-yes")
        made["remove_no"] = gr.Button(label("docs.remove_no"), scale=0, min_width=90, elem_id="remove-no")
    with gr.Row(equal_height=False):
        with gr.Column(scale=4, min_width=300):
            made |= _build_facts(label)
        with gr.Column(scale=5, min_width=300):
            made["view"] = gr.Radio(view_choices("en"), value="cleaned", label=label("details.view"), elem_id="as-read")
            made["text"] = gr.HTML(js_on_load=VIEW_SCRIPT, elem_id="document-text")
    return DocumentsTab(**made)


def _build_facts(label: gr.I18n) -> dict[str, Any]:
    made: dict[str, Any] = {}
    with gr.Row():
        for field in EDITED:
            made[field] = gr.Textbox(
                label=label(f"details.{field}"),
                max_length=200,
                max_lines=1,
                min_width=280 if field == "title" else 140,
                interactive=False,
                elem_id=f"document-{field}",
            )
    with gr.Row(elem_classes=["buttons"]):
        made["save"] = gr.Button(
            label("details.save"), size="sm", scale=0, min_width=190, interactive=False, elem_id="document-save"
        )
    made["saved"] = gr.HTML(js_on_load=None, elem_id="document-saved")
    made["known"] = gr.HTML(js_on_load=None, elem_id="document-known")
    gr.Markdown(label("details.left_out_heading"))
    made["left_out"] = gr.HTML(js_on_load=None, elem_id="document-left-out")
    return made


def again_choices(language: Language) -> list[tuple[str, str]]:
    """What can happen to the earlier document of a file that comes again."""
    return [(text(f"docs.again_{name}", language), name) for name in _AGAIN]


def view_choices(language: Language) -> list[tuple[str, str]]:
    """How a document's text can be seen."""
    return [(text(f"details.{name}", language), name) for name in _VIEWS]


def in_language(tab: DocumentsTab, language: Language) -> dict[Any, Any]:
    """The options in the visitor's language."""
    return {tab.again: gr.Radio(choices=again_choices(language), value="replace")}


def choices_of(documents: Sequence[Document]) -> list[tuple[str, str]]:
    """What lists of documents show, and the key: title and version, and the key itself behind those that share both."""
    labels = [f"{d.title} · {d.version}" if d.version else d.title for d in documents]
    several = Counter(labels)
    return [
        (f"{label} · {d.key}" if several[label] > 1 else label, d.key)
        for label, d in zip(labels, documents, strict=True)
    ]


def all_documents(workspace: Workspace, corpus: Corpus) -> list[Document]:
    """The visitor's own documents, then the others that are searched."""
    own = workspace.own_documents()
    own_keys = {d.key for d in own}
    return [*own, *(d for d in corpus.documents.values() if d.key not in own_keys)]


def show_documents(
    tab: DocumentsTab, workspace: Workspace, corpus: Corpus, chosen: str, language: Language
) -> dict[Any, Any]:
    """What the tab shows for this visitor now, but for the document of key `chosen`, see `show_document`."""
    own, documents = workspace.own_documents(), all_documents(workspace, corpus)
    key = "searching_samples" if not own else ("searching_both" if workspace.include_samples else "searching_own")
    line = text(f"docs.{key}", language, n=len(corpus.documents), chunks=len(corpus.chunks))
    others = out_of_scope(workspace, corpus)
    counts = Counter(others.values())
    if parts := [text(f"docs.others_{why}", language, n=counts[why]) for why in ("version", "later") if counts[why]]:
        line += text("docs.others", language, parts=text("list.between", language).join(parts))
    return {
        tab.searching: panels.notice(line),
        tab.include: gr.Checkbox(value=workspace.include_samples),
        tab.which: gr.Dropdown(choices=choices_of(documents), value=chosen or None),
        tab.table: panels.document_table(
            documents, corpus.chunks, workspace.reports(), others, workspace.relations(), language
        ),
    }


def scope(workspace: Workspace) -> tuple[str, date]:
    """What decides beside the corpus which documents are searched: the versions, and the day they are in force on."""
    search = workspace.settings.search
    return search.scope, search.as_of or date.today()


def out_of_scope(workspace: Workspace, corpus: Corpus) -> dict[str, str]:
    """The keys of what is not searched, and why: another "version" is in force, or this one begins "later"."""
    versions, day = scope(workspace)
    if versions == "all":
        return {}
    searched = in_force(corpus.documents.values(), day)
    return {
        key: "later" if d.effective_from is not None and d.effective_from > day else "version"
        for key, d in corpus.documents.items()
        if key not in searched
    }


def not_asked(tab: DocumentsTab) -> dict[Any, Any]:
    """Nobody is asked whether to remove a document."""
    return {tab.asked: gr.Row(visible=False), tab.asked_which: ""}


def show_document(tab: DocumentsTab, document: Document, language: Language) -> dict[Any, Any]:
    """One document: what is known of it, its text as it is searched; one's own can be corrected."""
    own = document.origin == "own"
    shown: dict[Any, Any] = {
        tab.remove: gr.Button(interactive=own),
        **not_asked(tab),
        tab.save: gr.Button(interactive=own),
        tab.saved: "" if own else panels.notice(text("details.sample", language)),
        tab.known: document_details.known(document, language),
        tab.left_out: document_details.left_out(document, language),
        tab.view: gr.Radio(choices=view_choices(language), value="cleaned"),
        tab.text: document_details.shown_text(document, "cleaned", 0, language),
    }
    for field, component in zip(EDITED, tab.fields(), strict=True):
        # an empty line of the same height where nobody says anything: the fields stay in one row
        info = document_details.who(document, field, language) or "\u00a0"
        shown[component] = gr.Textbox(value=str(getattr(document, field) or ""), info=info, interactive=own)
    return shown
