"""Why a candidate ranks where it does: every number shown recomputes from the other numbers on the screen."""

import re
import threading
from dataclasses import dataclass, field, replace

import pytest

from rag import pipeline
from rag.ask.rerank import overlap
from rag.config import QuerySettings, SearchSettings, SelectSettings, Settings, SplitSettings
from rag.corpus.index import Corpus, build
from rag.types import Document, Retrieval
from rag.ui import candidates_why
from rag.ui.candidates_table import candidate_rows, other_stages
from tests.fake_models import BigramEncoder, CharacterChat, FakeModels, ReplyGenerator

QUESTION = "年假有几天？"
TEXTS = (
    "年假每年十五天。",
    "年假没休完可以顺延三个月。",
    "报销需要发票，年假除外。",
    "食堂十二点开饭。",
    "病假有几天看医嘱。",
    "出差住宿每晚五百元。",
)


@dataclass
class Chat(CharacterChat):
    def encode(self, text: str) -> tuple[int, ...]:
        return tuple(map(ord, text))


@dataclass
class Likely(ReplyGenerator):
    """Finds a question the likelier the shorter the prompt."""

    chat: CharacterChat = field(default_factory=Chat)

    def likelihoods(self, prompts, continuation, stop: threading.Event) -> list[float]:
        return [-len(p) / 100 for p in prompts]


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    documents = [Document(f"d{i}", "1", f"d{i}@1", "own", f"制度{i}", "f", t) for i, t in enumerate(TEXTS)]
    return build(documents, SplitSettings(), BigramEncoder())


def asked(corpus: Corpus, question: str = QUESTION, **changed) -> Retrieval:
    settings = Settings(
        search=changed.pop("search", SearchSettings()),
        query=changed.pop("query", QuerySettings()),
        select=SelectSettings(near_duplicates=False, **changed),
    )
    return pipeline.retrieve(question, corpus, settings, FakeModels(BigramEncoder(), Likely()))


@pytest.mark.parametrize(
    "search",
    [SearchSettings(), SearchSettings(mode="dense"), SearchSettings(mode="lexical"), SearchSettings(fusion="weighted")],
)
def test_the_reading_by_words_recomputes(corpus: Corpus, search: SearchSettings) -> None:
    found = asked(corpus, rerank="overlap", rerank_top=3, search=search)
    read = [c for c in found.candidates if "rerank" in c.scores]
    stage = {"dense": "dense", "lexical": "lexical"}.get(search.mode, "fused")
    scores = [c.scores[stage] for c in read]
    assert len(read) >= 2
    for c in read:
        said = candidates_why.why(c, found, corpus, "en")
        numbers = re.search(
            r"0\.7 × ([\d.]+) .*over the (\d+) read.* \+ 0\.3 × ([\d.]+) .* = ([\d.]+), rank (\d+)", said
        )
        assert numbers, said
        scaled, n, share, score, rank = map(float, numbers.groups())
        span = max(scores) - min(scores)
        assert scaled == pytest.approx((c.scores[stage] - min(scores)) / span if span else 1.0, abs=1e-4)
        assert share == pytest.approx(overlap(QUESTION, c.chunk.passage), abs=1e-4) and n == len(read)
        assert 0.7 * scaled + 0.3 * share == pytest.approx(score, abs=2e-4)
        assert score == pytest.approx(c.scores["rerank"], abs=1e-4) and rank == c.ranks["rerank"]
        assert f"share of words {share:.4f}" in other_stages(c, "en")
        assert "共有词比例" in str(candidate_rows([c], found, corpus.documents, "zh"))


def test_the_reading_by_likelihood_recomputes(corpus: Corpus) -> None:
    found = asked(corpus, rerank="likelihood", rerank_top=4)
    read = [c for c in found.candidates if "rerank" in c.scores]
    assert len(read) == 4
    for c in read:
        said = candidates_why.why(c, found, corpus, "en")
        sums = re.search(r"1/\((\d+)\+(\d+)\) \+ 1/\((\d+)\+(\d+)\) = ([\d.]+), rank \d+\. mean log", said)
        assert sums, said
        c1, first, c2, place, score = map(float, sums.groups())
        assert 1 / (c1 + first) + 1 / (c2 + place) == pytest.approx(score, abs=1e-4)
        assert score == pytest.approx(c.scores["rerank"], abs=1e-4) and first == c.ranks["fused"]
        assert place == 1 + sum(o.scores["likelihood"] > c.scores["likelihood"] for o in read)
        assert f"log-probability {c.scores['likelihood']:.4f} (no. {place:.0f})" in other_stages(c, "en")


@pytest.mark.parametrize("way", ["none", "overlap"])
def test_marginal_relevance_recomputes(corpus: Corpus, way: str) -> None:
    found = asked(corpus, mmr=0.3, rerank=way, rerank_top=3)
    order = asked(corpus, rerank=way, rerank_top=3).candidates
    assert corpus.dense is not None and len(order) > 3
    place = {c.chunk.chunk_id: i for i, c in enumerate(order)}
    row = {c.chunk_id: i for i, c in enumerate(corpus.chunks)}
    ahead: list[int] = []
    for c in found.candidates:
        said = candidates_why.why(c, found, corpus, "en")
        numbers = re.search(r"λ = ([\d.]+): λ × ([\d.]+) .* × (-?[\d.]+) \(nearest.* = (-?[\d.]+), place (\d+)", said)
        assert numbers, said
        lam, relevance, nearest, score, taken = map(float, numbers.groups())
        assert relevance == pytest.approx(1 - place[c.chunk.chunk_id] / len(order), abs=1e-4)
        mine = corpus.dense.vectors[row[c.chunk.chunk_id]]
        cosines = [float(mine @ corpus.dense.vectors[i]) for i in ahead]
        assert nearest == pytest.approx(max(cosines, default=0.0), abs=1e-4)
        assert lam * relevance - (1 - lam) * nearest == pytest.approx(score, abs=2e-4)
        assert score == pytest.approx(c.scores["mmr"], abs=1e-4) and taken == c.ranks["mmr"]
        ahead.append(row[c.chunk.chunk_id])


def test_several_searches_recompute_and_are_told_apart_from_the_whole_question(corpus: Corpus) -> None:
    question = "年假有几天，没休完怎么办？"
    found = asked(corpus, question, query=QuerySettings(parts=True))
    assert found.query is not None and len(found.query.legs) > 1
    for c in found.candidates:
        said = candidates_why.why(c, found, corpus, "en")
        merged = re.search(r"by RRF, c = 1: ((?:1/\(1\+\d+\)(?: \+ )?)+) = (\d\.\d+)", said)
        assert merged, said
        ranks = [int(r) for r in re.findall(r"1/\(1\+(\d+)\)", merged[1])]
        assert sum(1 / (1 + r) for r in ranks) == pytest.approx(float(merged[2]), abs=1e-4)
        assert float(merged[2]) == pytest.approx(c.scores["fused"], abs=1e-4)
    only = replace(
        found.candidates[0], scores={"part1": 0.1, "fused": 0.5}, ranks={"part1": 1, "fused": 1}, cosine=None
    )
    said = candidates_why.why(only, found, corpus, "en")
    assert "dense hits of the whole question." in said and "lexical hits of the whole question." in said
    assert "list of the whole question" in candidates_why.reasons(only, found, corpus, "en")
    one = replace(only, scores={"dense": 0.5}, ranks={"dense": 1})
    assert "Not among the lexical hits." in candidates_why.why(one, found, corpus, "en")
