"""What explains a candidate recomputes: terms by the formula, pairs by comparing every token with every other."""

import random
from typing import Any

import numpy as np
import pytest

from rag.ask.explain import strongest_pairs, term_parts
from rag.config import QuerySettings, Settings, SplitSettings
from rag.corpus.index import build
from rag.models.encoder import Encoder
from rag.models.roles import Models
from rag.models.tokens import TokenStates
from rag.pipeline import retrieve
from rag.types import Chunk, Document, Sought
from tests import hostile
from tests.corpus.test_lexical import bm25
from tests.fake_models import FakeModels
from tests.pipeline_kit import TEXTS, document

QUESTION = "入职满一年，每年有多少天带薪年假？"


def tokens(rng: random.Random, text: str, dim: int = 6) -> TokenStates:
    """Random states for the characters that are no blanks; two tokens of one character share theirs now and then."""
    spans = [(i, i + 1) for i, c in enumerate(text) if c.strip()]
    states = np.random.default_rng(rng.getrandbits(32)).standard_normal((len(spans), dim)).astype(np.float32)
    return TokenStates(text, tuple(spans), states / np.linalg.norm(states, axis=1, keepdims=True))


def test_pairs_are_the_strongest_by_brute_force(seeds) -> None:
    for seed in seeds(300):
        rng = random.Random(seed)
        question, passage = (tokens(rng, hostile.text(rng, n)) for n in (4, 12))
        found = strongest_pairs(question, passage, most=5)
        best: dict[str, float] = {}
        for i, (a, b) in enumerate(question.spans):
            word = question.text[a:b]
            for j, (c, d) in enumerate(passage.spans):
                if word.isalnum() and passage.text[c:d].isalnum():
                    cosine = float(np.dot(question.states[i].astype(float), passage.states[j].astype(float)))
                    best[word] = max(best.get(word, -2.0), cosine)
        wanted = sorted(best.values(), reverse=True)[:5]
        assert [p.similarity for p in found] == pytest.approx(wanted, abs=1e-5), seed
        for pair in found:  # what is drawn recomputes from the states
            row, column = question.spans.index(pair.asked), passage.spans.index(pair.found)
            assert pair.similarity == pytest.approx(float(question.states[row] @ passage.states[column]), abs=1e-6)


@pytest.mark.parametrize("glossary", [False, True])
@pytest.mark.parametrize("history", [(), ("设备报销多少元？",)])
def test_the_terms_of_every_candidate_sum_to_the_score_that_was_shown(glossary: bool, history: tuple[str, ...]) -> None:
    corpus = build([document(name, text) for name, text in TEXTS.items()], SplitSettings(), None)
    settings = Settings(query=QuerySettings(glossary=glossary, synonyms="年假 = 带薪年休假 = 休假" if glossary else ""))
    models: Any = FakeModels(None, None)
    found = retrieve("那年假有几天？", corpus, settings, models, history=history)
    scored = [c for c in found.candidates if "lexical" in c.scores]
    assert scored and found.query is not None
    assert not (glossary or history) or len(found.query.legs[0].texts) > 1
    for candidate in scored:
        parts = term_parts(candidate.chunk, corpus, found.query.legs[0].texts)
        assert sum(p.score for p in parts) == pytest.approx(candidate.scores["lexical"], rel=1e-5)


def test_nothing_to_pair_gives_no_pairs() -> None:
    rng = random.Random(0)
    assert strongest_pairs(tokens(rng, "？"), tokens(rng, "年假")) == ()
    assert strongest_pairs(tokens(rng, "年假"), tokens(rng, "")) == ()


def test_terms_of_a_chunk_are_those_of_its_passage_in_the_corpus() -> None:
    texts = ("每年可享受15天带薪年假。", "设备报销3000元。", "年假应提前3个工作日申请。")
    documents = [Document(f"d{i}", "1", f"d{i}@1", "own", f"制度{i}", "", text) for i, text in enumerate(texts)]
    corpus = build(documents, SplitSettings(), None)
    scores = bm25([c.wording for c in corpus.chunks], QUESTION)
    before = "年假要提前几天申请？"
    texts = (
        Sought(QUESTION, "question", 2.0, 2.0),
        Sought(before, "earlier", 1.0, 0.5),
        Sought("报销", "part", 1.0, 0.0),
    )
    others = bm25([c.wording for c in corpus.chunks], before)
    for chunk, score, other in zip(corpus.chunks, scores, others, strict=True):
        parts = term_parts(chunk, corpus, texts)
        assert sum(p.score for p in parts) == pytest.approx(2 * score + 0.5 * other, rel=1e-5)
        assert len({p.term for p in parts}) == len(parts) and list(parts) == sorted(parts, key=lambda p: -p.score)
        assert all(p.found == chunk.wording.count(p.term) for p in parts if p.term in ("年", "年假", "假", "天"))
    stranger = Chunk("x@1:0-2", "x@1", 0, 2, "年假", "", 0, None, ())
    assert term_parts(stranger, corpus, texts) == ()


@pytest.mark.model
def test_states_are_of_unit_length_and_stand_where_they_say(models: Models) -> None:
    encoder: Encoder = models.encoder()
    passage = "休假制度\n员工入职满一年后，每年可享受15天 annual leave。"
    (read,) = encoder.token_states([passage], question=False)
    assert read.states.shape == (len(read.spans), encoder.dim) and read.states.dtype == np.float32
    assert np.abs(np.linalg.norm(read.states, axis=1) - 1).max() < 1e-5
    words = [passage[a:b] for a, b in read.spans]
    assert all(word == word.strip() != "" for word in words)
    assert "".join(words).replace(" ", "") == "".join(passage.split())
    (asked,) = encoder.token_states(["每年几天年假？"], question=True)
    pairs = strongest_pairs(asked, read)
    assert pairs and pairs == tuple(sorted(pairs, key=lambda p: (-p.similarity, p.asked)))
    assert "年" in "".join(passage[a:b] for a, b in (p.found for p in pairs))
    assert encoder.token_states([""], question=True)[0].spans == () and encoder.token_states([], question=True) == ()


@pytest.mark.model
def test_texts_read_together_are_read_as_alone(models: Models) -> None:
    encoder: Encoder = models.encoder()
    texts = [
        "每年15天。",
        hostile.text(random.Random(5)),
        "",
        "年假" * 90,
        "\U0001f600e\u0301 ok",
        "Leave is 15 days.",
    ] * 3
    together = encoder.token_states(texts, question=False)
    assert [read.text for read in together] == texts
    for text, read in zip(texts[:6], together, strict=False):
        (alone,) = encoder.token_states([text], question=False)
        assert alone.spans == read.spans and np.abs(alone.states - read.states).max(initial=0) < 1e-4
