"""What `nearest` = approximate changes in a search, and what the trace says of it."""

import sys
from dataclasses import replace

import pytest

from rag.ask.query import formulate
from rag.ask.search import Runs
from rag.ask.search import search as search_query
from rag.config import QuerySettings, SearchSettings, SplitSettings
from rag.corpus.index import Corpus, build
from rag.types import Document
from tests.fakes import HashEncoder

ENCODER = HashEncoder()
NEAR = SearchSettings(scope="all", depth=5, nearest="approximate")


def search(corpus: Corpus, settings: SearchSettings, groups: frozenset[str] = frozenset({"public"})) -> Runs:
    return search_query(formulate("年假有几天", [], QuerySettings()), corpus, settings, ENCODER, groups)


@pytest.fixture
def corpus(leave: Document, equipment: Document) -> Corpus:
    secret = replace(equipment, doc_id="pay", key="pay@1", groups=frozenset({"board"}), text=equipment.text * 2)
    return build([leave, equipment, secret], SplitSettings("fixed", 20, 5), ENCODER)


def test_few_passages_are_all_found_and_the_trace_tells_how(corpus: Corpus) -> None:
    pytest.importorskip("faiss")
    near, exact = search(corpus, NEAR), search(corpus, replace(NEAR, nearest="exact"))
    assert near.dense == exact.dense and near.lexical == exact.lexical and near.dense
    step = near.steps[1]
    assert step.name == "dense" and not step.skipped
    for said in (step.note.en, step.note.zh):
        assert "HNSW M=16" in said and "recall@20 1.000" in said
    assert "HNSW" not in exact.steps[1].note.en + near.steps[2].note.en


def test_the_graph_is_made_once_of_what_the_groups_may_see(corpus: Corpus) -> None:
    pytest.importorskip("faiss")
    seen = corpus.seen_by(frozenset({"public"}))
    graph = seen.approximate()
    assert graph is not None and seen.approximate() is graph and graph.exact is seen.dense
    assert graph.graph.ntotal == len(seen.chunks) < len(corpus.chunks)
    everyone = frozenset({"public", "board"})
    assert {corpus.chunks[h.position].key for h in search(corpus, NEAR).dense} <= set(seen.documents)
    assert "pay@1" in {corpus.chunks[h.position].key for h in search(corpus, replace(NEAR, depth=50), everyone).dense}


def test_without_faiss_it_is_exact_and_says_so(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "faiss", None)
    near, exact = search(corpus, NEAR), search(corpus, replace(NEAR, nearest="exact"))
    assert near.dense == exact.dense
    assert "faiss is not installed" in near.steps[1].note.en and "faiss" in near.steps[1].note.zh


def test_the_trace_says_both_how_and_what_was_left_out(corpus: Corpus) -> None:
    pytest.importorskip("faiss")
    note = search(corpus, replace(NEAR, documents=("leave",))).steps[1].note.en
    assert "HNSW" in note and "; " in note and "left out" in note
