"""Lexical index: BM25 (Lucene's form, k1 = 1.5, b = 0.75, computed by bm25s) over words and Chinese uni- and bigrams."""

from __future__ import annotations

import logging
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import bm25s
import numpy as np
from numpy.typing import NDArray

from rag.corpus.ranking import Hit, top_k

# the library sets its logger to DEBUG, and every index it builds would be a line in the app's log
logging.getLogger(bm25s.__name__).setLevel(logging.WARNING)

# Han with its extensions, kana, hangul: written without spaces, so single characters and pairs are the terms.
_CJK = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff\u3040-\u30ff\uac00-\ud7af"
# Letters and digits hang together over - _ . / so that VPN-4031, HR-F-012 and 3.5 are one term each.
_WORD = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+(?:[-_./][^\W_{_CJK}]+)*")
_IS_CJK = re.compile(rf"[{_CJK}]")


@dataclass(frozen=True, slots=True)
class Term:
    """A term and the half-open span of the text it was read from."""

    term: str
    start: int
    end: int


def fold(text: str) -> str:
    """Full-width → half-width, upper → lower case, character by character, so that offsets stay the same.

    >>> fold("ＶＰＮ－４０３１ ½")
    'vpn-4031 ½'
    """
    return "".join(_fold_character(c) for c in text)


def _fold_character(c: str) -> str:
    if c.isascii():
        return c.lower()
    plain = unicodedata.normalize("NFKC", c).lower()
    return plain if len(plain) == 1 else c


def terms(text: str) -> list[Term]:
    """The terms of a text, in order.

    >>> [t.term for t in terms("年假15天，VPN-4031")]
    ['年', '年假', '假', '15', '天', 'vpn-4031']
    """
    folded = fold(text)
    out: list[Term] = []
    for match in _WORD.finditer(folded):
        if not _IS_CJK.match(match.group()):
            out.append(Term(match.group(), match.start(), match.end()))
            continue
        for i in range(match.start(), match.end()):
            out.append(Term(folded[i], i, i + 1))
            if i + 1 < match.end():
                out.append(Term(folded[i : i + 2], i, i + 2))
    return out


class LexicalIndex:
    """BM25 over passages, in the order of the corpus's chunks."""

    def __init__(self, passages: Sequence[str]) -> None:
        self._n = len(passages)
        tokens = [[t.term for t in terms(passage)] for passage in passages]
        self._bm25: bm25s.BM25 | None = None
        if any(tokens):
            self._bm25 = bm25s.BM25(k1=1.5, b=0.75, method="lucene")
            self._bm25.index(tokens, show_progress=False)

    def scores(self, query: str) -> NDArray[np.float32]:
        """BM25 of every passage: ``(n,) float32``, ≥ 0; a term that is repeated in the query counts as often."""
        wanted = [t.term for t in terms(query)]
        if self._bm25 is None or not wanted:
            return np.zeros(self._n, dtype=np.float32)
        return np.asarray(self._bm25.get_scores(wanted), dtype=np.float32)

    def search(self, query: str, k: int, allowed: NDArray[np.bool_] | None = None) -> list[Hit]:
        """The `k` best passages that share a term with `query`, sorted by ``(-score, position)``; none of score 0."""
        scores = self.scores(query)
        matching = scores > 0
        return top_k(scores, k, matching if allowed is None else matching & allowed)
