import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from rag.config import Settings, SplitSettings
from rag.corpus.samples import Samples
from rag.errors import ChunkTooLong, Stopped
from rag.workspace import Upload, Workspace
from tests.fake_models import BigramEncoder, FakeModels
from tests.workspace_kit import OWN, Line, add, make, state, txt, use_samples, write_samples


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_samples(tmp_path)


@pytest.fixture
def line(folder: Path) -> Line:
    return make(folder)


def test_a_failing_rebuild_leaves_everything_as_it_was(folder: Path) -> None:
    encoder = BigramEncoder()
    workspace, _, _ = make(folder, encoder)
    add(workspace, txt("甲.txt", OWN))
    list(workspace.answer("年假有几天？", threading.Event()))
    before = state(workspace)
    encoder.limit = 30
    with pytest.raises(ChunkTooLong):
        add(workspace, txt("长.txt", "很长的制度，没有断句" * 20))
    assert state(workspace) == before
    # nor do the rows say that the file is in
    assert {key for r in workspace.reports() for key in r.keys} <= {d.key for d in workspace.own_documents()}


def test_a_failing_reindex_or_switch_leaves_everything_as_it_was(folder: Path) -> None:
    encoder = BigramEncoder()
    workspace, _, _ = make(folder, encoder)
    add(workspace, txt("甲.txt", OWN * 5))
    workspace.configure(replace(Settings(), split=SplitSettings(size=100, overlap=0)))
    before, encoder.limit = state(workspace), 60
    with pytest.raises(ChunkTooLong):
        list(workspace.reindex(threading.Event()))
    with pytest.raises(ChunkTooLong):
        use_samples(workspace, True)
    assert state(workspace) == before
    assert workspace.retrieve("年假").candidates


def test_the_row_of_a_file_whose_indexing_failed_says_why(folder: Path) -> None:
    encoder = BigramEncoder(limit=30)
    models = FakeModels(encoder, None, folder.parent / "cache")
    workspace = Workspace(Samples(models, folder), models)  # type: ignore[arg-type]
    with pytest.raises(ChunkTooLong):
        add(workspace, txt("长.txt", "很长的制度，没有断句" * 20), Upload("坏.pdf", b"%PDF-1.4 broken"))
    long, bad = workspace.reports()
    assert (long.name, long.state, long.keys) == ("长.txt", "error", ())
    assert "token" in long.message.en
    assert "token" in long.message.zh
    assert (bad.name, bad.state) == ("坏.pdf", "error")


@pytest.mark.parametrize("when", [1, 2, 3])
def test_stop_while_encoding_leaves_everything_as_it_was(folder: Path, when: int) -> None:
    encoder = BigramEncoder()
    workspace, _, _ = make(folder, encoder)
    add(workspace, txt("甲.txt", OWN))
    workspace.retrieve("年假")
    before, stop, pieces = state(workspace), threading.Event(), [0]

    def between() -> None:
        pieces[0] += 1
        if pieces[0] == when:
            stop.set()

    encoder.between = between
    with pytest.raises(Stopped):
        list(workspace.add([txt("长.txt", "".join(f"第{i}条。" for i in range(200)))], stop))
    assert pieces[0] == when
    assert state(workspace) == before
    encoder.between = lambda: None
    add(workspace, txt("短.txt", "停止之后再次添加文件仍然可以成功。"))
    assert len(workspace.own_documents()) == 2


@pytest.mark.parametrize("step", ["load", "split", "encode", "index"])
def test_stop_in_any_step_lands(line: Line, step: str) -> None:
    workspace, _, _ = line
    before, stop = state(workspace), threading.Event()
    uploads = [txt(f"第{i}份.txt", f"第{i}份制度的正文，说明第{i}种假期。" * 40) for i in range(40)]
    if step == "index":  # after the last vector there is no piece left that would notice
        line[1].encoder().between = lambda: stop.set() if len(line[1].encoder().encoded) >= total - 1 else None
        probe = Workspace(line[2], line[1])  # type: ignore[arg-type]
        at = len(line[1].encoder().encoded)
        total = 10**9
        add(probe, *uploads)
        total = at + 2 * (len(line[1].encoder().encoded) - at)
        with pytest.raises(Stopped):
            list(workspace.add(uploads, stop))
    else:
        with pytest.raises(Stopped):
            for progress in workspace.add(uploads, stop):
                if progress.step == step:
                    stop.set()
    assert state(workspace) == before


@pytest.mark.parametrize("change", ["remove", "use_samples"])
def test_removing_and_switching_yield_and_can_be_stopped(folder: Path, change: str) -> None:
    encoder = BigramEncoder()
    workspace, _, _ = make(folder, encoder)
    long = "".join(f"第{i}条 每年{i}天假。" for i in range(200))
    add(workspace, txt("甲.txt", OWN), txt("乙.txt", long))
    workspace.configure(replace(Settings(), split=SplitSettings(size=60, overlap=0)))  # so that all is encoded anew
    before, stop = state(workspace), threading.Event()
    encoder.between = lambda: time.sleep(0.3)
    key = workspace.own_documents()[0].key
    work = workspace.remove(key, stop) if change == "remove" else workspace.use_samples(True, stop)
    began, seen = time.monotonic(), 0
    with pytest.raises(Stopped):
        for _ in work:
            seen += 1
            if time.monotonic() - began > 0.2:
                stop.set()
    assert seen >= 2 and state(workspace) == before


def test_stop_lands_while_the_encoder_is_still_loading(line: Line) -> None:
    workspace, models, _ = line
    models.loading.set()
    stop = threading.Event()
    began = time.monotonic()
    with pytest.raises(Stopped):
        for _ in workspace.add([txt("甲.txt", OWN)], stop):
            if time.monotonic() - began > 0.3:
                stop.set()
            assert time.monotonic() - began < 3
    assert workspace.own_documents() == ()


def test_indexing_waits_for_an_encoder_on_its_way(line: Line) -> None:
    workspace, models, _ = line
    models.loading.set()
    threading.Timer(0.3, models.loading.clear).start()
    add(workspace, txt("甲.txt", OWN))
    assert workspace.corpus().dense is not None


def test_closing_the_iterator_stops_the_indexing(folder: Path) -> None:
    encoder = BigramEncoder()
    workspace, _, _ = make(folder, encoder)
    before = state(workspace)
    going, go_on = threading.Event(), threading.Event()

    def between() -> None:
        going.set()
        go_on.wait(5)

    encoder.between = between
    stop = threading.Event()
    iterator = workspace.add([txt("长.txt", "".join(f"第{i}条。" for i in range(200)))], stop)
    next(iterator)
    assert going.wait(5)
    iterator.close()  # type: ignore[attr-defined]
    assert stop.is_set()
    go_on.set()
    with workspace._changing.turn(threading.Event()):  # the indexing thread has ended
        assert state(workspace) == before


def test_a_closed_workspace_stays_empty_though_an_indexing_run_was_under_way(folder: Path) -> None:
    encoder = BigramEncoder()
    workspace, _, samples = make(folder, encoder)
    stop = threading.Event()
    for progress in workspace.add([txt("甲.txt", OWN)], stop):
        if progress.step == "index":
            break
    stop.set()
    workspace.close()
    with workspace._changing.turn(threading.Event()):
        assert workspace.own_documents() == ()
        assert workspace.reports() == ()
        assert workspace.corpus() is samples.corpus()


def test_an_error_that_is_a_bug_reaches_the_reader(folder: Path) -> None:
    encoder = BigramEncoder()
    workspace, _, _ = make(folder, encoder)
    before = state(workspace)

    def broken() -> None:
        raise ZeroDivisionError

    encoder.between = broken
    with pytest.raises(ZeroDivisionError):
        add(workspace, txt("甲.txt", OWN))
    assert state(workspace) == before
