"""Files of questions with frozen documents → cases: what is asked, what is packed, and what a right answer says."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, Final, Literal

from rag.corpus.clean import clean_line, clean_text
from rag.corpus.load.metadata import LONGEST_NAME, as_date, document_key, identifier
from rag.errors import QuestionError
from rag.evaluate.json_lines import records, wrong
from rag.types import Document

FILES: Final = ("rgb_zh.jsonl", "version_conflict.jsonl", "injection.jsonl")
Kind = Literal[
    "noise", "reject", "int", "counterfactual", "conflict", "version", "injection", "clean", "sample", "sample-none"
]
"""What a case is for: evidence among noise, evidence that does not hold the answer, an answer spread over several documents, a falsehood in
every document that speaks of it or in some, two versions, an order hidden in a document, the same without it, the sample questions."""
Split = Literal["look", "report", "all"]
_TASKS: Final[Mapping[str, Kind]] = {k: k for k in ("noise", "reject", "int", "counterfactual", "conflict")}
_PARTS: Final = 3
"""One part of so many is to look at, the others only to report."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an answer is judged by.

    `groups`: a right answer holds of each group one text; `never`: what it does not hold; `stale`: what may only be
    named as what once was; `canary`: what an order in the evidence wants said; `other`: the value that contradicts the
    answer in the evidence. Empty where a case has no such thing.
    """

    groups: tuple[tuple[str, ...], ...]
    never: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    canary: str = ""
    other: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """A question over given documents, packed in this order.

    `noise`: the share of documents without the answer that the file states (0…1). `source`: cases with the same one ask
    the same. `look`: of the third that may be looked at. `gold`: keys of the documents that hold the answer. `old`:
    dates (ISO) of the versions that are no longer in force.
    """

    id: str
    kind: Kind
    noise: float
    source: str
    look: bool
    question: str
    wanted: Wanted
    documents: tuple[Document, ...]
    gold: frozenset[str]
    old: tuple[str, ...] = ()

    @property
    def row(self) -> str:
        """The cases that are counted together: the kind, and the noise where a kind has several."""
        return f"{self.kind} {self.noise:g}" if self.kind in ("noise", "int") else self.kind


def read_cases(folder: Path) -> tuple[Case, ...]:
    """The cases of the files of `FILES` that are in `folder`, one of them at least; raises `QuestionError` naming file and line.

    A case is to look at when its ``src`` divides by 3, without one when the CRC-32 of its question does; cases that ask
    the same are on the same side. Every injection is a second case too, with the order cut out.
    """
    present = [folder / name for name in FILES if (folder / name).is_file()]
    if not present:
        names = ", ".join(FILES)
        raise wrong(str(folder), f"there is none of {names} in it", f"其中没有 {names} 中的任何一个")
    rows = [(path.name, where, record) for path in present for where, record in records(path)]
    sources = {str(record.get("query")): record["src"] for *_, record in rows if isinstance(record.get("src"), int)}
    cases = [case for name, where, record in rows for case in _cases(name, where, record, sources)]
    seen: set[str] = set()
    for case in cases:
        if case.id in seen:
            raise wrong(str(folder), f"the id {case.id!r} occurs more than once", f"编号 {case.id!r} 重复")
        seen.add(case.id)
    return tuple(cases)


def chosen(cases: Sequence[Case], split: Split, limit: int | None) -> tuple[Case, ...]:
    """Those of `split`, at most `limit` of each row evenly thinned, the rows in turns so that an early end leaves some of each."""
    if limit is not None and limit < 1:
        raise QuestionError(en=f"--limit {limit}: must be 1 or more.", zh=f"--limit {limit}：应不小于 1。")
    rows: dict[str, list[Case]] = {}
    for case in cases:
        if split == "all" or case.look == (split == "look"):
            rows.setdefault(case.row, []).append(case)
    kept = [_thinned(row, limit or len(row)) for row in rows.values()]
    longest = max(map(len, kept), default=0)
    return tuple(row[i] for i in range(longest) for row in kept if i < len(row))


def _thinned(cases: Sequence[Case], n: int) -> Sequence[Case]:
    return cases if len(cases) <= n else [cases[i * len(cases) // n] for i in range(n)]


def _cases(name: str, where: str, record: Mapping[str, Any], sources: Mapping[str, int]) -> Iterator[Case]:
    kind = _kind(name, where, record)
    question = clean_text(_text(record, "query", where)).strip()
    source = sources.get(_text(record, "query", where))
    groups = _groups(record, where, kind)
    case = Case(
        id=_text(record, "id", where),
        kind=kind,
        noise=_share(record, where),
        source=question if source is None else str(source),
        look=(zlib.crc32(question.encode()) if source is None else source) % _PARTS == 0,
        question=question,
        wanted=Wanted(
            groups,
            never=tuple(_texts(record, "fake", where)),
            stale=tuple(_texts(record, "stale_answer", where)),
            canary=_text(record, "canary", where) if kind == "injection" else "",
            other=next(iter(_texts(record, "fake", where)), ""),
        ),
        documents=(),
        gold=frozenset(),
    )
    attack = _text(record, "attack", where) if kind == "injection" else ""
    yield _with_documents(case, record, where, "")
    if attack:
        clean = replace(case, id=f"{case.id}/clean", kind="clean", wanted=replace(case.wanted, canary=""))
        yield _with_documents(clean, record, where, attack)


def _with_documents(case: Case, record: Mapping[str, Any], where: str, without: str) -> Case:
    """`case` over the record's documents, the words `without` cut out of them."""
    found = record.get("docs")
    if not isinstance(found, list) or not found or not all(isinstance(one, Mapping) for one in found):
        raise wrong(where, "docs must be a list of objects with text", "docs 应为含 text 的对象列表")
    written = [_text(one, "text", where) for one in found]
    if without and sum(text.count(without) for text in written) == 0:
        raise wrong(where, "no text of docs holds the attack", "docs 的文本中没有 attack")
    documents: list[Document] = []
    gold, old = [], []
    for n, (one, text) in enumerate(zip(found, written, strict=True)):
        # what stood around the order stands next to each other then, as it would without it
        document = _document(one, record, n, clean_text(text.replace(without, "\n") if without else text), where)
        documents.append(document)
        if one.get("gold") or one.get("current"):
            gold.append(document.key)
        if one.get("current") is False and document.effective_from:
            old.append(document.effective_from.isoformat())
    return replace(case, documents=tuple(documents), gold=frozenset(gold), old=tuple(old))


def _document(one: Mapping[str, Any], record: Mapping[str, Any], n: int, text: str, where: str) -> Document:
    """One of a case's documents. Those with a date are versions of what the case names in ``law``."""
    if not text.strip():
        raise wrong(where, f"document {n + 1} holds no text", f"第 {n + 1} 个文档没有文本")
    title = clean_line(str(one.get("title") or ""))[:LONGEST_NAME]
    day: date | None = as_date(str(one.get("date") or ""))
    law = identifier(str(record.get("law") or ""))
    doc_id, version = (law, day.isoformat()) if day and law else (f"d{n + 1}", "")
    key = document_key(doc_id, version, text)
    return Document(doc_id, version, key, "own", title, title or f"d{n + 1}", text, effective_from=day)


def _kind(name: str, where: str, record: Mapping[str, Any]) -> Kind:
    if name == "version_conflict.jsonl":
        return "version"
    if name == "injection.jsonl":
        return "injection"
    task = record.get("task")
    if not isinstance(task, str) or task not in _TASKS:
        raise wrong(where, f"task must be one of {', '.join(_TASKS)}", f"task 应为 {'、'.join(_TASKS)} 之一")
    return _TASKS[task]


def _groups(record: Mapping[str, Any], where: str, kind: Kind) -> tuple[tuple[str, ...], ...]:
    """The groups of ``answer``: a text, or a list of groups; a group that is a list holds alternatives.

    Of a version question a list of texts is one group: the ways to write the value.
    """
    answer = record.get("answer")
    items = [answer] if isinstance(answer, str) else answer
    if not isinstance(items, list) or not items:
        raise wrong(where, "answer must be a text or a list", "answer 应为文本或列表")
    if kind == "version" and all(isinstance(item, str) for item in items):
        items = [items]
    groups = [(item,) if isinstance(item, str) else tuple(item) if isinstance(item, list) else () for item in items]
    if not all(group and all(isinstance(text, str) and text.strip() for text in group) for group in groups):
        raise wrong(where, "answer holds an empty group or something that is no text", "answer 中有空组或非文本")
    return tuple(groups)


def _share(record: Mapping[str, Any], where: str) -> float:
    value = record.get("noise") or 0
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise wrong(where, "noise must be within 0–1", "noise 应在 0–1 之间")
    return float(value)


def _texts(record: Mapping[str, Any], name: str, where: str) -> list[str]:
    value = record.get(name)
    items = [] if value is None else value if isinstance(value, list) else [value]
    if not all(isinstance(item, str) and item.strip() for item in items):
        raise wrong(where, f"{name} must be a text or a list of texts", f"{name} 应为文本或文本列表")
    return items


def _text(record: Mapping[str, Any], name: str, where: str) -> str:
    value = record.get(name)
    if not isinstance(value, str) or not value.strip():
        raise wrong(where, f"{name} must be a text", f"{name} 应为文本")
    return value
