"""Question sets: what a visitor can load, edit, draft and save."""

from __future__ import annotations

import gradio as gr

from rag.corpus.index import Corpus
from rag.errors import Language, RagError
from rag.evaluate.question_files import sample_set
from rag.ui import panels
from rag.ui.desk import Desk, Updates
from rag.ui.evaluate import set_in_use, set_line, show_set
from rag.ui.guard import guarded, language
from rag.ui.sessions import Visit
from rag.ui.strings import text


class SetHandlers(Desk):
    """One method per thing a visitor can do here. Every value from a browser is checked before it is used."""

    @guarded()
    def opened(self, request: gr.Request) -> Updates:
        """The tab came to the front: the set as it stands to what is searched by now."""
        visit, spoken, tab = self._visit(request), language(request), self.page.evaluate
        if not visit.seen_set:
            visit.seen_set = True
            return show_set(tab, set_in_use(visit), self._searched(visit), spoken)
        return {tab.set_line: set_line(set_in_use(visit), self._searched(visit), spoken)}

    @guarded()
    def take_samples(self, request: gr.Request) -> Updates:
        """The built-in questions."""
        visit, spoken = self._visit(request), language(request)
        visit.questions = sample_set()
        said = text("eval.loaded", spoken, n=len(visit.questions.questions), name=text("setname.sample", spoken))
        return self._set(visit, spoken) | {self.page.evaluate.set_note: panels.notice(said)}

    def _set(self, visit: Visit, spoken: Language) -> Updates:
        visit.seen_set = True
        return show_set(self.page.evaluate, set_in_use(visit), self._searched(visit), spoken)

    def _searched(self, visit: Visit) -> Corpus | None:
        try:
            return visit.workspace.corpus()
        except RagError:  # the samples are on their way
            return None
