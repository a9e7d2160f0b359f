"""JSON: a list of objects with doc_id, title, version, source and text; every object is a document."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from datetime import date
from typing import Any

from rag.corpus.clean import clean_line, clean_text
from rag.corpus.load.builder import Meta, Parsed, TextBuilder
from rag.corpus.load.decoded import Decoded
from rag.corpus.load.encoding import decode
from rag.corpus.load.headings import add_lines
from rag.corpus.load.metadata import LONGEST_NAME, as_date, identifier
from rag.errors import Bilingual, LoadError

FIELDS = ("doc_id", "title", "version", "source", "text")
# Each becomes a document of its own; this many are read in half a second.
MAX_ITEMS = 10_000
_DATES = ("effective_from", "effective_to")
_KINDS = {dict: "an object", list: "a list", str: "a string", int: "a number", float: "a number", bool: "true/false"}


def parse(name: str, data: bytes) -> tuple[Parsed, ...]:
    """One `Parsed` per object of the list; a single object counts as a list of one.

    Raises:
        LoadError: naming the index and the field that is missing or of another type, or more than `MAX_ITEMS`.
    """
    decoded = decode(name, data)
    read = _value(name, decoded.text.lstrip("\ufeff"))
    items = [read] if isinstance(read, dict) else read
    if not isinstance(items, list) or not items:
        raise _no_list(name)
    places = [Bilingual(en=f"item {n}", zh=f"第 {n} 项（从 0 起）") for n in range(min(len(items), MAX_ITEMS + 1))]
    return _documents(name, decoded, list(zip(places, items, strict=False)))


def parse_lines(name: str, data: bytes) -> tuple[Parsed, ...]:
    """One `Parsed` per line, each an object as in the list; empty lines are passed over.

    Raises:
        LoadError: as `parse`, naming the line.
    """
    decoded = decode(name, data)
    items: list[tuple[Bilingual, Any]] = []
    for number, line in enumerate(decoded.text.lstrip("\ufeff").split("\n"), start=1):
        if line.strip() and len(items) <= MAX_ITEMS:
            items.append((Bilingual(en=f"line {number}", zh=f"第 {number} 行"), _value(name, line, number)))
    if not items:
        raise _no_list(name)
    return _documents(name, decoded, items)


def _value(name: str, text: str, line: int = 0) -> Any:
    """What `text` says; `line` is the number of the line it is, 0 for a whole file."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        where = line or error.lineno
        raise LoadError(
            en=f"{name}: not valid JSON at line {where}, column {error.colno}. Correct it there.",
            zh=f"{name}：第 {where} 行第 {error.colno} 列不是合法的 JSON，请在该处改正。",
        ) from error
    except (RecursionError, ValueError) as error:  # nested thousands deep, or a number of thousands of digits
        raise LoadError(
            en=f"{name}: nested too deep or a number too long. Use a plain list of objects.",
            zh=f"{name}：嵌套过深或数字过长，请改为普通的对象列表。",
        ) from error


def _documents(name: str, decoded: Decoded, items: list[tuple[Bilingual, Any]]) -> tuple[Parsed, ...]:
    if len(items) > MAX_ITEMS:
        raise LoadError(
            en=f"{name}: more than {MAX_ITEMS:,} objects, which a file may hold. Split it.",
            zh=f"{name}：超过 {MAX_ITEMS:,} 个对象（一个文件的上限），请拆分。",
        )
    parsed = [_one(name, place, item) for place, item in items]
    _refuse_twins(name, [place for place, _ in items], parsed)
    reading = decoded.as_kind("JSON", "JSON")
    first, *rest = (replace(one, reading=reading) for one in parsed)
    return (replace(first, warnings=(*decoded.warnings, *_of_others(name, [item for _, item in items]))), *rest)


def _of_others(name: str, items: list[dict[str, Any]]) -> tuple[Bilingual, ...]:
    """The warning about fields that say something and are not read: the text of a document is its `text` alone."""
    others = Counter(
        clean_line(key)[:40] for item in items for key in item if key not in (*FIELDS, *_DATES) and item[key]
    )
    if not others:
        return ()
    listed = ", ".join(list(others)[:8]) + (" …" if len(others) > 8 else "")
    number, most = len(items), max(others.values())
    return (
        Bilingual(
            en=f"{name}: fields that are not read: {listed} (in {most} of {number} objects). Put what they say into text.",
            zh=f"{name}：以下字段未读取：{listed}（{number} 个对象中最多 {most} 个含有）。需要检索的内容请写进 text。",
        ),
    )


def _no_list(name: str) -> LoadError:
    return LoadError(
        en=f"{name}: expected a list of objects with {', '.join(FIELDS)}.",
        zh=f"{name}：应为对象列表，每个对象包含 {'、'.join(FIELDS)}。",
    )


def _one(name: str, place: Bilingual, item: Any) -> Parsed:
    if not isinstance(item, dict):
        raise LoadError(
            en=f"{name}: {place.en} is {_kind(item)}, expected an object with {', '.join(FIELDS)}.",
            zh=f"{name}：{place.zh}不是对象，应为包含 {'、'.join(FIELDS)} 的对象。",
        )
    values = {field: _field(name, place, item, field) for field in FIELDS}
    dates = {field: _date(name, place, item, field) for field in _DATES}
    builder = TextBuilder()
    builder.source("\n".join(values.values()))
    add_lines(builder, values["text"])
    meta = Meta(
        title=values["title"],
        doc_id=values["doc_id"],
        version=values["version"],
        source=values["source"],
        effective_from=dates["effective_from"],
        effective_to=dates["effective_to"],
    )
    return builder.parsed(meta)


def _field(name: str, place: Bilingual, item: dict[str, Any], field: str) -> str:
    value = item.get(field)
    if not isinstance(value, str):
        found = ("missing", "缺失") if value is None else (f"{_kind(value)}", "类型不对")
        raise LoadError(
            en=f"{name}: {place.en}, field {field!r} is {found[0]}, expected a string.",
            zh=f"{name}：{place.zh}的字段 {field} {found[1]}，应为字符串。",
        )
    if not clean_text(value).strip():
        raise LoadError(
            en=f"{name}: {place.en}, field {field!r} is empty. Give it a value.",
            zh=f"{name}：{place.zh}的字段 {field} 是空的，请填写。",
        )
    if field in ("doc_id", "version") and identifier(value) != value:
        raise LoadError(
            en=f"{name}: {place.en}, field {field!r} must be one line of at most {LONGEST_NAME} characters "
            "without control characters or blanks around it.",
            zh=f"{name}：{place.zh}的字段 {field} 应为一行、不超过 {LONGEST_NAME} 个字符，不含控制字符，前后无空格。",
        )
    return value


def _date(name: str, place: Bilingual, item: dict[str, Any], field: str) -> date | None:
    value = item.get(field)
    if value is None:
        return None
    found = as_date(value) if isinstance(value, str) else None
    if found is None:
        raise LoadError(
            en=f"{name}: {place.en}, field {field!r} is no date. Write it as 2026-10-01 or leave it out.",
            zh=f"{name}：{place.zh}的字段 {field} 不是日期，请写成 2026-10-01 或删去。",
        )
    return found


def _refuse_twins(name: str, places: list[Bilingual], parsed: list[Parsed]) -> None:
    seen: dict[tuple[str, str], Bilingual] = {}
    for place, one in zip(places, parsed, strict=True):
        identity = (one.meta.doc_id, one.meta.version)
        other = seen.setdefault(identity, place)
        if other is not place:
            raise LoadError(
                en=f"{name}: {other.en} and {place.en} have the same doc_id and version {identity}. "
                "Give one of them another version.",
                zh=f"{name}：{other.zh}与{place.zh}的 doc_id 和 version 相同（{identity[0]}，{identity[1]}），请修改其中一个的版本。",
            )


def _kind(value: Any) -> str:
    return _KINDS.get(type(value), "null")
