"""The list of policies in the settings: what is searched, and what becomes of a choice that is gone."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from rag.ui.app import App
from rag.ui.settings import policies
from tests.ui.fakes import Client, last, page_app


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    built, _ = page_app(tmp_path)
    yield built
    built.close()


def test_the_list_holds_each_policy_that_is_searched_once(app: App) -> None:
    client = Client(app)
    shown = client.corpus.load(client.request)[client.page.settings.documents]
    assert shown.choices == [("年假管理办法", "annual-leave"), ("设备报销制度", "equipment")]
    assert shown.value == []
    documents = list(client.workspace.corpus().documents.values())
    same = [*documents, *documents]
    assert policies(same) == shown.choices


def test_a_choice_stays_while_it_is_searched_and_what_is_gone_is_said(app: App) -> None:
    client = Client(app)
    panel, tab = client.page.settings, client.page.documents
    client.corpus.load(client.request)
    client.upload("a.txt", "甲制度\n甲。".encode())
    both = client.upload("b.txt", "乙制度\n乙。".encode())
    names = [name for _, name in both[panel.documents].choices]
    assert len(names) == 2 and both[panel.documents].value == []
    # chosen on the page, with another setting that is wrong just now
    client.questions.check_settings(client.values(documents=names, depth=None), client.request)
    third = client.upload("c.txt", "丙制度\n丙。".encode())
    assert third[panel.documents].value == names and panel.note not in third
    first, second = (next(d.key for d in client.workspace.own_documents() if d.doc_id == name) for name in names)
    removed = client.remove(first)
    assert removed[panel.documents].value == names[1:]
    assert names[0] not in [name for _, name in removed[panel.documents].choices]
    assert names[0] in removed[panel.note] and names[0] in removed[tab.searching]
    removed = client.remove(second)
    assert removed[panel.documents].value == [] and "全部文档" in removed[tab.searching]
    again = client.upload("d.txt", "丁制度\n丁。".encode())
    assert panel.note not in again  # it was said


def test_only_the_chosen_documents_are_searched(app: App) -> None:
    client = Client(app)
    client.corpus.load(client.request)
    last(client.questions.ask(client.values("年假有几天？", documents=["equipment"]), client.request))
    asked = client.workspace.asked()
    assert asked is not None
    assert {c.chunk.key.split("@")[0] for c in asked.retrieval.candidates} == {"equipment"}
    assert {c.chunk.key.split("@")[0] for c in asked.retrieval.outside} == {"annual-leave"}
    last(client.questions.ask(client.values("年假有几天？", section="天数"), client.request))
    asked = client.workspace.asked()
    assert asked is not None and {c.chunk.key.split("@")[0] for c in asked.retrieval.candidates} == {"annual-leave"}
    # what no page would send: nothing is searched, and the trace says so
    last(client.questions.retrieve(client.values("年假有几天？", documents=["../x"]), client.request))
    asked = client.workspace.asked()
    assert asked is not None and asked.retrieval.candidates == ()
    assert any("放宽" in step.note.zh for step in asked.retrieval.trace.steps)


def test_the_answer_names_the_version_that_was_not_searched(app: App) -> None:
    client = Client(app)
    client.corpus.load(client.request)
    line = client.page.answer.versions
    client.upload("休假.md", "---\nversion: '1'\neffective_date: 2020-01-01\n---\n每年3天年假。".encode())
    client.upload("休假.md", "---\nversion: '2'\neffective_date: 2024-01-01\n---\n每年9天年假。".encode())
    said = "《休假》（1，2020-01-01 起）"
    shown = last(client.questions.ask(client.values("年假有几天？"), client.request))
    assert said in shown[line] and line not in last(client.questions.write(client.request))  # it stays
    first = next(client.questions.ask(client.values("年假有几天？", scope="all"), client.request))
    assert first[line] == ""
    assert last(client.questions.ask(client.values("年假有几天？", scope="all"), client.request))[line] == ""
    assert said in last(client.questions.retrieve(client.values("年假有几天？"), client.request))[line]
