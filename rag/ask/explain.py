"""Why a passage was found: what each term gives to its BM25 score, and which of its tokens are most like the question's.

The first adds up to the score. The second explains, and is no score: the encoder compares pooled vectors, one per
text, while late interaction (MaxSim; Khattab and Zaharia, ColBERT, 2020) compares the tokens they were pooled from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rag.corpus.index import Corpus
from rag.corpus.lexical import Contribution
from rag.models.tokens import TokenStates
from rag.types import Chunk, Sought

PAIRS: Final = 8
"""Pairs of tokens that are shown."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A token of the question, the token of the passage most like it (spans of their texts), and the cosine of their states."""

    asked: tuple[int, int]
    found: tuple[int, int]
    similarity: float


def term_parts(chunk: Chunk, corpus: Corpus, texts: Sequence[Sought]) -> tuple[Contribution, ...]:
    """What each term of a leg's `texts` gives to the BM25 score of a chunk of `corpus`, the texts' weights counted in.

    The greatest first; they sum to the score. Empty for a chunk that is not of this corpus.
    """
    position = next((i for i, c in enumerate(corpus.chunks) if c.chunk_id == chunk.chunk_id), None)
    if position is None:
        return ()
    sums: dict[str, Contribution] = {}
    for sought in texts:
        for part in corpus.lexical.contributions(sought.text, chunk.wording, position) if sought.lexical > 0 else ():
            known = sums.get(part.term, Contribution(part.term, 0.0, part.found, 0.0))
            asked, score = known.asked + sought.lexical * part.asked, known.score + sought.lexical * part.score
            sums[part.term] = Contribution(part.term, asked, part.found, score)
    return tuple(sorted(sums.values(), key=lambda part: -part.score))


def strongest_pairs(question: TokenStates, passage: TokenStates, most: int = PAIRS) -> tuple[Pair, ...]:
    """For each token of the question the most similar of the passage (the first of equals); of these pairs the `most` strongest.

    Tokens without a letter or a digit are left out: a comma is most like a comma, which explains nothing. A word that
    stands in the question twice is drawn once, with its stronger pair.
    """
    rows, columns = _worded(question), _worded(passage)
    if not rows or not columns:
        return ()
    similar = question.states[rows] @ passage.states[columns].T
    best: dict[str, Pair] = {}
    for row, at in enumerate(similar.argmax(axis=1)):
        start, end = question.spans[rows[row]]
        pair = Pair((start, end), passage.spans[columns[at]], float(similar[row, at]))
        known = best.get(question.text[start:end])
        if known is None or pair.similarity > known.similarity:
            best[question.text[start:end]] = pair
    return tuple(sorted(best.values(), key=lambda pair: (-pair.similarity, pair.asked))[:most])


def _worded(tokens: TokenStates) -> Sequence[int]:
    return [i for i, (a, b) in enumerate(tokens.spans) if any(c.isalnum() for c in tokens.text[a:b])]
