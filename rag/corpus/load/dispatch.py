"""Which loader reads a file: decided by its content, and by its name only where content cannot tell."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import PurePosixPath

from rag.corpus.clean import clean_line
from rag.corpus.load import json_list, markdown, pdf, sheet, text, web, word
from rag.corpus.load.builder import Parsed
from rag.corpus.load.container import damaged, member_names
from rag.corpus.load.metadata import document
from rag.corpus.load.table import MAX_CHARACTERS, TableTooLarge
from rag.errors import LoadError, UnsafeFile, UnsupportedFormat
from rag.types import Document, Origin

Parse = Callable[[str, bytes], tuple[Parsed, ...]]

_BY_SUFFIX: dict[str, Parse] = {
    ".txt": text.parse,
    ".md": markdown.parse,
    ".json": json_list.parse,
    ".docx": word.parse,
    ".pdf": pdf.parse,
    ".xlsx": sheet.parse,
    ".html": web.parse,
    ".htm": web.parse,
}
SUFFIXES = tuple(_BY_SUFFIX)
_BY_PART: dict[str, Parse] = {"word/": word.parse, "xl/": sheet.parse}
_PAGE = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]{0,200}\?>\s*)?"
    # a comment ends at its first -->: else a row of comments could be read in exponentially many ways
    rb"(?:<!--(?:(?!-->).){0,500}-->\s*)*<(?:!doctype\s+html|html)\b",
    re.I | re.S,
)
_BINARY = (".docx", ".pdf", ".xlsx")
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
# First bytes of what people upload by mistake; as text these would be refused for a less helpful reason.
_OTHER = (
    b"\x89PNG",
    b"\xff\xd8\xff",
    b"GIF8",
    b"Rar!",
    b"7z\xbc\xaf",
    b"\x1f\x8b",
    b"\x7fELF",
    b"MZ\x90",
    b"II*\0",
    b"MM\0*",
)


def load(name: str, data: bytes, origin: Origin = "own") -> tuple[Document, ...]:
    """The documents in a file called `name` with the content `data`; several only for a JSON list.

    Raises:
        UnsupportedFormat: no loader reads this kind of file.
        EmptyDocument: it holds no text.
        UnsafeFile: it is built to exhaust or attack its reader.
        LoadError: it is damaged, protected by a password, or not what its format asks for.
    """
    name = clean_line(name) or "document"
    try:
        return tuple(document(name, origin, parsed) for parsed in _loader(name, data)(name, data))
    except LoadError:
        raise
    except TableTooLarge as error:
        raise UnsafeFile(
            en=f"{name}: a table of more than {MAX_CHARACTERS:,} characters, since merged cells and column names are repeated. Split it.",
            zh=f"{name}：表格逐行展开列名和合并单元格后超过 {MAX_CHARACTERS:,} 个字符，请拆分表格。",
        ) from error
    except Exception as error:
        # The parsers raise whatever their code runs into on a malformed file; to a person it is one thing.
        raise damaged(name) from error


def _loader(name: str, data: bytes) -> Parse:
    suffix = PurePosixPath(name.replace("\\", "/")).suffix.lower()
    by_content = _by_content(name, suffix, data)
    if by_content is not None:
        return by_content
    if suffix in _BINARY:
        raise damaged(name)
    if suffix not in _BY_SUFFIX:
        raise _unsupported(name)
    return _BY_SUFFIX[suffix]


def _by_content(name: str, suffix: str, data: bytes) -> Parse | None:
    """The loader that the content itself asks for; None when it may be any kind of text."""
    if data.startswith(_OLE):
        raise LoadError(
            en=f"{name}: protected by a password, or in an old format. Save it without a password as .docx or .xlsx.",
            zh=f"{name}：文件已加密（有密码），或是旧版格式。请去掉密码并另存为 .docx 或 .xlsx。",
        )
    if data.startswith(_OTHER):
        raise _unsupported(name)
    if data.startswith(b"PK\x03\x04"):
        parts = member_names(name, data)
        for part, parse in _BY_PART.items():
            if any(member.startswith(part) for member in parts):
                return parse
        raise _unsupported(name)
    # A PDF may start with a few bytes of something else; a text that only speaks of PDF does not.
    if data.lstrip()[:5] == b"%PDF-" or (suffix == ".pdf" and b"%PDF-" in data[:1024]):
        return pdf.parse
    return web.parse if _PAGE.match(data) else None


def _unsupported(name: str) -> UnsupportedFormat:
    listed = " ".join(SUFFIXES)
    return UnsupportedFormat(
        en=f"{name}: this kind of file cannot be read. Save it as one of {listed}",
        zh=f"{name}：不支持这种文件，请另存为以下格式之一：{listed}",
    )
