"""Documents → a searchable corpus: split, encode what is new, index."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import date
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rag.config import SearchSettings, SplitSettings
from rag.corpus.approximate import ApproximateIndex, approximate
from rag.corpus.current import in_force
from rag.corpus.dense import DenseIndex
from rag.corpus.derived import Derived
from rag.corpus.fitting import Tokenizer
from rag.corpus.lexical import LexicalIndex
from rag.corpus.scope import Allowed, Rows, allowed, in_sections
from rag.corpus.split import split
from rag.errors import ModelUnavailable, Stopped
from rag.types import PUBLIC, Chunk, Document, StepName

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Known:
    """What earlier indexes hold, so that it is not worked out again.

    `vectors` by the encoder's fingerprint and the passage. `chunks` by key, split and fingerprint of the encoder, which counted their tokens; with the document they are of.
    """

    vectors: Mapping[tuple[str, str], Vectors] = field(default_factory=dict)
    chunks: Mapping[tuple[str, SplitSettings, str], tuple[Document, tuple[Chunk, ...]]] = field(default_factory=dict)

    def __or__(self, other: Known) -> Known:
        """Both; what both hold is taken from `other`."""
        return Known({**self.vectors, **other.vectors}, {**self.chunks, **other.chunks})

    def cut(self, document: Document, settings: SplitSettings, fingerprint: str) -> tuple[Chunk, ...] | None:
        """The chunks of this very document under these settings, if they are known."""
        before, chunks = self.chunks.get((document.key, settings, fingerprint), (None, ()))
        return chunks if before == document else None


class PassageEncoder(Tokenizer, Protocol):
    """What indexing needs of an encoder (`rag.models.encoder.Encoder`)."""

    fingerprint: str
    dim: int

    def encode_document(
        self,
        texts: Sequence[str],
        names: Sequence[str],
        stop: threading.Event | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Vectors:
        """Passages → ``(n, d) float32``, rows of length 1."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an indexing run is: `done` of `total` (files, documents or passages, by `step`).

    `reused`: of the step encode, passages whose vectors were there already; they are not in `total`. `ahead`: of the step
    load, files of others that have to be read first. `waits`: nothing was begun, another change has to end first.
    """

    step: StepName
    done: int
    total: int
    detail: str = ""
    reused: int = 0
    ahead: int = 0
    waits: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """Documents, their chunks and both indexes; never changes after it was made.

    Row i of each index is ``chunks[i]``. `dense` is None without an encoder; `fingerprint` is the encoder's, or "".
    `corpus_id` identifies content, split and encoder.
    """

    documents: Mapping[str, Document]
    chunks: tuple[Chunk, ...]
    dense: DenseIndex | None
    lexical: LexicalIndex
    split: SplitSettings
    fingerprint: str
    corpus_id: str

    derived: Derived = field(init=False, default_factory=Derived, repr=False)

    def permitted(self, groups: frozenset[str]) -> frozenset[str]:
        """Keys of the documents that somebody in `groups` may see: those that share a group with them."""
        return frozenset(key for key, document in self.documents.items() if document.groups & groups)

    def seen_by(self, groups: frozenset[str]) -> Corpus:
        """The corpus as it would be if it never had the documents that `groups` may not see; itself, when they may see all.

        Its BM25 counts passages and terms of the others only, and so do its id and its vectors: nothing of a masked
        document, not even by how rare it makes a word, reaches a score. The last few are kept (`Derived`).
        """
        keys = self.permitted(groups)
        return self if len(keys) == len(self.documents) else self.derived.view(keys, lambda: self._only(keys))

    def rows_seen_by(self, groups: frozenset[str]) -> NDArray[np.intp]:
        """The positions here of the chunks of `seen_by`, in their order."""
        return np.flatnonzero(self._rows(self.permitted(groups)))

    def _only(self, keys: frozenset[str]) -> Corpus:
        documents = {key: document for key, document in self.documents.items() if key in keys}
        rows = np.flatnonzero(self._rows(keys))
        chunks = tuple(self.chunks[i] for i in rows)
        return Corpus(
            documents,
            chunks,
            DenseIndex(self.dense.vectors[rows]) if self.dense is not None else None,
            LexicalIndex([chunk.wording for chunk in chunks]),
            self.split,
            self.fingerprint,
            _corpus_id(documents.values(), self.split, self.fingerprint),
        )

    def _rows(self, keys: Collection[str]) -> Rows:
        """Which chunks are of these documents: ``(n,) bool``."""
        numbers = self.derived.numbers(self.chunks, self.documents)
        return np.array([*(key in keys for key in self.documents), False], dtype=np.bool_)[numbers]

    def allowed(self, settings: SearchSettings, today: date, groups: frozenset[str] = PUBLIC) -> Allowed:
        """Which rows may be ranked: those of documents `groups` may see and, of these, what is in scope."""
        permitted = self.permitted(groups)
        keys: Collection[str] = permitted
        if settings.scope != "all":
            # among what may be seen only: a newer version that is kept from somebody does not hide the older one
            keys = self.current(settings, today, groups)
        chosen = frozenset(key for key in permitted if self.documents[key].doc_id in settings.documents)
        return allowed(
            self._rows(permitted),
            self._rows(keys),
            self._rows(chosen if settings.documents else permitted),
            in_sections(self.documents, self.chunks, settings.section),
        )

    def current(self, settings: SearchSettings, today: date, groups: frozenset[str] = PUBLIC) -> frozenset[str]:
        """Keys of the versions in force on `as_of` (else `today`) among what `groups` may see, one per policy at most."""
        permitted = self.permitted(groups)
        return in_force((d for key, d in self.documents.items() if key in permitted), settings.as_of or today)

    def approximate(self, stop: threading.Event | None = None) -> ApproximateIndex | None:
        """The graph over the vectors, built when it is first asked for; None without vectors, or when faiss is not installed.

        Raises `Stopped` when `stop` is set while it is built, here or by somebody who came first.
        """
        dense = self.dense
        return self.derived.graph(lambda: approximate(dense, stop), stop) if dense is not None else None

    def known(self) -> Known:
        """What another corpus can be built with."""
        cut: dict[str, list[Chunk]] = {key: [] for key in self.documents}
        for chunk in self.chunks:
            cut[chunk.key].append(chunk)
        chunks = {(key, self.split, self.fingerprint): (self.documents[key], tuple(of)) for key, of in cut.items()}
        vectors = self.dense.vectors if self.dense is not None else ()
        rows = {(self.fingerprint, chunk.passage): row for chunk, row in zip(self.chunks, vectors, strict=False)}
        return Known(rows, chunks)


def build(
    documents: Sequence[Document],
    settings: SplitSettings,
    encoder: PassageEncoder | None,
    known: Known | None = None,
    stop: threading.Event | None = None,
    progress: Callable[[Progress], None] = lambda _: None,
    check: Callable[[int], None] = lambda _: None,
) -> Corpus:
    """Split, encode and index `documents` (their keys differ). Documents that `known` has are not split again, passages not encoded.

    `check` gets the number of chunks so far after each document, before anything is encoded, and raises when it is too
    large. Raises `ChunkTooLong` and `Stopped` (see the encoder), and `ModelUnavailable` when it gives vectors that are no numbers;
    nothing is changed then.
    """
    known, fingerprint = known or Known(), encoder.fingerprint if encoder else ""
    chunks: list[Chunk] = []
    for i, document in enumerate(documents):
        if stop is not None and stop.is_set():
            raise Stopped(en="Indexing was stopped.", zh="索引已停止。")
        progress(Progress("split", i, len(documents), document.title))
        found = known.cut(document, settings, fingerprint)
        chunks += split(document, settings, encoder) if found is None else found
        check(len(chunks))
    dense = None
    if encoder is not None:
        dense = DenseIndex(_vectors(chunks, encoder, known.vectors, stop, progress))
    progress(Progress("index", 0, 1))
    lexical = LexicalIndex([chunk.wording for chunk in chunks])
    return Corpus(
        {d.key: d for d in documents},
        tuple(chunks),
        dense,
        lexical,
        settings,
        fingerprint,
        _corpus_id(documents, settings, fingerprint),
    )


def _corpus_id(documents: Iterable[Document], settings: SplitSettings, fingerprint: str) -> str:
    return hashlib.sha256(f"{corpus_hash(documents)} {settings} {fingerprint}".encode()).hexdigest()[:16]


def _vectors(
    chunks: Sequence[Chunk],
    encoder: PassageEncoder,
    known: Mapping[tuple[str, str], Vectors],
    stop: threading.Event | None,
    progress: Callable[[Progress], None],
) -> Vectors:
    of = encoder.fingerprint
    names = {chunk.passage: chunk.chunk_id for chunk in chunks}
    fresh_names = {passage: name for passage, name in names.items() if (of, passage) not in known}
    reused = len(names) - len(fresh_names)
    progress(Progress("encode", 0, len(fresh_names), reused=reused))
    fresh = encoder.encode_document(
        list(fresh_names),
        list(fresh_names.values()),
        stop,
        lambda done, n: progress(Progress("encode", done, n, reused=reused)),
    )
    _check_numbers(fresh, list(fresh_names.values()))
    row_of = {passage: fresh[i] for i, passage in enumerate(fresh_names)}
    vectors = np.empty((len(chunks), encoder.dim), dtype=np.float32)
    for i, chunk in enumerate(chunks):
        fresh_row = row_of.get(chunk.passage)
        vectors[i] = known[of, chunk.passage] if fresh_row is None else fresh_row
    return vectors


def _check_numbers(vectors: Vectors, names: Sequence[str]) -> None:
    # one row that is no number would keep a search from finding any
    bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if len(bad):
        raise ModelUnavailable(
            en=f"{names[bad[0]]}: the encoder gave a vector that holds NaN or infinite numbers ({len(bad)} in all). Nothing was "
            "indexed; choose another encoder.",
            zh=f"{names[bad[0]]}：编码器给出的向量含有 NaN 或无穷大（共 {len(bad)} 个），未建立索引，请换一个编码器。",
        )


def corpus_hash(documents: Iterable[Document]) -> str:
    """SHA-256 over everything that is known of the documents: all of it reaches an index, a prompt, a citation or a tab."""
    digest = hashlib.sha256()
    names = [field.name for field in fields(Document) if field.name != "groups"]
    for d in sorted(documents, key=lambda d: (d.origin, d.key)):
        facts = [getattr(d, name) for name in names]  # a set has no order: its groups are sorted
        digest.update(repr((facts, sorted(d.groups))).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()
