"""The sample corpus: shared by every visitor, read-only, indexed once per encoder and split into the cache folder."""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from rag.config import SplitSettings
from rag.corpus.index import Corpus, build, corpus_hash
from rag.corpus.load import load
from rag.corpus.store import load as load_index
from rag.corpus.store import save
from rag.errors import Bilingual, IndexMismatch, ModelLoading, ModelUnavailable, RagError
from rag.models.roles import Models
from rag.types import Document

if TYPE_CHECKING:  # torch comes with it
    from rag.models.encoder import Encoder

FOLDER = Path(__file__).resolve().parents[2] / "sample_docs"

# How long the samples wait for the encoder before the log says that they wait; then they wait on.
_WAIT_S = 600.0

_LOG = logging.getLogger(__name__)


def read(folder: Path = FOLDER) -> tuple[Document, ...]:
    """Every sample document, in the order of the file names. A sample that cannot be read is a bug and raises."""
    files = sorted(p for p in folder.iterdir() if p.is_file() and not p.name.startswith("."))
    return tuple(d for file in files for d in load(file.name, file.read_bytes(), "sample"))


class Samples:
    """Prepares the sample corpus behind the page: loaded from the cache when it is there, else built and saved."""

    def __init__(self, models: Models, folder: Path = FOLDER) -> None:
        self._models = models
        self._folder = folder
        self._ready = threading.Event()
        self._corpus: Corpus | None = None
        self._problem: RagError | None = None

    def start(self) -> None:
        """Begin in the background; returns at once."""
        threading.Thread(target=self.prepare, name="samples", daemon=True).start()

    def prepare(self) -> None:
        """Load or build in the calling thread. Without an encoder the corpus has a lexical index only."""
        try:
            documents = read(self._folder)
            self._corpus = self._load_or_build(documents, self._encoder())
        except RagError as error:
            _LOG.warning("the sample corpus: %s", error)
            self._problem = error
        except Exception as error:  # noqa: BLE001 - a bug; but nobody is to wait for this corpus for ever
            _LOG.exception("the sample corpus failed")
            kind = type(error).__name__
            self._problem = RagError(
                en=f"The sample policies could not be indexed ({kind}); the log has the details. Own files still work.",
                zh=f"示例制度无法建立索引（{kind}），详情见日志。仍可上传自己的文件。",
            )
        finally:
            self._ready.set()

    def _encoder(self) -> Encoder | None:
        """The encoder, however long it takes to come; None when it cannot be had."""
        while True:
            self._models.wait("encoder", _WAIT_S)
            try:
                return self._models.encoder()
            except ModelLoading as error:
                _LOG.info("the sample corpus waits: %s", error)
            except ModelUnavailable:
                return None

    def _load_or_build(self, documents: tuple[Document, ...], encoder: Encoder | None) -> Corpus:
        settings = SplitSettings()
        if encoder is None:
            return build(documents, settings, None)
        cached = self._models.settings.cache / "samples" / f"{encoder.fingerprint}-{corpus_hash(documents)[:16]}"
        if cached.is_dir():
            try:
                corpus = load_index(cached, encoder.fingerprint)
                if corpus.split == settings:
                    return corpus
            except IndexMismatch as error:  # damaged on disk, or written by an older program: it is only a cache
                _LOG.warning("the cached sample index is built again: %s", error)
        corpus = build(documents, settings, encoder)
        try:
            save(corpus, cached, encoder.facts)
        except (OSError, RagError) as error:  # a full disk, or another process that saves the same: it is only a cache
            _LOG.warning("the sample index is not kept for the next start: %s", error)
        return corpus

    def ready(self) -> bool:
        """Whether `corpus` can answer."""
        return self._corpus is not None

    def problem(self) -> Bilingual | None:
        """Why there is no sample corpus, once that is known."""
        return self._problem.text if self._problem else None

    def wait(self, seconds: float) -> bool:
        """Wait until the corpus is there or has failed, at most `seconds`; True when it is there."""
        self._ready.wait(seconds)
        return self.ready()

    def corpus(self) -> Corpus:
        """The sample corpus; raises `ModelLoading` while it is being prepared."""
        if self._corpus is not None:
            return self._corpus
        if self._problem is not None:
            # a new one each time: one object would collect the frames, and so the questions, of all who met it
            raise type(self._problem)(en=self._problem.text.en, zh=self._problem.text.zh)
        raise ModelLoading(
            en="The sample policies are still being indexed. Please try again in a moment.",
            zh="示例制度仍在建立索引，请稍候再试。",
        )
