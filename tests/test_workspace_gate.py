"""The gate on a visitor's way: Stop ends it, and who wants the answer anyway gets it from the prompt as shown."""

import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from rag.ask.rules import NOT_FOUND
from rag.config import DEFAULT_ENCODER, GenerateSettings, Settings
from rag.models.tokens import TokenStates
from rag.workspace import Workspace
from tests.fake_models import BigramEncoder, ReplyGenerator
from tests.workspace_kit import last, make, write_samples

QUESTION = "入职满一年，每年有多少天带薪年假？"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    encoder = BigramEncoder(facts=(("model", DEFAULT_ENCODER),))  # the gate reads with no other
    return make(write_samples(tmp_path), encoder)[0]


def test_stop_while_the_evidence_is_weighed_ends_it_before_anything_is_written(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder, generator, stop = workspace._models.encoder(), workspace._models.generator(), threading.Event()
    read = list[bool]()
    states = encoder.token_states

    def pressed(texts: Sequence[str], *, question: bool, stop: threading.Event) -> tuple[TokenStates, ...]:
        found = states(texts, question=question, stop=stop)
        read.append(question)
        stop.set()  # while the question is read
        return found

    workspace.retrieve(QUESTION)
    monkeypatch.setattr(encoder, "token_states", pressed)
    final = last(workspace.answer(QUESTION, stop))
    assert (final.finish, final.text, final.gate, read) == ("stopped", "", None, [True])
    assert isinstance(generator, ReplyGenerator) and generator.given == []
    again = last(workspace.answer(QUESTION, threading.Event(), anyway=True))
    assert again.finish == "end" and len(generator.given) == 1


def test_an_answer_wanted_anyway_is_written_from_the_prompt_as_shown_and_kept_apart(workspace: Workspace) -> None:
    generator = workspace._models.generator()
    assert isinstance(generator, ReplyGenerator)
    workspace.configure(Settings(generate=GenerateSettings(refuse_below=1.0)))
    found = workspace.retrieve(QUESTION)
    for _ in range(2):  # the second time from the cache
        refused = last(workspace.answer(QUESTION, threading.Event()))
        anyway = last(workspace.answer(QUESTION, threading.Event(), anyway=True))
        assert refused.gate is not None and not refused.gate.enough and refused.text == NOT_FOUND["zh"]
        assert anyway.gate is None and anyway.text == generator.reply
        for answer in (refused, anyway):
            assert answer.prompt == found.prompt and answer.trace.settings == found.trace.settings
            assert answer.trace.settings_hash == found.trace.settings_hash
        assert [s.skipped for s in anyway.trace.steps if s.name == "gate"] == [True]
    assert found.prompt is not None and generator.given == [found.prompt.input_ids]
