import hashlib
import json
import os
import random
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from rag.config import SplitSettings
from rag.corpus.clean import clean_text
from rag.corpus.index import Corpus, build
from rag.corpus.store import load, save
from rag.errors import Bilingual, IndexMismatch, SettingError
from rag.types import Document
from tests import hostile
from tests.fakes import HashEncoder

FILES = ["chunks.json", "documents.json", "embeddings.npy", "manifest.json"]


@pytest.fixture
def corpus(leave: Document, equipment: Document) -> Corpus:
    dated = replace(
        leave,
        effective_from=date(2026, 1, 1),
        effective_to=date(2027, 1, 1),
        groups=frozenset({"hr", "public"}),
        warnings=(Bilingual(en="page 3 is empty", zh="第 3 页是空的"),),
    )
    return build([dated, equipment], SplitSettings("recursive", 40, 8), HashEncoder())


@pytest.fixture
def saved(corpus: Corpus, tmp_path: Path) -> Path:
    folder = tmp_path / "index"
    save(corpus, folder, HashEncoder().facts)
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def assert_same(a: Corpus, b: Corpus) -> None:
    assert a.documents == b.documents and list(a.documents) == list(b.documents)
    assert (a.chunks, a.split, a.fingerprint, a.corpus_id) == (b.chunks, b.split, b.fingerprint, b.corpus_id)
    assert (a.dense is None) == (b.dense is None)
    if a.dense is not None and b.dense is not None:
        assert np.array_equal(a.dense.vectors, b.dense.vectors)
    assert np.array_equal(a.lexical.scores("年假 HR-F-012"), b.lexical.scores("年假 HR-F-012"))


def resign(folder: Path, change: Callable[[dict], None] = lambda _: None) -> None:
    """What somebody who knows the format would do after an edit: make every hash in the manifest right again."""
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    for name in manifest["sha256"]:
        if (folder / name).exists():
            manifest["sha256"][name] = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    change(manifest)
    rest = {k: v for k, v in manifest.items() if k != "self_sha256"}
    manifest["self_sha256"] = hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest), "utf-8")


def edit_json(path: Path, change: Callable) -> None:
    value = json.loads(path.read_text("utf-8"))
    change(value)
    path.write_text(json.dumps(value, ensure_ascii=False), "utf-8")


def edit_vectors(folder: Path, change: Callable) -> None:
    np.save(folder / "embeddings.npy", change(np.load(folder / "embeddings.npy")))


# --- whole


def test_what_is_loaded_is_what_was_saved(corpus: Corpus, saved: Path) -> None:
    assert sorted(p.name for p in saved.iterdir()) == FILES
    assert_same(load(saved, "hash-encoder"), corpus)
    assert_same(load(saved, None), corpus)


def test_without_an_encoder(leave: Document, tmp_path: Path) -> None:
    corpus = build([leave], SplitSettings(), None)
    save(corpus, tmp_path / "index", ())
    assert_same(load(tmp_path / "index", ""), corpus)
    with pytest.raises(IndexMismatch, match=r"manifest\.json"):
        load(tmp_path / "index", "hash-encoder")


def test_an_empty_corpus(tmp_path: Path) -> None:
    corpus = build([], SplitSettings(), HashEncoder())
    save(corpus, tmp_path / "index", ())
    assert_same(load(tmp_path / "index", "hash-encoder"), corpus)


def test_hostile_documents_come_back_unchanged(tmp_path: Path, seeds) -> None:
    for seed in seeds(60):
        rng = random.Random(seed)
        documents = [
            Document(f"d{i}", hostile.line(rng), f"d{i}@1", "own", hostile.text(rng), hostile.line(rng), text)
            for i, text in enumerate([hostile.text(rng, 30), clean_text(hostile.text(rng, 30))])
        ]
        corpus = build(documents, SplitSettings("recursive", 60, 10), HashEncoder())
        save(corpus, tmp_path / "index", ())
        assert_same(load(tmp_path / "index", "hash-encoder"), corpus)


def test_saving_again_replaces_and_leaves_nothing_beside(corpus: Corpus, saved: Path, leave: Document) -> None:
    smaller = build([leave], SplitSettings(), HashEncoder())
    save(smaller, saved, ())
    assert_same(load(saved, "hash-encoder"), smaller)
    assert [p.name for p in saved.parent.iterdir()] == ["index"]


def test_folders_above_are_made_and_a_relative_one_works(corpus: Corpus, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    save(corpus, Path("a/b/index"), ())
    assert_same(load(tmp_path / "a" / "b" / "index", None), corpus)


def test_the_manifest_says_what_it_should(saved: Path, corpus: Corpus) -> None:
    manifest = json.loads((saved / "manifest.json").read_text("utf-8"))
    assert manifest["encoder"]["model"] == "hash" and manifest["dimension"] == 16
    assert manifest["split"] == {"strategy": "recursive", "size": 40, "overlap": 8}
    assert manifest["counts"] == {"documents": 2, "chunks": len(corpus.chunks)}
    for name, digest in manifest["sha256"].items():
        assert hashlib.sha256((saved / name).read_bytes()).hexdigest() == digest
    assert manifest["libraries"]["numpy"] == np.__version__


# --- damaged, without the manifest having been made to agree


def flip_text(folder: Path) -> None:
    path = folder / "chunks.json"
    path.write_text(path.read_text("utf-8").replace("15天", "20天"), "utf-8")


def flip_document(folder: Path) -> None:
    path = folder / "documents.json"
    path.write_text(path.read_text("utf-8").replace("15天", "20天"), "utf-8")


def truncate(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes()[:-20])


def remove(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


@pytest.mark.parametrize(
    ("damage", "part"),
    [
        (flip_text, "chunks.json"),
        (flip_document, "documents.json"),
        *[(truncate(name), name) for name in FILES],
        *[(remove(name), name) for name in FILES],
        (lambda f: (f / "manifest.json").write_bytes(b"\xff\xfe"), "manifest.json"),
        (lambda f: (f / "manifest.json").write_text("[" * 100_000), "manifest.json"),
        (lambda f: (f / "manifest.json").write_text("null"), "manifest.json"),
        (lambda f: (f / "manifest.json").write_text('{"format": 1}'), "manifest.json"),
        (lambda f: (f / "manifest.json").write_text('{"format": 1, "self_sha256": "\\ud800"}'), "manifest.json"),
        (lambda f: edit_vectors(f, lambda v: np.where(v == v[0, 0], np.nan, v)), "embeddings.npy"),
    ],
)
def test_damage_is_refused_and_named(saved: Path, damage: Callable[[Path], None], part: str) -> None:
    damage(saved)
    with pytest.raises(IndexMismatch) as caught:
        load(saved, "hash-encoder")
    for language in ("en", "zh"):
        message = caught.value.message(language)
        assert str(saved / part) in message and "python -m rag build" in message


@pytest.mark.parametrize(
    "key",
    ["format", "encoder", "fingerprint", "dimension", "split", "counts", "corpus_id", "corpus_sha256", "sha256"],
)
def test_an_edited_manifest_is_refused(saved: Path, key: str) -> None:
    for value in (None, "x", 7, [], {"a": 1}):
        edit_json(saved / "manifest.json", lambda m, v=value: m.update({key: v}))
        with pytest.raises(IndexMismatch, match=r"manifest\.json"):
            load(saved, None)


def test_another_encoder_is_refused_by_name(saved: Path) -> None:
    with pytest.raises(IndexMismatch, match=r"manifest\.json.*\(hash\)"):
        load(saved, "another")
    with pytest.raises(IndexMismatch, match=r"manifest\.json"):
        load(saved, "")


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(IndexMismatch, match=r"manifest\.json: not found"):
        load(tmp_path / "nowhere", None)


# --- damaged, and every hash made right again


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda v: np.full_like(v, np.nan), "NaN"),
        (lambda v: np.where(v == v[0, 0], np.inf, v).astype(np.float32), "NaN or infinite"),
        (lambda v: v[:-1], "shape"),
        (lambda v: v[:, :-1], "shape"),
        (lambda v: v[0], "shape"),
        (lambda v: v.astype(np.float64), "float64"),
        (lambda v: v.astype(np.float16), "float16"),
        (lambda v: v * np.float32(1.01), "length 1"),
        (lambda v: np.zeros_like(v), "length 1"),
    ],
)
def test_vectors_that_cannot_be_are_refused(saved: Path, change: Callable, why: str) -> None:
    edit_vectors(saved, change)
    resign(saved)
    with pytest.raises(IndexMismatch, match=rf"embeddings\.npy.*{why}"):
        load(saved, "hash-encoder")


def test_a_pickle_is_never_opened(saved: Path) -> None:
    opened = saved.parent / "opened"

    class Evil:
        def __reduce__(self):
            return (opened.touch, ())

    np.save(saved / "embeddings.npy", np.array([Evil()], dtype=object), allow_pickle=True)
    resign(saved)
    with pytest.raises(IndexMismatch, match=r"embeddings\.npy"):
        load(saved, "hash-encoder")
    assert not opened.exists()


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("chunks.json", lambda c: c[0].update(text=c[0]["text"] + "。")),
        ("chunks.json", lambda c: c[0].update(start=c[0]["start"] + 1)),
        ("chunks.json", lambda c: c[0].update(start="0")),
        ("chunks.json", lambda c: c[0].update(chunk_id="another")),
        ("chunks.json", lambda c: c[0].update(key="another@1")),
        ("chunks.json", lambda c: c[0].pop("page")),
        ("chunks.json", lambda c: c[0].update(more=1)),
        ("chunks.json", lambda c: c.insert(0, 3)),
        ("chunks.json", lambda c: c.insert(0, None)),
        ("documents.json", lambda d: d[1].update(text=d[1]["text"].replace("3000", "5000"))),
        ("documents.json", lambda d: d[0].update(title="另一个")),
        ("documents.json", lambda d: d[0].update(effective_from="soon")),
        ("documents.json", lambda d: d[0].update(sections=[1])),
        ("documents.json", lambda d: d[0].pop("groups")),
        ("documents.json", lambda d: d.insert(0, "x")),
        ("documents.json", lambda d: d.pop()),
    ],
)
def test_parts_that_disagree_with_each_other_are_refused(saved: Path, name: str, change: Callable) -> None:
    edit_json(saved / name, change)
    resign(saved)
    with pytest.raises(IndexMismatch, match="documents.json|chunks.json"):
        load(saved, "hash-encoder")


@pytest.mark.parametrize("value", ["null", "3", '"x"', "{}"])
@pytest.mark.parametrize("name", ["chunks.json", "documents.json"])
def test_another_kind_of_json_is_refused(saved: Path, name: str, value: str) -> None:
    (saved / name).write_text(value)
    resign(saved)
    with pytest.raises(IndexMismatch):
        load(saved, "hash-encoder")


# --- saving where it must not, or does not work


@pytest.mark.parametrize(
    "names", [["notes.txt"], ["manifest.json"], [*FILES, "notes.txt"], ["manifest.json", "app/main.js"]]
)
def test_a_folder_with_other_things_is_refused_and_left_alone(corpus: Corpus, tmp_path: Path, names) -> None:
    folder = tmp_path / "mine"
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("mine")
    before = contents(tmp_path)
    with pytest.raises(SettingError, match="mine") as caught:
        save(corpus, folder, ())
    assert str(folder) in caught.value.message("zh")
    assert contents(tmp_path) == before


def test_a_file_in_the_way_is_refused(corpus: Corpus, tmp_path: Path) -> None:
    (tmp_path / "index").write_text("mine")
    with pytest.raises(SettingError):
        save(corpus, tmp_path / "index", ())
    with pytest.raises(SettingError):
        save(corpus, tmp_path / "index" / "below", ())
    assert contents(tmp_path) == {"index": b"mine"}


def test_an_empty_folder_is_taken(corpus: Corpus, tmp_path: Path) -> None:
    save(corpus, tmp_path, ())
    assert_same(load(tmp_path, None), corpus)


@pytest.mark.parametrize("name", FILES)
def test_a_damaged_index_can_be_built_again(corpus: Corpus, saved: Path, name: str) -> None:
    (saved / name).unlink()
    save(corpus, saved, ())
    assert_same(load(saved, None), corpus)


@pytest.mark.parametrize("call", ["numpy.save", "os.rename", "rag.corpus.store._manifest"])
def test_a_failure_while_saving_leaves_the_old_index(corpus, saved: Path, equipment, monkeypatch, call: str) -> None:
    def fail(*arguments, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(call, fail)
    with pytest.raises(SettingError, match="No space left"):
        save(build([equipment], SplitSettings(), None), saved, ())
    monkeypatch.undo()
    assert_same(load(saved, "hash-encoder"), corpus)
    assert [p.name for p in saved.parent.iterdir()] == ["index"]


@pytest.mark.parametrize("error", [OSError(13, "Permission denied"), KeyboardInterrupt()])
def test_a_failure_between_the_two_moves_leaves_the_old_index(corpus, saved, equipment, monkeypatch, error) -> None:
    rename, calls = os.rename, []

    def second_fails(a, b):
        calls.append(a)
        if len(calls) == 2:
            raise error
        rename(a, b)

    monkeypatch.setattr(os, "rename", second_fails)
    with pytest.raises((SettingError, KeyboardInterrupt)):
        save(build([equipment], SplitSettings(), None), saved, ())
    monkeypatch.undo()
    assert_same(load(saved, "hash-encoder"), corpus)
    assert [p.name for p in saved.parent.iterdir()] == ["index"]
