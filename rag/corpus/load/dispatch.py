"""A file's bytes → documents, by the loader of its kind."""

from __future__ import annotations

from dataclasses import replace

from rag.corpus.clean import clean_line
from rag.corpus.load.builder import Parsed
from rag.corpus.load.container import damaged
from rag.corpus.load.kinds import SUFFIXES, Kind, kind_of, suffix_of
from rag.corpus.load.metadata import document
from rag.corpus.load.table import MAX_CHARACTERS, TableTooLarge
from rag.errors import Bilingual, LoadError, UnsafeFile
from rag.types import Document, Origin

__all__ = ["SUFFIXES", "load"]


def load(name: str, data: bytes, origin: Origin = "own") -> tuple[Document, ...]:
    """The documents in a file called `name` with the content `data`; several only for a JSON list.

    Raises:
        UnsupportedFormat: no loader reads this kind of file.
        EmptyDocument: it holds no text.
        UnsafeFile: it is built to exhaust or attack its reader.
        LoadError: it is damaged, protected by a password, or not what its format asks for.
    """
    name = clean_line(name) or "document"
    kind = kind_of(name, data)
    other = _misnamed(name, kind)
    try:
        first, *rest = _parsed(name, data, kind)
        parsed = (replace(first, warnings=(*other, *first.warnings)), *rest)
        return tuple(document(name, origin, one) for one in parsed)
    except LoadError as error:
        for note in other:  # 「damaged」 alone would send a person looking for a fault in the wrong kind of file
            raise type(error)(en=f"{error.message('en')} {note.en}", zh=f"{error.message('zh')}{note.zh}") from error
        raise


def _parsed(name: str, data: bytes, kind: Kind) -> tuple[Parsed, ...]:
    try:
        return kind.parse(name, data)
    except (LoadError, MemoryError):
        raise
    except RecursionError as error:
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
        # The parsers raise whatever their code runs into on a malformed file; to a person it is one thing.
        raise damaged(name) from error


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
