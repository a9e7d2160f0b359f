"""Uploads are read and deleted at once, every one has its own path, and nothing else can be read through them."""

import os
import stat
import threading
from pathlib import Path
from typing import Any

import pytest

from rag.errors import LoadError
from rag.ui.uploads import UploadFolder


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> UploadFolder:
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "outer"))
    return UploadFolder()


def sent(folder: UploadFolder, name: str, data: bytes, token: str = "a") -> dict[str, Any]:
    """What a page sends after an upload: the path the server gave it, and the file's own name."""
    place = folder.path / (token * 64)
    place.mkdir(exist_ok=True)
    (place / "cleaned").write_bytes(data)
    return {"path": str(place / "cleaned"), "orig_name": name}


def test_the_folder_is_private_and_gone_at_the_end(folder: UploadFolder, tmp_path: Path) -> None:
    assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700
    assert os.environ["GRADIO_TEMP_DIR"] == str(folder.path)
    folder.remove()
    assert os.environ["GRADIO_TEMP_DIR"] == str(tmp_path / "outer") and not folder.path.exists()


def test_taken_uploads_are_gone(folder: UploadFolder) -> None:
    items = [sent(folder, "休假<b>.txt", b"1", "a"), sent(folder, "b.txt", b"2", "b")]
    assert [(u.name, u.data) for u in folder.take(items)] == [("休假<b>.txt", b"1"), ("b.txt", b"2")]
    assert list(folder.path.rglob("*")) == []


def test_one_that_vanished_is_named_and_the_others_are_deleted_too(folder: UploadFolder) -> None:
    gone = sent(folder, "gone.txt", b"1", "a")
    Path(gone["path"]).unlink()
    with pytest.raises(LoadError, match="gone.txt.*choose the file again"):
        folder.take([gone, sent(folder, "b.txt", b"2", "b")])
    assert [p for p in folder.path.rglob("*") if p.is_file()] == []


def test_no_other_file_can_be_read_or_deleted(folder: UploadFolder, tmp_path: Path) -> None:
    secret = tmp_path / ("c" * 64) / "secret.txt"
    secret.parent.mkdir()
    secret.write_text("secret")
    place = folder.path / ("d" * 64)
    place.mkdir()
    (place / "link").symlink_to(secret)
    (folder.path / "direct").write_text("x")
    paths = (secret, place / ".." / ".." / ".." / ("c" * 64) / "secret.txt", place / "link", folder.path / "direct", place, "", "/etc/passwd")  # fmt: skip
    for path in paths:
        with pytest.raises(LoadError):
            folder.take([{"path": str(path), "orig_name": "x"}])
    with pytest.raises(LoadError):
        folder.take([{}])
    assert secret.read_text() == "secret" and (folder.path / "direct").exists()


def test_names_are_the_last_part_only(folder: UploadFolder) -> None:
    names = ["../../etc/passwd", "C:\\x\\y.txt", "", "a" * 500]
    taken = [folder.take([sent(folder, name, b"")])[0].name for name in names]
    assert taken == ["passwd", "y.txt", "cleaned", "a" * 200]


def test_sweep_deletes_what_was_left_and_keeps_what_is_new(folder: UploadFolder) -> None:
    old, new = sent(folder, "old", b"1", "a"), sent(folder, "new", b"2", "b")
    (folder.path / "tmp123").write_text("")
    for path in (Path(old["path"]).parent, folder.path / "tmp123"):
        os.utime(path, (1, 1))
    folder.sweep(60)
    assert [p.name for p in folder.path.iterdir()] == ["b" * 64] and Path(new["path"]).exists()


def test_taking_and_sweeping_at_once_loses_nothing(folder: UploadFolder) -> None:
    stop = threading.Event()

    def sweep() -> None:
        while not stop.is_set():
            folder.sweep(3600)

    thread = threading.Thread(target=sweep)
    thread.start()
    try:
        for i in range(300):
            assert folder.take([sent(folder, "x", str(i).encode())])[0].data == str(i).encode()
    finally:
        stop.set()
        thread.join()
