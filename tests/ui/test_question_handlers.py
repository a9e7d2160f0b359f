"""One question after another: what is searched again, what is shown again, and what Stop says about which of them."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gradio as gr
import pytest

from rag.config import Settings, SplitSettings
from rag.errors import Bilingual, ModelLoading
from rag.models.roles import RoleStatus, State
from rag.ui import question_handlers
from rag.ui.app import App
from rag.ui.strings import TABLE
from tests.ui.evaluate_kit import PAID, Evaluator, jsonl
from tests.ui.fakes import QUESTION, Client, PageModels, last, page_app


@pytest.fixture
def line(tmp_path: Path) -> Iterator[tuple[App, PageModels]]:
    made = page_app(tmp_path)
    yield made
    made[0].close()


def nothing(shown: Any) -> bool:
    """Whether a handler changes nothing on the page."""
    return bool(shown == gr.skip())


def test_answer_searches_again_only_when_that_would_give_something_else(line: tuple[App, PageModels]) -> None:
    client, questions = Client(line[0]), line[1].encoder().questions
    last(client.questions.retrieve(client.values(), client.request))
    last(client.questions.ask(client.values(f" {QUESTION}\n"), client.request))
    assert len(questions) == 1 and nothing(last(client.questions.look(client.request)))  # Retrieve has drawn it
    last(client.questions.write(client.request))
    last(client.questions.ask(client.values(), client.request))
    assert len(questions) == 1
    before = client.workspace.asked()
    last(client.questions.ask(client.values(packed=1), client.request))
    after = client.workspace.asked()
    assert before is not None and after is not None and after.retrieval != before.retrieval
    assert after.retrieval.prompt is not None and len(after.retrieval.prompt.packed) == 1
    assert len(questions) == 1  # the question's vector is remembered: other settings need no other one
    last(client.questions.retrieve(client.values(packed=1), client.request))
    again = client.workspace.asked()
    assert again is not None and again.retrieval.trace.steps[0].name == "cache"


def test_a_growing_answer_is_shown_at_once_and_then_at_intervals(
    line: tuple[App, PageModels], monkeypatch: pytest.MonkeyPatch
) -> None:
    """However quickly tokens come: each showing takes the cores that write them."""
    client, shown = Client(line[0]), {}
    for refresh, question in ((3600.0, QUESTION), (0.0, "年假有几天？")):
        monkeypatch.setattr(question_handlers, "REFRESH_S", refresh)
        last(client.questions.ask(client.values(question), client.request))
        updates = [u for u in client.questions.write(client.request) if not nothing(u)]
        shown[refresh] = ["".join(piece["t"] for piece in u[client.page.answer.answer]) for u in updates]
    few, every = shown.values()
    assert len(few) == 2 and len(few[0]) == 1 < len(few[1])
    assert len(every) > 10


def test_an_answer_that_is_remembered_says_so(line: tuple[App, PageModels]) -> None:
    client = Client(line[0])
    page = client.page
    last(client.questions.ask(client.values(), client.request))
    first = last(client.questions.write(client.request))
    last(client.questions.ask(client.values(), client.request))
    again = last(client.questions.write(client.request))
    assert again[page.answer.answer] == first[page.answer.answer] and len(line[1].generator().given) == 1
    assert "缓存" not in str(first[page.answer.status])
    assert "缓存" in str(again[page.answer.status]) and "取自本次访问的缓存" in str(again[page.answer.steps])


def test_what_ran_is_shown_when_the_generator_became_ready_after_the_search(line: tuple[App, PageModels]) -> None:
    client, models = Client(line[0]), line[1]
    generator, models._generator = models._generator, None
    last(client.questions.ask(client.values(), client.request))
    assert last(client.questions.look(client.request))[client.page.prompt.text] == ""  # messages only
    models._generator = generator
    written = last(client.questions.write(client.request))
    assert written[client.page.answer.answer]
    shown = client.questions.catch_up(client.request)
    asked = client.workspace.asked()
    assert asked is not None and asked.answer is not None and asked.answer.prompt is asked.retrieval.prompt
    assert shown[client.page.prompt.text] == asked.answer.prompt.text != ""
    assert shown[client.page.candidates.table]["data"] and client.page.answer.steps not in shown
    assert nothing(client.questions.catch_up(client.request))


def test_tables_are_drawn_once_when_they_are_looked_at_or_after_the_answer(line: tuple[App, PageModels]) -> None:
    client = Client(line[0])
    tables = {*client.page.candidates.listed(), *client.page.candidates.opened(), *client.page.prompt}
    for looks in (True, False):
        found = last(client.questions.ask(client.values(), client.request))
        assert not tables & set(found) and client.page.answer.steps in found  # the model does not wait for the browser
        looked = last(client.questions.look(client.request)) if looks else None
        last(client.questions.write(client.request))
        after = client.questions.catch_up(client.request)
        shown = looked if looks else after
        assert shown and tables <= set(shown)
        assert not looks or nothing(after)
        assert nothing(last(client.questions.look(client.request)))
        last(client.questions.retrieve(client.values("设备报销"), client.request))


def test_tables_looked_at_during_a_search_are_drawn_when_it_ends(line: tuple[App, PageModels]) -> None:
    client = Client(line[0])
    last(client.questions.ask(client.values(), client.request))
    last(client.questions.write(client.request))
    asking = client.questions.ask(client.values("设备报销多少？"), client.request)
    next(asking)
    looking = client.questions.look(client.request)
    assert nothing(next(looking)) and nothing(next(looking))
    assert nothing(client.questions.catch_up(client.request))  # of the answer before: this one is under way
    last(asking)
    assert "设备报销多少？" in last(looking)[client.page.prompt.text]


def test_what_was_asked_is_compared_with_what_was_asked_before_whether_it_was_drawn_or_not(
    line: tuple[App, PageModels],
) -> None:
    client = Client(line[0])
    for question in (QUESTION, "设备报销多少？", "年假有几天？"):
        last(client.questions.ask(client.values(question), client.request))
    shown = last(client.questions.look(client.request))
    assert "设备报销多少？" in shown[client.page.candidates.beside]


def test_documents_that_changed_during_a_search_are_told(line: tuple[App, PageModels]) -> None:
    client, encoder = Client(line[0]), line[1].encoder()
    client.upload("own.txt", "每年3天年假。".encode())
    key = client.workspace.own_documents()[0].key

    def meanwhile() -> None:
        encoder.between = lambda: None
        list(client.workspace.remove(key, threading.Event()))

    encoder.between = meanwhile
    with pytest.raises(gr.Error, match="有变动"):
        last(client.questions.ask(client.values(), client.request))
    assert all(map(nothing, client.questions.write(client.request)))
    assert nothing(client.questions.stop(client.request))


def test_stop_after_an_answer_leaves_its_line_alone(line: tuple[App, PageModels]) -> None:
    client = Client(line[0])
    assert nothing(client.questions.stop(client.request))
    last(client.questions.ask(client.values(), client.request))
    last(client.questions.write(client.request))
    assert nothing(client.questions.stop(client.request))
    last(client.questions.retrieve(client.values(), client.request))
    assert nothing(client.questions.stop(client.request))


def test_stop_while_a_question_is_searched_or_waits_for_the_model_says_so(line: tuple[App, PageModels]) -> None:
    client = Client(line[0])
    status = client.page.answer.status
    searching = client.questions.ask(client.values(), client.request)
    next(searching)
    next(searching)  # found; now it waits for its turn at the model
    assert "已停止" in client.questions.stop(client.request)[status]
    assert nothing(client.questions.stop(client.request))


def test_a_question_that_failed_is_not_waited_for(line: tuple[App, PageModels]) -> None:
    client = Client(line[0])
    with pytest.raises(gr.Error):
        last(client.questions.ask(client.values(""), client.request))
    assert nothing(client.questions.stop(client.request))


def test_an_answer_that_ends_late_does_not_end_the_next_question(tmp_path: Path) -> None:
    app, _ = page_app(tmp_path, before=30)
    try:
        client = Client(app)
        last(client.questions.ask(client.values(), client.request))
        first = client.questions.write(client.request)
        next(first)
        last(client.questions.ask(client.values("办公设备每年可以报销多少元？"), client.request))
        began = time.perf_counter()
        last(first)
        assert time.perf_counter() - began < 2
        assert "已停止" in client.questions.stop(client.request)[client.page.answer.status]
    finally:
        app.close()


def test_stop_ends_an_answer_beside_which_was_searched(tmp_path: Path) -> None:
    app, _ = page_app(tmp_path, before=30)
    try:
        client = Client(app)
        last(client.questions.ask(client.values(), client.request))
        writing = client.questions.write(client.request)
        next(writing)
        last(client.questions.retrieve(client.values("办公设备每年可以报销多少元？"), client.request))
        assert "已停止" in client.questions.stop(client.request)[client.page.answer.status]
        last(writing)
    finally:
        app.close()


@pytest.fixture
def evaluated(line: tuple[App, PageModels]) -> Evaluator:
    """A visitor with results: one question, about the other document."""
    visitor = Evaluator(line[0])
    visitor.bring(jsonl(PAID))
    visitor.run()
    return visitor


def test_an_answer_that_waits_for_its_turn_leaves_an_opened_question_alone(evaluated: Evaluator) -> None:
    last(evaluated.questions.ask(evaluated.values(), evaluated.request))
    evaluated.runs.choose_outcome(0, 1, evaluated.request)
    assert all(map(nothing, evaluated.questions.write(evaluated.request)))
    asked = evaluated.workspace.asked()
    assert asked is not None and asked.answer is None and asked.retrieval.question == PAID["question"]


@pytest.mark.parametrize("press", ["ask", "retrieve"])
def test_a_search_that_ends_late_leaves_an_opened_question_alone(
    evaluated: Evaluator, line: tuple[App, PageModels], press: str
) -> None:
    searching = getattr(evaluated.questions, press)(evaluated.values(), evaluated.request)
    next(searching)
    opened: list[Any] = []

    def meanwhile() -> None:
        line[1].encoder().between = lambda: None
        opened.append(evaluated.runs.choose_outcome(0, 1, evaluated.request))

    line[1].encoder().between = meanwhile
    assert all(map(nothing, searching)) and opened
    asked = evaluated.workspace.asked()
    assert asked is not None and asked.retrieval.question == PAID["question"]
    assert nothing(evaluated.questions.catch_up(evaluated.request))  # the page shows just that
    assert all(map(nothing, evaluated.questions.write(evaluated.request)))


def test_the_turn_of_an_earlier_question_is_not_spent_on_a_later_one_that_is_searched(
    line: tuple[App, PageModels],
) -> None:
    client = Client(line[0])
    last(client.questions.ask(client.values(), client.request))
    searching = client.questions.ask(client.values(PAID["question"]), client.request)
    next(searching)
    assert all(map(nothing, client.questions.write(client.request)))  # of the first one
    last(searching)
    assert PAID["question"] in last(client.questions.look(client.request))[client.page.prompt.text]
    assert last(client.questions.write(client.request))[client.page.answer.answer]


def test_who_waits_in_line_is_shown_what_is_new_alone(tmp_path: Path) -> None:
    app, _ = page_app(tmp_path, before=1000)
    try:
        busy, client = Client(app), Client(app, "two")
        last(busy.questions.ask(busy.values(), busy.request))
        writing = busy.questions.write(busy.request)
        next(writing)
        last(client.questions.ask(client.values(), client.request))
        waiting = client.questions.write(client.request)
        shown = next(waiting)
        assert TABLE["answer.ahead"].zh.format(n=1) in shown[client.page.answer.status]
        assert nothing(next(waiting)) and nothing(next(waiting))  # still behind one: nothing is made or sent
        busy.questions.stop(busy.request)
        last(writing)
        reads = next(update for update in waiting if not nothing(update))
        assert TABLE["answer.ahead"].zh.split("{")[0] not in reads[client.page.answer.status]
        client.questions.stop(client.request)
        last(waiting)
    finally:
        app.close()


def test_two_turns_of_one_question_write_it_once(tmp_path: Path) -> None:
    app, _ = page_app(tmp_path, before=30)
    try:
        client = Client(app)
        last(client.questions.ask(client.values(), client.request))
        writing = client.questions.write(client.request)
        next(writing)
        assert all(map(nothing, client.questions.write(client.request)))  # a late one, of a question asked before
        client.questions.stop(client.request)
        last(writing)
    finally:
        app.close()


def test_what_reindexing_is_announced_by_is_how_the_index_is_split(line: tuple[App, PageModels]) -> None:
    client, note = Client(line[0]), Client(line[0]).page.settings.note
    client.workspace.configure(Settings(SplitSettings(size=60)))  # and the re-indexing was stopped
    said = {size: client.questions.check_settings(client.values(size=size), client.request)[note] for size in (60, 240)}
    assert "warning" in said[60] and "info" in said[240]


def test_the_questions_before_are_shown_before_they_are_used_and_can_be_dropped(line: tuple[App, PageModels]) -> None:
    client = Client(line[0])
    page = client.page
    shown = last(client.questions.retrieve(client.values("<b>年假</b>有几天？"), client.request))
    assert "&lt;b&gt;年假&lt;/b&gt;有几天？" in shown[page.earlier] and shown[page.drop].visible
    shown = last(client.questions.retrieve(client.values("那设备呢？"), client.request))
    assert "<q>那设备呢？</q>" in shown[page.earlier]
    asked = client.workspace.asked()
    assert asked is not None and asked.retrieval.query is not None
    assert asked.retrieval.query.earlier == ("<b>年假</b>有几天？",)
    shown = client.questions.drop_earlier(client.request)
    assert shown[page.earlier] == "" and not shown[page.drop].visible and client.workspace.earlier() == ()


def test_a_wrong_line_of_synonyms_is_named_where_it_is_written(line: tuple[App, PageModels]) -> None:
    client = Client(line[0])
    shown = client.questions.check_settings(client.values(synonyms="年假 = 带薪年休假\n工资"), client.request)
    assert "第 2 行" in shown[client.page.settings.note] and "工资" in shown[client.page.settings.note]


def test_a_cross_encoder_that_loads_is_polled_and_shown_to_everybody_until_it_failed(
    line: tuple[App, PageModels],
) -> None:
    app, models = line
    plain, client, other = models.status, Client(app), Client(app, "other")
    state: State = "loading"

    def reranker() -> Any:
        nonlocal wanted
        wanted = True
        raise ModelLoading(en="on its way", zh="正在加载")

    def status() -> tuple[RoleStatus, ...]:
        note = Bilingual(en="from the tests", zh="来自测试")
        return (*plain(), RoleStatus("reranker", state, "crossed", note)) if wanted else plain()

    wanted, models.status, models.reranker = False, status, reranker  # type: ignore[method-assign, attr-defined]
    assert client.page.timer not in last(client.questions.retrieve(client.values(), client.request))
    for search in (client.questions.retrieve, client.questions.ask):
        assert last(search(client.values(rerank="cross"), client.request))[client.page.timer].active is True
        events = [f for f in app.demo.fns.values() if f.fn == search]
        assert events and all(client.page.timer in event.outputs for event in events)
    for one in (client, other):
        for shown in (one.corpus.load(one.request), one.corpus.tick(one.request)):
            assert "重排模型" in shown[client.page.models] and client.page.timer not in shown
    state = "failed"
    for one in (client, other):
        shown = one.corpus.tick(one.request)
        assert ("不重排" in shown[client.page.models]) is (one is client)  # no news for who did not choose it
        assert shown[client.page.timer].active is False


def test_what_stop_left_is_said_once_more_by_the_answer_itself(tmp_path: Path) -> None:
    """Of two events the later one may arrive first: without it the page could go on saying that it writes."""
    app, _ = page_app(tmp_path, before=30)
    client = Client(app)
    try:
        last(client.questions.ask(client.values(), client.request))
        writing = client.questions.write(client.request)
        next(writing)
        client.questions.stop(client.request)
        *_, said, end = list(writing)
        assert "stopped" in said[client.page.answer.status] and nothing(end)
    finally:
        app.close()
