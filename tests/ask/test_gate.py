"""Whether evidence is held to be enough: the signals against plain loops, the refusal in the line, the settings."""

import math
import random
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from rag.ask.gate import AFTER, BEFORE, UNMET, checked, gate, held, least, mixed, weigh, windows
from rag.ask.rules import NOT_FOUND
from rag.ask.wanted import answers, content, names, wanted
from rag.config import DEFAULT_ENCODER, GenerateSettings, Settings, SplitSettings
from rag.corpus.index import Corpus, build
from rag.errors import ChunkTooLong
from rag.models.tokens import TokenStates
from rag.pipeline import retrieve
from tests.fake_models import BigramEncoder, FakeModels, ReplyGenerator
from tests.hostile import text as hostile
from tests.pipeline_kit import QUESTION, TEXTS, document, note, run, steps, stream

REFUSE_ALL = Settings(generate=GenerateSettings(refuse=True, refuse_below=1.0))
REFUSE_NONE = Settings(generate=GenerateSettings(refuse=True, refuse_below=0.0))


@pytest.fixture
def encoder() -> BigramEncoder:
    return BigramEncoder(facts=(("model", DEFAULT_ENCODER),))  # the gate's numbers are those of this one


@pytest.fixture
def corpus(encoder: BigramEncoder) -> Corpus:
    return build([document(k, t) for k, t in TEXTS.items()], SplitSettings("fixed", 100, 20), encoder)


def maxsim(question: str, asked: TokenStates, read: TokenStates) -> list[float]:
    """The similarities as they are defined, in plain loops."""
    told = content(question)
    kept = [x for (a, b), x in zip(asked.spans, asked.states, strict=True) if any(told[a:b])]
    return [max(sum(float(a) * float(b) for a, b in zip(x, y, strict=True)) for y in read.states) for x in kept]


def test_the_nearest_sentence_is_the_one_a_plain_search_finds(corpus: Corpus, encoder: BigramEncoder) -> None:
    found = run(corpus, FakeModels(encoder, None))
    assert found.prompt is not None
    weighed = gate(found, corpus.documents, encoder, 0.5)
    assert weighed is not None
    (asked,), of = encoder.token_states([QUESTION], question=True), wanted(QUESTION)
    scored = []
    for window in windows(found.prompt.packed, corpus.documents):
        parts = encoder.token_states([t for t in (window.text, window.heading, window.before) if t], question=False)
        row = [max(of) for of in zip(*(maxsim(QUESTION, asked, read) for read in parts), strict=True)]
        off = (not answers(of, window.text)) + (not names(of, window.around))
        worst = sorted(row)[: max(1, len(row) // 4)]
        scored.append((sum(row) / len(row) - UNMET * off, sum(worst) / len(worst), window))
    best = max(score for score, _, _ in scored)
    there = [(worst, w) for score, worst, w in scored if score == pytest.approx(best, abs=1e-5)]
    values = {s.name: s.value for s in weighed.signals}
    assert values["closest"] == pytest.approx(best, abs=1e-5)
    assert values["least"] in [pytest.approx(worst, abs=1e-5) for worst, _ in there]
    assert weighed.nearest[0] in [w.near for _, w in there]
    assert len(weighed.nearest) == 3


def test_probabilities_recompute_from_the_signals_shown(seeds: Callable[[int], range]) -> None:
    for seed in seeds(30):
        for mix in (BEFORE, AFTER):
            values = {name: random.Random(seed + i).uniform(-1, 1) for i, name in enumerate(mix.signals)}
            p, signals = mixed(values, mix)
            assert p == pytest.approx(1 / (1 + math.exp(-mix.intercept - sum(s.gives for s in signals))))
            for signal in signals:
                coefficient, mean, scale = mix.signals[signal.name]
                assert signal.gives == pytest.approx(coefficient * (signal.value - mean) / scale)


def test_more_of_every_signal_never_speaks_against_the_evidence() -> None:
    for mix in (BEFORE, AFTER):
        assert all(coefficient > 0 and scale > 0 for coefficient, _, scale in mix.signals.values())


def test_least_is_the_mean_of_the_worst_quarter() -> None:
    row = np.array([0.3, 0.9, 0.2, 0.8, 0.7, 0.6, 0.5, 0.4], np.float32)
    assert least(row) == pytest.approx((0.2 + 0.3) / 2)
    assert least(row[:3]) == pytest.approx(0.2)


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
    for near in final.gate.nearest:
        key = near.chunk_id.rsplit(":", 1)[0]
        assert corpus.documents[key].text[slice(*near.span)].strip()


def test_what_passes_is_answered_and_says_how_it_was_weighed(corpus: Corpus, encoder: BigramEncoder) -> None:
    models = FakeModels(encoder, ReplyGenerator("每年15天[S1]。"))
    final = stream(run(corpus, models, REFUSE_NONE), corpus, models, REFUSE_NONE)[-1]
    assert final.text == "每年15天[S1]。"
    assert final.gate is not None
    assert final.gate.enough
    assert final.gate.written
    assert [s for s in steps(final) if s in ("gate", "generate", "cite")] == ["gate", "generate", "cite", "gate"]
    weighed = [s.note for s in final.trace.steps if s.name == "gate"]
    assert [re.findall(r"(\w+) -?\d\.\d{3} \(", n.en) for n in weighed] == [
        ["closest", "least"],
        ["closest", "held", "carried"],
    ]
    assert not any(re.search("[a-z]", n.zh) for n in weighed)  # the signals are named in the reader's language


def test_an_answer_that_nothing_carries_is_withdrawn(
    corpus: Corpus, encoder: BigramEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(generate=GenerateSettings(refuse=True, refuse_below=0.5))
    found = run(corpus, FakeModels(encoder, ReplyGenerator("x")), settings)
    said = {}
    for reply in ("每年可享受15天带薪年假。", "太阳系有八大行星。", NOT_FOUND["zh"]):
        models = FakeModels(encoder, ReplyGenerator(reply))
        weighed = gate(found, corpus.documents, encoder, 0.0)
        assert weighed is not None
        kept = replace(settings, generate=replace(settings.generate, refuse_below=0.0))
        said[reply] = stream(run(corpus, models, kept), corpus, models, kept)[-1]
    carried, wild, refused = said.values()
    assert carried.gate is not None
    assert wild.gate is not None
    assert refused.gate is not None
    assert not refused.gate.written  # the model refused by itself
    assert wild.gate.p < carried.gate.p
    # a threshold that the evidence passes and the answer does not, wherever the fit puts the second mix
    monkeypatch.setattr("rag.ask.gate.AFTER", replace(AFTER, intercept=AFTER.intercept - 20))
    wild = replace(wild, gate=checked(weighed, wild.text, wild.sentences, QUESTION, corpus.documents)[0])
    assert wild.gate is not None and weighed is not None and wild.gate.p < weighed.p
    strict = replace(settings, generate=replace(settings.generate, refuse_below=(wild.gate.p + weighed.p) / 2))
    models = FakeModels(encoder, ReplyGenerator("太阳系有八大行星[S1]。"))
    *streamed, final = stream(run(corpus, models, strict), corpus, models, strict)
    assert streamed and all(a.gate is not None and a.gate.enough and a.withdrawn is None for a in streamed)
    assert (final.text, final.citations) == (NOT_FOUND["zh"], ())
    assert final.gate is not None and not final.gate.enough and final.gate.written
    # what was written is kept with its marks, and the trace says whose marks it counts
    assert final.withdrawn is not None and final.withdrawn.text == "太阳系有八大行星[S1]。"
    assert [s.support for s in final.withdrawn.sentences] == ["none"]
    assert [c.marker for c in final.withdrawn.citations] == ["S1"]
    assert note(final, "cite").startswith("of what was written and withdrawn: ")


@pytest.mark.parametrize(
    ("text", "sentences", "share"),
    [
        ("每年15天[S1]。", ["每年15天带薪年假"], 1.0),
        ("每年15天。", ["每年十五日", "每年１５天"], 1.0),
        ("入职满一年", ["入职满一年后"], 0.0),  # only what was asked
        ("[S1]", ["每年15天"], 0.0),
        ("食堂", ["每年15天"], 0.0),
        ("", [""], 0.0),
    ],
)
def test_held_is_the_share_of_what_the_answer_says_itself(text: str, sentences: list[str], share: float) -> None:
    assert held(text, QUESTION, sentences) == pytest.approx(share)


def test_another_encoder_refuses_nothing_and_the_trace_names_it(corpus: Corpus) -> None:
    models = FakeModels(BigramEncoder(), ReplyGenerator("每年15天[S1]。"))
    final = stream(run(corpus, models, REFUSE_ALL), corpus, models, REFUSE_ALL)[-1]
    assert (final.text, final.gate) == ("每年15天[S1]。", None)
    assert "bigrams" in note(final, "gate")


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
        weighed = gate(found, made.documents, encoder, 0.5)
        assert weighed is None or 0 <= weighed.p <= 1


def test_the_model_is_asked_to_refuse_where_no_gate_does(corpus: Corpus, encoder: BigramEncoder) -> None:
    off = Settings(generate=GenerateSettings(refuse=False))
    other = replace(encoder, facts=(("model", "another"),))
    for settings, read, told in ((Settings(), encoder, False), (off, encoder, True), (Settings(), other, True)):
        found = retrieve(QUESTION, corpus, settings, FakeModels(read, None))
        assert found.prompt is not None
        assert (NOT_FOUND["zh"] in found.prompt.messages[0].content) is told
        gate_row = weigh(found, corpus.documents, settings, FakeModels(read, None))[1]
        assert told == (not gate_row or gate_row[0].skipped)


def test_a_question_of_any_length_is_weighed(corpus: Corpus, encoder: BigramEncoder) -> None:
    read: list[str] = []

    class Limited(BigramEncoder):
        def token_states(
            self, texts: Sequence[str], *, question: bool, stop: threading.Event | None = None
        ) -> tuple[TokenStates, ...]:
            read.extend(texts)
            if any(len(text) > self.limit for text in texts):
                raise ChunkTooLong(en="too long", zh="过长")
            return super().token_states(texts, question=question, stop=stop)

    limited = Limited(limit=400, facts=encoder.facts)
    found = run(corpus, FakeModels(limited, None))
    long = replace(found, question="我想问一下。" * 150 + QUESTION)
    weighed = gate(long, corpus.documents, limited, 0.5)
    assert weighed is not None and max(map(len, read)) <= 400 and any(text.endswith(QUESTION) for text in read)
