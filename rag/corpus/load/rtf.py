"""Rich text (.rtf): its words; rows of tables become rows with column names."""

from __future__ import annotations

import re

from striprtf.striprtf import rtf_to_text

from rag.corpus.load.builder import Parsed, TextBuilder
from rag.corpus.load.headings import add_lines
from rag.corpus.load.metadata import title_line
from rag.corpus.load.table import plain_grid, render
from rag.errors import Bilingual, LoadError, UnsafeFile

MAX_BYTES = 20_000_000
_CODEPAGE = re.compile(rb"\\ansicpg(\d{1,5})")
# A character of two bytes of which the second is written as the ASCII letter it also is: \'81@ is \'81\'40.
_HALF = re.compile(r"(\\'[89a-f][0-9a-f])((?:\\'[0-9a-f]{2})*)([@-~])", re.I)


def parse(name: str, data: bytes) -> tuple[Parsed, ...]:
    """A rich text file.

    Raises:
        UnsafeFile: larger than 20 MB.
        LoadError: its characters cannot be read.
    """
    if len(data) > MAX_BYTES:
        raise UnsafeFile(
            en=f"{name}: rich text of more than {MAX_BYTES // 1_000_000} MB. Save it as .docx.",
            zh=f"{name}：RTF 文件超过 {MAX_BYTES // 1_000_000} MB，请另存为 .docx。",
        )
    page = _CODEPAGE.search(data[:4000])
    number = page.group(1).decode() if page else "1252"
    try:
        text = rtf_to_text(data.decode("ascii"), encoding=f"cp{number}")
        text = text.encode("utf-16", "surrogatepass").decode("utf-16")  # characters written as two halves
    except (UnicodeError, LookupError) as error:
        raise LoadError(
            en=f"{name}: its characters cannot be read. Save it as .docx.",
            zh=f"{name}：其中的字符无法读取，请另存为 .docx。",
        ) from error
    builder = TextBuilder()
    _add(builder, text)
    reading = Bilingual(en=f"rich text, code page {number}", zh=f"RTF，代码页 {number}")
    return (builder.parsed(title_hint=title_line(builder.text()), reading=reading),)


def _add(builder: TextBuilder, text: str) -> None:
    """Add the text; lines that end in a bar are rows of a table, as the library writes them."""
    words: list[str] = []
    rows: list[list[str]] = []
    for line in [*text.split("\n"), ""]:
        cells = line.removesuffix("|").split("|") if line.endswith("|") else []
        if rows and not cells:
            rendered = render(plain_grid(rows))
            builder.table(rendered.lines, rendered.heading)
            rows = []
        if cells:
            add_lines(builder, "\n".join(words))
            words = []
            rows.append(cells)
        else:
            words.append(line)
    add_lines(builder, "\n".join(words))
