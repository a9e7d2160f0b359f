"""A visitor's files are read in another process: what happens there is one row, and the page goes on."""

import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from rag.config import Limits
from rag.corpus.load import process
from rag.corpus.load.process import ReadingRoom
from rag.errors import Stopped
from rag.workspace import Upload, Workspace
from tests.workspace_kit import OWN, add, make, state, txt, write_samples

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the limits are those of Linux")

WORKER = """
import os, re, time
import rag.corpus.load.worker as worker
real = worker.load
def load(name, data, *rest):
    if name.startswith("crash"):
        os.abort()
    if name.startswith("hang"):
        re.match("(a+)+$", "a" * 40 + "b")
    if name.startswith("eat"):
        data = b"x" * 2_000_000_000
    return real(name, data, *rest)
worker.load = load
worker.main()
"""
NewWorkspace = Callable[[Limits], Workspace]


@pytest.fixture
def new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> NewWorkspace:
    monkeypatch.setattr(process, "_WORKER", ("-c", WORKER))
    _, models, samples = make(write_samples(tmp_path))
    return lambda limits: Workspace(samples, models, limits, ReadingRoom())  # type: ignore[arg-type]


def test_what_ends_the_reading_process_is_the_row_of_its_file(new: NewWorkspace) -> None:
    workspace = new(Limits(parse_seconds=5.0, parse_bytes=600_000_000))
    names = ["甲.txt", "crash.txt", "乙.txt", "hang.txt", "eat.txt", "丙.txt"]
    add(workspace, *(txt(name, OWN + name) for name in names))
    assert [r.state for r in workspace.reports()] == ["ok", "error", "ok", "error", "error", "ok"]
    for report in workspace.reports():
        if report.state == "error":
            assert report.name in report.message.en and report.name in report.message.zh
    assert "5 秒（单个文件的上限）" in workspace.reports()[3].message.zh
    assert "600 MB" in workspace.reports()[4].message.zh
    assert [d.file for d in workspace.own_documents()] == ["甲.txt", "乙.txt", "丙.txt"]
    assert workspace.retrieve("年假有几天？").candidates


def test_others_are_answered_while_a_file_is_read_and_stop_is_heeded(new: NewWorkspace) -> None:
    workspace, other, stop = new(Limits()), new(Limits()), threading.Event()
    before, details, answered, until = state(workspace), [], 0, time.monotonic() + 60
    with pytest.raises(Stopped):
        for progress in workspace.add([txt("hang.txt", OWN)], stop):
            details.append(progress.detail)
            if " · " in progress.detail and answered < 3:  # the file is under way
                answered += bool(other.retrieve("年假有几天？").candidates)
            if answered == 3 or time.monotonic() > until:
                stop.set()
    assert answered == 3
    assert details[0] in ("", "hang.txt") and details[-1].startswith("hang.txt · ") and details[-1].endswith(" s")
    assert state(workspace) == before
    add(workspace, txt("甲.txt", OWN))  # a new process
    assert [r.state for r in workspace.reports()] == ["ok"]


def test_a_report_in_place_of_a_file_starts_no_process(new: NewWorkspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_start", lambda *_: pytest.fail("started"))
    workspace = new(Limits(file_bytes=3))
    add(workspace, Upload("大.txt", b"too large"))
    assert [r.state for r in workspace.reports()] == ["error"]
