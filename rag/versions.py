"""Which of a visitor's documents belong together: versions that replace each other or stand side by side, and edits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from rag.corpus.clean import clean_line
from rag.corpus.index import in_force
from rag.corpus.load.metadata import LONGEST_NAME, as_date, document_key
from rag.errors import Bilingual, SettingError
from rag.types import Document, Stated

# Of very many documents a note names the first few.
_NAMED = 3
_EDITABLE = ("title", "version", "effective_from", "effective_to")


@dataclass(frozen=True, slots=True)
class Held:
    """A document of the visitor's and its share of the bytes of the file it came in."""

    document: Document
    size: int


Own = dict[str, Held]


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
    """`document` with what the visitor says of it, and the key that follows; what they changed is stated by them."""
    changed: dict[str, str | date | None] = {
        "title": clean_line(edit.title),
        "version": clean_line(edit.version),
        "effective_from": edit.effective_from,
        "effective_to": edit.effective_to,
    }
    changed = {name: value for name, value in changed.items() if value != getattr(document, name)}
    stated: dict[str, Stated] = dict(document.stated)
    stated.update({name: "visitor" for name in changed})
    new = replace(document, **changed)  # type: ignore[arg-type]  # each of its field's type
    return replace(
        new,
        key=document_key(new.doc_id, new.version, new.text),
        stated=tuple((name, stated[name]) for name in _EDITABLE if name in stated and getattr(new, name)),
    )


def with_edit(own: Own, key: str, edit: Edit) -> tuple[Own, Document]:
    """`own` with one document edited, at its old place, and that document.

    Raises `SettingError` when there is no such document, or another one has the version already.
    """
    held = own.get(key)
    if held is None:
        raise SettingError(en=f"{key}: no such document of yours.", zh=f"{key}：您没有这份文档。")
    new = edited(held.document, edit)
    if new.key != key and new.key in own:
        other = named([own[new.key].document])
        raise SettingError(
            en=f"There is {other.en} already. Choose another version, or remove one of the two.",
            zh=f"已有{other.zh}，请填写另一个版本，或移除其中一份。",
        )
    return {new.key if k == key else k: Held(new, h.size) if k == key else h for k, h in own.items()}, new


@dataclass(frozen=True, slots=True)
class Choice:
    """What a file of a name that is there already does: it replaces the earlier one, unless it is to stand `beside` it.

    `earlier`: the keys that were there before this upload; files of one upload never replace each other by their name.
    """

    earlier: frozenset[str] = frozenset()
    beside: bool = False


def place(documents: Sequence[Document], size: int, own: Own, choice: Choice) -> list[Bilingual]:
    """Put the documents of a file of `size` bytes into `own`; what a person should know of the others there.

    A document of the same key is replaced. So is, unless it is to stay beside, an earlier one of the same doc_id and file
    that states no version: it is the same file with other words. Versions that are stated stand beside each other.
    """
    replaced = _replaced(documents, own, frozenset() if choice.beside else choice.earlier)
    gone = {d.key for d in replaced}
    stay = [h.document for key, h in own.items() if key not in gone]
    left = [d for d in stay if d.key in choice.earlier]
    notes = [*_of_replaced(replaced), *_of_same_words(documents, stay), *_of_left(documents, left)]
    for key in gone:
        del own[key]
    characters = sum(len(d.text) for d in documents)
    for document in documents:
        before = own.pop(document.key, None)  # it comes last again: of undated versions the last one counts
        if before is not None:
            document = _as_edited(document, before.document)
        # rounded up, so that the shares together are not less than the file
        own[document.key] = Held(document, -(-size * len(document.text) // characters))
    return notes + _of_versions(documents, [h.document for h in own.values()])


def named(documents: Sequence[Document]) -> Bilingual:
    """Documents by title, version and file, for a sentence.

    >>> d = Document("leave", "2026", "leave@2026", "own", "年假制度", "", "", file="a.docx")
    >>> named([d]).zh, named([d] * 5).en[-17:]
    ('《年假制度》2026（a.docx）', '.docx) and 2 more')
    """
    first, more = documents[:_NAMED], len(documents) - _NAMED
    en = ", ".join(f"“{d.title}” {d.version and d.version + ' '}({d.file or d.source})" for d in first)
    zh = "、".join(f"《{d.title}》{d.version}（{d.file or d.source}）" for d in first)
    return Bilingual(
        en=en + (f" and {more} more" if more > 0 else ""), zh=zh + (f"等 {len(documents)} 份" if more > 0 else "")
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


def _replaced(documents: Sequence[Document], own: Own, earlier: frozenset[str]) -> list[Document]:
    """What is in `own` and has to go for `documents`, where its words are not the same."""
    new = {d.key: d for d in documents}
    files = {(d.doc_id, d.file) for d in documents}
    return [
        h.document
        for key, h in own.items()
        if (key in new and h.document.text != new[key].text)
        or (
            key not in new
            and key in earlier
            and not h.document.version
            and (h.document.doc_id, h.document.file) in files
        )
    ]


def _as_edited(document: Document, before: Document) -> Document:
    """`document` with what the visitor said of it when it was here `before`, with the same words."""
    said = {name: getattr(before, name) for name, who in before.stated if who == "visitor"}
    stated: dict[str, Stated] = {**dict(document.stated), **{name: "visitor" for name in said}}
    return replace(document, **said, stated=tuple(stated.items()))


def _of_replaced(replaced: Sequence[Document]) -> Iterable[Bilingual]:
    if replaced:
        names = named(replaced)
        yield Bilingual(en=f"replaced the earlier {names.en}", zh=f"已替换之前的{names.zh}")


def _of_same_words(documents: Sequence[Document], others: Sequence[Document]) -> Iterable[Bilingual]:
    """What is there already, as the same document or under another name or version."""
    texts = {d.text: d.key for d in documents}
    same = [d for d in others if d.text in texts]
    if again := [d for d in same if d.key == texts[d.text]]:
        names = named(again)
        yield Bilingual(en=f"{names.en}: the same words were there already", zh=f"{names.zh}已在，内容相同")
    if twins := [d for d in same if d.key != texts[d.text]]:
        names = named(twins)
        yield Bilingual(
            en=f"the same words as {names.en}: both are kept; remove one if it is a copy",
            zh=f"与{names.zh}内容相同：两份都保留，如系重复请移除一份",
        )


def _of_left(documents: Sequence[Document], others: Sequence[Document]) -> Iterable[Bilingual]:
    """What the earlier file of the name held and this one does not."""
    files, ids = {d.file for d in documents}, {d.doc_id for d in documents}
    if left := [d for d in others if d.file in files and d.doc_id not in ids]:
        names = named(left)
        yield Bilingual(
            en=f"kept from the earlier file of this name: {names.en}; remove what no longer holds",
            zh=f"之前同名文件中的{names.zh}仍保留，如已作废请移除",
        )


def _of_versions(documents: Sequence[Document], held: Sequence[Document]) -> list[Bilingual]:
    """Which other versions of `documents` there are, and which one is searched."""
    ids, keys = {d.doc_id for d in documents}, {d.key for d in documents}
    family = [d for d in held if d.doc_id in ids]
    others = [d for d in family if d.key not in keys]
    if not others:
        return []
    known = {d.doc_id for d in others}
    current = in_force((d for d in family if d.doc_id in known), date.today())
    names, searched = named(others), named([d for d in family if d.key in current])
    return [
        Bilingual(
            en=f"another version beside {names.en}: "
            + (f"{searched.en} is searched" if current else "none is in force yet")
            + ", unless the scope says all",
            zh=f"与{names.zh}是同一制度的不同版本："
            + (f"默认只检索{searched.zh}" if current else "均未生效，默认都不检索"),
        )
    ]
