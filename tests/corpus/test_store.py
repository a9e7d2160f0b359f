import hashlib
import json
import os
import random
from pathlib import Path

import numpy as np
import pytest

from rag.config import SplitSettings
from rag.corpus.clean import clean_text
from rag.corpus.index import Corpus, build
from rag.corpus.store import load, save
from rag.errors import IndexMismatch, SettingError
from rag.types import Document
from tests import hostile
from tests.fakes import HashEncoder

FILES = ["chunks.json", "documents.json", "embeddings.npy", "manifest.json"]


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def assert_same(a: Corpus, b: Corpus) -> None:
    assert a.documents == b.documents and list(a.documents) == list(b.documents)
    assert (a.chunks, a.split, a.fingerprint, a.corpus_id) == (b.chunks, b.split, b.fingerprint, b.corpus_id)
    assert (a.dense is None) == (b.dense is None)
    if a.dense is not None and b.dense is not None:
        assert np.array_equal(a.dense.vectors, b.dense.vectors)
    assert np.array_equal(a.lexical.scores("年假 HR-F-012"), b.lexical.scores("年假 HR-F-012"))


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


@pytest.fixture
def mapped(saved: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The index, and an encoder's worth of chunks is many."""
    monkeypatch.setattr("rag.corpus.store.MAPPED_FROM", 1)
    return saved


def test_many_vectors_stay_in_their_file(corpus: Corpus, mapped: Path) -> None:
    loaded = load(mapped, "hash-encoder")
    assert_same(loaded, corpus)
    assert loaded.dense is not None and corpus.dense is not None and loaded.dense.codes is not None
    assert isinstance(loaded.dense.vectors.base, np.memmap) and not loaded.dense.vectors.flags.writeable
    query = HashEncoder().encode_query(["年假"])[0]
    assert loaded.dense.search(query, 20) == corpus.dense.search(query, 20)


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_fewer_are_read_into_memory(corpus: Corpus, saved: Path, monkeypatch, more: int) -> None:
    monkeypatch.setattr("rag.corpus.store.MAPPED_FROM", len(corpus.chunks) + more)
    loaded = load(saved, None).dense
    assert loaded is not None and (loaded.codes is None) == loaded.vectors.flags.writeable == (more == 1)
    assert (loaded.note(1).en == "") == (loaded.note(1).zh == "") == (more == 1)


def test_an_index_is_replaced_while_its_file_is_mapped(corpus: Corpus, mapped: Path, leave: Document) -> None:
    loaded, encoder = load(mapped, "hash-encoder"), HashEncoder()
    smaller = build([leave], SplitSettings("recursive", 40, 8), encoder, loaded.known())
    save(smaller, mapped, ())
    assert_same(loaded, corpus)  # what was there is still read
    assert_same(load(mapped, None), smaller)
    assert load(mapped, None).known().vectors.keys() == smaller.known().vectors.keys()


def test_without_rows_or_vectors_nothing_is_mapped(tmp_path: Path, leave: Document, monkeypatch) -> None:
    monkeypatch.setattr("rag.corpus.store.MAPPED_FROM", 0)
    for encoder in (HashEncoder(), None):
        corpus = build([leave] if encoder is None else [], SplitSettings(), encoder)
        save(corpus, tmp_path / "index", ())
        assert_same(load(tmp_path / "index", None), corpus)


def test_the_manifest_says_what_it_should(saved: Path, corpus: Corpus) -> None:
    manifest = json.loads((saved / "manifest.json").read_text("utf-8"))
    assert manifest["encoder"]["model"] == "hash" and manifest["dimension"] == 16
    assert manifest["split"] == {"strategy": "recursive", "size": 40, "overlap": 8}
    assert manifest["counts"] == {"documents": 2, "chunks": len(corpus.chunks)}
    for name, digest in manifest["sha256"].items():
        assert hashlib.sha256((saved / name).read_bytes()).hexdigest() == digest
    assert manifest["libraries"]["numpy"] == np.__version__


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
