"""What a rule says of each side of one number: 「5000元以下无需招标，5000元以上必须招标」 says the one of the first and the other of the second."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rag.ask.facts import Fact, contrary, same
from rag.ask.reading import Reading, clause_of
from rag.ask.wording import held

Span = tuple[int, int]


def other_side(said: Reading, passage: Reading) -> Iterator[tuple[Span, Span]]:
    """Numbers of which the sentence says what the passage says of their other side: their spans in the sentence and in the passage."""
    for fact in said.facts:
        if not fact.bound:
            continue
        alike = [f for f in passage.facts if same(fact, f)]
        theirs = [f for f in alike if contrary(fact, f)]
        ours = [f for f in alike if f.bound and f not in theirs]
        if len(ours) != 1 or len(theirs) != 1:
            continue
        about = _about(said, fact, [f for f in said.facts if f is not fact and same(f, fact)])
        mine, yours = _about(passage, ours[0], theirs), _about(passage, theirs[0], ours)
        if _says_rather(said, about, passage, (yours, mine), _thing(said, fact)):
            yield (fact.start, fact.end), (ours[0].start, ours[0].end)


def _about(reading: Reading, fact: Fact, others: Sequence[Fact]) -> Span:
    """The clause of a fact and those behind it, as far as the clause of another."""
    low = clause_of(reading.text, fact)[0]
    return low, min((a for f in others if (a := clause_of(reading.text, f)[0]) > low), default=len(reading.text))


def _thing(said: Reading, fact: Fact) -> frozenset[str]:
    """The words of what the number is of, 采购合同 in 「10万元以下的采购合同」: the other side's clause mostly leaves them out."""
    at, found = max([fact.end, *(end for _, end in fact.marks)]), []
    if said.text.startswith("的", at):
        at += 1
        for word in said.words:
            if word.start == at:
                found.append(word.word)
                at = word.end
    return frozenset(found)


def _says_rather(said: Reading, about: Span, passage: Reading, sides: tuple[Span, Span], thing: frozenset[str]) -> bool:
    """Whether the words and numbers of the sentence, less those of the `thing`, and its no, are those of the first stretch of the passage and not of the second."""
    words = [w.word for w in said.words if about[0] <= w.start < about[1] and w.word not in thing]
    values = {(f.kind, f.value, f.unit) for f in said.facts if about[0] <= f.start < about[1]}
    there, here = (
        {w for w in words if held(w, passage.text[slice(*span)]) >= 0}
        | {v for f in passage.facts if span[0] <= f.start < span[1] and (v := (f.kind, f.value, f.unit)) in values}
        for span in sides
    )
    if there != here:
        return here < there
    no = _denies(said, about)
    return no == _denies(passage, sides[0]) != _denies(passage, sides[1])


def _denies(reading: Reading, span: Span) -> bool:
    return any(o.negative and span[0] <= o.start < span[1] for o in reading.operators)
