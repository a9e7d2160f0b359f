"""A histogram of whole numbers as escaped HTML: columns of equal width, the numbers under them. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from rag.errors import Language
from rag.ui.render import escape
from rag.ui.strings import text

MOST_BINS = 16


def bins(values: Sequence[int], longest: int | None = None) -> tuple[int, tuple[int, ...]]:
    """Width of the bins and how many values are in each: bin i holds ``[i * width, (i + 1) * width)``.

    The width is round, and at most `MOST_BINS` bins reach from 0 to `longest` (or the largest value, if that is more).

    >>> bins([3, 9, 10, 31])
    (2, (0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
    """
    most = max([0, longest or 0, *values])
    width = next(w for power in range(12) for w in (10**power, 2 * 10**power, 5 * 10**power) if most // w < MOST_BINS)
    counts = [0] * (most // width + 1)
    for value in values:
        counts[max(value, 0) // width] += 1
    return width, tuple(counts)


def histogram(
    values: Sequence[int], unit: str, limit: int | None, language: Language, longest: int | None = None
) -> str:
    """Columns for the values; `unit` is tokens or characters, `limit` the most there may be (its line, if it is in sight).

    Whoever cannot see it is read the bins that hold something.
    """
    if not values:
        return ""
    width, counts = bins(values, longest)
    top = max(counts)
    spans = [(i * width, (i + 1) * width - 1, n) for i, n in enumerate(counts)]
    read = text("list.between", language).join(
        text("histogram.bin", language, low=low, high=high, n=n) for low, high, n in spans if n
    )
    title = text(f"histogram.{unit}", language)
    bars = "".join(
        f'<span title="{escape(text("histogram.bin", language, low=low, high=high, n=n))}">'
        f'<b>{n or ""}</b><i style="height:{n / top:.1%}"></i></span>'
        for low, high, n in spans
    )
    reach = len(counts) * width
    line = ""
    if limit is not None and limit <= reach:
        said = escape(text("histogram.limit", language, n=limit))
        line = f'<u style="left:{limit / reach:.2%}" title="{said}"></u>'
    return (
        f'<figure class="histogram" role="img" aria-label="{escape(f"{title} {read}")}"><figcaption>{escape(title)}'
        f'</figcaption><div class="columns">{bars}{line}</div><div class="axis"><span>0</span>'
        f"<span>{reach // 2:,}</span><span>{reach:,}</span></div></figure>"
    )
