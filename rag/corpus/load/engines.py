"""Which engine reads which page of a PDF."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from rag.corpus.load.container import damaged
from rag.corpus.load.ink import Ink
from rag.corpus.load.layout import Page, read_page
from rag.corpus.load.legible import GOOD, POOR, legible
from rag.corpus.load.lines import Line
from rag.corpus.load.pdfium_engine import PdfiumEngine
from rag.corpus.load.pdfminer_engine import PdfminerEngine
from rag.corpus.load.ruled import Table
from rag.errors import Bilingual, LoadError

MAX_PAGES = 2000
# From here on the faster engine reads, or the time a file may take would be over.
MANY_PAGES = 200
_BETTER = 0.05
_UNREADABLE = 0.01
_Engine = TypeVar("_Engine", PdfminerEngine, PdfiumEngine)


class Engine(Protocol):
    """What reads the pages of one file; `metadata` is what the file says about itself."""

    name: str
    n_pages: int
    metadata: dict[str, Any]

    def ink(self, index: int) -> Ink:
        """Page `index`, from 0."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A PDF's pages, the name of the engine that read each, and the numbers (from 1) of those that read badly."""

    pages: tuple[Page, ...]
    engines: tuple[str, ...]
    poor: tuple[int, ...]
    metadata: dict[str, Any]

    def described(self) -> Bilingual:
        """For `Document.reading`: pages and engines."""
        count = len(self.pages)
        names = Counter(self.engines)
        main = names.most_common(1)[0][0]
        en, zh = f"PDF, {count} page{'s' * (count != 1)}, {main}", f"PDF，{count} 页，{main}"
        if count > MANY_PAGES:
            en, zh = (
                f"{en} (the faster engine, for over {MANY_PAGES} pages)",
                f"{zh}（超过 {MANY_PAGES} 页，用较快的引擎）",
            )
        for name in sorted(set(names) - {main}):
            listed = [n for n, engine in enumerate(self.engines, start=1) if engine == name]
            en += f", {name} for page {shortened(listed)}"
            zh += f"，第 {shortened(listed)} 页用 {name}"
        return Bilingual(en=en, zh=zh)


def read_pages(name: str, data: bytes) -> Reading:
    """Every page of a PDF, read by pdfminer, or by PDFium where that reads better, the file is long, or pdfminer fails.

    Raises:
        LoadError: it needs a password, is damaged, or has more than 2000 pages.
    """
    with ExitStack() as stack:
        first, second = _opened(name, data, stack)
        if first.n_pages > MAX_PAGES:
            raise LoadError(
                en=f"{name}: {first.n_pages} pages; a file may have {MAX_PAGES}. Split the file.",
                zh=f"{name}：共 {first.n_pages} 页，超过每个文件 {MAX_PAGES} 页的上限，请拆分文件。",
            )
        pages: list[Page] = []
        names: list[str] = []
        poor: list[int] = []
        for index in range(first.n_pages):
            best = _best(first, second, index)
            pages.append(best.page)
            names.append(best.engine)
            if best.score < POOR:
                poor.append(index + 1)
        return Reading(tuple(pages), tuple(names), tuple(poor), first.metadata)


def _opened(name: str, data: bytes, stack: ExitStack) -> tuple[Engine, Engine | None]:
    """The engine that reads the file and the one that helps, if there is one; PDFium reads alone what pdfminer cannot open."""
    try:
        first = _with_pages(PdfminerEngine, name, data)
    except LoadError as error:
        try:
            alone = _with_pages(PdfiumEngine, name, data)
        except LoadError:
            raise error from error.__cause__
        stack.callback(alone.close)
        return alone, None
    stack.callback(first.close)
    try:
        second = PdfiumEngine(name, data)
    except LoadError:
        return first, None  # the first one opened it, and its reading stands
    stack.callback(second.close)
    if second.n_pages != first.n_pages:
        return first, None
    return (second, first) if first.n_pages > MANY_PAGES else (first, second)


def _with_pages(kind: type[_Engine], name: str, data: bytes) -> _Engine:
    """The engine, when it finds a page; else `LoadError`: the tree of pages is damaged, for example points at itself."""
    engine = kind(name, data)
    if engine.n_pages == 0:
        engine.close()
        raise damaged(name)
    return engine


@dataclass(frozen=True, slots=True)
class _Read:
    """A page as an engine read it, and how well, 0…1."""

    page: Page
    engine: str
    score: float


def _best(first: Engine, second: Engine | None, index: int) -> _Read:
    """The page by the first engine; by the second where the first fails, or reads badly and the second better."""
    try:
        read = _scored(first, index)
    except LoadError:
        if second is None:
            raise
        return _scored(second, index)
    if second is None or read.score >= GOOD:
        return read
    try:
        again = _scored(second, index)
    except LoadError:
        return read
    return again if again.score > read.score + _BETTER else read


def _scored(engine: Engine, index: int) -> _Read:
    page = read_page(engine.ink(index))
    lost = page.n_unreadable / max(page.n_characters, 1)
    return _Read(page, engine.name, legible(_text(page)) - (lost if lost > _UNREADABLE else 0.0))


def _text(page: Page) -> str:
    parts = []
    for item in page.items:
        if isinstance(item, Line):
            parts.append(item.text)
        elif isinstance(item, Table):
            parts += [cell.text for r, row in enumerate(item.grid) for cell in row if cell.anchor[0] == r]
    return "\n".join(parts)


def shortened(numbers: Sequence[int]) -> str:
    """Numbers in a row as one range, at most ten of them.

    >>> shortened([1, 2, 3, 7])
    '1-3, 7'
    """
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    listed = ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in ranges[:10])
    return listed + ("…" if len(ranges) > 10 else "")
