"""The map of the index as inline SVG, with the question and its candidates, and what it loses. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rag.corpus.map import kept_neighbours, plane
from rag.errors import Language
from rag.types import Candidate, Chunk, Document
from rag.ui.panels import notice
from rag.ui.render import escape, preview
from rag.ui.strings import text

WIDTH: Final = 640.0
HEIGHT: Final = 420.0
EDGE: Final = 14.0
"""Units of the viewBox around the outermost points."""
POINTS: Final = 3000
"""Of more chunks than this only every second, third … is drawn."""
NEAREST: Final = 20


@dataclass(frozen=True, slots=True, eq=False)
class Mapped:
    """What is drawn. `vectors`: ``(n, d)``, one per chunk of `chunks`, all of which the visitor may see; `query`: ``(d,)`` or None."""

    vectors: NDArray[np.float32]
    chunks: Sequence[Chunk]
    query: NDArray[np.float32] | None
    candidates: Sequence[Candidate]


def map_view(mapped: Mapped, titles: dict[str, Document], language: Language) -> str:
    """The map with its legend and what it loses, as HTML."""
    flat = plane(mapped.vectors)
    if flat is None:
        return notice(text("map.few", language), "warning")
    places = flat.places(mapped.vectors)
    asked = flat.places(mapped.query[None]) if mapped.query is not None else np.empty((0, 2))
    scaled = _scaled(np.vstack([places, asked]))
    row_of = {chunk.chunk_id: i for i, chunk in enumerate(mapped.chunks)}
    found = [(c, row_of[c.chunk.chunk_id]) for c in mapped.candidates if c.chunk.chunk_id in row_of]
    step = -(-len(places) // POINTS)
    drawn = np.arange(0, len(places), step)
    notes = [
        text("map.all", language, n=f"{len(places):,}")
        if step == 1
        else text("map.thinned", language, n=f"{len(places):,}", step=step, shown=f"{len(drawn):,}"),
        text(
            "map.how",
            language,
            d=mapped.vectors.shape[1],
            explained=f"{sum(flat.explained):.1%}",
            first=f"{flat.explained[0]:.1%}",
            second=f"{flat.explained[1]:.1%}",
        ),
    ]
    if mapped.query is None:
        notes.append(text("map.no_query", language))
    else:
        k = min(NEAREST, len(places))
        kept = kept_neighbours(flat, mapped.vectors, mapped.query, k)
        notes.append(text("map.loss", language, k=k, kept=kept))
    label = text("map.label", language, n=len(places), candidates=len(found))
    svg = _background(scaled[drawn]) + "".join(_point(c, scaled[i], titles, language) for c, i in reversed(found))
    svg += "".join(_question(place, language) for place in scaled[len(places) :])
    said = "".join(f'<p class="note">{escape(note)}</p>' for note in notes)
    drawing = f'<svg viewBox="0 0 {WIDTH:g} {HEIGHT:g}" role="group" aria-label="{escape(label)}">{svg}</svg>'
    drawing = f'<div class="scroll" tabindex="0">{drawing}</div><p class="opened" role="status"></p>'
    return f'<div class="index-map">{drawing}{_legend(language)}</div>{said}'


def _scaled(places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Places in units of the viewBox, both directions by the same factor, the whole in the middle."""
    low, high = places.min(axis=0), places.max(axis=0)
    room = np.array([WIDTH - 2 * EDGE, HEIGHT - 2 * EDGE])
    spread = np.maximum(high - low, 1e-9)
    factor = float((room / spread).min())
    middle = np.array([WIDTH, HEIGHT]) / 2
    placed = (places - (low + high) / 2) * factor * np.array([1, -1]) + middle  # SVG's y points down
    return np.asarray(placed, dtype=np.float64)


def _background(places: NDArray[np.float64]) -> str:
    """All chunks as one path of dots: thousands of elements would make the page slow."""
    dots = "".join(f"M{x:.1f} {y:.1f}h0" for x, y in places)
    return f'<path class="others" d="{dots}"/>'


def _point(candidate: Candidate, place: NDArray[np.float64], titles: dict[str, Document], language: Language) -> str:
    """A candidate: a button that opens it, with a field to hit that is larger than its dot."""
    packed = candidate.status.fate == "packed"
    title = titles[candidate.chunk.key].title
    said = text("map.point", language, rank=candidate.rank, title=title, text=preview(candidate.chunk.text, 60))
    x, y = place
    mark = f'<text x="{x + 7:.1f}" y="{y + 4:.1f}">{escape(candidate.status.marker)}</text>' if packed else ""
    return (
        f'<g class="point {"packed" if packed else "left"}" role="button" tabindex="0" data-rank="{candidate.rank}" '
        f'aria-label="{escape(said)}"><title>{escape(said)}</title>'
        f'<circle class="field" cx="{x:.1f}" cy="{y:.1f}" r="10"/><circle cx="{x:.1f}" cy="{y:.1f}" r="4.5"/>{mark}</g>'
    )


def _question(place: NDArray[np.float64], language: Language) -> str:
    x, y = place
    name = escape(text("map.query", language))
    d = f"M{x:.1f} {y - 8:.1f}l8 8l-8 8l-8 -8z"
    return f'<g class="asked"><title>{name}</title><path d="{d}"/></g>'


def _legend(language: Language) -> str:
    items = "".join(
        f'<li><span class="swatch {css}"></span>{escape(text(f"map.{key}", language))}</li>'
        for key, css in (("query", "asked"), ("packed", "packed"), ("left_out", "left"), ("others", "others"))
    )
    return f'<ul class="legend">{items}</ul><p class="note">{escape(text("map.open", language))}</p>'
