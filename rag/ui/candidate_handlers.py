"""The Candidates tab: which rows, which candidate, beside which other retrieval, and where on the map."""

from __future__ import annotations

from typing import get_args

import gradio as gr

from rag.ask.search import vectors_of
from rag.asking import Asked
from rag.errors import Language, ModelUnavailable, RagError, SettingError
from rag.types import Candidate, Fate
from rag.ui import candidates, candidates_why, panels
from rag.ui.candidates_map import Mapped, map_view
from rag.ui.candidates_table import EVERY, SORTS
from rag.ui.desk import Desk, Updates, first, mistake, part_of, whole
from rag.ui.guard import guarded, language
from rag.ui.sessions import Visit
from rag.ui.strings import text


class CandidateHandlers(Desk):
    """One method per thing a visitor can do here. Every value from a browser is checked before it is used."""

    @guarded()
    def choose_rows(self, words: object, outcome: object, sort: object, opened: object, request: gr.Request) -> Updates:
        """The filter or the order was changed: the rows, and the list beside them."""
        asked = self._visit(request).workspace.asked()
        if asked is None:
            return gr.skip()
        by = next((name for name in SORTS if name == sort), SORTS[0])
        of = str(outcome) if outcome in get_args(Fate) else EVERY
        wanted = (str(words or "")[:200], of, by)
        return candidates.show_rows(self.page.candidates, asked, wanted, whole(opened), language(request))

    @guarded()
    def choose_row(self, request: gr.Request, event: gr.SelectData) -> Updates:
        """A row of the table; its first cell is the rank, whatever the table's order."""
        rank = whole(first(part_of(event, "row_value")))
        return self._open_candidate(rank, request) | {self.page.candidates.pick: rank}

    @guarded()
    def choose(self, rank: object, request: gr.Request) -> Updates:
        """A candidate by its rank, from the list."""
        return self._open_candidate(whole(rank), request)

    @guarded()
    def choose_point(self, request: gr.Request, event: gr.EventData) -> Updates:
        """A point of the map was pressed; the rows it may have been filtered from are shown again."""
        spoken, tab, rank = language(request), self.page.candidates, whole(part_of(event, "rank"))
        asked, _ = self._candidate(rank, self._visit(request))
        shown = candidates.show_rows(tab, asked, ("", EVERY, "rank"), rank, spoken)
        return shown | {tab.words: "", tab.outcome: EVERY, tab.sort: "rank"} | self._open_candidate(rank, request)

    @guarded()
    def compare_tokens(self, rank: object, request: gr.Request) -> Updates:
        """The tokens of the candidate chosen last beside the question's: two short texts through the encoder, on their turn."""
        spoken, tab = language(request), self.page.candidates
        asked, found = self._candidate(whole(rank), self._visit(request))
        try:
            encoder = self._models.encoder()
            texts = [s.text for s in candidates_why.sought(asked.retrieval) if s.dense]  # not as typed: see `Sought`
            (question,) = encoder.token_states(texts[:1], question=True)
            (passage,) = encoder.token_states([found.chunk.passage], question=False)
        except RagError as error:  # no encoder, or one that does not say where its tokens stand: the rest stays
            return {tab.pairs: panels.notice(error.message(spoken), "warning")}
        return {tab.pairs: candidates_why.pairs(question, passage, spoken, len(texts))}

    @guarded()
    def keep(self, request: gr.Request) -> Updates:
        """The retrieval on the page is what the next ones are compared with."""
        visit, spoken = self._visit(request), language(request)
        asked = self._asked(visit)
        visit.compared(asked)
        visit.beside.keep()
        return self._beside(visit, asked, spoken)

    @guarded()
    def drop(self, request: gr.Request) -> Updates:
        """Retrievals are compared with the one before them again."""
        visit, spoken = self._visit(request), language(request)
        asked = self._asked(visit)
        visit.beside.drop()
        return self._beside(visit, asked, spoken)

    @guarded()
    def draw(self, request: gr.Request) -> Updates:
        """The map of what this visitor may see, with the question on the page and its candidates."""
        visit, spoken, tab = self._visit(request), language(request), self.page.candidates
        asked = self._asked(visit)
        corpus, query = asked.corpus, asked.retrieval.query
        if corpus.dense is None:
            return {tab.map: panels.notice(text("map.no_vectors", spoken), "warning")}
        vector = None
        if any(c.cosine is not None for c in asked.retrieval.candidates) and query is not None and query.legs:
            try:
                vector = vectors_of(query.legs[:1], self._models.encoder())[0][0]
            except ModelUnavailable:
                vector = None  # the map says that the question is not on it
        mapped = Mapped(
            corpus.dense.vectors,
            corpus.chunks,
            vector,
            asked.retrieval.candidates,
        )
        return {tab.map: map_view(mapped, dict(corpus.documents), spoken)}

    def _beside(self, visit: Visit, asked: Asked, spoken: Language) -> Updates:
        other = visit.compared(asked)
        return {self.page.candidates.beside: candidates.show_beside(asked, other, visit.beside.kept, spoken)}

    def _asked(self, visit: Visit) -> Asked:
        asked = visit.workspace.asked()
        if asked is None:
            raise mistake(SettingError, "cand.none")
        return asked

    def _candidate(self, rank: int, visit: Visit) -> tuple[Asked, Candidate]:
        asked = visit.workspace.asked()
        found = next((c for c in asked.retrieval.candidates if c.rank == rank), None) if asked else None
        if asked is None or found is None:
            raise mistake(SettingError, "cand.gone")
        return asked, found

    def _open_candidate(self, rank: int, request: gr.Request) -> Updates:
        asked, found = self._candidate(rank, self._visit(request))
        tab, spoken = self.page.candidates, language(request)
        shown = candidates.show_one(tab, found, asked, spoken)
        return shown | {tab.pairs: panels.phase("searching", text("pairs.busy", spoken))}  # `compare_tokens` follows
