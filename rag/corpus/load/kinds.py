"""The kinds of files that are read, and which one a file is: by its content, and by its name only where content cannot tell."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath

from rag.corpus.load import (
    delimited,
    json_list,
    mail,
    markdown,
    ole,
    pdf,
    rtf,
    sheet,
    slides,
    text,
    web,
    word,
    xls,
    xml_text,
)
from rag.corpus.load.builder import Parsed
from rag.corpus.load.container import damaged, member_names
from rag.corpus.load.encoding import decode
from rag.errors import LoadError, UnsupportedFormat


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of file: what it is called, its loader, the usual endings of its names and the rare ones."""

    en: str
    zh: str
    parse: Callable[[str, bytes], tuple[Parsed, ...]]
    suffixes: tuple[str, ...]
    rare: tuple[str, ...] = ()


_TEXT = Kind("plain text", "纯文本", text.parse, (".txt",), (".text", ".log"))
_MARKDOWN = Kind("Markdown", "Markdown", markdown.parse, (".md",), (".markdown",))
_JSON = Kind("JSON", "JSON", json_list.parse, (".json",))
_JSON_LINES = Kind("JSON, one object a line", "逐行 JSON", json_list.parse_lines, (".jsonl",), (".ndjson",))
_ROWS = Kind("a table as text", "文本表格", delimited.parse, (".csv", ".tsv"), (".tab",))
_WORD = Kind("a Word document", "Word 文档", word.parse, (".docx",), (".docm", ".dotx", ".dotm"))
_PDF = Kind("a PDF", "PDF", pdf.parse, (".pdf",))
_SHEET = Kind("an Excel workbook", "Excel 表格", sheet.parse, (".xlsx",), (".xlsm", ".xltx", ".xltm"))
_SLIDES = Kind("a presentation", "演示文稿", slides.parse, (".pptx",), (".pptm", ".ppsx", ".potx"))
_OLD_SHEET = Kind("an old Excel workbook", "旧版 Excel 表格", xls.parse, (".xls",), (".xlt", ".et"))
_WEB = Kind("a web page", "网页", web.parse, (".html", ".htm"), (".xhtml",))
_XML = Kind("XML", "XML", xml_text.parse, (".xml",), (".rss", ".atom"))
_MAIL = Kind("a message", "邮件", mail.parse, (".eml",), (".mht", ".mhtml"))
_RICH = Kind("rich text", "RTF 文档", rtf.parse, (".rtf",))
_PLAIN = (_TEXT, _MARKDOWN, _JSON, _JSON_LINES, _ROWS, _XML, _MAIL)
_BINARY = (_WORD, _PDF, _SHEET, _SLIDES, _OLD_SHEET, _RICH)
_KINDS = (
    _TEXT,
    _MARKDOWN,
    _WORD,
    _PDF,
    _SHEET,
    _SLIDES,
    _WEB,
    _ROWS,
    _JSON,
    _JSON_LINES,
    _XML,
    _MAIL,
    _RICH,
    _OLD_SHEET,
)
# What is inside a zip-based file.
_BY_PART = {"word/": _WORD, "xl/": _SHEET, "ppt/": _SLIDES}

SUFFIXES = tuple(suffix for kind in _KINDS for suffix in kind.suffixes)
_BY_SUFFIX = {suffix: kind for kind in _KINDS for suffix in (*kind.suffixes, *kind.rare)}
_BEFORE = (
    rb"\s*(?:<\?xml[^>]{0,200}\?>\s*)?"
    # a comment ends at its first -->: else a row of comments could be read in exponentially many ways
    rb"(?:<!--(?:(?!-->).){0,500}-->\s*)*"
)
_PAGE = re.compile(_BEFORE + rb"<(?:!doctype\s+html|html)\b", re.I | re.S)
_PIECE_OF_PAGE = re.compile(_BEFORE + rb"<(?:head|meta|style|title|body|table|div|p)\b", re.I | re.S)
_XML_START = re.compile(rb"\s*<\?xml\s", re.I)
_MESSAGE = re.compile(
    rb"(?:[\w\-]{1,60}:[^\r\n]{0,1000}\r?\n(?:[ \t][^\r\n]{0,1000}\r?\n){0,20}){0,20}?MIME-Version:", re.I
)
_HEAD = 8192
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
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


def suffix_of(name: str) -> str:
    """The ending of a file's name in lower case, with its dot; empty for none."""
    return PurePosixPath(name.replace("\\", "/")).suffix.lower()


def kind_of(name: str, data: bytes) -> Kind:
    """The kind of the file called `name` with the content `data`.

    Raises:
        UnsupportedFormat: none that is read here.
        LoadError: it is protected by a password, or its name promises what its content is not.
    """
    suffix = suffix_of(name)
    named = _BY_SUFFIX.get(suffix)
    if data.startswith(ole.MARK):
        if ole.is_workbook(name, data):
            return _OLD_SHEET
        raise _unsupported(name)
    if data.startswith(_OTHER):
        raise _unsupported(name)
    if data.startswith(b"PK\x03\x04"):
        return _in_zip(name, data)
    # A PDF may start with a few bytes of something else; a text that only speaks of PDF does not.
    if data.lstrip()[:5] == b"%PDF-" or (named is _PDF and b"%PDF-" in data[:1024]):
        return _PDF
    found = _markup(named, data)
    if found or named not in (None, *_BINARY):
        return found or named or _TEXT
    if named is _OLD_SHEET and _is_text(data):
        return _ROWS  # what many programs call an export to Excel
    if _is_surely_text(name, data):
        return _TEXT
    raise damaged(name) if named else _unsupported(name)


def _markup(named: Kind | None, data: bytes) -> Kind | None:
    """Rich text, a page, XML or a message, when the first bytes show it; what is named a text is left one."""
    head = data[:_HEAD].removeprefix(codecs.BOM_UTF8)
    if head.startswith(_UTF16):
        head = head[2:].replace(b"\0", b"")
    if head.startswith(b"{\\rtf"):
        return _RICH
    if _PAGE.match(head):
        return _WEB
    if named in _PLAIN or named is _MARKDOWN:
        return None
    if _XML_START.match(head):
        return _WEB if named is _WEB else _XML
    if _MESSAGE.match(head):
        return _MAIL
    return _WEB if named in _BINARY and _PIECE_OF_PAGE.match(head) else None


def _in_zip(name: str, data: bytes) -> Kind:
    parts = member_names(name, data)
    for part, kind in _BY_PART.items():
        if any(member.startswith(part) for member in parts):
            return kind
    raise _unsupported(name)


def _is_text(data: bytes) -> bool:
    return bool(data) and (b"\0" not in data[:_HEAD] or data.startswith(_UTF16))


def _is_surely_text(name: str, data: bytes) -> bool:
    """Whether bytes whose name promises something else can only be text: no guess, nothing lost, no control characters."""
    if not _is_text(data) or not data.strip():
        return False
    try:
        return not decode(name, data).warnings
    except (LoadError, UnicodeError):
        return False


def _unsupported(name: str) -> UnsupportedFormat:
    listed = " ".join(SUFFIXES)
    return UnsupportedFormat(
        en=f"{name}: this kind of file cannot be read. Save it as one of {listed}",
        zh=f"{name}：不支持这种文件，请另存为以下格式之一：{listed}",
    )
