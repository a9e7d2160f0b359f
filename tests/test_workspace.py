import contextlib
import json
import random
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from rag.config import Limits, Settings, SplitSettings
from rag.corpus.index import Corpus, Progress
from rag.corpus.samples import Samples
from rag.errors import ChunkTooLong, LimitReached, ModelLoading, NothingFits, RagError, SettingError, Stopped
from rag.models.roles import Models
from rag.types import Answer, Retrieval
from rag.workspace import Upload, Workspace
from tests.fake_models import BigramEncoder, FakeModels, ReplyGenerator

SAMPLE_FILES = {
    "年假制度_2026.txt": "年假制度\n员工入职满一年后，每年可享受15天带薪年假。" + "年假应当在当年休完。" * 30,
    "设备制度_2026.txt": "设备制度\n办公设备报销额度为每人每年3000元。" + "设备领用须登记。" * 30,
}
OWN = "本公司员工每年可享受二十二天带薪年假，另有生日假一天。"
Line = tuple[Workspace, FakeModels, Samples]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "samples"
    made.mkdir()
    for name, text in SAMPLE_FILES.items():
        (made / name).write_text(text, encoding="utf-8")
    return made


def make(
    folder: Path, encoder: BigramEncoder | None = None, limits: Limits | None = None, generator: bool = True
) -> Line:
    models = FakeModels(encoder or BigramEncoder(), ReplyGenerator() if generator else None, folder.parent / "cache")
    samples = Samples(models, folder)  # type: ignore[arg-type]
    samples.prepare()
    assert samples.ready(), samples.problem()
    return Workspace(samples, models, limits), models, samples  # type: ignore[arg-type]


@pytest.fixture
def line(folder: Path) -> Line:
    return make(folder)


def txt(name: str, text: str) -> Upload:
    return Upload(name, text.encode())


def add(workspace: Workspace, *uploads: Upload) -> list[Progress]:
    return list(workspace.add(uploads, threading.Event()))


def origins(found: Retrieval) -> set[str]:
    return {c.chunk.key.split("@")[0] for c in found.candidates}


def state(workspace: Workspace) -> tuple[object, ...]:
    return (
        workspace.own_documents(),
        workspace.corpus(),
        workspace.include_samples,
        dict(workspace._own),
        workspace.last_retrieval,
        workspace.last_answer,
    )


def held(workspace: Workspace) -> int:
    return sum(h.size for h in workspace._own.values())


def check_slices(found: Retrieval, corpus: Corpus) -> None:
    for candidate in found.candidates:
        chunk = candidate.chunk
        assert corpus.documents[chunk.key].text[chunk.start : chunk.end] == chunk.text


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
    workspace.use_samples(True)
    assert workspace.include_samples
    assert origins(workspace.retrieve("每年有多少天带薪年假？")) == {"我的制度", "年假制度", "设备制度"}
    add(workspace, txt("又一份.txt", "又一份制度：每年体检一次，费用由公司承担。"))
    assert "年假制度" in origins(workspace.retrieve("每年有多少天带薪年假？"))
    workspace.use_samples(False)
    assert origins(workspace.retrieve("每年有多少天带薪年假？")) <= {"我的制度", "又一份"}


def test_removed_is_gone_and_the_last_removal_returns_to_the_samples(line: Line) -> None:
    workspace, _, samples = line
    add(workspace, txt("甲.txt", OWN), txt("乙.txt", "乙制度：年假须提前三天申请，由主管审批。"))
    first, second = (d.key for d in workspace.own_documents())
    assert workspace.remove(first) is False
    found = workspace.retrieve("年假")
    assert origins(found) == {"乙"}
    assert all(first not in c.chunk_id for c in workspace.corpus().chunks)
    assert workspace.remove(second) is True
    assert workspace.corpus() is samples.corpus()
    assert workspace.own_documents() == ()
    assert origins(workspace.retrieve("年假")) == {"年假制度", "设备制度"}


@pytest.mark.parametrize("key", ["", "不存在@1", "年假制度@2026"])
def test_only_an_own_document_can_be_removed(line: Line, key: str) -> None:
    workspace, _, _ = line
    add(workspace, txt("甲.txt", OWN))
    before = state(workspace)
    with pytest.raises(SettingError) as caught:
        workspace.remove(key)
    assert key in caught.value.message("zh")
    assert state(workspace) == before


def test_the_last_own_file_can_be_removed_while_the_samples_are_not_there(folder: Path) -> None:
    models = FakeModels(BigramEncoder(), None, folder.parent / "cache")
    samples = Samples(models, folder)  # type: ignore[arg-type]
    workspace = Workspace(samples, models)  # type: ignore[arg-type]
    with pytest.raises(ModelLoading):
        workspace.retrieve("年假")
    add(workspace, txt("甲.txt", OWN))
    assert workspace.remove(workspace.own_documents()[0].key) is True
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
    assert "甲@2025" in workspace.reports()[0].message.en
    assert "甲@2025" in workspace.reports()[0].message.zh
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
    workspace.use_samples(True)
    corpus = workspace.corpus()
    assert set(corpus.documents) == set(before)
    assert {d.origin for d in corpus.documents.values()} == {"own"}
    ids = [chunk.chunk_id for chunk in corpus.chunks]
    assert len(ids) == len(set(ids))
    assert samples.corpus().documents == before
    workspace.remove("年假制度@2026")
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
    workspace.use_samples(True)
    workspace.configure(replace(Settings(), split=SplitSettings(size=60, overlap=10)))
    list(workspace.reindex(threading.Event()))
    workspace.remove(workspace.own_documents()[0].key)
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
    workspace.use_samples(True)
    add(workspace, txt("乙.txt", "乙制度：年假须提前三天申请，由主管审批。"))
    assert len(encoder.encoded) == 2


# ---- all or nothing


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
        workspace.use_samples(True)
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
    with workspace._changing:  # the indexing thread has ended
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
    with workspace._changing:
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


# ---- limits


def test_limit_on_bytes_of_a_file(folder: Path) -> None:
    workspace, _, _ = make(folder, limits=Limits(file_bytes=100))
    add(workspace, txt("大.txt", "长" * 34), txt("小.txt", "短文也是制度，请遵守。"))
    big, small = workspace.reports()
    assert (big.state, small.state) == ("error", "ok")
    for message in (big.message.en, big.message.zh):
        assert "大.txt" in message
        assert "100" in message
        assert "102" in message


def test_limit_on_bytes_together_counts_what_is_there_and_frees_what_is_removed(folder: Path) -> None:
    workspace, _, _ = make(folder, limits=Limits(total_bytes=100))
    add(workspace, txt("甲.txt", "甲" * 20), txt("乙.txt", "乙" * 20), txt("丙.txt", "丙" * 13))
    assert [r.state for r in workspace.reports()] == ["ok", "error", "ok"]  # 60, then 60 too many, then 39
    assert "100" in workspace.reports()[1].message.zh
    workspace.remove(next(d.key for d in workspace.own_documents() if d.doc_id == "甲"))
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
    workspace.remove("d0@1")
    assert held(workspace) > 0.95 * len(data)
    workspace.remove("d1@1")
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
    list(workspace.answer("年假", threading.Event()))
    workspace.retrieve("设备")
    with pytest.raises(LimitReached) as caught:
        workspace.retrieve("设备")
    assert "3" in caught.value.message("zh")
    with pytest.raises(LimitReached):
        list(workspace.answer("设备", threading.Event()))
    other.retrieve("设备")


# ---- apart from others


def test_two_visitors_never_share(line: Line) -> None:
    mine, models, samples = line
    theirs = Workspace(samples, models)  # type: ignore[arg-type]
    add(mine, txt("同名.txt", "我的机密：年假三十一天，口令是蓝莓。"))
    add(theirs, txt("同名.txt", "他的机密：年假四十二天，口令是石榴。"))
    assert "石榴" not in "".join(c.chunk.text for c in mine.retrieve("口令是什么").candidates)
    assert "蓝莓" not in "".join(c.chunk.text for c in theirs.retrieve("口令是什么").candidates)
    theirs.use_samples(True)
    assert not any("蓝莓" in c.text for c in theirs.corpus().chunks)
    assert not any("蓝莓" in c.text or "石榴" in c.text for c in samples.corpus().chunks)
    mine.close()
    assert "石榴" in theirs.retrieve("口令是什么").candidates[0].chunk.text
    assert mine.last_retrieval is None
    assert Workspace(samples, models).corpus() is samples.corpus()  # type: ignore[arg-type]


# ---- answers


def last(answers: Iterator[Answer]) -> Answer:
    *_, final = answers
    assert final.done
    return final


def test_answer_reuses_a_fresh_retrieval(line: Line) -> None:
    workspace, models, _ = line
    found = workspace.retrieve(" 年假有几天？ ")
    final = last(workspace.answer("年假有几天？\n", threading.Event()))
    assert len(models.encoder().questions) == 1
    assert final.prompt is found.prompt
    assert models.generator().given == [found.prompt.input_ids]  # type: ignore[union-attr]
    assert workspace.last_retrieval is found
    assert workspace.last_answer == final


def test_answer_retrieves_first_when_there_is_nothing_fresh(line: Line) -> None:
    workspace, models, _ = line
    questions = models.encoder().questions
    last(workspace.answer("年假有几天？", threading.Event()))
    assert len(questions) == 1
    last(workspace.answer("设备多少钱？", threading.Event()))  # another question
    assert len(questions) == 2
    workspace.configure(replace(Settings(), search=replace(Settings().search, packed=1)))
    final = last(workspace.answer("设备多少钱？", threading.Event()))  # other settings
    assert len(questions) == 3
    assert len(final.prompt.packed) == 1
    add(workspace, txt("设备.txt", "设备费用上限为九千元，超出部分自理。"))
    final = last(workspace.answer("设备多少钱？", threading.Event()))  # another corpus
    assert len(questions) == 4
    assert "九千元" in final.prompt.text


def test_a_retrieval_made_before_the_generator_was_there_is_not_reused(folder: Path) -> None:
    workspace, models, _ = make(folder, generator=False)
    found = workspace.retrieve("年假有几天？")
    assert found.prompt is not None
    assert not found.prompt.rendered
    models._generator = ReplyGenerator()
    assert last(workspace.answer("年假有几天？", threading.Event())).prompt.rendered


def test_answer_and_retrieval_are_of_one_corpus_though_it_changes_in_between(line: Line) -> None:
    workspace, models, _ = line
    add(workspace, txt("甲.txt", OWN))
    counted = workspace._allowance.count_question

    def changes() -> None:
        counted()
        workspace._allowance.count_question = counted  # type: ignore[method-assign]
        add(workspace, txt("乙.txt", "乙制度：年假九十九天，须提前三天申请。"))

    workspace._allowance.count_question = changes  # type: ignore[method-assign]
    final = last(workspace.answer("年假有几天？", threading.Event()))
    assert final.text == models.generator().reply


def test_what_is_kept_belongs_to_what_is_searched(line: Line) -> None:
    workspace, _, _ = line
    add(workspace, txt("甲.txt", OWN))
    key = workspace.own_documents()[0].key
    answers = workspace.answer("年假有几天？", threading.Event())
    next(answers)
    workspace.remove(key)
    last(answers)  # goes on with what it began with
    assert workspace.last_answer is None  # but a removed document is not kept in it
    assert workspace.last_retrieval is None


def test_a_retrieval_that_ends_after_a_change_is_not_kept(folder: Path) -> None:
    encoder = BigramEncoder()
    workspace, _, _ = make(folder, encoder)
    add(workspace, txt("甲.txt", OWN))
    key = workspace.own_documents()[0].key
    encoder.between = lambda: workspace.remove(key) and None if workspace.own_documents() else None
    found = workspace.retrieve("年假有几天？")
    assert {c.chunk.key for c in found.candidates} == {key}
    assert workspace.last_retrieval is None


def test_an_older_answer_does_not_overwrite_a_newer_retrieval(line: Line) -> None:
    workspace, _, _ = line
    answers = workspace.answer("年假有几天？", threading.Event())
    next(answers)
    newer = workspace.retrieve("设备多少钱？")
    last(answers)
    assert workspace.last_retrieval is newer
    assert workspace.last_answer is None


def test_stop_ends_an_answer_and_keeps_what_was_written(line: Line) -> None:
    workspace, _, _ = line
    stop = threading.Event()
    seen = []
    for answer in workspace.answer("年假有几天？", stop):
        seen.append(answer)
        if answer.n_tokens == 3:
            stop.set()
    assert (seen[-1].done, seen[-1].finish, seen[-1].text) == (True, "stopped", "每年1")


def test_without_a_generator_the_answer_says_so_and_the_retrieval_stays(folder: Path) -> None:
    workspace, _, _ = make(folder, generator=False)
    with pytest.raises(RagError) as caught:
        list(workspace.answer("年假有几天？", threading.Event()))
    assert not isinstance(caught.value, NothingFits)
    assert workspace.last_retrieval is not None
    assert workspace.last_retrieval.problem is not None


# ---- at once


def _add_one(workspace: Workspace, rng: random.Random) -> None:
    name = f"第{rng.randrange(4)}份_202{rng.randrange(3)}.txt"
    add(workspace, txt(name, f"第{rng.randrange(10**6)}次写的制度，年假{rng.randrange(40)}天。" * 20))


def _remove_one(workspace: Workspace, rng: random.Random) -> None:
    keys = [d.key for d in workspace.own_documents()]
    if keys:
        with contextlib.suppress(SettingError):  # somebody else was faster
            workspace.remove(rng.choice(keys))


def _switch(workspace: Workspace, rng: random.Random) -> None:
    workspace.use_samples(rng.random() < 0.5)


def _retrieve(workspace: Workspace, rng: random.Random) -> None:
    found = workspace.retrieve("年假有几天？")
    assert found.candidates
    assert len({c.chunk.chunk_id for c in found.candidates}) == len(found.candidates)
    corpus = workspace.corpus()
    if corpus.corpus_id == found.corpus_id:
        check_slices(found, corpus)


def _answer(workspace: Workspace, rng: random.Random) -> None:
    assert last(workspace.answer("年假有几天？", threading.Event())).prompt.packed


def test_four_threads_add_remove_and_retrieve(folder: Path) -> None:
    workspace, _, samples = make(folder, limits=Limits(questions_per_minute=10**6))
    failures: list[BaseException] = []
    before = (dict(samples.corpus().documents), samples.corpus().chunks)
    began = time.monotonic()

    def visitor(seed: int) -> None:
        rng = random.Random(seed)
        actions = (_add_one, _remove_one, _switch, _retrieve, _answer)
        try:
            for _ in range(25):
                rng.choice(actions)(workspace, rng)
        except BaseException as error:  # noqa: BLE001 - reported by the test's own thread
            failures.append(error)

    threads = [threading.Thread(target=visitor, args=(seed,), daemon=True) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(t.is_alive() for t in threads)
    if failures:
        raise failures[0]
    corpus = workspace.corpus()
    own = {d.key: d for d in workspace.own_documents()}
    if own:
        assert {k: d for k, d in corpus.documents.items() if d.origin == "own"} == own
        assert any(d.origin == "sample" for d in corpus.documents.values()) == workspace.include_samples
    assert (dict(samples.corpus().documents), samples.corpus().chunks) == before
    assert time.monotonic() - began < 30


def test_models_satisfies_what_the_stand_ins_stand_for() -> None:
    for name in ("wait", "encoder", "generator"):
        assert callable(getattr(Models, name))
        assert callable(getattr(FakeModels, name))
