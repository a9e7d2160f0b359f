"""Uploads → a visitor's own documents, one report for each file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from rag.errors import Bilingual, LoadError, RagError, Stopped
from rag.limits import Allowance
from rag.types import Document
from rag.versions import Choice, Own, place

Read = Callable[[str, bytes], tuple[Document, ...]]
"""A file's name and bytes → its documents."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A file as it came: its name (data, never a path) and its bytes."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class FileReport:
    """What became of an upload; `keys` are the documents it became."""

    name: str
    state: Literal["ok", "warning", "error"]
    message: Bilingual
    keys: tuple[str, ...]

    def renamed(self, old: str, new: str) -> FileReport:
        """The report with a document's new key."""
        return replace(self, keys=tuple(new if key == old else key for key in self.keys))


def take(upload: Upload | FileReport, own: Own, allowance: Allowance, read: Read, choice: Choice) -> FileReport:
    """Load one upload into `own`, within `allowance`; nothing of it stays when it fails.

    A report in place of an upload is of a file that was refused unread; it is given back as it is. Raises `Stopped`.
    """
    if isinstance(upload, FileReport):
        return upload
    try:
        allowance.check_bytes(upload.name, len(upload.data), sum(held.size for held in own.values()))
        documents = read(upload.name, upload.data)
        _check_keys(upload.name, documents)
        placed = dict(own)
        notes = [warning for d in documents for warning in d.warnings]
        stand, more = place(documents, len(upload.data), placed, choice)
        notes += more
        allowance.check_documents(upload.name, len(placed))
    except Stopped:
        raise
    except RagError as error:
        return FileReport(upload.name, "error", error.text, ())
    own.clear()
    own.update(placed)
    note = Bilingual(en="; ".join(n.en for n in notes), zh="；".join(n.zh for n in notes))
    return FileReport(upload.name, "warning" if notes else "ok", note, tuple(d.key for d in stand))


def undone(report: FileReport, why: Bilingual) -> FileReport:
    """The report of a file that was read but could not be indexed."""
    return FileReport(report.name, "error", why, ()) if report.keys else report


def _check_keys(name: str, documents: Sequence[Document]) -> None:
    """Raise `LoadError` when two documents of a file get the same key (``a@b`` + ``c`` and ``a`` + ``b@c``)."""
    seen: set[str] = set()
    for document in documents:
        if document.key in seen:
            raise LoadError(
                en=f"{name}: {document.key} is in it twice. Give one of them another doc_id or version.",
                zh=f"{name}：其中 {document.key} 出现了两次，请修改其中一个的 doc_id 或版本。",
            )
        seen.add(document.key)
