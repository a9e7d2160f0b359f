"""What the page says of a refusal, and the button that asks for an answer anyway."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import gradio as gr
import pytest

from rag.ask.rules import NOT_FOUND
from rag.config import DEFAULT_ENCODER
from rag.errors import Language
from rag.types import Answer
from rag.ui.app import App
from rag.ui.gate import show_gate
from rag.ui.render import escape
from rag.ui.strings import TABLE
from tests.fake_models import BigramEncoder
from tests.ui.fakes import Client, last, page_app
from tests.ui.markup import PAYLOADS, harmless, untagged


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """Its stand-in encoder says that it is the one whose numbers the gate has."""
    made, models = page_app(tmp_path_factory.mktemp("samples"))
    encoder = models.encoder()
    assert isinstance(encoder, BigramEncoder)
    encoder.facts = (("model", DEFAULT_ENCODER),)
    yield made
    made.close()


def asked(visitor: Client, **settings: object) -> dict[Any, Any]:
    last(visitor.questions.ask(visitor.values(**settings), visitor.request))
    return last(visitor.questions.write(visitor.request))


def last_answer(visitor: Client) -> Answer:
    held = visitor.workspace.asked()
    assert held is not None and held.answer is not None
    return held.answer


def pieces(shown: dict[Any, Any], visitor: Client) -> str:
    return "".join(piece.get("t", "") for piece in shown[visitor.page.answer.answer])


def test_a_refusal_says_why_and_what_came_nearest_and_is_answered_anyway(visitor: Client) -> None:
    shown = asked(visitor, refuse=True, refuse_below=1.0)
    view = visitor.page.gate
    assert pieces(shown, visitor) == NOT_FOUND["zh"]
    assert shown[view.anyway].visible
    assert "拒答" in shown[view.why]
    assert "<li>" in shown[view.why]
    anyway = last(visitor.questions.answer_anyway(visitor.request))
    assert "15天" in pieces(anyway, visitor)
    assert not anyway[view.anyway].visible
    assert anyway[view.why] == ""
    answer = visitor.workspace.asked()
    assert answer is not None and answer.answer is not None
    # the settings are those its prompt was made with, which asks nobody to refuse; that the gate was passed by is a row
    assert answer.answer.trace.settings_hash == answer.retrieval.trace.settings_hash
    assert ("generate.refuse", "True") in answer.answer.trace.settings
    assert answer.answer.prompt == answer.retrieval.prompt
    assert NOT_FOUND["zh"] not in answer.answer.prompt.messages[0].content
    [row] = [step for step in answer.answer.trace.steps if step.name == "gate"]
    assert row.skipped and "无论" in row.note.zh
    assert visitor.workspace.settings.generate.refuse  # the next question is weighed again


def test_what_passes_shows_its_signals_and_no_button(visitor: Client) -> None:
    shown = asked(visitor, refuse=True, refuse_below=0.0)
    assert "15天" in pieces(shown, visitor)
    assert "<details" in shown[visitor.page.gate.why]
    assert not shown[visitor.page.gate.anyway].visible


def test_a_quotation_says_why_it_stands_there_and_what_was_written_stays(tmp_path: Path) -> None:
    made, models = page_app(tmp_path, reply="明天会下雨<script>。")
    encoder = models.encoder()
    assert isinstance(encoder, BigramEncoder)
    encoder.facts = (("model", DEFAULT_ENCODER),)
    try:
        visitor = Client(made)
        shown = asked(visitor, refuse=True, refuse_below=0.0)
        said = shown[visitor.page.gate.why]
        assert TABLE["gate.unsupported"].zh in said and "逐字摘录，未必答得上问题" in said and "<details" in said
        assert "模型所写内容有据的概率" in said  # not that of what is shown
        assert TABLE["finish.quoted"].zh in shown[visitor.page.answer.status]
        assert "15天" in pieces(shown, visitor) and "下雨" not in pieces(shown, visitor)
        harmless(shown[visitor.page.answer.withdrawn])
        assert "明天会下雨" in untagged(shown[visitor.page.answer.withdrawn])
        assert not shown[visitor.page.gate.anyway].visible
        raw = asked(visitor, refuse=False)
        assert "明天会下雨" in pieces(raw, visitor) and raw[visitor.page.answer.withdrawn] == ""
    finally:
        made.close()


def test_while_it_is_written_the_line_says_that_it_will_be_checked(visitor: Client) -> None:
    for refuse in (True, False):
        last(visitor.questions.ask(visitor.values(refuse=refuse, refuse_below=0.0), visitor.request))
        *growing, end = list(visitor.questions.write(visitor.request))
        lines = [shown[visitor.page.answer.status] for shown in growing if visitor.page.answer.status in shown]
        told = [TABLE["answer.to_check"].zh in line for line in lines]
        assert any(told) == refuse
        assert TABLE["answer.to_check"].zh not in end[visitor.page.answer.status]


def test_a_gate_that_is_off_says_nothing(visitor: Client) -> None:
    shown = asked(visitor, refuse=False)
    assert shown[visitor.page.gate.why] == ""


def test_there_is_nothing_to_answer_anyway_before_a_question(app: App) -> None:
    fresh = Client(app, "nothing asked")
    with pytest.raises(gr.Error):
        last(fresh.questions.answer_anyway(fresh.request))


@pytest.mark.parametrize("payload", PAYLOADS)
def test_words_of_files_are_escaped(visitor: Client, payload: str) -> None:
    asked(visitor, refuse=True, refuse_below=1.0)
    held = visitor.workspace.asked()
    assert held is not None and held.answer is not None
    answer: Answer = held.answer
    packed = tuple(replace(e, heading=payload) for e in answer.prompt.packed)
    documents = {key: replace(d, text=payload * 50) for key, d in held.corpus.documents.items()}
    odd = replace(answer, prompt=replace(answer.prompt, packed=packed))
    html = show_gate(visitor.page.gate, odd, documents, "zh")[visitor.page.gate.why]
    harmless(html)
    assert escape(payload) in html


@pytest.mark.parametrize(("language", "carried"), [("zh", "回答有据的概率"), ("en", "The answer is carried")])
def test_the_line_says_what_was_weighed_and_the_caption_names_no_place_of_a_row(
    visitor: Client, language: Language, carried: str
) -> None:
    """Two of three signals are shown, before the answer others than after it: "the third" would be none of them."""
    asked(visitor, refuse=True, refuse_below=0.0)
    held = visitor.workspace.asked()
    assert held is not None and held.answer is not None and held.answer.gate is not None
    weighed = held.answer.gate
    for written in (False, True):
        answer = replace(held.answer, gate=replace(weighed, written=written), quoted=None)
        html = show_gate(visitor.page.gate, answer, held.corpus.documents, language)[visitor.page.gate.why]
        assert (carried in html) == written
        assert "third" not in html and "第三" not in html and "first two" not in html and "前两" not in html


def test_a_refusal_before_anything_was_written_is_no_done_with_zero_tokens(visitor: Client) -> None:
    shown = asked(visitor, refuse=True, refuse_below=1.0)
    line = shown[visitor.page.answer.status]
    assert "未生成回答" in line and "token" not in line and "完成" not in line
    anyway = last(visitor.questions.answer_anyway(visitor.request))
    assert "完成" in anyway[visitor.page.answer.status]
