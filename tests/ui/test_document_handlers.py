"""The Documents tab's handlers: a document corrected by its visitor, seen as it was read, beside another of its name."""

from collections.abc import Iterator
from datetime import date
from typing import Any

import gradio as gr
import pytest

from rag.errors import SettingError
from tests.ui.fakes import Client, last
from tests.ui.markup import PAYLOADS, harmless


def test_a_guess_is_shown_and_what_the_visitor_says_takes_its_place(visitor: Client) -> None:
    tab = visitor.page.documents
    shown = visitor.upload("休假制度_2025-06.txt", "每年3天年假。".encode())
    assert shown[tab.version].value == "2025-06" and shown[tab.version].info == "据文件名推测"
    assert "据文件名推测" in shown[tab.table] and shown[tab.save].interactive and shown[tab.remove].interactive
    key = visitor.workspace.own_documents()[0].key
    typed = ("带薪休假制度", "2026-01", "2026年1月1日", "")
    saved = last(visitor.documents.save(key, *typed, visitor.request))
    document = visitor.workspace.own_documents()[0]
    assert (document.title, document.version, document.effective_from) == ("带薪休假制度", "2026-01", date(2026, 1, 1))
    assert saved[tab.which].value == document.key != key and "已保存" in saved[tab.saved]
    assert saved[tab.title].info == "您填写的" and "据文件名推测" not in saved[tab.table]
    assert {c.key for c in visitor.workspace.corpus().chunks} == {document.key}


def test_what_cannot_be_saved_is_told_and_nothing_is_lost(visitor: Client) -> None:
    tab = visitor.page.documents
    visitor.upload("a.txt", "每年3天。".encode())
    before = visitor.workspace.own_documents()
    for typed, why in (
        (("", "", "", ""), "标题"),
        (("t", "", "明天", ""), "日期"),
        (("t", "", "2026-02-30", ""), "日期"),
        (("t", "", "2026-02-01", "2026-01-01"), "失效日期"),
        (("t" * 900, "", "", ""), "字符"),
    ):
        shown: dict[Any, Any] = {}
        with pytest.raises(gr.Error, match=why):
            for update in visitor.documents.save(before[0].key, *typed, visitor.request):
                shown |= update
        assert "notice error" in shown[tab.saved]
    assert visitor.workspace.own_documents() == before


@pytest.mark.parametrize("odd", [None, 5, ["x"], {"a": 1}, "\ud800", *PAYLOADS, "x\x00\u202e"])
def test_odd_values_are_text_or_refused(visitor: Client, odd: Any) -> None:
    visitor.upload("a.txt", "每年3天。".encode())
    key = visitor.workspace.own_documents()[0].key
    try:
        shown = last(visitor.documents.save(key, odd, odd, None, None, visitor.request))
    except gr.Error:
        assert visitor.workspace.own_documents()[0].key == key
        return
    tab = visitor.page.documents
    for value in (shown[tab.table], shown[tab.known], shown[tab.text], shown[visitor.page.chunks.view]):
        harmless(value)


def test_a_sample_can_be_looked_at_but_not_changed(visitor: Client) -> None:
    tab = visitor.page.documents
    visitor.corpus.load(visitor.request)
    key = next(iter(visitor.workspace.corpus().documents))
    shown = visitor.documents.choose(key, visitor.request)
    assert not shown[tab.save].interactive and not shown[tab.remove].interactive and not shown[tab.title].interactive
    assert "示例" in shown[tab.saved] and "15天" in shown[tab.text] + "15天"
    with pytest.raises(gr.Error, match="已不存在"):
        last(visitor.documents.save(key, "t", "", "", "", visitor.request))
    with pytest.raises(gr.Error, match="已不存在"):
        visitor.remove(key)


def test_the_same_name_again_replaces_or_stands_beside(visitor: Client) -> None:
    visitor.upload("a.txt", "每年3天。".encode())
    visitor.upload("a.txt", "每年5天。".encode())
    assert [d.text for d in visitor.workspace.own_documents()] == ["每年5天。"]
    visitor.upload("a.txt", "每年7天。".encode(), again="beside")
    assert [d.text for d in visitor.workspace.own_documents()] == ["每年5天。", "每年7天。"]
    for odd in (None, 5, ["beside"], {"beside": 1}):
        visitor.upload("b.txt", f"每年{odd}天。".encode(), again=odd)
    assert sum(d.file == "b.txt" for d in visitor.workspace.own_documents()) == 1


def test_the_text_as_it_was_read_holds_what_was_left_out(visitor: Client) -> None:
    tab = visitor.page.documents
    page = (
        "<html><head><title>通知</title></head><body><nav>首页 | 联系我们</nav><main><h1>通知</h1>"
        "<p>第一条 每年15天。</p></main></body></html>"
    )
    shown = visitor.upload("通知.html", page.encode())
    key = visitor.workspace.own_documents()[0].key
    assert "联系我们" not in visitor.workspace.own_documents()[0].text
    assert "导航" in shown[tab.left_out] and "联系我们" in shown[tab.left_out] and "剔除" in shown[tab.table]
    assert "联系我们" not in shown[tab.text]
    as_read = visitor.documents.choose_view(key, "as_read", visitor.request)[tab.text]
    assert "联系我们" in as_read and "gone" in as_read and "15天" in as_read
    for odd in (None, 5, [], "<b>", "cleaned"):
        assert "联系我们" not in visitor.documents.choose_view(key, odd, visitor.request)[tab.text]
    for at in (None, -5, 10**12, "x", float("nan")):
        with pytest.raises(gr.Error, match="哪一处"):
            visitor.documents.turn(key, "as_read", visitor.request, gr.EventData(None, {"at": at}))
    harmless(visitor.documents.turn(key, "as_read", visitor.request, gr.EventData(None, {"at": 10**6}))[tab.text])


def test_a_document_that_went_during_saving_is_told(visitor: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    visitor.upload("a.txt", "每年3天。".encode())
    key = visitor.workspace.own_documents()[0].key

    def gone(*_: object) -> Iterator[None]:
        raise SettingError(en="no such document", zh="没有这份文档")
        yield

    monkeypatch.setattr(visitor.workspace, "edit", gone)
    with pytest.raises(gr.Error, match="没有这份文档"):
        last(visitor.documents.save(key, "t", "", "", "", visitor.request))
