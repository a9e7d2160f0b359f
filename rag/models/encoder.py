"""Bi-encoder: questions and passages → unit vectors, with the model's own prefixes and no silent truncation."""

from __future__ import annotations

import hashlib
import random
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sentence_transformers import SentenceTransformer

from rag.config import ModelSettings
from rag.errors import ChunkTooLong, SettingError, Stopped
from rag.models.layers import lay_end_to_end, product_dtype
from rag.models.pieces import pieces
from rag.models.tokens import TokenStates
from rag.models.turns import Turns
from rag.models.weights import Weights

Vectors = NDArray[np.float32]

# Characters tokenised in one turn to be counted: some hundredths of a second.
COUNT_CHARACTERS = 64_000


class Encoder:
    """A sentence-transformers model with its prefixes.

    `dim`: width of the vectors; `max_tokens`: the model's limit, prefix and special tokens included;
    `fingerprint`: 16 hex digits over all that decides a vector (name, revision, SHA-256 of the weights, dtype,
    prefixes, pooling, normalisation). Two encoders with equal fingerprints give comparable vectors.
    """

    def __init__(
        self, weights: Weights, settings: ModelSettings, turns: Turns, dtype: torch.dtype | None = None
    ) -> None:
        """`dtype`: of the products in its layers, where these are known; None: what the CPU multiplies fastest."""
        # said, since the library's own choice is the dtype of the file, and vectors are to be float32 whatever that is
        options = {"dtype": torch.float32}
        self._model = SentenceTransformer(
            str(weights.folder), device="cpu", local_files_only=True, model_kwargs=options
        ).eval()
        dtype = dtype or product_dtype()
        known = lay_end_to_end(getattr(self._model[0], "auto_model", None), dtype)
        self._turns = turns
        self.name = weights.name
        self.query_prefix = self._prefix(settings.query_prefix, ("query",), "query: ")
        self.document_prefix = self._prefix(settings.document_prefix, ("document", "passage"), "passage: ")
        dim = self._model.get_embedding_dimension()
        self.dim = int(dim) if dim is not None else len(self._model.encode("0"))
        self.max_tokens = int(self._model.max_seq_length or 512)
        self.facts = (
            ("model", weights.name),
            ("revision", weights.revision),
            ("weights_sha256", weights.sha256),
            ("dtype", str(dtype).removeprefix("torch.") if known else "float32"),
            ("layers", "end to end" if known else "the library's"),
            ("query_prefix", self.query_prefix),
            ("document_prefix", self.document_prefix),
            ("pooling", self._pooling()),
            ("normalised", "L2"),
        )
        self.fingerprint = hashlib.sha256(repr(self.facts).encode()).hexdigest()[:16]

    def _prefix(self, setting: str | None, names: Sequence[str], e5: str) -> str:
        """The prefix in use: the setting, else the folder's own prompt, else E5's for an E5 (its folder has none)."""
        if setting is not None:
            return setting
        for name in names:
            if self._model.prompts.get(name):
                return str(self._model.prompts[name])
        return e5 if "e5" in self.name.lower().rsplit("/", 1)[-1].split("-") else ""

    def _pooling(self) -> str:
        for module in self._model:
            if hasattr(module, "pooling_mode"):
                return str(module.pooling_mode)
        return "unknown"

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each passage as it would be encoded: document prefix and special tokens included."""
        return self._count([self.document_prefix + text for text in texts])

    def _count(self, texts: list[str]) -> list[int]:
        """Counted on one's turn: the tokenizer keeps truncation and padding as state between two calls, so that
        somebody's encoding at the same time would cut what is counted here.
        """
        counts: list[int] = []
        start = 0
        while start < len(texts):
            end, characters = start + 1, len(texts[start])
            while end < len(texts) and characters + len(texts[end]) <= COUNT_CHARACTERS:
                characters += len(texts[end])
                end += 1
            with self._turns.turn():
                counts += self._lengths(texts[start:end])
            start = end
        return counts

    def _lengths(self, texts: list[str]) -> list[int]:
        if not texts:
            return []
        # verbose=False: being over the limit is reported by `_check`, with a name
        ids = self._model.tokenizer(texts, truncation=False, padding=False, verbose=False)["input_ids"]
        return [len(row) for row in ids]

    def token_starts(self, text: str) -> list[int]:
        """Where the tokens of `text` begin, ascending; no prefix, no special tokens, no limit.

        Raises `SettingError` for a tokenizer that does not know.
        """
        self._check_places()
        starts: list[int] = []
        start = 0
        while start < len(text):
            end = start + COUNT_CHARACTERS
            if end < len(text):  # a line break is no part of a token
                end = text.rfind("\n", start, end) + 1 or end
            with self._turns.turn():
                found = self._model.tokenizer(
                    text[start:end],
                    add_special_tokens=False,
                    return_offsets_mapping=True,
                    truncation=False,
                    padding=False,
                    verbose=False,
                )
            starts += [start + a for a, b in found["offset_mapping"] if b > a]
            start = end
        return starts

    def _check_places(self) -> None:
        if not self._model.tokenizer.is_fast:
            raise SettingError(
                en=f"The tokenizer of {self.name} does not say where its tokens stand. Choose another split strategy, or another encoder.",
                zh=f"{self.name} 的分词器无法给出 token 的位置，请改用其他切分方式或其他编码器。",
            )

    def encode_query(self, texts: Sequence[str]) -> Vectors:
        """Questions → ``(n, dim) float32``, rows of length 1. Raises `ChunkTooLong` for a question over the limit."""
        prefixed = [self.query_prefix + text for text in texts]
        with self._turns.turn(short=True):
            self._check(self._lengths(prefixed), ["question" for _ in texts])
            return self._encode(prefixed)

    def token_states(
        self, texts: Sequence[str], *, question: bool, stop: threading.Event | None = None
    ) -> tuple[TokenStates, ...]:
        """Of each question, or passage, the tokens with their states; its vector is their pooling. Batch by batch, on their turns.

        Raises `ChunkTooLong`, `SettingError` for a tokenizer that does not know where its tokens stand, and `Stopped` before a
        batch once `stop` is set.
        """
        self._check_places()
        prefix, kind = (self.query_prefix, "question") if question else (self.document_prefix, "passage")
        prefixed = [prefix + text for text in texts]
        options: dict[str, Any] = {"output_value": "token_embeddings", "show_progress_bar": False}
        found: dict[int, TokenStates] = {}
        for piece in pieces(self._count(prefixed)):
            batch = [prefixed[i] for i in piece]
            with self._turns.turn(short=question):
                if stop is not None and stop.is_set():  # maybe while it waited for its turn
                    raise Stopped(en="Reading was stopped.", zh="读取已停止。")
                read = self._model.tokenizer(
                    batch, return_offsets_mapping=True, return_special_tokens_mask=True, truncation=False, verbose=False
                )
                self._check([len(ids) for ids in read["input_ids"]], [kind for _ in batch])
                states = self._model.encode(batch, prompt="", batch_size=len(batch), **options)
            for i, rows, offsets, special in zip(
                piece, states, read["offset_mapping"], read["special_tokens_mask"], strict=True
            ):
                found[i] = _of_tokens(texts[i], len(prefix), rows.float().cpu().numpy(), offsets, special)
        return tuple(found[i] for i in range(len(texts)))

    def encode_document(
        self,
        texts: Sequence[str],
        names: Sequence[str],
        stop: threading.Event | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Vectors:
        """Passages → ``(n, dim) float32``, rows of length 1, in the order given.

        `names` are the chunk ids, used in the error. `progress(done, n)` is called after every piece.
        Raises `ChunkTooLong` before anything is encoded, `Stopped` between two pieces once `stop` is set.
        """
        prefixed = [self.document_prefix + text for text in texts]
        counts = self._count(prefixed)
        self._check(counts, names)
        vectors = np.empty((len(prefixed), self.dim), dtype=np.float32)
        done = 0
        batches = list(pieces(counts))
        # long ones first would be slow ones first: in a mixed order the time that is left can be told from the time it took
        random.Random(0).shuffle(batches)
        for piece in batches:
            if stop is not None and stop.is_set():
                raise Stopped(en="Indexing was stopped.", zh="索引已停止。")
            with self._turns.turn():
                vectors[piece] = self._encode([prefixed[i] for i in piece])
            done += len(piece)
            if progress is not None:
                progress(done, len(prefixed))
        return vectors

    def _encode(self, texts: list[str]) -> Vectors:
        if not texts:
            return np.empty((0, self.dim), dtype=np.float32)
        options: dict[str, Any] = {"batch_size": len(texts), "show_progress_bar": False}
        vectors = self._model.encode(texts, prompt="", normalize_embeddings=True, **options)
        return np.asarray(vectors, dtype=np.float32)

    def _check(self, counts: Sequence[int], names: Sequence[str]) -> None:
        for count, name in zip(counts, names, strict=True):
            if count > self.max_tokens:
                raise ChunkTooLong(
                    en=f"{name}: {count} tokens, but {self.name} reads at most {self.max_tokens}. "
                    "Choose a smaller chunk size (or shorten the question).",
                    zh=f"{name}：共 {count} 个 token，而 {self.name} 最多读取 {self.max_tokens} 个。请减小块大小（或缩短问题）。",
                )


def _of_tokens(
    text: str, prefix: int, rows: Vectors, offsets: Sequence[tuple[int, int]], special: Sequence[int]
) -> TokenStates:
    """The tokens that stand for a part of `text`, of those of `prefix` characters and `text`; `rows`: their states."""
    kept: dict[int, tuple[int, int]] = {}
    for i, (a, b) in enumerate(offsets):
        start, end = max(a - prefix, 0), b - prefix
        word = text[start:end] if end > start and not special[i] else ""
        if word.strip():  # the last of several that begin at one place: before it come marks of where a word begins
            kept[end - len(word.lstrip())] = (start + len(word.rstrip()), i)
    states = np.asarray(rows[[i for _, i in kept.values()]], dtype=np.float32)
    spans = tuple((start, end) for start, (end, _) in kept.items())
    return TokenStates(text, spans, states / np.linalg.norm(states, axis=1, keepdims=True))
