"""What all handlers of the page share: whose session it is, and the parts of the page that show a corpus."""

from __future__ import annotations

import base64
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import gradio as gr

from rag.config import Settings, SplitSettings
from rag.corpus.index import Corpus, Progress
from rag.errors import Language, LoadError, ModelUnavailable, RagError, SettingError
from rag.models.roles import Models
from rag.types import Answer, Document
from rag.ui import answer as answer_tab
from rag.ui import candidates, candidates_table, chunks, conflicts, documents, gate, panels, prompt, times
from rag.ui.pace import Pace
from rag.ui.page import Page
from rag.ui.sessions import Sessions, Visit
from rag.ui.settings import policies
from rag.ui.strings import both, text
from rag.workspace import Asked

Updates = dict[Any, Any]

BAR_S = 0.15


def mistake(kind: type[RagError], key: str, **facts: object) -> RagError:
    """An error of `kind` that says the string `key` in both languages."""
    said = both(key, **facts)
    return kind(en=said.en, zh=said.zh)


class Desk:
    """The page and what stands behind it. Handlers look only at the session their request came from."""

    def __init__(self, page: Page, sessions: Sessions, models: Models) -> None:
        self.page = page
        self._sessions = sessions
        self._models = models

    def _visit(self, request: gr.Request) -> Visit:
        if not request.session_hash:
            raise mistake(SettingError, "error.session")
        # who it is says the server's sign-in alone, never a header, the address or anything a page sends
        return self._sessions.visit(request.session_hash, request.username)

    def _limit(self) -> int | None:
        """The encoder's limit in tokens, None while there is no encoder."""
        try:
            return self._models.encoder().max_tokens
        except ModelUnavailable:
            return None

    def _document(self, corpus: Corpus, key: object) -> Document:
        if not isinstance(key, str) or key not in corpus.documents:
            raise mistake(LoadError, "docs.unknown")
        return corpus.documents[key]

    def _configure(self, visit: Visit, settings: Settings) -> Iterator[Progress]:
        """Put settings in effect; re-index when chunks change with them."""
        if visit.workspace.configure(settings):
            with visit.running("index") as stop:
                yield from visit.workspace.reindex(stop)

    def _reindexes(self, visit: Visit, settings: Settings) -> bool:
        """Whether what is searched is split otherwise than `settings` ask, so that re-indexing follows."""
        try:
            return settings.split != visit.workspace.corpus().split
        except RagError:  # the samples are on their way; they are indexed with the default split
            return settings.split != SplitSettings()

    def _settings_note(self, visit: Visit, settings: Settings, spoken: Language) -> str:
        again = self._reindexes(visit, settings)
        key = "set.reindex" if again else "set.ok"
        return panels.notice(text(key, spoken, hash=settings.hash()), "warning" if again else "info")

    def _found(self, visit: Visit, asked: Asked, spoken: Language) -> Updates:
        """All of what a question found; who writes it to the page notes it in `Visit.seen_found`."""
        retrieval, corpus = asked.retrieval, asked.corpus
        kept = visit.workspace.settings.generate.answer_tokens
        return {
            **candidates.show_candidates(self.page.candidates, asked, visit.compared(asked), visit.beside.kept, spoken),
            **prompt.show_prompt(self.page.prompt, retrieval, corpus, kept, spoken),
            **self._beside_answer(visit, asked, spoken),
        }

    def _beside_answer(self, visit: Visit, asked: Asked, spoken: Language) -> Updates:
        """What a question found, as far as it is not on Candidates and Prompt: little to draw."""
        retrieval, corpus = asked.retrieval, asked.corpus
        return {
            self.page.answer.steps: times.line(retrieval.trace, None, spoken) + panels.steps(retrieval.trace, spoken),
            self.page.answer.versions: candidates_table.other_versions(retrieval, corpus.documents, spoken),
            self.page.settings.note: self._settings_note(visit, visit.workspace.settings, spoken),
            **self._earlier(visit, spoken),
        }

    def _earlier(self, visit: Visit, spoken: Language) -> Updates:
        """What the next question is read with if it follows on, and the button that drops it; nothing while that is off."""
        earlier = visit.workspace.earlier() if visit.workspace.settings.query.follow_up else ()
        return {
            self.page.earlier: panels.earlier(earlier, spoken),
            self.page.drop: gr.Button(visible=bool(earlier)),
        }

    def _opened_answer(self, visit: Visit, asked: Asked, instead: str, spoken: Language) -> Updates:
        """All of a question of an evaluation; `instead` stands where its answer would, when it has none."""
        shown = answer_tab.empty_answer(self.page.answer, instead, spoken) | gate.no_gate(self.page.gate)
        shown |= self._found(visit, asked, spoken)
        return shown if asked.answer is None else shown | self._answered(asked.answer, asked, spoken)

    def _answered(self, answer: Answer, asked: Asked, spoken: Language) -> Updates:
        """The Answer tab with `answer`, what the gate says of it, and what other versions and sources say."""
        documents_of = asked.corpus.documents
        shown = answer_tab.show_answer(self.page.answer, answer, spoken)
        shown[self.page.answer.remarks] = conflicts.remarks(answer, documents_of, spoken)
        shown[self.page.answer.withdrawn] = answer_tab.withdrawn_view(answer, asked.corpus, spoken)
        return shown | gate.show_gate(self.page.gate, answer, documents_of, spoken)

    def _answer_again(self, visit: Visit, opened: Asked, spoken: Language) -> Updates:
        """The Answer tab of the question of an evaluation that was opened last."""
        shown = self._opened_answer(visit, opened, visit.no_answer, spoken)
        return {
            component: value for component, value in shown.items() if component in (*self.page.answer, *self.page.gate)
        }

    def _unseen(self, visit: Visit, spoken: Language) -> Updates:
        """What the last question found, when the page shows something else; the steps are the answer's by then."""
        asked = visit.workspace.asked()
        if asked is None or asked.retrieval is visit.seen_found:
            return {}
        shown = self._found(visit, asked, spoken)
        del shown[self.page.answer.steps], shown[self.page.settings.note]
        visit.seen_found = asked.retrieval
        return shown

    def _corpus_if_new(self, visit: Visit, spoken: Language) -> Updates:
        try:
            corpus = visit.workspace.corpus()
        except RagError as error:  # mostly ModelLoading: the samples are on their way
            return {self.page.documents.searching: panels.notice(error.message(spoken), "warning")}
        now = (corpus.corpus_id, documents.scope(visit.workspace))
        if visit.seen_corpus is None or visit.seen_corpus[0] != now[0]:
            return self._corpus(visit, spoken)
        if visit.seen_corpus == now:
            return {}
        visit.seen_corpus = now  # the same documents, of which others are searched
        return documents.show_documents(self.page.documents, visit.workspace, corpus, visit.document, spoken)

    def _corpus(self, visit: Visit, spoken: Language) -> Updates:
        """Documents and Chunks as they are now, at the document chosen last as long as it is there."""
        corpus, page = visit.workspace.corpus(), self.page
        visit.seen_corpus = (corpus.corpus_id, documents.scope(visit.workspace))
        options = chunks.document_choices(corpus)
        if visit.document not in corpus.documents:
            visit.document, visit.chunks = options[0][1] if options else "", None
        key = visit.document
        shown = {
            **(self._open(visit, key, spoken) if key else {}),
            **documents.show_documents(page.documents, visit.workspace, corpus, key, spoken),
            **self._earlier(visit, spoken),
            **chunks.show_split(page.chunks, visit.workspace.settings, spoken),
            page.chunks.document: gr.Dropdown(choices=options, value=key or None),
        }
        return self._scope(visit, corpus, spoken, shown)

    def _scope(self, visit: Visit, corpus: Corpus, spoken: Language, shown: Updates) -> Updates:
        """`shown`, and the policies to choose from: what was chosen stays as long as it is searched; what is gone is said."""
        panel, searching = self.page.settings, self.page.documents.searching
        options = policies(corpus.documents.values())
        there = {name for _, name in options}
        gone = [name for name in visit.scope if name not in there]
        visit.scope = tuple(name for name in visit.scope if name in there)
        shown[panel.documents] = gr.Dropdown(choices=options, value=list(visit.scope), multiselect=True)
        if gone:
            key = "set.documents_gone" if visit.scope else "set.documents_all_gone"
            said = panels.notice(text(key, spoken, names="、".join(gone)), "warning")
            shown |= {panel.note: said, searching: shown[searching] + said}
        return shown

    def _opened(self, visit: Visit, key: object, spoken: Language) -> chunks.Opened:
        """A document with its chunks; what is said of them is found out once for as long as they are looked at."""
        corpus, limit = visit.workspace.corpus(), self._limit()
        document, last = self._document(corpus, key), visit.chunks
        if last is not None and (last.corpus_id, last.document) == (corpus.corpus_id, document):
            if (last.limit, last.language) == (limit, spoken):
                return last
        visit.chunks = chunks.Opened.of(corpus, document, limit, spoken)
        return visit.chunks

    def _open(self, visit: Visit, key: object, spoken: Language) -> Updates:
        """A document in both tabs that show one."""
        opened, page = self._opened(visit, key, spoken), self.page
        visit.document = opened.document.key
        return {
            page.documents.which: visit.document,
            **documents.show_document(page.documents, opened.document, spoken),
            page.chunks.document: visit.document,
            **chunks.show_chunks(page.chunks, opened),
        }


def bars(component: Any, running: Iterable[Progress], spoken: Language) -> Iterator[Updates]:
    """Progress as a bar in `component`: what is new at most every `BAR_S`, or a page would lag behind quick work."""
    shown, since, pace = Progress("load", 0, 0), 0.0, Pace()
    for progress in running:
        now = time.monotonic()
        speed = pace.heard(progress, now)
        if progress == shown:  # other work may have said something since; but a page that is closed has to be noticed
            yield {component: gr.skip()}
            continue
        if (progress.step, progress.waits) == (shown.step, shown.waits) and now - since < BAR_S:
            continue
        shown, since = progress, now
        yield {component: panels.progress_bar(progress, spoken, speed)}


def first(row: object) -> object:
    """The first cell of a clicked row."""
    return row[0] if isinstance(row, Sequence) and row else None


def whole(value: object) -> int:
    """A client's number as an int; −1, which no list has, for anything else."""
    return int(value) if isinstance(value, int | float) and abs(value) < 1e9 else -1


def part_of(event: gr.EventData, name: str) -> object:
    """What an event says under `name`; None where it does not, as with a request that no page makes."""
    try:
        return getattr(event, name)
    except (AttributeError, TypeError):
        return None


def place_of(event: gr.EventData) -> int:
    """The offset that an event asks for; raises `SettingError` when it names none."""
    at = whole(part_of(event, "at"))
    if at < 0:
        raise mistake(SettingError, "error.event")
    return at


def number(value: object, field: str, most: int) -> int:
    """A whole number from 1 to `most`; raises `SettingError` that names `field`, a key of the strings."""
    found = whole(value)
    if isinstance(value, bool) or found != value or not 1 <= found <= most:
        said = both(field)
        raise SettingError(
            en=text("eval.number", "en", field=said.en, most=most),
            zh=text("eval.number", "zh", field=said.zh, most=most),
        )
    return found


def as_download(name: str, mime: str, data: bytes) -> dict[str, str]:
    """What the page's download script takes: the browser makes the file, nothing is written on the server."""
    return {"name": name, "mime": mime, "base64": base64.b64encode(data).decode()}
