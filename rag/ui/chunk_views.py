"""A document's chunks as escaped HTML: its text with their boundaries, what is found in it, one chunk, their figures. Pure."""

from __future__ import annotations

import re
import statistics
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from typing import get_args

from rag.ask.suspicious import suspicious
from rag.corpus.remarks import Remark
from rag.errors import Language
from rag.types import Chunk, Document
from rag.ui.flagged import flagged_lines, reasons
from rag.ui.histogram import histogram
from rag.ui.panels import columns, table
from rag.ui.render import VIEW_CHARACTERS, Cell, Layer, Tick, escape, facts, preview, reader, shade, window
from rag.ui.strings import text

Span = tuple[int, int]

MOST_HITS = 10_000
"""More matches of a search are not counted."""
LONGEST_QUERY = 200


def matches(source: str, query: str) -> tuple[Span, ...]:
    """Where `query` stands in `source`, literally but in either case, from left to right, at most `MOST_HITS`.

    >>> matches("VPN 和 vpn*", "vpn"), matches("VPN 和 vpn*", "n*"), matches("VPN", " ")
    (((0, 3), (6, 9)), ((8, 10),), ())
    """
    if not query.strip():
        return ()
    found: list[Span] = []
    for match in re.finditer(re.escape(query), source, re.IGNORECASE):
        found.append(match.span())
        if len(found) == MOST_HITS:
            break
    return tuple(found)


def around(document: Document, focus: Span | None, at: int | None, size: int = VIEW_CHARACTERS) -> Span:
    """The part of the text that is shown: from `at`, else around `focus`, else the beginning."""
    n = len(document.text)
    if at is not None:
        low = max(0, min(at, n - size))
        return low, min(n, low + size)
    return window(n, *(focus or (0, 0)), size=size)


def chunked(
    document: Document,
    chunks: Sequence[Chunk],
    part: Span,
    focus: Span | None,
    found: Sequence[Span],
    language: Language,
) -> str:
    """The part of a document's text with its chunks in alternating shades, overlaps darker, pages marked.

    `focus` is framed (an empty one is only a place to scroll to), all of `found` (sorted) is underlined, and so, wavily, is what
    speaks to the machine.
    """
    low, high = part
    shown = [(n, c) for n, c in enumerate(chunks) if c.end > low and c.start < high]
    layers = [Layer(c.start, c.end, "even" if n % 2 else "odd") for n, c in shown]
    layers += [Layer(b.start, min(a.end, b.end), "overlap") for (_, a), (_, b) in zip(shown, shown[1:], strict=False)]
    first = bisect_left(found, (low, low))
    orders = suspicious(document.text, low, high)
    layers += [Layer(f.start, f.end, "order") for f in orders]
    layers += [Layer(a, b, "word") for a, b in found[max(0, first - 1) : bisect_left(found, (high, high))]]
    if focus is not None:
        layers.append(Layer(*focus, "hit"))
    ticks = [*page_ticks(document, low, high, language), *(Tick(c.start, str(n + 1)) for n, c in shown)]
    if focus is not None and focus[0] == focus[1]:
        ticks.append(Tick(focus[0], "", "here"))
    body = shade(document.text, low, high, layers, ticks)
    said = escape(text("chunks.flagged", language, n=len(orders)))
    note = f'<p class="note remark">{said}</p>' if orders else ""
    return note + reader(document, body, (low, high), len(document.text), language)


def page_ticks(document: Document, low: int, high: int, language: Language) -> list[Tick]:
    """A mark where each page of the part begins."""
    first, last = bisect_left(document.pages, low), bisect_left(document.pages, high)
    return [Tick(document.pages[i], text("fact.page", language, page=i + 1), "tick page") for i in range(first, last)]


def chunk_rows(
    chunks: Sequence[Chunk],
    numbers: Sequence[int],
    remarks: Sequence[Sequence[Remark]],
    limit: int | None,
    language: Language,
) -> list[list[Cell]]:
    """The chunks of these numbers (1-based), a row each, in the order of `strings` ``head.chunks``."""
    return [
        [
            n,
            preview(c.text),
            c.start,
            c.end,
            len(c.text),
            f"{c.n_tokens} / {limit}" if limit and c.n_tokens else (c.n_tokens or "–"),
            c.page if c.page is not None else "–",
            remarked(remarks[n - 1], language) or "–",
            " › ".join(c.section),
        ]
        for n, c in ((n, chunks[n - 1]) for n in numbers)
    ]


def remarked(remarks: Sequence[Remark], language: Language) -> str:
    """Remarks on a chunk in words."""
    return text("list.between", language).join(text(f"remark.{remark}", language) for remark in remarks)


def detail(
    document: Document,
    chunk: Chunk,
    remarks: Sequence[Remark],
    like: int | None,
    limit: int | None,
    language: Language,
) -> str:
    """All that is known of one chunk: where it is, its size, what is put in front of it, and the remarks on it.

    `like` is the number of the chunk that it repeats, if there is one.
    """
    tokens = text("chunk.tokens", language, n=chunk.n_tokens, limit=limit or "–") if chunk.n_tokens else ""
    size = text("chunk.size", language, n=len(chunk.text)) + tokens
    lines = [
        facts(document, chunk, language),
        f'<p class="facts"><code>{escape(chunk.chunk_id)}</code> · {escape(size)}</p>',
        f'<p class="facts">{escape(text("chunk.context", language))} <code>{escape(chunk.context)}</code></p>',
    ]
    lines += [
        f'<p class="facts remark">{escape(text(f"remark.{remark}_why", language, n=like or "–"))}</p>'
        for remark in remarks
    ]
    if orders := suspicious(chunk.context):
        why = reasons((reason for f in orders for reason in f.reasons), language)
        lines.append(f'<p class="facts remark">{escape(text("order.in_context", language, why=why))}</p>')
    lines.append(flagged_lines(document, chunk, suspicious(document.text, chunk.start, chunk.end), language))
    return "".join(lines)


def figures(chunks: Sequence[Chunk], limit: int | None, language: Language, longest: int | None = None) -> str:
    """How many chunks and how long they are, as a table and a histogram, which reaches to `longest` (or the longest chunk)."""
    sizes = {"characters": [len(c.text) for c in chunks], "tokens": [c.n_tokens for c in chunks if c.n_tokens]}
    rows = [
        (escape(text(f"chunks.{unit}", language)), *(f"{value:,.0f}" for value in _five(found)))
        for unit, found in sizes.items()
        if found
    ]
    unit = "tokens" if sizes["tokens"] else "characters"
    overlap = overlap_characters(chunks)
    line = text("chunks.count", language, n=f"{len(chunks):,}", overlap=f"{overlap:,}")
    if not sizes["tokens"] and chunks:
        line += " " + text("chunks.no_tokens", language)
    ruler = histogram(sizes[unit], unit, limit if unit == "tokens" else None, language, longest)
    return f'<p class="facts">{escape(line)}</p><div class="beside sized"><div>{table(columns("head.chunk_sizes", language), rows, "sizes")}</div><div>{ruler}</div></div>'


def _five(values: Sequence[int]) -> tuple[float, float, int, int]:
    return statistics.fmean(values), statistics.median(values), min(values), max(values)


def longest_of(*splits: Sequence[Chunk]) -> int:
    """The most tokens (characters without an encoder) that a chunk of these splits has."""
    chunks = [chunk for split in splits for chunk in split]
    most = max((c.n_tokens for c in chunks), default=0)
    return most or max((len(c.text) for c in chunks), default=0)


def overlap_characters(chunks: Sequence[Chunk]) -> int:
    """How many characters are in two neighbouring chunks."""
    return sum(max(0, min(a.end, b.end) - b.start) for a, b in zip(chunks, chunks[1:], strict=False))


def remark_counts(remarks: Sequence[Sequence[Remark]], language: Language) -> str:
    """How many chunks have which remark."""
    counts = Counter(remark for found in remarks for remark in found)
    said = [
        text("chunks.remark_count", language, remark=text(f"remark.{remark}", language), n=counts[remark])
        for remark in get_args(Remark)
        if counts[remark]
    ]
    if not said:
        return f'<p class="facts">{escape(text("chunks.no_remarks", language))}</p>'
    line = text("chunks.remark_counts", language, counts=text("list.between", language).join(said))
    return f'<p class="facts remark">{escape(line)}</p>'
