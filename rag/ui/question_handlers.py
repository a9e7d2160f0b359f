"""Questions and answers: what a visitor can ask, stop and open."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final

import gradio as gr

from rag.ask.query import groups as known_synonyms
from rag.errors import Language, SettingError, Stopped
from rag.types import Answer
from rag.ui import answer as answer_tab
from rag.ui import conflicts, gate, panels
from rag.ui.desk import Desk, Updates, bars, mistake, part_of, whole
from rag.ui.examples import examples
from rag.ui.guard import guarded, language
from rag.ui.sessions import Asking, Visit
from rag.ui.settings import chosen_documents, read_settings
from rag.ui.strings import text
from rag.workspace import Asked

REFRESH_S: Final = 0.25
"""A growing answer is shown again after so long: showing it takes the cores that write it, and the visitor's, as long as a token does."""
READING_S: Final = 0.45
"""The same while nothing is written yet, and only seconds go by. A closed page is noticed when something is sent: within half a second."""
LOOK_S: Final = 0.1
"""Whether a search has ended is looked at so often, for a tab that was opened in the meantime."""


class QuestionHandlers(Desk):
    """One method per thing a visitor can do here. Every value from a browser is checked before it is used."""

    @guarded()
    def check_settings(self, values: Mapping[Any, Any], request: gr.Request) -> Updates:
        """A setting was changed: say what follows from it, or what is wrong with it."""
        spoken, visit = language(request), self._visit(request)
        visit.scope = chosen_documents(self.page.settings, values)
        try:
            settings = read_settings(self.page.settings, values)
            known_synonyms(settings.query)
        except SettingError as error:
            return {self.page.settings.note: panels.notice(error.message(spoken), "error")}
        return {self.page.settings.note: self._settings_note(visit, settings, spoken)}

    @guarded()
    def choose_example(self, request: gr.Request, event: gr.EventData) -> str:
        """An example question goes into the box."""
        known = examples(language(request))
        number = whole(part_of(event, "n"))
        if not 0 <= number < len(known):
            raise mistake(SettingError, "cand.gone")
        return known[number]

    @guarded()
    def drop_earlier(self, request: gr.Request) -> Updates:
        """The next question follows none of those before it."""
        visit = self._visit(request)
        visit.workspace.drop_earlier()
        return self._earlier(visit, language(request))

    @guarded("candidates.progress")
    def retrieve(self, values: Mapping[Any, Any], request: gr.Request) -> Iterator[Updates]:
        """Retrieve: the line up to the prompt."""
        spoken, visit = language(request), self._visit(request)
        visit.stop("search")
        visit.stop("answer")
        # the answer to an earlier question must not stand under this one's steps
        idle = panels.phase("", text("answer.retrieved", spoken))
        with _asking(visit) as question:
            yield {
                self.page.tabs: gr.Tabs(selected="candidates"),
                self.page.candidates.progress: panels.phase("searching", text("answer.searching", spoken)),
                **answer_tab.empty_answer(self.page.answer, idle, spoken),
                **gate.no_gate(self.page.gate),
            }
            found = yield from self._find(values, request, question, self.page.candidates.progress)
        visit.asked(question)
        yield gr.skip() if found is None else found

    @guarded("answer.status")
    def ask(self, values: Mapping[Any, Any], request: gr.Request) -> Iterator[Updates]:
        """Answer, first half: as Retrieve, with the Answer tab in front; a fresh retrieval is reused.

        Candidates and Prompt are not drawn here, but by `look` and `catch_up`: the page sends for the answer only once it
        has drawn what this gave it.
        """
        spoken, visit = language(request), self._visit(request)
        visit.stop("search")
        visit.stop("answer")  # a new question ends the answer to the last one
        busy = panels.phase("searching", text("answer.searching", spoken))
        with _asking(visit) as question:
            yield {
                self.page.tabs: gr.Tabs(selected="answer"),
                self.page.candidates.progress: "",
                **answer_tab.empty_answer(self.page.answer, busy, spoken),
                **gate.no_gate(self.page.gate),
            }
            found = yield from self._find(values, request, question, self.page.answer.status)
        if found is None:
            yield gr.skip()
            return
        question.found = True
        weighs = visit.workspace.settings.generate.refuse
        next_ = panels.phase("waiting", text("answer.waiting" if weighs else "answer.starting", spoken))
        yield found | {self.page.answer.status: next_}

    @guarded("answer.status")
    def write(self, request: gr.Request) -> Iterator[Updates]:
        """Answer, second half: the model writes, on its turn."""
        spoken, visit = language(request), self._visit(request)
        asked, question = visit.workspace.asked(), visit.asking
        if question is None or not question.found or not question.begins():
            # A question of an evaluation was opened while this one waited for its turn, or the turn of an earlier one
            # comes while a later one is searched or written: that one has a turn of its own.
            yield gr.skip()
            return
        if asked is None:
            visit.asked(question)
            raise mistake(SettingError, "cand.changed")
        yield from self._stream(visit, question, asked, spoken)

    @guarded("answer.status")
    def answer_anyway(self, request: gr.Request) -> Iterator[Updates]:
        """The answer that the gate refused, from the same evidence."""
        spoken, visit = language(request), self._visit(request)
        asked = visit.workspace.asked()
        if asked is None:
            raise mistake(SettingError, "cand.changed")
        visit.stop("answer")
        with _asking(visit) as question:
            question.found = question.begins()
            waiting = panels.phase("waiting", text("answer.starting", spoken))
            yield answer_tab.empty_answer(self.page.answer, waiting, spoken) | gate.no_gate(self.page.gate)
        yield from self._stream(visit, question, asked, spoken, anyway=True)

    def _stream(
        self, visit: Visit, question: Asking, asked: Asked, spoken: Language, anyway: bool = False
    ) -> Iterator[Updates]:
        """The growing answer; `anyway`: whatever the gate says of the evidence."""
        try:
            shown: Answer | None = None
            last = 0.0
            with visit.running("answer") as stop:
                for answer in visit.workspace.answer(asked.retrieval.question, stop, anyway):
                    if stop.is_set() and not answer.done:
                        continue  # "answering" must not arrive after "stopped"
                    if visit.asking is not question:
                        # The page shows something else by now. Of two events the later one may arrive first: what was
                        # opened is shown again after the last line of this one. Gradio sends the last yield twice, so
                        # that it has to be one that changes nothing.
                        if shown is not None and visit.opened is not None:
                            yield self._answer_again(visit, visit.opened, spoken)
                        elif answer.done and self._still(visit, asked):
                            # stopped: what Stop showed may have come to the page before the last line of this one
                            yield self._answered(answer, asked, spoken)
                        yield gr.skip()
                        return
                    if shown is not None and answer.ahead and answer == replace(shown, seconds=answer.seconds):
                        yield gr.skip()  # still waits in line: the cores are somebody else's; but a closed page has to be noticed
                        continue
                    wait = REFRESH_S if answer.text else READING_S
                    first = shown is None or bool(shown.text) != bool(answer.text)  # a first character is shown at once
                    if not (first or answer.done) and time.monotonic() - last < wait:
                        continue
                    shown, last = answer, time.monotonic()
                    yield self._answered(answer, asked, spoken)
        finally:
            visit.asked(question)

    def _still(self, visit: Visit, asked: Asked) -> bool:
        """Whether nothing was asked or opened since `asked`."""
        last = visit.workspace.asked()
        return visit.asking is None and visit.opened is None and last is not None and last.retrieval is asked.retrieval

    @guarded()
    def catch_up(self, request: gr.Request) -> Updates:
        """After an answer: Candidates and Prompt, unless they were drawn while it was written and it is from the same retrieval.

        It is from a later one when the generator became ready between search and answer.
        """
        visit = self._visit(request)
        shown = {} if visit.asking is not None else self._unseen(visit, language(request))
        return shown or gr.skip()  # another question is under way: nothing is drawn in the time of its answer

    @guarded()
    def look(self, request: gr.Request) -> Iterator[Updates]:
        """Candidates or Prompt was opened: what the question asked last has found, as soon as it has."""
        visit = self._visit(request)
        while visit.asking is not None and not visit.asking.found:
            yield gr.skip()  # a closed page has to be noticed
            time.sleep(LOOK_S)
        yield self._unseen(visit, language(request)) or gr.skip()

    @guarded()
    def stop(self, request: gr.Request) -> Updates:
        """Stop whatever runs for this visitor; what was written stays."""
        spoken, visit = language(request), self._visit(request)
        waiting = visit.asking is not None
        visit.asking = None
        answering = visit.stop("answer")
        visit.stop("search")
        visit.stop("index")
        if not waiting and not answering:
            return gr.skip()  # the line under the answer says how that one ended
        asked, shown = visit.workspace.asked(), self._unseen(visit, spoken)
        if not answering or asked is None or asked.answer is None:
            said = panels.phase("stopped", text("error.stopped", spoken))
            return shown | {self.page.answer.status: said, self.page.candidates.progress: said}
        answer = asked.answer
        return shown | answer_tab.show_answer(self.page.answer, answer, spoken, stopped=not answer.done)

    @guarded()
    def open_citation(self, request: gr.Request, event: gr.EventData) -> Updates:
        """A citation was pressed: its passage in its document."""
        asked, view = self._visit(request).workspace.asked(), None
        if asked is not None and asked.answer is not None:
            marker, start = part_of(event, "marker"), whole(part_of(event, "start"))
            citation = answer_tab.find_citation(asked.answer, str(marker), start)
            if citation is not None:
                view = answer_tab.source_view(citation, asked.answer, asked.corpus, language(request))
        if view is None:
            raise mistake(SettingError, "answer.gone")
        return {self.page.answer.source: view}

    @guarded()
    def open_difference(self, request: gr.Request, event: gr.EventData) -> Updates:
        """A remark's button was pressed: that sentence in its document."""
        asked, view = self._visit(request).workspace.asked(), None
        if asked is not None and asked.answer is not None:
            n, which = whole(part_of(event, "n")), str(part_of(event, "which"))
            view = conflicts.side_view(asked.answer, n, which, asked.corpus, language(request))
        if view is None:
            raise mistake(SettingError, "answer.gone")
        return {self.page.answer.source: view}

    @guarded()
    def explain_sentence(self, request: gr.Request, event: gr.EventData) -> Updates:
        """The mark behind a sentence was pressed: what decided, and the passage it was compared with."""
        asked, view = self._visit(request).workspace.asked(), None
        if asked is not None and asked.answer is not None:
            view = answer_tab.why_view(whole(part_of(event, "start")), asked.answer, asked.corpus, language(request))
        if view is None:
            raise mistake(SettingError, "answer.gone")
        return {self.page.answer.source: view}

    def _find(
        self, values: Mapping[Any, Any], request: gr.Request, question: Asking, place: gr.HTML
    ) -> Generator[Updates, None, Updates | None]:
        """The settings on the screen, then the search under exactly these; what was found is returned.

        None when the page shows something else by then. `place` shows how far re-indexing is. On its way to an answer the
        last retrieval will do, if searching again would give the same, and its tables are left for later.

        It has to be in the caller's last yield: a later one empties tables in tabs that were not opened yet
        (the browser applies it to the very object the table still has to show).
        """
        spoken, visit = language(request), self._visit(request)
        settings = read_settings(self.page.settings, values)
        visit.scope = settings.search.documents
        for bar in bars(place, self._configure(visit, settings), spoken):
            yield bar if visit.asking is question else gr.skip()
        written = str(values[self.page.question] or "")
        answers = place is self.page.answer.status
        if not (answers and visit.workspace.fresh(written)):
            try:
                with visit.running("search") as stop:
                    visit.workspace.retrieve(written, stop)
            except Stopped:
                if visit.asking is question:
                    raise
        if visit.asking is not question:
            if visit.opened is not None:
                visit.workspace.show(visit.opened)  # what the page shows stays the last one asked
            return None
        asked = visit.workspace.asked()
        if asked is None:
            raise mistake(SettingError, "cand.changed")
        shown = self._corpus_if_new(visit, spoken)
        if answers:
            visit.compared(asked)  # what comes next is compared with this one, drawn or not
            shown |= self._beside_answer(visit, asked, spoken)
        else:
            shown |= self._found(visit, asked, spoken)
            visit.seen_found = asked.retrieval
        if settings.select.rerank == "cross":  # the first such search begins to load it; the poll ends itself
            shown[self.page.timer] = gr.Timer(active=True)
        return shown


@contextmanager
def _asking(visit: Visit) -> Iterator[Asking]:
    """A new question is under way for this visitor; no longer, when its search fails."""
    question = visit.asking = Asking()
    visit.opened = None
    try:
        yield question
    except Exception:  # not of a closed generator: the handler of Stop comes after it, or the browser went away
        visit.asked(question)
        raise
