"""Uploads → a visitor's own documents, one report for each file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rag.corpus.load import load
from rag.errors import Bilingual, LoadError, RagError
from rag.limits import Allowance
from rag.types import Document


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


@dataclass(frozen=True, slots=True)
class Held:
    """A document of the visitor's and its share of the bytes of the file it came in."""

    document: Document
    size: int


Own = dict[str, Held]


def take(upload: Upload | FileReport, own: Own, allowance: Allowance) -> FileReport:
    """Load one upload into `own`, within `allowance`; nothing of it stays when it fails.

    A report in place of an upload is of a file that was refused unread; it is given back as it is.
    """
    if isinstance(upload, FileReport):
        return upload
    try:
        allowance.check_bytes(upload.name, len(upload.data), sum(held.size for held in own.values()))
        documents = load(upload.name, upload.data, "own")
        _check_keys(upload.name, documents)
        allowance.check_documents(upload.name, len(own.keys() | {d.key for d in documents}))
    except RagError as error:
        return FileReport(upload.name, "error", error.text, ())
    replaced = [d.key for d in documents if d.key in own]
    notes = [warning for d in documents for warning in d.warnings]
    if replaced:
        keys = ", ".join(replaced)
        notes.append(Bilingual(en=f"replaced the earlier {keys}", zh=f"已替换之前的 {keys}"))
    held = [h.document for h in own.values()]
    other = sorted({d.key for d in held for new in documents if d.doc_id == new.doc_id} - set(replaced))
    if other:
        keys = ", ".join(other)
        notes.append(
            Bilingual(
                en=f"another version of {keys}: the newest in force is searched, unless the scope says all",
                zh=f"与 {keys} 是同一制度的不同版本：默认只检索现行的最新版本",
            )
        )
    characters = sum(len(d.text) for d in documents)
    for document in documents:
        own.pop(document.key, None)  # a replaced document comes last again: of undated versions the last one counts
        # rounded up, so that the shares together are not less than the file
        own[document.key] = Held(document, -(-len(upload.data) * len(document.text) // characters))
    note = Bilingual(en="; ".join(n.en for n in notes), zh="；".join(n.zh for n in notes))
    return FileReport(upload.name, "warning" if notes else "ok", note, tuple(d.key for d in documents))


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
