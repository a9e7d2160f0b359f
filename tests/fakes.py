"""Stand-ins for what is heavy. They live in the tests only."""

import hashlib
import threading
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from rag.errors import ChunkTooLong, Stopped

Vectors = NDArray[np.float32]


class HashEncoder:
    """Equal texts, equal unit vectors; different texts, unrelated ones. A question and a passage of equal text agree.

    A token is a character. `encoded` lists every passage that was really encoded, in order.
    """

    def __init__(self, dim: int = 16, fingerprint: str = "hash-encoder", max_tokens: int = 10_000) -> None:
        self.dim = dim
        self.fingerprint = fingerprint
        self.max_tokens = max_tokens
        self.name = "hash"
        self.facts = (("model", "hash"), ("revision", ""))
        self.encoded: list[str] = []

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text) for text in texts]

    def token_starts(self, text: str) -> list[int]:
        return list(range(len(text)))

    def encode_query(self, texts: Sequence[str]) -> Vectors:
        return self._vectors(texts)

    def encode_document(
        self,
        texts: Sequence[str],
        names: Sequence[str],
        stop: threading.Event | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Vectors:
        for text, name in zip(texts, names, strict=True):
            if len(text) > self.max_tokens:
                raise ChunkTooLong(en=f"{name}: {len(text)} tokens", zh=f"{name}：{len(text)} 个 token")
        for i in range(len(texts)):
            if stop is not None and stop.is_set():
                raise Stopped(en="Indexing was stopped.", zh="索引已停止。")
            if progress is not None:
                progress(i + 1, len(texts))
        self.encoded += texts
        return self._vectors(texts)

    def _vectors(self, texts: Sequence[str]) -> Vectors:
        out = np.empty((len(texts), self.dim), dtype=np.float32)
        for i, text in enumerate(texts):
            digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
            row = np.random.default_rng(list(digest)).standard_normal(self.dim)
            out[i] = row / np.linalg.norm(row)
        return out
