"""Work in pieces that nobody has to wait for long: sequences of similar length, batch by batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

# Padded tokens read in one turn: at most about 0.2 s of an encoder on two cores, so that a question never waits longer.
PIECE_TOKENS: Final = 1024


def pieces(counts: Sequence[int]) -> Iterator[list[int]]:
    """Row numbers in batches of similar length, each at most `PIECE_TOKENS` tokens after padding.

    >>> list(pieces([500, 10, 600]))
    [[2], [0, 1]]
    """
    order = sorted(range(len(counts)), key=lambda i: (-counts[i], i))
    piece: list[int] = []
    for i in order:
        # sorted by length, longest first: the first row's length is what the others are padded to
        if piece and (len(piece) + 1) * counts[piece[0]] > PIECE_TOKENS:
            yield piece
            piece = []
        piece.append(i)
    if piece:
        yield piece
