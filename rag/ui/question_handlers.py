"""Questions and answers: what a visitor can ask, stop and open."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from typing import Any

import gradio as gr

from rag.config import Settings
from rag.errors import Language, SettingError
from rag.types import Retrieval
from rag.ui import answer as answer_tab
from rag.ui import candidates, panels, prompt
from rag.ui.desk import Desk, Updates, first, mistake, whole
from rag.ui.guard import guarded, language
from rag.ui.sessions import Visit
from rag.ui.settings import read_settings
from rag.ui.strings import examples, text


class QuestionHandlers(Desk):
    """One method per thing a visitor can do here. Every value from a browser is checked before it is used."""

    @guarded()
    def check_settings(self, values: Mapping[Any, Any], request: gr.Request) -> Updates:
        """A setting was changed: say what follows from it, or what is wrong with it."""
        spoken = language(request)
        try:
            settings = read_settings(self.page.settings, values)
        except SettingError as error:
            return {self.page.settings.note: panels.notice(error.message(spoken), "error")}
        return {self.page.settings.note: self._settings_note(self._visit(request), settings, spoken)}

    @guarded()
    def choose_example(self, request: gr.Request, event: gr.EventData) -> str:
        """An example question goes into the box."""
        known = examples(language(request))
        number = whole(event.n)
        if not 0 <= number < len(known):
            raise mistake(SettingError, "cand.gone")
        return known[number]

    @guarded("candidates.summary")
    def retrieve(self, values: Mapping[Any, Any], request: gr.Request) -> Iterator[Updates]:
        """Retrieve: the line up to the prompt."""
        yield {self.page.tabs: gr.Tabs(selected="candidates")}
        yield (yield from self._find(values, request))

    @guarded("answer.status")
    def ask(self, values: Mapping[Any, Any], request: gr.Request) -> Iterator[Updates]:
        """Answer, first half: as Retrieve, with the Answer tab in front."""
        spoken = language(request)
        self._visit(request).stop("answer")  # a new question ends the answer to the last one
        busy = panels.phase("searching", text("answer.searching", spoken))
        yield {
            self.page.tabs: gr.Tabs(selected="answer"),
            **answer_tab.empty_answer(self.page.answer, busy, spoken),
        }
        found = yield from self._find(values, request)
        yield found | {self.page.answer.status: panels.phase("waiting", text("answer.waiting", spoken))}

    @guarded("answer.status")
    def write(self, request: gr.Request) -> Iterator[Updates]:
        """Answer, second half: the model writes, on its turn."""
        spoken, visit = language(request), self._visit(request)
        retrieval = visit.workspace.last_retrieval
        if retrieval is None:
            raise mistake(SettingError, "cand.none")
        with visit.running("answer") as stop:
            for answer in visit.workspace.answer(retrieval.question, stop):
                if stop.is_set() and not answer.done:
                    continue  # "answering" must not arrive after "stopped"
                yield answer_tab.show_answer(self.page.answer, answer, spoken)

    @guarded()
    def stop(self, request: gr.Request) -> Updates:
        """Stop whatever runs for this visitor; what was written stays."""
        spoken, visit = language(request), self._visit(request)
        answering = visit.stop("answer")
        visit.stop("index")
        answer = visit.workspace.last_answer
        if not answering or answer is None:
            return {self.page.answer.status: panels.phase("stopped", text("error.stopped", spoken))}
        return answer_tab.show_answer(self.page.answer, answer, spoken, stopped=not answer.done)

    @guarded()
    def choose_candidate_row(self, request: gr.Request, event: gr.SelectData) -> Updates:
        """A row of the table of candidates; its first cell is the rank, whatever the table's order."""
        rank = whole(first(event.row_value))
        return self._candidate(rank, request) | {self.page.candidates.pick: rank}

    @guarded()
    def choose_candidate(self, rank: object, request: gr.Request) -> Updates:
        """A candidate by its rank, from the list."""
        return self._candidate(whole(rank), request)

    @guarded()
    def open_citation(self, request: gr.Request, event: gr.EventData) -> Updates:
        """A citation was pressed: its passage in its document."""
        workspace = self._visit(request).workspace
        answer, view = workspace.last_answer, None
        if answer is not None:
            citation = answer_tab.find_citation(answer, str(event.marker), whole(event.start))
            if citation is not None:
                view = answer_tab.source_view(citation, answer, workspace.corpus(), language(request))
        if view is None:
            raise mistake(SettingError, "answer.gone")
        return {self.page.answer.source: view}

    def _find(self, values: Mapping[Any, Any], request: gr.Request) -> Generator[Updates, None, Updates]:
        """The settings on the screen, then the search under exactly these; what was found is returned.

        It has to be in the caller's last yield: a later one empties tables in tabs that were not opened yet
        (the browser applies it to the very object the table still has to show).
        """
        spoken, visit = language(request), self._visit(request)
        settings = read_settings(self.page.settings, values)
        for progress in self._configure(visit, settings):
            yield {self.page.answer.status: panels.progress_bar(progress, spoken)}
        retrieval = visit.workspace.retrieve(str(values[self.page.question] or ""))
        return self._found(visit, retrieval, settings, spoken)

    def _found(self, visit: Visit, retrieval: Retrieval, settings: Settings, spoken: Language) -> Updates:
        corpus, kept = visit.workspace.corpus(), settings.generate.answer_tokens
        return {
            **self._corpus_if_new(visit, spoken),
            **candidates.show_candidates(self.page.candidates, retrieval, corpus, spoken),
            **prompt.show_prompt(self.page.prompt, retrieval, corpus, kept, spoken),
            self.page.answer.steps: panels.steps(retrieval.trace, spoken),
        }

    def _candidate(self, rank: int, request: gr.Request) -> Updates:
        workspace = self._visit(request).workspace
        retrieval, corpus = workspace.last_retrieval, workspace.corpus()
        found = next((c for c in retrieval.candidates if c.rank == rank), None) if retrieval else None
        if retrieval is None or found is None or found.chunk.key not in corpus.documents:
            raise mistake(SettingError, "cand.gone")
        return {self.page.candidates.view: candidates.candidate_view(found, retrieval, corpus, language(request))}
