"""What the measurements of search are made on: vectors drawn at random, passages mixed of the sample policies' sentences."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rag.config import SplitSettings
from rag.corpus.dense import DenseIndex
from rag.corpus.index import Corpus
from rag.corpus.lexical import LexicalIndex
from rag.corpus.load import load
from rag.corpus.samples import FOLDER
from rag.types import Chunk, Document

K = 20


def unit(rng: np.random.Generator, n: int, dim: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Rows that differ in 32 directions mostly, as an encoder's do; in all 384 at random, no neighbours would be worth a graph."""
    directions = np.random.default_rng(1).standard_normal((32, dim), dtype=np.float32)
    rows = rng.standard_normal((n, 32), dtype=np.float32) @ directions + rng.standard_normal((n, dim), dtype=np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


def passages(n: int) -> list[str]:
    """Three to eight sentences each, as policies are worded: a few words stand everywhere, most hardly anywhere."""
    texts = [d.text for path in sorted(FOLDER.iterdir()) if path.is_file() for d in _loaded(path)]
    sentences = [s.strip() for text in texts for s in re.split(r"(?<=[。；\n])", text) if len(s.strip()) > 5]
    draw = random.Random(0)
    return ["".join(draw.choices(sentences, k=draw.randint(3, 8)))[:300] for _ in range(n)]


def _loaded(path: Path) -> Sequence[Document]:
    return load(path.name, path.read_bytes()) if path.suffix in {".docx", ".md", ".html", ".txt"} else ()


def corpus_of(vectors: np.ndarray[Any, np.dtype[np.float32]]) -> Corpus:
    """Hundred chunks a document, all in force."""
    texts = passages(len(vectors))
    chunks, documents = [], {}
    for i, start in enumerate(range(0, len(texts), 100)):
        key, at = f"p{i}@1", 0
        for text in texts[start : start + 100]:
            chunks.append(Chunk(f"{key}:{at}-{at + len(text)}", key, at, at + len(text), text, "", 0, None, ()))
            at += len(text)
        whole = "".join(texts[start : start + 100])
        documents[key] = Document(f"p{i}", "1", key, "own", f"p{i}", "", whole)
    lexical = LexicalIndex([chunk.wording for chunk in chunks])
    return Corpus(documents, tuple(chunks), DenseIndex(vectors), lexical, SplitSettings(), "bench", "bench")


class Fixed:
    """An encoder whose vectors are there already: encoding is not measured."""

    def __init__(self, queries: Any) -> None:
        self._next = itertools.cycle(queries)

    def encode_query(self, texts: Sequence[str]) -> Any:
        return np.stack([next(self._next) for _ in texts])
