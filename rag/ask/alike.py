"""How alike two sentences are when their numbers and dates are left open, and where they differ.

A sentence is a row of tokens, characters and words, in which every number and date is one token by its unit alone. How alike
two rows are is Ratcliff and Obershelp's ratio (2 × matching / all tokens, `difflib`); numbers that stand in the same place
of the matching tokens and are not the same are what differs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from rag.ask.facts import Fact, contrary, facts, same
from rag.ask.sentences import source_sentences
from rag.corpus.folding import plain

Span = tuple[int, int]
Marks = tuple[tuple[Span, ...], tuple[Span, ...]]
"""Stretches of one sentence and of the other."""

ALIKE: Final = 0.6
"""A sentence of another version corresponds to one that is at least so much like it, and the most like it of all."""
LONGEST: Final = 400
"""Longer sentences are compared by their beginning."""
_RUN: Final = 3
"""A number stands in the same place when so many tokens in a row, its own among them, are the same."""
_CLAUSES: Final = frozenset({"第条", "第章", "第款", "第节", "第项"})
_PIECE: Final = re.compile(r"[a-z]+|[^\W_]")
# What a sentence may have more than another without saying anything else.
_IDLE: Final = frozenset("的了是为按在应可须得将均等其该即则之与和及或者也") | frozenset(
    "a an the is are of to for be shall will must may and or".split()
)


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a character or (with `fact`) a number or date; ``text[start:end]`` of the document."""

    word: str
    start: int
    end: int
    fact: Fact | None


@dataclass(frozen=True, slots=True)
class Row:
    """A sentence ``[start, end)`` of a document and its tokens."""

    start: int
    end: int
    tokens: tuple[Token, ...]

    @property
    def words(self) -> list[str]:
        """What is compared."""
        return [token.word for token in self.tokens]

    @property
    def length(self) -> int:
        """The characters that were read."""
        return min(self.end - self.start, LONGEST)


def rows(text: str, spans: Iterable[Span]) -> tuple[Row, ...]:
    """The sentences of ``text[a:b]`` for every span, as rows of tokens."""
    return tuple(read_row(text, span) for start, end in spans for span in source_sentences(text, start, end))


def read_row(text: str, span: Span) -> Row:
    """The sentence ``text[span]`` as a row of tokens."""
    return Row(*span, tuple(_tokens(text, *span)))


def _tokens(text: str, start: int, end: int) -> Iterator[Token]:
    sentence = plain(text[start : min(end, start + LONGEST)])
    values = [fact for fact in facts(sentence) if fact.kind in ("number", "date")]
    at = 0
    if values and values[0].unit in _CLAUSES and not any(c.isalnum() for c in sentence[: values[0].start]):
        at = values.pop(0).end  # the clause's own number: another version counts otherwise
    for fact in [*values, None]:
        for match in _PIECE.finditer(sentence, at, fact.start if fact else len(sentence)):
            yield Token(match.group(), start + match.start(), start + match.end(), None)
        if fact is not None:
            yield Token(f"#{fact.kind} {fact.unit}", start + fact.start, start + fact.end, fact)
            at = fact.end


def likeness(row: Row, other: Row) -> float:
    """0…1: twice the matching tokens by all tokens of both."""
    return SequenceMatcher(None, row.words, other.words, autojunk=False).ratio()


def most_like(row: Row, there: Sequence[Row]) -> Row | None:
    """The row most like this one, of about equals the one with more of its numbers; None when none is like it at all."""
    grams = _pairs(row)
    near = [other for other in there if len(grams & _pairs(other)) >= 0.3 * len(grams)] if grams else []
    scored = [(likeness(row, other), n, other) for n, other in enumerate(near)]
    alike = [(ratio - 0.05 * len(values(row, other)), -n, other) for ratio, n, other in scored if ratio >= ALIKE]
    return max(alike, key=lambda one: one[:2])[2] if alike else None


def cost(row: Row, other: Row) -> int:
    """What comparing two rows costs in characters: their lengths, and more where words repeat, which are matched over and over."""
    lengths = sum(min(one.end - one.start, LONGEST) for one in (row, other))
    again = Counter(other.words)
    return (
        lengths
        + max(0, sum(again[word] for word in row.words) - 2 * lengths) * min(len(row.tokens), len(other.tokens)) // 200
    )


def _pairs(row: Row) -> frozenset[tuple[str, str]]:
    return frozenset(zip(row.words, row.words[1:], strict=False))


def values(row: Row, other: Row) -> list[tuple[Token, Token]]:
    """Numbers and dates in the same place of both that are not the same, or not on the same side (以上, 以下)."""
    out = []
    for a, b, n in SequenceMatcher(None, row.words, other.words, autojunk=False).get_matching_blocks():
        for mine, theirs in zip(row.tokens[a : a + n], other.tokens[b : b + n], strict=True):
            if n >= _RUN and differ(mine, theirs):
                out.append((mine, theirs))
    return out


def differ(mine: Token, theirs: Token) -> bool:
    """Whether both are numbers or dates, and not the same, or not on the same side."""
    if (
        not (mine.fact and theirs.fact) or mine.fact.unit in _CLAUSES
    ):  # a reference to a clause, which may only have moved
        return False
    return not same(mine.fact, theirs.fact) or contrary(mine.fact, theirs.fact)


def content(row: Row) -> frozenset[str]:
    """The words and characters of a sentence without its numbers and without small words."""
    return frozenset(token.word for token in row.tokens if not token.fact and token.word not in _IDLE)


def marks(differing: Sequence[tuple[Token, Token]]) -> Marks:
    """Where the tokens of each side stand."""
    return tuple((a.start, a.end) for a, _ in differing), tuple((b.start, b.end) for _, b in differing)


def wording(row: Row, other: Row) -> Marks:
    """The stretches of both that the other has not, where they are more than small words."""
    mine: list[Span] = []
    theirs: list[Span] = []
    for kind, a, b, c, d in SequenceMatcher(None, row.words, other.words, autojunk=False).get_opcodes():
        if kind == "equal" or all(word in _IDLE for word in [*row.words[a:b], *other.words[c:d]]):
            continue
        mine += [(row.tokens[a].start, row.tokens[b - 1].end)] if b > a else []
        theirs += [(other.tokens[c].start, other.tokens[d - 1].end)] if d > c else []
    return tuple(mine), tuple(theirs)
