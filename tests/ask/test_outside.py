"""The second look without the scope, against the same search made without one; and results under permission."""

import random
from collections.abc import Callable
from dataclasses import replace
from datetime import date

import numpy as np

from rag.ask.outside import MOST, outside
from rag.ask.query import formulate
from rag.ask.search import Runs, search
from rag.ask.select import candidates
from rag.config import QuerySettings, SearchSettings, Settings
from rag.corpus.index import Corpus
from rag.pipeline import retrieve
from rag.types import Candidate, Query
from tests import hostile
from tests.corpus.test_scope import DAY, ENCODER, GROUPS, indexed, random_documents, random_scope
from tests.fake_models import FakeModels

EVERYTHING = {"scope": "all", "documents": (), "section": "", "as_of": None}


def asked(rng: random.Random, corpus: Corpus) -> Query:
    """Some words of the corpus, so that the lexical list has hits; at times of several parts."""
    words = [c.text[:12] for c in corpus.chunks if c.text.strip()] or ["年假"]
    return formulate("，".join(rng.choices(words, k=2)) + hostile.text(rng, 4), [], QuerySettings(parts=True))


def settings_of(rng: random.Random) -> SearchSettings:
    mode, fusion = rng.choice(("fused", "fused", "dense", "lexical")), rng.choice(("rrf", "weighted"))
    return replace(random_scope(rng), mode=mode, fusion=fusion)


def test_outside_is_the_search_without_a_scope_less_what_is_in_it(seeds: Callable[[int], range], monkeypatch) -> None:
    monkeypatch.setattr("rag.ask.search.date", _Today)
    monkeypatch.setattr("rag.ask.outside.date", _Today)
    found_some = cut = 0
    for seed in seeds(300):
        rng = random.Random(seed)
        corpus = indexed(random_documents(rng))
        groups = frozenset(rng.sample(GROUPS, rng.randint(1, 3)))
        seen, query, settings = corpus.seen_by(groups), asked(rng, corpus), settings_of(rng)
        encoder = rng.choice((ENCODER, ENCODER, None))
        runs = search(query, seen, settings, encoder, groups)
        inside = candidates(runs, seen, settings)
        left, steps = outside(query, runs, seen, settings, groups)
        among = seen.allowed(settings, DAY, groups)
        hidden = {c.chunk_id for c, row in zip(seen.chunks, among.outside, strict=True) if row}
        free = replace(settings, **EVERYTHING)
        without = candidates(search(query, seen, free, encoder, groups), seen, free)
        expected = [c for c in without if c.chunk.chunk_id in hidden]
        assert [replace(c, status=e.status) for c, e in zip(left, expected, strict=False)] == expected[:MOST]
        assert len(left) == min(MOST, len(expected))
        assert not {c.chunk.chunk_id for c in left} & {c.chunk.chunk_id for c in inside}
        assert [(s.name, s.n_in, s.n_out) for s in steps] == ([("outside", len(hidden), len(left))] if hidden else [])
        for c in left:
            assert c.status.fate == "out_of_scope" and c.status.of == _instead(seen, settings, c)
        found_some += bool(left)
        cut += len(expected) > MOST
    assert found_some and cut


def _instead(corpus: Corpus, settings: SearchSettings, candidate: Candidate) -> str:
    """The key of the other version that is in force, from the versions themselves."""
    own = corpus.documents[candidate.chunk.key]
    family = [d for d in corpus.documents.values() if (d.origin, d.doc_id) == (own.origin, own.doc_id)]
    only = Corpus({d.key: d for d in family}, (), None, corpus.lexical, corpus.split, "", "")
    groups = frozenset(GROUPS)
    current = only.current(settings, DAY, groups)
    return "" if own.key in current else next(iter(current), "")


class _Today(date):
    @classmethod
    def today(cls) -> date:
        return DAY


def test_results_are_those_of_a_corpus_that_never_had_the_masked_documents(seeds: Callable[[int], range]) -> None:
    masked = 0
    for seed in seeds(200):
        rng = random.Random(seed)
        documents = random_documents(rng)
        groups = frozenset(rng.sample(GROUPS, rng.randint(0, 3)))
        corpus, other = indexed(documents), indexed([d for d in documents if d.groups & groups])
        masked += len(other.documents) < len(documents)
        query, settings = asked(rng, corpus), settings_of(rng)
        runs, expected = (
            search(query, corpus, settings, ENCODER, groups),
            search(query, other, settings, ENCODER, groups),
        )
        assert _named(runs, corpus) == _named(expected, other)
        assert [(s.name, s.n_in, s.n_out, s.note) for s in runs.steps] == [
            (s.name, s.n_in, s.n_out, s.note) for s in expected.steps
        ]
        whole, models = Settings(search=settings), FakeModels(ENCODER, None)  # type: ignore[arg-type]
        first, second = (retrieve(query.question, c, whole, models, groups) for c in (corpus, other))  # type: ignore[arg-type]
        assert (first.candidates, first.outside, first.prompt) == (second.candidates, second.outside, second.prompt)
        assert first.corpus_id == second.corpus_id and first.problem == second.problem
        assert [replace(s, seconds=0.0) for s in first.trace.steps] == [
            replace(s, seconds=0.0) for s in second.trace.steps
        ]
    assert masked


def _named(runs: Runs, corpus: Corpus) -> list[object]:
    """The lists by chunk instead of by position."""
    legs = [runs, *runs.further]
    lists = [[(corpus.chunks[h.position], h.score) for h in hits] for r in legs for hits in (r.dense, r.lexical)]
    foreign = [{corpus.chunks[p] for p in r.foreign} for r in legs]
    return [lists, foreign, [v.tolist() for v in runs.vectors]]


def test_the_vectors_of_the_question_are_not_made_again(seeds: Callable[[int], range]) -> None:
    class Counting:
        asked = 0

        def encode_query(self, texts):
            self.asked += 1
            return ENCODER.encode_query(texts)

    rng = random.Random(7)
    corpus, encoder = indexed(random_documents(rng)), Counting()
    query, settings = asked(rng, corpus), SearchSettings(documents=("nobody",))
    runs = search(query, corpus, settings, encoder, frozenset(GROUPS))
    left, _ = outside(query, runs, corpus, settings, frozenset(GROUPS))
    assert left and encoder.asked == 1 and not candidates(runs, corpus, settings)
    assert np.array_equal(runs.vectors[0], runs.query)
