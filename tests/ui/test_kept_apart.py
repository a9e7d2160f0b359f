"""What one thing on the page must not do to another: progress, late answers, stale choices, messages of others."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import gradio as gr
import pytest

from rag.config import Settings
from rag.errors import Bilingual
from rag.models.roles import RoleStatus
from rag.ui.app import App
from tests.ui.evaluate_kit import PAID, Evaluator, jsonl
from tests.ui.fakes import Client, PageModels, last, page_app
from tests.ui.markup import untagged


@pytest.fixture
def line(tmp_path: Path) -> Iterator[tuple[App, PageModels]]:
    made = page_app(tmp_path)
    yield made
    made[0].close()


def test_a_search_says_so_where_its_candidates_will_be_and_the_old_ones_stay_below(
    line: tuple[App, PageModels],
) -> None:
    client = Client(line[0])
    progress, status = client.page.candidates.progress, client.page.answer.status
    searching = client.questions.retrieve(client.values(size=100), client.request)
    first = next(searching)
    assert "正在检索" in first[progress] and client.page.candidates.table not in first
    rest = list(searching)
    assert any(progress in shown and "bar" in shown[progress] for shown in rest[:-1])  # re-indexing, in the same place
    assert all(status not in shown for shown in rest[:-1])
    assert rest[-1][progress] == "" and rest[-1][client.page.candidates.summary]
    assert next(client.questions.ask(client.values(), client.request))[progress] == ""


def test_a_search_that_failed_or_was_stopped_says_so_above_the_old_candidates(line: tuple[App, PageModels]) -> None:
    client = Client(line[0])
    progress = client.page.candidates.progress
    shown: dict[Any, Any] = {}
    with pytest.raises(gr.Error):
        for update in client.questions.retrieve(client.values(""), client.request):
            shown |= update
    assert "error" in shown[progress] and client.page.candidates.summary not in shown
    searching = client.questions.retrieve(client.values(), client.request)
    next(searching)
    assert "已停止" in client.questions.stop(client.request)[progress]
    last(searching)
    # Gradio may close what Stop cancels before the handler of Stop runs
    searching = client.questions.retrieve(client.values(), client.request)
    next(searching)
    searching.close()  # type: ignore[attr-defined]
    assert "已停止" in client.questions.stop(client.request)[progress]


def test_an_opened_question_is_shown_again_when_a_late_line_of_an_answer_may_have_come_after_it(tmp_path: Path) -> None:
    app, _ = page_app(tmp_path, before=30)
    visitor = Evaluator(app)
    try:
        visitor.bring(jsonl(PAID))
        visitor.run()
        last(visitor.questions.ask(visitor.values(), visitor.request))
        writing = visitor.questions.write(visitor.request)
        next(writing)  # on its way to the page
        opened = visitor.runs.choose_outcome(0, 1, visitor.request)
        again, *rest = list(writing)
        page = visitor.page
        answer = {*page.answer, *page.gate}
        assert answer - {page.answer.source} <= set(again) <= answer
        plain = [value for value in again.values() if not isinstance(value, gr.Button)]
        assert plain == [opened[c] for c in again if not isinstance(opened[c], gr.Button)]
        button = visitor.page.gate.anyway
        assert again[button].visible == opened[button].visible
        assert all(shown == gr.skip() for shown in rest) and rest  # the last one is sent twice
        # asked anew meanwhile: nothing is shown again
        last(visitor.questions.ask(visitor.values(), visitor.request))
        writing = visitor.questions.write(visitor.request)
        next(writing)
        last(visitor.questions.retrieve(visitor.values(PAID["question"]), visitor.request))
        visitor.visit.asking = None
        assert all(shown == gr.skip() for shown in writing)
    finally:
        app.close()


def test_settings_of_a_run_leave_out_policies_that_are_no_longer_searched(line: tuple[App, PageModels]) -> None:
    visitor = Evaluator(line[0])
    visitor.bring(jsonl(PAID))
    visitor.run(documents=["equipment"])
    panel, page = visitor.page.settings, visitor.page
    whole = visitor.runs.use_variant(0, visitor.request)
    assert whole[panel.documents] == ["equipment"] and "移除" not in whole[panel.note]
    visitor.upload("own.md", "# 午休\n\n午休一小时。".encode())  # own files are searched alone
    taken = visitor.runs.use_variant(0, visitor.request)
    assert taken[panel.documents] == [] and "equipment" in taken[panel.note]
    assert visitor.visit.scope == ()
    found = last(visitor.questions.retrieve(visitor.values("午休多久？"), visitor.request))
    assert found[page.candidates.table]["data"]


def test_that_a_reranker_cannot_be_had_is_told_to_who_chose_it_and_its_reason_is_folded(
    line: tuple[App, PageModels],
) -> None:
    app, models = line
    plain, client, other = models.status, Client(app), Client(app, "other")
    note = Bilingual(en="tried /a/path", zh="试过 /a/path")
    models.status = lambda: (*plain(), RoleStatus("reranker", "failed", "crossed", note))  # type: ignore[method-assign]
    search = Settings()
    client.workspace.configure(replace(search, select=replace(search.select, rerank="cross")))
    mine, theirs = (one.corpus.tick(one.request)[one.page.models] for one in (client, other))
    assert "重排模型" in mine and "不重排" in mine and "重排模型" not in theirs and "/a/path" not in theirs
    assert "/a/path" in mine.split("<details>")[-1].split("</details>")[0]


def test_words_are_gone_through_from_the_first_match_after_enter(line: tuple[App, PageModels]) -> None:
    client = Client(line[0])
    client.upload("手册.md", ("# 手册\n\n" + "第一条 年假与病假。\n\n" * 5).encode())
    tab, do, key = client.page.chunks, client.chunks, client.workspace.own_documents()[0].key
    # pasted, then Enter: the words are searched while the page still shows no number, or already shows the first
    for number in (None, 1):
        do.search(key, "", None, client.request)
        do.search(key, "年假", None, client.request)
        assert do.enter(key, "年假", number, client.request)[tab.match] == 1
        assert do.enter(key, "年假", 1, client.request)[tab.match] == 2
    # Enter came first, the change of the words after it
    do.search(key, "", None, client.request)
    assert do.enter(key, "病假", None, client.request)[tab.match] == 1
    do.search(key, "病假", None, client.request)
    assert do.enter(key, "病假", 1, client.request)[tab.match] == 2
    # other words begin anew; the buttons go on from where one is
    do.search(key, "第一条", None, client.request)
    assert do.next_match(key, "第一条", 1, client.request)[tab.match] == 2
    assert do.enter(key, "第一条", 2, client.request)[tab.match] == 3
    assert do.last_match(key, "第一条", None, client.request)[tab.match] == 5
    assert do.next_match(key, "第一条", None, client.request)[tab.match] == 1


def test_that_two_state_one_version_with_other_words_stands_in_the_row_of_each(line: tuple[App, PageModels]) -> None:
    client = Client(line[0])
    said, table = "标注的版本相同但内容不同", client.page.documents.table
    client.upload("休假.md", "# 休假\n\n版本：2026\n\n每年3天。".encode(), "beside")
    shown = client.upload("休假.txt", "休假\n\n版本：2026\n\n每年5天。".encode(), "beside")[table]
    own = client.workspace.own_documents()
    assert {(d.doc_id, d.version) for d in own} == {("休假", "2026")} and len(own) == 2
    rows = [row for row in shown.split("<tr>") if "休假" in row]
    assert len(rows) == 2 and [untagged(row).count(said) for row in rows] == [1, 1], rows
    client.upload("other.md", "# 别的\n\n别的内容。".encode())
    shown = last(client.corpus.include_samples(False, client.request))[table]
    assert shown.count(said) == 2
    client.remove(own[0].key)
    assert said not in last(client.corpus.include_samples(False, client.request))[table]
