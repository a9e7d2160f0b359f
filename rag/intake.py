"""Uploads → a visitor's own documents, one report for each file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from rag.corpus.index import Progress
from rag.errors import Bilingual, Language, LoadError, RagError, Stopped
from rag.limits import Allowance
from rag.types import Document
from rag.versions import Choice, Own, named, place, same_as, same_version_as

# From then on the bar says for how long a file is being read.
_LONG_READ_S = 2.0

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


def joined(said: Iterable[str], language: Language) -> str:
    """Remarks, whole sentences and others, one after the other.

    >>> joined(["甲。", "", "乙", "丙"], "zh"), joined(["A.", "b", "c"], "en")
    ('甲。乙；丙', 'A. b; c')
    """
    whole = ""
    for part in filter(None, said):
        if whole:
            ended = whole.endswith(tuple("。！？；.!?;"))
            whole += ("" if ended else "；") if language == "zh" else (" " if ended else "; ")
        whole += part
    return whole


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
    note = Bilingual(en=joined([n.en for n in notes], "en"), zh=joined([n.zh for n in notes], "zh"))
    return FileReport(upload.name, "warning" if notes else "ok", note, tuple(d.key for d in stand))


def undone(report: FileReport, why: Bilingual) -> FileReport:
    """The report of a file that was read but could not be indexed."""
    return FileReport(report.name, "error", why, ()) if report.keys else report


def stopped(uploads: Sequence[Upload | FileReport], reports: Sequence[FileReport]) -> list[FileReport]:
    """The reports of uploads that were stopped, when `reports` of the first of them were there: nothing was taken in."""
    failed = {i: report for i, report in enumerate(reports) if report.state == "error"}
    why = Bilingual(
        en="Stopped before it was taken in. Choose it again if you want it.",
        zh="已停止，没有收入；如仍需要请重新选择。",
    )
    return [failed.get(i, FileReport(upload.name, "error", why, ())) for i, upload in enumerate(uploads)]


def relations(own: Own) -> dict[str, tuple[Bilingual, ...]]:
    """By key, what a person should know of documents with the words of another one that is or was there, or with its version and other words."""
    by_text: dict[str, list[Document]] = {}
    by_version: dict[tuple[str, str], list[Document]] = {}
    for held in own.values():
        by_text.setdefault(held.document.text, []).append(held.document)
        by_version.setdefault((held.document.doc_id, held.document.version), []).append(held.document)
    said: dict[str, tuple[Bilingual, ...]] = {}
    for key, held in own.items():
        mine = held.document
        same = [d for d in by_text[mine.text] if d is not mine]
        found = [same_as(same)] if same else []
        alike = by_version[mine.doc_id, mine.version] if mine.version else []
        if differ := [d for d in alike if d.text != mine.text]:
            found.append(same_version_as(differ))
        if held.outlived is not None and not same:
            names = named([held.outlived])
            found.append(
                Bilingual(
                    en=f"the words of the earlier {names.en}, which was replaced since; remove it if it is a leftover",
                    zh=f"内容与已被替换的{names.zh}相同，如系旧稿请移除",
                )
            )
        if found:
            said[key] = tuple(found)
    return said


def say_read(
    progress: Callable[[Progress], None], name: str, done: int, total: int, seconds: float, ahead: int
) -> None:
    """A file is being read, for how many seconds already where it takes long; or it waits for `ahead` others."""
    taken = f" · {seconds:.0f} s" if seconds > _LONG_READ_S else ""
    progress(Progress("load", done, total, name + taken, ahead=ahead))


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
