"""Questions and question files: what is read, what is refused, and that what is written reads back equal."""

import csv
import io
import json
import random
import re
import zipfile
from collections.abc import Callable
from datetime import date, datetime

import pytest
from openpyxl import Workbook, load_workbook

from rag.errors import LoadError, QuestionError, RagError, UnsafeFile
from rag.evaluate.question_cells import header, label_cell, label_from
from rag.evaluate.question_files import (
    MOST_BYTES,
    MOST_ROWS,
    from_table_rows,
    read_questions,
    sample_set,
    table_rows,
    write_csv,
    write_jsonl,
    write_xlsx,
)
from rag.evaluate.questions import FIELDS, MOST_QUESTIONS, Label, Question, QuestionSet, question_from, record_of
from tests import hostile

WRITERS: dict[str, Callable[[QuestionSet], bytes]] = {"jsonl": write_jsonl, "csv": write_csv, "xlsx": write_xlsx}
NASTY = (
    "=1+1", "+86", "-5℃", "@all", "'=x", "''-", "'", '"', '"a" b', "a :: b", "a::b", "a：：b", "x #3", "#3", "2> x", "1*2> y",
    "2＞z", "#N/A", "TRUE", "007", "1e5", "2026-01-01", "a|b", ",;\t|", "\\n", "_x000D_", "-", "sep=;", "[", "{", "a: ", ":b",
)  # fmt: skip


def nasty(rng: random.Random) -> str:
    return rng.choice(
        (rng.choice(NASTY), hostile.line(rng), hostile.text(rng, 4), rng.choice(NASTY) + hostile.text(rng, 2))
    )


def random_record(rng: random.Random) -> dict[str, object]:
    """A question as a careless or hostile person writes it in JSON."""
    record: dict[str, object] = {
        "question": f"{nasty(rng)}问{nasty(rng)}"[:900],
        "category": nasty(rng),
        "history": [f"{nasty(rng)}前" for _ in range(rng.choice((0, 0, 2)))],
        "never": [nasty(rng) for _ in range(rng.choice((0, 0, 3)))],
        "groups": [nasty(rng) for _ in range(rng.choice((0, 0, 2)))],
        "draft": rng.random() < 0.2,
        "as_of": rng.choice(("", "2026-02-28", "2025/1/3")),
    }
    if rng.random() < 0.2:
        return record | {"refuse": True}
    labels: list[object] = [f"{nasty(rng)}d" for _ in range(rng.choice((0, 1)))]
    for _ in range(rng.randint(0, 3)):
        label: dict[str, object] = {"document": f"{nasty(rng)}d{nasty(rng)}", "quote": nasty(rng)}
        if rng.random() < 0.4:
            label |= {"page": rng.choice((1, 7, 1_000_000))}
        if rng.random() < 0.4:
            label |= {"need": rng.choice((1, 2, 13)), "grade": rng.choice((1, 1, 3))}
        labels.append(label)
    return record | {"relevant": labels, "points": [nasty(rng) for _ in range(rng.randint(0, 3))]}


def random_set(rng: random.Random) -> QuestionSet:
    n = rng.randint(1, 4)
    return QuestionSet("s", tuple(question_from(random_record(rng), f"row {i}", f"id{i}") for i in range(n)))


@pytest.mark.parametrize("kind", WRITERS)
def test_what_is_written_reads_back_equal(kind: str, seeds) -> None:
    for seed in seeds(200):
        questions = random_set(random.Random(seed))
        read = read_questions(f"s.{kind}", WRITERS[kind](questions))
        assert read.questions.questions == questions.questions, seed
        assert read.ignored == () and read.warnings == (), seed


def test_a_table_on_the_page_gives_the_set_back(seeds) -> None:
    for seed in seeds(300):
        rng = random.Random(seed)
        questions = random_set(rng)
        language = rng.choice(("zh", "en"))
        rows = table_rows(questions, language)
        rows.insert(rng.randint(0, len(rows)), [" \n" if rng.random() < 0.5 else ""] * len(FIELDS))
        assert from_table_rows("s", header(language), rows) == questions, seed


def test_records_and_labels_give_themselves_back(seeds) -> None:
    for seed in seeds(500):
        for question in random_set(random.Random(seed)).questions:
            assert question_from(json.loads(json.dumps(record_of(question))), "", "") == question, seed
            for label in question.relevant:
                record = {"id": "1", "question": "q", "relevant": [label_from(label_cell(label), "")]}
                assert question_from(record, "", "").relevant == (label,), (seed, label)


def test_a_set_made_in_code_is_written_equal_or_refused(seeds) -> None:
    refused = written = 0
    for seed in seeds(200):
        rng = random.Random(seed)
        odd = (nasty(rng), "\x00", "\ud800", "a\nb", " a", "字" * 40_000, "x005F_", "")
        texts = [rng.choice(odd) if rng.random() < 0.25 else "年假" for _ in range(4)]
        question = Question(f"i{texts[0]}", f"q{texts[1]}", points=(texts[2],), relevant=(Label("d", texts[3]),))
        groups = rng.choice((None, None, frozenset[str](), frozenset({"a"})))
        made = QuestionSet("s", (question, Question("2", "q", groups=groups)))
        for kind, write in WRITERS.items():
            try:
                data = write(made)
            except QuestionError:
                refused += 1
                continue
            written += 1
            assert read_questions(f"s.{kind}", data).questions.questions == made.questions, (seed, kind)
    assert refused and written


def test_no_cell_of_a_written_table_is_a_formula(seeds) -> None:
    for seed in seeds(100):
        questions = random_set(random.Random(seed))
        for row in csv.reader(io.StringIO(write_csv(questions).decode("utf-8-sig"), newline="")):
            assert not any(cell.startswith(tuple("=+-@＝＋－＠\t\r")) for cell in row), seed
        for row in load_workbook(io.BytesIO(write_xlsx(questions))).worksheets[0].iter_rows():
            assert all(cell.data_type in ("s", "n" if cell.value is None else "s") for cell in row), seed


def book(*rows: list[object], before: int = 0) -> bytes:
    source = Workbook()
    if before:
        source.create_sheet("空", 0)
    sheet = source.worksheets[-1]
    for row in [[]] * before + list(rows):
        sheet.append(row)
    stream = io.BytesIO()
    source.save(stream)
    return stream.getvalue()


def test_a_workbook_as_people_fill_it() -> None:
    data = book(
        ["编号", "问题", "日期", "应拒答", "依据", "备注"],
        [7, "年假几天？", datetime(2026, 3, 1), False, "年假.docx :: 每年15天\n2> 手册.pdf #3", "x"],
        [None, None, None, None, None, "只有备注"],
        [1.0, "食堂在哪？", "2026年3月2日", "是", None, None],
        [None, "第三个？", date(2026, 3, 3), None, "制度.md", None],
        before=3,
    )
    read = read_questions("表.xlsx", data)
    assert read.ignored == ("备注",)
    assert read.questions.questions == (
        Question(
            "7",
            "年假几天？",
            relevant=(Label("年假.docx", "每年15天"), Label("手册.pdf", page=3, need=2)),
            as_of=date(2026, 3, 1),
        ),
        Question("1", "食堂在哪？", as_of=date(2026, 3, 2), refuse=True),
        Question("2", "第三个？", relevant=(Label("制度.md"),), as_of=date(2026, 3, 3)),
    )


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_tables_in_the_encodings_and_delimiters_of_spreadsheets(encoding: str, delimiter: str) -> None:
    stream = io.StringIO(newline="")
    rows = [["问题", "要点", "As of"], ["年假几天，\n怎么申请；多久？", "15天|十五天\n提前3个工作日", "2026/3/1"]]
    csv.writer(stream, delimiter=delimiter).writerows(rows)
    read = read_questions("q.csv", stream.getvalue().encode(encoding))
    assert read.questions.questions == (
        Question(
            "1",
            "年假几天，\n怎么申请；多久？",
            points=("15天|十五天", "提前3个工作日"),
            as_of=date(2026, 3, 1),
        ),
    )


def test_json_lists_and_lines_are_told_apart_by_content() -> None:
    one, two = {"id": "a", "question": "甲？"}, {"question": "乙？", "note": 1, "relevant": ["b.pdf"]}
    lines = "\n\n".join(json.dumps(q) for q in (one, two)).encode()
    for name, data in (("q.txt", lines), ("q.csv", json.dumps([one, two], indent=1).encode()), ("q.json", lines)):
        read = read_questions(name, data)
        expected = (Question("a", "甲？"), Question("1", "乙？", relevant=(Label("b.pdf"),)))
        assert read.questions.questions == expected
        assert read.ignored == ("note",)


def test_numbers_given_to_questions_are_nobodys() -> None:
    rows = [["", "甲？"], ["1", "乙？"], ["", "丙？"], ["3", "丁？"]]
    assert [q.id for q in from_table_rows("s", ["id", "question"], rows).questions] == ["2", "1", "4", "3"]


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("q.jsonl", b'{"question": "a"}\n\n{"question": ""}', ["line 3", "question"]),
        ("q.jsonl", b'{"question": "a"}\n{"question": ', ["line 2", "JSON"]),
        ("q.jsonl", b'{"question": "a", "relevant": [{"document": "d", "page": 0}]}', ["line 1", "page"]),
        ("q.jsonl", b'{"question": "a", "relevant": [{"document": "d", "pages": 1}]}', ["line 1", "relevant"]),
        ("q.jsonl", b'{"question": "a", "relevant": [{"document": "\\u200b"}]}', ["line 1", "relevant"]),
        ("q.jsonl", b'{"question": "a", "refuse": "perhaps"}', ["line 1", "refuse"]),
        ("q.jsonl", b'{"question": "a", "refuse": true, "points": ["x"]}', ["line 1", "refuse"]),
        ("q.jsonl", b'{"question": "a", "as_of": "2026-02-30"}', ["line 1", "as_of"]),
        ("q.jsonl", b'{"question": "a", "points": {"x": 1}}', ["line 1", "points"]),
        ("q.jsonl", json.dumps({"question": "a", "points": ["x"] * 201}).encode(), ["line 1", "points"]),
        ("q.jsonl", json.dumps({"question": "a", "points": ["x" * 2001]}).encode(), ["line 1", "points"]),
        ("q.jsonl", json.dumps({"question": "x" * 1001}).encode(), ["line 1", "question"]),
        ("q.json", b'[{"question": "a"}, 7]', ["item 2", "object"]),
        ("q.json", b"[" * 100_000, ["JSON"]),
        ("q.json", b"[" + b"9" * 5000 + b"]", ["JSON"]),
        ("q.csv", "问题,类别\n甲？,x\n,y".encode(), ["row 3", "question"]),
        ("q.csv", b"question,refuse\na,yes\nb,maybe", ["row 3", "refuse"]),
        ("q.csv", b"question,relevant\na,:: x", ["row 2", "relevant", "document"]),
        ("q.csv", "问题,题目\n甲？,x".encode(), ["question", "two columns"]),
        ("q.csv", b"a,b\n1,2", ["question"]),
        ("q.csv", b'question,points\n"a,b', ["quotation"]),
        ("q.csv", b"question,points\n" + b"x" * 200_000, ["field larger"]),
        ("q.csv", b"id,question\na,x\na,y", ["'a'", "more than once"]),
        ("q.csv", b"question\n", ["no question"]),
        ("q.csv", b"", ["question"]),
        ("q.xlsx", book(), ["question"]),
        ("q.xlsx", book(["问题", "日期"], ["甲？", 3]), ["row 2", "as_of"]),
        ("q.csv", b"x" * (MOST_BYTES + 1), ["10 MB"]),
        ("q.jsonl", b'{"question": "a"}\n' * (MOST_QUESTIONS + 1), ["1,000"]),
        ("q.csv", b"question\n" + b"a\n" * (MOST_QUESTIONS + 1), ["1,000"]),
        ("q.csv", b"question\n" + b"\n" * (MOST_ROWS + 1), ["20,000"]),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_named(name: str, data: bytes, expected: list[str]) -> None:
    with pytest.raises(QuestionError) as caught:
        read_questions(name, data)
    for part in (name, *expected):
        assert part in str(caught.value)
    chinese = caught.value.message("zh")
    assert name in chinese and chinese != str(caught.value)
    assert not re.search(r", (?:row|line|item) \d", chinese)


def test_any_bytes_are_questions_or_a_plain_error(seeds) -> None:
    for seed in seeds(300):
        rng = random.Random(seed)
        data = bytearray(rng.choice(list(WRITERS.values()))(random_set(rng)))
        for _ in range(rng.randint(1, 6)):
            at = rng.randrange(len(data))
            data[at : at + rng.choice((0, 1, 30))] = rng.randbytes(rng.choice((0, 1, 5)))
        try:
            assert read_questions(rng.choice(("q.csv", "q.xlsx", "q.jsonl", "")), bytes(data)).questions.questions
        except RagError:
            continue


def test_a_workbook_that_unpacks_to_far_more_is_refused() -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b"<a>" + b" " * 50_000_000)
    with pytest.raises(UnsafeFile):
        read_questions("q.xlsx", stream.getvalue())
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("other.xml", b"<a/>")
    with pytest.raises(LoadError):
        read_questions("q.xlsx", stream.getvalue())


def test_a_stray_cell_far_away_costs_nothing() -> None:
    source = Workbook()
    sheet = source.worksheets[0]
    sheet.append(["问题"])
    sheet.append(["甲？"])
    sheet["XFD15000"] = "x"
    stream = io.BytesIO()
    source.save(stream)
    assert read_questions("q.xlsx", stream.getvalue()).questions.questions == (Question("1", "甲？"),)


def test_the_built_in_set_survives_every_format() -> None:
    samples = sample_set()
    assert samples.name == "sample"
    assert len(samples.questions) >= 200
    assert sum(q.expects == "refusal" for q in samples.questions) >= 20
    for kind, write in WRITERS.items():
        assert read_questions(f"s.{kind}", write(samples)).questions.questions == samples.questions


def test_a_set_is_bounded_and_its_ids_differ() -> None:
    many = tuple(Question(str(i), "q") for i in range(MOST_QUESTIONS + 1))
    assert len(QuestionSet("s", many[1:]).questions) == MOST_QUESTIONS
    with pytest.raises(QuestionError, match="1,001"):
        QuestionSet("s", many)
    with pytest.raises(QuestionError, match="'1'"):
        QuestionSet("s", (many[1], many[1]))


def test_what_a_right_outcome_is_follows_from_what_is_given() -> None:
    assert Question("1", "q").expects == "unknown"
    assert Question("1", "q", points=("a",)).expects == "answer"
    assert Question("1", "q", relevant=(Label("d"),)).expects == "answer"
    assert Question("1", "q", refuse=True).expects == "refusal"
