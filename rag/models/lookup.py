"""What may come next, looked up: an answer copies from its evidence, so after its last words comes what stood there.

Prompt lookup decoding (A. Saxena, 2023): the last n tokens are searched in the prompt and the answer so far, and what
followed them there is a draft. The model reads the whole draft in one pass and keeps what it would have written itself,
so that a draft can cost time, never change an answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

LONGEST: Final = 4
"""Tokens that have to agree at most; more are not looked at."""
SHORTEST: Final = 2
"""Tokens that have to agree at least: after a single one all kinds of things follow."""


class Lookup:
    """The tokens so far, and where each run of `SHORTEST` to `LONGEST` of them last stood.

    >>> lookup = Lookup([5, 6, 7, 8, 9, 1, 5, 6])
    >>> lookup.draft(3)
    [7, 8, 9]
    >>> lookup.add(7)
    >>> lookup.draft(2)
    [8, 9]
    """

    def __init__(self, ids: Sequence[int]) -> None:
        self.ids: list[int] = []
        self._after: dict[tuple[int, ...], int] = {}
        for token in ids:
            self.add(token)

    def add(self, token: int) -> None:
        """One more token."""
        # noted only now that something follows them: a run that ends the text leads nowhere
        for n in range(SHORTEST, LONGEST + 1):
            if len(self.ids) >= n:
                self._after[tuple(self.ids[-n:])] = len(self.ids)
        self.ids.append(token)

    def draft(self, most: int) -> list[int]:
        """At most `most` tokens that followed where the longest run of last tokens stood last; empty when none did."""
        if most <= 0:
            return []
        for n in range(LONGEST, SHORTEST - 1, -1):
            at = self._after.get(tuple(self.ids[-n:]))
            if at is not None:
                return self.ids[at : at + most]
        return []
