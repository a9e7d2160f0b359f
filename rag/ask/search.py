"""A question → one ranked list per retriever."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rag.ask.rewrite import Asked
from rag.config import SearchSettings
from rag.corpus.index import Corpus
from rag.corpus.ranking import Hit
from rag.errors import Bilingual
from rag.types import PUBLIC, Step

_HAN = re.compile(r"[\u3400-\u9fff]")


class QueryEncoder(Protocol):
    """What a search needs of an encoder."""

    def encode_query(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Questions → ``(n, d) float32``, rows of length 1."""


@dataclass(frozen=True, slots=True)
class Runs:
    """What each retriever returned, best first, and the question's vector (None when dense search did not run).

    `query`: ``(d,) float32``, length 1; of several texts the weighted mean, scaled to length 1. `foreign`: positions of
    the dense hits in another language than the question, which no list of words in common can judge.
    """

    dense: tuple[Hit, ...]
    lexical: tuple[Hit, ...]
    query: NDArray[np.float32] | None
    steps: tuple[Step, ...]
    foreign: frozenset[int] = frozenset()


def search(
    question: str,
    corpus: Corpus,
    settings: SearchSettings,
    encoder: QueryEncoder | None,
    groups: frozenset[str] = PUBLIC,
    earlier: Sequence[str] = (),
) -> Runs:
    """Ask each retriever that `settings.mode` names for its `settings.depth` best chunks that `groups` may see and are in scope.

    What `groups` may not see is masked before scoring, and no step counts it. `earlier`: questions read with this one
    (`rag.ask.rewrite`).
    """
    asked = Asked(question, tuple(earlier))
    among = corpus.allowed(settings, date.today(), groups)
    allowed, n = among.rows, int(among.rows.sum())
    scope = Bilingual(en="", zh="")
    if among.hidden:
        scope = Bilingual(
            en=f"{among.hidden} chunks of versions not in force left out",
            zh=f"非现行版本的 {among.hidden} 个块不参与检索",
        )
    dense: list[Hit] = []
    lexical: list[Hit] = []
    query: NDArray[np.float32] | None = None
    steps: list[Step] = []
    if settings.mode != "lexical":
        began = time.perf_counter()
        if encoder is not None and corpus.dense is not None:
            query = _vector(asked, encoder)
            dense = corpus.dense.search(query, settings.depth, allowed)
            steps.append(Step("dense", time.perf_counter() - began, n, len(dense), scope))
        else:
            why = Bilingual(en="no encoder: lexical search only", zh="没有编码器：仅用词法检索")
            steps.append(Step("dense", 0.0, n, 0, why, skipped=True))
    # without vectors the lexical list stands in, also when only the dense one was asked for; the step above says so
    if settings.mode != "dense" or query is None:
        began = time.perf_counter()
        # BM25 adds up over the terms of a query, a repeated one each time: so often does the text stand there
        terms = "\n".join(text for text, weight in asked.weighted for _ in range(weight))
        lexical = corpus.lexical.search(terms, settings.depth, allowed)
        steps.append(Step("lexical", time.perf_counter() - began, n, len(lexical), scope))
    return Runs(tuple(dense), tuple(lexical), query, tuple(steps), _foreign(question, dense, corpus))


def _foreign(question: str, dense: Sequence[Hit], corpus: Corpus) -> frozenset[int]:
    asked = is_chinese(question)
    written = {hit.position: is_chinese(corpus.chunks[hit.position].text) for hit in dense}
    return frozenset(p for p, chinese in written.items() if None not in (asked, chinese) and chinese != asked)


def is_chinese(text: str) -> bool | None:
    """Whether at least a sixth of the letters are Chinese: two make a word, of an English one there are six. None without letters.

    >>> is_chinese("VPN怎么开通？"), is_chinese("What does 年假 mean in English?"), is_chinese("3000")
    (True, False, None)
    """
    letters = sum(c.isalpha() for c in text)
    return len(_HAN.findall(text)) * 6 >= letters if letters else None


def _vector(asked: Asked, encoder: QueryEncoder) -> NDArray[np.float32]:
    """The direction a question is looked for in: of one text its own vector, of several their weighted mean."""
    texts, weights = zip(*asked.weighted, strict=True)
    vectors = encoder.encode_query(texts)
    if len(texts) == 1:
        return vectors[0]
    mean = np.asarray(weights, dtype=np.float32) @ vectors
    length = float(np.linalg.norm(mean))
    # texts that point opposite ways leave no direction: the first, the question alone, is one
    return np.asarray(mean / length, dtype=np.float32) if length > 0 else vectors[0]
