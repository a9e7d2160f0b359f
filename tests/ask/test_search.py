from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from rag.ask.query import formulate
from rag.ask.search import Runs, is_chinese
from rag.ask.search import search as search_query
from rag.config import QuerySettings, SearchSettings, SplitSettings
from rag.corpus.codes import blocks_of, encode
from rag.corpus.dense import DenseIndex
from rag.corpus.index import Corpus, build
from rag.errors import ChunkTooLong
from rag.types import Document
from tests.fakes import HashEncoder

ENCODER = HashEncoder()


def search(question: str, corpus: Corpus, settings: SearchSettings, encoder, earlier=()) -> Runs:
    return search_query(
        formulate(question, earlier, QuerySettings(glossary=False, parts=False)), corpus, settings, encoder
    )


@pytest.fixture
def corpus(leave: Document, equipment: Document) -> Corpus:
    old = replace(leave, version="2025-01", key="leave@2025-01", text=leave.text.replace("15天", "10天"))
    old = replace(old, effective_from=date(2025, 1, 1))
    new = replace(leave, effective_from=date(2026, 1, 1))
    return build([old, new, equipment], SplitSettings("fixed", 30, 5), ENCODER)


def test_both_retrievers_give_their_best_within_the_depth(corpus: Corpus) -> None:
    everything = SearchSettings(scope="all", depth=3)
    runs = search("年假 HR-F-012", corpus, everything, ENCODER)
    assert corpus.dense is not None and runs.query is not None
    assert list(runs.dense) == corpus.dense.search(ENCODER.encode_query(["年假 HR-F-012"])[0], 3)
    assert list(runs.lexical) == corpus.lexical.search("年假 HR-F-012", 3)
    assert [(s.name, s.n_in, s.n_out, s.skipped) for s in runs.steps] == [
        ("embed", 1, 1, False),
        ("dense", len(corpus.chunks), 3, False),
        ("lexical", len(corpus.chunks), 3, False),
    ]


def test_versions_not_in_force_do_not_exist_and_the_trace_says_how_many(corpus: Corpus) -> None:
    runs = search("年假", corpus, SearchSettings(depth=200), ENCODER)
    keys = {corpus.chunks[h.position].key for h in (*runs.dense, *runs.lexical)}
    hidden = sum(c.key == "leave@2025-01" for c in corpus.chunks)
    assert keys == {"leave@2026-01", "equipment@2026-01"}
    assert all(str(hidden) in s.note.en and str(hidden) in s.note.zh for s in runs.steps if s.name != "embed")
    assert [len(corpus.chunks) - hidden] * 2 == [s.n_in for s in runs.steps if s.name != "embed"]
    assert len(runs.dense) == len(corpus.chunks) - hidden
    earlier = search("年假", corpus, SearchSettings(depth=200, as_of=date(2025, 6, 1)), ENCODER)
    assert {corpus.chunks[h.position].key for h in earlier.dense} == {"leave@2025-01", "equipment@2026-01"}


@pytest.mark.parametrize(("mode", "dense", "lexical"), [("dense", 1, 0), ("lexical", 0, 1), ("fused", 1, 1)])
def test_the_mode_decides_who_is_asked(corpus: Corpus, mode, dense: int, lexical: int) -> None:
    runs = search("年假", corpus, SearchSettings(mode=mode), ENCODER)
    assert (bool(runs.dense), bool(runs.lexical)) == (bool(dense), bool(lexical))
    assert [s.name for s in runs.steps] == ["embed", "dense"] * dense + ["lexical"] * lexical
    assert (runs.query is not None) == bool(dense)


@pytest.mark.parametrize("mode", ["dense", "fused"])
def test_without_an_encoder_the_lexical_list_stands_in_and_the_trace_says_so(corpus: Corpus, mode) -> None:
    for index, encoder in ((corpus, None), (replace(corpus, dense=None), ENCODER)):
        runs = search("年假", index, SearchSettings(mode=mode), encoder)
        assert runs.query is None and runs.dense == () and runs.lexical
        assert [(s.name, s.skipped) for s in runs.steps] == [("dense", True), ("lexical", False)]
        assert runs.steps[0].note.zh and runs.steps[0].note.en


class Short(HashEncoder):
    """Reads questions of at most 40 characters."""

    def encode_query(self, texts):
        if any(len(text) > 40 for text in texts):
            raise ChunkTooLong(en="too long", zh="太长")
        return super().encode_query(texts)


@pytest.mark.parametrize("mode", ["dense", "fused"])
def test_a_question_that_the_encoder_cannot_read_is_searched_by_its_words(corpus: Corpus, mode) -> None:
    runs = search("年假" + "长" * 40, corpus, SearchSettings(mode=mode), Short(), ["北京"])
    assert runs.vectors == () and runs.query is None and runs.dense == () and runs.lexical
    assert [(s.name, s.skipped) for s in runs.steps] == [("dense", True), ("lexical", False)]
    assert "too long" in runs.steps[0].note.en and "长度上限" in runs.steps[0].note.zh


def test_a_text_beside_the_question_that_the_encoder_cannot_read_is_left_out_of_the_vector(corpus: Corpus) -> None:
    settings = QuerySettings(glossary=False, synonyms=f"年假 = {'长' * 38}")
    query = formulate("我的年假有几天？", [], settings)
    assert any(len(sought.text) > 40 for sought in query.legs[0].texts)
    runs = search_query(query, corpus, SearchSettings(scope="all"), Short())
    alone = search("我的年假有几天？", corpus, SearchSettings(scope="all"), Short())
    assert runs.query is not None and alone.query is not None and (runs.query == alone.query).all()
    note = runs.steps[0].note
    assert not runs.steps[0].skipped and f"我的{'长' * 18}…" in note.en and f"我的{'长' * 18}…" in note.zh
    assert alone.steps[0].note.en == ""


def test_an_empty_corpus_and_a_question_without_terms() -> None:
    empty = build([], SplitSettings(), ENCODER)
    runs = search("年假", empty, SearchSettings(), ENCODER)
    assert (runs.dense, runs.lexical) == ((), ())
    assert search("？？", empty, SearchSettings(mode="lexical"), None).lexical == ()


def test_the_dense_score_is_the_cosine(corpus: Corpus) -> None:
    runs = search("年假", corpus, SearchSettings(), ENCODER)
    assert corpus.dense is not None and runs.query is not None
    for hit in runs.dense:
        assert hit.score == pytest.approx(float(np.dot(corpus.dense.vectors[hit.position], runs.query)), abs=1e-6)


def test_earlier_questions_count_as_much_as_the_question(corpus: Corpus) -> None:
    settings = SearchSettings(depth=200)
    runs = search("谁批？", corpus, settings, ENCODER, earlier=["报销单填哪张？", "年假几天？"])
    joined = "报销单填哪张？\n年假几天？\n谁批？"
    alone, together = (v.astype(np.float64) for v in ENCODER.encode_query(["谁批？", joined]))
    direction = (alone + together) / np.linalg.norm(alone + together)
    assert runs.query is not None and runs.query.dtype == np.float32
    assert runs.query == pytest.approx(direction, abs=1e-6)
    assert corpus.dense is not None and list(runs.dense) == corpus.dense.search(
        runs.query, 200, corpus.allowed(settings, date.today()).rows
    )
    index = corpus.lexical
    expected = index.scores("谁批？") + index.scores(joined)
    assert runs.lexical
    for hit in runs.lexical:
        assert hit.score == pytest.approx(expected[hit.position], rel=1e-5)


def test_texts_that_point_opposite_ways_leave_the_question(corpus: Corpus) -> None:
    class Opposed:
        def encode_query(self, texts):
            return np.asarray([[1, 0], [-1, 0]][: len(texts)], dtype=np.float32)

    index = replace(corpus, dense=DenseIndex(np.eye(2, dtype=np.float32)[[0] * len(corpus.chunks)]))
    runs = search("谁？", index, SearchSettings(), Opposed(), earlier=["年假？"])
    assert runs.query is not None and runs.query.tolist() == [1, 0]


def test_hits_in_another_language_than_the_question_are_known(leave: Document, equipment: Document) -> None:
    english = replace(
        equipment,
        doc_id="equipment-en",
        key="equipment-en@1",
        text="Each employee may claim 3,000 yuan a year for devices.",
    )
    numbers = replace(equipment, doc_id="numbers", key="numbers@1", text="3000 15 2026")
    corpus = build([leave, english, numbers], SplitSettings(), ENCODER)
    at = {c.key: i for i, c in enumerate(corpus.chunks)}
    assert search("年假几天？", corpus, SearchSettings(), ENCODER).foreign == {at["equipment-en@1"]}
    assert search("How many days?", corpus, SearchSettings(), ENCODER).foreign == {at[leave.key]}
    assert search("2026?", corpus, SearchSettings(), ENCODER).foreign == frozenset()
    assert search("年假几天？", corpus, SearchSettings(mode="lexical"), ENCODER).foreign == frozenset()


def test_the_step_says_what_was_compared_in_full(corpus: Corpus) -> None:
    assert corpus.dense is not None
    vectors = corpus.dense.vectors
    many = replace(corpus, dense=DenseIndex(vectors, encode(blocks_of(vectors), *vectors.shape)))
    plain, coded = (search("年假 几天", c, SearchSettings(scope="all", depth=3), ENCODER) for c in (corpus, many))
    assert coded.dense == plain.dense and coded.lexical == plain.lexical
    of = [next(s.note for s in found.steps if s.name == "dense") for found in (plain, coded)]
    assert "float32" not in of[0].en
    assert f"all {len(vectors)} passages by 8-bit codes" in of[1].en and "8 位" in of[1].zh


def test_passages_that_hold_what_the_question_names_are_known(corpus: Corpus, equipment: Document) -> None:
    named = search("HR-F-012 年假", corpus, SearchSettings(), ENCODER)
    held = {h.position for h in named.lexical if "HR-F-012" in corpus.chunks[h.position].text}
    assert held and named.named == held < {h.position for h in named.lexical}
    assert search("年假几天？", corpus, SearchSettings(), ENCODER).named == frozenset()
    clause = replace(
        equipment,
        doc_id="law",
        key="law@1",
        text="第八十二条 每月支付双倍的工资。\n\n第八十三条 依照第一条的规定执行。",
    )
    laws = build([clause], SplitSettings("recursive", 20, 0), ENCODER)
    found = search("第82条怎么规定？", laws, SearchSettings(), ENCODER)
    assert {laws.chunks[p].text[:5] for p in found.named} == {"第八十二条"}


@pytest.mark.parametrize(
    ("text", "chinese"),
    [
        ("年假", True),
        ("用 iPhone 能打卡吗", True),
        ("leave", False),
        ("HR-F-012 表", True),
        ("？ 12", None),
        ("", None),
    ],
)
def test_the_language_of_a_text(text: str, chinese: bool | None) -> None:
    assert is_chinese(text) is chinese
