"""The rows of tables with column names, which do not speak for the document they stand in."""

from __future__ import annotations

from collections.abc import Sequence

from rag.types import Table

_NO_ROW = "-"


def without_rows(text: str, tables: Sequence[Table]) -> str:
    """`text` with a dash for every row that is written with its table's column names."""
    parts, at = [], 0
    for table in tables:
        *above, names = table.header.split("\n")
        if not names or table.start >= len(text):
            continue
        named = [f"{name}: " for name in names.split(" | ")]
        rows = text[table.start : table.end].split("\n")
        parts += [text[at : table.start], "\n".join(_NO_ROW if _is_row(row, named, above) else row for row in rows)]
        at = table.end
    return "".join((*parts, text[at:]))


def _is_row(line: str, named: Sequence[str], above: Sequence[str]) -> bool:
    return line not in above and any(line.startswith(name) or f"；{name}" in line for name in named)
