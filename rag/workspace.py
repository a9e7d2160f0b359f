"""One visitor: their documents, index, settings and last trace. Nothing of it is reachable from another workspace."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from rag import pipeline
from rag.config import Limits, Settings, SplitSettings
from rag.corpus.index import Corpus, PassageEncoder, Progress, build
from rag.corpus.load import load
from rag.corpus.samples import Samples
from rag.corpus.split import split
from rag.errors import Bilingual, ModelLoading, ModelUnavailable, RagError, SettingError
from rag.limits import Allowance
from rag.models.roles import Models
from rag.types import Answer, Chunk, Document, Retrieval

# How often an indexing run yields even without progress, so that a closed page is noticed.
_HEARTBEAT_S = 0.2


@dataclass(frozen=True, slots=True)
class Upload:
    """A file as it came: its name (data, never a path) and its bytes."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class FileReport:
    """What became of an upload; `keys` are the documents it became."""

    name: str
    state: Literal["ok", "warning", "error"]
    message: Bilingual
    keys: tuple[str, ...]


class Workspace:
    """What one visitor has. Every method may be called from any thread; a change is made whole or not at all."""

    def __init__(self, samples: Samples, models: Models, limits: Limits | None = None) -> None:
        self._samples, self._models = samples, models
        self._allowance = Allowance(limits or Limits())
        self.settings = Settings()
        self.include_samples = False
        self.last_retrieval: Retrieval | None = None
        self.last_answer: Answer | None = None
        self._lock = threading.RLock()  # guards the fields; held for moments
        self._changing = threading.Lock()  # one change of the index at a time; held for a whole run
        self._own: dict[str, Document] = {}
        self._bytes: dict[str, int] = {}
        self._reports: tuple[FileReport, ...] = ()
        self._corpus: Corpus | None = None  # of what this visitor searches; None: the shared sample corpus as it is

    def own_documents(self) -> tuple[Document, ...]:
        """The visitor's own documents, in the order they came."""
        with self._lock:
            return tuple(self._own.values())

    def reports(self) -> tuple[FileReport, ...]:
        """One report per file of the last `add`."""
        with self._lock:
            return self._reports

    def corpus(self) -> Corpus:
        """What questions search now; raises `ModelLoading` while the samples are being prepared."""
        with self._lock:
            return self._corpus if self._corpus is not None else self._samples.corpus()

    def configure(self, settings: Settings) -> bool:
        """Take new settings; True when chunks change with them, so that `reindex` has to follow."""
        with self._lock:
            self.settings = settings
            return self._corpus_split() != settings.split

    def _corpus_split(self) -> SplitSettings:
        try:
            return self.corpus().split
        except ModelLoading:
            return SplitSettings()

    def add(self, uploads: Sequence[Upload], stop: threading.Event) -> Iterator[Progress]:
        """Read, split, encode and index `uploads`; then `reports` has a line for each.

        A file that fails leaves the others and the index as they were. A document whose key is already there is
        replaced. Raises what indexing as a whole can raise (`ModelLoading`, `ChunkTooLong`, `Stopped`).
        """

        def run(progress: Callable[[Progress], None]) -> None:
            with self._lock:
                own, sizes = dict(self._own), dict(self._bytes)
            reports = []
            for i, upload in enumerate(uploads):
                progress(Progress("load", i, len(uploads), upload.name))
                report = self._read(upload, own, sizes)
                reports.append(report)
            with self._lock:
                self._reports = tuple(reports)
            if any(report.keys for report in reports):
                self._rebuild(own, sizes, self.include_samples, stop, progress)

        return self._in_background(run, stop)

    def _read(self, upload: Upload, own: dict[str, Document], sizes: dict[str, int]) -> FileReport:
        """Load one upload into `own` and `sizes`; nothing of it stays when it fails."""
        try:
            self._allowance.check_bytes(upload.name, len(upload.data), sum(sizes.values()))
            documents = load(upload.name, upload.data, "own")
            self._allowance.check_documents(upload.name, len(own.keys() | {d.key for d in documents}))
        except RagError as error:
            return FileReport(upload.name, "error", error.text, ())
        replaced = [d.key for d in documents if d.key in own]
        notes = [warning for d in documents for warning in d.warnings]
        if replaced:
            keys = ", ".join(replaced)
            notes.append(Bilingual(en=f"replaced the earlier {keys}", zh=f"已替换之前的 {keys}"))
        other = sorted({d.key for d in own.values() for new in documents if d.doc_id == new.doc_id} - set(replaced))
        if other:
            keys = ", ".join(other)
            notes.append(
                Bilingual(
                    en=f"another version of {keys}: the newest in force is searched, unless the scope says all",
                    zh=f"与 {keys} 是同一制度的不同版本：默认只检索现行的最新版本",
                )
            )
        for i, document in enumerate(documents):
            own[document.key] = document
            sizes[document.key] = len(upload.data) if i == 0 else 0  # the file's bytes are counted once
        note = Bilingual(en="; ".join(n.en for n in notes), zh="；".join(n.zh for n in notes))
        return FileReport(upload.name, "warning" if notes else "ok", note, tuple(d.key for d in documents))

    def remove(self, key: str) -> bool:
        """Remove an own document; True when it was the last one, so that questions search the samples again."""
        with self._changing:
            with self._lock:
                own, sizes = dict(self._own), dict(self._bytes)
            if own.pop(key, None) is None:
                raise SettingError(en=f"{key}: no such document of yours.", zh=f"{key}：您没有这份文档。")
            sizes.pop(key, None)
            self._rebuild(own, sizes, self.include_samples, threading.Event(), lambda _: None)
            return not own

    def use_samples(self, flag: bool) -> None:
        """Search the sample policies beside one's own documents, or not. Without own documents it changes nothing yet."""
        with self._changing:
            with self._lock:
                own, sizes = dict(self._own), dict(self._bytes)
            self._rebuild(own, sizes, flag, threading.Event(), lambda _: None)

    def reindex(self, stop: threading.Event) -> Iterator[Progress]:
        """Build the index again with the split settings now in force."""

        def run(progress: Callable[[Progress], None]) -> None:
            with self._lock:
                own, sizes = dict(self._own), dict(self._bytes)
            self._rebuild(own, sizes, self.include_samples, stop, progress)

        return self._in_background(run, stop)

    def _rebuild(
        self,
        own: dict[str, Document],
        sizes: dict[str, int],
        include_samples: bool,
        stop: threading.Event,
        progress: Callable[[Progress], None],
    ) -> None:
        """Index what is to be searched and, only when that worked, make it the state. The caller holds `_changing`."""
        settings = self.settings.split
        documents = [*own.values()]
        samples = None
        if not own or include_samples:
            samples = self._samples.corpus()
            # a sample that the visitor has added as a file of their own is searched once, as theirs
            documents += [d for key, d in samples.documents.items() if key not in own]
        corpus = None
        if own or (samples is not None and samples.split != settings):
            # vectors that are already there: of the shared samples, and of this visitor's last index
            known = samples.known() if samples else {}
            with self._lock:
                known |= self._corpus.known() if self._corpus else {}
            corpus = build(documents, settings, self._encoder(), known, stop, progress)
        with self._lock:
            self._own, self._bytes, self._corpus = own, sizes, corpus
            self.include_samples = include_samples
            self.last_retrieval = self.last_answer = None

    def _encoder(self) -> PassageEncoder | None:
        """The encoder, waited for while it loads; None when it cannot be had (search is lexical then, and says so)."""
        self._models.wait("encoder", 600)
        try:
            return self._models.encoder()
        except ModelLoading:
            raise
        except ModelUnavailable:
            return None

    def _in_background(
        self, run: Callable[[Callable[[Progress], None]], None], stop: threading.Event
    ) -> Iterator[Progress]:
        """Do `run` in a thread under `_changing`; yield its progress, at least every `_HEARTBEAT_S` seconds.

        Closing the iterator sets `stop`: a visitor who left does not index on.
        """
        updates: queue.SimpleQueue[Progress | None] = queue.SimpleQueue()
        failed: list[Exception] = []

        def work() -> None:
            try:
                with self._changing:
                    run(updates.put)
            except Exception as error:  # noqa: BLE001 - carried to the reader's thread and raised there
                failed.append(error)
            finally:
                updates.put(None)

        threading.Thread(target=work, name="indexing", daemon=True).start()
        last = Progress("load", 0, 1)
        try:
            while True:
                try:
                    update = updates.get(timeout=_HEARTBEAT_S)
                except queue.Empty:
                    yield last
                    continue
                if update is None:
                    break
                last = update
                yield last
        finally:
            stop.set()
        if failed:
            raise failed[0]

    def preview(self, key: str, settings: SplitSettings) -> tuple[Chunk, ...]:
        """The chunks that other split settings would give for one document; nothing is rebuilt."""
        document = self.corpus().documents.get(key)
        if document is None:
            raise SettingError(en=f"{key}: no such document.", zh=f"{key}：没有这份文档。")
        try:
            count = self._models.encoder().count_tokens
        except ModelUnavailable:
            count = None
        return split(document, settings, count)

    def retrieve(self, question: str) -> Retrieval:
        """The line up to the prompt. Raises `SettingError` (empty or too long), `LimitReached`, `ModelLoading`."""
        question = self._allowance.checked_question(question)
        self._allowance.count_question()
        with self._lock:
            corpus, settings = self.corpus(), self.settings
        retrieval = pipeline.retrieve(question, corpus, replace(settings, split=corpus.split), self._models)
        with self._lock:
            self.last_retrieval, self.last_answer = retrieval, None
        return retrieval

    def answer(self, question: str, stop: threading.Event) -> Iterator[Answer]:
        """Answer from a fresh retrieval of the same question when there is one, else retrieve first."""
        question = self._allowance.checked_question(question)
        with self._lock:
            corpus = self.corpus()
            settings = replace(self.settings, split=corpus.split)
            retrieval = self.last_retrieval
        if retrieval is None or not self._fresh(retrieval, question, corpus, settings):
            retrieval = self.retrieve(question)
        else:
            self._allowance.count_question()
        for answer in pipeline.answer(retrieval, corpus, settings, self._models, stop):
            with self._lock:
                self.last_answer = answer
            yield answer

    def _fresh(self, retrieval: Retrieval, question: str, corpus: Corpus, settings: Settings) -> bool:
        """Whether retrieving again would give the same prompt. One made before the generator was there would not."""
        return (
            retrieval.question == question
            and retrieval.corpus_id == corpus.corpus_id
            and retrieval.trace.settings_hash == settings.hash()
            and retrieval.prompt is not None
            and retrieval.prompt.rendered
        )

    def close(self) -> None:
        """Forget everything of this visitor."""
        with self._lock:
            self._own, self._bytes, self._corpus, self._reports = {}, {}, None, ()
            self.last_retrieval = self.last_answer = None
