"""The sentences of a document, cut once: which are nearest to another by the pairs of letters they share, read when first needed."""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Final

from rag.ask.alike import LONGEST, Row, Span, cost, read_row
from rag.ask.sentences import source_sentences
from rag.corpus.folding import plain

NEAREST: Final = 12
"""So many sentences of a document, those that share most pairs with a sentence, are compared with it."""
BOUND: Final = 30_000
"""Characters of sentences, those of both sides, that are compared for one kind of difference; a sentence that repeats itself
costs more, as finding its matching words does."""
_POSTINGS: Final = 400
"""Places at which the pairs of a sentence are looked up, the rarest first: what every row of a list has tells none apart."""


def pairs(text: str) -> frozenset[str]:
    """Pairs of neighbouring letters and digits.

    >>> sorted(pairs("年假 15天"))
    ['15', '5天', '年假']
    """
    folded = plain(text)
    return frozenset(two for i in range(len(folded) - 1) if (two := folded[i : i + 2]).isalnum())


class Effort:
    """What comparing may still cost, in characters (`rag.ask.alike.cost`); belongs to one call. `stop` ends it in between."""

    def __init__(self, stop: threading.Event | None = None) -> None:
        self.short = False
        """Whether something was left uncompared."""
        self._left = BOUND
        self._stop = stop

    def goes_on(self) -> bool:
        """Whether anything more may be compared."""
        if self._left > 0 and not (self._stop is not None and self._stop.is_set()):
            return True
        self.short = True
        return False

    def spend(self, row: Row, other: Row) -> bool:
        """Whether the two may be compared, and is charged for it; one pair that costs a tenth of all by itself may not."""
        if not self.goes_on():
            return False
        price = cost(row, other)
        dear = price > BOUND // 10
        self._left -= row.length + other.length if dear else price
        self.short = self.short or dear
        return not dear


class Sentences:
    """The sentences of ``text[a:b]`` for every span, in order, by number; belongs to one call."""

    def __init__(self, text: str, spans: Iterable[Span]) -> None:
        self._text = text
        self.spans = [s for start, end in spans for s in source_sentences(text, start, end)]
        self._rows: dict[int, Row] = {}
        self.pairs = [pairs(text[a : min(b, a + LONGEST)]) for a, b in self.spans]
        self._holders: dict[str, list[int]] = defaultdict(list)
        for number, held in enumerate(self.pairs):
            for pair in held:
                self._holders[pair].append(number)

    def row(self, number: int) -> Row:
        """A sentence as a row of tokens, read once."""
        if number not in self._rows:
            self._rows[number] = read_row(self._text, self.spans[number])
        return self._rows[number]

    def nearest(self, wanted: frozenset[str]) -> list[int]:
        """Numbers of the at most `NEAREST` sentences that share most pairs with `wanted`, two at least, in the text's order."""
        rarest = sorted((p for p in wanted if p in self._holders), key=lambda p: (len(self._holders[p]), p))
        found: Counter[int] = Counter()
        seen = 0
        for pair in rarest:
            if seen >= _POSTINGS:
                break
            found.update(self._holders[pair][:_POSTINGS])
            seen += len(self._holders[pair])
        shared = sorted((-len(wanted & self.pairs[n]), n) for n, _ in found.most_common(4 * NEAREST))
        return sorted(n for minus, n in shared[:NEAREST] if minus <= -2)
