"""What one visitor's questions gave, so that the same question is not worked out twice: vectors, retrievals, answers."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from rag.ask.query import formulate
from rag.ask.search import QueryEncoder
from rag.config import Settings
from rag.corpus.index import Corpus
from rag.errors import Bilingual
from rag.models.tokens import TokenStates
from rag.pipeline import Loaded
from rag.types import Answer, Chunk, Document, Query, Retrieval, Step

if TYPE_CHECKING:  # torch comes with these
    from rag.models.generator import Generator
    from rag.models.reranker import Reranker

MOST: Final = 64
MOST_BYTES: Final = 16_000_000
"""Of more, what was not used for longest is dropped."""

VECTOR: Final = Bilingual(en="the question's vector is from this visit's cache", zh="问题向量取自本次访问的缓存")
RETRIEVAL: Final = Bilingual(
    en="from this visit's cache: the same question, settings and documents; nothing was searched again, the rows below are of then",
    zh="取自本次访问的缓存：问题、设置与文档均未变，未重新检索，以下各行为当时的记录",
)
ANSWER: Final = Bilingual(
    en="from this visit's cache: the same prompt, answered greedily; nothing was generated again, the rows above are of then",
    zh="取自本次访问的缓存：提示词相同且为贪心解码，未重新生成，以上各行为当时的记录",
)


@dataclass(frozen=True, slots=True)
class Key:
    """All that a retrieval depends on: equal keys, equal retrievals. `today` decides which versions are in force.

    Of the questions asked before only those in `query` matter, which it is searched and answered with.
    """

    query: Query
    settings: Settings
    corpus_id: str
    groups: frozenset[str]
    today: date


class Remembered:
    """Belongs to one visitor and one corpus, and is replaced by an empty one with every change of the corpus.

    So nothing of a removed document, and no question of somebody who left, is in what is asked next, also when work begun
    before ends after. At most `most` entries and `most_bytes`, the chunks and documents, which the corpus holds anyway,
    not counted. May be called from any thread.
    """

    def __init__(self, most: int = MOST, most_bytes: int = MOST_BYTES) -> None:
        self._most, self._most_bytes = most, most_bytes
        self._lock = threading.Lock()
        self._held: dict[object, tuple[object, int]] = {}  # with its bytes; the one used last is the last
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._held)

    @property
    def held_bytes(self) -> int:
        """About how many bytes what is kept takes."""
        return self._bytes

    def vectors(
        self, texts: Sequence[str], encode: Callable[[Sequence[str]], NDArray[np.float32]]
    ) -> tuple[NDArray[np.float32], bool]:
        """The vectors of `texts`, ``(n, d) float32``, and whether they were here already.

        Kept text by text they would not be exact: an encoder's last digits depend on what it reads at the same time.
        """
        key = ("vectors", *texts)
        found = self._get(key)
        if isinstance(found, np.ndarray):
            return found, True
        made = encode(texts)
        made.flags.writeable = False
        self._put(key, made)
        return made, False

    def retrieval(self, key: Key) -> Retrieval | None:
        """What the question found, its trace saying that it is from here; None when it has to be searched."""
        began = time.perf_counter()
        found = self._get(("retrieval", key))
        if not isinstance(found, Retrieval):
            return None
        step = Step("cache", time.perf_counter() - began, len(found.candidates), len(found.candidates), RETRIEVAL)
        return replace(found, trace=replace(found.trace, steps=(step, *found.trace.steps)))

    def keep_retrieval(self, key: Key, retrieval: Retrieval) -> None:
        """Keep it, unless something was missing when it was made, which may be there next time."""
        complete = retrieval.prompt is not None and retrieval.prompt.rendered
        if complete and not any(step.skipped for step in retrieval.trace.steps):
            self._put(("retrieval", key), retrieval)

    def answer(self, key: Key, retrieval: Retrieval, anyway: bool = False) -> Answer | None:
        """The finished answer to the same prompt, `anyway` or not, its trace that of `retrieval`, then what it took, and that it is from here."""
        began = time.perf_counter()
        found = self._get(("answer", key, anyway))
        if not isinstance(found, Answer) or found.prompt != retrieval.prompt:
            return None
        step = Step("cache", time.perf_counter() - began, len(found.prompt.input_ids), found.n_tokens, ANSWER)
        written = [s for s in found.trace.steps if s.name in {"gate", "generate", "cite", "quote", "compare"}]
        return replace(found, trace=replace(found.trace, steps=(*retrieval.trace.steps, *written, step)))

    def keep_answer(self, key: Key, answer: Answer, anyway: bool = False) -> None:
        """Keep it when it is finished and greedy: one that was stopped is not all, and a sampled one is one of many."""
        if answer.done and answer.finish in {"end", "length"} and key.settings.generate.temperature == 0:
            self._put(("answer", key, anyway), answer)

    def _get(self, key: object) -> object:
        with self._lock:
            held = self._held.pop(key, None)
            if held is None:
                return None
            self._held[key] = held
            return held[0]

    def _put(self, key: object, value: object) -> None:
        size = _bytes_of(key) + _bytes_of(value)
        with self._lock:
            self._drop(key)
            if size > self._most_bytes:
                return
            self._held[key] = value, size
            self._bytes += size
            while len(self._held) > self._most or self._bytes > self._most_bytes:
                self._drop(next(iter(self._held)))

    def _drop(self, key: object) -> None:
        self._bytes -= self._held.pop(key, (None, 0))[1]


def _bytes_of(value: object) -> int:
    """About how many bytes `value` takes, without chunks and documents; what stands in it twice counts twice."""
    if isinstance(value, (Chunk, Document)):
        return 0
    if isinstance(value, np.ndarray):
        return value.nbytes
    size = sys.getsizeof(value)
    if isinstance(value, Mapping):
        return size + sum(_bytes_of(k) + _bytes_of(v) for k, v in value.items())
    if isinstance(value, (tuple, frozenset)):
        return size + sum(map(_bytes_of, value))
    if is_dataclass(value):
        return size + sum(_bytes_of(getattr(value, f.name)) for f in fields(value))
    return size


class Reading:
    """The models for one retrieval, with vectors that are kept; it says afterwards which were."""

    def __init__(self, models: Loaded, kept: Remembered) -> None:
        self._models, self._kept = models, kept
        self._reused: list[list[bool]] = []  # per search, of each call of the encoder

    def encoder(self) -> QueryEncoder:
        """The encoder, which is asked only for what is not kept."""
        encoder = self._models.encoder()
        self._reused.append([])
        return _Encoder(encoder, self._kept, self._reused[-1])

    def generator(self) -> Generator:
        """The generator."""
        return self._models.generator()

    def reranker(self) -> Reranker:
        """The cross-encoder."""
        return self._models.reranker()

    def said(self, retrieval: Retrieval) -> Retrieval:
        """`retrieval` with a word in the row of each reading by the encoder whose vectors were kept."""
        reused = iter([all(calls) for calls in self._reused if calls])
        steps = []
        for step in retrieval.trace.steps:
            if step.name == "embed" and next(reused, False):
                note = Bilingual(
                    en="; ".join(filter(None, (VECTOR.en, step.note.en))),
                    zh="；".join(filter(None, (VECTOR.zh, step.note.zh))),
                )
                step = replace(step, note=note)
            steps.append(step)
        return replace(retrieval, trace=replace(retrieval.trace, steps=tuple(steps)))


@dataclass(frozen=True, slots=True)
class _Encoder:
    encoder: QueryEncoder
    kept: Remembered
    reused: list[bool]

    def encode_query(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors, reused = self.kept.vectors(texts, self.encoder.encode_query)
        self.reused.append(reused)
        return vectors

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        return self.encoder.facts

    def token_states(
        self, texts: Sequence[str], *, question: bool, stop: threading.Event | None = None
    ) -> tuple[TokenStates, ...]:
        return self.encoder.token_states(texts, question=question, stop=stop)


def key_of(question: str, history: Sequence[str], settings: Settings, corpus: Corpus, groups: frozenset[str]) -> Key:
    """The key of a question asked now, after `history`. Raises `SettingError` as `rag.ask.query.formulate` does."""
    query = formulate(question, history, settings.query)
    return Key(query, settings, corpus.corpus_id, groups, date.today())
