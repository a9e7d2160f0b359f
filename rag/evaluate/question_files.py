"""Question sets in and out: JSONL, CSV and XLSX files, the rows of a table on the page, and the built-in set."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from openpyxl import Workbook, load_workbook
from openpyxl.styles import Alignment, Font

from rag.corpus.clean import clean_line, clean_text
from rag.corpus.load.container import damaged, open_zip
from rag.corpus.load.encoding import decode
from rag.corpus.load.number import shown
from rag.errors import Bilingual, Language, QuestionError, RagError
from rag.evaluate.question_cells import cells_of, columns, header, record_from
from rag.evaluate.questions import FIELDS, MOST_QUESTIONS, Question, QuestionSet, place_zh, question_from, record_of

MOST_BYTES = 10_000_000
MOST_UNPACKED = 30_000_000
# Empty rows between and below the questions included.
MOST_ROWS = 20_000
MOST_COLUMNS = 64
SAMPLES = Path(__file__).parent / "samples"
_DELIMITERS = (",", "\t", ";", "|")
_JSON = (".jsonl", ".ndjson", ".json")
# A spreadsheet takes a cell that begins like this for a formula; one apostrophe in front makes it a text.
_FORMULA = re.compile(r"'*[=+\-@＝＋－＠]")
_GUARDED = re.compile(r"'+[=+\-@＝＋－＠]")
_Row = tuple[int, Sequence[str]]


@dataclass(frozen=True, slots=True)
class ReadSet:
    """A set read from a file: what was in columns or fields that mean nothing here was `ignored`."""

    questions: QuestionSet
    ignored: tuple[str, ...] = ()
    warnings: tuple[Bilingual, ...] = ()


def read_questions(name: str, data: bytes) -> ReadSet:
    """The set in a file called `name`: a workbook, JSON (one object a line, or one list) or a table (CSV, TSV).

    Content decides before the name does. A question without an id is numbered.

    Raises:
        QuestionError: naming file, row or line, and field; also more than `MOST_QUESTIONS`, or none at all.
        LoadError: the bytes are no text and no workbook (`UnsafeFile`: a workbook built to exhaust its reader).
    """
    read = _read(clean_line(name) or "questions", data)
    if not read.questions.questions:
        raise _wrong(read.questions.name, "there is no question in it", "里面没有问题")
    return read


def write_jsonl(questions: QuestionSet) -> bytes:
    """One JSON object a line, UTF-8. Raises `QuestionError` for a set that would not be read back equal."""
    lines = [json.dumps(record_of(q), ensure_ascii=False) for q in questions.questions]
    return _proved(questions, ".jsonl", "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass"))


def write_csv(questions: QuestionSet, language: Language = "zh") -> bytes:
    """A table that spreadsheet programs open: UTF-8 with a mark, no cell a formula.

    Raises `QuestionError` for a set that would not be read back equal.
    """
    stream = io.StringIO(newline="")
    writer = csv.writer(stream)
    writer.writerows([header(language), *([_guard(cell) for cell in row] for row in table_rows(questions, language))])
    return _proved(questions, ".csv", stream.getvalue().encode("utf-8-sig", "surrogatepass"))


def write_xlsx(questions: QuestionSet, language: Language = "zh") -> bytes:
    """A workbook whose cells are all texts. Raises `QuestionError` for a set that would not be read back equal."""
    book = Workbook()
    sheet = book.worksheets[0]
    sheet.freeze_panes = "A2"
    for r, row in enumerate([header(language), *table_rows(questions, language)], 1):
        for c, text in enumerate(row, 1):
            if not text:
                continue
            if clean_text(text) != text:  # the writer refuses control characters and half surrogate pairs
                raise _unwritable(questions.name)
            cell = sheet.cell(r, c, text)
            # text, whatever it looks like, also after somebody edits it: not 7 for 007, no formula, no date
            cell.data_type, cell.number_format = "s", "@"
            cell.alignment = Alignment(wrap_text=True, vertical="top")
            cell.font = Font(bold=r == 1)
    for i, field in enumerate(FIELDS):
        sheet.column_dimensions[chr(ord("A") + i)].width = {"question": 44, "relevant": 60, "points": 30}.get(field, 14)
    stream = io.BytesIO()
    book.save(stream)
    return _proved(questions, ".xlsx", stream.getvalue())


def table_rows(questions: QuestionSet, language: Language = "zh") -> list[list[str]]:
    """One row of texts per question, under the columns `rag.evaluate.question_cells.header` names."""
    return [cells_of(question, language) for question in questions.questions]


def from_table_rows(name: str, names: Sequence[str], rows: Sequence[Sequence[str]]) -> QuestionSet:
    """The set that a table shows, rows counted from 1 in errors; empty rows give nothing. Raises `QuestionError`."""
    return _from_rows(name, names, enumerate(rows, 1)).questions


def sample_set() -> QuestionSet:
    """The built-in questions about the sample documents."""
    read = [read_questions(path.name, path.read_bytes()).questions for path in sorted(SAMPLES.glob("*.jsonl"))]
    return QuestionSet("sample", tuple(question for part in read for question in part.questions))


def _read(name: str, data: bytes) -> ReadSet:
    if len(data) > MOST_BYTES:
        megabytes = MOST_BYTES // 1_000_000
        raise _wrong(name, f"it is larger than {megabytes} MB. Split it", f"文件超过 {megabytes} MB，请拆分")
    if data.startswith(b"PK\x03\x04"):
        return _workbook(name, data)
    decoded = decode(name, data)
    text = decoded.text.lstrip("\ufeff")
    if text.lstrip()[:1] in ("{", "[") or PurePosixPath(name).suffix.lower() in _JSON:
        read = _json(name, text)
    else:
        read = _delimited(name, text)
    return ReadSet(read.questions, read.ignored, decoded.warnings)


def _json(name: str, text: str) -> ReadSet:
    if text.lstrip().startswith("["):
        items = _parsed(text, name)
        records = [(f"{name}, item {i}", item) for i, item in enumerate(items, 1)]
    else:
        lines = [(f"{name}, line {n}", line) for n, line in enumerate(text.split("\n"), 1) if line.strip()]
        _check_number(name, len(lines))
        records = [(where, _parsed(line, where)) for where, line in lines]
    for where, record in records:
        if not isinstance(record, dict):
            raise _wrong(where, "expected an object with the fields of a question", "应为含问题各字段的对象")
    unknown = dict.fromkeys(key for _, record in records for key in record if key not in FIELDS)
    return ReadSet(_set(name, records), tuple(unknown))


def _parsed(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:  # also a number of thousands of digits
        raise _wrong(
            where,
            "not valid JSON. Write one object on each line, or one list of objects",
            "不是合法的 JSON。请每行写一个对象，或整个文件写成一个对象列表",
        ) from error


def _delimited(name: str, text: str) -> ReadSet:
    """A table as text. The delimiter is the one that makes the first line the most columns known here."""

    def known(delimiter: str) -> int:
        first = next(csv.reader(io.StringIO(text[:10_000], newline=""), delimiter=delimiter), [])
        try:
            return sum(map(bool, columns(name, first).fields))
        except QuestionError:
            return 0

    try:
        delimiter = max(_DELIMITERS, key=known)
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        names = next(reader, [])
        rows = ((n, [_unguard(cell) for cell in row]) for n, row in enumerate(reader, 2))
        return _from_rows(name, names, rows)
    except csv.Error as error:
        raise _wrong(
            name, f"the table cannot be read ({error}). Check the quotation marks", "表格无法读取，请检查引号是否成对"
        ) from error


def _workbook(name: str, data: bytes) -> ReadSet:
    with open_zip(name, data) as archive:
        if sum(entry.file_size for entry in archive.infolist()) > MOST_UNPACKED:
            raise _wrong(
                name, "it is too large. Keep only the sheet with the questions", "文件过大，请只保留问题所在的工作表"
            )
    try:
        book = load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
        rows = _sheet_rows(book)
        first = next(rows, (1, []))
        return _from_rows(name, first[1], rows)
    except RagError:
        raise
    except Exception as error:  # the reader raises whatever its code runs into on a malformed file
        raise damaged(name) from error


def _sheet_rows(book: Any) -> Iterator[_Row]:
    """The rows of the first sheet that is not empty, from the first that holds something, with the sheet's row numbers."""
    for sheet in book.worksheets:
        sheet.reset_dimensions()  # what the file says of its extent is often wrong
        begun = False
        for n, row in enumerate(sheet.iter_rows(max_row=MOST_ROWS + 1, max_col=MOST_COLUMNS), 1):
            texts = [shown(cell.value, cell.number_format or "General") for cell in row]
            begun = begun or any(text.strip() for text in texts)
            if begun:
                yield n, texts
        if begun:
            return


def _from_rows(name: str, names: Sequence[str], rows: Iterable[_Row]) -> ReadSet:
    found = columns(name, names)
    records: list[tuple[str, Mapping[str, Any]]] = []
    unnamed: dict[str, None] = {}
    for n, row in rows:
        where = f"{name}, row {n}"
        if n > MOST_ROWS:
            raise _wrong(
                name, f"more than {MOST_ROWS:,} rows. Delete what is below", f"超过 {MOST_ROWS:,} 行，请删除多余的行"
            )
        unnamed |= {f"#{c}": None for c, cell in enumerate(row, 1) if cell.strip() and not _named(names, c)}
        record = record_from(found.fields, row, where)
        if record is not None:
            records.append((where, record))
            _check_number(name, len(records))
    return ReadSet(_set(name, records), (*found.ignored, *unnamed))


def _named(names: Sequence[str], column: int) -> bool:
    return column <= len(names) and bool(clean_line(names[column - 1]))


def _set(name: str, records: Sequence[tuple[str, Mapping[str, Any]]]) -> QuestionSet:
    """The questions of `records`; those without an id get the first numbers that are nobody's."""
    _check_number(name, len(records))
    taken = {clean_line(str(record.get("id") or "")) for _, record in records}
    free = (str(n) for n in range(1, 2 * len(records) + 2) if str(n) not in taken)
    questions: list[Question] = []
    for where, record in records:
        fallback = "" if clean_line(str(record.get("id") or "")) else next(free)
        questions.append(question_from(record, where, fallback))
    return QuestionSet(name, tuple(questions))


def _check_number(name: str, number: int) -> None:
    if number > MOST_QUESTIONS:
        raise _wrong(
            name, f"more than {MOST_QUESTIONS:,} questions. Split the file", f"问题超过 {MOST_QUESTIONS:,} 个，请拆分"
        )


def _guard(cell: str) -> str:
    return f"'{cell}" if _FORMULA.match(cell) else cell


def _unguard(cell: str) -> str:
    return cell[1:] if _GUARDED.match(cell) else cell


def _proved(questions: QuestionSet, suffix: str, data: bytes) -> bytes:
    """`data`, once it was read back and found equal."""
    try:
        equal = _read(f"questions{suffix}", data).questions.questions == questions.questions
    except RagError as error:
        raise _unwritable(questions.name, error.text) from error
    if not equal:
        raise _unwritable(questions.name)
    return data


def _unwritable(name: str, why: Bilingual | None = None) -> QuestionError:
    return QuestionError(
        en=f"{name}: this set cannot be written so that it reads back the same. {why.en if why else ''}".strip(),
        zh=f"{name}：无法写成可以原样读回的文件。{why.zh if why else ''}",
    )


def _wrong(where: str, en: str, zh: str) -> QuestionError:
    return QuestionError(en=f"{where}: {en}.", zh=f"{place_zh(where)}：{zh}。")
