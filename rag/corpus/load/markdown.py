"""Markdown: the text keeps its source; headings become sections, tables become rows with column names."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import replace

from markdown_it import MarkdownIt
from markdown_it.rules_block.table import escapedSplit
from markdown_it.token import Token

from rag.corpus.clean import clean_line, clean_text
from rag.corpus.load.builder import Parsed, TextBuilder
from rag.corpus.load.encoding import decode
from rag.corpus.load.front_matter import front_matter
from rag.corpus.load.headings import heading_level
from rag.corpus.load.metadata import title_line
from rag.corpus.load.table import plain_grid, render

_LONGEST_INLINE = 1000
_COMMENT_OR_CODE = re.compile(r"<!--|`+")
# Blocks whose words are seen, and in which a comment is one; in code it is what the code says.
_SEEN = ("paragraph_open", "html_block", "heading_open", "table_open")
_MARKS = re.compile(r"[*_`\[<&\\]")


def parse(name: str, data: bytes) -> tuple[Parsed, ...]:
    """A Markdown file. Of its YAML front matter title, version and dates become metadata; the rest stays in the text."""
    decoded = decode(name, data)
    text = clean_text(decoded.text)
    front = front_matter(name, text)
    builder = TextBuilder()
    builder.source(decoded.text)
    builder.lines(front.kept)
    for comment in front.comments:
        builder.remove(comment, "comment")
    above = len(builder.text())
    add_markdown(builder, text[front.end :])
    parsed = builder.parsed(
        front.meta,
        warnings=(*decoded.warnings, *front.warnings),
        reading=decoded.as_kind("Markdown", "Markdown"),
    )
    tops = [section.path[0] for section in parsed.sections[:1] if heading_level(section.path[0]) is None]
    return (replace(parsed, title_hint=tops[0] if tops else title_line(parsed.text[above:].lstrip())),)


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
        source, comments = _seen(lines, tokens, number)
        if token.type == "heading_open":
            title, _ = _without_comments(tokens[number + 1].content)
            builder.heading(int(token.tag[1]), _plain(title), shown=source)
        elif token.type == "table_open":
            rendered = render(plain_grid(_table(tokens, number, lines)))
            builder.table(rendered.lines, rendered.heading)
        else:
            builder.add(source)
        for comment in comments:
            builder.remove(comment, "comment")
        done = end
    builder.lines(lines[done:])


def _seen(lines: list[str], tokens: list[Token], first: int) -> tuple[str, list[str]]:
    """The source of the block that token `first` begins without its comments, which nobody sees, and the comments."""
    start, end = tokens[first].map or (0, 0)
    parts: list[str] = []
    comments: list[str] = []
    for number in range(first, len(tokens)):
        token = tokens[number]
        if number > first and token.level == 0 and token.nesting >= 0:
            break
        if token.type in _SEEN and token.map is not None and token.map[0] >= start:
            parts += lines[start : token.map[0]]
            shown, found = _without_comments("\n".join(lines[token.map[0] : token.map[1]]))
            parts.append(shown)
            comments += found
            start = token.map[1]
    return "\n".join((*parts, *lines[start:end])), comments


def _without_comments(source: str) -> tuple[str, list[str]]:
    """A text without its comments, and these; those in code stay. Looks at every place once."""
    ends: dict[int, list[int]] = {}
    for run in re.finditer("`+", source):
        ends.setdefault(len(run.group()), []).append(run.end())
    shown: list[str] = []
    comments: list[str] = []
    at = kept = 0
    while found := _COMMENT_OR_CODE.search(source, at):
        at = found.end()
        if found.group() != "<!--":
            later = ends[len(found.group())]
            after = bisect_right(later, at)
            at = later[after] if after < len(later) else at
            continue
        end = source.find("-->", at)
        if end < 0:
            break
        comments.append(source[found.start() : end + 3])
        shown.append(source[kept : found.start()])
        at = kept = end + 3
    return "".join((*shown, source[kept:])), comments


def _plain(content: str) -> str:
    """The words of a line of Markdown, without emphasis, links and images' addresses; a very long one as it is written."""
    if len(content) > _LONGEST_INLINE or not _MARKS.search(content):
        return clean_line(content)
    (parsed,) = MarkdownIt("commonmark").parseInline(content)
    parts = [child.content if child.content else " " * (child.type == "softbreak") for child in parsed.children or []]
    return clean_line("".join(parts))


def _table(tokens: list[Token], first: int, lines: list[str]) -> list[list[str]]:
    """The cells of the table that starts at token `first`, row by row.

    Cells beyond the last column, which the parser drops, stay in that column with their bar: 「a | b」 in one cell is
    where they mostly come from.
    """
    rows: list[list[str]] = []
    at = 0
    for number in range(first, len(tokens)):  # no slice: it would copy the rest of the file for every table
        token = tokens[number]
        if token.type == "tr_open":
            rows.append([])
            at = token.map[0] if token.map else 0
        elif token.type in ("th_open", "td_open"):
            rows[-1].append(_plain(_without_comments(tokens[number + 1].content)[0]))
        elif token.type == "tr_close":
            rows[-1][-1] = " | ".join(filter(None, (rows[-1][-1], *_beyond(lines[at], len(rows[-1])))))
        elif token.type == "table_close":
            break
    return rows


def _beyond(line: str, width: int) -> list[str]:
    """What the cells of a table's row say behind its first `width`, cut as the parser cuts them."""
    cells = escapedSplit(line.strip().removeprefix("|"))[width:]
    return [_plain(_without_comments(cell)[0]) for cell in cells]
