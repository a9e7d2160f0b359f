"""A retrieval collection on disk (corpus, queries, qrels, as BEIR lays them out) → documents and questions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rag.corpus.clean import clean_line, clean_text
from rag.corpus.load.metadata import LONGEST_NAME, document_key, identifier
from rag.evaluate.json_lines import lines, records, wrong
from rag.evaluate.questions import MOST_QUESTIONS, Label, Question, QuestionSet, question_from
from rag.types import Document

_LONGEST_VALUE = 20
_MOST_VALUES = 6
"""Of a field of the queries that makes subsets: short values, and few that differ."""

Judgements = Mapping[str, Mapping[str, int]]
"""Query id → document id → how relevant, > 0."""


@dataclass(frozen=True, slots=True)
class Subset:
    """Queries that say the same in one field of their own: `name` is ``field=value``, `ids` are theirs, at least one."""

    name: str
    ids: frozenset[str]


@dataclass(frozen=True, slots=True)
class Collection:
    """Documents for `rag.corpus.index.build`, and questions whose labels name whole documents by their doc_id.

    A question's relevant documents are alternatives: one of them in the prompt is evidence. Documents are ranked by
    their best chunk, and `Label.grade` is what the judgement says. `subsets`: of the queries, by each further field of
    theirs that is true or false, or a word with few different values.
    """

    documents: tuple[Document, ...]
    questions: QuestionSet
    subsets: tuple[Subset, ...] = ()


def read_collection(folder: Path, limit: int | None) -> Collection:
    """The collection in `folder`.

    `corpus.jsonl`: objects with ``_id`` or ``id``, ``title`` (may be missing) and ``text``; `queries.jsonl`: ``_id`` or
    ``id`` and ``text``; `qrels.tsv`, else `qrels/test.tsv`, else the only file in `qrels/`: query, document and grade
    (TREC's four columns too), with or without a header. `limit`: only the first so many queries that have a relevant
    document; None: all of them. A relevant document that the corpus lacks stays a label, and is found missing.

    Raises:
        QuestionError: naming file and line; also more than `MOST_QUESTIONS` queries without a lower limit.
    """
    documents = tuple(_documents(folder / "corpus.jsonl"))
    judged = _judgements(_qrels(folder))
    questions = _questions(folder / "queries.jsonl", judged, limit)
    asked = frozenset(question.id for question in questions)
    subsets = _subsets(folder / "queries.jsonl", asked)
    return Collection(documents, QuestionSet(folder.resolve().name, questions), subsets)


def collection_folders(folder: Path) -> tuple[Path, ...]:
    """`folder` when it holds a collection, else the folders in it that do, by name; raises `QuestionError` when none does."""
    if (folder / "corpus.jsonl").is_file():
        return (folder,)
    found = tuple(sorted(path.parent for path in folder.glob("*/corpus.jsonl") if path.is_file()))
    if not found:
        raise wrong(
            str(folder),
            "there is no corpus.jsonl in it, nor in a folder in it. Name a folder that holds corpus.jsonl, queries.jsonl and qrels.tsv",
            "其中及其下一级文件夹中都没有 corpus.jsonl。请指定一个包含 corpus.jsonl、queries.jsonl 和 qrels.tsv 的文件夹",
        )
    return found


def _documents(path: Path) -> Iterator[Document]:
    seen: set[str] = set()
    for where, record in records(path):
        doc_id = identifier(_field(record, where, "_id", "id"))
        if not doc_id or doc_id in seen:
            raise wrong(where, f"the id {doc_id!r} is empty or was there before", f"编号 {doc_id!r} 为空或重复")
        seen.add(doc_id)
        title = clean_line(_field(record, where, "title", needed=False))[:LONGEST_NAME]
        text = clean_text(_field(record, where, "text"))
        if not text:  # one that is only a title is searched by it
            title, text = "", title
        yield Document(doc_id, "", document_key(doc_id, "", text), "own", title, path.name, text)


def _questions(path: Path, judged: Judgements, limit: int | None) -> tuple[Question, ...]:
    if limit is not None and not 1 <= limit <= MOST_QUESTIONS:
        raise wrong(f"limit {limit}", f"must be within 1–{MOST_QUESTIONS}", f"应在 1–{MOST_QUESTIONS} 之间")
    questions: list[Question] = []
    names: set[str] = set()
    for where, record in records(path):
        asked = question_from(
            {"id": _field(record, where, "_id", "id"), "question": _field(record, where, "text")}, where, ""
        )
        names.add(asked.id)
        if asked.id in judged and (limit is None or len(questions) < limit):
            labels = tuple(Label(document, grade=grade) for document, grade in judged[asked.id].items())
            questions.append(replace(asked, relevant=labels))
    if len(questions) > MOST_QUESTIONS:
        raise wrong(
            path.name,
            f"{len(questions):,} queries with a relevant document, at most {MOST_QUESTIONS:,} are run. Give a limit: the first so many are taken",
            f"有相关文档的查询共 {len(questions):,} 个，最多运行 {MOST_QUESTIONS:,} 个。请给出上限，只取前若干个",
        )
    unknown = next((name for name in judged if name not in names), None)
    if unknown is not None or not questions:
        raise wrong(path.name, f"the judged query {unknown!r} is not in it", f"缺少已标注的查询 {unknown!r}")
    return tuple(questions)


def _subsets(path: Path, asked: frozenset[str]) -> tuple[Subset, ...]:
    """The subsets of the queries `asked`, field by field in the order of their names, and so the values of each."""
    ids: dict[str, dict[str, set[str]]] = {}
    refused = {"_id", "id", "text"}
    for where, record in records(path):
        name = clean_line(_field(record, where, "_id", "id"))
        for key, value in record.items() if name in asked else ():
            field, written = clean_line(key), clean_line(str(value))
            if not isinstance(value, bool | str | None) or max(len(field), len(written)) > _LONGEST_VALUE:
                refused.add(field)
            elif value is not None and written:
                ids.setdefault(field, {}).setdefault(written, set()).add(name)
    return tuple(
        Subset(f"{field}={value}", frozenset(values[value]))
        for field, values in sorted(ids.items())
        if field not in refused and 2 <= len(values) <= _MOST_VALUES
        for value in sorted(values)
    )


def _qrels(folder: Path) -> Path:
    for path in (folder / "qrels.tsv", folder / "qrels" / "test.tsv"):
        if path.is_file():
            return path
    found = sorted((folder / "qrels").glob("*.tsv"))
    if len(found) != 1:
        raise wrong(
            str(folder),
            f"{len(found)} files of judgements. Put the one to use there as qrels.tsv",
            f"有 {len(found)} 个标注文件，请把要用的一个放在该处并命名为 qrels.tsv",
        )
    return found[0]


def _judgements(path: Path) -> Judgements:
    judged: dict[str, dict[str, int]] = {}
    for n, line in lines(path):
        cells = [clean_line(cell) for cell in (line.split("\t") if "\t" in line else line.split())]
        query, document, grade = (cells[0], *cells[-2:]) if len(cells) in (3, 4) else ("", "", "")
        try:
            value = int(grade)
        except ValueError as error:
            if n == 1 and query:  # the header
                continue
            raise wrong(
                f"{path.name}, line {n}", "expected query, document and a whole number", "应为查询、文档和一个整数三列"
            ) from error
        if value > 0:
            judged.setdefault(query, {})[identifier(document)] = value
    if not judged:
        raise wrong(path.name, "no document is relevant to any query", "没有任何查询有相关文档")
    return judged


def _field(record: Mapping[str, Any], where: str, *names: str, needed: bool = True) -> str:
    """The first of the fields `names` that is there, as a text."""
    value = next((record[name] for name in names if record.get(name) is not None), None)
    if value is None and not needed:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise wrong(where, f"field {' or '.join(names)} must be a text", f"字段 {' 或 '.join(names)} 应为文本")
    return str(value)
