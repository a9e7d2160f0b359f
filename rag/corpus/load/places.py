"""Places of a text found again in its cleaned form, in which only blanks are not the same."""

from __future__ import annotations

from rag.corpus.clean import clean_text


def filled(text: str) -> int:
    """The number of characters of `text` that are not blanks, once it is cleaned."""
    return sum(not c.isspace() for c in clean_text(text))


class Places:
    """The places of one cleaned text."""

    def __init__(self, text: str) -> None:
        self._filled = [n for n, c in enumerate(text) if not c.isspace()]
        self._length = len(text)

    def back(self, before: int, opens: bool = False) -> int:
        """How many characters before the end a place is that has `before` characters, not counting blanks, in front of it.

        Of the blanks there it stands in front, or behind when it `opens` a line.

        >>> Places("年假 15 天").back(2), Places("年假 15 天").back(2, opens=True)
        (5, 4)
        """
        if opens:
            return self._length - self._filled[before] if before < len(self._filled) else 0
        return (
            self._length - self._filled[min(before, len(self._filled)) - 1] - 1
            if before and self._filled
            else self._length
        )
