"""Rich text (.rtf): its words; rows of tables become rows with column names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from striprtf.striprtf import rtf_to_text

from rag.corpus.load.builder import Parsed, TextBuilder
from rag.corpus.load.headings import add_lines
from rag.corpus.load.metadata import title_line
from rag.corpus.load.places import Places, filled
from rag.corpus.load.rtf_bytes import by_evidence, misgivings
from rag.corpus.load.rtf_letters import in_cells, parted, unmarked, with_marks
from rag.corpus.load.table import plain_grid, render
from rag.errors import Bilingual, LoadError, UnsafeFile

MAX_BYTES = 20_000_000
_CODEPAGE = re.compile(rb"\\ansicpg(\d{1,5})")
_BYTES = re.compile(r"((?:\\'[0-9a-f]{2})+)(\\[\\{}]|[@-\[\]-z|~])?", re.I)
_BROKEN_LINE = re.compile(r"(\\'[0-9a-f]{2})[\r\n]+(?=\\')", re.I)
_PICTURE = re.compile(r"[0-9a-f\s]{512,}", re.I)
_UNSEEN = re.compile(r"\\v(?![a-z0-9])")
# Where the library reads nothing: what is written in a footnote or an endnote, in a text box (as older programs write it
# too), beside the text.
_NOTES = re.compile(r"\\footnote(?![a-z])")
_BOXES, _OLD_BOXES = re.compile(r"\\shptxt(?![a-z])"), re.compile(r"\\dptxbxtext(?![a-z])")
_REMARKS = re.compile(r"\\annotation(?![a-z])")


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
        source = data.decode("ascii")
        spelled = by_evidence(name, _prepared(source), page.group(1).decode() if page else "")
        text = rtf_to_text(with_marks(spelled.source), encoding=f"cp{number}")
        text = text.encode("utf-16", "surrogatepass").decode("utf-16")  # characters written as two halves
    except (UnicodeError, LookupError) as error:
        raise LoadError(
            en=f"{name}: its characters cannot be read. Save it as .docx.",
            zh=f"{name}：其中的字符无法读取，请另存为 .docx。",
        ) from error
    builder = TextBuilder()
    text = in_cells(text)
    builder.source(unmarked(text))
    _add(builder, text)
    declared = Bilingual(en=f"rich text, code page {number}", zh=f"RTF，代码页 {number}")
    reading = spelled.reading if spelled.reading.en else declared
    warnings = [
        *spelled.warnings,
        *misgivings(name, builder.text()),
        *([_unseen(name)] if _UNSEEN.search(source) else []),
        *_not_read(name, source),
    ]
    return (builder.parsed(title_hint=title_line(builder.text()), warnings=warnings, reading=reading),)


def _prepared(source: str) -> str:
    """The source as the library needs it: without pictures, and the two bytes of a character next to each other."""
    if "\\pict" in source or "\\objdata" in source:
        source = _PICTURE.sub("", source)
    return _BYTES.sub(_paired, _BROKEN_LINE.sub(r"\1", source))


def _paired(found: re.Match[str]) -> str:
    """Bytes of which the last begins a character that ends in an ASCII letter, with that letter as a byte too."""
    written, letter = found.group(1), found.group(2) or ""
    codes = bytes.fromhex(written.replace("\\'", ""))
    place = 0
    while place < len(codes):
        place += 2 if codes[place] > 0x80 else 1
    # in a one-byte encoding the letter reads the same as a byte
    return f"{written}\\'{ord(letter[-1]):02x}" if letter and place > len(codes) else written + letter


def _unseen(name: str) -> Bilingual:
    return Bilingual(
        en=f"{name}: it has hidden words, which cannot be told apart here. Check the text, or save it as .docx.",
        zh=f"{name}：含有隐藏的文字，无法区分。请检查文字，或另存为 .docx。",
    )


def _not_read(name: str, source: str) -> list[Bilingual]:
    """The warning about words that are not read because of where they stand."""
    notes, remarks = len(_NOTES.findall(source)), len(_REMARKS.findall(source))
    # a box may be written twice, in the new way and in the old
    boxes = len(_BOXES.findall(source)) or len(_OLD_BOXES.findall(source))
    if not notes and not boxes and not remarks:
        return []
    counted = ((notes, "footnote", "个脚注"), (boxes, "text box", "个文本框"), (remarks, "comment", "条批注"))
    en = ", ".join(f"{n} {what}{('es' if what.endswith('x') else 's') * (n != 1)}" for n, what, _ in counted if n)
    zh = "、".join(f"{n} {what}" for n, _, what in counted if n)
    return [
        Bilingual(
            en=f"{name}: {en} left out; they are not read from rich text. Save it as .docx to have them.",
            zh=f"{name}：有 {zh}未收入，RTF 中的这些内容无法读取。如需收入，请另存为 .docx。",
        )
    ]


def _add(builder: TextBuilder, text: str) -> None:
    """Add the text; lines that end in a bar are rows of a table, as the library writes them."""
    words: list[str] = []
    rows: list[list[str]] = []
    for line in [*text.split("\n"), ""]:
        cells = line.removesuffix("|").split("|") if line.endswith("|") else []
        if rows and not cells:
            _add_table(builder, rows)
            rows = []
        if cells:
            _add_words(builder, words)
            words = []
            rows.append(cells)
        else:
            words.append(line)
    _add_words(builder, words)


def _add_table(builder: TextBuilder, rows: Sequence[Sequence[str]]) -> None:
    """Add a table and note what is struck out in it."""
    cells = [[parted(cell) for cell in row] for row in rows]
    rendered = render(plain_grid([[shown for shown, _ in row] for row in cells]))
    builder.table(rendered.lines, rendered.heading)
    for row in cells:
        for _, struck in row:
            for _, gone in struck:
                builder.remove(gone, "deletion")


def _add_words(builder: TextBuilder, lines: Sequence[str]) -> None:
    """Add lines and note what is struck out in them at its place."""
    parts = [parted(line) for line in lines]
    add_lines(builder, "\n".join(shown for shown, _ in parts))
    if not any(struck for _, struck in parts):
        return
    added = TextBuilder()
    add_lines(added, "\n".join(shown for shown, _ in parts))
    places, before = Places(added.text()), 0
    for shown, struck in parts:
        read = 0
        for at, gone in struck:
            before += filled(shown[read:at])
            read = at
            builder.remove(gone, "deletion", places.back(before, opens=not at))
        before += filled(shown[read:])
