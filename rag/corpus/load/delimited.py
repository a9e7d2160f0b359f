"""Tables as text (.csv, .tsv): rows with column names, whatever separates the columns."""

from __future__ import annotations

import csv
import io
from collections import Counter
from itertools import islice

from rag.corpus.clean import flow_lines
from rag.corpus.load.builder import Parsed, TextBuilder
from rag.corpus.load.encoding import decode
from rag.corpus.load.regions import MAX_CELLS, add_regions, too_many
from rag.corpus.load.table import Cell
from rag.errors import Bilingual, LoadError

# Told apart by which of them gives rows of one width; the first of equals.
_DELIMITERS = {",": ("commas", "逗号"), "\t": ("tabs", "制表符"), ";": ("semicolons", "分号"), "|": ("bars", "竖线")}
_SAMPLE_ROWS = 200
_SAMPLE = 200_000


def parse(name: str, data: bytes) -> tuple[Parsed, ...]:
    """A table of separated values; quotation marks that do not pair are taken as they stand, with a warning.

    Raises:
        UnsafeFile: more than 500,000 cells.
        LoadError: a cell of more than 131,072 characters.
    """
    decoded = decode(name, data)
    text, delimiter = _told(decoded.text.lstrip("\ufeff"))
    rows, warnings = _rows(name, text, delimiter)
    places, cells = {}, 0
    for r, row in enumerate(rows):
        cells += len(row)
        if cells > MAX_CELLS:
            raise too_many(name)
        places.update({(r, c): Cell(shown, (r, c)) for c, value in enumerate(row) if (shown := flow_lines(value))})
    builder = TextBuilder()
    builder.source(text)
    add_regions(name, builder, places)
    en, zh = _DELIMITERS[delimiter]
    reading = decoded.as_kind(f"table, separated by {en}", f"表格，以{zh}分隔")
    return (builder.parsed(warnings=(*decoded.warnings, *warnings), reading=reading),)


def _told(text: str) -> tuple[str, str]:
    """The text and what separates its columns; Excel's first line ``sep=;`` says so itself."""
    first, _, rest = text.partition("\n")
    stated = first.strip().strip('"')
    if stated[:4].lower() == "sep=" and stated[4:] in _DELIMITERS:
        return rest, stated[4:]
    sample = text[:_SAMPLE]
    return text, max(_DELIMITERS, key=lambda delimiter: _evenness(sample, delimiter))


def _evenness(sample: str, delimiter: str) -> tuple[float, int]:
    """The share of rows that have the most frequent width, and that width; (0, 1) when it is one column."""
    widths: Counter[int] = Counter()
    try:
        for row in islice(csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter), _SAMPLE_ROWS):
            widths[len(row)] += bool(row)
    except csv.Error:  # a quotation mark that is never closed swallows the sample: separated by lines alone
        widths = Counter(line.count(delimiter) + 1 for line in sample.split("\n")[:_SAMPLE_ROWS] if line.strip())
    several = {width: n for width, n in widths.items() if width > 1}
    if not several:
        return 0.0, 1
    width = max(several, key=lambda w: (several[w], w))
    return several[width] / widths.total(), width


def _rows(name: str, text: str, delimiter: str) -> tuple[list[list[str]], tuple[Bilingual, ...]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        return list(reader), ()
    except csv.Error as error:
        line, open_ended = reader.line_num, "end of data" in str(error) or text.count('"') % 2 == 1
    again = io.StringIO(text, newline="")
    if open_ended:
        reader = csv.reader(again, delimiter=delimiter, quoting=csv.QUOTE_NONE)
    else:
        reader = csv.reader(again, delimiter=delimiter)
    try:
        return list(reader), (_unpaired(name, line),)
    except csv.Error as error:
        raise LoadError(
            en=f"{name}: a cell near line {reader.line_num} cannot be read (longer than {csv.field_size_limit():,} "
            "characters, or a quotation mark that is not closed). Save the table again as .csv or .xlsx.",
            zh=f"{name}：第 {reader.line_num} 行附近的单元格无法读取（超过 {csv.field_size_limit():,} 个字符，或引号未闭合）。"
            "请重新另存为 .csv 或 .xlsx。",
        ) from error


def _unpaired(name: str, line: int) -> Bilingual:
    return Bilingual(
        en=f"{name}: quotation marks do not pair (up to line {line}); they were taken as they stand. Check the rows.",
        zh=f"{name}：引号不成对（至第 {line} 行发现），已按原样读取，请检查各行。",
    )
