"""Which of a visitor's documents belong together: versions that replace each other or stand side by side, and corrections."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from rag.corpus.current import in_force
from rag.corpus.load.metadata import text_hash
from rag.edits import EDITABLE, Edit, edited, stated_by_visitor
from rag.errors import Bilingual, LoadError, SettingError
from rag.types import Document

# Of very many documents a note names the first few.
_NAMED = 3
# What the visitor said of a document that also holds for other words in its place.
_STAYING = ("title", "effective_from", "effective_to")
_NAMES = {
    "title": ("title", "标题"),
    "version": ("version", "版本"),
    "effective_from": ("effective from", "生效日期"),
    "effective_to": ("effective until", "失效日期"),
}
_JOINED = (", ", "、")


@dataclass(frozen=True, slots=True)
class Held:
    """A document of the visitor's and its share of the bytes of the file it came in.

    `as_read` is the document as its file gave it, where the visitor said otherwise of it. `outlived` is what had the same
    words and was replaced by others since.
    """

    document: Document
    size: int
    as_read: Document | None = None
    outlived: Document | None = None

    @property
    def read(self) -> Document:
        """The document as its file gave it."""
        return self.as_read or self.document


Own = dict[str, Held]


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
    changed = replace(held, document=new, as_read=held.read)
    return {new.key if k == key else k: changed if k == key else h for k, h in own.items()}, new


@dataclass(frozen=True, slots=True)
class Choice:
    """What a file of a name that is there already does: it replaces the earlier one, unless it is to stand `beside` it.

    `earlier`: the keys that were there before this upload; files of one upload never replace each other by their name.
    """

    earlier: frozenset[str] = frozenset()
    beside: bool = False


def place(documents: Sequence[Document], size: int, own: Own, choice: Choice) -> tuple[list[Document], list[Bilingual]]:
    """Put the documents of a file of `size` bytes into `own`: how they stand there, and what a person should know.

    Unless it is to stay beside, a document of the same key is replaced, and so is an earlier one of the same doc_id and
    file whose file states no version: it is the same file with other words. Versions that files state stand beside each
    other; where two of them are the same, the later one's key has a hash of its text behind it (``leave@V1+3a7f20b1``).
    What the visitor said of a document stays with its words; other words in its place get the title and the dates.

    Raises `LoadError` when a document of another doc_id has the key; nothing is changed then.
    """
    documents = [_apart(document, own, choice.beside) for document in documents]
    _check_keys(documents, own)
    same = _with_the_same_words(documents, own)
    replaced = _replaced(documents, own, frozenset() if choice.beside else choice.earlier, set(same.values()))
    stay = [h.document for key, h in own.items() if key not in {d.key for d in replaced}]
    left = [d for d in stay if d.key in choice.earlier]
    again = [own[key].document for key in same.values()]
    notes = [*_of_replaced(replaced), *_of_same_words(documents, stay, again), *_of_left(documents, left)]
    before = {key: own.pop(old) for key, old in same.items()}  # they come last again: see `in_force`
    for old in replaced:
        del own[old.key]
        # a copy under another name now competes with what took the old one's place
        own.update({key: replace(h, outlived=old) for key, h in own.items() if h.document.text == old.text})
    characters = sum(len(d.text) for d in documents)
    placed, keys = [], {d.key for d in documents}
    for read in documents:
        document = read
        if read.key in before:
            document = _as_said(read, before[read.key].document, EDITABLE)
            if document.key != read.key and (document.key in keys or document.key in own):
                document = _as_said(read, before[read.key].document, _STAYING)
        elif predecessor := _predecessor(read, documents, replaced):
            document = _as_said(read, predecessor, _STAYING)
            notes += _of_corrections(predecessor, document)
        # rounded up, so that the shares together are not less than the file
        share = -(-size * len(document.text) // characters)
        own[document.key] = Held(document, share, read if document != read else None)
        placed.append(document)
    held_now = [h.document for h in own.values()]
    return placed, [*notes, *_of_same_version(placed, held_now), *_of_versions(placed, held_now)]


def named(documents: Sequence[Document], marks: Mapping[str, Bilingual] | None = None) -> Bilingual:
    """Documents by title, version and file, for a sentence; `marks` by key say which is which where that is the same.

    >>> d = Document("leave", "2026", "leave@2026", "own", "年假制度", "", "", file="a.docx")
    >>> named([d]).zh, named([d] * 5).en[-17:]
    ('《年假制度》2026（a.docx）', '.docx) and 2 more')
    """
    first, more = documents[:_NAMED], len(documents) - _NAMED
    none, said = Bilingual(en="", zh=""), marks or {}
    names = [(d, d.file or d.source, said.get(d.key, none)) for d in first]
    en = ", ".join(f"“{d.title}” {d.version and d.version + ' '}({file}{mark.en})" for d, file, mark in names)
    zh = "、".join(f"《{d.title}》{d.version}（{file}{mark.zh}）" for d, file, mark in names)
    return Bilingual(
        en=en + (f" and {more} more" if more > 0 else ""), zh=zh + (f"等 {len(documents)} 份" if more > 0 else "")
    )


def _said(document: Document) -> list[str]:
    """The fields that the visitor stated."""
    return [name for name, who in document.stated if who == "visitor"]


def _as_said(document: Document, before: Document, fields: Sequence[str]) -> Document:
    """`document` with what of `fields` the visitor said of it when it was here `before`."""
    new = stated_by_visitor(document, {name: getattr(before, name) for name in _said(before) if name in fields})
    if new.effective_from and new.effective_to and new.effective_to < new.effective_from:
        return _as_said(document, before, ("title",))  # with the dates of other words
    return new


def _apart(document: Document, own: Own, beside: bool) -> Document:
    """`document`, with a key of its own where other words of the same doc_id and version have its key and stay.

    They stay when the visitor said so now, or did when `document` was added before.
    """
    key = f"{document.key}+{text_hash(document.text)}"
    there = own.get(document.key)
    differs = there and there.document.doc_id == document.doc_id and there.document.text != document.text
    known = key in own or any(held.read.key == key for held in own.values())
    return replace(document, key=key) if known or (beside and differs) else document


def _check_keys(documents: Sequence[Document], own: Own) -> None:
    """Raise `LoadError` when a key is that of an unrelated document (``a@b`` + ``c`` and ``a`` + ``b@c``)."""
    for document in documents:
        held = own.get(document.key)
        if held is not None and held.document.doc_id != document.doc_id:
            other, name = named([held.document]), document.file or document.source
            raise LoadError(
                en=f"{name}: {document.key} is also what {other.en} is called. Give one of them another doc_id or version.",
                zh=f"{name}：{document.key} 与{other.zh}的标识相同，请修改其中一个的 doc_id 或版本。",
            )


def _with_the_same_words(documents: Sequence[Document], own: Own) -> dict[str, str]:
    """Keys in `own` of what is there already, as it is or with another version that the visitor gave it, by new key."""
    as_read = {held.read.key: key for key, held in own.items()}
    found: dict[str, str] = {}
    taken: set[str] = set()
    for document in documents:
        for key in (document.key, as_read.get(document.key, "")):
            there = own[key].document if key in own and key not in taken else None
            if there and (there.doc_id, there.text) == (document.doc_id, document.text):
                found[document.key] = key
                taken.add(key)
                break
    return found


def _replaced(documents: Sequence[Document], own: Own, earlier: frozenset[str], same: set[str]) -> list[Document]:
    """What is in `own` and has to go for `documents`, where its words are not the same."""
    new = {d.key: d for d in documents}
    files = {(d.doc_id, d.file) for d in documents}

    def goes(key: str, held: Held) -> bool:
        if key in new:
            return held.document.text != new[key].text
        stands = held.document.version and held.read.version and held.read.key not in new
        return key in earlier and not stands and (held.document.doc_id, held.document.file) in files

    return [held.document for key, held in own.items() if key not in same and goes(key, held)]


def _predecessor(document: Document, documents: Sequence[Document], replaced: Sequence[Document]) -> Document | None:
    """What `document` stands in place of: the one of its key, else the last of its doc_id, where it alone has that."""
    family = [old for old in replaced if old.doc_id == document.doc_id]
    alone = sum(d.doc_id == document.doc_id for d in documents) == 1
    return next((old for old in family if old.key == document.key), family[-1] if family and alone else None)


def _of_corrections(before: Document, now: Document) -> Iterable[Bilingual]:
    """What became of what the visitor had said of a document that was replaced."""
    said = [name for name in _said(before) if name != "version" or before.version]
    kept = [name for name in said if name in _said(now)]
    gone = [name for name in said if name not in kept]
    if kept:
        en, zh = (_JOINED[i].join(_NAMES[name][i] for name in kept) for i in (0, 1))
        yield Bilingual(en=f"kept from what you entered before: {en}; check it", zh=f"沿用您之前填写的{zh}，请核对")
    if gone:
        en, zh = (_JOINED[i].join(_NAMES[name][i] for name in gone) for i in (0, 1))
        yield Bilingual(en=f"not kept of what you entered before: {en}", zh=f"未沿用您之前填写的{zh}")


def _of_replaced(replaced: Sequence[Document]) -> Iterable[Bilingual]:
    if replaced:
        names = named(replaced)
        yield Bilingual(en=f"replaced the earlier {names.en}", zh=f"已替换之前的{names.zh}")


def _of_same_words(
    documents: Sequence[Document], others: Sequence[Document], again: Sequence[Document]
) -> Iterable[Bilingual]:
    """What is there already, as the same document (`again`) or under another name or version."""
    texts, keys = {d.text for d in documents}, {d.key for d in again}
    if again:
        names = named(again)
        yield Bilingual(en=f"{names.en}: the same words were there already", zh=f"{names.zh}已在，内容相同")
    if twins := [d for d in others if d.text in texts and d.key not in keys]:
        yield same_as(twins)


def same_as(twins: Sequence[Document]) -> Bilingual:
    """What is said of a document with the same words as `twins`."""
    names = named(twins)
    return Bilingual(
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


def _of_same_version(documents: Sequence[Document], held: Sequence[Document]) -> Iterable[Bilingual]:
    """That other words state the same version as one of `documents`."""
    keys, stated = {d.key for d in documents}, {(d.doc_id, d.version) for d in documents if d.version}
    if others := [d for d in held if (d.doc_id, d.version) in stated and d.key not in keys]:
        yield same_version_as(others)


def same_version_as(others: Sequence[Document]) -> Bilingual:
    """What is said of a document that states the version of `others` and has other words."""
    names = named(others)
    return Bilingual(
        en=f"it states the same version as {names.en} with other words: both are kept; correct one of the versions",
        zh=f"与{names.zh}标注的版本相同但内容不同：两份都保留，请核对并改正其中一个的版本",
    )


def _which(family: Sequence[Document], new: Collection[str]) -> dict[str, Bilingual]:
    """What tells documents apart that a sentence would name by the same words: the keys `new` are those just uploaded."""
    called = [(d.title, d.version, d.file or d.source) for d in family]
    now, before = Bilingual(", the one just uploaded", "，刚上传的"), Bilingual(", the earlier one", "，之前的")
    pairs = zip(family, called, strict=True)
    return {d.key: now if d.key in new else before for d, name in pairs if called.count(name) > 1}


def _of_versions(documents: Sequence[Document], held: Sequence[Document]) -> list[Bilingual]:
    """Which other versions of `documents` there are, and which one is searched."""
    ids, keys = {d.doc_id for d in documents}, {d.key for d in documents}
    family = [d for d in held if d.doc_id in ids]
    others = [d for d in family if d.key not in keys]
    if not others:
        return []
    current = in_force((d for d in family if d.doc_id in {o.doc_id for o in others}), date.today())
    marks = _which(family, keys)
    names, searched = named(others, marks), named([d for d in family if d.key in current], marks)
    return [
        Bilingual(
            en=f"another version beside {names.en}: "
            + (f"{searched.en} is searched" if current else "none is in force yet")
            + ", unless the scope says all",
            zh=f"与{names.zh}是同一制度的不同版本："
            + (f"默认只检索{searched.zh}" if current else "均未生效，默认都不检索"),
        )
    ]
