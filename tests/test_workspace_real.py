"""The main job on the real models: a file in, a cited answer out."""

import re
import threading
from pathlib import Path

import pytest

from rag.corpus.samples import FOLDER, Samples
from rag.models.roles import Models
from rag.types import Answer
from rag.workspace import Upload, Workspace

pytestmark = pytest.mark.model

QUESTION = "入职满一年，每年有多少天带薪年假？"


@pytest.fixture
def workspace(models: Models, tmp_path: Path) -> Workspace:
    return Workspace(Samples(models, tmp_path), models)  # own files only: the samples need not be there


def test_the_annual_leave_question_on_four_documents(workspace: Workspace, models: Models) -> None:
    data = (FOLDER / "handbook.json").read_bytes()
    list(workspace.add([Upload("handbook.json", data)], threading.Event()))
    assert [r.state for r in workspace.reports()] == ["ok"]
    found = workspace.retrieve(QUESTION)
    assert found.candidates[0].chunk.key.startswith("leave-days@")
    assert found.candidates[0].scores["dense"] == pytest.approx(0.94, abs=0.03)  # the title stands in front here
    assert found.prompt is not None
    assert found.prompt.rendered
    answers: list[Answer] = list(workspace.answer(QUESTION, threading.Event()))
    final = answers[-1]
    assert final.prompt is found.prompt
    assert len(answers) > 3  # it streamed
    assert all(b.text.startswith(a.text) for a, b in zip(answers, answers[1:], strict=False))
    assert re.search(r"(?<!\d)15(?!\d)", final.text)
    assert final.finish == "end"
    assert final.done
    cited = [c for c in final.citations if c.chunk_id is not None]
    assert cited
    document = workspace.corpus().documents[found.candidates[0].chunk.key]
    assert any(c.chunk_id == found.candidates[0].chunk.chunk_id for c in cited)
    for citation in cited:
        if citation.chunk_id == found.candidates[0].chunk.chunk_id and citation.span is not None:
            assert "15天" in document.text[slice(*citation.span)]


def test_stop_through_the_workspace_and_again(workspace: Workspace) -> None:
    data = (FOLDER / "handbook.json").read_bytes()
    list(workspace.add([Upload("handbook.json", data)], threading.Event()))
    stop = threading.Event()
    for answer in workspace.answer(QUESTION, stop):
        if answer.n_tokens >= 2:
            stop.set()
    assert (answer.done, answer.finish) == (True, "stopped")
    asked = workspace.asked()
    assert asked is not None and asked.answer == answer
    again = list(workspace.answer(QUESTION, threading.Event()))[-1]
    assert again.finish == "end"
