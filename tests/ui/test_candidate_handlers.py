"""What a visitor does on the Candidates tab, handler by handler."""

import re
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import gradio as gr
import numpy as np
import pytest

from rag.ask.search import vectors_of
from rag.models.tokens import TokenStates
from rag.ui.app import App
from tests.ui.fakes import QUESTION, Client, PageModels, last, page_app

OTHER = "办公设备每年可以报销多少元？"


@pytest.fixture
def line(tmp_path: Path) -> Iterator[tuple[App, PageModels]]:
    made = page_app(tmp_path)
    yield made
    made[0].close()


def found(client: Client, question: str = QUESTION, **changed: object) -> dict[Any, Any]:
    return last(client.questions.retrieve(client.values(question, **changed), client.request))


def test_rows_are_filtered_and_the_list_holds_the_same(line: tuple[App, PageModels]) -> None:
    client = Client(line[0])
    tab = client.page.candidates
    shown = found(client)
    assert len(shown[tab.table]["data"]) == 2 and shown[tab.count] == ""
    shown = client.candidates.choose_rows("设备", "all", "rank", 1, client.request)
    assert [row[10] for row in shown[tab.table]["data"]] == ["设备报销制度"] and "1" in shown[tab.count]
    assert [rank for _, rank in shown[tab.pick].choices] == [shown[tab.table]["data"][0][0]]
    assert shown[tab.pick].value is None  # the candidate that is open is not in the list
    shown = client.candidates.choose_rows(None, "no such", ["odd"], 2, client.request)
    assert len(shown[tab.table]["data"]) == 2 and shown[tab.pick].value == 2
    shown = client.candidates.choose_rows("没有这样的文字", "packed", "dense", 1, client.request)
    assert shown[tab.table]["data"] == [] and shown[tab.pick].value is None
    assert (
        Client(line[0], "two").candidates.choose_rows("", "all", "rank", 1, Client(line[0], "two").request) == gr.skip()
    )


def test_tokens_are_compared_when_a_candidate_was_chosen(line: tuple[App, PageModels]) -> None:
    client = Client(line[0])
    tab = client.page.candidates
    shown = found(client)
    assert "<table" not in shown[tab.pairs]  # nothing is computed before it is asked for
    assert "<table" in client.candidates.choose(1, client.request)[tab.reasons]
    assert "<mark>" in client.candidates.compare_tokens(1, client.request)[tab.pairs]
    with pytest.raises(gr.Error, match="已不存在"):
        client.candidates.compare_tokens(99, client.request)
    line[1]._encoder = None
    assert "warning" in client.candidates.compare_tokens(1, client.request)[tab.pairs]


def test_the_tokens_are_those_of_the_text_that_was_searched(
    line: tuple[App, PageModels], monkeypatch: pytest.MonkeyPatch
) -> None:
    client, encoder = Client(line[0]), line[1].encoder()
    found(client, "ＶＰＮ年假有幾天？")
    read: list[str] = []
    states = encoder.token_states

    def token_states(
        texts: Sequence[str], *, question: bool, stop: threading.Event | None = None
    ) -> tuple[TokenStates, ...]:
        read.extend(texts)
        return states(texts, question=question)

    monkeypatch.setattr(encoder, "token_states", token_states)
    shown = client.candidates.compare_tokens(1, client.request)[client.page.candidates.pairs]
    searched = encoder.questions[-1]
    assert read[0] == searched != "ＶＰＮ年假有幾天？" and f"“{searched}”" in shown


def test_two_retrievals_stand_side_by_side(line: tuple[App, PageModels]) -> None:
    client = Client(line[0])
    tab = client.page.candidates
    assert "<table" not in found(client)[tab.beside]
    shown = found(client, OTHER)[tab.beside]
    assert QUESTION in shown and OTHER in shown and "<table" in shown
    shown = found(client, OTHER, packed=1)[tab.beside]
    assert "放入提示词的证据数: 5 → 1" in shown and QUESTION not in shown
    assert "已留下" in client.candidates.keep(client.request)[tab.beside]
    found(client)
    shown = found(client, "忘记密码怎么办？")[tab.beside]
    assert OTHER in shown and "放入提示词的证据数: 1 → 5" in shown  # the one kept, not the one before
    assert QUESTION in client.candidates.drop(client.request)[tab.beside]
    with pytest.raises(gr.Error, match="请先提问"):
        Client(line[0], "two").candidates.keep(Client(line[0], "two").request)


def test_a_removed_document_is_in_no_comparison(line: tuple[App, PageModels]) -> None:
    client = Client(line[0])
    client.upload("own.txt", "每年3天年假，须提前登记。".encode())
    found(client)
    client.candidates.keep(client.request)
    visit = line[0].sessions.visit("one")
    assert visit.beside.kept and "3天年假" in str(visit.beside.other())
    list(client.workspace.remove(client.workspace.own_documents()[0].key, threading.Event()))
    shown = found(client)[client.page.candidates.beside]
    assert "<table" not in shown and visit.beside.other() is None
    client.upload("own.txt", "每年4天年假。".encode())
    found(client)
    visit.end()
    assert visit.beside.other() is None


def test_the_map_holds_the_question_where_it_was_searched(line: tuple[App, PageModels]) -> None:
    client = Client(line[0])
    client.upload("long.md", "\n\n".join(f"第{i}条 年假与设备报销{i}，" + "须登记。" * 30 for i in range(9)).encode())
    found(client)
    asked = client.workspace.asked()
    assert asked is not None and asked.corpus.dense is not None and asked.retrieval.query is not None
    vector = vectors_of(asked.retrieval.query.legs[:1], line[1].encoder())[0][0]
    row = {chunk.chunk_id: i for i, chunk in enumerate(asked.corpus.chunks)}
    for candidate in asked.retrieval.candidates:  # what is drawn is the vector that the scores came from
        cosine = float(asked.corpus.dense.vectors[row[candidate.chunk.chunk_id]] @ vector)
        assert candidate.cosine == pytest.approx(cosine, abs=1e-5)
    markup = client.candidates.draw(client.request)[client.page.candidates.map]
    assert markup.count("h0") == len(asked.corpus.chunks) >= 3 and 'class="asked"' in markup
    assert markup.count("data-rank") == len(asked.retrieval.candidates)
    event = gr.EventData(None, {"rank": 2})
    assert client.candidates.choose_point(client.request, event)[client.page.candidates.pick].value == 2
    assert np.isfinite([float(x) for x in re.findall(r'c[xy]="([^"]+)"', markup)]).all()
    assert "<svg" not in found(client)[client.page.candidates.map]  # that map was of another question


def test_without_vectors_the_map_says_so(tmp_path: Path) -> None:
    app, _ = page_app(tmp_path, encoder=False)
    try:
        client = Client(app)
        found(client)
        assert "没有可画的向量" in client.candidates.draw(client.request)[client.page.candidates.map]
    finally:
        app.close()
