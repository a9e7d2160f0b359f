"""Encodings by name, and what the detector library says of bytes."""

from __future__ import annotations

import codecs
import re

import chardet
from chardet import EncodingEra

# Names under which pages declare what is in fact a superset.
_SUPERSETS = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "big5": "big5hkscs",
    "euc_kr": "cp949",
    "shift_jis": "cp932",
}
_DECLARABLE = re.compile(r"gb18030|big5hkscs|cp\d+|iso8859.*|koi8.*|euc_.*|shift_jis.*|johab|mac_.*|utf-8")
_ASCII = bytes(range(0x20, 0x7F))
_NAMES = {"gb18030": "GB18030", "big5hkscs": "Big5", "cp950": "Big5", "hz": "HZ"}
_WINDOWS = {"874", *map(str, range(1250, 1259))}


def ask_library(data: bytes) -> tuple[str, float]:
    """The detector's answer: a codec's name (empty for none) and its confidence, 0…1."""
    found = chardet.detect(data, encoding_era=EncodingEra.MODERN_WEB)
    return known(found["encoding"] or ""), float(found["confidence"])


def known(declared: str) -> str:
    """The codec for a declared name; empty for none, an unknown one, or one that is no text encoding in use.

    >>> known("GB2312"), known("latin1"), known("cp500"), known("base64")
    ('gb18030', 'cp1252', '', '')
    """
    try:
        name = codecs.lookup(declared.strip()).name
    except (LookupError, ValueError):
        return ""
    name = _SUPERSETS.get(name, name)
    if name.startswith(("utf-16", "hz", "iso2022")):
        return name
    # what is written in ASCII letters cannot be in an encoding (of mainframes) where those bytes are others
    return name if _DECLARABLE.fullmatch(name) and _ASCII.decode(name, "replace") == _ASCII.decode("ascii") else ""


def called(encoding: str) -> str:
    """How a codec is called on the screen."""
    number = encoding.removeprefix("cp")
    return _NAMES.get(encoding) or (f"Windows-{number}" if number in _WINDOWS else encoding.replace("_", "-").upper())
