"""When the last retrieval will do for the answer, and when a model has come since that makes a better one."""

import threading
from pathlib import Path

import pytest

from rag.config import SelectSettings, Settings
from rag.errors import ChunkTooLong, ModelLoading
from tests.pipeline_kit import note
from tests.workspace_kit import Line, last, make, write_samples


@pytest.fixture
def line(tmp_path: Path) -> Line:
    return make(write_samples(tmp_path))


class Crossed:
    """A cross-encoder that turns the order round."""

    name = "crossed"

    def scores(self, question: str, passages: list[str], stop: threading.Event) -> tuple[list[float], int]:
        return [float(i) for i in range(len(passages))], 0


def test_a_retrieval_whose_reranker_was_on_its_way_is_not_reused_once_it_is_there(line: Line) -> None:
    workspace, models, _ = line
    there: list[Crossed] = []

    def reranker() -> Crossed:
        if not there:
            raise ModelLoading(en="on its way", zh="正在加载")
        return there[0]

    models.reranker = reranker  # type: ignore[attr-defined]
    workspace.configure(Settings(select=SelectSettings(rerank="cross")))
    found = workspace.retrieve("年假有几天？")
    assert [s.skipped for s in found.trace.steps if s.name == "rerank"] == [True]
    assert workspace.fresh("年假有几天？")  # searching again now would give the same
    there.append(Crossed())
    assert not workspace.fresh("年假有几天？")
    final = last(workspace.answer("年假有几天？", threading.Event()))
    assert [s.skipped for s in final.trace.steps if s.name == "rerank"] == [False]
    assert workspace.fresh("年假有几天？")


def test_a_retrieval_without_the_encoder_is_not_reused_once_it_is_there(line: Line) -> None:
    workspace, models, _ = line
    encoder, models._encoder = models._encoder, None
    workspace.retrieve("年假有几天？")
    assert workspace.fresh("年假有几天？")
    models._encoder = encoder
    assert not workspace.fresh("年假有几天？")


def test_a_question_that_is_too_long_for_the_encoder_is_not_searched_again_for_its_answer(line: Line) -> None:
    workspace, models, _ = line

    class Short:
        facts = (("model", "short"),)

        def encode_query(self, texts: list[str]) -> None:
            raise ChunkTooLong(en="too long", zh="太长")

    models._encoder = Short()  # type: ignore[assignment]
    found = workspace.retrieve("年假有几天？")
    assert "dense" in [s.name for s in found.trace.steps if s.skipped] and found.candidates
    assert workspace.fresh("年假有几天？")
    assert "too long" in note(last(workspace.answer("年假有几天？", threading.Event())), "dense")
