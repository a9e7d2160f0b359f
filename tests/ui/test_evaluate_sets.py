"""Question sets on the Evaluate tab: loaded, edited, drafted, saved; nothing is lost by a mistake."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gradio as gr
import pytest

from rag.config import Limits
from rag.evaluate.question_files import read_questions, sample_set
from rag.evaluate.questions import FIELDS
from rag.ui import set_handlers
from rag.ui.app import App
from tests.ui.evaluate_kit import ABSENT, GOOD, ROWS, Evaluator, jsonl
from tests.ui.fakes import page_app

OWN = "第一条 访客进入办公区应当在前台登记，由接待人全程陪同。第二条 访客证当日有效，离开时交还前台。"


@pytest.fixture
def visitor(app: App, request: pytest.FixtureRequest) -> Evaluator:
    return Evaluator(app, request.node.name)


def test_the_samples_are_the_set_until_there_are_own_documents(visitor: Evaluator) -> None:
    n = len(sample_set().questions)
    opened = visitor.checked("opened", visitor.sets.opened(visitor.request))
    assert f"共 {n} 题" in opened[visitor.tab.set_line] and len(opened[visitor.tab.table]["data"]) == n
    again = visitor.sets.opened(visitor.request)
    assert visitor.tab.table not in again  # what somebody is editing is not written over
    visitor.upload("own.txt", OWN.encode())
    assert "还没有题集" in visitor.sets.opened(visitor.request)[visitor.tab.set_line]
    with pytest.raises(gr.Error, match="还没有题集"):
        visitor.run()
    shown = visitor.checked("take_samples", visitor.sets.take_samples(visitor.request))
    assert "找不到" in shown[visitor.tab.set_line] and "warning" in shown[visitor.tab.set_line]


def test_a_file_is_read_counted_and_compared_with_what_is_searched(visitor: Evaluator) -> None:
    shown = visitor.bring(jsonl(*ROWS), "我的题.jsonl")
    line = shown[visitor.tab.set_line]
    assert "我的题.jsonl：共 4 题 · 应回答 3 · 应拒答 1" in line and "有 1 题的 1 处依据" in line
    assert shown[visitor.tab.upload] is None  # so that the same file can be chosen again
    assert [value for _, value in shown[visitor.tab.categories].choices] == ["plain", "odd"]
    table = "问题,备注\n年假几天？,x\n".encode()
    shown = visitor.bring(table, "q.csv")
    assert "备注" in shown[visitor.tab.set_note] and "未标注 1" in shown[visitor.tab.set_line]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("q.jsonl", b"{"), ("q.jsonl", b""), ("q.csv", "甲,乙\n1,2\n".encode()), ("q.xlsx", b"PK\x03\x04broken"),
        ("q.jsonl", jsonl(GOOD, GOOD)), ("q.jsonl", jsonl({"question": ""})), ("q.bin", bytes(range(256))),
        ("q.jsonl", jsonl(*({"question": str(n)} for n in range(1001)))),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_read_leaves_the_set(visitor: Evaluator, name: str, data: bytes) -> None:
    visitor.bring(jsonl(*ROWS))
    before = visitor.visit.questions
    shown = visitor.bring(data, name)
    assert "error" in shown[visitor.tab.set_note] and visitor.visit.questions is before
    assert visitor.tab.table not in shown and shown[visitor.tab.upload] is None


def test_odd_uploads_are_told(visitor: Evaluator) -> None:
    for sent in (None, [], "x", 5, {"path": "/etc/passwd"}, {"path": 1}, [{}, {}], {}):
        shown = visitor.sets.upload(sent, visitor.request)
        assert "error" in shown[visitor.tab.set_note]
    assert visitor.visit.questions is None


def test_a_file_over_the_limit_is_told(tmp_path: Path) -> None:
    app, _ = page_app(tmp_path, limits=Limits(file_bytes=100))
    try:
        visitor = Evaluator(app)
        assert "字节" in visitor.bring(jsonl(*ROWS))[visitor.tab.set_note] and visitor.visit.questions is None
    finally:
        app.close()


def test_an_unchanged_table_gives_the_same_questions(visitor: Evaluator) -> None:
    shown = visitor.checked("take_samples", visitor.sets.take_samples(visitor.request))
    applied = visitor.checked("apply", visitor.sets.apply(shown[visitor.tab.table], visitor.request))
    assert visitor.visit.questions == sample_set() and "info" in applied[visitor.tab.edit_note]


def test_edits_are_taken_or_told_by_row_and_field(visitor: Evaluator) -> None:
    table = visitor.bring(jsonl(*ROWS))[visitor.tab.table]
    heads, rows = table["headers"], [list(row) for row in table["data"]]
    at = {field: n for n, field in enumerate(FIELDS)}
    rows[1][at["points"]] = "3000\n三千"
    rows.append(["", "新的问题？", *[None] * (len(FIELDS) - 2)])
    visitor.sets.apply({"headers": heads, "data": rows, "metadata": None}, visitor.request)
    assert visitor.visit.questions is not None and visitor.visit.questions.name == "set.jsonl（已编辑）"
    assert visitor.visit.questions.questions[1].points == ("3000", "三千")
    assert visitor.visit.questions.questions[4].question == "新的问题？"
    before = visitor.visit.questions
    rows[2][at["as_of"]] = "someday"
    told = visitor.checked("apply", visitor.sets.apply({"headers": heads, "data": rows}, visitor.request))
    assert visitor.visit.questions is before and visitor.tab.table not in told
    assert "3" in told[visitor.tab.edit_note] and "as_of" in told[visitor.tab.edit_note]


@pytest.mark.parametrize(
    "table",
    [None, [], "x", {}, {"headers": [], "data": []}, {"headers": ["question"], "data": "x"}, {"headers": 1, "data": [[]]},
     {"headers": ["question"], "data": [1]}, {"headers": ["a", "b"], "data": [["1", "2"]]},
     {"headers": [None, {"a": 1}], "data": [[{}, []]]}, {"headers": ["question"], "data": [["x"] * 3] * 1001}],
)  # fmt: skip
def test_odd_tables_change_nothing(visitor: Evaluator, table: Any) -> None:
    visitor.bring(jsonl(*ROWS))
    before = visitor.visit.questions
    assert "error" in visitor.sets.apply(table, visitor.request)[visitor.tab.edit_note]
    assert visitor.visit.questions is before


@pytest.mark.parametrize("kind", ["jsonl", "csv", "xlsx"])
def test_what_is_saved_reads_back_the_same(visitor: Evaluator, kind: str) -> None:
    visitor.bring(
        jsonl(*ROWS, {"question": "=1+1 \"'<b>", "points": ["@x", "a|b"], "as_of": "2026-01-02", "groups": ["hr"]})
    )
    save = {"jsonl": visitor.sets.save_jsonl, "csv": visitor.sets.save_csv, "xlsx": visitor.sets.save_xlsx}[kind]
    sent = visitor.checked(f"save_{kind}", save(visitor.request))
    assert sent[visitor.tab.download]["name"] == f"questions.{kind}"
    assert visitor.visit.questions is not None
    assert read_questions(f"x.{kind}", visitor.saved(sent)).questions.questions == visitor.visit.questions.questions


def test_what_was_said_of_another_set_goes_when_this_one_comes(visitor: Evaluator) -> None:
    tab, sets, request = visitor.tab, visitor.sets, visitor.request
    brought = visitor.bring(jsonl(*ROWS), "mine.jsonl")
    assert "mine.jsonl" in brought[tab.set_note] and brought[tab.edit_note] == ""
    table = {"headers": brought[tab.table]["headers"], "data": brought[tab.table]["data"][:2]}
    applied = visitor.checked("apply", sets.apply(table, request))
    assert "共 2 题" in applied[tab.edit_note] and applied[tab.set_note] == ""
    samples = visitor.checked("take_samples", sets.take_samples(request))
    assert samples[tab.edit_note] == "" and "示例题集" in samples[tab.set_note]


def test_a_run_that_could_not_begin_is_not_complained_of_once_there_is_a_set(visitor: Evaluator) -> None:
    visitor.upload("own.txt", OWN.encode())
    with pytest.raises(gr.Error, match="还没有题集"):
        visitor.run()
    assert visitor.bring(jsonl(*ROWS))[visitor.tab.progress] == ""
    visitor.run()
    assert visitor.tab.progress not in visitor.bring(jsonl(*ROWS))  # this line is about the results below it


@pytest.fixture
def drafting(tmp_path: Path) -> Iterator[Evaluator]:
    app, _ = page_app(tmp_path, reply="访客进入办公区要在哪里登记？", before=0.2)
    yield Evaluator(app)
    app.close()


def test_drafts_are_of_own_documents_and_marked(drafting: Evaluator) -> None:
    visitor = drafting
    with pytest.raises(gr.Error, match="自己的文档"):
        visitor.streamed("draft", visitor.sets.draft(3, visitor.request))
    visitor.upload("visitors.txt", OWN.encode())
    for odd in (0, 51, None, "3", 2.5):
        with pytest.raises(gr.Error, match="整数"):
            visitor.streamed("draft", visitor.sets.draft(odd, visitor.request))
    visitor.bring(jsonl(ABSENT))
    shown = visitor.streamed("draft", visitor.sets.draft(3, visitor.request))
    found = visitor.visit.questions
    assert found is not None and found.questions[0].id == "absent" and not found.questions[0].draft
    drafts = found.questions[1:]
    assert len(drafts) == 1 and drafts[0].draft and drafts[0].relevant
    assert "待核对草稿 1" in shown[visitor.tab.set_line] and len(shown[visitor.tab.table]["data"]) == 2
    # again: its passage has its draft
    shown = visitor.streamed("draft", visitor.sets.draft(3, visitor.request))
    assert visitor.visit.questions is found and "都已有草稿" in shown[visitor.tab.edit_note]


def test_drafting_stops(drafting: Evaluator) -> None:
    visitor = drafting
    visitor.upload("visitors.txt", "\n\n".join(OWN.replace("访客", f"访客{n}") for n in range(40)).encode())
    threading.Timer(0.7, visitor.sets.stop_draft, (visitor.request,)).start()
    began = time.perf_counter()
    visitor.streamed("draft", visitor.sets.draft(50, visitor.request))
    assert time.perf_counter() - began < 4
    assert visitor.visit.questions is not None and [q.draft for q in visitor.visit.questions.questions] == [True]


def test_a_table_over_the_size_of_a_file_is_refused(visitor: Evaluator) -> None:
    visitor.bring(jsonl(*ROWS))
    before = visitor.visit.questions
    points = "\n".join("x" * 1900 + str(i) for i in range(200))
    table = {"headers": ["question", "points"], "data": [[f"q{i}", points] for i in range(27)]}
    assert "百万字符" in visitor.sets.apply(table, visitor.request)[visitor.tab.edit_note]
    assert visitor.visit.questions is before
    table["data"] = table["data"][:26]
    visitor.sets.apply(table, visitor.request)
    assert visitor.visit.questions is not None and len(visitor.visit.questions.questions) == 26


def test_the_page_follows_the_set_in_use(visitor: Evaluator) -> None:
    samples = visitor.sets.opened(visitor.request)[visitor.tab.table]
    visitor.upload("own.txt", OWN.encode())
    # what was applied to the samples is not taken for a set about the own document
    told = visitor.checked("apply", visitor.sets.apply(samples, visitor.request))
    assert "未应用" in told[visitor.tab.edit_note] and visitor.visit.questions is None
    assert told[visitor.tab.table]["data"] == []
    empty = {"headers": samples["headers"], "data": [[""] * len(FIELDS)]}
    told = visitor.sets.apply(empty, visitor.request)
    assert "没有题目" in told[visitor.tab.edit_note] and visitor.visit.questions is None
    visitor.remove(visitor.workspace.own_documents()[0].key)
    opened = visitor.sets.opened(visitor.request)
    assert opened[visitor.tab.table] == samples and len(opened[visitor.tab.categories].choices) > 1
    assert visitor.tab.table not in visitor.sets.opened(visitor.request)


def test_only_the_built_in_questions_are_called_so(visitor: Evaluator) -> None:
    shown = visitor.sets.opened(visitor.request)
    assert "示例题集：" in shown[visitor.tab.set_line]
    table = shown[visitor.tab.table]
    rows = [list(row) for row in table["data"]][:-1]
    for _ in range(2):  # said once, however often it is edited
        rows = rows[:-1]
        shown = visitor.sets.apply({"headers": table["headers"], "data": rows}, visitor.request)
        assert "示例题集（已编辑）：" in shown[visitor.tab.set_line]
    for name in ("sample", "draft"):
        assert f"{name}：" in visitor.bring(jsonl(GOOD), name)[visitor.tab.set_line]


def test_a_set_begun_in_the_table_has_a_name(visitor: Evaluator) -> None:
    visitor.upload("own.txt", OWN.encode())
    visitor.sets.opened(visitor.request)
    for asked in ("甲吗？", "乙吗？"):
        shown = visitor.sets.apply({"headers": ["question"], "data": [[asked]]}, visitor.request)
        assert "自编题集：" in shown[visitor.tab.set_line]


MANY = "\n\n".join(OWN.replace("访客", f"访客{n}") for n in range(40))


def test_a_nearly_full_set_takes_as_many_drafts_as_it_holds(
    drafting: Evaluator, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor = drafting
    visitor.upload("visitors.txt", MANY.encode())
    monkeypatch.setattr(set_handlers, "MOST_QUESTIONS", 2)
    visitor.bring(jsonl(ABSENT))
    visitor.streamed("draft", visitor.sets.draft(5, visitor.request))
    assert visitor.visit.questions is not None and len(visitor.visit.questions.questions) == 2
    with pytest.raises(gr.Error, match="达到上限"):
        visitor.streamed("draft", visitor.sets.draft(5, visitor.request))


def test_an_error_midway_leaves_the_drafts_made(drafting: Evaluator, monkeypatch: pytest.MonkeyPatch) -> None:
    visitor = drafting
    visitor.upload("visitors.txt", MANY.encode())
    real = set_handlers.draft_questions

    def broken(*args: Any, **named: Any) -> Iterator[Any]:
        yield next(real(*args, **named))
        raise ZeroDivisionError("secret")

    monkeypatch.setattr(set_handlers, "draft_questions", broken)
    shown = visitor.streamed("draft", visitor.sets.draft(5, visitor.request))
    assert visitor.visit.questions is not None and len(visitor.visit.questions.questions) == 1
    assert "error" in shown[visitor.tab.edit_note] and "secret" not in shown[visitor.tab.edit_note]
    assert "自编题集" in shown[visitor.tab.set_line]


def test_nothing_drafted_is_no_set(drafting: Evaluator) -> None:
    visitor = drafting
    visitor.upload("visitors.txt", "短。".encode())
    shown = visitor.streamed("draft", visitor.sets.draft(5, visitor.request))
    assert visitor.visit.questions is None and "还没有题集" in shown[visitor.tab.set_line]


def test_a_set_brought_while_drafts_are_made_keeps_its_place(drafting: Evaluator) -> None:
    visitor = drafting
    visitor.upload("visitors.txt", OWN.encode())
    updates = visitor.sets.draft(1, visitor.request)
    next(updates)
    visitor.bring(jsonl(ABSENT))
    visitor.streamed("draft", updates)
    assert visitor.visit.questions is not None
    assert [q.draft for q in visitor.visit.questions.questions] == [False, True]


def test_a_visitor_drafts_once_at_a_time(drafting: Evaluator) -> None:
    visitor = drafting
    visitor.upload("visitors.txt", MANY.encode())
    first = visitor.sets.draft(5, visitor.request)
    next(first)
    second = visitor.sets.draft(1, visitor.request)
    next(second)
    assert all(visitor.tab.set_line not in update for update in first)  # it ends, and the page is the second's
    visitor.streamed("draft", second)
    assert visitor.visit.questions is not None and len(visitor.visit.questions.questions) == 1
    assert not visitor.visit.stop("draft")


def test_drafts_of_a_visit_that_ended_are_nobodys(drafting: Evaluator) -> None:
    visitor = drafting
    visitor.upload("visitors.txt", MANY.encode())
    updates = visitor.sets.draft(5, visitor.request)
    for update in updates:
        if "已得 1" in str(update):
            break
    visitor.visit.end()
    list(updates)
    assert visitor.visit.questions is None


def test_a_wrong_row_is_told_in_one_language(visitor: Evaluator) -> None:
    told = visitor.bring(b"question,refuse,points\na,,\nb,yes,x\n", "q.csv")[visitor.tab.set_note]
    assert "q.csv 第 3 行：字段 refuse 应为空或 false：" in told
