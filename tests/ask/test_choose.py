import random
from dataclasses import replace

import pytest

from rag.ask.choose import choose, edge, select_step
from rag.ask.mmr import maximal_marginal_relevance
from rag.ask.repeats import Repeats
from rag.config import SearchSettings, SelectSettings, Settings, SplitSettings
from rag.corpus.index import Corpus, build
from rag.types import Candidate, Document, Status
from tests.fakes import HashEncoder

CLAUSE = "员工出差期间的住宿费用凭发票据实报销，每晚不超过五百元，超出部分由本人承担。"


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    """Six policies, of which some say the same, with vectors that say nothing."""
    texts = [CLAUSE + "报销单须经部门负责人审批。" * (i % 3 + 1) + f"附则{i // 2}。" for i in range(6)]
    documents = [Document(f"p{i}", "1", f"p{i}@1", "own", f"制度{i}", "", text) for i, text in enumerate(texts)]
    return build(documents, SplitSettings("fixed", 40, 0), HashEncoder())


def candidates(corpus: Corpus, rng: random.Random, n: int) -> tuple[Candidate, ...]:
    """Some chunks in some order, as a search would give them."""
    chunks = rng.sample(corpus.chunks, min(n, len(corpus.chunks)))
    return tuple(
        Candidate(c, {"fused": 1 / rank}, {"fused": rank}, rank, Status("not_packed"), rng.uniform(0, 1))
        for rank, c in enumerate(chunks, 1)
    )


def chosen(corpus: Corpus, found, threshold=None, **select: object):
    only = SelectSettings(**{"near_duplicates": False, **select})  # type: ignore[arg-type]
    settings = Settings(search=SearchSettings(threshold=threshold), select=only)
    return choose("住宿", found, corpus, settings)


def test_with_everything_off_all_may_be_packed_in_the_order_of_the_search(corpus: Corpus) -> None:
    found = candidates(corpus, random.Random(0), 8)
    out = chosen(corpus, found)
    assert (out.found, out.may, dict(out.left)) == (found, found, {})


def test_every_candidate_is_kept_once_and_either_may_be_packed_or_says_why_not(corpus: Corpus, seeds) -> None:
    for seed in seeds(200):
        rng = random.Random(seed)
        found = candidates(corpus, rng, rng.randint(1, 12))
        select = {
            "near_duplicates": rng.random() < 0.5,
            "mmr": rng.choice((None, 0.3, 0.7, 1.0)),
            "per_document": rng.choice((0, 1, 2)),
        }
        threshold = rng.choice((None, 0.3))
        out = chosen(corpus, found, threshold, **select)
        assert sorted(c.chunk.chunk_id for c in out.found) == sorted(c.chunk.chunk_id for c in found), seed
        assert [c.rank for c in out.found] == list(range(1, len(found) + 1)), seed
        may = [c.chunk.chunk_id for c in out.may]
        assert set(may) | set(out.left) == {c.chunk.chunk_id for c in found} and not set(may) & set(out.left), seed
        assert [c.rank for c in out.may] == sorted(c.rank for c in out.may), seed
        assert [c for c in out.found if c.chunk.chunk_id in may] == list(out.may), seed
        for c in out.found:
            status = out.left.get(c.chunk.chunk_id)
            low = threshold is not None and c.cosine is not None and c.cosine < threshold
            assert (status is not None and status.fate == "below_threshold") == low, seed
            if status is not None and status.fate == "duplicate":
                assert status.of in {o.chunk.chunk_id for o in found} and status.of != c.chunk.chunk_id
        if select["per_document"]:
            policies = [c.chunk.key for c in out.may]
            assert all(policies.count(p) <= select["per_document"] for p in policies), seed
            for c in out.found:  # who is left out has enough better ones of its policy that are not
                if out.left.get(c.chunk.chunk_id) == Status("per_document"):
                    better = [m for m in out.may if m.chunk.key == c.chunk.key and m.rank < c.rank]
                    assert len(better) == select["per_document"], seed


def test_a_repetition_names_the_better_one(corpus: Corpus) -> None:
    found = candidates(corpus, random.Random(4), 18)
    out = chosen(corpus, found, near_duplicates=True)
    expected = Repeats("住宿", [c.chunk for c in found], corpus.documents).among(range(len(found)))
    assert expected
    assert out.left == {
        found[i].chunk.chunk_id: Status("duplicate", of=found[j].chunk.chunk_id) for i, j in expected.items()
    }
    assert all(
        of.rank < c.rank
        for c in out.found
        for of in out.found
        if out.left.get(c.chunk.chunk_id, Status("packed")).of == of.chunk.chunk_id
    )


def test_diversity_orders_those_above_the_threshold_and_leaves_the_others_where_they_were(corpus: Corpus) -> None:
    found = candidates(corpus, random.Random(2), 10)
    out = chosen(corpus, found, 0.4, mmr=0.4)
    above = [c for c in found if c.cosine is not None and c.cosine >= 0.4]
    assert corpus.dense is not None and 2 < len(above) < len(found)
    vectors = corpus.dense.vectors[[corpus.chunks.index(c.chunk) for c in above]]
    picks = maximal_marginal_relevance([1 - i / len(above) for i in range(len(above))], vectors, 0.4)
    assert [c.chunk for c in out.may] == [above[p.position].chunk for p in picks] != [c.chunk for c in above]
    assert [c.scores["mmr"] for c in out.may] == [p.score for p in picks]
    assert [c.ranks["mmr"] for c in out.may] == list(range(1, len(above) + 1))
    assert [c for c in out.found if c.chunk.chunk_id in out.left] == [c for c in found if c not in above]


def test_without_vectors_there_is_no_diversity_and_the_trace_says_so(corpus: Corpus) -> None:
    found = candidates(corpus, random.Random(2), 6)
    lexical = replace(corpus, dense=None)
    out = chosen(lexical, found, mmr=0.2)
    assert out.may == found
    step = select_step(0.0, out, Settings(select=SelectSettings(mmr=0.2)), (False, False))
    assert step.skipped and "MMR not applied" in step.note.en and "MMR 未生效" in step.note.zh


def test_the_trace_counts_what_was_left_out_and_says_by_what(corpus: Corpus) -> None:
    found = candidates(corpus, random.Random(4), 18)
    settings = Settings(select=SelectSettings(near_duplicates=True, per_document=1, mmr=0.9))
    out = choose("住宿", found, corpus, settings)
    step = select_step(0.5, out, settings, (True, True))
    fates = [s.fate for s in out.left.values()]
    assert (step.n_in, step.n_out, step.skipped) == (len(found), len(out.may), False)
    assert f"repeats left out: {fates.count('duplicate')}" in step.note.en
    assert f"at most 1 of one policy: {fates.count('per_document')} left out" in step.note.en
    assert "λ = 0.9" in step.note.en and "λ = 0.9" in step.note.zh


def test_the_edge_is_the_last_packed_beside_the_best_behind_it() -> None:
    document = Document("d", "1", "d@1", "own", "", "", "一二三四五六七八" * 20)
    chunks = build([document], SplitSettings("fixed", 20, 0), None).chunks

    def row(i: int, status: Status, **scores: float) -> Candidate:
        return Candidate(chunks[i], scores, dict.fromkeys(scores, i + 1), i + 1, status)

    packed, out = Status("packed", "S1"), Status("beyond_k")
    found = [
        row(0, packed, fused=0.9),
        row(1, Status("duplicate"), fused=0.8),
        row(2, packed, fused=0.7),
        row(3, out, fused=0.6),
    ]
    end = edge(found)
    assert end is not None
    assert (end.stage, end.last, end.out, end.scores) == ("fused", found[2], found[3], (0.7, 0.6))
    assert edge(found[:3]) is None and edge(found[3:]) is None and edge([]) is None
    # the first behind those that were read again has no score of that stage: the one both have is compared
    again = [row(0, packed, fused=0.2, rerank=3.0), row(1, out, fused=0.1)]
    end = edge(again)
    assert end is not None and (end.stage, end.scores) == ("fused", (0.2, 0.1))
    # diversity is the last that decides, among those that were left to it
    diverse = [row(0, packed, fused=0.2, rerank=1.0, mmr=0.5), row(1, out, fused=0.3, rerank=3.0, mmr=0.4)]
    end = edge([diverse[0], row(2, Status("below_threshold"), fused=0.1), replace(diverse[1], rank=4)])
    assert end is not None and (end.stage, end.scores) == ("mmr", (0.5, 0.4))
    assert edge([diverse[0], row(2, Status("below_threshold"), fused=0.1)]) is None
    assert edge([row(0, packed), row(1, out)]) is None  # given, not searched
