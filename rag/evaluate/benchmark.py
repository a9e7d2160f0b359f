"""Collections → how well documents are ranked: each retriever alone, plain fusion of both, and the line under given settings."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from rag import pipeline
from rag.ask.fuse import reciprocal_rank_fusion
from rag.ask.query import formulate
from rag.ask.search import QueryEncoder, search
from rag.config import QuerySettings, SearchSettings, Settings
from rag.corpus.index import Corpus, Known, PassageEncoder, Progress, build
from rag.corpus.ranking import Hit
from rag.evaluate.collection import Collection, Subset
from rag.evaluate.metrics import score
from rag.evaluate.questions import Question
from rag.evaluate.statistics import Paired, compare
from rag.pipeline import Loaded
from rag.types import Chunk, Fate, StepName

K: Final = 10
"""nDCG is taken of the first 10 documents."""
PLAIN_C: Final = 60
PLAIN_DEPTH: Final = 100
"""Plain fusion: RRF with this constant over the first so many chunks of each retriever."""
Method = Literal["dense", "lexical", "rrf", "line"]
METHODS: Final[tuple[Method, ...]] = ("dense", "lexical", "rrf", "line")
"""Each retriever alone, plain fusion of the two, and the line under the settings measured."""

# Every field that could help or hinder is given, so that plain stays plain whatever becomes the default.
_PLAIN_QUERY: Final = QuerySettings(
    normalise=False, follow_up=False, glossary=False, synonyms="", parts=False, second_round=False
)
# As deep as a search goes: where a document has many chunks, 10 documents are among the first 200 rather than 100.
_PLAIN_SEARCH: Final = SearchSettings(mode="fused", depth=200, scope="all", nearest="exact")
_LEFT_OUT: Final[frozenset[Fate]] = frozenset({"below_threshold", "duplicate", "per_document"})

Report = Callable[[str, int, int], None]
"""Told what is done, how much of it, of how much."""


class Encoder(PassageEncoder, QueryEncoder, Protocol):
    """An encoder of passages and of questions."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """How one method ranked the documents for one query: nDCG@10 and hit@1 (0…1), of how many documents (≤ 10), in what time."""

    ndcg: float
    hit: float
    documents: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Asked:
    """One query by every method. `skipped`: the steps that the line had to leave out or replace (all but the packing)."""

    id: str
    dense: Ranked
    lexical: Ranked
    rrf: Ranked
    line: Ranked
    skipped: tuple[StepName, ...] = ()

    def of(self, method: Method) -> Ranked:
        """What that method gave."""
        ranked: Ranked = getattr(self, method)
        return ranked


@dataclass(frozen=True, slots=True)
class Measured:
    """A collection whose queries were all asked. `seconds`: wall time of indexing, in which `encoded` passages were encoded.

    Passages that an earlier collection holds too are not encoded again.
    """

    name: str
    documents: int
    chunks: int
    encoded: int
    seconds: float
    asked: tuple[Asked, ...]
    subsets: tuple[Subset, ...]


@dataclass(frozen=True, slots=True)
class Mean:
    """A method over several queries: mean nDCG@10 and hit@1 (0…1) and seconds a query.

    `short`: queries for which fewer than 10 documents came, though the collection has more.
    """

    method: Method
    ndcg: float
    hit: float
    seconds: float
    short: int


@dataclass(frozen=True, slots=True)
class Row:
    """All queries of a collection, or a subset: the means in the order of `METHODS`, and the line less plain fusion, in pairs."""

    name: str
    n: int
    chunks: int
    means: tuple[Mean, ...]
    ndcg: Paired
    hit: Paired


def measure(
    collections: Sequence[Collection], settings: Settings, models: Loaded, encoder: Encoder, report: Report
) -> Iterator[Measured]:
    """Index and ask one collection after the other; each is yielded when it is complete.

    The line is `rag.pipeline.retrieve` under `settings`, in the order of its candidates less those that it leaves out
    as repeats, as more of one policy or below the threshold. The others are what the same search returns for the
    query as it is written, and RRF of that with c = `PLAIN_C`, on the same chunks. A document ranks as its best chunk.
    """
    known = Known()
    for collection in collections:
        name = collection.questions.name
        began, encoded = time.perf_counter(), 0

        def heard(progress: Progress, name: str = name) -> None:
            nonlocal encoded
            if progress.step == "encode":
                encoded = progress.total
            report(f"{name}: {progress.step}", progress.done, progress.total)

        corpus = build(collection.documents, settings.split, encoder, known, progress=heard)
        seconds = time.perf_counter() - began
        known |= corpus.known()
        asked = []
        questions = collection.questions.questions
        for done, question in enumerate(questions):
            report(f"{name}: ask", done, len(questions))
            asked.append(_ask(question, corpus, settings, models, encoder))
        report(f"{name}: ask", len(questions), len(questions))
        n = (len(corpus.documents), len(corpus.chunks))
        yield Measured(name, *n, encoded, seconds, tuple(asked), collection.subsets)


def _ask(question: Question, corpus: Corpus, settings: Settings, models: Loaded, encoder: Encoder) -> Asked:
    grades = {label.document: label.grade for label in question.relevant}
    runs = search(formulate(question.question, (), _PLAIN_QUERY), corpus, _PLAIN_SEARCH, encoder)
    took = {step.name: step.seconds for step in runs.steps}
    dense = took.get("embed", 0.0) + took["dense"]
    began = time.perf_counter()
    fused = reciprocal_rank_fusion([runs.dense[:PLAIN_DEPTH], runs.lexical[:PLAIN_DEPTH]], PLAIN_C)
    fusing = time.perf_counter() - began
    began = time.perf_counter()
    found = pipeline.retrieve(question.question, corpus, settings, models)
    whole = time.perf_counter() - began
    line = [c.chunk for c in found.candidates if c.status.fate not in _LEFT_OUT]

    def ranked(chunks: Iterable[Chunk], seconds: float) -> Ranked:
        names = list(dict.fromkeys(corpus.documents[chunk.key].doc_id for chunk in chunks))[:K]
        return Ranked(score(names, grades, K).ndcg, score(names, grades, 1).hit, len(names), seconds)

    def chunks(hits: Sequence[Hit]) -> list[Chunk]:
        return [corpus.chunks[hit.position] for hit in hits]

    return Asked(
        question.id,
        dense=ranked(chunks(runs.dense), dense),
        lexical=ranked(chunks(runs.lexical), took["lexical"]),
        rrf=ranked(chunks(fused), dense + took["lexical"] + fusing),
        line=ranked(line, whole),
        # without a generator nothing is packed, and nothing need be: the order is known before
        skipped=tuple(step.name for step in found.trace.steps if step.skipped and step.name != "pack"),
    )


def rows(measured: Measured) -> tuple[Row, ...]:
    """The collection's row, and behind it one for each of its subsets."""
    parts = [(measured.name, measured.asked)]
    for subset in measured.subsets:
        asked = tuple(a for a in measured.asked if a.id in subset.ids)
        parts.append((f"{measured.name} {subset.name}", asked))
    return tuple(_row(name, asked, measured) for name, asked in parts)


def _row(name: str, asked: Sequence[Asked], measured: Measured) -> Row:
    paired = [
        compare([getattr(a.rrf, measure) for a in asked], [getattr(a.line, measure) for a in asked])
        for measure in ("ndcg", "hit")
    ]
    ndcg, hit = paired
    assert ndcg is not None and hit is not None  # a collection without queries is not read, nor is such a subset
    means = tuple(_mean(method, asked, measured.documents) for method in METHODS)
    return Row(name, len(asked), measured.chunks, means, ndcg, hit)


def _mean(method: Method, asked: Sequence[Asked], documents: int) -> Mean:
    results = [a.of(method) for a in asked]
    n = len(results)
    return Mean(
        method,
        sum(r.ndcg for r in results) / n,
        sum(r.hit for r in results) / n,
        sum(r.seconds for r in results) / n,
        sum(r.documents < min(K, documents) for r in results),
    )


def skipped(measured: Measured) -> Mapping[StepName, int]:
    """For how many queries the line left out or replaced a step, by step; empty is as it should be."""
    return Counter(step for asked in measured.asked for step in asked.skipped)
