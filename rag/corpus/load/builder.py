"""What every loader produces, and the one place where text is joined and offsets are recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date

from rag.corpus.clean import clean_line, clean_text, flow, named, unreadable
from rag.errors import Bilingual
from rag.types import Removed, Section, Table, Why

BETWEEN_BLOCKS = "\n\n"
# A longer one is a paragraph in a heading's style; as a section it would stand in front of every chunk below it.
_LONGEST_HEADING = 200
# What was left out is kept to be shown; of a file built of nothing else, not all of it.
MOST_REMOVED = 200_000


@dataclass(frozen=True, slots=True)
class Meta:
    """What a file says about itself; an empty string or None means it does not say."""

    title: str = ""
    doc_id: str = ""
    version: str = ""
    source: str = ""
    effective_from: date | None = None
    effective_to: date | None = None

    def or_else(self, other: Meta) -> Meta:
        """`self`, with `other`'s values where `self` says nothing."""
        return Meta(
            title=self.title or other.title,
            doc_id=self.doc_id or other.doc_id,
            version=self.version or other.version,
            source=self.source or other.source,
            effective_from=self.effective_from or other.effective_from,
            effective_to=self.effective_to or other.effective_to,
        )


@dataclass(frozen=True, slots=True)
class Parsed:
    """A file's clean text. `pages` are start offsets, one per page; `sections` are sorted by start.

    `meta` is what the format itself declares; `title_hint` is a title seen in the text, used when nothing is declared.
    """

    text: str
    pages: tuple[int, ...] = ()
    sections: tuple[Section, ...] = ()
    meta: Meta = field(default_factory=Meta)
    title_hint: str = ""
    warnings: tuple[Bilingual, ...] = ()
    tables: tuple[Table, ...] = ()
    removed: tuple[Removed, ...] = ()
    reading: Bilingual = field(default=Bilingual(en="", zh=""))
    not_kept: int = 0
    """Characters that were left out and, beyond `MOST_REMOVED`, are not kept in `removed` either."""


class TextBuilder:
    """Joins cleaned blocks by a blank line and records where pages and sections start.

    >>> b = TextBuilder(); b.heading(1, "总则"); b.add("第一条"); b.text()
    '总则\\n\\n第一条'
    """

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._pages: list[int] = []
        self._waiting_pages = 0
        self._sections: list[Section] = []
        self._open: list[tuple[int, str]] = []
        self._tables: list[Table] = []
        self._removed: list[Removed] = []
        self._removed_characters = 0
        self._not_kept = 0
        self._unreadable: Counter[str] = Counter()

    def source(self, text: str) -> None:
        """Say what the file holds as it came, before any cleaning: unreadable characters that are in no block are noted too."""
        self._unreadable += unreadable(text)

    def add(self, block: str) -> None:
        """Append a block (a paragraph, a list), cleaned; one that is empty leaves no trace."""
        found = unreadable(block)
        block = clean_text(block).strip()
        if block:
            self._append(BETWEEN_BLOCKS if self._length else "", block)
        self._note_unreadable(found)

    def remove(self, text: str, why: Why, back: int = 0) -> None:
        """Note words of the file that are left out here, or stood `back` characters before the end of what was added."""
        text = clean_text(text).strip()
        room = MOST_REMOVED - self._removed_characters
        if not text:
            return
        self._not_kept += len(text) - max(min(room, len(text)), 0)
        if room <= 0:
            return
        self._removed_characters += len(text)
        page = len(self._pages) + self._waiting_pages or None
        at = max(self._length - back, self._removed[-1].at if self._removed else 0)
        self._removed.append(Removed(at, text[:room], why, page))

    def extend(self, block: str) -> None:
        """Append the rest of a paragraph to the block before it (a page break stood in between)."""
        found = unreadable(block)
        block = clean_text(block).strip()
        if not block:
            self._note_unreadable(found)
            return
        last = self._parts[-1] if self._parts else ""
        self._append(" " if flow(last, block) != last + block else "", block)
        self._note_unreadable(found)

    def lines(self, rows: Iterable[str]) -> None:
        """Append rows, one per line, as one block."""
        self.add("\n".join(rows))

    def table(self, rows: Iterable[str], header: str = "") -> None:
        """Append a table's rows, one per line; `header` is its caption and its column names (see `rag.types.Table`)."""
        before = self._length
        self.lines(rows)
        if self._length > before:
            self._tables.append(
                Table(before + (len(BETWEEN_BLOCKS) if before else 0), self._length, clean_text(header))
            )

    def page(self) -> None:
        """A page begins; it starts where the next block starts."""
        self._waiting_pages += 1

    def heading(self, level: int, title: str, shown: str = "") -> None:
        """Open a section of `level` (1 is outermost). `shown` is how the heading stands in the text, if not as `title`.

        One without words or of more than 200 characters is only text.
        """
        written, title = shown or title, clean_line(title)
        shown = clean_text(shown).strip() or title
        if not title or len(title) > _LONGEST_HEADING:
            self.add(shown)
            self._note_unreadable(unreadable(written))
            return
        while self._open and self._open[-1][0] >= level:
            self._open.pop()
        self._open.append((level, title))
        self._append(BETWEEN_BLOCKS if self._length else "", shown)
        self._sections.append(Section(self._length - len(shown), tuple(name for _, name in self._open)))
        self._note_unreadable(unreadable(written))

    def text(self) -> str:
        """Everything added so far."""
        return "".join(self._parts)

    def parsed(
        self,
        meta: Meta | None = None,
        title_hint: str = "",
        warnings: Iterable[Bilingual] = (),
        reading: Bilingual = Bilingual(en="", zh=""),  # noqa: B008 - frozen
    ) -> Parsed:
        """The finished text with its offsets. Pages without any text start where the next page starts."""
        self._note_unreadable(self._unreadable)
        pages = self._pages + [self._length] * self._waiting_pages
        if pages:
            pages[0] = 0
        return Parsed(
            self.text(),
            tuple(pages),
            tuple(self._sections),
            meta or Meta(),
            title_hint,
            tuple(warnings),
            tuple(self._tables),
            tuple(self._removed),
            reading,
            self._not_kept,
        )

    def _note_unreadable(self, found: Counter[str]) -> None:
        self._unreadable = self._unreadable - found
        if found:
            self.remove(named(found), "unreadable")

    def _append(self, joint: str, block: str) -> None:
        start = self._length + len(joint)
        self._pages += [start] * self._waiting_pages
        self._waiting_pages = 0
        self._parts += [joint, block]
        self._length = start + len(block)
