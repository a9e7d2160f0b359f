"""A document as JSON and back, for an index on disk and for what the reading process sends; what comes back is checked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, fields
from datetime import date
from typing import Any, TypeVar, get_args

from rag.errors import Bilingual
from rag.types import Document, Origin, Removed, Section, Stated, Table, Why

T = TypeVar("T")
_DATES = ("effective_from", "effective_to")


def document_json(document: Document) -> dict[str, Any]:
    """`document` as JSON values."""
    record = asdict(document)
    record["groups"] = sorted(document.groups)
    for name in _DATES:
        record[name] = record[name].isoformat() if record[name] else None
    return record


def read_document(record: dict[str, Any]) -> Document:
    """The document that `document_json` wrote.

    Raises `KeyError`, `TypeError` or `ValueError` when `record` is anything else: a value of another type, an offset that
    is not in the text or out of order.
    """
    if set(record) != {field.name for field in fields(Document)}:
        raise ValueError("not the fields of a document")
    n = len(_as(str, record["text"]))
    document = Document(
        doc_id=_as(str, record["doc_id"]),
        version=_as(str, record["version"]),
        key=_as(str, record["key"]),
        origin=_one_of(record["origin"], get_args(Origin)),
        title=_as(str, record["title"]),
        source=_as(str, record["source"]),
        text=record["text"],
        pages=tuple(_as(int, start) for start in _as(list, record["pages"])),
        sections=tuple(Section(_as(int, s["start"]), _strings(s["path"])) for s in _as(list, record["sections"])),
        effective_from=_date(record["effective_from"]),
        effective_to=_date(record["effective_to"]),
        groups=frozenset(_strings(record["groups"])),
        file=_as(str, record["file"]),
        warnings=tuple(_bilingual(w) for w in _as(list, record["warnings"])),
        tables=tuple(
            Table(_as(int, t["start"]), _as(int, t["end"]), _as(str, t["header"])) for t in _as(list, record["tables"])
        ),
        removed=tuple(_removed(r) for r in _as(list, record["removed"])),
        reading=_bilingual(record["reading"]),
        stated=tuple((_as(str, name), _one_of(who, get_args(Stated))) for name, who in _as(list, record["stated"])),
    )
    _in_order(document.pages, n)
    _in_order((s.start for s in document.sections), n)
    _in_order((offset for t in document.tables for offset in (t.start, t.end)), n)
    _in_order((r.at for r in document.removed), n)
    return document


def _date(value: Any) -> date | None:
    return None if value is None else date.fromisoformat(_as(str, value))


def _removed(record: dict[str, Any]) -> Removed:
    page = record["page"]
    return Removed(
        _as(int, record["at"]),
        _as(str, record["text"]),
        _one_of(record["why"], get_args(Why)),
        None if page is None else _as(int, page),
    )


def _bilingual(record: dict[str, Any]) -> Bilingual:
    return Bilingual(_as(str, record["en"]), _as(str, record["zh"]))


def _strings(values: Any) -> tuple[str, ...]:
    return tuple(_as(str, value) for value in _as(list, values))


def _as(kind: type[T], value: Any) -> T:
    if type(value) is not kind:
        raise TypeError(f"{type(value).__name__} in place of {kind.__name__}")
    return value


def _one_of(value: Any, allowed: tuple[Any, ...]) -> Any:
    if value not in allowed:
        raise ValueError("a value that is not one of those allowed")
    return value


def _in_order(offsets: Iterable[int], n: int) -> None:
    last = 0
    for offset in offsets:
        if not last <= offset <= n:
            raise ValueError(f"offset {offset} is out of order or not in the text")
        last = offset
