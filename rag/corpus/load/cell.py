"""A place in a table, and what its lines say as one."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from rag.corpus.clean import clean_line, clean_text, flow_lines, is_wide

_TIGHT = 8


@dataclass(frozen=True, slots=True)
class Cell:
    """A place in a table. Places that a merged cell covers share its text and its `anchor` (row, column)."""

    text: str
    anchor: tuple[int, int]
    head: bool = False
    """Whether the file itself marks it as a header cell."""


Grid = Sequence[Sequence[Cell]]


def one_line(text: str) -> str:
    r"""What a cell holds whose lines somebody ended (paragraphs, breaks, Alt+Enter), on one line.

    They are joined by a blank, beside full-width punctuation by nothing. A cell of up to 8 letters and nothing else is
    one word, broken to fit into its column. Lines that only a page's width ended are for `rag.corpus.clean.flow_lines`.

    >>> one_line("住宿500元\n伙食100元"), one_line("另见：\n附件一"), one_line("住宿\n标准")
    ('住宿500元 伙食100元', '另见：附件一', '住宿标准')
    """
    lines = [line for line in map(clean_line, clean_text(text).split("\n")) if line]
    if sum(map(len, lines)) <= _TIGHT and all(map(str.isalpha, lines)):
        return flow_lines("\n".join(lines))
    joined = ""
    for line in lines:
        tight = not joined or _is_wide_mark(joined[-1]) or _is_wide_mark(line[0])
        joined += line if tight else f" {line}"
    return joined


def _is_wide_mark(character: str) -> bool:
    return is_wide(character) and unicodedata.category(character).startswith("P")
