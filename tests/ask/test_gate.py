"""Whether evidence is held to be enough: the signals against plain loops, the refusal in the line, the settings."""

import math
import random
from collections.abc import Callable

import numpy as np
import pytest

from rag.ask.gate import INTERCEPT, MIX, UNMET, gate, least, mixed, windows
from rag.ask.prompt import NOT_FOUND
from rag.ask.wanted import answers, names, wanted
from rag.config import GenerateSettings, Settings, SplitSettings
from rag.corpus.index import Corpus, build
from rag.models.tokens import TokenStates
from tests.fake_models import BigramEncoder, FakeModels, ReplyGenerator
from tests.hostile import text as hostile
from tests.pipeline_kit import QUESTION, TEXTS, document, note, run, steps, stream

REFUSE_ALL = Settings(generate=GenerateSettings(refuse=True, refuse_below=1.0))
REFUSE_NONE = Settings(generate=GenerateSettings(refuse=True, refuse_below=0.0))


@pytest.fixture
def encoder() -> BigramEncoder:
    return BigramEncoder()


@pytest.fixture
def corpus(encoder: BigramEncoder) -> Corpus:
    return build([document(k, t) for k, t in TEXTS.items()], SplitSettings("fixed", 100, 20), encoder)


def maxsim(asked: TokenStates, read: TokenStates) -> float:
    """The similarity as it is defined, in plain loops."""
    best = [max(sum(float(a) * float(b) for a, b in zip(x, y, strict=True)) for y in read.states) for x in asked.states]
    return sum(best) / len(best)


def test_the_nearest_sentence_is_the_one_a_plain_search_finds(corpus: Corpus, encoder: BigramEncoder) -> None:
    found = run(corpus, FakeModels(encoder, None))
    assert found.prompt is not None
    weighed = gate(QUESTION, found.prompt.packed, corpus.documents, encoder, 0.5)
    assert weighed is not None
    asked, of = encoder.token_states(QUESTION, question=True), wanted(QUESTION)
    scored = []
    for window in windows(found.prompt.packed, corpus.documents):
        read = encoder.token_states(window.text, question=False)
        off = (not answers(of, window.text)) + (not names(of, window.around))
        scored.append((maxsim(asked, read) - UNMET * off, window))
    best = max(score for score, _ in scored)
    assert dict((s.name, s.value) for s in weighed.signals)["closest"] == pytest.approx(best, abs=1e-5)
    there = [w for score, w in scored if score == pytest.approx(best, abs=1e-5)]
    assert (weighed.marker, weighed.chunk_id, weighed.span) in [(w.marker, w.chunk_id, w.span) for w in there]


def test_probabilities_recompute_from_the_signals_shown(seeds: Callable[[int], range]) -> None:
    for seed in seeds(30):
        values = {name: random.Random(seed + i).uniform(-1, 1) for i, name in enumerate(MIX)}
        p, signals = mixed(values)  # type: ignore[arg-type]
        assert p == pytest.approx(1 / (1 + math.exp(-INTERCEPT - sum(s.gives for s in signals))))
        for signal in signals:
            coefficient, mean, scale = MIX[signal.name]
            assert signal.gives == pytest.approx(coefficient * (signal.value - mean) / scale)


def test_least_is_the_mean_of_the_worst_quarter() -> None:
    rows = np.array([[0.1, 0.9, 0.2, 0.8, 0.7, 0.6, 0.5, 0.4], [0.3, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]], np.float32)
    assert least(rows) == pytest.approx((0.2 + 0.3) / 2)  # the best of each: .3 .9 .2 .8 .7 .6 .5 .4


def test_a_refusal_is_the_fixed_sentence_without_citations_and_nothing_is_generated(
    corpus: Corpus, encoder: BigramEncoder
) -> None:
    models = FakeModels(encoder, ReplyGenerator("每年15天[S1]。"))
    answers_ = stream(run(corpus, models, REFUSE_ALL), corpus, models, REFUSE_ALL)
    assert [a.text for a in answers_] == [NOT_FOUND["zh"]]
    final = answers_[0]
    assert (final.done, final.citations, [s.support for s in final.sentences]) == (True, (), ["refusal"])
    assert final.gate is not None
    assert not final.gate.enough
    assert models.generator().given == []
    assert steps(final)[-1] == "gate"
    assert f"{final.gate.p:.2f}" in note(final, "gate")
    key = final.gate.chunk_id.rsplit(":", 1)[0]
    assert corpus.documents[key].text[slice(*final.gate.span)].strip()


def test_what_passes_is_answered_and_says_how_it_was_weighed(corpus: Corpus, encoder: BigramEncoder) -> None:
    models = FakeModels(encoder, ReplyGenerator("每年15天[S1]。"))
    final = stream(run(corpus, models, REFUSE_NONE), corpus, models, REFUSE_NONE)[-1]
    assert final.text == "每年15天[S1]。"
    assert final.gate is not None
    assert final.gate.enough
    assert steps(final)[-3:] == ["gate", "generate", "cite"]


def test_without_an_encoder_nothing_is_refused_and_the_trace_says_so(corpus: Corpus) -> None:
    models = FakeModels(None, ReplyGenerator("每年15天[S1]。"))
    final = stream(run(corpus, models, REFUSE_ALL), corpus, models, REFUSE_ALL)[-1]
    assert (final.text, final.gate) == ("每年15天[S1]。", None)
    assert next(s for s in final.trace.steps if s.name == "gate").skipped


def test_hostile_text_is_weighed_like_any_other(encoder: BigramEncoder, seeds: Callable[[int], range]) -> None:
    for seed in seeds(30):
        rng = random.Random(seed)
        texts = [hostile(rng) for _ in range(3)]
        made = build(
            [document(f"d{i}", t or "x") for i, t in enumerate(texts)], SplitSettings("fixed", 100, 20), encoder
        )
        question = hostile(rng)[:200] or "？"
        found = run(made, FakeModels(encoder, None), question=question)
        if found.prompt is None:
            continue
        weighed = gate(question, found.prompt.packed, made.documents, encoder, 0.5)
        assert weighed is None or 0 <= weighed.p <= 1
