"""A question that follows others → what is searched. Nothing is added that the visitor did not write.

Whether a question needs those before it cannot be told for certain ("没休完可以留到明年吗？" names no subject, "过生日公司会
表示一下吗" needs none), so nothing is guessed: both are searched, the question alone and the question behind the
earlier ones, the former with the greater weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

TURNS: Final = 2
"""Questions before this one that still count."""
CHARACTERS: Final = 300
"""Longest joined text: an encoder of 512 tokens reads it whole."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A `question` and the `earlier` ones that are read with it, oldest first (empty: it is searched alone)."""

    question: str
    earlier: tuple[str, ...] = ()

    @property
    def joined(self) -> str:
        """The earlier questions and this one, a line each; the question itself when there are none."""
        return "\n".join((*self.earlier, self.question))


def rewrite(question: str, history: Sequence[str]) -> Asked:
    """The question with the last `TURNS` of `history` (oldest first), whole, as far as they fit `CHARACTERS`.

    >>> rewrite("那满十五年呢？", ["食堂几点开？", "年假有几天？", " "]).earlier
    ('食堂几点开？', '年假有几天？')
    """
    earlier: list[str] = []
    room = CHARACTERS - len(question)
    for before in reversed([text.strip() for text in history if text.strip()][-TURNS:]):
        room -= len(before) + 1
        if room < 0:
            break
        earlier.insert(0, before)
    return Asked(question, tuple(earlier))
