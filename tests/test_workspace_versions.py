"""Versions of one policy in a workspace: replaced or beside, edited, and never mixed up."""

import random
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from rag.config import SearchSettings, Settings
from rag.corpus.index import build
from rag.corpus.samples import FOLDER
from rag.errors import ChunkTooLong, SettingError, Stopped
from rag.types import Document
from rag.workspace import Edit, Upload, Workspace
from tests import hostile
from tests.fake_models import BigramEncoder, ReplyGenerator
from tests.workspace_kit import OWN, Line, add, check_slices, last, make, remove, state, txt, use_samples, write_samples

ALL = replace(Settings(), search=SearchSettings(scope="all"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_samples(tmp_path)


@pytest.fixture
def line(folder: Path) -> Line:
    return make(folder)


def edit(workspace: Workspace, key: str, to: Edit) -> None:
    list(workspace.edit(key, to, threading.Event()))


def beside(workspace: Workspace, *uploads: Upload) -> None:
    list(workspace.add(uploads, threading.Event(), beside=True))


def only(workspace: Workspace) -> Document:
    (document,) = workspace.own_documents()
    return document


# ---- replaced, or beside


def test_the_same_name_again_replaces_and_says_so(line: Line) -> None:
    workspace = line[0]
    add(workspace, txt("甲.txt", OWN))
    first = only(workspace)
    add(workspace, txt("甲.txt", "甲制度第二稿：每年三十三天年假，可以顺延。"))
    assert only(workspace).key != first.key and only(workspace).doc_id == first.doc_id
    (report,) = workspace.reports()
    assert report.state == "warning"
    assert report.message.zh == "已替换之前的《甲》（甲.txt）"
    assert report.keys == (only(workspace).key,)
    assert set(workspace.corpus().documents) == {only(workspace).key}
    assert not any("二十二" in c.chunk.text for c in workspace.retrieve("二十二天年假").candidates)


def test_or_stands_beside_and_the_scope_decides_which_is_searched(line: Line) -> None:
    workspace = line[0]
    add(workspace, txt("甲.txt", OWN))
    beside(workspace, txt("甲.txt", "甲制度第二稿：每年三十三天年假，可以顺延。"))
    assert len(workspace.own_documents()) == 2
    found = workspace.retrieve("每年几天年假？")
    assert {c.chunk.key for c in found.candidates} == {workspace.own_documents()[1].key}
    workspace.configure(ALL)
    assert {c.chunk.key for c in workspace.retrieve("每年几天年假？").candidates} == {
        d.key for d in workspace.own_documents()
    }


def test_a_file_that_fails_replaces_nothing(line: Line) -> None:
    workspace = line[0]
    add(workspace, txt("甲.txt", OWN))
    before = state(workspace)
    add(workspace, Upload("甲.txt", b" \n"))
    assert state(workspace) == before


def test_there_and_back_ends_where_it_began(folder: Path) -> None:
    encoder = BigramEncoder()
    workspace, _, _ = make(folder, encoder)
    first, second = txt("甲.txt", OWN * 9), txt("甲.txt", "甲制度第二稿：每年三十三天年假，可以顺延。" * 9)
    add(workspace, first)
    began = workspace.corpus()
    add(workspace, second)
    add(workspace, first)
    ended = workspace.corpus()
    assert ended.documents == began.documents and ended.chunks == began.chunks
    assert ended.corpus_id == began.corpus_id
    assert began.dense is not None and ended.dense is not None
    assert (ended.dense.vectors == began.dense.vectors).all()


# ---- edits


def test_an_edit_reaches_the_index_the_rows_and_the_context(folder: Path) -> None:
    encoder = BigramEncoder()
    workspace, _, _ = make(folder, encoder)
    add(workspace, txt("甲.txt", OWN), txt("乙.txt", "乙制度：年假须提前三天申请，由主管审批。"))
    first, second = workspace.own_documents()
    encoder.encoded.clear()
    edit(workspace, first.key, Edit("年休假规定", "2026-10", date(2026, 10, 1)))
    new, other = workspace.own_documents()
    assert (new.key, new.title, new.effective_from) == ("甲@2026-10", "年休假规定", date(2026, 10, 1))
    assert dict(new.stated)["title"] == "visitor"
    assert other == second
    assert [r.keys for r in workspace.reports()] == [(new.key,), (second.key,)]
    chunks = [c for c in workspace.corpus().chunks if c.key == new.key]
    assert chunks and all(c.chunk_id.startswith("甲@2026-10:") and "年休假规定" in c.context for c in chunks)
    assert len(encoder.encoded) == len(chunks)  # its own chunks alone, for the title stands in front of them
    again = build(list(workspace.corpus().documents.values()), workspace.corpus().split, BigramEncoder())
    assert workspace.corpus().chunks == again.chunks and workspace.corpus().corpus_id == again.corpus_id


def test_an_edit_of_the_version_alone_encodes_nothing(folder: Path) -> None:
    encoder = BigramEncoder()
    workspace, _, _ = make(folder, encoder)
    add(workspace, txt("甲.txt", OWN))
    encoder.encoded.clear()
    edit(workspace, only(workspace).key, Edit("甲", "2026"))
    assert only(workspace).key == "甲@2026"
    assert encoder.encoded == []


def test_an_edit_that_changes_nothing_keeps_the_last_question(line: Line) -> None:
    workspace = line[0]
    add(workspace, txt("甲.txt", OWN))
    workspace.retrieve("年假")
    before = state(workspace)
    document = only(workspace)
    edit(workspace, document.key, Edit(document.title, document.version))
    assert state(workspace) == before


def test_a_date_that_is_edited_decides_what_is_in_force(line: Line) -> None:
    workspace = line[0]
    add(workspace, txt("甲_1.0.txt", OWN), txt("甲_v2.txt", "甲制度第二稿：每年三十三天年假，可以顺延。"))
    beside(workspace, txt("甲_v3.txt", "甲制度第三稿：每年四十四天年假，可以顺延。"))
    assert "甲@v3" in {c.chunk.key for c in workspace.retrieve("年假").candidates}
    edit(workspace, "甲@v3", Edit("甲", "v3", date(2999, 1, 1)))
    assert "甲@v3" not in {c.chunk.key for c in workspace.retrieve("年假").candidates}


@pytest.mark.parametrize("key", ["不存在@1", "年假制度@2026", ""])
def test_only_an_own_document_can_be_edited(line: Line, key: str) -> None:
    workspace = line[0]
    add(workspace, txt("甲.txt", OWN))
    before = state(workspace)
    with pytest.raises(SettingError):
        edit(workspace, key, Edit("甲", "9"))
    assert state(workspace) == before


def test_an_edit_that_fails_or_is_stopped_loses_nothing(folder: Path) -> None:
    encoder = BigramEncoder()
    workspace, _, _ = make(folder, encoder)
    add(workspace, txt("甲_v1.txt", OWN), txt("甲_v2.txt", OWN + "二"))
    before, rows = state(workspace), workspace.reports()
    with pytest.raises(SettingError):
        edit(workspace, "甲@v1", Edit("甲", "v2"))
    encoder.limit = 10
    with pytest.raises(ChunkTooLong):
        edit(workspace, "甲@v1", Edit("另一个标题", "v1"))
    encoder.limit, stop = 10_000, threading.Event()
    encoder.between = stop.set
    with pytest.raises(Stopped):
        list(workspace.edit("甲@v1", Edit("另一个标题", "v1"), stop))
    assert state(workspace) == before and workspace.reports() == rows


def test_an_edited_document_can_be_removed_and_sent_again(line: Line) -> None:
    workspace = line[0]
    add(workspace, txt("甲.txt", OWN))
    plain = only(workspace)
    edit(workspace, plain.key, Edit("年休假规定"))
    edited = only(workspace)
    add(workspace, txt("甲.txt", OWN))
    assert only(workspace) == edited
    remove(workspace, edited.key)
    add(workspace, txt("甲.txt", OWN))
    assert only(workspace) == plain


# ---- whatever comes beside what


def policy(rng: random.Random) -> str:
    return f"年假 {rng.randint(1, 99)} 天。" + hostile.text(rng, 200)


def step(workspace: Workspace, rng: random.Random) -> None:
    """One thing a visitor may do."""
    name = rng.choice(["甲.txt", "甲_2025.txt", "甲_2026.md", "乙.md", "handbook.json"])
    data = (FOLDER / name).read_bytes() if name.endswith("json") else policy(rng).encode("utf-8", "ignore")
    own = [d.key for d in workspace.own_documents()]
    action = rng.randrange(8)
    if action < 5 or not own:
        list(workspace.add([Upload(name, data)], threading.Event(), beside=rng.random() < 0.5))
    elif action == 5:
        with suppress(SettingError):  # another one has that version, or the title holds nothing that can be read
            edit(workspace, rng.choice(own), Edit(hostile.line(rng) or "题", rng.choice(["", "2025", "9"])))
    elif action == 6:
        remove(workspace, rng.choice(own))
    else:
        use_samples(workspace, rng.random() < 0.5)


def test_ids_are_unique_and_every_citation_is_in_its_own_version(tmp_path: Path, seeds: Callable[[int], range]) -> None:
    folder = write_samples(tmp_path)
    (folder / "handbook.json").write_bytes((FOLDER / "handbook.json").read_bytes())
    generator_reply = "年假 15 天 [S1]。每年可享受15天带薪年假 [S2][S3]。办公设备报销额度 [S9]。"
    for seed in seeds(100):
        rng = random.Random(seed)
        workspace, models, _ = make(folder)
        generator = models.generator()
        assert isinstance(generator, ReplyGenerator)
        generator.reply = generator_reply
        workspace.configure(ALL)
        add(workspace, Upload("handbook.json", (FOLDER / "handbook.json").read_bytes()))  # a sample, as one's own
        use_samples(workspace, True)
        first, second = policy(rng), policy(rng)
        add(workspace, txt("甲.txt", first))
        beside(workspace, txt("甲.txt", second))
        for _ in range(rng.randint(0, 4)):
            step(workspace, rng)
        check_corpus(workspace)
        check_answer(workspace)


def check_corpus(workspace: Workspace) -> None:
    corpus = workspace.corpus()
    ids = [c.chunk_id for c in corpus.chunks]
    assert len(ids) == len(set(ids))
    assert all(key == document.key for key, document in corpus.documents.items())
    for chunk in corpus.chunks:
        assert chunk.text == corpus.documents[chunk.key].text[chunk.start : chunk.end]
        assert chunk.chunk_id == f"{chunk.key}:{chunk.start}-{chunk.end}"
    own = {d.key: d for d in workspace.own_documents()}
    assert {k: d for k, d in corpus.documents.items() if d.origin == "own"} == own
    texts = [(d.doc_id, d.version, d.text) for d in own.values()]
    assert len(texts) == len(set(texts))


def check_answer(workspace: Workspace) -> None:
    found = workspace.retrieve("年假每年几天？设备报销额度是多少？")
    corpus = workspace.corpus()
    check_slices(found, corpus)
    answer = last(workspace.answer("年假每年几天？设备报销额度是多少？", threading.Event()))
    packed = {e.chunk.chunk_id: e for e in answer.prompt.packed}
    cited = [c for c in answer.citations if c.chunk_id is not None]
    assert cited or not packed
    for citation in cited:
        evidence = packed[str(citation.chunk_id)]
        assert citation.marker.strip("[]") in evidence.marker or citation.by == "system"
        document = corpus.documents[evidence.chunk.key]
        assert citation.span is not None
        words = document.text[slice(*citation.span)]
        # the words of its own version, inside the chunk that is cited
        assert words and words in evidence.chunk.text
        assert evidence.chunk.start <= citation.span[0] < citation.span[1] <= evidence.chunk.end
        assert document.version in evidence.heading
