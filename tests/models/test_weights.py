import hashlib
import json
import os
from pathlib import Path

import pytest

from rag.errors import Bilingual, ModelUnavailable
from rag.models.folder import Stamps, licence_of, missing_in, weight_files, write_atomically
from rag.models.weights import Hub, Weights, resolve


def quiet(note: Bilingual) -> None:
    assert note.en and note.zh


def nobody(tmp_path: Path) -> Hub:
    return Hub(offline=True, cache=tmp_path / "hub")


def model_in(folder: Path, **files: bytes) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("config.json", "tokenizer.json"):
        (folder / name).write_text("{}")
    for name, content in files.items():
        (folder / name.replace("__", ".")).write_bytes(content)
    return folder


def test_a_folder_is_taken_as_it_is(tmp_path: Path) -> None:
    folder = model_in(tmp_path / "mine", model__safetensors=b"abc")
    (folder / "README.md").write_text("---\nlicense: apache-2.0\n---\n")
    notes: list[Bilingual] = []
    weights = resolve("generator", str(folder), tmp_path / "cache", notes.append, nobody(tmp_path))
    assert weights == Weights(
        role="generator",
        asked=str(folder),
        name="mine",
        folder=folder,
        source="folder",
        revision="",
        sha256=hashlib.sha256(b"abc").hexdigest(),
        size=3,
        licence="apache-2.0",
    )
    assert notes == [weights.line()]
    assert weights.line().zh.startswith("生成模型：mine") and "apache-2.0" in weights.line().en


@pytest.mark.parametrize("asked", ["/no/such/folder", "./nor/this", "~/nor-that-7f3a", "a/b/c", "", " "])
def test_a_path_that_is_not_there(tmp_path: Path, asked: str) -> None:
    with pytest.raises(ModelUnavailable) as caught:
        resolve("encoder", asked, tmp_path, quiet, nobody(tmp_path))
    assert repr(asked) in str(caught.value) or asked == ""
    assert caught.value.message("zh").startswith("编码器")


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "model.gguf").write_text("x")
    with pytest.raises(ModelUnavailable, match="is a file"):
        resolve("encoder", str(tmp_path / "model.gguf"), tmp_path, quiet, nobody(tmp_path))


def test_a_folder_that_lacks_files_names_them(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(ModelUnavailable, match=r"config\.json, tokenizer\.json, model\.safetensors"):
        resolve("encoder", str(tmp_path / "empty"), tmp_path, quiet, nobody(tmp_path))


def test_pickled_weights_are_refused_with_the_reason(tmp_path: Path) -> None:
    folder = model_in(tmp_path / "old", pytorch_model__bin=b"cos\nsystem\n")
    with pytest.raises(ModelUnavailable, match=r"pickled weights can run code"):
        resolve("encoder", str(folder), tmp_path, quiet, nobody(tmp_path))


def test_shards_are_all_required_and_hashed_together(tmp_path: Path) -> None:
    folder = model_in(tmp_path / "big")
    shards = {"model-1.safetensors": b"one", "model-2.safetensors": b"two"}
    (folder / "model.safetensors.index.json").write_text(
        json.dumps({"weight_map": dict(zip("ab", shards, strict=True))})
    )
    (folder / "model-1.safetensors").write_bytes(b"one")
    assert missing_in(folder) == ("model-2.safetensors",)
    (folder / "model-2.safetensors").write_bytes(b"two")
    assert missing_in(folder) == ()
    listing = "".join(f"{hashlib.sha256(c).hexdigest()}  {n}\n" for n, c in shards.items())  # as sha256sum prints it
    weights = resolve("encoder", str(folder), tmp_path, quiet, nobody(tmp_path))
    assert weights.sha256 == hashlib.sha256(listing.encode()).hexdigest()
    assert weights.size == 6
    (folder / "model.safetensors.index.json").write_text("[]")
    assert missing_in(folder) == ("a readable model.safetensors.index.json",)


def test_module_folders_hold_weights_too(tmp_path: Path) -> None:
    folder = model_in(tmp_path / "st", model__safetensors=b"a")
    model_in(folder / "2_Dense", model__safetensors=b"b")
    model_in(folder / "onnx", model__safetensors=b"c")
    assert [str(p.relative_to(folder)) for p in weight_files(folder)] == [
        "2_Dense/model.safetensors",
        "model.safetensors",
    ]


def test_a_stamp_saves_reading_and_a_change_is_noticed(tmp_path: Path) -> None:
    file, stamps = tmp_path / "w", Stamps(tmp_path / "stamps")
    file.write_bytes(b"one")
    os.utime(file, ns=(1, 1))
    first = stamps.sha256(file)
    file.write_bytes(b"two")
    os.utime(file, ns=(1, 1))
    assert stamps.sha256(file) == first  # same path, size and mtime: not read
    os.utime(file, ns=(2, 2))
    assert stamps.sha256(file) == hashlib.sha256(b"two").hexdigest()
    for note in (tmp_path / "stamps").iterdir():
        note.write_text("[1]")  # damaged notes only mean reading again
    assert stamps.sha256(file) == hashlib.sha256(b"two").hexdigest()


@pytest.mark.parametrize(
    ("text", "licence"),
    [
        ("---\nlicense: mit\n---\n", "mit"),
        ("---\ntags: [a]\nlicense: cc-by-4.0\n---\nlicense: gpl", "cc-by-4.0"),
        ("# no front matter\nlicense: mit\n", ""),
        ("---\ntags: []\n---\nlicense: mit\n", ""),
        ("", ""),
    ],
)
def test_the_licence_comes_from_the_front_matter(tmp_path: Path, text: str, licence: str) -> None:
    (tmp_path / "README.md").write_text(text)
    assert licence_of(tmp_path) == licence


def test_an_atomic_write_leaves_one_file(tmp_path: Path) -> None:
    write_atomically(tmp_path / "a.json", "年假")
    write_atomically(tmp_path / "a.json", "病假")
    assert [p.name for p in tmp_path.iterdir()] == ["a.json"]
    assert (tmp_path / "a.json").read_text(encoding="utf-8") == "病假"
