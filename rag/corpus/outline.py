"""Where a document's text has its sections and tables, for whoever cuts it."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from rag.types import Document, Table

Span = tuple[int, int]
_WORD = re.compile(r"\S")
_LONGEST_HEADING = 200


@dataclass(frozen=True, slots=True)
class Outline:
    """`heads` are the starts of the sections; `follow[i]` is where the words after heading i begin (the end, when none do)."""

    text: str
    heads: tuple[int, ...]
    follow: tuple[int, ...]
    tables: tuple[Table, ...]
    table_starts: tuple[int, ...]

    @classmethod
    def of(cls, document: Document) -> Outline:
        """The outline of `document`; a heading is the line at which a section starts, if it is no longer than 200 characters."""
        text, heads, follow = document.text, tuple(section.start for section in document.sections), []
        for head in heads:
            end = text.find("\n", head, head + _LONGEST_HEADING + 1)
            word = _WORD.search(text, end) if end >= 0 else None
            follow.append(word.start() if word else len(text) if end >= 0 else head)
        return cls(text, heads, tuple(follow), document.tables, tuple(table.start for table in document.tables))

    def begins_at(self, start: int, end: int) -> int:
        """The first character of ``text[start:end]`` that is not blank; `start` when all are."""
        word = _WORD.search(self.text, start, end)
        return word.start() if word else start

    def section(self, start: int, end: int) -> int:
        """Of which section ``text[start:end]`` is, by its first words: 0 before the first heading, then 1, 2, …"""
        return bisect_right(self.heads, self.begins_at(start, end))

    def parts_heading(self, at: int) -> bool:
        """Whether a cut at `at` parts a heading from the words after it."""
        i = bisect_left(self.heads, at) - 1
        return i >= 0 and at <= self.follow[i]

    def tables_in(self, start: int, end: int) -> tuple[Table, ...]:
        """The tables of which something stands in ``text[start:end]``."""
        first = max(0, bisect_right(self.table_starts, start) - 1)
        found = self.tables[first : bisect_left(self.table_starts, end)]
        return tuple(table for table in found if self.text[max(start, table.start) : min(end, table.end)].strip())

    def row(self, at: int, longest: int) -> Span | None:
        """The row of a table in the midst of which `at` is; None outside, between two rows, and in one over `longest`."""
        i = bisect_right(self.table_starts, at) - 1
        if i < 0 or at >= self.tables[i].end:
            return None
        table = self.tables[i]
        before = self.text.rfind("\n", max(table.start, at - longest), at)
        after = self.text.find("\n", at, min(table.end, at + longest))
        start = before + 1 if before >= 0 else table.start
        end = after + 1 if after >= 0 else table.end
        return (start, end) if start < at and end - start <= longest else None
