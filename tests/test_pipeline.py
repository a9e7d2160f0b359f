from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from rag import pipeline
from rag.config import GenerateSettings, Settings, SplitSettings
from rag.corpus.index import Corpus, build
from rag.errors import ModelUnavailable, NothingFits
from rag.types import Candidate
from tests.fake_models import BigramEncoder, FakeModels, ReplyGenerator
from tests.pipeline_kit import QUESTION, TEXTS, document, note, run, skipped, steps, stream, with_search


@pytest.fixture
def encoder() -> BigramEncoder:
    return BigramEncoder()


@pytest.fixture
def corpus(encoder: BigramEncoder) -> Corpus:
    return build([document(k, t) for k, t in TEXTS.items()], SplitSettings("fixed", 100, 20), encoder)


# ---- a question after others


def test_earlier_questions_are_searched_shown_and_noted(corpus: Corpus, encoder: BigramEncoder) -> None:
    models = FakeModels(encoder, ReplyGenerator())
    alone = pipeline.retrieve("要提前多久？", corpus, Settings(), models)
    found = pipeline.retrieve("要提前多久？", corpus, Settings(), models, history=["年假怎么申请？"])
    assert steps(alone)[0] == "embed" and steps(found)[:2] == ["rewrite", "embed"]
    assert "年假怎么申请？ / 要提前多久？" in note(found, "rewrite") and found.question == "要提前多久？"
    assert found.candidates[0].chunk.key == "process@2026"
    assert alone.prompt is not None and found.prompt is not None
    assert alone.prompt.messages[1].content.endswith("\n\n问题：要提前多久？")
    assert found.prompt.messages[1].content.endswith("\n\n之前的问题：年假怎么申请？\n问题：要提前多久？")


def test_given_evidence_keeps_the_questions_before(corpus: Corpus, encoder: BigramEncoder) -> None:
    models = FakeModels(encoder, ReplyGenerator())
    found = pipeline.given("几天？", corpus.chunks[:1], corpus, Settings(), models, ["年假？"])
    assert found.prompt is not None and found.prompt.messages[1].content.endswith("之前的问题：年假？\n问题：几天？")


# ---- the scores shown are what they say


@pytest.mark.parametrize("depth", [3, 20, 200])
def test_scores_and_ranks_recompute(corpus: Corpus, encoder: BigramEncoder, depth: int) -> None:
    found = run(corpus, FakeModels(encoder, ReplyGenerator()), with_search(depth=depth, rrf_c=17))
    assert corpus.dense is not None
    query = encoder.encode_query([QUESTION])[0].astype(np.float64)
    position = {c.chunk_id: i for i, c in enumerate(corpus.chunks)}
    for stage in ("dense", "lexical"):
        ranks = sorted(c.ranks[stage] for c in found.candidates if stage in c.ranks)
        assert ranks == list(range(1, len(ranks) + 1))
        assert len(ranks) <= depth
        ordered = sorted((c for c in found.candidates if stage in c.ranks), key=lambda c: c.ranks[stage])
        scores = [c.scores[stage] for c in ordered]
        assert scores == sorted(scores, reverse=True)
    for candidate in found.candidates:
        row = corpus.dense.vectors[position[candidate.chunk.chunk_id]].astype(np.float64)
        if "dense" in candidate.scores:
            assert candidate.scores["dense"] == pytest.approx(row @ query, abs=1e-6)
        assert candidate.scores.get("lexical", 1) > 0
        fused = sum(1 / (17 + candidate.ranks[s]) for s in ("dense", "lexical") if s in candidate.ranks)
        assert candidate.scores["fused"] == pytest.approx(fused, abs=1e-12)
        assert set(candidate.scores) == set(candidate.ranks)
        assert candidate.rank == candidate.ranks["fused"]
    assert [c.rank for c in found.candidates] == list(range(1, len(found.candidates) + 1))


def test_weighted_sum_recomputes(corpus: Corpus, encoder: BigramEncoder) -> None:
    found = run(corpus, FakeModels(encoder, None), with_search(fusion="weighted", alpha=0.3, depth=6))

    def scaled(stage: str) -> dict[str, float]:
        scores = {c.chunk.chunk_id: c.scores[stage] for c in found.candidates if stage in c.scores}
        low, high = min(scores.values()), max(scores.values())
        return {k: (v - low) / (high - low) if high > low else 1.0 for k, v in scores.items()}

    dense, lexical = scaled("dense"), scaled("lexical")
    for c in found.candidates:
        expected = 0.3 * dense.get(c.chunk.chunk_id, 0) + 0.7 * lexical.get(c.chunk.chunk_id, 0)
        assert c.scores["fused"] == pytest.approx(expected, abs=1e-6)
    assert "0.3" in note(found, "fuse")


# ---- the trace


def test_a_row_for_every_step(corpus: Corpus, encoder: BigramEncoder) -> None:
    models = FakeModels(encoder, ReplyGenerator())
    found = run(corpus, models)
    assert steps(found) == ["embed", "dense", "lexical", "fuse", "select", "pack"]
    assert skipped(found) == []
    final = stream(found, corpus, models)[-1]
    assert steps(final) == [
        "embed",
        "dense",
        "lexical",
        "fuse",
        "select",
        "pack",
        "gate",
        "generate",
        "cite",
        "compare",
    ]
    for step in final.trace.steps:
        assert step.seconds >= 0
        assert bool(step.note.en) == bool(step.note.zh)
    by_name = {s.name: s for s in final.trace.steps}
    assert found.prompt is not None
    assert by_name["dense"].n_in == len(corpus.chunks)
    assert by_name["fuse"].n_out == len(found.candidates) == by_name["select"].n_in
    assert by_name["pack"].n_out == len(found.prompt.packed)
    assert (by_name["generate"].n_in, by_name["generate"].n_out) == (len(found.prompt.input_ids), final.n_tokens)
    assert final.trace.settings == found.trace.settings == Settings().lines()
    assert found.trace.settings_hash == Settings().hash()


def test_without_an_encoder_lexical_only_and_the_trace_says_so(corpus: Corpus) -> None:
    found = run(corpus, FakeModels(None, ReplyGenerator()))
    assert "dense" in skipped(found)
    assert "no encoder" in note(found, "dense")
    assert found.candidates
    assert all(set(c.scores) == {"lexical"} for c in found.candidates)
    assert found.prompt is not None
    assert found.prompt.rendered
    # and no row claims a fusion that did not happen
    assert "fuse" in skipped(found)
    for language in ("en", "zh"):
        assert "RRF" not in note(found, "fuse", language)


def test_a_corpus_without_vectors_is_searched_by_words(encoder: BigramEncoder) -> None:
    plain = build([document(k, t) for k, t in TEXTS.items()], SplitSettings(), None)
    for mode in ("fused", "dense", "lexical"):
        found = run(plain, FakeModels(encoder, None), with_search(mode=mode))
        assert all(set(c.scores) == {"lexical"} for c in found.candidates)
        assert found.candidates
        assert ("dense" in skipped(found)) == (mode != "lexical")
        assert "dense only" not in note(found, "fuse")


@pytest.mark.parametrize("mode", ["dense", "lexical"])
def test_one_retriever_alone(corpus: Corpus, encoder: BigramEncoder, mode: str) -> None:
    found = run(corpus, FakeModels(encoder, None), with_search(mode=mode))
    assert all(set(c.scores) == {mode} for c in found.candidates)
    assert [c.ranks[mode] for c in found.candidates] == [c.rank for c in found.candidates]
    assert "fuse" not in skipped(found)  # nothing was asked for that did not happen
    assert mode in note(found, "fuse")


def test_without_a_generator_messages_only(corpus: Corpus, encoder: BigramEncoder) -> None:
    models = FakeModels(encoder, None)
    found = run(corpus, models)
    assert found.prompt is not None
    assert not found.prompt.rendered
    assert found.prompt.text == ""
    assert [m.role for m in found.prompt.messages] == ["system", "user"]
    assert QUESTION in found.prompt.messages[1].content
    assert len(found.prompt.packed) == Settings().search.packed
    assert found.problem is not None
    assert skipped(found) == ["pack"]
    with pytest.raises(ModelUnavailable):
        stream(found, corpus, models)
    with pytest.raises(NothingFits) as caught:  # the generator came later: this prompt still cannot be sent
        stream(found, corpus, FakeModels(encoder, ReplyGenerator()))
    assert caught.value.text == found.problem


# ---- what became of each candidate


def fates(candidates: Sequence[Candidate]) -> list[str]:
    return [c.status.fate for c in candidates]


@pytest.mark.parametrize("packed", [1, 4, 50])
def test_statuses_agree_with_the_prompt(corpus: Corpus, encoder: BigramEncoder, packed: int) -> None:
    found = run(corpus, FakeModels(encoder, ReplyGenerator()), with_search(packed=packed))
    assert found.prompt is not None
    marked = {c.status.marker: c for c in found.candidates if c.status.fate == "packed"}
    assert {e.marker: e.chunk for e in found.prompt.packed} == {m: c.chunk for m, c in marked.items()}
    assert list(marked) == [f"S{i}" for i in range(1, len(marked) + 1)]
    assert 0 < len(marked) <= packed
    for candidate in found.candidates:
        assert (candidate.status.marker != "") == (candidate.status.fate == "packed")
        if candidate.status.fate == "packed":
            assert candidate.chunk.text.strip() in found.prompt.text
            assert f"[{candidate.status.marker}]" in found.prompt.text
    over = {c.chunk.chunk_id for c in found.candidates if c.status.fate == "over_budget"}
    assert over == set(found.prompt.dropped)
    assert "not_packed" not in fates(found.candidates)
    if packed == 1:
        assert set(fates(found.candidates)[1:]) <= {"beyond_k", "duplicate"}  # the policies here repeat themselves


def test_what_does_not_fit_is_skipped_and_the_next_is_tried(encoder: BigramEncoder) -> None:
    long, short = "年假规定" * 200, "年假须提前申请。"
    corpus = build([document("a", long), document("b", short)], SplitSettings(size=1000, overlap=0), encoder)
    generator = ReplyGenerator()
    bare = len(run(corpus, FakeModels(encoder, generator), with_search(packed=2)).prompt.input_ids)  # type: ignore[union-attr]
    settings = replace(with_search(packed=2), generate=GenerateSettings(answer_tokens=10, context_limit=bare - 100))
    found = run(corpus, FakeModels(encoder, generator), settings, "年假规定年假规定")
    assert {c.chunk.key: c.status.fate for c in found.candidates} == {"a@2026": "over_budget", "b@2026": "packed"}
    assert found.prompt is not None
    assert len(found.prompt.input_ids) <= settings.generate.budget
    assert found.prompt.dropped == (f"a@2026:0-{len(long)}",)


def test_nothing_fits_is_a_problem_on_the_screen_and_an_error_when_answering(
    corpus: Corpus, encoder: BigramEncoder
) -> None:
    models = FakeModels(encoder, ReplyGenerator())
    tight = Settings(generate=GenerateSettings(answer_tokens=150, context_limit=256))
    found = run(corpus, models, tight)
    assert found.prompt is None
    assert found.problem is not None
    assert found.problem.en != found.problem.zh
    assert {"over_budget"} <= set(fates(found.candidates)) <= {"over_budget", "duplicate"}
    assert steps(found)[-1] == "pack"
    with pytest.raises(NothingFits) as caught:
        stream(found, corpus, models, tight)
    assert caught.value.text == found.problem
    assert models.generator().given == []


def test_threshold(corpus: Corpus, encoder: BigramEncoder) -> None:
    models = FakeModels(encoder, ReplyGenerator())
    cosines = {c.chunk.chunk_id: c.scores["dense"] for c in run(corpus, models, with_search(depth=200)).candidates}
    middle = sorted(cosines.values())[len(cosines) // 2] + 1e-5
    found = run(corpus, models, with_search(depth=200, packed=50, threshold=middle))
    for candidate in found.candidates:
        low = cosines[candidate.chunk.chunk_id] < middle
        assert (candidate.status.fate == "below_threshold") == low
    assert str(middle) in note(found, "select")
    # a candidate only the lexical list returned is held to its cosine too
    few = run(corpus, models, with_search(depth=3, packed=50, threshold=middle))
    assert any("dense" not in c.scores for c in few.candidates)
    for candidate in few.candidates:
        assert (candidate.status.fate == "below_threshold") == (cosines[candidate.chunk.chunk_id] < middle)


def test_a_threshold_nothing_reaches(corpus: Corpus, encoder: BigramEncoder) -> None:
    models = FakeModels(encoder, ReplyGenerator())
    found = run(corpus, models, with_search(threshold=1.0))
    assert found.prompt is None
    assert set(fates(found.candidates)) == {"below_threshold"}
    assert found.problem is not None
    with pytest.raises(NothingFits):
        stream(found, corpus, models)


@pytest.mark.parametrize("mode", ["fused", "lexical"])
def test_a_threshold_that_cannot_be_applied_is_said_so(corpus: Corpus, encoder: BigramEncoder, mode: str) -> None:
    models = FakeModels(None if mode == "fused" else encoder, ReplyGenerator())
    found = run(corpus, models, with_search(mode=mode, threshold=0.99))
    assert "below_threshold" not in fates(found.candidates)
    assert "select" in skipped(found)
    for language, claim in (("en", "cosine ≥ 0.99"), ("zh", "余弦 ≥ 0.99")):
        assert note(found, "select", language) != claim


def test_no_hit_at_all(encoder: BigramEncoder) -> None:
    corpus = build([document("a", "年假规定的正文。")], SplitSettings(), None)
    found = run(corpus, FakeModels(None, ReplyGenerator()), question="zebra")
    assert found.candidates == ()
    assert found.prompt is None
    assert found.problem is not None


def test_only_versions_in_force(encoder: BigramEncoder) -> None:
    corpus = build(
        [
            document("leave", "年假规定：每年10天年假。", "2025", date(2025, 1, 1)),
            document("leave", "年假规定：每年15天年假。", "2026", date(2026, 1, 1)),
        ],
        SplitSettings(),
        encoder,
    )
    models = FakeModels(encoder, ReplyGenerator())
    for day, days in ((date(2025, 6, 1), "10天"), (date(2026, 6, 1), "15天")):
        (only,) = run(corpus, models, with_search(as_of=day)).candidates
        assert days in only.chunk.text
    assert "1 chunks" in note(run(corpus, models, with_search(as_of=date(2025, 6, 1))), "dense")
    assert len(run(corpus, models, with_search(scope="all")).candidates) == 2
