"""Messages (.eml) and pages saved as one (.mht): who wrote what to whom, and the words; attachments are only named."""

from __future__ import annotations

import email
import email.policy
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from email.utils import parsedate_to_datetime

from rag.corpus.clean import clean_line
from rag.corpus.load.builder import Meta, Parsed, TextBuilder
from rag.corpus.load.detector import known
from rag.corpus.load.encoding import decode
from rag.corpus.load.headings import add_lines
from rag.corpus.load.mail_parts import chosen, content, is_cut, refuse_tags
from rag.corpus.load.pasted import strict
from rag.corpus.load.web import add_page, is_address
from rag.errors import Bilingual, LoadError

_SHOWN = ("Subject", "From", "To", "Date")
_LONGEST_HEADER = 2000
_LONGEST_ADDRESS = 500


def parse(name: str, data: bytes) -> tuple[Parsed, ...]:
    """A message: its subject, sender, recipients and date, then its texts; what is not read is named in a warning.

    A page saved as one file (.mht) has the form of a message; it gives its page and its address.

    Raises:
        LoadError: it has no header of a message.
        UnsafeFile: more than 500 parts, or a page of more than 100,000 tags.
    """
    message = email.message_from_bytes(data, policy=email.policy.default)
    headers = {field: text for field in _SHOWN if (text := _header(name, message, field))}
    if not headers and not message.get_content_type().startswith("multipart/"):
        raise LoadError(
            en=f"{name}: no message in it (neither subject nor sender). Save it as .txt or .html.",
            zh=f"{name}：不是邮件（没有主题和发件人）。请另存为 .txt 或 .html。",
        )
    parts = chosen(name, message)
    address = _header(name, message, "Snapshot-Content-Location")[:_LONGEST_ADDRESS]
    builder = TextBuilder()
    if not address:
        builder.lines(f"{field}: {_day(text) if field == 'Date' else text}" for field, text in headers.items())
    warnings: list[Bilingual] = []
    how = Bilingual(en="message without text", zh="无正文邮件")
    for number, part in enumerate(parts.read):
        found = decode(name, content(part), part.get_content_charset() or "")
        if part.get_content_type() == "text/html":
            refuse_tags(name, found.text)
            add_page(name, builder, found.text)
        else:
            builder.source(found.text)
            add_lines(builder, found.text)
        how = found.as_kind("message", "邮件") if number == 0 else how
        warnings += [warning for warning in found.warnings if warning not in warnings]
    if is_cut(message):
        warnings.append(_cut(name))
    left = [label for part in parts.left if (label := _called(name, part))]
    if left:
        warnings.append(_not_read(name, left))
    return (
        builder.parsed(
            Meta(title=headers.get("Subject", ""), source=address if is_address(address) else ""),
            warnings=warnings,
            reading=how,
        ),
    )


def _called(name: str, part: Message) -> str:
    """What a part that is not read is called; empty when nothing is in it."""
    named = _parameter(name, part)
    if named:
        return named
    if part.get_content_type() == "message/rfc822":
        inner = part.get_payload()
        first = inner[0] if isinstance(inner, list) and inner else None
        subject = _header(name, first, "Subject") if isinstance(first, Message) else ""
        return subject or "message/rfc822"
    is_empty = part.get_content_disposition() != "attachment" and not content(part).strip()
    return "" if is_empty else part.get_content_type()


def _parameter(name: str, part: Message) -> str:
    return clean_line(_words(name, part.get_filename() or ""))[:200]


def _header(name: str, message: Message, field: str) -> str:
    """A header as words: as the bytes in the file say, for the library replaces what it cannot decode."""
    for key, raw in message.raw_items():
        if key.lower() == field.lower():
            return clean_line(_words(name, str(raw)[:_LONGEST_HEADER]))
    return ""


def _words(name: str, raw: str) -> str:
    raw = "".join(raw.splitlines())
    if not raw.isascii():  # written as bytes, against the rules, in whatever encoding
        return _decoded(name, raw.encode("utf-8", "surrogateescape"), "")
    try:
        parts = decode_header(raw)
    except (HeaderParseError, ValueError):
        return raw
    return "".join(part if isinstance(part, str) else _decoded(name, part, charset or "") for part, charset in parts)


def _decoded(name: str, data: bytes, charset: str) -> str:
    """A few bytes of a header: too few to doubt the encoding they are said to be in."""
    stated = strict(data, known(charset)) if known(charset) else None
    if stated is not None:
        return stated
    try:
        return decode(name, data).text
    except LoadError:  # one unreadable name must not keep the message from being read
        return data.decode("ascii", "backslashreplace")


def _day(header: str) -> str:
    """The date as 2026-10-01 09:30; as it is written where it cannot be read."""
    try:
        return parsedate_to_datetime(header).strftime("%Y-%m-%d %H:%M")
    except (TypeError, ValueError):
        return header


def _cut(name: str) -> Bilingual:
    return Bilingual(
        en=f"{name}: the file ends before the message does; what is there was read. Save the message again.",
        zh=f"{name}：邮件不完整（文件在结尾前中断），已读取现有部分。请重新保存该邮件。",
    )


def _not_read(name: str, left: list[str]) -> Bilingual:
    listed = ", ".join(left[:8]) + (" …" if len(left) > 8 else "")
    return Bilingual(
        en=f"{name}: attachments and other parts are not read: {listed}. Save them and upload them by themselves.",
        zh=f"{name}：附件等部分未读取：{listed}。请另存后单独上传。",
    )
