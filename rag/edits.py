"""What a visitor says of a document, in place of what was read in its file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date

from rag.corpus.clean import clean_line
from rag.corpus.load.metadata import LONGEST_NAME, as_date, document_key
from rag.errors import SettingError
from rag.types import Document, Stated

EDITABLE = ("title", "version", "effective_from", "effective_to")


@dataclass(frozen=True, slots=True)
class Edit:
    """What a visitor says of a document: all four, as they are to be; "" and None are "none".

    Raises `SettingError` for a title without words, for one or a version of more than 200 characters, and for an end
    before the beginning.

    >>> Edit.typed(" 年假制度\\n", "2026-10", "2026年10月1日", "").effective_from
    datetime.date(2026, 10, 1)
    """

    title: str
    version: str = ""
    effective_from: date | None = None
    effective_to: date | None = None

    def __post_init__(self) -> None:
        if not clean_line(self.title):
            raise SettingError(en="The title is empty. Enter one.", zh="标题为空，请填写标题。")
        for en, zh, value in (("title", "标题", self.title), ("version", "版本", self.version)):
            if len(clean_line(value)) > LONGEST_NAME:
                raise SettingError(
                    en=f"The {en} has {len(clean_line(value)):,} characters; at most {LONGEST_NAME}. Shorten it.",
                    zh=f"{zh}有 {len(clean_line(value)):,} 个字符，最多 {LONGEST_NAME} 个，请缩短。",
                )
        if self.effective_from and self.effective_to and self.effective_to < self.effective_from:
            raise SettingError(
                en=f"Effective until {self.effective_to} is before effective from {self.effective_from}. Change one.",
                zh=f"失效日期 {self.effective_to} 早于生效日期 {self.effective_from}，请改正其中一个。",
            )

    @classmethod
    def typed(cls, title: str, version: str, effective_from: str, effective_to: str) -> Edit:
        """From text fields; dates as 2026-10-01, 2026/10/1 or 2026年10月1日. Raises `SettingError` for what is no date."""
        return cls(title, version, _typed_date(effective_from), _typed_date(effective_to))


def edited(document: Document, edit: Edit) -> Document:
    """`document` with what the visitor says of it, and the key that follows from another version.

    What they changed is stated by them, also what they emptied.
    """
    changed: dict[str, str | date | None] = {
        "title": clean_line(edit.title),
        "version": clean_line(edit.version),
        "effective_from": edit.effective_from,
        "effective_to": edit.effective_to,
    }
    changed = {name: value for name, value in changed.items() if value != getattr(document, name)}
    return stated_by_visitor(document, changed)


def stated_by_visitor(document: Document, said: Mapping[str, str | date | None]) -> Document:
    """`document` with fields that the visitor states, and the key that follows from another version."""
    new = replace(document, **said)  # type: ignore[arg-type]  # each of its field's type
    stated: dict[str, Stated] = {**dict(document.stated), **{name: "visitor" for name in said}}
    kept = [(name, stated[name]) for name in EDITABLE if name in stated]
    return replace(
        new,
        # as it was with the same version: another document may have the key that follows from that (see `rag.versions`)
        key=document.key if new.version == document.version else document_key(new.doc_id, new.version, new.text),
        stated=tuple((name, who) for name, who in kept if who == "visitor" or getattr(new, name)),
    )


def _typed_date(typed: str) -> date | None:
    if not typed.strip():
        return None
    found = as_date(typed)
    if found is None or len(re.findall(r"\d+", typed)) != 3:
        shown = clean_line(typed)[:40]
        raise SettingError(
            en=f"“{shown}” is no date. Write it as 2026-10-01, or leave it empty.",
            zh=f"“{shown}”不是日期，请写成 2026-10-01，或留空。",
        )
    return found
