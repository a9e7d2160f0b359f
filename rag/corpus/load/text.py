"""Plain text."""

from __future__ import annotations

from rag.corpus.load.builder import Parsed, TextBuilder
from rag.corpus.load.encoding import decode
from rag.corpus.load.headings import add_lines
from rag.corpus.load.metadata import title_line


def parse(name: str, data: bytes) -> tuple[Parsed, ...]:
    """The text of `data`, decoded; chapters and articles that stand on a line of their own become sections."""
    decoded = decode(name, data)
    builder = TextBuilder()
    builder.source(decoded.text)
    add_lines(builder, decoded.text)
    hint = title_line(builder.text())
    return (builder.parsed(title_hint=hint, warnings=decoded.warnings, reading=decoded.as_kind("text", "文本")),)
