"""One question ↔ the texts of a table's row: which column is which field, and how labels are written in a cell."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rag.corpus.clean import clean_line, clean_text
from rag.errors import Language, QuestionError
from rag.evaluate.questions import FIELDS, Label, Question, place_zh

# What a column may be called beside the field's own name; the first is what a Chinese table is written with.
_CALLED: Mapping[str, tuple[str, ...]] = {
    "id": ("编号", "序号"),
    "question": ("问题", "题目", "提问"),
    "category": ("类别", "分类"),
    "relevant": ("依据", "相关", "出处"),
    "points": ("要点", "答案要点"),
    "never": ("禁止", "不得出现"),
    "history": ("上文", "此前问题"),
    "as_of": ("日期", "截至日期"),
    "groups": ("分组", "权限组"),
    "refuse": ("应拒答", "拒答"),
    "draft": ("草稿",),
}
_FIELD_OF = {called: field for field, names in _CALLED.items() for called in (field, *names)}
_LISTS = ("points", "never", "history", "groups")
_FLAGS = ("refuse", "draft")
_TRUE: Mapping[Language, str] = {"zh": "是", "en": "yes"}

_NEED = re.compile(r"(\d{1,7})(?:[*＊×](\d{1,7}))?[>＞]\s*")
_PAGE = re.compile(r"\s*[#＃]\s*(\d{1,7})$")
_QUOTE = re.compile(r"\s*(?:::|：：)\s*")


@dataclass(frozen=True, slots=True)
class Columns:
    """The field of each column, "" for one that is none, and the names of those that are none."""

    fields: tuple[str, ...]
    ignored: tuple[str, ...]


def header(language: Language) -> list[str]:
    """The column names of a whole table, in the order of `FIELDS`."""
    return [_CALLED[field][0] if language == "zh" else field for field in FIELDS]


def columns(where: str, names: Sequence[str]) -> Columns:
    """What each column of a header row holds. Raises `QuestionError` without a question column or with two of a kind.

    >>> columns("q.csv", ["编号", "Question", "备注"])
    Columns(fields=('id', 'question', ''), ignored=('备注',))
    """
    lines = [clean_line(name) for name in names]
    fields = tuple(_FIELD_OF.get(line.lower().replace(" ", "_"), "") for line in lines)
    if "question" not in fields:
        raise QuestionError(
            en=f"{where}: no column is called question (or 问题). Columns: {', '.join(header('en'))}; the first row names them.",
            zh=f"{place_zh(where)}：没有名为「问题」的列。首行应为列名，可用：{'、'.join(header('zh'))}。",
        )
    twice = next((field for field in fields if field and fields.count(field) > 1), "")
    if twice:
        raise QuestionError(
            en=f"{where}: two columns hold {twice}. Keep one of them.",
            zh=f"{place_zh(where)}：有两列都是「{_CALLED[twice][0]}」（{twice}），请只保留一列。",
        )
    return Columns(fields, tuple(line for line, field in zip(lines, fields, strict=True) if line and not field))


def record_from(fields: Sequence[str], cells: Sequence[str], where: str) -> dict[str, Any] | None:
    """The record `rag.evaluate.questions.question_from` reads, from one row; None when all its cells are empty.

    `where` names file and row in an error. Several values in a cell stand one on each line.
    """
    texts = {field: clean_text(cell).strip() for field, cell in zip(fields, cells, strict=False) if field}
    if not any(texts.values()):
        return None
    record: dict[str, Any] = dict(texts)
    for field in _LISTS:
        record[field] = _lines(texts.get(field, ""))
    record["relevant"] = [label_from(line, where) for line in _lines(texts.get("relevant", ""))]
    return record


def cells_of(question: Question, language: Language) -> list[str]:
    """One text per column of `header`; `record_from` and `question_from` give the same question back."""
    texts = {
        "id": question.id,
        "question": question.question,
        "category": question.category,
        "relevant": "\n".join(label_cell(label) for label in question.relevant),
        "as_of": question.as_of.isoformat() if question.as_of else "",
        "groups": "\n".join(sorted(question.groups or ())),
    }
    texts |= {field: "\n".join(getattr(question, field)) for field in ("points", "never", "history")}
    texts |= {field: _TRUE[language] if getattr(question, field) else "" for field in _FLAGS}
    return [texts[field] for field in FIELDS]


def label_cell(label: Label) -> str:
    """A label on one line: ``need> document #page :: quote``; what is usual is left out. A grade stands behind the need.

    A document whose name could be read otherwise is put in double quotes, as in JSON.

    >>> label_cell(Label("年假.docx", "每年15天", need=2)), label_cell(Label("a.pdf", page=3)), label_cell(Label("a :: b"))
    ('2> 年假.docx :: 每年15天', 'a.pdf #3', '"a :: b"')
    >>> label_cell(Label("a.txt", grade=3))
    '1*3> a.txt'
    """
    name = label.document
    if _NEED.match(name) or _PAGE.search(name) or _QUOTE.search(name) or name.startswith('"'):
        name = json.dumps(name, ensure_ascii=False)
    graded = f"*{label.grade}" if label.grade != 1 else ""
    need = f"{label.need}{graded}> " if label.need != 1 or graded else ""
    page = f" #{label.page}" if label.page is not None else ""
    return f"{need}{name}{page}{f' :: {label.quote}' if label.quote else ''}"


def label_from(line: str, where: str) -> dict[str, Any]:
    """The record of a label as `label_cell` writes it; full-width ``＃ ＞ ：：`` are understood too.

    >>> label_from("2> 年假.docx #3 ：： 每年15天", "q.csv, row 2")
    {'document': '年假.docx', 'quote': '每年15天', 'need': 2, 'page': 3}
    """
    need = _NEED.match(line)
    rest = line[need.end() :] if need else line
    quoted, rest = _quoted(rest)
    found = _QUOTE.search(rest)
    head, quote = (rest[: found.start()], rest[found.end() :]) if found else (rest, "")
    page = _PAGE.search(head)
    document = quoted or (head[: page.start()] if page else head).strip()
    if not document:
        raise QuestionError(
            en=f"{where}: field relevant: {line[:60]!r} names no document. Write: document :: quote, or document #page.",
            zh=f"{place_zh(where)}：字段 relevant（依据）：{line[:60]!r} 没有写文档名。写法：文档名 :: 原文，或 文档名 #页码。",
        )
    record: dict[str, Any] = {"document": document, "quote": quote, "need": int(need[1]) if need else 1}
    if need and need[2]:
        record["grade"] = int(need[2])
    if page:
        record["page"] = int(page[1])
    return record


def _quoted(text: str) -> tuple[str, str]:
    """A name in double quotes at the start, and what follows it; an empty name when there is none."""
    if text.startswith('"'):
        try:
            name, end = json.JSONDecoder().raw_decode(text)
        except ValueError:  # a name may well begin with a quotation mark
            return "", text
        head = _QUOTE.split(text[end:], maxsplit=1)[0]
        if not head.strip() or _PAGE.fullmatch(head):
            return str(name), text[end:]
    return "", text


def _lines(text: str) -> list[str]:
    return [line for part in text.split("\n") if (line := clean_line(part))]
