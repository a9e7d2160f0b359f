"""The gate's numbers are those that the script fits on the sample questions, and it fits what it says."""

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize

from rag.ask.gate import AFTER, BEFORE
from rag.config import GenerateSettings
from tests.bench.refusal import AT, PENALTY, Row, fit, mixes

ROWS = [Row(**row) for row in json.loads((Path(__file__).parent / "gate_signals.json").read_text("utf-8"))]


def test_the_numbers_that_are_shipped_are_those_of_the_fit() -> None:
    for shipped, found in zip((BEFORE, AFTER), mixes(ROWS), strict=True):
        assert shipped.intercept == pytest.approx(found.mix.intercept, abs=6e-4)
        assert list(shipped.signals) == list(found.mix.signals)
        for name, numbers in shipped.signals.items():
            assert numbers == pytest.approx(found.mix.signals[name], abs=6e-4)
    assert AT == GenerateSettings().refuse_below


def test_the_fit_is_the_least_of_the_penalised_loss() -> None:
    rng = np.random.default_rng(1)
    x, y, weight = rng.normal(size=(60, 3)), (rng.random(60) < 0.4).astype(float), rng.random(60) + 0.5

    def loss(beta: np.ndarray) -> float:
        odds = x @ beta[:-1] + beta[-1]
        return float((weight * (np.logaddexp(0, odds) - y * odds)).sum() + PENALTY * (beta[:-1] ** 2).sum() / 2)

    assert fit(x, y, weight) == pytest.approx(minimize(loss, np.zeros(4), tol=1e-12).x, abs=1e-4)


def test_few_right_answers_are_lost_and_many_questions_without_one_refused() -> None:
    """On the rows it was fitted on: a bound that a broken signal would leave, not a figure."""
    before, after = mixes(ROWS)
    right = [r for r in ROWS if r.right and r.answerable]
    without = [r for r in ROWS if r.kind == "none"]
    assert np.mean([before.p(r) < AT or after.p(r) < AT for r in right]) <= 0.12
    assert np.mean([r.refuses or before.p(r) < AT or after.p(r) < AT for r in without]) >= 0.65
    assert {"kind", "of", "signals", "right", "refuses"} == set(asdict(ROWS[0]))
