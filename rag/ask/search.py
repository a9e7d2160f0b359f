"""A question → one ranked list per retriever."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from rag.config import SearchSettings
from rag.corpus.approximate import MISSING
from rag.corpus.index import Corpus
from rag.corpus.lexical import names, terms
from rag.corpus.ranking import Hit, top_k
from rag.errors import Bilingual, ChunkTooLong
from rag.models.tokens import TokenStates
from rag.types import PUBLIC, Leg, LegName, Query, Step

NO_ENCODER: Final = Bilingual(en="no encoder: lexical search only", zh="没有编码器：仅用词法检索")
TOO_LONG: Final = Bilingual(
    en="the question is too long for the encoder: lexical search only; shorten it",
    zh="问题超过编码器的长度上限：仅用词法检索，请缩短问题",
)
_HEAD: Final = 20
"""Characters that name a text in a note."""

_HAN = re.compile(r"[\u3400-\u9fff]")


class QueryEncoder(Protocol):
    """What a question needs of an encoder: to be searched with, and to be compared with what was found token by token."""

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """What decides its vectors, by name."""

    def encode_query(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Questions → ``(n, d) float32``, rows of length 1."""

    def token_states(
        self, texts: Sequence[str], *, question: bool, stop: threading.Event | None = None
    ) -> tuple[TokenStates, ...]:
        """Of each question, or passage, the tokens with their states."""


@dataclass(frozen=True, slots=True)
class LegRun:
    """What each retriever returned for a further leg, best first; `foreign` and `named` as in `Runs`."""

    name: LegName
    dense: tuple[Hit, ...]
    lexical: tuple[Hit, ...]
    foreign: frozenset[int]
    named: frozenset[int]


@dataclass(frozen=True, slots=True)
class Runs:
    """What each retriever returned, best first, and the question's vector (None when dense search did not run).

    `query`: ``(d,) float32``, length 1; of several texts the weighted mean, scaled to length 1. `foreign`: positions of
    the dense hits in another language than the question, which no list of words in common can judge; `named`: of the
    lexical hits that hold a code or clause which the question names, which no vector can tell from its neighbours. All of this is of the query's first leg, the whole question; `further`: the same of its other legs. `vectors`: of every leg, in order; empty
    when dense search did not run.
    """

    dense: tuple[Hit, ...]
    lexical: tuple[Hit, ...]
    query: NDArray[np.float32] | None
    steps: tuple[Step, ...]
    foreign: frozenset[int] = frozenset()
    further: tuple[LegRun, ...] = ()
    vectors: tuple[NDArray[np.float32], ...] = ()
    named: frozenset[int] = frozenset()


def search(
    query: Query,
    corpus: Corpus,
    settings: SearchSettings,
    encoder: QueryEncoder | None,
    groups: frozenset[str] = PUBLIC,
    stop: threading.Event | None = None,
) -> Runs:
    """Ask each retriever that `settings.mode` names for its `settings.depth` best chunks, per leg, that `groups` may see and are in scope.

    What `groups` may not see is masked before scoring: scores are those of a corpus without it, and no step counts it.
    Positions are those of `corpus`. A question that the encoder cannot read whole is searched by its words. Raises
    `Stopped` when `stop` is set while the graph of an approximate search is built.
    """
    seen = corpus.seen_by(groups)
    if seen is not corpus:
        return _placed(search(query, seen, settings, encoder, groups, stop), corpus.rows_seen_by(groups))
    among = corpus.allowed(settings, date.today(), groups)
    n, left_out = int(among.rows.sum()), among.note()
    nothing: list[list[Hit]] = [[] for _ in query.legs]
    vectors: Sequence[NDArray[np.float32]] = ()
    dense, lexical, steps = nothing, nothing, list[Step]()
    if settings.mode != "lexical":
        began = time.perf_counter()
        why, unread = NO_ENCODER, Bilingual(en="", zh="")
        if encoder is not None and corpus.dense is not None:
            vectors, unread = vectors_of(query.legs, encoder)
            why = TOO_LONG
        if vectors:
            read = time.perf_counter()
            steps.append(Step("embed", read - began, len(read_dense(query.legs)), len(vectors), unread))
            dense, how = dense_lists(corpus, settings, vectors, among.rows, stop)
            steps.append(Step("dense", time.perf_counter() - read, n, _different(dense), _joined(how, left_out)))
        else:
            steps.append(Step("dense", time.perf_counter() - began, n, 0, why, skipped=True))
    # without vectors the lexical list stands in, also when only the dense one was asked for; the step above says so
    if settings.mode != "dense" or not vectors:
        began = time.perf_counter()
        lexical = lexical_lists(query, corpus, settings, among.rows)
        steps.append(Step("lexical", time.perf_counter() - began, n, _different(lexical), left_out))
    return gathered(query, corpus, dense, lexical, vectors, steps)


def dense_lists(
    corpus: Corpus,
    settings: SearchSettings,
    vectors: Sequence[NDArray[np.float32]],
    rows: NDArray[np.bool_],
    stop: threading.Event | None = None,
) -> tuple[list[list[Hit]], Bilingual]:
    """The `settings.depth` nearest among `rows`, for the vector of each leg, and how they were found where that was not by
    comparing all, as was asked for; there are vectors of the passages. Raises `Stopped`, see `Corpus.approximate`.
    """
    exact = corpus.dense
    assert exact is not None
    index = corpus.approximate(stop) if settings.nearest == "approximate" else None
    if index is None:
        compared = [exact.found(vector, settings.depth, rows) for vector in vectors]
        missing = MISSING if settings.nearest == "approximate" else Bilingual(en="", zh="")
        how = _joined(missing, exact.note(sum(n for _, n in compared)))
        return [hits for hits, _ in compared], how
    found = [index.found(vector, settings.depth, rows) for vector in vectors]
    return [hits for hits, _ in found], index.note(all(by_graph for _, by_graph in found))


def lexical_lists(query: Query, corpus: Corpus, settings: SearchSettings, rows: NDArray[np.bool_]) -> list[list[Hit]]:
    """The `settings.depth` best by BM25 among `rows`, for each leg; none of score 0."""
    scored = [lexical_scores(leg, corpus) for leg in query.legs]
    return [top_k(scores, settings.depth, rows & (scores > 0)) for scores in scored]


def gathered(
    query: Query,
    corpus: Corpus,
    dense: Sequence[Sequence[Hit]],
    lexical: Sequence[Sequence[Hit]],
    vectors: Sequence[NDArray[np.float32]],
    steps: Sequence[Step],
) -> Runs:
    """The lists of every leg as one. No `vectors`: dense search did not run."""
    whole, *further = (
        LegRun(leg.name, tuple(d), tuple(lex), _foreign(query.question, d, corpus), _named(query.question, lex, corpus))
        for leg, d, lex in zip(query.legs, dense, lexical, strict=True)
    )
    vector = vectors[0] if vectors else None
    return Runs(
        whole.dense, whole.lexical, vector, tuple(steps), whole.foreign, tuple(further), tuple(vectors), whole.named
    )


def _placed(runs: Runs, rows: NDArray[np.intp]) -> Runs:
    """Positions among `rows` → positions in the corpus these are rows of."""

    def hits(found: Sequence[Hit]) -> tuple[Hit, ...]:
        return tuple(Hit(int(rows[hit.position]), hit.score) for hit in found)

    def places(found: frozenset[int]) -> frozenset[int]:
        return frozenset(int(rows[position]) for position in found)

    further = tuple(
        LegRun(f.name, hits(f.dense), hits(f.lexical), places(f.foreign), places(f.named)) for f in runs.further
    )
    return replace(
        runs,
        dense=hits(runs.dense),
        lexical=hits(runs.lexical),
        foreign=places(runs.foreign),
        further=further,
        named=places(runs.named),
    )


def lexical_scores(leg: Leg, corpus: Corpus) -> NDArray[np.float32]:
    """BM25 of every chunk for a leg: of each text its weight times its score, added up; ``(n,) float32``, ≥ 0."""
    weighted = [np.float32(s.lexical) * corpus.lexical.scores(s.text) for s in leg.texts if s.lexical > 0]
    return np.asarray(sum(weighted[1:], weighted[0]), dtype=np.float32)


def _joined(*notes: Bilingual) -> Bilingual:
    return Bilingual(
        en="; ".join(note.en for note in notes if note.en), zh="；".join(note.zh for note in notes if note.zh)
    )


def _different(lists: Sequence[Sequence[Hit]]) -> int:
    return len({hit.position for hits in lists for hit in hits})


def _foreign(question: str, dense: Sequence[Hit], corpus: Corpus) -> frozenset[int]:
    asked = is_chinese(question)
    written = {hit.position: is_chinese(corpus.chunks[hit.position].text) for hit in dense}
    return frozenset(p for p, chinese in written.items() if None not in (asked, chinese) and chinese != asked)


def _named(question: str, lexical: Sequence[Hit], corpus: Corpus) -> frozenset[int]:
    wanted = names(question)
    if not wanted:
        return frozenset()
    return frozenset(
        hit.position
        for hit in lexical
        if any(term.term in wanted for term in terms(corpus.chunks[hit.position].passage))
    )


def is_chinese(text: str) -> bool | None:
    """Whether at least a sixth of the letters are Chinese: two make a word, of an English one there are six. None without letters.

    >>> is_chinese("VPN怎么开通？"), is_chinese("What does 年假 mean in English?"), is_chinese("3000")
    (True, False, None)
    """
    letters = sum(map(str.isalpha, text))
    return len(_HAN.findall(text)) * 6 >= letters if letters else None


def read_dense(legs: Sequence[Leg]) -> list[str]:
    """The different texts of `legs` that the encoder is to read, each once."""
    return list(dict.fromkeys(sought.text for leg in legs for sought in leg.texts if sought.dense > 0))


def vectors_of(legs: Sequence[Leg], encoder: QueryEncoder) -> tuple[list[NDArray[np.float32]], Bilingual]:
    """The direction each leg is looked for in: of one text its own vector, of several their weighted mean. Each text is encoded once.

    A text that is too long for the encoder is left out, and the note says which; without the question itself, the first
    text of every query, there are no vectors.
    """
    texts = read_dense(legs)
    row_of = _rows(texts, encoder)
    unread = [text for text in texts if text not in row_of]
    if not texts or texts[0] in unread:
        return [], Bilingual(en="", zh="")
    vectors = [
        _direction([(row_of[s.text], s.dense) for s in leg.texts if s.dense > 0 and s.text in row_of]) for leg in legs
    ]
    return vectors, _unread(unread)


def _rows(texts: Sequence[str], encoder: QueryEncoder) -> dict[str, NDArray[np.float32]]:
    """The vector of each text that the encoder reads whole; none at all when the first is too long."""
    try:
        return dict(zip(texts, encoder.encode_query(texts), strict=True))
    except ChunkTooLong:  # one of them; it does not say which
        rows: dict[str, NDArray[np.float32]] = {}
    for text in texts if len(texts) > 1 else ():
        try:
            rows[text] = encoder.encode_query([text])[0]
        except ChunkTooLong:
            if text == texts[0]:
                break
    return rows


def _unread(texts: Sequence[str]) -> Bilingual:
    if not texts:
        return Bilingual(en="", zh="")
    heads = ", ".join(f"{text[:_HEAD]}…" for text in texts).replace("\n", " ")
    return Bilingual(
        en=f"too long for the encoder, not in the vector: {heads}", zh=f"超过编码器的长度上限，未计入向量：{heads}"
    )


def _direction(weighted: Sequence[tuple[NDArray[np.float32], float]]) -> NDArray[np.float32]:
    if len(weighted) == 1:
        return weighted[0][0]
    mean = sum((np.float32(weight) * vector for vector, weight in weighted), np.zeros_like(weighted[0][0]))
    length = float(np.linalg.norm(mean))
    # texts that point opposite ways leave no direction: the first, the question alone, is one
    return np.asarray(mean / length, dtype=np.float32) if length > 0 else weighted[0][0]
