"""Where the sentences of an answer and of a source begin and end, and the clauses of a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from rag.ask.markers import behind, without
from rag.types import Document

_END: Final = re.compile(r"[。！？!?；;]+[”’」』）)]*|\.(?=\s|$)|\n+")
# The cells of a table's row, "column: value；column: value", belong together: a ； behind one ends no sentence.
_CELL: Final = re.compile(r"[^:。！？!?；;\n]{1,40}: [^\s；;]")
_NUMBERED: Final = re.compile(r"[ \t\u3000>*#-]*\d{1,3}\Z")
_CLAUSE: Final = re.compile(r"[，,。；;！？!?\n]+|——|\.(?=\s|$)")


@dataclass(frozen=True, slots=True)
class Span:
    """``text[start:end]``, without blanks around it. `closed`: later text cannot become part of it."""

    start: int
    end: int
    closed: bool


def is_heading(document: Document, sentence: tuple[int, int]) -> bool:
    """Whether a sentence of a document is a heading and no more: a section begins with it or its line, and no stop ends it."""
    line = document.text.rfind("\n", 0, sentence[0]) + 1
    begins = any(section.start in (line, sentence[0]) for section in document.sections)
    return begins and document.text[sentence[1] - 1] not in "。；;.!！?？"


def answer_sentences(text: str) -> Iterator[Span]:
    """The sentences of a growing answer; markers behind a stop belong to the sentence before.

    The last one is never closed: more text can bring a marker that belongs to it, or turn ``3.`` into ``3.5``.

    >>> [(text.start, text.end) for text in answer_sentences("项目: 餐补；标准: 25元。[S1] 好。")]
    [(0, 19), (20, 22)]
    """
    start, bare_text = 0, without(text)
    while start < len(text):
        end = _stop(bare_text, start)
        end = behind(text, end) if end < len(text) else len(text)
        bare = text[start:end]
        if bare.strip():
            a = start + len(bare) - len(bare.lstrip())
            yield Span(a, start + len(bare.rstrip()), bool(text[end:].strip()))
        start = end


def is_row(sentence: str) -> bool:
    """Whether a sentence is a row of a table, of two cells at least, as the loaders write them.

    >>> is_row("项目: 餐补；标准: 25元"), is_row("注意: 凭发票报销")
    (True, False)
    """
    first, semicolon, _ = sentence.partition("；")
    return bool(semicolon) and _CELL.match(first) is not None


def source_sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The spans of the sentences of ``text[start:end]``; a table's row is one."""
    part, at = text[start:end], 0
    while at < len(part):
        stop = _stop(part, at)
        bare = part[at:stop]
        if bare.strip():
            yield start + at + len(bare) - len(bare.lstrip()), start + at + len(bare.rstrip())
        at = stop


def clauses(text: str) -> list[tuple[int, int]]:
    """The spans between a text's commas and stops, without empty ones; a column and its value stay together.

    >>> [text[a:b] for text in ("满1年的，每年15天；其余",) for a, b in clauses(text)]
    ['满1年的', '每年15天', '其余']
    """
    out, at = [], 0
    for match in [*_CLAUSE.finditer(text), None]:
        end = match.start() if match else len(text)
        if match and match.group() == "," and _between_digits(text, match):
            continue  # 3,000
        if text[at:end].strip():
            out.append((at, end))
        at = match.end() if match else end
    return out


def _stop(text: str, start: int) -> int:
    """Where the sentence that begins at `start` stops, its stop included."""
    line = text.rfind("\n", 0, start) + 1
    for match in _END.finditer(text, start):
        line = max(line, text.rfind("\n", line, match.start()) + 1)
        if match.group()[0] in "；;" and _CELL.match(text, line, match.start()):
            continue
        if match.group() == "." and _NUMBERED.match(text, line, match.start()):
            continue  # "1. " opens a line of a list
        return match.end()
    return len(text)


def _between_digits(text: str, match: re.Match[str]) -> bool:
    return text[match.start() - 1 : match.start()].isdigit() and text[match.end() : match.end() + 1].isdigit()
