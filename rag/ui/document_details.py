"""One document as escaped HTML: what is known of it and who says so, what was left out of it, and its text. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Literal, get_args

from rag.errors import Language
from rag.types import Document, Removed, Stated, Why
from rag.ui.chunk_views import page_ticks
from rag.ui.panels import columns, explained, table
from rag.ui.render import Layer, Tick, escape, preview, reader, shade
from rag.ui.strings import text

View = Literal["cleaned", "as_read"]

PART_CHARACTERS = 12_000
"""At most so many characters of a document are shown in its details at once."""
MOST_LINES = 40
"""So many different lines of one kind that were left out are listed."""
# what is taken out of a line; all else stood on lines of its own
_INLINE: frozenset[Why] = frozenset(("unreadable", "deletion", "hidden", "comment", "overprint"))


def who(document: Document, field: str, language: Language) -> str:
    """Who states a document's title, version or date, in words; empty when nobody does."""
    said: Mapping[str, Stated] = dict(document.stated)
    return text(f"stated.{said[field]}", language) if field in said else ""


def known(document: Document, language: Language) -> str:
    """How the file was read and what is known of it that cannot be changed, as a list."""
    reach = text("details.reach", language, n=f"{len(document.text):,}", pages=len(document.pages) or "–")
    rows = [
        ("details.file", document.file or document.source),
        ("details.reading", document.reading.of(language)),
        ("details.readers", explained(document.reading.of(language), language)),
        ("details.key", document.key),
        ("details.source", document.source if document.source != document.file else ""),
        ("details.size", reach),
        ("details.tables", str(len(document.tables) or "")),
        ("details.sections", str(len(document.sections) or "")),
    ]
    items = "".join(f"<dt>{escape(text(key, language))}</dt><dd>{escape(value)}</dd>" for key, value in rows if value)
    warnings = "".join(f'<p class="notice warning">{escape(w.of(language))}</p>' for w in document.warnings)
    return f'<dl class="known">{items}</dl>{warnings}'


def left_out(document: Document, language: Language) -> str:
    """What was left out, by reason: how often, and each different text with its pages."""
    kinds = [why for why in get_args(Why) if any(r.why == why for r in document.removed)]
    if not kinds:
        return f'<p class="note">{escape(text("details.nothing", language))}</p>'
    characters = sum(len(r.text) for r in document.removed)
    key = "details.left_out" if len(document.removed) > 1 else "details.left_out_one"
    line = text(key, language, n=len(document.removed), characters=f"{characters:,}")
    return f'<p class="facts">{escape(line)}</p>' + "".join(
        _kind(why, [r for r in document.removed if r.why == why], language) for why in kinds
    )


def _kind(why: Why, removed: list[Removed], language: Language) -> str:
    counts = Counter(r.text for r in removed)
    pages: dict[str, list[int]] = {}
    for r in removed:
        if r.page is not None and r.page not in pages.setdefault(r.text, []):
            pages[r.text].append(r.page)
    rows = [
        (escape(_range(pages.get(said, ())) or "–"), str(n), escape(preview(said, 160)))
        for said, n in counts.most_common(MOST_LINES)
    ]
    more = len(counts) - MOST_LINES
    note = f'<p class="note">{escape(text("details.more", language, n=more))}</p>' if more > 0 else ""
    n = text("details.times", language, n=len(removed))
    listed = table(columns("head.removed", language), rows, "removed")
    return f"<details><summary><b>{escape(text(f'left.{why}', language))}</b> {escape(n)}</summary>{listed}{note}</details>"


def _range(pages: Iterable[int]) -> str:
    """Page numbers with runs drawn together.

    >>> _range([1, 2, 3, 7])
    '1–3, 7'
    """
    runs: list[list[int]] = []
    for page in sorted(pages):
        if runs and page == runs[-1][1] + 1:
            runs[-1][1] = page
        else:
            runs.append([page, page])
    return ", ".join(f"{a}–{b}" if b > a else str(a) for a, b in runs)


def as_read(document: Document) -> tuple[str, list[tuple[int, int, Removed]]]:
    """The text with what was left out put back in its places, and where each of it stands there.

    >>> d = Document("d", "", "d@1", "own", "t", "f", "ab", removed=(Removed(1, "X", "comment"),))
    >>> as_read(d)[0]
    'aXb'
    """
    parts: list[str] = []
    places: list[tuple[int, int, Removed]] = []
    done = length = 0
    for removed in document.removed:
        at = min(max(removed.at, done), len(document.text))
        parts += [document.text[done:at], removed.text]
        length += at - done
        places.append((length, length + len(removed.text), removed))
        length += len(removed.text)
        done = at
    parts.append(document.text[done:])
    return "".join(parts), places


def shown_text(document: Document, view: View, at: int, language: Language) -> str:
    """A part of the document's text, cleaned or as it was read, from offset `at` of what is shown."""
    source, places = as_read(document) if view == "as_read" else (document.text, [])
    low = max(0, min(at, len(source) - PART_CHARACTERS))
    high = min(len(source), low + PART_CHARACTERS)
    layers, ticks = list[Layer](), list[Tick]()
    for start, end, removed in places:
        if start < high and end > low:
            layers.append(Layer(start, end, "gone"))
            inline = removed.why in _INLINE
            if not inline:
                layers.append(Layer(start, end, "line"))
            css = "tick gone" if inline else "tick gone line"
            ticks.append(Tick(max(start, low), text(f"left.{removed.why}", language), css))
    if not places:
        ticks += page_ticks(document, low, high, language)
    body = shade(source, low, high, layers, ticks)
    return reader(document, body, (low, high), len(source), language)
