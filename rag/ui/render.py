"""Data → escaped HTML and table rows. Pure: no state, no gradio, and no text that is not escaped."""

from __future__ import annotations

import html
from collections.abc import Iterable
from dataclasses import dataclass

from rag.errors import Language
from rag.types import Answer, Chunk, Citation, Document
from rag.ui.strings import text

VIEW_CHARACTERS = 24_000
"""At most so many characters of a document are put on the page at once."""
TABLE_ROWS = 500
PREVIEW_CHARACTERS = 120

Cell = str | int | float | None


@dataclass(frozen=True, slots=True)
class Layer:
    """Characters ``[start, end)`` of a document that get the CSS class `css`."""

    start: int
    end: int
    css: str


@dataclass(frozen=True, slots=True)
class Tick:
    """An empty element in front of offset `at`: its label is an attribute, so it is no part of the text."""

    at: int
    label: str
    css: str = "tick"


def escape(value: object) -> str:
    """`value` as text that is safe in HTML, in attributes too."""
    return html.escape(str(value), quote=True)


def shade(source: str, start: int, end: int, layers: Iterable[Layer], ticks: Iterable[Tick] = ()) -> str:
    """``source[start:end]`` as HTML; every slice is escaped and carries the classes of the layers over it.

    The `ticks` in ``[start, end)`` stand in front of their offsets. The text without tags, unescaped, is exactly the
    slice.
    """
    clipped = [Layer(max(x.start, start), min(x.end, end), x.css) for x in layers]
    clipped = [x for x in clipped if x.start < x.end]
    marks: dict[int, list[Tick]] = {}
    for tick in ticks:
        if start <= tick.at < end:
            marks.setdefault(tick.at, []).append(tick)
    cuts = sorted({start, end, *(x.start for x in clipped), *(x.end for x in clipped), *marks})
    opening: dict[int, list[str]] = {}
    closing: dict[int, list[str]] = {}
    for layer in clipped:
        opening.setdefault(layer.start, []).append(layer.css)
        closing.setdefault(layer.end, []).append(layer.css)
    active: list[str] = []
    parts: list[str] = []
    for a, b in zip(cuts, cuts[1:], strict=False):
        for css in closing.get(a, ()):
            active.remove(css)
        active += opening.get(a, ())
        parts += [f'<i class="{escape(tick.css)}" data-n="{escape(tick.label)}"></i>' for tick in marks.get(a, ())]
        piece = escape(source[a:b])
        # sorted and without repeats: the same slice looks the same whatever order the layers came in
        classes = " ".join(sorted(set(active)))
        parts.append(f'<mark class="{escape(classes)}">{piece}</mark>' if classes else piece)
    return "".join(parts)


def window(length: int, start: int, end: int, size: int = VIEW_CHARACTERS) -> tuple[int, int]:
    """At most about `size` characters of `length` around ``[start, end)``, which is inside whole."""
    if length <= size:
        return 0, length
    spare = max(0, size - (end - start)) // 2
    low = max(0, min(start - spare, length - size))
    return low, min(length, max(low + size, end))


def reader(document: Document, body: str, part: tuple[int, int], length: int, language: Language) -> str:
    """The box with `body`, the `part` of a text of `length`, and buttons for the parts around it."""
    low, high = part
    box = f'<div class="doc" tabindex="0" role="region" aria-label="{escape(document.title)}">{body}</div>'
    if part == (0, length):
        return box
    note = escape(text("view.part", language, low=f"{low:,}", high=f"{high:,}", n=f"{length:,}"))
    around = [("earlier", max(0, low - (high - low)), low > 0), ("later", high, high < length)]
    buttons = " ".join(
        f'<button type="button" class="turn" data-at="{at}">{escape(text(f"view.{name}", language))}</button>'
        for name, at, there in around
        if there
    )
    return f'<p class="note parts">{note} {buttons}</p>{box}'


def facts(document: Document, chunk: Chunk, language: Language) -> str:
    """Title, version, page, section and origin of a chunk on one line, as HTML."""
    parts = [f"<b>{escape(document.title)}</b>"]
    if document.version:
        parts.append(escape(text("fact.version", language, version=document.version)))
    if chunk.page is not None:
        parts.append(escape(text("fact.page", language, page=chunk.page)))
    if chunk.section:
        parts.append(escape(" › ".join(chunk.section)))
    parts.append(escape(text(f"origin.{document.origin}", language)))
    parts.append(escape(text("fact.range", language, start=chunk.start, end=chunk.end)))
    return f'<p class="facts">{"<span aria-hidden=true> · </span>".join(parts)}</p>'


def passage(
    document: Document,
    chunk: Chunk,
    language: Language,
    span: tuple[int, int] | None = None,
    words: Iterable[tuple[int, int]] = (),
) -> str:
    """A chunk inside its document: the chunk shaded, `span` marked, `words` (offsets in the document) underlined."""
    low, high = window(len(document.text), chunk.start, chunk.end, VIEW_CHARACTERS // 3)
    layers = [Layer(chunk.start, chunk.end, "chunk"), *(Layer(a, b, "word") for a, b in words)]
    if span is not None:
        layers.append(Layer(span[0], span[1], "hit"))
    body = shade(document.text, low, high, layers)
    return (
        f"{facts(document, chunk, language)}"
        f'<div class="doc" tabindex="0" role="region" aria-label="{escape(document.title)}">{body}</div>'
    )


def preview(source: str, size: int = PREVIEW_CHARACTERS) -> str:
    """The beginning of a text on one line."""
    flat = " ".join(source[: size * 2].split())
    return flat if len(flat) <= size and len(source) <= size * 2 else flat[:size] + "…"


def answer_segments(answer: Answer, language: Language) -> list[dict[str, str]]:
    """The answer as pieces for the page, which sets them as text, never as HTML.

    ``{k: "text" | "bare" | "wrong", t}`` (bare: in a sentence that no source carries; wrong: what in it decided);
    ``{k: "model" | "system" | "closest", t, m, at}`` a citation that opens a source (closest: of such a sentence, by the system);
    ``{k: "invalid", t, why}`` a marker that names nothing; ``{k: "mark", s, t, at, why}`` behind a sentence: what stands behind it.
    The `t` of the ``text``, ``bare``, ``wrong``, ``model`` and ``invalid`` pieces join to the answer's text.
    """
    bare = [s for s in answer.sentences if s.support == "none"]
    wrong = [(c.start, c.end) for s in bare for c in s.clues if not c.agrees and c.share is None]
    cuts = {
        0,
        len(answer.text),
        *(x for s in answer.sentences for x in (s.start, s.end)),
        *(x for span in wrong for x in span),
    }
    cuts |= {x for c in answer.citations for x in (c.start, c.end)}
    inside = {c.start: c for c in answer.citations if c.end > c.start}
    cuts -= {x for x in cuts for c in inside.values() if c.start < x < c.end}
    edges = sorted(x for x in cuts if 0 <= x <= len(answer.text))
    pieces: list[dict[str, str]] = []
    for a, b in zip(edges, [*edges[1:], len(answer.text)], strict=True):
        pieces += _behind(answer, a, language)
        if a == b:
            continue
        if a in inside:
            piece = _cite_piece(inside[a], answer.text[a:b])
            if inside[a].chunk_id is None:
                piece["why"] = text("answer.invalid", language)
            pieces.append(piece)
        elif any(x <= a < y for x, y in wrong):
            pieces.append({"k": "wrong", "t": answer.text[a:b]})
        else:
            kind = "bare" if any(s.start <= a < s.end for s in bare) else "text"
            pieces.append({"k": kind, "t": answer.text[a:b]})
    return pieces


def _behind(answer: Answer, at: int, language: Language) -> list[dict[str, str]]:
    """What stands behind the sentence that ends at `at`: the system's citations, and the mark that explains it."""
    ends = [s for s in answer.sentences if s.end == at]
    pieces = []
    for citation in (c for c in answer.citations if c.start == c.end == at):
        piece = _cite_piece(citation, f"[{citation.marker}]")
        if any(s.support == "none" for s in ends):
            piece |= {"k": "closest", "t": text("answer.closest", language, marker=citation.marker)}
        pieces.append(piece)
    for s in ends:
        if s.support in ("cited", "other", "none"):
            said = text(f"answer.mark_{s.support}", language)
            pieces.append(
                {
                    "k": "mark",
                    "s": s.support,
                    "t": said,
                    "at": str(s.start),
                    "why": text(f"answer.is_{s.support}", language),
                }
            )
    return pieces


def _cite_piece(citation: Citation, written: str) -> dict[str, str]:
    if citation.chunk_id is None:
        return {"k": "invalid", "t": written}
    return {"k": citation.by, "t": written, "m": citation.marker, "at": str(citation.start)}
