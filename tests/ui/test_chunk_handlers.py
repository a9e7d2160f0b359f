"""The Chunks tab's handlers with what a browser sends, honest and hostile, over stand-in models and the real workspace."""

import base64
import csv
import io
import json
from collections.abc import Callable
from typing import Any

import gradio as gr
import pytest

from rag.errors import Stopped
from rag.ui import chunk_files, render
from rag.ui.app import App
from rag.ui.wiring import groups
from tests.ui.fakes import Client, last
from tests.ui.markup import PAYLOADS, harmless, pieces

ODD = (None, "", "2", float("nan"), float("inf"), [1], {"a": 1}, True, -1, 0, 10**12, "<img src=x onerror=pwn=1>")


@pytest.fixture(scope="module")
def reader(app: App) -> Client:
    """A visitor with one document of more chunks than a table has rows, and sections; their chunks repeat nothing."""
    client = Client(app, "reader")
    body = "".join(
        f"## 第{i // 4 + 1}章 规定\n\n第{i}条 编号{i * 7919}的事项由{i * 104729}号部门办理，须提前{i % 9 + 1}天提交申请。\n\n"
        for i in range(1300)
    )
    client.upload("手册.md", f"# 员工手册\n\n{body}".encode())
    last(client.chunks.apply_split(client.values() | split_values(client, 60, 0), client.request))
    return client


def split_values(client: Client, size: int, overlap: int) -> dict[Any, Any]:
    tab = client.page.chunks
    return {tab.strategy: "fixed", tab.size: size, tab.overlap: overlap}


def key_of(client: Client) -> str:
    return client.workspace.own_documents()[0].key


def event(**said: object) -> gr.EventData:
    return gr.EventData(None, said)


def turned(show: Callable[[gr.EventData], str], at: object) -> None:
    """The part of a text that begins at `at`; where that is no place, and where nothing is said, a message says so."""
    if isinstance(at, int) and 0 <= at < 10**9:
        harmless(show(event(at=at)))
        return
    for said in (event(at=at), event(), gr.EventData(None, None)):
        with pytest.raises(gr.Error, match="哪一处"):
            show(said)


def test_a_chunk_opens_by_its_row_and_by_its_number(reader: Client) -> None:
    tab, key = reader.page.chunks, key_of(reader)
    clicked = gr.EventData(None, {})
    clicked.row_value = [1200]
    by_row = reader.chunks.choose_row(key, "", reader.request, clicked)
    by_number = reader.chunks.choose(key, 1200, "", reader.request)
    chunk = [c for c in reader.workspace.corpus().chunks if c.key == key][1199]
    assert by_row == {**by_number, tab.pick: 1200}
    assert "".join(t for css, t in pieces(by_number[tab.view]) if "hit" in css.split()) == chunk.text
    assert chunk.chunk_id in by_number[tab.detail]
    assert reader.chunks.choose(key, None, "", reader.request)[tab.view] == gr.skip()  # an emptied field
    for odd in ODD[1:]:
        if odd is not True:  # which is 1 to Python
            with pytest.raises(gr.Error, match="没有这个切块"):
                reader.chunks.choose(key, odd, "", reader.request)


def test_rows_come_five_hundred_at_a_time_and_those_with_remarks_alone(reader: Client) -> None:
    tab, key = reader.page.chunks, key_of(reader)
    n = len(reader.workspace.corpus().chunks)
    assert n > 2 * render.TABLE_ROWS
    seen: list[int] = []
    for part in range(1, -(-n // render.TABLE_ROWS) + 1):
        shown = reader.chunks.choose_rows(key, False, part, reader.request)
        seen += [row[0] for row in shown[tab.table]["data"]]
        assert len(shown[tab.table]["data"]) <= render.TABLE_ROWS and shown[tab.rows].value == part
    assert seen == list(range(1, n + 1))
    opened = reader.chunks._of(key, reader.request)
    wanted = [i for i, found in enumerate(opened.remarks, 1) if found]
    assert 0 < len(wanted) < n  # a fixed window cuts sentences
    only = reader.chunks.choose_remarked(key, True, reader.request)
    assert [row[0] for row in only[tab.table]["data"]] == wanted[: render.TABLE_ROWS]
    assert all(row[7] != "–" for row in only[tab.table]["data"]) and only[tab.remarked] is True
    for odd in ODD:
        assert reader.chunks.choose_rows(key, odd, odd, reader.request)[tab.table]["data"]


def test_search_goes_from_match_to_match_and_around(reader: Client) -> None:
    tab, key = reader.page.chunks, key_of(reader)
    text = reader.workspace.own_documents()[0].text
    n = text.count("第12条")
    first = reader.chunks.search(key, "第12条", None, reader.request)
    assert n >= 1 and first[tab.match] == 1 and str(n) in first[tab.found]
    n = text.count("提前3天")
    at = [reader.chunks.search(key, "提前3天", None, reader.request)[tab.match]]
    for _ in range(3):
        shown = reader.chunks.next_match(key, "提前3天", at[-1], reader.request)
        at.append(shown[tab.match])
        assert "".join(t for css, t in pieces(shown[tab.view]) if "hit" in css.split()) == "提前3天"
    assert at == [1, 2, 3, 4] and n > 4
    assert reader.chunks.last_match(key, "提前3天", 1, reader.request)[tab.match] == n
    assert reader.chunks.next_match(key, "提前3天", n, reader.request)[tab.match] == 1
    assert reader.chunks.choose_match(key, "提前3天", 10**8, reader.request)[tab.match] == n
    for odd in ODD:
        assert 1 <= reader.chunks.choose_match(key, "提前3天", odd, reader.request)[tab.match] <= n
    missing = reader.chunks.search(key, "没有的话", None, reader.request)
    assert missing[tab.match] is None and "没有这些字" in missing[tab.found]
    empty = reader.chunks.search(key, " ", 700, reader.request)
    chunk = [c for c in reader.workspace.corpus().chunks if c.key == key][699]
    assert empty[tab.found] == "" and chunk.text[:20] in "".join(
        t for css, t in pieces(empty[tab.view]) if "hit" in css
    )


@pytest.mark.parametrize("query", [*PAYLOADS, None, 5, ["x"], "(" * 300, "\\", ".*", "\x00", "字" * 10_000])
def test_hostile_queries_are_only_words(reader: Client, query: Any) -> None:
    shown = reader.chunks.search(key_of(reader), query, query, reader.request)
    for value in (shown[reader.page.chunks.view], shown[reader.page.chunks.found]):
        harmless(value)


def test_jumps_to_pages_and_sections(visitor: Client) -> None:
    tab = visitor.page.chunks
    visitor.upload("a.md", "# 制度\n\n开头。\n\n## 第一章 总则\n\n一。\n\n## 第二章 年假\n\n每年15天。\n".encode())
    key, document = key_of(visitor), visitor.workspace.own_documents()[0]
    opened = visitor.documents.choose(key, visitor.request)
    names = [name for name, _ in opened[tab.section].choices]
    assert names == [" › ".join(s.path) for s in document.sections] and len(names) >= 2
    shown = visitor.chunks.choose_section(key, len(names), "", visitor.request)
    assert "第二章 年假" in "".join(t for css, t in pieces(shown[tab.view]) if "hit" in css.split())
    assert opened[tab.page].interactive is False
    for odd in ODD[1:]:
        for call in (visitor.chunks.choose_section, visitor.chunks.choose_page):
            if odd is not True or call == visitor.chunks.choose_page:
                with pytest.raises(gr.Error, match="没有这一页|已不存在"):
                    call(key, odd, "", visitor.request)
    for at in ODD:
        turned(lambda said: visitor.chunks.turn(key, "", visitor.request, said)[tab.view], at)


def test_a_document_chosen_in_one_tab_is_open_in_the_other_and_stays_open(visitor: Client) -> None:
    docs, tab = visitor.page.documents, visitor.page.chunks
    visitor.upload("a.txt", "甲制度：每年3天。".encode())
    shown = visitor.upload("b.txt", "乙制度：每年5天。".encode())
    a, b = (d.key for d in visitor.workspace.own_documents())
    assert shown[docs.which].value == b == shown[tab.document].value  # what was brought last
    chosen = visitor.documents.choose(a, visitor.request)
    assert (
        chosen[docs.which] == a == chosen[tab.document]
        and "甲制度" in chosen[tab.view]
        and "甲制度" in chosen[docs.text]
    )
    assert set(chosen) <= {*docs.opened(), *tab.opened()}
    removed = visitor.remove(b)
    assert removed[docs.which].value == a and "甲制度" in removed[tab.view]
    assert set(removed) <= set(groups(visitor.page)["corpus"])
    gone = visitor.remove(a)
    assert gone[docs.which].value in visitor.workspace.corpus().documents


def test_two_splits_are_seen_beside_each_other_part_by_part(reader: Client) -> None:
    tab, key = reader.page.chunks, key_of(reader)
    shown = reader.chunks.preview(key, "recursive", 240, 40, reader.request)[tab.compared]
    harmless(shown)
    assert shown.count("<section>") == 2 and shown.count('class="doc"') == 2 and shown.count("<figure") == 2
    at = render.VIEW_CHARACTERS // 3
    assert f'data-at="{at}"' in shown
    later = reader.chunks.turn_preview(key, "recursive", 240, 40, reader.request, event(at=at))[tab.compared]
    text = reader.workspace.own_documents()[0].text
    assert text[at : at + 5] not in shown or later != shown
    for odd in ODD:
        turned(lambda e: reader.chunks.turn_preview(key, "recursive", 240, 40, reader.request, e)[tab.compared], odd)


def test_every_strategy_can_be_tried(reader: Client) -> None:
    key = key_of(reader)
    for _, strategy in reader.corpus.load(reader.request)[reader.page.chunks.strategy].choices:
        shown = reader.chunks.preview(key, strategy, 256, 64, reader.request)
        assert "256/64" in shown[reader.page.chunks.compared]


def test_saved_chunks_are_all_there_and_no_cell_is_a_formula(visitor: Client) -> None:
    lines = ["=1+1", "＝2", " +3", "@x", "-4", "\t=5", '第一条 年假15天，含"引号"。', "'=6"]
    visitor.upload("表.txt", "\n\n".join(f"{x} 员工应当按时提交申请，由直属主管审批后生效。" for x in lines).encode())
    last(visitor.chunks.apply_split(visitor.values() | split_values(visitor, 20, 0), visitor.request))
    key, tab = key_of(visitor), visitor.page.chunks
    chunks = [c for c in visitor.workspace.corpus().chunks if c.key == key]
    saved = visitor.chunks.save_json(key, visitor.request)[tab.download]
    assert saved["name"].endswith(".json") and saved["mime"] == "application/json"
    found = json.loads(base64.b64decode(saved["base64"]))
    text = visitor.workspace.own_documents()[0].text
    assert [(c["chunk_id"], c["text"]) for c in found["chunks"]] == [(c.chunk_id, c.text) for c in chunks]
    assert all(text[c["start"] : c["end"]] == c["text"] for c in found["chunks"])
    assert found["split"] == {"strategy": "fixed", "size": 20, "overlap": 0}
    saved = visitor.chunks.save_csv(key, visitor.request)[tab.download]
    data = base64.b64decode(saved["base64"])
    assert data.startswith(b"\xef\xbb\xbf") and saved["mime"] == "text/csv"
    rows = list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))
    assert len(rows) == len(chunks) + 1 and {len(row) for row in rows} == {11}
    for chunk, row in zip(chunks, rows[1:], strict=True):
        assert row[10] in (chunk.text, f"'{chunk.text}") and int(row[2]) == chunk.start
        assert row[10].lstrip(" '\t\n")[:1] not in "=+-@＝" or row[10].startswith("'")


@pytest.mark.parametrize(
    "cell", ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(1)", "\t=1", "\r=1", " =1", "\n=1", "＝1", '"=1', "'=1"]
)
def test_what_a_spreadsheet_would_compute_is_guarded(cell: str) -> None:
    assert chunk_files.guarded(cell) == f"'{cell}"


@pytest.mark.parametrize("cell", ["第一条", "3-1", "a=b", "", "（=1）"])
def test_what_it_would_not_is_left_alone(cell: str) -> None:
    assert chunk_files.guarded(cell) == cell


def test_a_split_that_was_stopped_does_not_come_back_with_the_next_change(
    visitor: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, chunks = visitor.workspace.settings, visitor.workspace.corpus().chunks

    def stopped(*_: object) -> Any:
        raise Stopped(en="Indexing was stopped.", zh="索引已停止。")
        yield

    with monkeypatch.context() as patched:
        patched.setattr(visitor.workspace, "reindex", stopped)
        last(visitor.chunks.apply_split(visitor.values() | split_values(visitor, 20, 0), visitor.request))
    assert visitor.workspace.settings == before and visitor.workspace.corpus().chunks == chunks
