"""A text, read once: its numbers and dates, the small words that turn a rule round, and the words that carry its meaning."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rag.ask.facts import Fact, facts
from rag.ask.polarity import Operator, operators
from rag.ask.sentences import clauses
from rag.ask.wording import Word, cut, words
from rag.corpus.folding import plain


@dataclass(frozen=True, slots=True)
class Reading:
    """What stands in a text. `text` is folded and simplified, character by character, so that all offsets are those of the text as written.

    `words` is empty for a source, in which words are only looked for.
    """

    text: str
    facts: tuple[Fact, ...]
    operators: tuple[Operator, ...]
    words: tuple[Word, ...] = ()


def read(text: str, with_words: bool = False) -> Reading:
    """Read a text, its words too when wanted."""
    folded = plain(text)
    found = facts(folded)
    taken = [span for fact in found for span in ((fact.start, fact.end), *fact.marks)]
    turning = operators(folded, taken, cut(folded))
    taken += [(operator.start, operator.end) for operator in turning]
    return Reading(folded, found, turning, words(folded, taken) if with_words else ())


def clause_of(text: str, fact: Fact) -> tuple[int, int]:
    """The clause in which a fact of `text` begins."""
    return next(((a, b) for a, b in clauses(text) if a <= fact.start < b), (0, len(text)))


def joined(text: str, parts: list[tuple[int, Reading]]) -> Reading:
    """The readings of neighbouring stretches of a text as one of `text`; each with the offset at which it begins in it."""
    return Reading(
        text,
        tuple(replace(f, start=f.start + at, end=f.end + at) for at, part in parts for f in part.facts),
        tuple(
            replace(o, start=o.start + at, end=o.end + at, reach=(o.reach[0] + at, o.reach[1] + at))
            for at, part in parts
            for o in part.operators
        ),
    )
