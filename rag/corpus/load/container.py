"""Bounds on what a file unpacks to, and a check that the XML in zip-based files declares no document type.

Nothing is extracted to disk and nothing a file points at is fetched: links to other documents in it are only text.
"""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from xml.parsers import expat

from rag.errors import LoadError, UnsafeFile

MAX_ENTRIES = 10_000
MAX_BYTES = 200_000_000
MAX_RATIO = 200
RATIO_COUNTS_FROM = 1_000_000
_XML = (".xml", ".rels", ".vml")
_ENCRYPTED = 0x1
_PIECE = 1 << 16
_LONGEST_DESCRIPTION = 4096
_STREAM = re.compile(rb"(?<!end)stream\r?\n")
_PICTURE = re.compile(rb"/Subtype\s*/Image")


class _PrologOver(Exception):
    """The root element begins, so no document type can follow."""


def open_zip(name: str, data: bytes) -> zipfile.ZipFile:
    """The archive in `data`, once its directory and its XML parts are found harmless.

    Raises:
        UnsafeFile: too many entries, too large when unpacked, packed too tightly, two entries of one name,
            or XML with a document type (which can declare entities).
        LoadError: the archive is damaged or needs a password.
    """
    archive = _directory(name, data)
    entries = archive.infolist()
    _check_directory(name, entries)
    for entry in entries:
        if is_xml(entry.filename):
            _check_prolog(name, read_member(name, archive, entry.filename))
    return archive


def member_names(name: str, data: bytes) -> tuple[str, ...]:
    """The names of the entries, unread. Raises `LoadError` when the archive is damaged."""
    with _directory(name, data) as archive:
        return tuple(archive.namelist())


def is_xml(member: str) -> bool:
    """Whether an entry of this name is read as XML."""
    return member.lower().endswith(_XML)


def read_member(name: str, archive: zipfile.ZipFile, member: str) -> bytes:
    """The bytes of one entry, never more than its directory entry declares.

    Raises:
        LoadError: it is damaged or packed in a way that is not supported.
    """
    try:
        return archive.read(member)
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError, RuntimeError, OSError) as error:
        raise damaged(name) from error


def check_streams(name: str, data: bytes) -> None:
    """Refuse a PDF whose packed streams, pictures aside, would unpack to over 200 MB; its reader would unpack them whole.

    Pictures are passed over, for they are never unpacked here (a stream that only says it is one passes too).
    Nothing is kept while counting.
    """
    total = 0
    for found in _STREAM.finditer(data):
        nearest = max(found.start() - _LONGEST_DESCRIPTION, 0)
        described = data[max(data.rfind(b"obj", nearest, found.start()), nearest) : found.start()]
        # whatever filter is named: the name can be written with escapes, or stand in another object
        if not _PICTURE.search(described):
            total += _unpacked_size(memoryview(data)[found.end() :], MAX_BYTES - total)
        if total >= MAX_BYTES:
            raise _unsafe(
                name, f"it unpacks to more than {MAX_BYTES // 1_000_000} MB", f"解压后超过 {MAX_BYTES // 1_000_000} MB"
            )


def damaged(name: str) -> LoadError:
    """The error for a file whose bytes are not what its format needs."""
    return LoadError(
        en=f"{name}: the file is damaged or incomplete. Open it in its program, save it again and upload that copy.",
        zh=f"{name}：文件已损坏或不完整。请用原程序打开并重新保存后再上传。",
    )


def _directory(name: str, data: bytes) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError, struct.error) as error:
        raise damaged(name) from error


def _unpacked_size(packed: memoryview, limit: int) -> int:
    """How many bytes the packed bytes at the start of `packed` unpack to, counted up to `limit` (0: not packed).

    What is read counts too where it is more, so that the work is bounded whatever the bytes are.
    """
    unpacker, size, read = zlib.decompressobj(), 0, 0
    while size < limit and read < limit and read < len(packed) and not unpacker.eof:
        pending: bytes | memoryview = packed[read : read + _PIECE]
        read += len(pending)
        while pending and size < limit and not unpacker.eof:
            try:
                size += len(unpacker.decompress(pending, _PIECE))
            except zlib.error:
                return size
            pending = unpacker.unconsumed_tail
    return max(size, min(read, limit) if unpacker.eof else size)


def _check_directory(name: str, entries: list[zipfile.ZipInfo]) -> None:
    if len(entries) > MAX_ENTRIES:
        raise _unsafe(name, f"it has more than {MAX_ENTRIES} parts", f"内部文件超过 {MAX_ENTRIES} 个")
    if len({entry.filename for entry in entries}) < len(entries):
        raise _unsafe(name, "two of its parts have the same name", "内部有重名文件")
    if sum(entry.file_size for entry in entries) > MAX_BYTES:
        raise _unsafe(
            name, f"it unpacks to more than {MAX_BYTES // 1_000_000} MB", f"解压后超过 {MAX_BYTES // 1_000_000} MB"
        )
    for entry in entries:
        if entry.flag_bits & _ENCRYPTED:
            raise LoadError(
                en=f"{name}: it is protected by a password. Save a copy without one.",
                zh=f"{name}：文件有密码保护（加密），请另存为无密码的副本。",
            )
        if entry.file_size > RATIO_COUNTS_FROM and entry.file_size > MAX_RATIO * entry.compress_size:
            raise _unsafe(
                name, f"a part unpacks to over {MAX_RATIO} times its size", f"内部文件压缩比超过 {MAX_RATIO} 倍"
            )


def _check_prolog(name: str, xml: bytes) -> None:
    """Refuse a document type, whatever the encoding: the parser reads up to the root element and no further."""

    def refuse(*_: object) -> None:
        raise _unsafe(name, "its XML declares a document type or entities", "其中的 XML 声明了文档类型或实体")

    def over(*_: object) -> None:
        raise _PrologOver

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.StartElementHandler = over
    try:
        parser.Parse(xml, True)
    except _PrologOver:
        return
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise damaged(name) from error


def _unsafe(name: str, en: str, zh: str) -> UnsafeFile:
    return UnsafeFile(
        en=f"{name}: refused, because {en}. Save it again from its program, or as a smaller file.",
        zh=f"{name}：已拒绝，{zh}。请用原程序重新保存，或拆成较小的文件。",
    )
