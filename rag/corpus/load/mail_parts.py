"""Which parts of a message are its words: all texts that are shown in it, in order, and of different wordings one."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from dataclasses import dataclass
from email.errors import CloseBoundaryNotFoundDefect
from email.message import Message

from rag.corpus.load.builder import TextBuilder
from rag.corpus.load.encoding import decode
from rag.corpus.load.web import MAX_TAGS, add_page
from rag.errors import UnsafeFile

_MOST_PARTS = 500
_TEXTS = ("text/plain", "text/html")
# A plain text of less than half of the page's words is a stub (「请用 HTML 查看」).
_STUB = 0.5
# So much of a wording's pairs of letters stand in the one that is read, when it says the same.
_SAME = 0.8
_NO_LETTER = re.compile(r"[^A-Za-z0-9+/]")
_ADDRESS = re.compile(r"https?://\S+")


@dataclass(frozen=True, slots=True)
class Chosen:
    """The parts that are read, in order, and those that are not and say something else."""

    read: tuple[Message, ...] = ()
    left: tuple[Message, ...] = ()


def chosen(name: str, message: Message) -> Chosen:
    """What is read of a message.

    Of a page and what belongs to it the page is read; of alternatives the plain text, unless the page says much more.

    Raises:
        UnsafeFile: more than 500 parts, or a page of more than 100,000 tags.
    """
    number = sum(1 for _, _ in zip(message.walk(), range(_MOST_PARTS + 1), strict=False))
    if number > _MOST_PARTS:
        raise UnsafeFile(
            en=f"{name}: more than {_MOST_PARTS} parts. Save the parts you need as files.",
            zh=f"{name}：内部超过 {_MOST_PARTS} 个部分，请把需要的部分另存为文件。",
        )
    return _chosen(name, message)


def content(part: Message) -> bytes:
    """The bytes of a part that holds something itself; of base64 that is cut the whole groups of four letters."""
    if _cut_base64(part):
        letters = _letters(part)
        return base64.b64decode(letters[: len(letters) // 4 * 4])
    found = part.get_payload(decode=True)
    return found if isinstance(found, bytes) else b""


def is_cut(message: Message) -> bool:
    """Whether the file ends before the message does: inside base64, or without the line that ends its parts."""
    if any(isinstance(defect, CloseBoundaryNotFoundDefect) for part in message.walk() for defect in part.defects):
        return True
    return any(_cut_base64(part) for part in message.walk())


def _cut_base64(part: Message) -> bool:
    """Four letters are three bytes; one that is left over is none, and the library then gives the letters themselves."""
    coded = not part.is_multipart() and str(part.get("Content-Transfer-Encoding", "")).strip().lower() == "base64"
    return coded and len(_letters(part)) % 4 == 1


def _letters(part: Message) -> str:
    payload = part.get_payload()
    return _NO_LETTER.sub("", payload) if isinstance(payload, str) else ""


def refuse_tags(name: str, html: str) -> None:
    """Raise `UnsafeFile` for a page of more than 100,000 tags."""
    if html.count("<") > MAX_TAGS:
        raise UnsafeFile(en=f"{name}: more than {MAX_TAGS:,} tags.", zh=f"{name}：标签超过 {MAX_TAGS:,} 个。")


def _chosen(name: str, part: Message) -> Chosen:
    kind = part.get_content_type()
    if not part.is_multipart() or kind == "message/rfc822":
        return Chosen(read=(part,)) if _is_shown_text(part) else Chosen(left=(part,))
    inner = part.get_payload()
    found = [_chosen(name, p) for p in (inner if isinstance(inner, list) else []) if isinstance(p, Message)]
    read = [one for one in found if one.read]
    left = tuple(p for one in found for p in one.left)
    if kind == "multipart/related":
        frames = tuple(p for one in read[1:] for p in one.read)
        return Chosen(read[0].read if read else (), tuple(p for p in left if not _is_inlay(p)) + frames)
    if kind == "multipart/alternative" and len(read) > 1:
        return _one_of(name, read, left)
    return Chosen(tuple(p for one in read for p in one.read), left)


def _is_shown_text(part: Message) -> bool:
    shown = part.get_content_type() in _TEXTS and part.get_content_disposition() != "attachment"
    return shown and bool(content(part).strip())


def _is_inlay(part: Message) -> bool:
    """Whether a part is a picture or a style of the page it stands with."""
    named = part.get_filename() or part.get_content_disposition() == "attachment"
    return not named and part.get_content_type() not in (*_TEXTS, "message/rfc822")


def _one_of(name: str, wordings: list[Chosen], left: tuple[Message, ...]) -> Chosen:
    says = [_ADDRESS.sub("", "\n".join(_words(name, part) for part in one.read)) for one in wordings]
    sizes = [len("".join(text.split())) for text in says]
    plain = [n for n, one in enumerate(wordings) if all(p.get_content_type() == "text/plain" for p in one.read)]
    longest = max(range(len(wordings)), key=sizes.__getitem__)
    best = max(plain, key=sizes.__getitem__, default=longest)
    if sizes[best] < _STUB * sizes[longest]:
        best = longest
    known = set(_pairs(says[best]))
    others = [n for n, text in enumerate(says) if n != best and not _is_known(text, known)]
    return Chosen(wordings[best].read, left + tuple(p for n in others for p in wordings[n].read))


def _words(name: str, part: Message) -> str:
    text = decode(name, content(part), part.get_content_charset() or "").text
    if part.get_content_type() != "text/html":
        return text
    refuse_tags(name, text)
    builder = TextBuilder()
    add_page(name, builder, text)
    return builder.text()


def _pairs(text: str) -> Iterator[str]:
    letters = "".join(filter(str.isalnum, text))
    return map("".join, zip(letters, letters[1:], strict=False))


def _is_known(text: str, known: set[str]) -> bool:
    pairs = list(_pairs(text))
    return sum(pair in known for pair in pairs) >= _SAME * len(pairs)
