"""Tables as text (.csv, .tsv): rows with column names, whatever separates the columns."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from rag.corpus.load.builder import Parsed, TextBuilder
from rag.corpus.load.cell import one_line
from rag.corpus.load.encoding import decode
from rag.corpus.load.regions import MAX_CELLS, add_regions, too_many
from rag.corpus.load.table import Cell
from rag.errors import Bilingual, LoadError

# Told apart by which of them gives rows of one width; the first of equals.
_DELIMITERS = {",": ("commas", "逗号"), "\t": ("tabs", "制表符"), ";": ("semicolons", "分号"), "|": ("bars", "竖线")}
_SAMPLE_ROWS = 200
_SAMPLE = 200_000
_LOOKS = 10


def parse(name: str, data: bytes) -> tuple[Parsed, ...]:
    """A table of separated values; in rows where quotation marks do not pair they stay as they stand, with a warning.

    Raises:
        UnsafeFile: more than 500,000 cells.
        LoadError: a cell of more than 131,072 characters.
    """
    decoded = decode(name, data)
    text, delimiter, first = _told(decoded.text.lstrip("\ufeff"))
    literal = _Literal()
    places, cells = {}, 0
    try:
        for r, row in enumerate(_rows(_lines(text), delimiter, literal)):
            cells += len(row)
            if cells > MAX_CELLS:
                raise too_many(name)
            places.update({(r, c): Cell(shown, (r, c)) for c, value in enumerate(row) if (shown := one_line(value))})
    except csv.Error as error:
        raise _too_long(name) from error
    builder = TextBuilder()
    builder.source(text)
    nameless = add_regions(name, builder, places)
    en, zh = _DELIMITERS[delimiter]
    reading = decoded.as_kind(f"table, separated by {en}", f"表格，以{zh}分隔")
    return (
        builder.parsed(
            warnings=(*decoded.warnings, *_unpaired(name, literal, first), *_without_names(name, nameless)),
            reading=reading,
        ),
    )


def _told(text: str) -> tuple[str, str, int]:
    """The text, what separates its columns (Excel's first line ``sep=;`` says so itself), the number of its first line."""
    first, _, rest = text.partition("\n")
    stated = first.strip().strip('"')
    if stated[:4].lower() == "sep=" and stated[4:] in _DELIMITERS:
        return rest, stated[4:], 2
    sample = _lines(text[:_SAMPLE])
    return text, max(_DELIMITERS, key=lambda delimiter: _evenness(sample, delimiter)), 1


def _lines(text: str) -> list[str]:
    return list(io.StringIO(text, newline=""))


def _evenness(sample: Sequence[str], delimiter: str) -> tuple[float, int]:
    """The share of rows that have the most frequent width, and that width; (0, 1) when it is one column."""
    widths: Counter[int] = Counter()
    try:
        for row in islice(_rows(sample, delimiter, _Literal()), _SAMPLE_ROWS):
            widths[len(row)] += bool(row)
    except csv.Error:  # a cell too long, which may well be another delimiter's row
        widths = Counter(line.count(delimiter) + 1 for line in sample[:_SAMPLE_ROWS] if line.strip())
    several = {width: n for width, n in widths.items() if width > 1}
    if not several:
        return 0.0, 1
    width = max(several, key=lambda w: (several[w], w))
    return several[width] / widths.total(), width


@dataclass(slots=True)
class _Literal:
    """The lines (from 0) that were read without quotation marks, and the first of the rest when all of it was."""

    lines: list[int] = field(default_factory=list)
    rest: int | None = None


def _rows(lines: Sequence[str], delimiter: str, literal: _Literal) -> Iterator[list[str]]:
    """The rows of a table's lines, each as it is written in the file: a quotation mark opens a cell only where one closes it.

    A line that begins a row in which that is not so is one row, its quotation marks as they stand; the next line begins
    another. Looking for what closes them goes over the lines ten times together; then all that is left is read like that.

    Raises:
        csv.Error: a cell of more than 131,072 characters.
    """
    begin, looked = 0, 0
    while begin < len(lines) and literal.rest is None:
        reader = csv.reader(map(lines.__getitem__, range(begin, len(lines))), delimiter=delimiter, strict=True)
        start = begin
        try:
            for row in reader:
                yield row
                start = begin + reader.line_num
            return
        except csv.Error:
            looked += begin + reader.line_num - start
        if looked > _LOOKS * len(lines):
            literal.rest = start
        else:
            literal.lines.append(start)
            yield from csv.reader(lines[start : start + 1], delimiter=delimiter, quoting=csv.QUOTE_NONE)
            start += 1
        begin = start
    yield from csv.reader(map(lines.__getitem__, range(begin, len(lines))), delimiter=delimiter, quoting=csv.QUOTE_NONE)


def _too_long(name: str) -> LoadError:
    return LoadError(
        en=f"{name}: a cell is longer than {csv.field_size_limit():,} characters. Save the table again as .csv or .xlsx.",
        zh=f"{name}：有单元格超过 {csv.field_size_limit():,} 个字符。请重新另存为 .csv 或 .xlsx。",
    )


def _unpaired(name: str, literal: _Literal, first: int) -> tuple[Bilingual, ...]:
    """The warning about lines read without quotation marks; `first` is the number of the first line."""
    numbers = [str(line + first) for line in literal.lines[:8]]
    if literal.rest is not None:
        numbers = [*numbers, "…"] if len(literal.lines) > 8 else numbers
        numbers.append(f"{literal.rest + first}–")
    elif len(literal.lines) > 8:
        numbers.append("…")
    if not numbers:
        return ()
    listed = ", ".join(numbers)
    return (
        Bilingual(
            en=f"{name}: quotation marks do not pair; they were taken as they stand (line {listed}). Check these rows.",
            zh=f"{name}：引号不成对，已按原样读取（第 {listed} 行），请检查这些行。",
        ),
    )


def _without_names(name: str, rows: Sequence[int]) -> tuple[Bilingual, ...]:
    """The note about tables whose first row (from 0) is a row like those below it."""
    if not rows:
        return ()
    listed = ", ".join(str(row + 1) for row in rows[:8]) + (" …" if len(rows) > 8 else "")
    return (
        Bilingual(
            en=f"{name}: a table without column names (from row {listed}): its first row holds numbers, dates or codes like "
            "the rows below it, and was read as a row. Put a row of column names above it.",
            zh=f"{name}：表格没有列名（从第 {listed} 行起）：首行与下面各行一样是数字、日期或编号，已作为普通一行读取。"
            "如有列名，请在其上方加一行列名。",
        ),
    )
