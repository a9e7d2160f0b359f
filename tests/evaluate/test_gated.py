"""An answer that the gate refused is diagnosed as that, not as a model that misread its evidence."""

import random
from dataclasses import replace

import pytest

from rag.config import DEFAULT_ENCODER, GenerateSettings
from rag.evaluate.diagnose import diagnose
from rag.types import PUBLIC
from tests.evaluate.healthy import KnowingEncoder, Line, healthy


def line(seed: int, below: float) -> Line:
    drawn = healthy(random.Random(seed))
    weighing = KnowingEncoder(facts=(("model", DEFAULT_ENCODER),))
    gated = replace(drawn.settings, generate=replace(drawn.settings.generate, refuse=True, refuse_below=below))
    return replace(drawn, settings=gated, encoder=weighing)


@pytest.mark.parametrize("seed", range(5))
def test_a_refusal_of_the_gate_names_its_setting(seed: int) -> None:
    outcome, corpus = line(seed, 1.0).run()
    answered = outcome.answered("retrieved")
    assert answered is not None
    assert answered.judged.verdict == "refused"
    found = diagnose(outcome, corpus, PUBLIC)
    assert found is not None
    if found.step == "answer":  # else the evidence was not even packed
        assert found.cause == "refused"
        assert "refuse_below" in found.advice.en and "refuse_below" in found.advice.zh


def test_the_gate_is_not_blamed_where_it_let_everything_pass() -> None:
    outcome, corpus = line(0, 0.0).run()
    found = diagnose(outcome, corpus, PUBLIC)
    assert found is None or "refuse_below" not in found.advice.en
    assert GenerateSettings().refuse
