"""Questions whose answers are known: what each carries, checked where it is made, and sets of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from rag.config import Limits
from rag.corpus.clean import clean_line, clean_text
from rag.corpus.load.metadata import as_date
from rag.errors import QuestionError

Expects = Literal["answer", "refusal", "unknown"]
MOST_QUESTIONS = 1000
# Of one field of one question; a quote is a passage, not a chapter.
MOST_VALUES = 200
LONGEST_VALUE = 2000
FIELDS = (
    "id", "question", "category", "relevant", "points", "never", "history", "as_of", "groups", "refuse", "draft",
)  # fmt: skip
_LABEL_FIELDS = {"document", "quote", "page", "need", "grade"}
_YES = {"true", "1", "yes", "y", "x", "是", "√"}
_NO = {"", "false", "0", "no", "n", "否"}


@dataclass(frozen=True, slots=True)
class Label:
    """Where (a part of) the answer stands.

    `document`: a file's name, or a document's key, doc_id or title. With a `quote` (white space ignored when it is
    looked up) that passage is meant; else, with a `page` (from 1), that page; else the document. Labels with the same
    `need` are alternatives: one is enough; a question with needs 1 and 2 requires one of each. `grade` > 0 is for
    graded judgements and counts in nDCG only.
    """

    document: str
    quote: str = ""
    page: int | None = None
    need: int = 1
    grade: int = 1


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a set.

    `points`: what a right answer says, each of them; ``a|b`` means either. `never`: what no answer may say.
    `history`: earlier questions of the conversation, oldest first. `as_of`: the day it asks about. `groups`: ask as
    somebody who is only in these. Both can only narrow what the person who runs the set may see. `refuse`: the
    documents do not say; refusing is right. `draft`: made by a model and not yet checked by a person.
    """

    id: str
    question: str
    category: str = ""
    relevant: tuple[Label, ...] = ()
    points: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    history: tuple[str, ...] = ()
    as_of: date | None = None
    groups: frozenset[str] | None = None
    refuse: bool = False
    draft: bool = False

    @property
    def expects(self) -> Expects:
        """What a right outcome is; ``unknown`` when nothing but the question is given."""
        if self.refuse:
            return "refusal"
        return "answer" if self.relevant or self.points else "unknown"


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions with different ids, under a name that is shown."""

    name: str
    questions: tuple[Question, ...]

    def __post_init__(self) -> None:
        if len(self.questions) > MOST_QUESTIONS:
            raise QuestionError(
                en=f"{self.name}: {len(self.questions):,} questions; at most {MOST_QUESTIONS:,}. Split the file.",
                zh=f"{self.name}：共 {len(self.questions):,} 个问题，最多 {MOST_QUESTIONS:,} 个，请拆分。",
            )
        twice = [i for i, n in Counter(q.id for q in self.questions).items() if n > 1]
        if twice:
            raise QuestionError(
                en=f"{self.name}: the id {twice[0]!r} occurs more than once. Give every question its own.",
                zh=f"{self.name}：编号 {twice[0]!r} 重复，请为每个问题使用不同的编号。",
            )

    def categories(self) -> tuple[str, ...]:
        """The categories that occur, in the order of their first question; "" for those without one."""
        return tuple(dict.fromkeys(q.category for q in self.questions))


def question_from(record: Mapping[str, Any], where: str, fallback_id: str) -> Question:
    """A question from one row of a file: JSON values, or the texts a table's cells were read as.

    `where` names file and row in an error; `fallback_id` is the id of a row without one. Fields that are not in
    `FIELDS` are left alone. Texts come out clean (`rag.corpus.clean`), all but the question on one line, so that every
    kind of file can hold them. Raises `QuestionError`.

    >>> question_from({"question": "年假几天？", "points": ["15天|十五天"]}, "q.jsonl, line 1", "1").points
    ('15天|十五天',)
    """
    asked = clean_text(_text(record, "question", where)).strip()
    if not asked or len(asked) > Limits().question_characters:
        raise _bad(
            where,
            "question",
            f"1–{Limits().question_characters} characters",
            f"1–{Limits().question_characters} 个字符",
        )
    relevant = tuple(_label(item, where) for item in _items(record, "relevant", where))
    points = _texts(record, "points", where)
    refuse = _flag(record, "refuse", where)
    if refuse and (relevant or points):
        raise _bad(
            where, "refuse", "true only without relevant and points", "空或 false：有 relevant 或 points 的题不能拒答"
        )
    groups = _texts(record, "groups", where)
    return Question(
        id=_line(record, "id", where) or fallback_id,
        question=asked,
        category=_line(record, "category", where),
        relevant=relevant,
        points=points,
        never=_texts(record, "never", where),
        history=tuple(_earlier(item, where) for item in _items(record, "history", where)),
        as_of=_day(record, where),
        groups=frozenset(groups) if groups else None,
        refuse=refuse,
        draft=_flag(record, "draft", where),
    )


def record_of(question: Question) -> dict[str, Any]:
    """`question` as JSON values, what is empty left out; `question_from` gives the same question back."""
    values: dict[str, Any] = {"id": question.id, "question": question.question}
    if question.category:
        values["category"] = question.category
    if question.as_of is not None:
        values["as_of"] = question.as_of.isoformat()
    if question.groups is not None:
        values["groups"] = sorted(question.groups)
    values |= {name: True for name in ("refuse", "draft") if getattr(question, name)}
    if question.relevant:
        values["relevant"] = [_label_record(label) for label in question.relevant]
    values |= {name: list(v) for name in ("points", "never", "history") if (v := getattr(question, name))}
    return values


def _label_record(label: Label) -> dict[str, Any]:
    plain = Label("")
    return {
        name: getattr(label, name)
        for name in ("document", "quote", "page", "need", "grade")
        if getattr(label, name) != getattr(plain, name)
    }


def _label(item: object, where: str) -> Label:
    if isinstance(item, str):
        item = {"document": item}
    if not isinstance(item, Mapping) or not set(item) <= _LABEL_FIELDS or not _line(item, "document", where):
        fields = ", ".join(sorted(_LABEL_FIELDS))
        raise _bad(
            where,
            "relevant",
            f"a list of documents or of objects with {fields}",
            f"文档名列表，或含 {fields} 的对象列表",
        )
    page = item.get("page")
    return Label(
        _line(item, "document", where),
        _line(item, "quote", where),
        None if page is None else _whole(page, "page", where),
        _whole(item.get("need", 1), "need", where),
        _whole(item.get("grade", 1), "grade", where),
    )


def _earlier(item: object, where: str) -> str:
    """An earlier question; in an object (a chat's turn) the answer beside it is for the reader."""
    asked = item.get("question") if isinstance(item, Mapping) else item
    if not isinstance(asked, str) or not (earlier := _line({"history": asked}, "history", where)):
        raise _bad(where, "history", "a list of earlier questions", "此前问题的列表")
    return earlier


def _items(record: Mapping[str, Any], name: str, where: str) -> Sequence[Any]:
    value = record.get(name)
    if value is None or value == "":
        return ()
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list | tuple) or len(value) > MOST_VALUES:
        raise _bad(where, name, f"a list of at most {MOST_VALUES}", f"不超过 {MOST_VALUES} 项的列表")
    return value


def _texts(record: Mapping[str, Any], name: str, where: str) -> tuple[str, ...]:
    items = _items(record, name, where)
    if not all(isinstance(item, str | int | float) for item in items):
        raise _bad(where, name, "a list of texts", "文本列表")
    return tuple(text for item in items if (text := _line({name: item}, name, where)))


def _text(record: Mapping[str, Any], name: str, where: str) -> str:
    value = record.get(name)
    if value is None:
        return ""
    if not isinstance(value, str | int | float):
        raise _bad(where, name, "a text", "文本")
    return str(value)


def _line(record: Mapping[str, Any], name: str, where: str) -> str:
    line = clean_line(_text(record, name, where))
    if len(line) > LONGEST_VALUE:
        raise _bad(where, name, f"at most {LONGEST_VALUE:,} characters", f"不超过 {LONGEST_VALUE:,} 个字符")
    return line


def _whole(value: object, name: str, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 1_000_000:
        raise _bad(where, name, "a whole number from 1", "从 1 开始的整数")
    return value


def _flag(record: Mapping[str, Any], name: str, where: str) -> bool:
    value = record.get(name)
    word = str(value if value is not None else "").strip().lower()
    if word not in _YES | _NO:
        raise _bad(where, name, "true or false", "true 或 false（是/否）")
    return word in _YES


def _day(record: Mapping[str, Any], where: str) -> date | None:
    written = _line(record, "as_of", where)
    if not written:
        return None
    day = as_date(written)
    if day is None:
        raise _bad(where, "as_of", "a date like 2026-01-31", "形如 2026-01-31 的日期")
    return day


def _bad(where: str, field: str, en: str, zh: str) -> QuestionError:
    return QuestionError(en=f"{where}: field {field} must be {en}.", zh=f"{place_zh(where)}：字段 {field} 应为{zh}。")


def place_zh(where: str) -> str:
    """A place in a file as a Chinese message names it.

    >>> place_zh("题目.csv, row 3"), place_zh("q.json, item 2"), place_zh("q.json")
    ('题目.csv 第 3 行', 'q.json 第 2 项', 'q.json')
    """
    where = re.sub(r", (?:row|line) (\d+)$", r" 第 \1 行", where)
    return re.sub(r", item (\d+)$", r" 第 \1 项", where)
