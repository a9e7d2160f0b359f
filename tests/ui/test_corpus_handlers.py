"""Files on the page: taken in, refused, removed, over stand-in models and the real workspace."""

import threading
from pathlib import Path

import gradio as gr
import pytest

from rag.config import Limits
from rag.errors import Stopped
from rag.ui.app import App
from rag.ui.wiring import THREADS
from tests.ui.fakes import Client, Visitor, last, page_app


def test_own_files_then_back_to_the_samples(visitor: Client) -> None:
    tab = visitor.page.documents
    shown = visitor.upload("<img src=x onerror=alert(1)>.txt", "午餐补贴每天25元。<script>alert(1)</script>".encode())
    assert "<img" not in shown[tab.table] and "<script" not in shown[tab.table]
    assert list(visitor.workspace.corpus().documents.values())[0].origin == "own"
    assert len(visitor.workspace.corpus().documents) == 1
    both = last(visitor.corpus.include_samples(True, visitor.request))
    assert len(visitor.workspace.corpus().documents) == 3 and "3" in both[tab.searching]
    key = visitor.workspace.own_documents()[0].key
    removed = visitor.remove(key)
    assert "示例" in removed[tab.progress] and not visitor.workspace.own_documents()


def test_a_document_goes_only_when_the_page_asked_about_it(visitor: Client) -> None:
    tab, workspace = visitor.page.documents, visitor.workspace
    visitor.upload("甲.txt", "每年3天。".encode())
    visitor.upload("<b>乙.txt", "每年5天。".encode())
    first, second = (document.key for document in workspace.own_documents())
    asked = visitor.corpus.ask_remove(second, visitor.request)
    assert asked[tab.asked].visible and "确定移除" in asked[tab.asked_which] and "<b>" not in asked[tab.asked_which]
    assert len(workspace.own_documents()) == 2  # a press alone removes nothing
    assert not visitor.corpus.keep(visitor.request)[tab.asked].visible
    with pytest.raises(gr.Error, match="没有移除"):
        last(visitor.corpus.remove(second, visitor.request))
    visitor.corpus.ask_remove(first, visitor.request)
    assert not visitor.documents.choose(second, visitor.request)[tab.asked].visible  # asked about the other one
    with pytest.raises(gr.Error, match="没有移除"):
        last(visitor.corpus.remove(second, visitor.request))
    assert not visitor.remove(second)[tab.asked].visible
    assert [document.key for document in workspace.own_documents()] == [first]


def test_a_bad_file_has_its_row_and_the_good_one_is_taken(visitor: Client) -> None:
    place = [visitor.app.uploads.path / f"{i:064x}" for i in (1, 2)]
    for p, data in zip(place, (b"MZ\x00", "制度：每年3天。".encode()), strict=True):
        p.mkdir()
        (p / "f").write_bytes(data)
    items = [{"path": str(p / "f"), "orig_name": n} for p, n in zip(place, ("a.exe", "b.txt"), strict=True)]
    shown = last(visitor.corpus.add(items, "replace", visitor.request))
    table = shown[visitor.page.documents.table]
    assert "a.exe" in table and "badge error" in table and "badge ok" in table
    assert not any(p.exists() for p in place)


def test_the_row_of_a_replaced_document_and_of_another_version_says_so(visitor: Client) -> None:
    tab = visitor.page.documents
    assert "badge ok" in visitor.upload("休假_2025.txt", "每年3天年假。".encode())[tab.table]
    replaced = visitor.upload("休假_2025.txt", "每年5天年假。".encode())[tab.table]
    assert "已替换之前的" in replaced and "badge warning" in replaced and "badge ok" not in replaced
    other = visitor.upload("休假_2026.txt", "每年9天年假。".encode())[tab.table]
    assert "同一制度的不同版本" in other and "已替换" not in other and other.count("badge warning") == 1


def row(table: str, name: str) -> str:
    """The row of the document that came in the file `name`."""
    return next(r for r in table.split("<tr>") if f'source">{name}' in r)


def test_a_copy_is_called_one_for_as_long_as_there_are_two_and_when_it_outlives_its_like(visitor: Client) -> None:
    tab = visitor.page.documents.table
    visitor.upload("甲.txt", "每年3天年假。".encode())
    for i in range(2):
        visitor.upload("乙.txt", "每年3天年假。".encode())
        shown = visitor.upload(f"别的{i}.txt", f"每月{i}天事假。".encode())[tab]
        for name, other in (("甲.txt", "乙.txt"), ("乙.txt", "甲.txt")):
            assert f"（{other}）内容相同" in row(shown, name) and "badge warning" in row(shown, name)
        assert shown.count("内容相同") == 2 and "badge ok" in row(shown, f"别的{i}.txt")
    visitor.upload("甲.txt", "每年9天年假。".encode())
    shown = visitor.upload("另外.txt", "每月7天事假。".encode())[tab]
    assert "甲.txt）相同，如系旧稿请移除" in row(shown, "乙.txt") and "badge warning" in row(shown, "乙.txt")
    assert shown.count("旧稿") == 1 and "内容相同" not in shown
    key = next(d.key for d in visitor.workspace.own_documents() if d.source == "甲.txt")
    assert "旧稿" in visitor.remove(key)[tab]


def test_two_of_one_name_are_told_apart_in_the_sentence(visitor: Client) -> None:
    visitor.upload("甲.txt", "每年3天年假。".encode())
    shown = visitor.upload("甲.txt", "每年9天年假。".encode(), "beside")[visitor.page.documents.table]
    assert "（甲.txt，之前的）是同一制度的不同版本：默认只检索《甲》（甲.txt，刚上传的）" in shown


def test_what_is_called_not_searched_is_what_the_last_search_left_out(visitor: Client) -> None:
    tab = visitor.page.documents
    visitor.upload("休假.md", "---\nversion: '1'\neffective_date: 2020-01-01\n---\n每年3天年假。".encode())
    first = visitor.upload("休假.md", "---\nversion: '2'\neffective_date: 2024-01-01\n---\n每年9天年假。".encode())
    assert first[tab.table].count("不参与检索：另有现行版本。") == 1 and "1 份另有现行版本" in first[tab.searching]
    for changed, version, later in (
        ({"scope": "all"}, 0, 0),
        ({"as_of": "2022-05-01"}, 0, 1),
        ({"as_of": "2019-05-01"}, 0, 2),
        ({}, 1, 0),
    ):
        shown = last(visitor.questions.retrieve(visitor.values("年假", **changed), visitor.request))
        assert shown[tab.table].count("不参与检索：另有现行版本。") == version
        assert shown[tab.table].count("不参与检索：尚未生效。") == later
        assert ("另有现行版本" in shown[tab.searching], "尚未生效" in shown[tab.searching]) == (version > 0, later > 0)
        again = last(visitor.questions.retrieve(visitor.values("年假", **changed), visitor.request))
        assert tab.table not in again  # it shows this already


def test_a_vanished_upload_asks_to_choose_again(visitor: Client) -> None:
    item = {"path": str(visitor.app.uploads.path / ("e" * 64) / "f"), "orig_name": "制度.txt"}
    with pytest.raises(gr.Error, match="制度.txt.*重新选择"):
        last(visitor.corpus.add([item], "replace", visitor.request))


def test_a_file_over_the_limits_has_an_error_row_and_the_others_are_taken(tmp_path: Path) -> None:
    app, _ = page_app(tmp_path, limits=Limits(total_bytes=100))
    client = Client(app)
    client.upload("a.txt", b"x" * 60)
    table = client.upload("b.txt", b"y" * 60)[client.page.documents.table]
    assert "b.txt" in table and "badge error" in table and "100" in table
    assert [d.source for d in client.workspace.own_documents()] == ["a.txt"]
    app.close()


@pytest.mark.parametrize("odd", [["x"], "x", {"path": "x"}, 5])
def test_what_is_no_upload_ends_in_a_plain_message(visitor: Client, odd: object) -> None:
    with pytest.raises(gr.Error, match="重新选择"):
        last(visitor.corpus.add(odd, "replace", visitor.request))


def test_a_switch_that_was_stopped_shows_what_is_so(visitor: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    visitor.upload("a.txt", "每年3天。".encode())
    switching = visitor.corpus.include_samples(True, visitor.request)
    monkeypatch.setattr("rag.workspace.build", waits_for_stop)
    next(switching)
    visitor.questions.stop(visitor.request)
    shown = last(switching)
    assert shown[visitor.page.documents.include].value is False and not visitor.workspace.include_samples
    assert "已停止" in shown[visitor.page.documents.progress]


def waits_for_stop(*given: object) -> None:
    stop = given[4]
    assert isinstance(stop, threading.Event) and stop.wait(5)
    raise Stopped(en="stopped", zh="已停止")


def test_a_long_run_of_one_visitor_keeps_no_place_that_others_need(app: App) -> None:
    """Indexing runs last minutes: their number is bounded by memory, not by model work, which takes turns."""
    places = {f.concurrency_limit for f in app.demo.fns.values() if f.concurrency_id in ("index", "encoder")}
    assert places == {16}


def test_every_visit_there_is_room_for_has_a_place_in_the_line_of_answers(app: App) -> None:
    """Gradio does not say how many are before whoever waits in its own queue."""
    places = {f.concurrency_limit for f in app.demo.fns.values() if f.concurrency_id == "llm"}
    assert places == {app.sessions._capacity} and THREADS > app.sessions._capacity


def test_a_visitor_for_whom_there_is_no_room_is_told_and_the_others_lose_nothing(tmp_path: Path) -> None:
    app, _ = page_app(tmp_path)
    client = Client(app)
    client.upload("a.txt", "每年3天。".encode())
    app.sessions._capacity = 1
    late = Visitor("late", "en").request()
    with pytest.raises(gr.Error, match="too many visitors"):
        client.corpus.load(late)
    polled = client.corpus.tick(late)
    assert "too many visitors" in polled[client.page.documents.searching] and not polled[client.page.timer].active
    assert len(client.workspace.own_documents()) == 1
    app.close()
