"""UTF-7, an encoding of old mail programs: all ASCII, with Chinese as ``+VFhd5Q-``; told from ASCII that holds a plus."""

from __future__ import annotations

import re

from rag.corpus.load.everyday import commonness
from rag.errors import LoadError

_RUN = re.compile(rb"\+([A-Za-z0-9+/]*)-?")
_LETTER = re.compile("[\u00a1-\u04ff]")  # Latin, Greek, Cyrillic
# Of characters written in it, and of different ones among them.
_LEAST, _DIFFERENT = 8, 4


def is_utf7(data: bytes) -> bool:
    """Whether bytes that are all ASCII are UTF-7.

    Every plus must begin what is valid in it and says everyday characters (a plus itself is ``+-``), eight or more
    together. ``C++``, ``a + b``, ``+86 138`` and base64 are not: a single one of them in the file says it is ASCII.
    """
    said: list[str] = []
    for run in _RUN.finditer(data):
        if run[0] == b"+-":
            continue
        try:
            text = run[0].decode("utf-7")
        except UnicodeDecodeError:
            return False
        if not run[1] or not "".join(text.split()).isprintable() or commonness(_LETTER.sub("", text)) < 1:
            return False
        said.append(text)
    together = "".join(said)
    return len(together) >= _LEAST and len(set(together)) >= _DIFFERENT


def refused(name: str) -> LoadError:
    """The error for a file in UTF-7."""
    return LoadError(
        en=f"{name}: its text is in UTF-7, which is not read. Save it as UTF-8 and try again.",
        zh=f"{name}：文字编码为 UTF-7，不支持读取。请另存为 UTF-8 后重试。",
    )
