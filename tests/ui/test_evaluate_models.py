"""A run on the Evaluate tab begins with the models that its settings read with, or says which is not there."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import gradio as gr
import pytest

from rag.errors import ModelLoading, ModelUnavailable
from tests.ui.evaluate_kit import ROWS, Evaluator, jsonl
from tests.ui.fakes import page_app


class Reader:
    """A cross-encoder that turns the order round."""

    name = "reader"

    def scores(self, question: str, passages: list[str], stop: object) -> tuple[list[float], int]:
        return [float(i) for i in range(len(passages))], 0


def absent(kind: Callable[..., Exception]) -> Callable[[], Any]:
    def raises() -> Any:
        raise kind(en="no reranker", zh="没有重排模型")

    return raises


@pytest.mark.parametrize("changed", [{"rerank": "cross"}, {"first": "select.rerank", "first_values": "overlap, cross"}])
def test_no_run_without_the_reranker_it_measures(tmp_path: Path, changed: dict[str, Any]) -> None:
    app, models = page_app(tmp_path)
    try:
        visitor = Evaluator(app)
        visitor.bring(jsonl(*ROWS))
        for kind in (ModelLoading, ModelUnavailable):
            models.reranker = absent(kind)  # type: ignore[attr-defined]
            with pytest.raises(gr.Error, match="没有重排模型"):
                visitor.run(**changed)
            assert visitor.visit.experiment is None
            visitor.run()  # without it nothing is in the way
            visitor.visit.experiment = None
        models.reranker = Reader  # type: ignore[attr-defined]
        visitor.run(**changed)
        assert visitor.visit.experiment is not None
        (*_, last) = visitor.visit.experiment.runs
        steps = [s for o in last.outcomes for s in o.retrieval.trace.steps if s.name == "rerank"]
        assert len(steps) == len(ROWS) and not any(step.skipped for step in steps)
    finally:
        app.close()


@pytest.mark.parametrize("changed", [{"rerank": "likelihood"}, {"second_round": True}])
def test_no_run_without_the_generator_it_measures(tmp_path: Path, changed: dict[str, Any]) -> None:
    app, _ = page_app(tmp_path, generator=False)
    try:
        visitor = Evaluator(app)
        visitor.bring(jsonl(*ROWS))
        with pytest.raises(gr.Error, match="没有模型"):
            visitor.run(**changed)
        visitor.run()
    finally:
        app.close()
