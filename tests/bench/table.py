"""A row of the table of speed: what was measured, beside what, and whether the goal is reached. Kept in `.readme/speed.json`, quoted by README."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import dataclass

HEAD = ("what", "ours", "beside", "ratio", "goal", "reached")


@dataclass(frozen=True, slots=True)
class Row:
    """`ours` and `peer` are medians in `unit`; `ratio` is the median of the ratios ours / peer of the same prompts or rounds.

    `goal` is for the ratio; for `ours` where there is no ratio; None: there is none. `least`: it is to be reached from above.
    Without a `peer` there may still be a `beside`: that it is not installed, or what the figure counts.

    >>> Row("first token", "s", 1.5, 5.25, "llama.cpp", 0.286, 0.4).cells()
    ('first token', '1.50 s', 'llama.cpp: 5.25 s', '0.29', '≤ 0.4', 'yes')
    """

    what: str
    unit: str
    ours: float
    peer: float | None = None
    beside: str = ""
    ratio: float | None = None
    goal: float | None = None
    least: bool = False

    @property
    def reached(self) -> bool | None:
        """None where nothing was to be reached or could be measured."""
        figure = self.ours if self.ratio is None and not self.beside else self.ratio
        if self.goal is None or figure is None:
            return None
        return figure >= self.goal if self.least else figure <= self.goal

    def cells(self) -> tuple[str, ...]:
        """As they stand in the table, in the order of `HEAD`."""
        beside = self.beside if self.peer is None else f"{self.beside}: {written(self.peer, self.unit)}"
        goal = "" if self.goal is None else f"{'≥' if self.least else '≤'} {self.goal:g}"
        reached = {None: "–" if self.goal is not None else "", True: "yes", False: "no"}[self.reached]
        ratio = "" if self.ratio is None else f"{self.ratio:.3g}" if self.ratio >= 10 else f"{self.ratio:.2f}"
        return (self.what, written(self.ours, self.unit), beside, ratio, goal, reached)


def written(figure: float, unit: str) -> str:
    """`figure` with three digits that count, and its unit.

    >>> written(0.01234, "s"), written(31.26, "tokens/s"), written(1234567.0, "chunks"), written(0.5, "%")
    ('0.0123 s', '31.3 tokens/s', '1,234,567 chunks', '0.5 %')
    """
    if figure == int(figure):
        return f"{int(figure):,} {unit}".strip()
    digits = 0 if abs(figure) >= 100 else 1 if abs(figure) >= 10 else 2 if abs(figure) >= 1 else 3
    number = f"{figure:.3g}" if abs(figure) < 0.1 else f"{figure:,.{digits}f}"
    return f"{number} {unit}".strip()


def paired(a: Iterable[float], b: Iterable[float]) -> float:
    """The median of the ratios a / b, pair by pair."""
    return statistics.median(x / y for x, y in zip(a, b, strict=True))


def markdown(rows: Iterable[Row]) -> str:
    """The table as README has it."""
    lines = [HEAD, ("---", "--:", "--:", "--:", "---", "---"), *(row.cells() for row in rows)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
