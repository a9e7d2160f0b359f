"""Uploaded files on their way into memory: an own private folder, one path per upload, read and deleted at once."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import tempfile
import time
from pathlib import Path, PurePosixPath
from typing import Any

import gradio.route_utils

from rag.config import Limits
from rag.errors import LimitReached, LoadError
from rag.limits import Allowance
from rag.ui.strings import both
from rag.workspace import FileReport, Upload


class _OwnPathUpload(gradio.route_utils.GradioUploadFile):  # type: ignore[misc]  # gradio has no types
    """An upload that gets a path of its own, and of whose bytes no more than `most` are kept.

    Gradio would refuse all that was chosen for one file that is too large. Of such a file one byte more than is allowed
    is written: enough to tell, see `UploadFolder.take`.

    Gradio names the folder of an upload by its bytes, so two visitors who send the same file under the same name
    share one path, and the one who reads (and deletes) first takes it from the other.
    """

    most: int

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.sha = hashlib.sha256(secrets.token_bytes(32))

    async def write(self, data: bytes) -> None:
        """Write what is kept of `data`."""
        await super().write(data[: max(0, self.most - (self.size or 0))])


def own_paths(limits: Limits) -> None:
    """Make every upload of this process get a path of its own, and bound what is kept of it."""
    gradio.route_utils.GradioUploadFile = type("Upload", (_OwnPathUpload,), {"most": limits.file_bytes + 1})


class UploadFolder:
    """The folder Gradio puts uploads in: new, readable by this user only, inside ``GRADIO_TEMP_DIR`` if that is set.

    From then on ``GRADIO_TEMP_DIR`` names it, since Gradio asks there for every upload; `remove` puts it back.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        parent = os.environ.get("GRADIO_TEMP_DIR") or None
        if parent is not None:
            Path(parent).mkdir(parents=True, exist_ok=True)
        self.path = Path(tempfile.mkdtemp(prefix="glassbox-", dir=parent)).resolve()
        self._before = parent
        os.environ["GRADIO_TEMP_DIR"] = str(self.path)

    def take(self, sent: object, held: int) -> list[Upload | FileReport]:
        """Read the uploads a page names, and delete them all whatever happens.

        One that is over a limit (`held`: the visitor's bytes so far) is not read: its report comes in its place.
        Raises `LoadError` when one is not there (any more) or is not an upload.
        """
        items = _items(sent)
        paths = [self._checked(item) for item in items]
        allowance, taken = Allowance(self._limits), list[Upload | FileReport]()
        try:
            for n, (item, path) in enumerate(zip(items, paths, strict=True), 1):
                name = _name(item)
                try:
                    allowance.check_documents(name, n)
                    size = _size(path, name)
                    allowance.check_bytes(name, size, held)
                except LimitReached as error:
                    taken.append(FileReport(name, "error", error.text, ()))
                    continue
                held += size
                taken.append(Upload(name, _read(path, name)))
            return taken
        finally:
            for path in paths:
                if path is not None:
                    path.unlink(missing_ok=True)
                    shutil.rmtree(path.parent, ignore_errors=True)

    def sweep(self, older_than_s: float) -> None:
        """Delete what was uploaded but never taken, and whatever else was left here."""
        # the system may have cleaned it away, and Gradio would then make one that others can read
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.path.chmod(0o700)
        limit = time.time() - older_than_s
        for entry in self.path.iterdir():
            try:
                if entry.lstat().st_mtime < limit:
                    shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
            except FileNotFoundError:
                continue  # taken by its visitor in this moment

    def remove(self) -> None:
        """Delete the folder and everything in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        if os.environ.get("GRADIO_TEMP_DIR") != str(self.path):
            return  # another page was opened after this one
        if self._before is None:
            del os.environ["GRADIO_TEMP_DIR"]
        else:
            os.environ["GRADIO_TEMP_DIR"] = self._before

    def _checked(self, item: dict[str, Any]) -> Path | None:
        """The path a page sent, if it is one this folder hands out: ``<folder>/<64 hex digits>/<name>``."""
        path = Path(str(item.get("path", "")))
        inside = path.parent.parent == self.path and len(path.parent.name) == 64 and ".." not in path.parts
        return path if inside and path.is_file() and not path.is_symlink() else None


def _name(item: dict[str, Any]) -> str:
    """The name the visitor's file has for them; Gradio's own copy is cleaned of some characters."""
    said = item.get("orig_name") or item.get("path") or ""
    # half of a surrogate pair cannot be sent back to the page
    name = str(said).encode("utf-8", "ignore").decode().replace("\\", "/").rsplit("/", 1)[-1]
    # a name that is too long keeps its suffix, which may decide how the file is read
    suffix = PurePosixPath(name).suffix[:10]
    return (name if len(name) <= 200 else name[: 200 - len(suffix)] + suffix) or "?"


def _items(sent: object) -> list[dict[str, Any]]:
    """What a client sent as a list of uploads; raises `LoadError` when it is something else."""
    if not isinstance(sent, list) or not all(isinstance(item, dict) for item in sent):
        raise _vanished("?")
    return sent


def _size(path: Path | None, name: str) -> int:
    try:
        if path is not None:
            return path.stat().st_size
    except FileNotFoundError:
        path = None
    raise _vanished(name)


def _read(path: Path | None, name: str) -> bytes:
    try:
        if path is not None:
            return path.read_bytes()
    except FileNotFoundError:
        path = None
    raise _vanished(name)


def _vanished(name: str) -> LoadError:
    said = both("docs.vanished", name=name)
    return LoadError(en=said.en, zh=said.zh)
