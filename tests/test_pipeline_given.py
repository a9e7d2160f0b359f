"""Evidence that is given instead of searched, and what nobody may learn of documents they may not see."""

import random
from dataclasses import replace
from datetime import date

import pytest

from rag import pipeline
from rag.config import GenerateSettings, SearchSettings, Settings, SplitSettings
from rag.corpus.index import Corpus, build
from tests.fake_models import BigramEncoder, FakeModels, ReplyGenerator
from tests.pipeline_kit import QUESTION, TEXTS, document, note, skipped, steps, stream

ROOMY = Settings(generate=GenerateSettings(context_limit=8000))


@pytest.fixture
def models() -> FakeModels:
    return FakeModels(BigramEncoder(), ReplyGenerator())


@pytest.fixture
def corpus(models: FakeModels) -> Corpus:
    return build([document(k, t) for k, t in TEXTS.items()], SplitSettings("fixed", 100, 20), models.encoder())


def test_given_evidence_is_packed_in_its_order_whatever_k(corpus: Corpus, models: FakeModels, seeds) -> None:
    for seed in seeds(50):
        chosen = random.Random(seed).sample(corpus.chunks, 6)
        found = pipeline.given(QUESTION, chosen, corpus, ROOMY, models)
        assert found.prompt is not None and [e.chunk for e in found.prompt.packed] == chosen
        assert [c.status.marker for c in found.candidates] == [f"S{i}" for i in range(1, 7)]
        assert steps(found) == ["select", "pack"] and skipped(found) == ["select"]
        assert found.trace.settings_hash == ROOMY.hash()
        *_, last = stream(found, corpus, models)
        assert last.done and last.prompt is found.prompt


def test_no_evidence_leaves_rules_and_question(corpus: Corpus, models: FakeModels) -> None:
    found = pipeline.given(QUESTION, [], corpus, Settings(), models)
    assert found.problem is None and found.prompt is not None and found.prompt.rendered
    assert found.prompt.packed == () and {s.name for s in found.prompt.segments} == {"template", "rules", "question"}
    assert QUESTION in found.prompt.text


def test_without_evidence_too_the_prompt_keeps_to_the_budget(corpus: Corpus, models: FakeModels) -> None:
    bare = pipeline.given(QUESTION, [], corpus, ROOMY, models)
    assert bare.prompt is not None
    takes = len(bare.prompt.input_ids)
    for spare in (0, -1):
        tight = Settings(generate=GenerateSettings(context_limit=takes + 100 + spare, answer_tokens=100))
        bare = pipeline.given(QUESTION, [], corpus, tight, models)
        assert (bare.prompt is not None) == (bare.problem is None) == (spare == 0)
    assert bare.problem is not None and f"{takes - 1} tokens" in bare.problem.en and str(takes - 1) in bare.problem.zh


def test_given_evidence_keeps_to_the_budget(corpus: Corpus, models: FakeModels) -> None:
    tight = Settings(generate=GenerateSettings(context_limit=700, answer_tokens=100))
    found = pipeline.given(QUESTION, corpus.chunks, corpus, tight, models)
    assert found.prompt is not None and len(found.prompt.input_ids) <= tight.generate.budget
    assert len(found.prompt.packed) + len(found.prompt.dropped) == len(corpus.chunks) and found.prompt.dropped


def test_nothing_of_a_hidden_document_comes_out(models: FakeModels) -> None:
    open_ = [document(k, t) for k, t in TEXTS.items() if k != "leave"]
    secret = replace(document("leave", TEXTS["leave"]), groups=frozenset({"hr"}))
    corpus = build([*open_, secret], SplitSettings(), models.encoder())
    without = build(open_, SplitSettings(), models.encoder())
    seen, alone = (pipeline.retrieve(QUESTION, c, Settings(), models) for c in (corpus, without))
    assert [c.chunk for c in seen.candidates] == [c.chunk for c in alone.candidates]
    assert [(s.name, s.n_in, s.n_out, s.note) for s in seen.trace.steps] == [
        (s.name, s.n_in, s.n_out, s.note) for s in alone.trace.steps
    ]
    assert seen.prompt is not None and alone.prompt is not None and seen.prompt.text == alone.prompt.text
    inside = pipeline.retrieve(QUESTION, corpus, Settings(), models, frozenset({"hr", "public"}))
    assert inside.candidates[0].chunk.key == secret.key
    assert note(inside, "dense") == ""


def test_of_two_given_versions_the_one_in_force_is_packed_and_the_other_is_named(models: FakeModels) -> None:
    text = "员工入职满一年后，每年可享受15天带薪年假。"
    new = replace(document("leave", text), effective_from=date(2026, 1, 1))
    old = replace(new, version="2025", key="leave@2025", text=text.replace("15", "10"), effective_from=date(2025, 1, 1))
    corpus = build([old, new], SplitSettings(), models.encoder())
    found = pipeline.given(QUESTION, corpus.chunks, corpus, Settings(), models)
    assert found.prompt is not None and [e.chunk.key for e in found.prompt.packed] == [new.key]
    assert [(c.chunk.key, c.status.fate, c.status.of) for c in found.outside] == [(old.key, "out_of_scope", new.key)]
    every = replace(Settings(), search=SearchSettings(scope="all"))
    both = pipeline.given(QUESTION, corpus.chunks, corpus, every, models)
    assert both.prompt is not None and len(both.prompt.packed) == 2 and "旧版" in both.prompt.packed[0].heading
    alone = pipeline.given(QUESTION, corpus.chunks[:1], corpus, Settings(), models)
    assert alone.prompt is not None and [e.chunk.key for e in alone.prompt.packed] == [old.key]


def test_an_answer_names_what_the_version_that_is_not_in_force_says(models: FakeModels) -> None:
    text = "员工入职满一年后，每年可享受15天带薪年假。"
    new = replace(document("leave", text), effective_from=date(2026, 1, 1))
    old = replace(new, version="2025", key="leave@2025", text=text.replace("15", "10"), effective_from=date(2025, 1, 1))
    corpus = build([old, new], SplitSettings(), models.encoder())
    models.generator().reply = f"{text}[S1]"
    found = pipeline.given(QUESTION, corpus.chunks, corpus, Settings(), models)
    *growing, last = stream(found, corpus, models)
    (difference,) = last.differences
    assert (difference.kind, difference.marker, difference.there.key) == ("version", "S1", old.key)
    assert [old.text[a:b] for a, b in difference.there.marks] == ["10天"]
    assert last.trace.steps[-1].name == "compare" and last.trace.steps[-1].n_out == 1
    assert all(answer.differences == () for answer in growing)
