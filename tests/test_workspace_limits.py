import json
import re
import threading
from pathlib import Path

import pytest

from rag.config import Limits, Settings, SplitSettings
from rag.errors import LimitReached, SettingError
from rag.limits import about
from rag.workspace import Upload, Workspace
from tests.fake_models import BigramEncoder
from tests.workspace_kit import OWN, Line, add, held, make, remove, state, txt, write_samples


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_samples(tmp_path)


@pytest.fixture
def line(folder: Path) -> Line:
    return make(folder)


def test_limit_on_bytes_of_a_file(folder: Path) -> None:
    workspace, _, _ = make(folder, limits=Limits(file_bytes=100))
    add(workspace, txt("大.txt", "长" * 34), txt("小.txt", "短文也是制度，请遵守。"))
    big, small = workspace.reports()
    assert (big.state, small.state) == ("error", "ok")
    for message in (big.message.en, big.message.zh):
        assert "大.txt" in message
        assert "100" in message


def test_limit_on_bytes_together_counts_what_is_there_and_frees_what_is_removed(folder: Path) -> None:
    workspace, _, _ = make(folder, limits=Limits(total_bytes=100))
    add(workspace, txt("甲.txt", "甲" * 20), txt("乙.txt", "乙" * 20), txt("丙.txt", "丙" * 13))
    assert [r.state for r in workspace.reports()] == ["ok", "error", "ok"]  # 60, then 60 too many, then 39
    assert "100" in workspace.reports()[1].message.zh
    remove(workspace, next(d.key for d in workspace.own_documents() if d.doc_id == "甲"))
    add(workspace, txt("乙.txt", "乙" * 20))
    assert [r.state for r in workspace.reports()] == ["ok"]
    add(workspace, txt("丁.txt", "丁" * 2))
    assert [r.state for r in workspace.reports()] == ["error"]  # 99 + 6


def test_removing_one_document_of_a_file_does_not_free_the_others(folder: Path) -> None:
    workspace, _, _ = make(folder, limits=Limits(total_bytes=1500))
    rows = [
        {"doc_id": f"d{i}", "version": "1", "title": "t", "source": "s", "text": "规" * n}
        for i, n in enumerate([2, 300])
    ]
    data = json.dumps(rows, ensure_ascii=False).encode()
    assert 900 < len(data) < 1200
    add(workspace, Upload("两份.json", data))
    assert len(data) <= held(workspace) <= len(data) + 1
    remove(workspace, "d0@1")
    assert held(workspace) > 0.95 * len(data)
    remove(workspace, "d1@1")
    assert held(workspace) == 0


def test_limit_on_documents(folder: Path) -> None:
    workspace, _, _ = make(folder, limits=Limits(files=2))
    add(workspace, *(txt(f"第{i}份.txt", f"第{i}份制度的正文，请各部门遵守。") for i in range(3)))
    assert [r.state for r in workspace.reports()] == ["ok", "ok", "error"]
    assert "2" in workspace.reports()[2].message.en
    assert len(workspace.own_documents()) == 2
    add(workspace, txt("第1份.txt", "第1份制度的正文，请各部门遵守。"))  # replaces: still two
    assert workspace.reports()[0].state == "warning"


@pytest.mark.parametrize("question", ["", "  \n\t　", "\ud800"])
def test_empty_question(line: Line, question: str) -> None:
    for ask in (line[0].retrieve, lambda q: list(line[0].answer(q, threading.Event()))):
        with pytest.raises(SettingError) as caught:
            ask(question)
        assert caught.value.message("en") != caught.value.message("zh")


def test_question_too_long(folder: Path) -> None:
    workspace, _, _ = make(folder, limits=Limits(question_characters=10))
    workspace.retrieve(" " * 50 + "年" * 10 + "\n" * 50)
    with pytest.raises(LimitReached) as caught:
        workspace.retrieve("年" * 11)
    for language in ("en", "zh"):
        assert "11" in caught.value.message(language)
        assert "10" in caught.value.message(language)


def test_questions_a_minute_are_each_visitors_own(folder: Path) -> None:
    workspace, models, samples = make(folder, limits=Limits(questions_per_minute=3))
    other = Workspace(samples, models, Limits(questions_per_minute=3))  # type: ignore[arg-type]
    workspace.retrieve("年假")
    list(workspace.answer("年假", threading.Event()))  # answers what was retrieved: the same question
    list(workspace.answer("年假", threading.Event()))  # answers it again
    workspace.retrieve("设备")
    with pytest.raises(LimitReached) as caught:
        workspace.retrieve("设备")
    assert "3" in caught.value.message("zh")
    list(workspace.answer("设备", threading.Event()))
    with pytest.raises(LimitReached):
        list(workspace.answer("设备", threading.Event()))
    other.retrieve("设备")


def test_limit_on_chunks_of_an_index_and_of_a_preview(folder: Path) -> None:
    workspace, models, _ = make(folder, limits=Limits(chunks=12))
    add(workspace, txt("短.txt", "制度规定。" * 100))
    before = workspace.corpus()
    with pytest.raises(LimitReached, match="12"):
        add(workspace, txt("长.txt", "制度规定。" * 600))  # 3,500 characters together, 17 windows
    assert [r.state for r in workspace.reports()] == ["error"]
    assert workspace.corpus() is before
    with pytest.raises(LimitReached, match="smaller overlap"):
        workspace.preview(workspace.own_documents()[0].key, SplitSettings("fixed", 20, 19))


CLAUSES = "\n".join(f"第{n}条 员工应当遵守本制度的各项规定，如有违反按照有关办法处理。" for n in range(1, 4001))


def test_the_limit_on_chunks_is_of_those_that_are_made(folder: Path) -> None:
    """Clauses are chunks of their own: of these 4,000 the estimate by size sees a sixth."""
    encoder = BigramEncoder()
    workspace, _, _ = make(folder, encoder, Limits(chunks=1000))
    workspace.configure(Settings(split=SplitSettings("structure", 240, 40)))
    add(workspace, txt("短.txt", OWN))
    before, encoded = state(workspace), list(encoder.encoded)
    assert about(len(CLAUSES), SplitSettings("structure", 240, 40)) < 1000
    with pytest.raises(LimitReached, match="are at least 4,00[01].*1,000") as caught:
        add(workspace, txt("条款.txt", CLAUSES))
    assert re.search("4,00[01].*1,000", caught.value.message("zh"))
    assert [r.state for r in workspace.reports()] == ["error"]
    assert state(workspace) == before and encoder.encoded == encoded  # refused before anything is encoded
    assert workspace.retrieve("年假").candidates


def test_a_preview_of_too_many_chunks_and_a_new_split_leave_the_index(folder: Path) -> None:
    workspace, _, _ = make(folder, limits=Limits(chunks=1000))
    add(workspace, txt("条款.txt", CLAUSES))  # windows
    before, clauses = state(workspace), SplitSettings("structure", 240, 40)
    with pytest.raises(LimitReached, match="are at least 4,000.*1,000"):
        workspace.preview(workspace.own_documents()[0].key, clauses)
    workspace.configure(Settings(split=clauses))
    with pytest.raises(LimitReached, match="are at least 4,000.*1,000"):
        list(workspace.reindex(threading.Event()))
    assert state(workspace) == before
