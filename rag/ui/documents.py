"""The Documents tab: files in, one row per document, remove, and what is being searched."""

from __future__ import annotations

from typing import Any, NamedTuple

import gradio as gr

from rag.corpus.index import Corpus
from rag.errors import Language
from rag.types import Document
from rag.ui import panels
from rag.ui.strings import text
from rag.workspace import Workspace


class DocumentsTab(NamedTuple):
    """Components of the Documents tab."""

    upload: gr.File
    progress: gr.HTML
    searching: gr.HTML
    include: gr.Checkbox
    which: gr.Dropdown
    remove: gr.Button
    table: gr.HTML


def build_documents(label: gr.I18n) -> DocumentsTab:
    """Build the tab inside the current layout."""
    searching = gr.HTML(js_on_load=None, elem_id="searching")
    with gr.Row():
        with gr.Column(scale=3, min_width=280):
            upload = gr.File(label=label("docs.upload"), file_count="multiple", height=150, elem_id="upload")
        with gr.Column(scale=2, min_width=280):
            include = gr.Checkbox(
                False, label=label("docs.include"), info=label("docs.include_info"), elem_id="include-samples"
            )
            with gr.Row():
                which = gr.Dropdown([], label=label("docs.remove_which"), elem_id="own-document", min_width=180)
                remove = gr.Button(label("docs.remove"), elem_id="remove", scale=0, min_width=90, interactive=False)
    progress = gr.HTML(js_on_load=None, elem_id="docs-progress")
    table = gr.HTML(js_on_load=None, elem_id="docs-table")
    return DocumentsTab(upload, progress, searching, include, which, remove, table)


def label_of(document: Document) -> str:
    """Title and version, as lists of documents show them."""
    return f"{document.title} · {document.version}" if document.version else document.title


def show_documents(tab: DocumentsTab, workspace: Workspace, corpus: Corpus, language: Language) -> dict[Any, Any]:
    """What the tab shows for this visitor now."""
    own = workspace.own_documents()
    own_keys = {d.key for d in own}
    documents = [*own, *(d for d in corpus.documents.values() if d.key not in own_keys)]
    key = "searching_samples" if not own else ("searching_both" if workspace.include_samples else "searching_own")
    line = text(f"docs.{key}", language, n=len(corpus.documents), chunks=len(corpus.chunks))
    return {
        tab.searching: panels.notice(line),
        tab.include: gr.Checkbox(value=workspace.include_samples),
        tab.which: gr.Dropdown(choices=[(label_of(d), d.key) for d in own], value=own[0].key if own else None),
        tab.remove: gr.Button(interactive=bool(own)),
        tab.table: panels.document_table(documents, corpus.chunks, workspace.reports(), language),
    }
