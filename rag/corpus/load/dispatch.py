"""Which loader reads a file: decided by its content, and by its name only where content cannot tell."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from rag.corpus.clean import clean_line
from rag.corpus.load import json_list, markdown, ole, pdf, sheet, slides, text, web, word
from rag.corpus.load.builder import Parsed
from rag.corpus.load.container import damaged, member_names
from rag.corpus.load.metadata import document
from rag.corpus.load.table import MAX_CHARACTERS, TableTooLarge
from rag.errors import Bilingual, LoadError, UnsafeFile, UnsupportedFormat
from rag.types import Document, Origin


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of file: what it is called, its loader, the endings of its names."""

    en: str
    zh: str
    parse: Callable[[str, bytes], tuple[Parsed, ...]]
    suffixes: tuple[str, ...]


_TEXT = Kind("plain text", "纯文本", text.parse, (".txt",))
_MARKDOWN = Kind("Markdown", "Markdown", markdown.parse, (".md",))
_JSON = Kind("JSON", "JSON", json_list.parse, (".json",))
_WORD = Kind("a Word document", "Word 文档", word.parse, (".docx",))
_PDF = Kind("a PDF", "PDF", pdf.parse, (".pdf",))
_SHEET = Kind("an Excel workbook", "Excel 表格", sheet.parse, (".xlsx",))
_SLIDES = Kind("a presentation", "演示文稿", slides.parse, (".pptx",))
_WEB = Kind("a web page", "网页", web.parse, (".html", ".htm"))
_KINDS = (_TEXT, _MARKDOWN, _JSON, _WORD, _PDF, _SHEET, _SLIDES, _WEB)
# What is inside a zip-based file.
_BY_PART = {"word/": _WORD, "xl/": _SHEET, "ppt/": _SLIDES}

SUFFIXES = tuple(suffix for kind in _KINDS for suffix in kind.suffixes)
_BY_SUFFIX = {suffix: kind for kind in _KINDS for suffix in kind.suffixes}
_BINARY = (*_WORD.suffixes, *_PDF.suffixes, *_SHEET.suffixes, *_SLIDES.suffixes)
_PAGE = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]{0,200}\?>\s*)?"
    # a comment ends at its first -->: else a row of comments could be read in exponentially many ways
    rb"(?:<!--(?:(?!-->).){0,500}-->\s*)*<(?:!doctype\s+html|html)\b",
    re.I | re.S,
)
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
    kind = _kind(name, data)
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


def _suffix(name: str) -> str:
    return PurePosixPath(name.replace("\\", "/")).suffix.lower()


def _kind(name: str, data: bytes) -> Kind:
    suffix = _suffix(name)
    by_content = _by_content(name, suffix, data)
    if by_content is not None:
        return by_content
    if suffix in _BINARY:
        raise damaged(name)
    if suffix not in _BY_SUFFIX:
        raise _unsupported(name)
    return _BY_SUFFIX[suffix]


def _by_content(name: str, suffix: str, data: bytes) -> Kind | None:
    """The kind that the content itself shows; None when it may be any kind of text."""
    if data.startswith(ole.MARK):
        ole.is_workbook(name, data)
        raise _unsupported(name)
    if data.startswith(_OTHER):
        raise _unsupported(name)
    if data.startswith(b"PK\x03\x04"):
        parts = member_names(name, data)
        for part, kind in _BY_PART.items():
            if any(member.startswith(part) for member in parts):
                return kind
        raise _unsupported(name)
    # A PDF may start with a few bytes of something else; a text that only speaks of PDF does not.
    if data.lstrip()[:5] == b"%PDF-" or (suffix in _PDF.suffixes and b"%PDF-" in data[:1024]):
        return _PDF
    return _WEB if _PAGE.match(data) else None


def _misnamed(name: str, kind: Kind) -> tuple[Bilingual, ...]:
    """A note when the ending of the name promises something else than what the content is."""
    suffix = _suffix(name)
    if not suffix or suffix in kind.suffixes:
        return ()
    return (
        Bilingual(
            en=f"{name}: the name ends in {suffix}, but the content is {kind.en}; it was taken for that.",
            zh=f"{name}：扩展名是 {suffix}，内容却是{kind.zh}，已按内容处理。",
        ),
    )


def _unsupported(name: str) -> UnsupportedFormat:
    listed = " ".join(SUFFIXES)
    return UnsupportedFormat(
        en=f"{name}: this kind of file cannot be read. Save it as one of {listed}",
        zh=f"{name}：不支持这种文件，请另存为以下格式之一：{listed}",
    )
