"""What is packed of a chunk: its heading, a table's header, its words, less the sentences that speak to the machine."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from datetime import date

from rag.ask.suspicious import suspicious
from rag.corpus.current import in_force
from rag.errors import Bilingual, Language
from rag.types import Chunk, Document, Evidence, Flagged, Prompt

Span = tuple[int, int]


def evidence(
    marker: str,
    chunk: Chunk,
    document: Document,
    language: Language,
    span: Span,
    withhold: bool = True,
    newer: str | None = None,
) -> Evidence:
    """``document.text[span]`` as a piece of evidence called `marker`; `span` is the chunk's own or holds it.

    With `withhold` the flagged sentences are in none of its spans, and flagged words of title, version, section and table
    header not in its heading; it has no spans when nothing else is left. Without, all stays, and `flagged` and `names` say what is there.
    `newer`: the version that is in force in its place (of whatever name), which the heading says.
    """
    flagged = suspicious(document.text, *span)
    names: list[str] = []

    def plain(name: str) -> str:
        orders = suspicious(name)
        names.extend(name[f.start : f.end] for f in orders)
        left = "".join(name[a:b] for a, b in without((0, len(name)), orders)) if withhold else name
        return left.strip()

    section = " / ".join(part for part in map(plain, chunk.section) if part and part != document.title)
    parts = [plain(document.title), plain(document.version), section, _pages(chunk, document, language, span)]
    if newer is not None:
        called = plain(newer)
        parts.append(
            f"旧版，现行版本：{called or '另一份'}" if language == "zh" else f"older; in force: {called or 'another'}"
        )
    return Evidence(
        marker,
        chunk,
        f"[{marker}] {' | '.join(part for part in parts if part)}",
        _with_words(document.text, without(span, flagged)) if withhold and flagged else (span,),
        tuple(line for line in map(plain, _table_header(chunk, document)) if line),
        flagged,
        tuple(dict.fromkeys(names)),
    )


def older_versions(documents: Iterable[Document], on: date) -> Mapping[str, str]:
    """The keys of those in whose place another of `documents` is in force on a day, and the version of that one."""
    families: dict[tuple[str, str], list[Document]] = {}
    for document in documents:
        families.setdefault((document.origin, document.doc_id), []).append(document)
    older: dict[str, str] = {}
    for family in families.values():
        current = in_force(family, on)
        newer = [d for d in family if d.key in current]
        older |= {d.key: newer[0].version for d in family if newer and d.key not in current}
    return older


def withheld(piece: Evidence) -> tuple[Flagged, ...]:
    """The flagged sentences that are not in what is packed, not even in part."""
    return tuple(f for f in piece.flagged if not any(a < f.end and f.start < b for a, b in piece.spans))


def said_of_orders(prompt: Prompt) -> Bilingual:
    """What the trace says of sentences that speak to the machine: how many of which piece were left out, or stayed; empty when there are none."""
    said: list[tuple[str, str]] = []
    for piece in prompt.packed:
        n, gone = len(piece.flagged), len(withheld(piece))
        if gone:
            said.append(
                (
                    _counted(gone, "gives", "give") + f" left out of {piece.marker}",
                    f"{piece.marker} 中有 {gone} 句对机器下达的指令未放入",
                )
            )
        if n > gone:
            said.append(
                (
                    _counted(n - gone, "gives", "give") + f" left in {piece.marker}",
                    f"{piece.marker} 中有 {n - gone} 句对机器下达的指令仍保留",
                )
            )
        if piece.names:
            said.append(
                (f"the heading of {piece.marker} holds such words", f"{piece.marker} 的标题中有对机器下达的指令")
            )
    if n := len(prompt.withheld):
        said.append((f"candidates that hold nothing else: {n}", f"{n} 个候选只有这类内容，未放入"))
    return Bilingual(en="; ".join(en for en, _ in said), zh="；".join(zh for _, zh in said))


def _counted(n: int, one: str, more: str) -> str:
    return (
        f"1 sentence that {one} the machine orders was"
        if n == 1
        else f"{n} sentences that {more} the machine orders were"
    )


def without(span: Span, flagged: Iterable[Flagged]) -> tuple[Span, ...]:
    """`span` less the flagged sentences (in order, apart): what is left of it, in order.

    >>> without((10, 30), [Flagged(5, 12, (), 4, ()), Flagged(20, 22, (), 4, ())])
    ((12, 20), (22, 30))
    """
    left, at = [], span[0]
    for f in flagged:
        left.append((at, min(f.start, span[1])))
        at = max(at, f.end)
    left.append((at, span[1]))
    return tuple((a, b) for a, b in left if a < b)


def _with_words(text: str, spans: Iterable[Span]) -> tuple[Span, ...]:
    """The spans that hold a letter or a digit: what stood around an order is not left as crumbs."""
    return tuple((a, b) for a, b in spans if any(c.isalnum() for c in text[a:b]))


def _pages(chunk: Chunk, document: Document, language: Language, span: Span) -> str:
    """The page of the chunk; of more than the chunk all the pages it is on."""
    if chunk.page is None:
        return ""
    first = last = chunk.page
    if span != (chunk.start, chunk.end):
        first, last = (bisect_right(document.pages, at) for at in (span[0], max(span[0], span[1] - 1)))
    if first == last:
        return f"第{first}页" if language == "zh" else f"page {first}"
    return f"第{first}–{last}页" if language == "zh" else f"pages {first}–{last}"


def _table_header(chunk: Chunk, document: Document) -> list[str]:
    """Of the table's header in the chunk's context, the lines that say more than the chunk's own rows do."""
    named = len(dict.fromkeys([document.title, *chunk.section]))  # the heading has these
    lines = chunk.context.split("\n")[named:]
    return [line for line in lines if not all(name in chunk.text for name in line.split(" | "))]
