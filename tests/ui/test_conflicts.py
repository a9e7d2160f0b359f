"""What the page says under an answer of other versions and of sources that contradict each other."""

from typing import Any

import gradio as gr
import pytest

from rag.types import Answer, Difference, Document, Prompt, Side, Trace
from rag.ui.conflicts import remarks, side_view
from tests.ui.fakes import QUESTION, Client, last
from tests.ui.markup import PAYLOADS, harmless

NEW = "# 年假管理办法\n\n版本：2026-10\n生效日期：2026-10-01\n\n第四条 员工入职满一年后，每年可享受15天带薪年假。\n"
OLD = NEW.replace("2026-10-01", "2025-01-01").replace("2026-10", "2025-01").replace("15天", "10天")


def answer_with(*differences: Difference) -> Answer:
    prompt = Prompt((), "", (), (), (), (), 10)
    return Answer("", (), (), prompt, Trace((), (), ""), True, "end", 1, 0.1, 0.2, differences=differences)


def asked(visitor: Client) -> dict[Any, Any]:
    visitor.upload("leave.md", NEW.encode())
    visitor.upload("leave-2025.md", OLD.encode(), "beside")
    last(visitor.questions.ask(visitor.values(QUESTION), visitor.request))
    return last(visitor.questions.write(visitor.request))


def press(visitor: Client, n: object, which: object) -> str:
    event = gr.EventData(None, {"n": n, "which": which})
    return str(visitor.questions.open_difference(visitor.request, event)[visitor.page.answer.source])


def test_the_other_version_is_named_with_its_value_and_opens_at_it(visitor: Client) -> None:
    shown = asked(visitor)
    said = shown[visitor.page.answer.remarks]
    harmless(said)
    assert "《年假管理办法》2025-01 版此处为 10天；本回答依据 2026-10 版：15天 [S1]" in said
    there, here = press(visitor, 0, "there"), press(visitor, 0, "here")
    assert '<mark class="chunk hit word">10天</mark>' in there and "2025-01" in there
    assert '<mark class="chunk hit word">15天</mark>' in here
    for n, which in ((1, "there"), (-1, "here"), (0, "<b>")):
        with pytest.raises(gr.Error):
            press(visitor, n, which)


def test_the_remarks_go_with_the_next_question(visitor: Client) -> None:
    assert asked(visitor)[visitor.page.answer.remarks]
    first = next(iter(visitor.questions.ask(visitor.values("今天天气？"), visitor.request)))
    assert first[visitor.page.answer.remarks] == ""


def test_a_contradiction_names_both_sources_with_their_values() -> None:
    a, b = (
        Document(k, "", f"{k}@", "own", title, "", f"每晚{n}元")
        for k, title, n in (("a", "制度", 600), ("b", "指南", 500))
    )
    difference = Difference("source", "S1", Side(a.key, 0, 6, ((2, 6),)), Side(b.key, 0, 6, ((2, 6),)), True, "S2")
    for language, said in (
        ("zh", "[S1]《制度》为 600元，[S2]《指南》为 500元"),
        ("en", "[S1] “制度” says 600元, [S2] “指南” says 500元"),
    ):
        assert said in remarks(answer_with(difference), {a.key: a, b.key: b}, language)  # type: ignore[arg-type]
    assert remarks(answer_with(difference), {a.key: a}, "zh") == ""  # a document that was removed is not named
    assert remarks(answer_with(), {}, "zh") == ""


def test_nothing_of_a_document_becomes_html() -> None:
    for payload in PAYLOADS:
        one = Document("a", payload, "a@1", "own", payload, payload, payload)
        side = Side(one.key, 0, len(payload), ((0, len(payload)),))
        for kind in ("version", "source"):
            said = answer_with(Difference(kind, "S1", side, side, True, "S2"))  # type: ignore[arg-type]
            harmless(remarks(said, {one.key: one}, "zh"))


def test_there_is_nothing_to_open_without_document_or_chunk() -> None:
    from rag.config import SplitSettings
    from rag.corpus.index import build

    one = Document("a", "", "a@1", "own", "制度", "", "每晚600元，凭发票报销。")
    corpus = build([one], SplitSettings(), None)
    here, gone = Side(one.key, 0, 5, ()), Side("b@1", 0, 5, ())
    said = answer_with(Difference("version", "S1", here, gone, True))
    assert side_view(said, 0, "there", corpus, "zh") is None
    assert "每晚600" in str(side_view(said, 0, "here", corpus, "zh"))
