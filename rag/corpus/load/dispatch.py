"""A file's bytes → documents, by the loader of its kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from rag.corpus.clean import clean_line
from rag.corpus.load.container import damaged
from rag.corpus.load.fault import Fault, fault_of, log_fault
from rag.corpus.load.kinds import SUFFIXES, Kind, kind_of, suffix_of
from rag.corpus.load.metadata import document
from rag.corpus.load.table import MAX_CHARACTERS, TableTooLarge
from rag.errors import Bilingual, LoadError, UnsafeFile
from rag.types import Document, Origin

__all__ = ["SUFFIXES", "load"]

Report = Callable[[Fault], None]
"""Is told what a loader ran into without expecting it, before the error for the person is raised."""


def load(name: str, data: bytes, origin: Origin = "own", report: Report = log_fault) -> tuple[Document, ...]:
    """The documents in a file called `name` with the content `data`; several only for a JSON list.

    Raises:
        UnsupportedFormat: no loader reads this kind of file.
        EmptyDocument: it holds no text.
        UnsafeFile: it is built to exhaust or attack its reader.
        LoadError: it is damaged, protected by a password, or not what its format asks for; or it met an error in this program.
    """
    name = clean_line(name) or "document"
    kind = kind_of(name, data)
    other = _misnamed(name, kind)
    try:
        first, *rest = _documents(name, data, origin, kind, report)
    except LoadError as error:
        for note in other:  # 「damaged」 alone would send a person looking for a fault in the wrong kind of file
            raise type(error)(en=f"{error.message('en')} {note.en}", zh=f"{error.message('zh')}{note.zh}") from error
        raise
    return (replace(first, warnings=(*other, *first.warnings)), *rest)


def _documents(name: str, data: bytes, origin: Origin, kind: Kind, report: Report) -> tuple[Document, ...]:
    try:
        return tuple(document(name, origin, parsed) for parsed in kind.parse(name, data))
    except (LoadError, MemoryError):
        raise
    except RecursionError as error:
        # Our code that follows a file's structure runs into it just as a library's: what is said is true of both.
        report(fault_of(error))
        raise UnsafeFile(
            en=f"{name}: its parts are nested too deeply to be read. Save it with a simpler structure, or as plain text.",
            zh=f"{name}：内部嵌套层数过深，无法读取。请简化结构，或另存为纯文本。",
        ) from error
    except TableTooLarge as error:
        raise UnsafeFile(
            en=f"{name}: a table of more than {MAX_CHARACTERS:,} characters, since merged cells and column names are repeated. Split it.",
            zh=f"{name}：表格逐行展开列名和合并单元格后超过 {MAX_CHARACTERS:,} 个字符，请拆分表格。",
        ) from error
    except Exception as error:
        # The parsers raise whatever their code runs into on a malformed file; to a person it is one thing, our errors another.
        fault = fault_of(error)
        report(fault)
        raise (_our_error(name) if fault.ours else damaged(name)) from error


def _our_error(name: str) -> LoadError:
    return LoadError(
        en=f"{name}: it could not be read here because of an error in this program; the kind and place of the error were logged. "
        "Try saving it from its own program in another format (.docx, .txt).",
        zh=f"{name}：由于本程序出错，未能读取此文件；错误的类型和位置已记入日志。请尝试用原程序另存为其他格式（.docx、.txt）后再上传。",
    )


def _misnamed(name: str, kind: Kind) -> tuple[Bilingual, ...]:
    """A note when the ending of the name promises something else than what the content is."""
    suffix = suffix_of(name)
    if not suffix or suffix in (*kind.suffixes, *kind.rare):
        return ()
    return (
        Bilingual(
            en=f"{name}: the name ends in {suffix}, but the content is {kind.en}; it was taken for that.",
            zh=f"{name}：扩展名是 {suffix}，内容却是{kind.zh}，已按内容处理。",
        ),
    )
