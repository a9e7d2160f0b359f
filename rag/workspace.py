"""One visitor: their documents, index, settings and last trace. Nothing of it is reachable from another workspace."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from rag.asking import Asked, Asking, Shared
from rag.background import HEARTBEAT_S, Report, Turns, in_background
from rag.config import Limits, Settings, SplitSettings
from rag.corpus.index import Corpus, Known, PassageEncoder, Progress, build
from rag.corpus.load.process import ReadingRoom
from rag.corpus.samples import Samples
from rag.corpus.split import split
from rag.edits import Edit
from rag.errors import Bilingual, ModelLoading, ModelUnavailable, RagError, SettingError, Stopped
from rag.intake import FileReport, Upload, relations, say_read, stopped, take, undone
from rag.limits import Allowance
from rag.models.roles import Models
from rag.types import PUBLIC, Answer, Chunk, Document, Retrieval
from rag.versions import Choice, Own, with_edit

__all__ = ["Asked", "Edit", "FileReport", "Shared", "Upload", "Workspace"]

# How long an indexing run waits for an encoder that is still being fetched.
_ENCODER_WAIT_S = 600.0


class Workspace:
    """What one visitor has. Every method may be called from any thread; a change is made whole or not at all."""

    def __init__(
        self,
        samples: Samples,
        models: Models,
        limits: Limits | None = None,
        room: ReadingRoom | None = None,
        groups: frozenset[str] = PUBLIC,
        shared: Shared | None = None,
    ) -> None:
        """`room`, where files are read, is shared, as `shared` is. `groups`: the visitor's; what only others may see is in nothing made here."""
        self.groups = groups
        self._samples, self._models = samples, models
        self._limits = limits or Limits()
        self._allowance, self._room = Allowance(self._limits), room or ReadingRoom()
        self.settings = Settings()
        self.include_samples = False
        self._lock = threading.RLock()  # guards the fields and what was asked; held for moments
        self._asking = Asking(models, self._allowance, self._lock, self._searched, shared or Shared(), groups)
        self._changing = Turns()  # one change of the index at a time, for a whole run
        self._own: Own = {}
        self._reports: tuple[FileReport, ...] = ()
        self._closed = False
        self._corpus: Corpus | None = None  # of what this visitor searches; None: the samples
        self._seen: Corpus | None = None  # the shared sample corpus as far as this visitor may see it

    def own_documents(self) -> tuple[Document, ...]:
        """The visitor's own documents, in the order they came."""
        with self._lock:
            return tuple(held.document for held in self._own.values())

    def relations(self) -> dict[str, tuple[Bilingual, ...]]:
        """By key, what is to be said of own documents with the words or the version of another one; see `rag.intake.relations`."""
        with self._lock:
            return relations(self._own)

    def held_bytes(self) -> int:
        """The bytes that count against the visitor's limit."""
        with self._lock:
            return sum(held.size for held in self._own.values())

    def reports(self) -> tuple[FileReport, ...]:
        """One report per file of the last `add`, and before them those of the `add` that it had to wait for."""
        with self._lock:
            return self._reports

    def corpus(self) -> Corpus:
        """What questions search now; raises `ModelLoading` while the samples are being prepared."""
        with self._lock:
            return self._corpus if self._corpus is not None else self._seen_samples()

    def _seen_samples(self) -> Corpus:
        with self._lock:
            if self._seen is None:  # once: what is asked later was searched in the same one
                self._seen = self._samples.corpus().seen_by(self.groups)
            return self._seen

    def configure(self, settings: Settings) -> bool:
        """Take new settings; True when chunks change with them, so that `reindex` has to follow."""
        with self._lock:
            self.settings = settings
            return self._corpus_split() != settings.split

    def _corpus_split(self) -> SplitSettings:
        try:
            return self.corpus().split
        except RagError:  # the samples are not there (yet); they are indexed with the default split
            return SplitSettings()

    def add(
        self, uploads: Sequence[Upload | FileReport], stop: threading.Event, beside: bool = False
    ) -> Iterator[Progress]:
        """Read, split, encode and index `uploads`; then `reports` has a line for each.

        A file that fails leaves the others and the index as they were. A document whose key is already there is
        replaced; so is the earlier one of a file of the same name that states no version, unless `beside` (see
        `rag.versions.place`). A report among the uploads is of a file that was refused unread. Raises what indexing as a
        whole can raise (`ModelLoading`, `ChunkTooLong`, `Stopped`): the reports then say that nothing was taken in.
        """

        def run(progress: Report) -> None:
            with self._lock:
                own = dict(self._own)
                before = self._reports if self._changing.waited else ()
            reports: list[FileReport] = []
            try:
                self._read(uploads, own, beside, reports, stop, progress)
                if any(report.keys for report in reports):
                    self._rebuild(own, self.include_samples, stop, progress)
            except Stopped:
                self._report([*before, *stopped(uploads, reports)])
                raise
            except RagError as error:  # none of them is in: their rows say so
                self._report([*before, *(undone(report, error.text) for report in reports)])
                raise
            self._report([*before, *reports])

        return in_background(run, self._changing, stop)

    def _read(
        self,
        uploads: Sequence[Upload | FileReport],
        own: Own,
        beside: bool,
        reports: list[FileReport],
        stop: threading.Event,
        progress: Report,
    ) -> None:
        """Read `uploads` one after the other into `own`, and add a report of each to `reports`. Raises `Stopped`."""
        choice = Choice(frozenset(own), beside)
        with self._room.reader(self._limits) as reader:
            for i, upload in enumerate(uploads):
                _heed(stop)
                said = partial(say_read, progress, upload.name, i, len(uploads))
                said(0.0, 0)
                read = partial(reader.read, stop=stop, waiting=said)
                reports.append(take(upload, own, self._allowance, read, choice))

    def edit(self, key: str, edit: Edit, stop: threading.Event) -> Iterator[Progress]:
        """Give an own document another title, version or dates; what changed is `stated` by the visitor.

        With the version its key changes, and with the key its chunk ids. The title stands in front of every chunk, so a
        new one means encoding the document again. Raises `SettingError` when there is no such document or another has
        that version, and what indexing can raise; nothing is changed then.
        """

        def run(progress: Report) -> None:
            with self._lock:
                own, document = with_edit(self._own, key, edit)
                if document == self._own[key].document:
                    return
            self._rebuild(own, self.include_samples, stop, progress)
            with self._lock:
                reports = [report.renamed(key, document.key) for report in self._reports]
            self._report(reports)

        return in_background(run, self._changing, stop)

    def _report(self, reports: Sequence[FileReport]) -> None:
        with self._lock:
            if not self._closed:  # the visitor may have left meanwhile
                self._reports = tuple(reports)

    def remove(self, key: str, stop: threading.Event) -> Iterator[Progress]:
        """Remove an own document; after the last one questions search the samples again.

        Raises `SettingError` when there is no such document.
        """

        def run(progress: Report) -> None:
            with self._lock:
                own = dict(self._own)
            if own.pop(key, None) is None:
                raise SettingError(en=f"{key}: no such document of yours.", zh=f"{key}：您没有这份文档。")
            self._rebuild(own, self.include_samples, stop, progress)

        return in_background(run, self._changing, stop)

    def use_samples(self, flag: bool, stop: threading.Event) -> Iterator[Progress]:
        """Search the sample policies beside one's own documents, or not. Without own documents it changes nothing yet."""

        def run(progress: Report) -> None:
            with self._lock:
                own = dict(self._own)
            self._rebuild(own, flag, stop, progress)

        return in_background(run, self._changing, stop)

    def reindex(self, stop: threading.Event) -> Iterator[Progress]:
        """Build the index again with the split settings now in force."""

        def run(progress: Report) -> None:
            with self._lock:
                own = dict(self._own)
            self._rebuild(own, self.include_samples, stop, progress)

        return in_background(run, self._changing, stop)

    def _rebuild(self, own: Own, include_samples: bool, stop: threading.Event, progress: Report) -> None:
        """Index what is to be searched and, only when that worked, make it the state. The caller holds `_changing`."""
        settings = self.settings.split
        documents = [held.document for held in own.values()]
        samples = self._needed_samples(own, include_samples)
        if samples is not None:
            # a sample that the visitor has added as a file of their own is searched once, as theirs
            documents += [d for key, d in samples.documents.items() if key not in own]
        sections = sum(len(d.sections) for d in documents)
        self._allowance.check_chunks(sum(len(d.text) for d in documents), settings, sections)
        corpus = None
        if own or (samples is not None and samples.split != settings):
            # vectors that are already there: of the shared samples, and of this visitor's last index
            known = samples.known() if samples else Known()
            with self._lock:
                known |= self._corpus.known() if self._corpus else Known()
            check = partial(self._allowance.check_cut, split=settings)
            corpus = build(documents, settings, self._encoder(stop), known, stop, progress, check)
        with self._lock:
            _heed(stop)  # a stop that came after the last piece of encoding, or with `close`
            self._own, self._corpus = own, corpus
            self.include_samples = include_samples
            self._asking.forget()

    def _needed_samples(self, own: Own, include_samples: bool) -> Corpus | None:
        """The sample corpus when it is to be searched; raises `ModelLoading` when it is asked for and not there yet."""
        if own and not include_samples:
            return None
        if not own and not self._samples.ready():
            return None  # nothing to build: the last own document leaves the samples behind, once they are there
        return self._seen_samples()

    def _encoder(self, stop: threading.Event) -> PassageEncoder | None:
        """The encoder, waited for while it loads; None when it cannot be had (search is lexical then, and says so)."""
        until = time.monotonic() + _ENCODER_WAIT_S
        while True:
            self._models.wait("encoder", HEARTBEAT_S)
            try:
                return self._models.encoder()
            except ModelLoading:
                _heed(stop)
                if time.monotonic() > until:
                    raise
            except ModelUnavailable:
                return None

    def preview(self, key: str, settings: SplitSettings) -> tuple[Chunk, ...]:
        """The chunks that other split settings would give for one document; nothing is rebuilt. Raises `LimitReached`."""
        document = self.corpus().documents.get(key)
        if document is None:
            raise SettingError(en=f"{key}: no such document.", zh=f"{key}：没有这份文档。")
        self._allowance.check_chunks(len(document.text), settings, len(document.sections))
        try:
            chunks = split(document, settings, self._models.encoder())
        except ModelUnavailable:
            chunks = split(document, settings, None)
        self._allowance.check_cut(len(chunks), settings)
        return chunks

    def _searched(self) -> tuple[Corpus, Settings]:
        """What questions search now, and under which settings: the split is that of the corpus as it is."""
        with self._lock:
            corpus = self.corpus()
            return corpus, replace(self.settings, split=corpus.split)

    def retrieve(self, question: str, stop: threading.Event | None = None) -> Retrieval:
        """The line up to the prompt; see `Asking.retrieve`."""
        return self._asking.retrieve(question, stop)

    def answer(self, question: str, stop: threading.Event, anyway: bool = False) -> Iterator[Answer]:
        """Answer from a fresh retrieval of the same question when there is one, else retrieve first; `anyway`: though the gate refuses."""
        return self._asking.answer(question, stop, anyway)

    def fresh(self, question: str) -> bool:
        """Whether retrieving again would give the last prompt; see `Asking.fresh`."""
        return self._asking.fresh(question)

    def earlier(self) -> tuple[str, ...]:
        """The questions the next one is read with if it follows them; see `Asking.earlier`."""
        return self._asking.earlier()

    def drop_earlier(self) -> None:
        """The next question follows none; see `Asking.drop_earlier`."""
        self._asking.drop_earlier()

    def asked(self) -> Asked | None:
        """What belongs to the last question; None when nothing was asked or the documents changed since."""
        return self._asking.asked()

    def show(self, asked: Asked) -> None:
        """Take a question of an evaluation for the last one asked; see `Asking.show`."""
        self._asking.show(asked)

    def close(self) -> None:
        """Forget everything of this visitor."""
        with self._lock:
            self._own, self._corpus, self._reports, self._closed = {}, None, (), True
            self._asking.forget()


def _heed(stop: threading.Event) -> None:
    if stop.is_set():
        raise Stopped(en="Indexing was stopped.", zh="索引已停止。")
