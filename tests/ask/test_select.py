import random

import numpy as np
import pytest

from rag.ask.choose import eligible
from rag.ask.fuse import reciprocal_rank_fusion, weighted_sum
from rag.ask.query import formulate
from rag.ask.search import Runs
from rag.ask.search import search as search_query
from rag.ask.select import candidates, fuse_step, settle
from rag.config import QuerySettings, SearchSettings, SplitSettings
from rag.corpus.index import Corpus, build
from rag.corpus.ranking import Hit
from rag.types import Document, Evidence, Status
from tests.fakes import HashEncoder

ENCODER = HashEncoder()
QUERY = np.zeros(16, dtype=np.float32)


@pytest.fixture
def corpus(leave: Document, equipment: Document) -> Corpus:
    return build([leave, equipment], SplitSettings("fixed", 20, 4), ENCODER)


def search(question: str, corpus: Corpus, settings: SearchSettings, encoder: HashEncoder | None) -> Runs:
    return search_query(formulate(question, (), QuerySettings(glossary=False, parts=False)), corpus, settings, encoder)


def ids(found) -> list[str]:
    return [c.chunk.chunk_id for c in found]


def test_every_stage_that_returned_a_chunk_shows_its_score_and_rank(corpus: Corpus) -> None:
    runs = Runs((Hit(2, 0.9), Hit(0, 0.8)), (Hit(0, 7.0), Hit(1, 3.0)), QUERY, ())
    found = candidates(runs, corpus, SearchSettings())
    assert ids(found) == [corpus.chunks[i].chunk_id for i in (0, 2, 1)]
    assert dict(found[0].scores) == pytest.approx({"dense": 0.8, "lexical": 7.0, "fused": 1 / 11 + 1 / 12})
    assert dict(found[0].ranks) == {"dense": 2, "lexical": 1, "fused": 1}
    assert dict(found[1].ranks) == {"dense": 1, "fused": 2}
    assert dict(found[2].ranks) == {"lexical": 2, "fused": 3}
    assert [c.rank for c in found] == [1, 2, 3]


def test_random_runs_recompute(corpus: Corpus, seeds) -> None:
    n = len(corpus.chunks)
    for seed in seeds(200):
        rng = random.Random(seed)
        dense = [Hit(p, rng.uniform(-1, 1)) for p in rng.sample(range(n), rng.randint(0, n))]
        lexical = [Hit(p, rng.uniform(0, 9)) for p in rng.sample(range(n), rng.randint(0, n))]
        settings = SearchSettings(fusion=rng.choice(("rrf", "weighted")), alpha=rng.random(), rrf_c=rng.randint(1, 90))
        found = candidates(Runs(tuple(dense), tuple(lexical), QUERY, ()), corpus, settings)
        order = (
            reciprocal_rank_fusion([dense, lexical], settings.rrf_c)
            if settings.fusion == "rrf"
            else weighted_sum(dense, lexical, settings.alpha)
        )
        assert ids(found) == [corpus.chunks[h.position].chunk_id for h in order], seed
        for candidate in found:
            position = corpus.chunks.index(candidate.chunk)
            for stage, run in (("dense", dense), ("lexical", lexical), ("fused", order)):
                places = [(rank, h.score) for rank, h in enumerate(run, 1) if h.position == position]
                shown = [(candidate.ranks[stage], candidate.scores[stage])] if stage in candidate.scores else []
                assert shown == places


def test_what_the_lexical_list_cannot_judge_counts_by_its_dense_rank_twice(corpus: Corpus) -> None:
    runs = Runs((Hit(2, 0.9), Hit(0, 0.8)), (Hit(0, 7.0),), QUERY, (), frozenset({2}))
    found = candidates(runs, corpus, SearchSettings())
    assert dict(found[0].scores) == pytest.approx({"dense": 0.9, "cross": 0.9, "fused": 2 / 11})
    assert dict(found[0].ranks) == {"dense": 1, "cross": 1, "fused": 1}
    assert dict(found[1].ranks) == {"dense": 2, "lexical": 1, "fused": 2}
    for settings in (SearchSettings(fusion="weighted"), SearchSettings(mode="dense")):
        assert not any("cross" in c.ranks for c in candidates(runs, corpus, settings))


def test_a_code_that_the_question_names_counts_by_its_lexical_rank_twice(corpus: Corpus) -> None:
    runs = Runs((Hit(2, 0.9), Hit(0, 0.8)), (Hit(0, 7.0),), QUERY, (), named=frozenset({0}))
    found = candidates(runs, corpus, SearchSettings())
    assert dict(found[0].scores) == pytest.approx(
        {"dense": 0.8, "lexical": 7.0, "named": 7.0, "fused": 1 / 12 + 2 / 11}
    )
    assert dict(found[0].ranks) == {"dense": 2, "lexical": 1, "named": 1, "fused": 1}
    note = fuse_step(0.0, runs, 2, SearchSettings()).note
    assert "names: 1," in note.en and "1 个段落含有" in note.zh


def test_the_note_on_fusion_says_whose_dense_rank_counts_twice() -> None:
    dense = (Hit(2, 0.9), Hit(0, 0.8))
    alike = Runs(dense, (Hit(0, 7.0),), QUERY, ())
    one, two = (Runs(dense, (Hit(0, 7.0),), QUERY, (), frozenset(foreign)) for foreign in ({2}, {0, 2}))
    for language, said in (("en", "twice"), ("zh", "计两次")):
        notes = [fuse_step(0.0, runs, 2, SearchSettings()).note.of(language) for runs in (alike, one, two)]
        assert [said in note for note in notes] == [False, True, True]
        assert all(f"c = {SearchSettings().rrf_c}" in note for note in notes)
        assert "1" in notes[1].removeprefix(notes[0]) and "2" in notes[2].removeprefix(notes[0])
        for settings in (SearchSettings(fusion="weighted"), SearchSettings(mode="dense")):
            assert said not in fuse_step(0.0, one, 2, settings).note.of(language)


@pytest.mark.parametrize(
    ("settings", "query"),
    [
        (SearchSettings(mode="lexical"), None),
        (SearchSettings(mode="fused"), None),
        (SearchSettings(mode="dense"), None),
    ],
)
def test_one_list_keeps_its_order_and_nothing_claims_to_be_fused(corpus: Corpus, settings, query) -> None:
    found = candidates(Runs((), (Hit(3, 2.0), Hit(1, 1.0)), query, ()), corpus, settings)
    assert [(c.chunk, dict(c.ranks)) for c in found] == [
        (corpus.chunks[3], {"lexical": 1}),
        (corpus.chunks[1], {"lexical": 2}),
    ]


def test_dense_only_keeps_its_order(corpus: Corpus) -> None:
    found = candidates(Runs((Hit(3, 0.5), Hit(1, 0.4)), (), QUERY, ()), corpus, SearchSettings(mode="dense"))
    assert [c.scores for c in found] == [{"dense": 0.5}, {"dense": 0.4}]


def test_the_threshold_is_a_cosine_also_for_what_only_the_lexical_list_returned(corpus: Corpus, seeds) -> None:
    assert corpus.dense is not None
    for seed in seeds(100):
        rng = random.Random(seed)
        settings = SearchSettings(depth=rng.choice((1, 2, 50)), threshold=rng.uniform(-0.6, 0.6))
        runs = search(rng.choice(("年假", "HR-F-012 报销", "发票")), corpus, settings, ENCODER)
        found = candidates(runs, corpus, settings)
        cosine = {c.chunk_id: float(v @ runs.query) for c, v in zip(corpus.chunks, corpus.dense.vectors, strict=True)}
        expected = [i for i in ids(found) if cosine[i] >= settings.threshold]
        assert ids(eligible(found, settings)) == expected, seed
        for c in found:
            assert c.cosine == pytest.approx(cosine[c.chunk.chunk_id], abs=1e-6)
            assert c.scores.get("dense", c.cosine) == c.cosine  # to the last bit: one row, one number


def test_without_a_threshold_or_without_vectors_all_may_be_packed(corpus: Corpus) -> None:
    runs = search("年假", corpus, SearchSettings(), ENCODER)
    found = candidates(runs, corpus, SearchSettings())
    assert eligible(found, SearchSettings()) == found
    lexical = search("年假", corpus, SearchSettings(), None)
    found = candidates(lexical, corpus, SearchSettings())
    assert eligible(found, SearchSettings(threshold=0.99)) == found


def test_everybody_learns_what_became_of_it(corpus: Corpus) -> None:
    runs = Runs(tuple(Hit(i, 1 - i / 10) for i in range(4)), (), QUERY, ())
    found = candidates(runs, corpus, SearchSettings(mode="dense"))
    chunk = found[1].chunk
    evidence = Evidence("S1", chunk, "[S1]", ((chunk.start, chunk.end),))
    left = {found[3].chunk.chunk_id: Status("below_threshold")}
    settled = settle(found, left, [evidence], [found[0].chunk.chunk_id])
    assert [c.status.fate for c in settled] == ["over_budget", "packed", "beyond_k", "below_threshold"]
    assert [c.status.marker for c in settled] == ["", "S1", "", ""]
    assert [(c.chunk, c.scores, c.rank) for c in settled] == [(c.chunk, c.scores, c.rank) for c in found]
