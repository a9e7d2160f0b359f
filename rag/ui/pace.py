"""How fast passages are encoded, and how long that will still take."""

from __future__ import annotations

import math
from dataclasses import dataclass

from rag.corpus.index import Progress
from rag.errors import Language
from rag.ui.strings import text

LEAST_S = 1.0
"""Nothing is said of the first moments: two pieces are no measure of two hundred."""


@dataclass(frozen=True, slots=True)
class Speed:
    """Passages a second since encoding began, waiting for others included, and seconds left at that rate; both > 0."""

    rate: float
    left: float

    def said(self, language: Language) -> str:
        """In words, the time left as minutes and seconds."""
        minutes, seconds = divmod(math.ceil(self.left), 60)
        rate = f"{self.rate:,.{0 if self.rate >= 10 else 1}f}"
        return text("progress.speed", language, rate=rate, left=f"{minutes}:{seconds:02}")


class Pace:
    """Hears the progress of one indexing run.

    >>> pace = Pace()
    >>> pace.heard(Progress("encode", 0, 100), 10.0)
    >>> pace.heard(Progress("encode", 40, 100), 12.0)
    Speed(rate=20.0, left=3.0)
    """

    def __init__(self) -> None:
        self._began: float | None = None

    def heard(self, progress: Progress, now: float) -> Speed | None:
        """The speed at the time `now` (seconds of any clock); None while it is not known, and of other steps."""
        if progress.step != "encode":
            self._began = None
            return None
        if self._began is None:
            self._began = now
        took = now - self._began
        if took < LEAST_S or not 0 < progress.done < progress.total:
            return None
        rate = progress.done / took
        return Speed(rate, (progress.total - progress.done) / rate)
