import hashlib
import json
import mmap
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rag.corpus.store import MAPPED_FROM, load
from rag.errors import IndexMismatch


class Deaf(mmap.mmap):
    """A map whose advice the system does not take."""

    def madvise(self, *_: int) -> None:
        raise OSError(22, "Invalid argument")


FILES = ["chunks.json", "documents.json", "embeddings.npy", "manifest.json"]


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
        (lambda f: (f / "manifest.json").write_text('{"format": 2}'), "manifest.json"),
        (lambda f: (f / "manifest.json").write_text('{"format": 2, "self_sha256": "\\ud800"}'), "manifest.json"),
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
        (np.asfortranarray, "row by row"),
        (lambda v: v.astype(np.float64), "float64"),
        (lambda v: v.astype(">f4"), ">f4"),
        (lambda v: v.astype(np.float16), "float16"),
        (lambda v: v * np.float32(1.01), "length 1"),
        (lambda v: np.zeros_like(v), "length 1"),
    ],
)
@pytest.mark.parametrize("mapped_from", [0, MAPPED_FROM])
def test_vectors_that_cannot_be_are_refused(
    saved: Path, change: Callable, why: str, mapped_from: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rag.corpus.store.MAPPED_FROM", mapped_from)
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


def header_only(shape: str) -> bytes:
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"
    padded = text.ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(padded).to_bytes(2, "little") + padded.encode()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PK\x03\x04",
        b"\x93NUMPY",
        header_only("(1000000000000, 384)"),
        header_only("(-1, 16)"),
        header_only("'x'"),
    ],
)
def test_a_file_that_is_no_array_is_refused(saved: Path, data: bytes) -> None:
    (saved / "embeddings.npy").write_bytes(data)
    resign(saved)
    with pytest.raises(IndexMismatch, match=r"embeddings\.npy"):
        load(saved, "hash-encoder")


def test_an_archive_of_arrays_is_refused(saved: Path) -> None:
    vectors = np.load(saved / "embeddings.npy")
    with (saved / "embeddings.npy").open("wb") as file:
        np.savez(file, vectors)
    resign(saved)
    with pytest.raises(IndexMismatch, match=r"embeddings\.npy"):
        load(saved, "hash-encoder")


@pytest.mark.parametrize("name", ["chunks.json", "documents.json", "embeddings.npy"])
def test_a_folder_where_a_file_should_be_is_refused(saved: Path, name: str) -> None:
    (saved / name).unlink()
    (saved / name).mkdir()
    with pytest.raises(IndexMismatch, match=name):
        load(saved, "hash-encoder")


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


def test_advice_that_is_not_taken_is_no_damage(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rag.corpus.store.MAPPED_FROM", 1)
    held = load(saved, "hash-encoder").dense
    monkeypatch.setattr(mmap, "mmap", Deaf)
    loaded = load(saved, "hash-encoder").dense
    assert held is not None and loaded is not None and np.array_equal(held.vectors, loaded.vectors)
