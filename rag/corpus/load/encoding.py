"""Bytes of a text file → characters, by evidence: marks, then validity, then which reading holds common characters."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from rag.errors import Bilingual, LoadError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark starts with the same two bytes
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Names under which pages declare what is in fact a superset.
_SUPERSETS = {"gb2312": "gb18030", "gbk": "gb18030", "iso8859-1": "cp1252", "ascii": "cp1252", "big5": "big5hkscs"}
_NAMES = {"gb18030": "GB18030", "big5hkscs": "Big5", "cp1252": "Windows-1252"}
SURE = 0.95
PLAUSIBLE = 0.80
_WESTERN_BYTES = 0.15


@dataclass(frozen=True, slots=True)
class Decoded:
    """The characters of a file and, when the encoding was guessed or bytes were lost, what a person should know."""

    text: str
    warnings: tuple[Bilingual, ...] = ()


def decode(name: str, data: bytes, declared: str = "") -> Decoded:
    """The text of `data`. `declared` is an encoding the file itself names (an HTML page); it is tried, not believed.

    Raises:
        LoadError: the bytes are text in no encoding known here.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _marked(name, data[len(mark) :], encoding)
    named = _known(declared)
    if named and not _is_utf8(data):
        text = _strict(data, named)
        if text is not None and commonness(text) >= PLAUSIBLE:
            return Decoded(text)
    return _guess(name, data)


def commonness(text: str) -> float:
    """Share of characters beyond ASCII that are in everyday use, 0…1 (1 when there are none beyond ASCII).

    Bytes read in a wrong encoding give valid but rare characters, so this tells the readings apart.
    """
    beyond = [c for c in text if c > "\x7f" or (c < " " and c not in "\t\n\r\f\0")]
    if not beyond:
        return 1.0
    return sum(map(_is_common, beyond)) / len(beyond)


def _is_common(character: str) -> bool:
    if "\u3000" <= character <= "\u303f" or "\uff01" <= character <= "\uffe6" or "\u2010" <= character <= "\u203b":
        return True
    if not "\u4e00" <= character <= "\u9fff":
        return character in "·×÷°①②③④⑤⑥⑦⑧⑨⑩≤≥→√□■●○◆★"
    # The everyday halves of the two national tables: level 1 of GB 2312, level 1 of Big5.
    simplified, traditional = character.encode("gb2312", "ignore"), character.encode("big5", "ignore")
    return b"\xb0" <= simplified[:1] <= b"\xd7" or b"\xa4" <= traditional[:1] <= b"\xc6"


def _guess(name: str, data: bytes) -> Decoded:
    if b"\0" in data and len(data) % 2 == 0:
        for encoding in ("utf-16-le", "utf-16-be"):
            text = _strict(data, encoding)
            if text is not None and "\0" not in text and commonness(text) >= PLAUSIBLE:
                return Decoded(text, (_guessed(name, encoding.upper()),))
    utf8 = _strict(data, "utf-8")
    if utf8 is not None:
        return Decoded(utf8, () if _is_utf8(data) else (_cut(name),))
    scored = [
        (commonness(text), encoding, text)
        for encoding in ("gb18030", "big5hkscs")
        if (text := _strict(data, encoding)) is not None
    ]
    score, encoding, text = max(scored, key=lambda s: s[0], default=(0.0, "", ""))
    western = _strict(data, "cp1252")
    if score < PLAUSIBLE and western is not None and sum(b > 0x7F for b in data) < _WESTERN_BYTES * len(data):
        score, encoding, text = 0.0, "cp1252", western
    elif score < PLAUSIBLE:
        raise LoadError(
            en=f"{name}: its text is in no encoding known here, or it is not a text file. Save it as UTF-8 and try again.",
            zh=f"{name}：编码无法识别，或不是文本文件。请另存为 UTF-8 后重试。",
        )
    sure = encoding == "gb18030" and score >= SURE
    warnings = () if sure else (_guessed(name, _NAMES[encoding]),)
    return Decoded(text, warnings + (() if _decodes(data, encoding) else (_cut(name),)))


def _marked(name: str, data: bytes, encoding: str) -> Decoded:
    text = data.decode(encoding, errors="replace")
    lost = text.count("\ufffd")
    if lost == 0 or _decodes(data, encoding):
        return Decoded(text)
    if lost > 0.05 * len(text):
        raise LoadError(
            en=f"{name}: it says it is {encoding.upper()}, but its bytes are not. Save it as UTF-8 and try again.",
            zh=f"{name}：标明是 {encoding.upper()}，内容却不是。请另存为 UTF-8 后重试。",
        )
    return Decoded(
        text,
        (
            Bilingual(
                en=f"{name}: {lost} characters could not be read and stand as \ufffd.",
                zh=f"{name}：有 {lost} 个字符无法读取，显示为 \ufffd。",
            ),
        ),
    )


def _strict(data: bytes, encoding: str) -> str | None:
    """`data` decoded, an incomplete last character left out; None when the bytes are not of that encoding."""
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        cut = error.start >= len(data) - 3 and any(b > 0x7F for b in data[: error.start])
        # An "end of data" error is a file cut in the middle of a character; anything else is another encoding.
        if cut and error.end == len(data) and ("end of data" in error.reason or "incomplete" in error.reason):
            return _strict(data[: error.start], encoding)
        return None


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _is_utf8(data: bytes) -> bool:
    return _decodes(data, "utf-8")


def _known(declared: str) -> str:
    """The codec for a declared name; empty for none, an unknown one, or one that is not a text encoding."""
    try:
        codec = codecs.lookup(declared.strip())
        b"".decode(declared.strip())
    except (LookupError, ValueError):
        return ""
    return _SUPERSETS.get(codec.name, codec.name)


def _guessed(name: str, encoding: str) -> Bilingual:
    return Bilingual(
        en=f"{name}: the encoding was guessed as {encoding}; check that the text reads well.",
        zh=f"{name}：编码是猜测的（{encoding}），请检查文字是否正常。",
    )


def _cut(name: str) -> Bilingual:
    return Bilingual(
        en=f"{name}: the file ends in the middle of a character; it may be incomplete.",
        zh=f"{name}：文件在一个字符中间结束，可能不完整。",
    )
