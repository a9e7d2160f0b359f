"""What the handlers of the page do with what a browser sends, over stand-in models and the real workspace."""

import random
import threading
import time
from pathlib import Path
from typing import Any

import gradio as gr
import pytest

from rag.config import Settings
from rag.ui.app import App, sweep
from rag.ui.wiring import groups as written_together
from tests.hostile import text as hostile_text
from tests.ui.fakes import QUESTION, Client, Visitor, last, page_app


def test_every_output_of_a_handler_is_declared(app: App) -> None:
    """Gradio drops what a handler returns for a component that is not among the event's outputs: with an error."""
    client = Client(app, "declared")
    groups = {k: set(v) for k, v in written_together(client.page).items()}
    loaded = client.corpus.load(client.request)
    assert set(loaded) <= groups["corpus"] | groups["found"] | groups["answer"] | groups["options"] | {
        client.page.models, client.page.timer, client.page.question, client.page.examples, client.page.tabs,
        client.page.documents.again,
    }  # fmt: skip
    asked = last(client.questions.ask(client.values(), client.request))
    light = {client.page.tabs, client.page.timer, client.page.candidates.progress}
    assert set(asked) <= groups["corpus"] | groups["answer"] | light
    assert set(last(client.questions.look(client.request))) <= groups["found"]


def test_the_line_from_question_to_source(visitor: Client) -> None:
    last(visitor.questions.ask(visitor.values(), visitor.request))
    found = last(visitor.questions.look(visitor.request))
    rows = found[visitor.page.candidates.table]["data"]
    assert rows[0][0] == 1 and "15天" in "".join(map(str, rows[0]))
    assert QUESTION in found[visitor.page.prompt.text]
    written = last(visitor.questions.write(visitor.request))
    kinds = [p["k"] for p in written[visitor.page.answer.answer]]
    assert "model" in kinds and "invalid" in kinds and "mark" in kinds
    cite = next(p for p in written[visitor.page.answer.answer] if p["k"] == "model")
    event = gr.EventData(None, {"marker": cite["m"], "start": int(cite["at"])})
    source = visitor.questions.open_citation(visitor.request, event)[visitor.page.answer.source]
    assert "年假管理办法" in source and 'class="hit' in source.replace("chunk hit", "hit")


def test_the_question_in_the_address_and_the_visitors_language(app: App) -> None:
    client = Client(app, "address")
    for accept, word in (("zh-TW", "示例制度"), ("en-GB", "sample policies")):
        request = Visitor(f"address-{accept}", accept, "q=%3Cb%3E&tab=prompt").request()
        loaded = client.corpus.load(request)
        assert loaded[client.page.question] == "<b>"
        assert loaded[client.page.tabs].selected == "prompt"
        assert word in loaded[client.page.documents.searching]
    odd = client.corpus.load(Visitor("address-x", "en", "tab=<script>").request())
    assert odd[client.page.tabs].selected == "documents"


def test_one_session_sees_nothing_of_another(app: App) -> None:
    a, b = Client(app, "apart-a"), Client(app, "apart-b")
    a.upload("secret.txt", "蓝鲸项目预算九百万。".encode())
    key = a.workspace.own_documents()[0].key
    for call in (
        lambda: b.remove(key),
        lambda: b.documents.choose(key, b.request),
        lambda: b.chunks.preview(key, "fixed", 100, 10, b.request),
    ):
        with pytest.raises(gr.Error):
            call()
    assert "蓝鲸" not in str(b.corpus.load(b.request)) and "secret" not in str(b.corpus.load(b.request))
    assert "九百万" not in str(last(b.questions.retrieve(b.values("蓝鲸项目预算"), b.request)))


@pytest.mark.parametrize("key", [None, "", "x@1", 5, [], {"a": 1}, "<b>"])
def test_odd_keys_and_splits_end_in_a_plain_message(visitor: Client, key: Any) -> None:
    event = gr.EventData(None, {})
    event.row_value = [1]
    for call in (
        lambda: visitor.remove(key),
        lambda: visitor.documents.choose(key, visitor.request),
        lambda: visitor.documents.choose_view(key, "as_read", visitor.request),
        lambda: last(visitor.documents.save(key, "t", "", "", "", visitor.request)),
        lambda: visitor.chunks.choose_row(key, "", visitor.request, event),
        lambda: visitor.chunks.choose(key, 1, "", visitor.request),
        lambda: visitor.chunks.choose_page(key, 1, "", visitor.request),
        lambda: visitor.chunks.choose_section(key, 1, "", visitor.request),
        lambda: visitor.chunks.search(key, "年假", None, visitor.request),
        lambda: visitor.chunks.choose_rows(key, False, 1, visitor.request),
        lambda: visitor.chunks.save_csv(key, visitor.request),
    ):
        with pytest.raises(gr.Error, match="已不存在"):
            call()
    known = next(iter(visitor.workspace.corpus().documents))
    for odd in ((known, key, 100, 10), (known, "fixed", key, 10), (known, "fixed", 100, 100)):
        with pytest.raises(gr.Error, match="设置"):
            visitor.chunks.preview(*odd, visitor.request)


def test_a_visit_whose_page_is_gone_is_forgotten_by_gradio_too(tmp_path: Path) -> None:
    app, _ = page_app(tmp_path)
    client = Client(app, "gone")
    client.upload("a.txt", "每年3天。".encode())
    app.demo.state_holder.session_data["gone"] = object()
    app.sessions._grace_s = 0
    client.corpus.leave(client.request)
    sweep(app)
    assert "gone" not in app.demo.state_holder.session_data and len(app.sessions) == 0
    assert not client.workspace.own_documents()
    app.close()


def test_a_request_without_a_session_is_refused(visitor: Client) -> None:
    request = Visitor("", "en").request()
    with pytest.raises(gr.Error, match="Reload"):
        visitor.corpus.tick(request)


@pytest.mark.parametrize("data", [None, {}, {"index": [0, 0]}])
def test_an_event_without_its_data_ends_in_a_plain_message(
    visitor: Client, caplog: pytest.LogCaptureFixture, data: object
) -> None:
    """As with a request that no page makes."""
    known, event = next(iter(visitor.workspace.corpus().documents)), gr.EventData(None, data)
    last(visitor.questions.ask(visitor.values(), visitor.request))
    last(visitor.questions.write(visitor.request))
    for call in (
        lambda: visitor.documents.turn(known, "cleaned", visitor.request, event),
        lambda: visitor.chunks.turn(known, "", visitor.request, event),
        lambda: visitor.chunks.turn_preview(known, "fixed", 100, 10, visitor.request, event),
        lambda: visitor.chunks.choose_row(known, "", visitor.request, event),
        lambda: visitor.questions.choose_example(visitor.request, event),
        lambda: visitor.candidates.choose_row(visitor.request, event),
        lambda: visitor.candidates.choose_point(visitor.request, event),
        lambda: visitor.questions.open_citation(visitor.request, event),
    ):
        with pytest.raises(gr.Error, match="哪一处|没有这个切块|已不存在"):
            call()
    assert caplog.text == ""


def test_no_press_is_lost_and_every_error_is_shown(app: App) -> None:
    """Gradio's "once" drops it. Only what nobody presses may be so; a second draft while one is made is refused by design."""
    once = {
        (target[1], app.demo.fns[d["id"]].name)
        for d in app.demo.config["dependencies"]
        for target in d["targets"]
        if d["trigger_mode"] == "once" and d["backend_fn"]
    }
    assert once == {("unload", "leave"), ("tick", "tick"), ("click", "draft")}
    unqueued = {f.name for f in app.demo.fns.values() if f.fn is not None and f.queue is False}
    assert unqueued == set()  # of those the page would not show the message of an error


@pytest.mark.parametrize("value", [None, -1, 0, 10**12, float("nan"), "1; drop", [], {}, True])
def test_odd_numbers_from_a_browser_end_in_a_plain_message(visitor: Client, value: object) -> None:
    last(visitor.questions.retrieve(visitor.values(), visitor.request))
    if value is not True:  # true is 1 for a browser's number too
        with pytest.raises(gr.Error, match="已不存在"):
            visitor.candidates.choose(value, visitor.request)
    with pytest.raises(gr.Error, match="已不存在"):
        event = gr.EventData(None, {"marker": value, "start": value})
        visitor.questions.open_citation(visitor.request, event)
    rows = gr.EventData(None, {})
    rows.row_value = [value]
    if value is not True:
        with pytest.raises(gr.Error, match="已不存在"):
            visitor.candidates.choose_row(visitor.request, rows)


def test_settings_are_checked_with_their_message_and_nothing_is_lost(visitor: Client) -> None:
    note = visitor.page.settings.note
    for changed, said in (
        ({"overlap": 400}, "overlap"),
        ({"as_of": "2026-13-01"}, "as_of"),
        ({"size": None}, "size"),
        ({"mode": "<b>"}, "mode"),
        ({"threshold": "halb"}, "threshold"),
        ({"threshold": "2"}, "threshold"),
        ({"threshold": "nan"}, "threshold"),
        ({"temperature": 9}, "temperature"),
        ({"size": float("nan")}, "size"),
        ({"depth": float("inf")}, "depth"),
        ({"top_p": float("nan")}, "top_p"),
        ({"packed": 10**400}, "packed"),
    ):
        told = visitor.questions.check_settings(visitor.values(**changed), visitor.request)[note]
        assert said in told and "notice error" in told and "<b>" not in told
        with pytest.raises(gr.Error):
            last(visitor.questions.retrieve(visitor.values(**changed), visitor.request))
    assert visitor.workspace.settings == Settings()
    told = visitor.questions.check_settings(visitor.values(size=100), visitor.request)[note]
    assert "重新建立索引" in told


def test_a_changed_split_is_in_effect_with_the_next_question(visitor: Client) -> None:
    visitor.upload("long.txt", ("第一条 每年15天。" * 60).encode())
    before = len(visitor.workspace.corpus().chunks)
    last(visitor.questions.retrieve(visitor.values(size=60, overlap=0), visitor.request))
    assert len(visitor.workspace.corpus().chunks) > before
    assert visitor.workspace.asked().retrieval.trace.settings[1] == ("split.size", "60")  # type: ignore[union-attr]


def test_preview_rebuilds_nothing_and_apply_does(visitor: Client) -> None:
    visitor.upload("long.txt", ("第一条 每年15天。" * 60).encode())
    corpus = visitor.workspace.corpus()
    key = next(iter(corpus.documents))
    told = visitor.chunks.preview(key, "fixed", 50, 10, visitor.request)[visitor.page.chunks.compared]
    assert visitor.workspace.corpus() is corpus and "试用" in told and told.count("<section>") == 2
    tab = visitor.page.chunks
    tried = {tab.strategy: "fixed", tab.size: 50, tab.overlap: 10}
    shown = last(visitor.chunks.apply_split(visitor.values() | tried, visitor.request))
    assert shown[visitor.page.settings.size] == 50
    assert {c.end - c.start for c in visitor.workspace.corpus().chunks[:-1]} == {50}


def test_hostile_questions_and_files_never_reach_the_page_unescaped(visitor: Client) -> None:
    for seed in range(15):
        rng = random.Random(seed)
        visitor.upload("x.txt", hostile_text(rng).encode("utf-8", "ignore") + b"<img src=x onerror=alert(1)>")
        question = hostile_text(rng)[:300] + "<img src=x onerror=alert(1)>"
        found = last(visitor.questions.ask(visitor.values(question), visitor.request))
        found |= last(visitor.questions.look(visitor.request))
        visual = {k: v for k, v in found.items() if isinstance(k, gr.HTML) and isinstance(v, str)}
        assert visual and not [v for v in visual.values() if "<img" in v or "<script" in v]
        for key in [d.key for d in visitor.workspace.own_documents()]:
            list(visitor.workspace.remove(key, threading.Event()))


def test_a_bug_is_one_plain_sentence_and_logged_without_its_message(
    visitor: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise KeyError("蓝鲸项目")

    monkeypatch.setattr(visitor.workspace, "retrieve", broken)
    with pytest.raises(gr.Error, match="已记录") as caught:
        last(visitor.questions.retrieve(visitor.values(), visitor.request))
    assert "蓝鲸" not in str(caught.value) and "蓝鲸" not in caplog.text
    assert "KeyError" in caplog.text and "test_handlers.py" in caplog.text


def test_stop_takes_effect_within_half_a_second_also_before_the_first_token(tmp_path: Path) -> None:
    app, _ = page_app(tmp_path, before=30)
    try:
        client = Client(app)
        last(client.questions.ask(client.values(), client.request))
        seen: list[float] = []

        def write() -> None:
            last(client.questions.write(client.request))
            seen.append(time.perf_counter())

        thread = threading.Thread(target=write)
        thread.start()
        time.sleep(0.5)
        began = time.perf_counter()
        shown = client.questions.stop(client.request)
        assert "已停止" in shown[client.page.answer.status]
        thread.join(5)
        assert seen and seen[0] - began <= 0.5
    finally:
        app.close()


def test_without_a_generator_candidates_and_messages_are_still_shown(tmp_path: Path) -> None:
    app, _ = page_app(tmp_path, generator=False)
    client = Client(app)
    loaded = client.corpus.load(client.request)
    assert "无法生成回答" in loaded[client.page.models]
    last(client.questions.ask(client.values(), client.request))
    found = last(client.questions.look(client.request))
    assert found[client.page.candidates.table]["data"] and QUESTION in found[client.page.prompt.messages]
    with pytest.raises(gr.Error):
        last(client.questions.write(client.request))
    app.close()


def test_without_an_encoder_the_page_says_that_search_is_lexical(tmp_path: Path) -> None:
    app, _ = page_app(tmp_path, encoder=False)
    client = Client(app)
    assert "只能按词汇检索" in client.corpus.load(client.request)[client.page.models]
    rows = last(client.questions.retrieve(client.values(), client.request))[client.page.candidates.table]["data"]
    assert rows and all(row[2] is None for row in rows)
    app.close()


def test_while_models_load_the_page_says_so_and_polls(tmp_path: Path) -> None:
    app, models = page_app(tmp_path)
    models.loading.set()
    client = Client(app)
    assert client.page.timer not in client.corpus.load(client.request)
    models.loading.clear()
    assert client.corpus.tick(client.request)[client.page.timer].active is False
    app.close()


def test_retrieve_empties_the_answer_to_the_last_question(app: App) -> None:
    client = Client(app, "stale")
    client.corpus.load(client.request)
    first, *_, found = client.questions.retrieve(client.values(), client.request)
    assert first[client.page.answer.answer] == [] and first[client.page.answer.source]
    assert client.page.answer.answer not in found and found[client.page.answer.steps]
    assert client.page.settings.note in found  # what followed from a changed setting has followed
