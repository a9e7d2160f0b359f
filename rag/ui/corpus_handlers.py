"""Coming and going, and files: what a visitor can do with what is searched."""

from __future__ import annotations

from collections.abc import Iterator

import gradio as gr

from rag.corpus.samples import Samples
from rag.errors import Language, LimitReached, LoadError, RagError, Stopped
from rag.models.roles import Models
from rag.ui import answer as answer_tab
from rag.ui import candidates, chunks, documents, evaluate, gate, panels, prompt
from rag.ui.desk import Desk, Updates, bars, mistake
from rag.ui.examples import shown_examples
from rag.ui.guard import guarded, language
from rag.ui.page import TAB_IDS, Page
from rag.ui.sessions import Sessions, Visit
from rag.ui.settings import in_language
from rag.ui.strings import text
from rag.ui.uploads import UploadFolder


class CorpusHandlers(Desk):
    """One method per thing a visitor can do here. Every value from a browser is checked before it is used."""

    def __init__(self, page: Page, sessions: Sessions, models: Models, samples: Samples, uploads: UploadFolder) -> None:
        super().__init__(page, sessions, models)
        self._samples = samples
        self._uploads = uploads

    @guarded()
    def load(self, request: gr.Request) -> Updates:
        """A page was opened: everything in the visitor's language, the question and the tab from the address."""
        spoken, visit = language(request), self._visit(request)
        asked = dict(request.query_params)
        tab = asked.get("tab", "")
        shown: Updates = {
            self.page.question: str(asked.get("q", ""))[:1000],
            self.page.examples: shown_examples(spoken),
            self.page.tabs: gr.Tabs(selected=tab if tab in TAB_IDS else "documents"),
            **in_language(self.page.settings, spoken),
            **documents.in_language(self.page.documents, spoken),
            **evaluate.in_language(self.page.evaluate, spoken),
            **chunks.show_split(self.page.chunks, visit.workspace.settings, spoken),
            **candidates.no_candidates(self.page.candidates, text("cand.none", spoken), spoken),
            **prompt.no_prompt(self.page.prompt, text("prompt.none", spoken)),
            **answer_tab.empty_answer(self.page.answer, panels.phase("", text("answer.idle", spoken)), spoken),
            **gate.no_gate(self.page.gate),
        }
        # a page that came back shows nothing yet
        visit.scope = ()
        visit.seen_corpus, visit.seen_found, visit.seen_set, visit.seen_results = None, None, (), False
        return shown | self._standing(visit, spoken)

    @guarded()
    def tick(self, request: gr.Request) -> Updates:
        """The poll while models and samples are on their way; ends itself when all of them have settled."""
        try:
            visit = self._visit(request)
        except LimitReached as error:  # no room: said once, not every second
            said = panels.notice(error.message(language(request)), "error")
            return {self.page.documents.searching: said, self.page.timer: gr.Timer(active=False)}
        return self._standing(visit, language(request))

    def leave(self, request: gr.Request) -> None:
        """The page went away."""
        if request.session_hash:
            self._sessions.left(request.session_hash, request.username)

    @guarded("documents.progress")
    def add(self, sent: object, again: object, request: gr.Request) -> Iterator[Updates]:
        """Files were dropped: read and delete them, then index them while the page shows how far it is.

        `again`: whether a file that was there before goes "beside" the earlier one; it replaces it for any other value.
        """
        spoken, visit, tab = language(request), self._visit(request), self.page.documents
        uploads = self._uploads.take(sent or [], visit.workspace.held_bytes())
        # an emptied drop zone: its links would lead to deleted files
        yield {tab.upload: None}
        try:
            with visit.running("index") as stop:
                yield from bars(tab.progress, visit.workspace.add(uploads, stop, beside=again == "beside"), spoken)
        except Stopped:
            said = text("stopped.files", spoken, names=text("list.between", spoken).join(u.name for u in uploads))
            yield {tab.progress: panels.phase("stopped", said), **self._corpus(visit, spoken)}
            return
        finally:
            visit.forget_removed()  # another file of the same name took a document's place
        reports = visit.workspace.reports()
        reports = reports[max(0, len(reports) - len(uploads)) :]  # before them are those it had to wait for
        ok = sum(r.state != "error" for r in reports)
        visit.document = next((key for report in reports for key in report.keys), visit.document)
        done = panels.notice(
            text("docs.done", spoken, ok=ok, n=len(reports)), "info" if ok == len(reports) else "error"
        )
        yield {tab.progress: done, **self._corpus(visit, spoken)}

    @guarded()
    def ask_remove(self, key: object, request: gr.Request) -> Updates:
        """Remove was pressed: ask once, and note of which document."""
        spoken, visit, tab = language(request), self._visit(request), self.page.documents
        document = next((d for d in visit.workspace.own_documents() if d.key == key), None)
        if document is None:
            raise mistake(LoadError, "docs.unknown")
        visit.removing = document.key
        said = text("docs.remove_really", spoken, name=document.title)
        return {tab.asked: gr.Row(visible=True), tab.asked_which: panels.notice(said, "warning")}

    @guarded()
    def keep(self, request: gr.Request) -> Updates:
        """The document stays."""
        self._visit(request).removing = ""
        return documents.not_asked(self.page.documents)

    @guarded("documents.progress", "stopped.remove")
    def remove(self, key: object, request: gr.Request) -> Iterator[Updates]:
        """An own document is taken out of the index, when `ask_remove` asked about this one last."""
        spoken, visit, tab = language(request), self._visit(request), self.page.documents
        asked, visit.removing = visit.removing, ""
        yield documents.not_asked(tab)
        if not asked and key == visit.going:  # the second press of a double click: the first one removes it
            return
        if not any(d.key == key for d in visit.workspace.own_documents()):
            raise mistake(LoadError, "docs.unknown")
        if asked != key:
            raise mistake(LoadError, "docs.remove_other")
        visit.going = asked
        try:
            with visit.running("index") as stop:
                yield from bars(tab.progress, visit.workspace.remove(str(key), stop), spoken)
        finally:
            visit.forget_removed()
        said = text("docs.removed" if visit.workspace.own_documents() else "docs.back_to_samples", spoken)
        yield {tab.progress: panels.notice(said), **self._corpus(visit, spoken)}

    @guarded("documents.progress", "stopped.index")
    def include_samples(self, flag: object, request: gr.Request) -> Iterator[Updates]:
        """The switch that adds the samples to what is searched; it shows what is so when that failed or was stopped."""
        spoken, visit, tab = language(request), self._visit(request), self.page.documents
        try:
            with visit.running("index") as stop:
                yield from bars(tab.progress, visit.workspace.use_samples(bool(flag), stop), spoken)
        except RagError:
            yield {tab.include: gr.Checkbox(value=visit.workspace.include_samples)}
            raise
        yield {tab.progress: "", **self._corpus(visit, spoken)}

    def _standing(self, visit: Visit, spoken: Language) -> Updates:
        # that a reranker cannot be had is no news for who did not choose it
        chose = visit.workspace.settings.select.rerank == "cross"
        roles = [r for r in self._models.status() if r.role != "reranker" or r.state != "failed" or chose]
        problem = self._samples.problem()
        ready = self._samples.ready()
        settled = all(r.state in ("ready", "failed") for r in roles) and (ready or problem is not None)
        shown: Updates = {self.page.models: panels.model_status(roles, ready, problem, spoken)}
        shown |= self._corpus_if_new(visit, spoken)
        if settled:
            shown[self.page.timer] = gr.Timer(active=False)
        return shown
