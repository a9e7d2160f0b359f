"""What an encoder makes of a text's tokens, before they are pooled into one vector."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class TokenStates:
    """The tokens of `text` that stand for a part of it: ``text[start:end]`` for each span, without blanks around.

    `states`: ``(len(spans), d) float32``, rows of length 1: the last layer's state of each token, read in the whole text
    with the encoder's prefix in front. The tokens of the prefix and the special ones are left out;
    of several that begin at one place (a mark of where a word begins, the bytes of a character) the last is kept.
    """

    text: str
    spans: tuple[tuple[int, int], ...]
    states: NDArray[np.float32]
