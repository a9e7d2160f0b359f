"""One document on the Documents tab: opened, corrected, seen as it was read."""

from __future__ import annotations

from collections.abc import Iterator

import gradio as gr

from rag.errors import SettingError
from rag.ui import document_details, panels
from rag.ui.desk import Desk, Updates, bars, mistake, place_of
from rag.ui.document_details import View
from rag.ui.guard import guarded, language
from rag.ui.strings import text
from rag.workspace import Edit


class DocumentHandlers(Desk):
    """One method per thing a visitor can do here. Every value from a browser is checked before it is used."""

    @guarded()
    def choose(self, key: object, request: gr.Request) -> Updates:
        """Another document, here or in the Chunks tab: both show it."""
        return self._open(self._visit(request), key, language(request))

    @guarded()
    def choose_view(self, key: object, view: object, request: gr.Request) -> Updates:
        """The text as it is searched, or with what was left out."""
        return self._text(key, view, 0, request)

    @guarded()
    def turn(self, key: object, view: object, request: gr.Request, event: gr.EventData) -> Updates:
        """The part of a long text before or after the one that is shown."""
        return self._text(key, view, place_of(event), request)

    def _text(self, key: object, view: object, at: int, request: gr.Request) -> Updates:
        document = self._document(self._visit(request).workspace.corpus(), key)
        shown: View = "as_read" if view == "as_read" else "cleaned"
        return {self.page.documents.text: document_details.shown_text(document, shown, at, language(request))}

    @guarded("documents.saved", "stopped.save")
    def save(
        self,
        key: object,
        title: object,
        version: object,
        effective_from: object,
        effective_to: object,
        request: gr.Request,
    ) -> Iterator[Updates]:
        """What the visitor says of a document takes the place of what was guessed; it is indexed again."""
        spoken, visit, tab = language(request), self._visit(request), self.page.documents
        keys = [d.key for d in visit.workspace.own_documents()]
        if key not in keys:
            raise mistake(SettingError, "docs.unknown")
        edit = Edit.typed(*map(_typed, (title, version, effective_from, effective_to)))
        try:
            with visit.running("index") as stop:
                yield from bars(tab.saved, visit.workspace.edit(str(key), edit, stop), spoken)
        finally:
            visit.forget_removed()
        place, own = keys.index(str(key)), visit.workspace.own_documents()
        if place < len(own):  # its key may be another one now; it is where it was
            visit.document = own[place].key
        yield {**self._corpus(visit, spoken), tab.saved: panels.notice(text("details.saved", spoken))}


def _typed(value: object) -> str:
    """What a text field holds; half of a surrogate pair cannot be indexed, and no field holds as much as this."""
    return str(value if value is not None else "").encode("utf-8", "ignore").decode()[:2000]
