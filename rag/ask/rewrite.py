"""A question that follows others → what is searched. Nothing is added that the visitor did not write.

Whether a question needs those before it cannot be told for certain ("没休完可以留到明年吗？" names no subject, "过生日公司会
表示一下吗" needs none), so nothing is guessed: both are searched, the question alone and the question behind the
earlier ones, the former with the greater weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rag.errors import Bilingual

TURNS: Final = 2
"""Questions before this one that still count."""
CHARACTERS: Final = 300
"""Longest joined text: an encoder of 512 tokens reads it whole."""
ALONE: Final = 2
"""Weight of the question alone, beside 1 for the joined text. Measured: less loses questions on a new subject, more loses follow-ups."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A `question` and the `earlier` ones that are read with it, oldest first (empty: it is searched alone)."""

    question: str
    earlier: tuple[str, ...] = ()

    @property
    def joined(self) -> str:
        """The earlier questions and this one, a line each; the question itself when there are none."""
        return "\n".join((*self.earlier, self.question))

    @property
    def weighted(self) -> tuple[tuple[str, int], ...]:
        """The texts that are searched, each with its weight.

        >>> Asked("那满十五年呢？", ("年假有几天？",)).weighted
        (('那满十五年呢？', 2), ('年假有几天？\\n那满十五年呢？', 1))
        >>> Asked("年假有几天？").weighted
        (('年假有几天？', 1),)
        """
        return ((self.question, ALONE), (self.joined, 1)) if self.earlier else ((self.question, 1),)

    @property
    def note(self) -> Bilingual:
        """What is searched, for the trace."""
        if not self.earlier:
            return Bilingual(en="searched as asked: nothing before it fits", zh="按原问题检索：之前的提问放不下")
        shown = " / ".join((*self.earlier, self.question))
        return Bilingual(
            en=f"searched: the question (weight {ALONE}), and with those before it (weight 1): {shown}",
            zh=f"检索内容：原问题（权重 {ALONE}），以及连同前文（权重 1）：{shown}",
        )


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
