"""Uploads are read and deleted at once, every one has its own path, and nothing else can be read through them."""

import os
import stat
import threading
from pathlib import Path
from typing import Any

import pytest

from rag.config import Limits
from rag.errors import LoadError
from rag.ui.uploads import UploadFolder
from rag.workspace import FileReport, Upload

LIMITS = Limits(files=3, file_bytes=600, total_bytes=1000)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> UploadFolder:
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "outer"))
    return UploadFolder(LIMITS)


def sent(folder: UploadFolder, name: str, data: bytes, token: str = "a") -> dict[str, Any]:
    """What a page sends after an upload: the path the server gave it, and the file's own name."""
    place = folder.path / (token * 64)
    place.mkdir(exist_ok=True)
    (place / "cleaned").write_bytes(data)
    return {"path": str(place / "cleaned"), "orig_name": name}


def taken(folder: UploadFolder, items: list[dict[str, Any]]) -> list[Upload]:
    """What is taken when nothing is refused."""
    uploads = folder.take(items, 0)
    assert all(isinstance(upload, Upload) for upload in uploads)
    return uploads  # type: ignore[return-value]


def test_the_folder_is_private_and_gone_at_the_end(folder: UploadFolder, tmp_path: Path) -> None:
    assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700
    assert os.environ["GRADIO_TEMP_DIR"] == str(folder.path)
    folder.remove()
    assert os.environ["GRADIO_TEMP_DIR"] == str(tmp_path / "outer") and not folder.path.exists()


def test_taken_uploads_are_gone(folder: UploadFolder) -> None:
    items = [sent(folder, "休假<b>.txt", b"1", "a"), sent(folder, "b.txt", b"2", "b")]
    assert [(u.name, u.data) for u in taken(folder, items)] == [("休假<b>.txt", b"1"), ("b.txt", b"2")]
    assert list(folder.path.rglob("*")) == []


def test_one_that_vanished_is_named_and_the_others_are_deleted_too(folder: UploadFolder) -> None:
    gone = sent(folder, "gone.txt", b"1", "a")
    Path(gone["path"]).unlink()
    with pytest.raises(LoadError, match="gone.txt.*choose the file again"):
        folder.take([gone, sent(folder, "b.txt", b"2", "b")], 0)
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
            folder.take([{"path": str(path), "orig_name": "x"}], 0)
    with pytest.raises(LoadError):
        folder.take([{}], 0)
    assert secret.read_text() == "secret" and (folder.path / "direct").exists()


def test_long_names_keep_their_suffix_and_halves_of_pairs_are_dropped(folder: UploadFolder) -> None:
    names = ["长" * 251 + ".txt", "a\ud800b.md"]
    assert [taken(folder, [sent(folder, name, b"")])[0].name for name in names] == ["长" * 196 + ".txt", "ab.md"]


def test_names_are_the_last_part_only(folder: UploadFolder) -> None:
    names = ["../../etc/passwd", "C:\\x\\y.txt", "", "a" * 500]
    got = [taken(folder, [sent(folder, name, b"")])[0].name for name in names]
    assert got == ["passwd", "y.txt", "cleaned", "a" * 200]


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
            assert taken(folder, [sent(folder, "x", str(i).encode())])[0].data == str(i).encode()
    finally:
        stop.set()
        thread.join()


def test_what_is_over_a_limit_is_refused_unread(folder: UploadFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    whole = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: read.append(path.parent.name[0]) or whole(path))
    sizes = {"a": 601, "b": 600, "c": 200, "d": 1}
    items = [sent(folder, f"{t}.txt", b"x" * n, t) for t, n in sizes.items()]
    got = folder.take(items, held=300)
    assert read == ["b"]
    assert [type(x) for x in got] == [FileReport, Upload, FileReport, FileReport]
    for report, limit in zip((got[0], got[2], got[3]), ("600", "1,000", "3"), strict=True):
        assert isinstance(report, FileReport) and report.state == "error" and report.keys == ()
        assert report.name in report.message.zh and limit in report.message.zh and limit in report.message.en
    assert list(folder.path.rglob("*")) == []


@pytest.mark.parametrize("odd", ["x", ["/etc/passwd"], [None], {"path": "x"}, 3, [[]]])
def test_what_is_no_list_of_uploads_ends_in_a_plain_message(folder: UploadFolder, odd: object) -> None:
    with pytest.raises(LoadError, match="choose the file again"):
        folder.take(odd, 0)


def test_sweep_makes_a_folder_that_was_cleaned_away_again_and_private(folder: UploadFolder) -> None:
    folder.path.rmdir()
    folder.sweep(60)
    assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700
    folder.path.chmod(0o755)  # as Gradio would have made it
    folder.sweep(60)
    assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700
