"""Markdown: the text keeps its source; headings become sections, tables become rows with column names."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from typing import Any

import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token

from rag.corpus.clean import clean_line, clean_text
from rag.corpus.load.builder import Meta, Parsed, TextBuilder
from rag.corpus.load.encoding import decode
from rag.corpus.load.headings import heading_level
from rag.corpus.load.metadata import as_date, title_line
from rag.corpus.load.table import plain_grid, render
from rag.errors import Bilingual

_LONGEST_FRONT = 2000
_LONGEST_INLINE = 1000
_COMMENT = re.compile(r"<!--(?:(?!-->).)*-->", re.DOTALL)
_MARKS = re.compile(r"[*_`\[<&\\]")
_FRONT = re.compile(r"---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)", re.DOTALL)


def parse(name: str, data: bytes) -> tuple[Parsed, ...]:
    """A Markdown file. YAML front matter becomes metadata; when it cannot be read it stays in the text, with a warning."""
    decoded = decode(name, data)
    text, meta, warnings = clean_text(decoded.text), Meta(), list(decoded.warnings)
    front = _FRONT.match(text)
    if front:
        read = _front_matter(front.group(1))
        if read is None:
            warnings.append(_bad_front(name))
        else:
            meta, text = read, text[front.end() :]
    builder = TextBuilder()
    builder.source(decoded.text)
    add_markdown(builder, text)
    parsed = builder.parsed(meta, warnings=warnings, reading=decoded.as_kind("Markdown", "Markdown"))
    tops = [section.path[0] for section in parsed.sections[:1] if heading_level(section.path[0]) is None]
    return (replace(parsed, title_hint=tops[0] if tops else title_line(parsed.text)),)


def add_markdown(builder: TextBuilder, text: str) -> None:
    """Add the blocks of clean Markdown `text` in order; what is between blocks (link definitions) is kept too."""
    lines = text.split("\n")
    # Only blocks: marks inside paragraphs stay as they are, and hostile ones can cost the square of their length.
    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    tokens = parser.parse(text)
    done = 0
    for number, token in enumerate(tokens):
        if token.level != 0 or token.map is None or token.nesting < 0:
            continue
        start, end = token.map
        builder.lines(lines[done:start])
        source = "\n".join(lines[start:end])
        if token.type == "heading_open":
            builder.heading(int(token.tag[1]), _plain(tokens[number + 1]), shown=source)
        elif token.type == "table_open":
            rendered = render(plain_grid(_table(tokens, number)))
            builder.table(rendered.lines, rendered.heading)
        elif token.type in ("paragraph_open", "html_block"):
            _add_seen(builder, source)
        else:
            builder.add(source)
        done = end
    builder.lines(lines[done:])


def _add_seen(builder: TextBuilder, source: str) -> None:
    """Add a block without its comments, which nobody sees; they are noted. One with code in it stays as it is written."""
    comments = [] if "`" in source else _COMMENT.findall(source)
    builder.add(_COMMENT.sub("", source) if comments else source)
    for comment in comments:
        builder.remove(comment, "comment")


def _plain(inline: Token) -> str:
    """The words of an inline token, without emphasis, links and images' addresses; a very long one as it is written."""
    if len(inline.content) > _LONGEST_INLINE or not _MARKS.search(inline.content):
        return clean_line(inline.content)
    (parsed,) = MarkdownIt("commonmark").parseInline(inline.content)
    parts = [child.content if child.content else " " * (child.type == "softbreak") for child in parsed.children or []]
    return clean_line("".join(parts))


def _table(tokens: list[Token], first: int) -> list[list[str]]:
    """The cells of the table that starts at token `first`, row by row."""
    rows: list[list[str]] = []
    for number in range(first, len(tokens)):  # no slice: it would copy the rest of the file for every table
        token = tokens[number]
        if token.type == "tr_open":
            rows.append([])
        elif token.type in ("th_open", "td_open"):
            rows[-1].append(_plain(tokens[number + 1]))
        elif token.type == "table_close":
            break
    return rows


def _front_matter(source: str) -> Meta | None:
    """What the front matter says; None when it is not a YAML mapping, or longer than any front matter."""
    if len(source) > _LONGEST_FRONT:
        return None
    try:
        # An alias inside a list is how a few bytes become gigabytes; front matter needs none.
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(source, Loader=yaml.SafeLoader)):
            return None
        read = yaml.safe_load(source)
    except (yaml.YAMLError, ValueError, RecursionError):  # ValueError: a date such as 2026-02-30
        return None
    if not isinstance(read, dict):
        return None
    return Meta(
        title=_string(read, "title"),
        doc_id=_string(read, "doc_id"),
        version=_string(read, "version"),
        source=_string(read, "source"),
        effective_from=as_date(_string(read, "effective_from") or _string(read, "effective_date")),
        effective_to=as_date(_string(read, "effective_to")),
    )


def _string(read: dict[Any, Any], field: str) -> str:
    value = read.get(field)
    if isinstance(value, date):
        return value.isoformat()
    return clean_line(str(value)) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def _bad_front(name: str) -> Bilingual:
    return Bilingual(
        en=f"{name}: the YAML front matter cannot be read and was kept as text. Check it between the two --- lines.",
        zh=f"{name}：开头的 YAML 元数据无法解析，已当作正文保留。请检查两条 --- 之间的内容。",
    )
