"""Bytes of a text file → characters, by evidence: marks, then validity, then which reading holds common characters.

Strict decoders come first; a detector library (chardet) is asked where they leave it open, and where a text that is
valid Chinese could as well be Korean or Japanese. What no evidence carries is refused: nothing is ever replaced.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import replace

from rag.corpus.load.decoded import (
    Decoded,
    certain,
    cut_short,
    false_mark,
    guess,
    guessed,
    halves,
    part_unreadable,
    unknown,
)
from rag.corpus.load.detector import ask_library, called, known
from rag.corpus.load.everyday import PLAUSIBLE, SURE, commonness, count_beyond
from rag.corpus.load.pasted import lines_apart, strict
from rag.corpus.load.spoiled import doubts
from rag.corpus.load.utf7 import is_utf7, refused
from rag.errors import Bilingual, LoadError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark starts with the same two bytes
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CHINESE = ("gb18030", "cp950", "big5hkscs")  # the first of equals: Windows writes Big5 as cp950
_ASIAN = ("cp949", "cp932", "euc_jp", "johab")
# Above it, Korean and Japanese were named rightly; Chinese lines mistaken for them stay below 0.2.
_TRUSTED = 0.25
_WESTERN_BYTES = 0.15
_FEW = 8  # characters beyond ASCII are no certainty
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_FEW_CONTROLS, _CONTROL_SHARE = 16, 0.05
_HIGH_RUN, _ALONE = re.compile(rb"[\x80-\xff]+"), 0.8
_ESCAPES = (b"\x1b$", b"~{")


def decode(name: str, data: bytes, declared: str = "") -> Decoded:
    """The text of `data`. `declared` is an encoding the file itself names (an HTML page); it is tried, not believed.

    Raises:
        LoadError: the bytes are text in no encoding known here, or in several and one part stays unreadable.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            found = _marked(name, data[len(mark) :], encoding)
            break
    else:
        found = _declared(name, data, declared) or _unicode(name, data) or _legacy(name, data)
    controls = len(_CONTROLS.findall(found.text))
    if controls >= _FEW_CONTROLS and controls > _CONTROL_SHARE * len(found.text):
        raise unknown(name)
    return replace(found, warnings=(*found.warnings, *doubts(name, found.text)))


def _marked(name: str, data: bytes, encoding: str) -> Decoded:
    text = strict(data, encoding)
    if text is not None:
        reading = certain(encoding.upper(), "byte order mark", "有字节顺序标记")
        return Decoded(text, reading, _cut_note(name, data, encoding))
    if encoding == "utf-8":  # a mark that somebody's program put in front of text in another encoding
        found = _legacy(name, data)
        return Decoded(found.text, found.reading, (false_mark(name), *found.warnings))
    whole = data[: len(data) // 2 * 2]  # an odd byte at the end is half of two
    text = whole.decode(encoding, errors="surrogatepass") if encoding.startswith("utf-16") else ""
    half = len(re.findall("[\ud800-\udfff]", text))
    if not text or half * 100 > len(text):
        raise LoadError(
            en=f"{name}: it says it is {encoding.upper()}, but its bytes are not. Save it as UTF-8 and try again.",
            zh=f"{name}：标明是 {encoding.upper()}，内容却不是。请另存为 UTF-8 后重试。",
        )
    cut = (cut_short(name),) if len(whole) < len(data) else ()
    return Decoded(text, certain(encoding.upper(), "byte order mark", "有字节顺序标记"), (halves(name, half), *cut))


def _declared(name: str, data: bytes, declared: str) -> Decoded | None:
    """`data` in the encoding the file names, when its bytes bear that out."""
    encoding = known(declared)
    utf8 = _decodes(data, "utf-8")
    if (
        not encoding
        or encoding.startswith("utf-16")
        or (utf8 and not data.isascii())
        or (encoding == "utf-8" and not utf8)
    ):
        return None
    text = strict(data, encoding)
    if text is None or not _borne_out(data, text, encoding):
        return None
    share = round(100 * commonness(text))
    if encoding in _CHINESE:
        reading = certain(called(encoding), f"declared, {share}% everyday characters", f"已声明，{share}% 为常用字")
    else:
        reading = certain(called(encoding), "declared and valid", "已声明且有效")
    return Decoded(text, reading, _cut_note(name, data, encoding))


def _borne_out(data: bytes, text: str, encoding: str) -> bool:
    if encoding in _CHINESE:
        return commonness(text) >= PLAUSIBLE
    if data.isascii() or encoding in (*_ASIAN, "utf-8"):
        return True
    # Of a one-byte encoding nearly any bytes are valid, and pages in GBK that declare one are common: accents stand
    # alone between ASCII letters, Chinese does not.
    runs = _HIGH_RUN.findall(data)
    return sum(len(run) == 1 for run in runs) >= _ALONE * len(runs) or ask_library(data)[0] == encoding


def _unicode(name: str, data: bytes) -> Decoded | None:
    """UTF-8, or UTF-16 without a mark. Raises `LoadError` for UTF-7."""
    if data.isascii() and any(escape in data for escape in _ESCAPES):
        encoding, confidence = ask_library(data)
        text = strict(data, encoding) if encoding.startswith(("hz", "iso2022")) else None
        if text is not None:
            return _by_library(name, data, text, encoding, confidence)
    if data.isascii() and is_utf7(data):
        raise refused(name)
    utf8 = strict(data, "utf-8")
    if utf8 is None or (b"\0" in data and (data.isascii() or commonness(utf8) < SURE)):
        found = _utf16(name, data)
        if found:
            return found
    if utf8 is None or _by_accident(data, utf8):
        return None
    if data.isascii() and _utf16_too(data):
        return Decoded(utf8, guess("UTF-8", "may be UTF-16", "也可能是 UTF-16"), (guessed(name, "UTF-8"),))
    only = data.isascii()
    reading = certain("UTF-8", "only ASCII" if only else "valid", "只有 ASCII 字符" if only else "编码有效")
    return Decoded(utf8, reading, _cut_note(name, data, "utf-8"))


def _by_accident(data: bytes, utf8: str) -> bool:
    """Whether valid UTF-8 is rather GB18030: its few letters are of scripts nobody mixes, 「600元」 is such a case."""
    beyond = [c for c in utf8 if c > "\x7f"]
    if not beyond or len(beyond) >= _FEW or not all("\u0180" <= c <= "\u07ff" for c in beyond):
        return False
    text = strict(data, "gb18030")
    return text is not None and commonness(text) == 1.0


def _utf16_too(data: bytes) -> bool:
    """Whether bytes that are all ASCII could be everyday Chinese in UTF-16 (``bush hid the facts`` was taken for it)."""
    for encoding in ("utf-16-le", "utf-16-be"):
        text = strict(data, encoding)
        if text and len(data) % 2 == 0 and commonness(text) == 1.0 and text[0] > "\x7f" and not text.isspace():
            return True
    return False


def _utf16(name: str, data: bytes) -> Decoded | None:
    readings = []
    for encoding in ("utf-16-le", "utf-16-be"):
        text = strict(data, encoding)
        if text and "\0" not in text:
            readings.append((commonness(text), encoding, text))
    # without a single NUL nearly any bytes are valid UTF-16, so it takes more
    enough = PLAUSIBLE if b"\0" in data else SURE
    score, encoding, text = max(readings, default=(0.0, "", ""))
    if score >= enough:
        return Decoded(
            text,
            guess(encoding.upper(), f"{score:.0%} everyday characters", f"{score:.0%} 为常用字"),
            (guessed(name, encoding.upper()), *_cut_note(name, data, encoding)),
        )
    for _, encoding, text in readings:
        named, confidence = ask_library(data)
        if b"\0" in data and named.replace("_", "-") == encoding:
            return _by_library(name, data, text, encoding, confidence)
    return None


def _legacy(name: str, data: bytes) -> Decoded:
    """What is neither marked nor Unicode."""
    named, confidence = ask_library(data)
    foreign = named not in ("", "utf-8", *_CHINESE) and confidence >= _TRUSTED
    scored = [(commonness(text), e, text) for e in _CHINESE if (text := strict(data, e)) is not None]
    score, encoding, text = max(scored, key=lambda s: s[0], default=(0.0, "", ""))
    vetoed = foreign and named in _ASIAN
    if score >= PLAUSIBLE and not vetoed:
        parts = lines_apart(data, encoding)
        if parts is None or not parts.several:
            return _chinese(name, data, scored, named)
        return _pasted(name, parts.text, parts.encodings, parts.lines)
    parts = None if vetoed else lines_apart(data, encoding or "gb18030")
    if parts and parts.several and parts.unreadable is None:
        return _pasted(name, parts.text, parts.encodings, parts.lines)
    other = strict(data, named) if foreign else None
    if other is not None and not re.search("[\x80-\x9f]", other):
        return _by_library(name, data, other, named, confidence)
    western = strict(data, "cp1252")
    if western is not None and _high(data) < _WESTERN_BYTES * len(data):
        if named.startswith(("cp125", "iso8859")) and (other := strict(data, named)) is not None:
            return _by_library(name, data, other, named, confidence)
        return _by_library(name, data, western, "cp1252", 0.0)
    if parts and parts.several and parts.unreadable is not None:
        raise part_unreadable(name, parts.unreadable, parts.encodings)
    raise unknown(name)


def _chinese(name: str, data: bytes, scored: list[tuple[float, str, str]], named: str) -> Decoded:
    score, encoding, text = max(scored, key=lambda s: s[0])
    rival = max((s for s, e, _ in scored if called(e) != called(encoding)), default=0.0)
    shown = called(encoding)
    en, zh = f"valid, {score:.0%} everyday characters", f"编码有效，{score:.0%} 为常用字"
    enough = count_beyond(text) >= _FEW
    sure = enough and score >= SURE and rival < score and (named in _CHINESE or rival < PLAUSIBLE)
    cut = _cut_note(name, data, encoding)
    if sure:
        return Decoded(text, certain(shown, en, zh), cut)
    return Decoded(text, guess(shown, en, zh), (guessed(name, shown), *cut))


def _pasted(name: str, text: str, encodings: tuple[str, ...], lines: tuple[int, ...]) -> Decoded:
    shown = [called(e) for e in encodings]
    where = ", ".join(map(str, lines[:8])) + (" …" if len(lines) > 8 else "")
    reading = guess(" + ".join(shown), "line by line", "逐行判断")
    warning = Bilingual(
        en=f"{name}: parts in different encodings ({', '.join(shown)}) were pasted together; each line was read by its "
        f"own (other than the rest: line {where}). Check that the text reads well.",
        zh=f"{name}：文件由不同编码（{'、'.join(shown)}）的内容拼接而成，已逐行按各自编码读取（与其余不同的行：{where}），"
        "请检查文字是否正常。",
    )
    return Decoded(text, reading, (warning,))


def _by_library(name: str, data: bytes, text: str, encoding: str, confidence: float) -> Decoded:
    shown = called(encoding)
    reading = guess(shown, f"confidence {confidence:.0%}", f"可信度 {confidence:.0%}")
    return Decoded(text, reading, (guessed(name, shown), *_cut_note(name, data, encoding)))


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _high(data: bytes) -> int:
    """The number of bytes beyond ASCII."""
    return len(data) - len(data.translate(None, bytes(range(0x80, 0x100))))


def _cut_note(name: str, data: bytes, encoding: str) -> tuple[Bilingual, ...]:
    if _decodes(data, encoding):
        return ()
    return (cut_short(name),)
