import json
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from rag.config import Settings, SplitSettings
from rag.corpus.samples import Samples
from rag.errors import ModelLoading, SettingError
from rag.workspace import Upload, Workspace
from tests.fake_models import BigramEncoder, FakeModels, ReplyGenerator
from tests.workspace_kit import (
    OWN,
    Line,
    add,
    check_slices,
    make,
    origins,
    remove,
    state,
    txt,
    use_samples,
    write_samples,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_samples(tmp_path)


@pytest.fixture
def line(folder: Path) -> Line:
    return make(folder)


# ---- adding, and what is searched


def test_starts_on_the_samples(line: Line) -> None:
    workspace, _, samples = line
    assert workspace.corpus() is samples.corpus()
    assert workspace.own_documents() == ()
    assert origins(workspace.retrieve("每年有多少天带薪年假？")) == {"年假制度", "设备制度"}


def test_several_files_one_bad(line: Line) -> None:
    workspace, _, _ = line
    progress = add(
        workspace,
        txt("一.txt", OWN),
        Upload("坏.docx", b"PK\x03\x04 broken"),
        Upload("空.txt", b"  \n "),
        Upload("图.png", b"\x89PNG\r\n"),
        txt("二.txt", "出差须提前三天申请，由直属主管审批，差旅标准见附表。"),
    )
    reports = workspace.reports()
    assert [r.name for r in reports] == ["一.txt", "坏.docx", "空.txt", "图.png", "二.txt"]
    assert [r.state for r in reports] == ["ok", "error", "error", "error", "ok"]
    for report in reports:
        assert (report.keys == ()) == (report.state == "error")
        if report.state == "error":
            assert report.name in report.message.en
            assert report.name in report.message.zh
            assert report.message.en != report.message.zh
    assert [d.key for d in workspace.own_documents()] == [key for r in reports for key in r.keys]
    assert all(d.origin == "own" for d in workspace.own_documents())
    assert {p.step for p in progress} >= {"load", "split", "encode", "index"}


def test_only_bad_files_change_nothing_but_the_reports(line: Line) -> None:
    workspace, _, _ = line
    workspace.retrieve("年假")
    before = state(workspace)
    add(workspace, Upload("坏.pdf", b"%PDF-1.4 broken"))
    assert state(workspace) == before
    assert [r.state for r in workspace.reports()] == ["error"]


def test_own_files_only_after_the_first_own_file(line: Line) -> None:
    workspace, _, _ = line
    add(workspace, txt("我的制度.txt", OWN))
    found = workspace.retrieve("每年有多少天带薪年假？")
    assert origins(found) == {"我的制度"}
    assert found.prompt is not None
    assert "15天" not in found.prompt.text
    check_slices(found, workspace.corpus())


def test_use_samples_adds_them_and_takes_them_away_again(line: Line) -> None:
    workspace, _, _ = line
    add(workspace, txt("我的制度.txt", OWN))
    use_samples(workspace, True)
    assert workspace.include_samples
    assert origins(workspace.retrieve("每年有多少天带薪年假？")) == {"我的制度", "年假制度", "设备制度"}
    add(workspace, txt("又一份.txt", "又一份制度：每年体检一次，费用由公司承担。"))
    assert "年假制度" in origins(workspace.retrieve("每年有多少天带薪年假？"))
    use_samples(workspace, False)
    assert origins(workspace.retrieve("每年有多少天带薪年假？")) <= {"我的制度", "又一份"}


def test_removed_is_gone_and_the_last_removal_returns_to_the_samples(line: Line) -> None:
    workspace, _, samples = line
    add(workspace, txt("甲.txt", OWN), txt("乙.txt", "乙制度：年假须提前三天申请，由主管审批。"))
    first, second = (d.key for d in workspace.own_documents())
    remove(workspace, first)
    assert len(workspace.own_documents()) == 1
    found = workspace.retrieve("年假")
    assert origins(found) == {"乙"}
    assert all(first not in c.chunk_id for c in workspace.corpus().chunks)
    remove(workspace, second)
    assert workspace.own_documents() == ()
    assert workspace.corpus() is samples.corpus()
    assert workspace.own_documents() == ()
    assert origins(workspace.retrieve("年假")) == {"年假制度", "设备制度"}


@pytest.mark.parametrize("key", ["", "不存在@1", "年假制度@2026"])
def test_only_an_own_document_can_be_removed(line: Line, key: str) -> None:
    workspace, _, _ = line
    add(workspace, txt("甲.txt", OWN))
    before = state(workspace)
    with pytest.raises(SettingError) as caught:
        remove(workspace, key)
    assert key in caught.value.message("zh")
    assert state(workspace) == before


def test_the_last_own_file_can_be_removed_while_the_samples_are_not_there(folder: Path) -> None:
    models = FakeModels(BigramEncoder(), None, folder.parent / "cache")
    samples = Samples(models, folder)  # type: ignore[arg-type]
    workspace = Workspace(samples, models)  # type: ignore[arg-type]
    with pytest.raises(ModelLoading):
        workspace.retrieve("年假")
    add(workspace, txt("甲.txt", OWN))
    remove(workspace, workspace.own_documents()[0].key)
    assert workspace.own_documents() == ()
    with pytest.raises(ModelLoading):
        workspace.retrieve("年假")
    samples.prepare()
    assert workspace.corpus() is samples.corpus()


def test_same_key_is_replaced_and_said_so(line: Line) -> None:
    workspace, _, _ = line
    add(workspace, txt("甲_2025.txt", OWN), txt("乙.txt", "乙制度：年假须提前三天申请，由主管审批。"))
    add(workspace, txt("甲_2025.txt", "甲制度第二稿：每年三十三天年假，可以顺延。"))
    assert [r.state for r in workspace.reports()] == ["warning"]
    assert "“甲” 2025 (甲_2025.txt)" in workspace.reports()[0].message.en
    assert "《甲》2025（甲_2025.txt）" in workspace.reports()[0].message.zh
    texts = {d.key: d.text for d in workspace.own_documents()}
    assert len(texts) == 2
    assert "三十三天" in texts["甲@2025"]
    found = workspace.retrieve("二十二天年假")
    assert not any("二十二天" in c.chunk.text for c in found.candidates)
    assert len(workspace.corpus().documents) == 2


def test_a_version_added_again_is_the_newest_of_undated_ones(line: Line) -> None:
    workspace, _, _ = line
    old, new = txt("甲.txt", OWN), txt("甲.txt", "甲制度第二稿：每年三十三天年假，可以顺延。")
    add(workspace, old)
    add(workspace, new)
    assert "三十三" in workspace.retrieve("年假").candidates[0].chunk.text
    add(workspace, old)
    assert "二十二" in workspace.retrieve("年假").candidates[0].chunk.text


def test_a_sample_uploaded_as_own_file_is_there_once(line: Line, folder: Path) -> None:
    workspace, _, samples = line
    before = dict(samples.corpus().documents)
    add(workspace, *(Upload(p.name, p.read_bytes()) for p in sorted(folder.iterdir())))
    use_samples(workspace, True)
    corpus = workspace.corpus()
    assert set(corpus.documents) == set(before)
    assert {d.origin for d in corpus.documents.values()} == {"own"}
    ids = [chunk.chunk_id for chunk in corpus.chunks]
    assert len(ids) == len(set(ids))
    assert samples.corpus().documents == before
    remove(workspace, "年假制度@2026")
    assert {d.key: d.origin for d in workspace.corpus().documents.values()} == {
        "年假制度@2026": "sample",
        "设备制度@2026": "own",
    }


def test_keys_that_collide_in_one_file_lose_no_document(line: Line) -> None:
    workspace, _, _ = line
    rows = [
        {"doc_id": a, "version": b, "title": "t", "source": "s", "text": f"第{i}份制度的正文，每年{i}天。"}
        for i, (a, b) in enumerate([("a@b", "c"), ("a", "b@c")])
    ]
    add(workspace, Upload("双.json", json.dumps(rows).encode()))
    report = workspace.reports()[0]
    assert len(workspace.own_documents()) == len(set(report.keys)) == len(report.keys)
    if report.state == "error":  # refused whole, by name
        assert "双.json" in report.message.en
        assert report.keys == ()
    else:
        assert len(report.keys) == 2


def test_the_sample_corpus_is_changed_by_nobody(line: Line, folder: Path) -> None:
    workspace, _, samples = line
    corpus = samples.corpus()
    assert corpus.dense is not None
    facts = (dict(corpus.documents), corpus.chunks, corpus.dense.vectors.copy(), corpus.corpus_id)
    add(workspace, txt("甲.txt", OWN))
    use_samples(workspace, True)
    workspace.configure(replace(Settings(), split=SplitSettings(size=60, overlap=10)))
    list(workspace.reindex(threading.Event()))
    remove(workspace, workspace.own_documents()[0].key)
    list(workspace.reindex(threading.Event()))
    workspace.close()
    assert samples.corpus() is corpus
    assert (dict(corpus.documents), corpus.chunks, corpus.corpus_id) == (facts[0], facts[1], facts[3])
    assert (corpus.dense.vectors == facts[2]).all()


def test_what_was_encoded_is_not_encoded_again(folder: Path) -> None:
    encoder = BigramEncoder()
    workspace, _, _ = make(folder, encoder)
    encoder.encoded.clear()
    add(workspace, txt("甲.txt", OWN))
    use_samples(workspace, True)
    add(workspace, txt("乙.txt", "乙制度：年假须提前三天申请，由主管审批。"))
    assert len(encoder.encoded) == 2


# ---- split settings


def test_configure_says_when_chunks_change_and_reindex_follows(line: Line) -> None:
    workspace, _, samples = line
    same = replace(Settings(), search=replace(Settings().search, packed=2))
    assert workspace.configure(same) is False
    other = replace(same, split=SplitSettings(size=60, overlap=10))
    assert workspace.configure(other) is True
    # until then the old chunks are searched, and the trace says which
    assert dict(workspace.retrieve("年假").trace.settings)["split.size"] == "240"
    list(workspace.reindex(threading.Event()))
    assert workspace.configure(other) is False
    assert all(len(c.text) <= 60 for c in workspace.corpus().chunks)
    assert dict(workspace.retrieve("年假").trace.settings)["split.size"] == "60"
    assert workspace.corpus() is not samples.corpus()


def test_preview_shows_other_chunks_and_builds_nothing(line: Line) -> None:
    workspace, models, _ = line
    before, encoded = state(workspace), len(models.encoder().encoded)
    key = next(iter(workspace.corpus().documents))
    text = workspace.corpus().documents[key].text
    chunks = workspace.preview(key, SplitSettings(size=50, overlap=0))
    assert "".join(c.text for c in chunks) == text
    assert all(c.n_tokens > 0 for c in chunks)
    assert state(workspace) == before
    assert len(models.encoder().encoded) == encoded
    with pytest.raises(SettingError):
        workspace.preview("别人的@1", SplitSettings())


# ---- without models


def test_without_an_encoder_own_files_are_searched_by_words(folder: Path) -> None:
    models = FakeModels(None, ReplyGenerator(), folder.parent / "cache")
    samples = Samples(models, folder)  # type: ignore[arg-type]
    samples.prepare()
    workspace = Workspace(samples, models)  # type: ignore[arg-type]
    add(workspace, txt("甲.txt", OWN))
    found = workspace.retrieve("带薪年假")
    assert workspace.corpus().dense is None
    assert [s.name for s in found.trace.steps if s.skipped][:1] == ["dense"]
    assert origins(found) == {"甲"}
