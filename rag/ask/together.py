"""Whether a number stands in a passage with the words it stands with in the answer, and not a rival of its kind: in
「一线城市600元，二线城市450元」 both numbers are there for 「一线城市450元」, but not together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from rag.ask.facts import Fact, contrary, same
from rag.ask.reading import Reading, clause_of
from rag.ask.sentences import clauses
from rag.ask.wording import Word, held

_JOINT: Final = re.compile(r"以及|[和及与、而]|(?<![a-z])(?:and|but|while|whereas)(?![a-z])")


@dataclass(frozen=True, slots=True)
class Apart:
    """A number of the sentence, `said`, beside whose equal `there` in the passage its words do not stand."""

    said: tuple[int, int]
    there: tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Items:
    """What is said of a number: the facts and words beside it."""

    facts: tuple[Fact, ...]
    words: tuple[Word, ...]

    @property
    def names(self) -> frozenset[str]:
        """The words that name something: with the rival, they outweigh a verb with the number itself."""
        return frozenset(w.word for w in self.words if w.name)

    @property
    def others(self) -> frozenset[str]:
        """The words that name nothing."""
        return frozenset(w.word for w in self.words if not w.name)


def apart(said: Reading, passage: Reading, question: Reading, short: bool) -> Iterator[Apart]:
    """Numbers whose words stand with another number of the same unit; of a `short` answer, the words of its question too."""
    numbers = [f for f in said.facts if _counts(f)]
    for fact in numbers:
        here = [f for f in passage.facts if same(fact, f) and not contrary(fact, f) and f.kind == fact.kind]
        rivals = [f for f in passage.facts if _sort(f) == _sort(fact) and not any(same(g, f) for g in numbers)]
        if not here:
            continue
        if fact.bound and any(f.bound == fact.bound for f in here):  # 超过20000元: one without a side is no rival
            rivals = [f for f in rivals if f.bound]
        alone = sum(_sort(f) == _sort(fact) for f in numbers) == 1
        items = _items(said, fact, alone, question if short else None)
        pace = _paces(said, fact)
        if all(
            any(
                _rather(items, passage, own, rival, rivals) or _left_out(said, passage, fact, own, rival)
                for rival in rivals
            )
            or _otherwise(pace, passage, own)
            for own in here
        ) or any(
            _swapped(said, passage, fact, other)
            for other in numbers
            if fact.kind == "number" and other.unit == fact.unit
        ):
            yield Apart((fact.start, fact.end), (here[0].start, here[0].end))


def _counts(fact: Fact) -> bool:
    """Whether it may stand with other words: a number that counts something, or a time of the day."""
    if fact.kind == "number":
        return bool(fact.unit) and not fact.unit.startswith("第")
    return fact.kind == "date" and ":" in fact.value


def _sort(fact: Fact) -> tuple[str, str, bool]:
    """What a fact has in common with its rivals."""
    return fact.kind, fact.unit, fact.kind == "date" and ":" in fact.value


def _items(said: Reading, fact: Fact, alone: bool, question: Reading | None) -> _Items:
    """The facts and words of the sentence, or of the fact's clause where another number of its unit stands in the sentence."""
    low, high = (0, len(said.text)) if alone else clause_of(said.text, fact)
    others = [f for f in said.facts if f is not fact and f.kind != "rate" and low <= f.start < high]
    words = [w for w in said.words if low <= w.start < high]
    if question is not None:
        others += question.facts
        words += question.words
    return _Items(tuple(others), tuple(words))


def _rather(items: _Items, passage: Reading, own: Fact, rival: Fact, rivals: Sequence[Fact]) -> bool:
    """Whether the items stand with `rival` and none of them with `own`: in the clauses of both, else in these with the
    clauses before, back to another number of the unit."""
    for wider in (False, True):
        ours = _around(passage, own, rivals, wider)
        theirs = _around(passage, rival, [own, *rivals], wider)
        if ours == theirs:
            continue
        mine = _held(items, passage, ours)
        yours = _held(items, passage, theirs)
        more, less = yours - mine, mine - yours
        verbs_only = bool(more & items.names) and not less - items.others
        if more and (not less or verbs_only or any(item.startswith("code ") for item in more)):
            return True
        if less:
            return False
    return False


def _left_out(said: Reading, passage: Reading, fact: Fact, own: Fact, rival: Fact) -> bool:
    """Whether a later clause of the passage names what the sentence gives the number of an earlier one, and only leaves out what that began with.

    In 「质保期为24个月，传感器为36个月」 the second clause is about 质保期 too, so 「传感器质保期为24个月」 has its words with 36.
    """
    low, high = clause_of(said.text, fact)
    words = [w for w in said.words if low <= w.start < high]
    ours, theirs = clause_of(passage.text, own), clause_of(passage.text, rival)
    if ours[1] > theirs[0]:
        return False
    here, there = (passage.text[slice(*span)] for span in (ours, theirs))
    more = [w for w in words if held(w.word, here) < 0]
    return any(w.name for w in more) and all(held(w.word, there) >= 0 for w in more) and len(more) < len(words)


def _held(items: _Items, passage: Reading, span: tuple[int, int]) -> frozenset[str]:
    text = passage.text[slice(*span)]
    there = [f for f in passage.facts if span[0] <= f.start < span[1]]
    facts = {
        f"{f.kind} {f.value} {f.unit} {sorted(f.bound)}"
        for f in items.facts
        if any(same(f, g) and not contrary(f, g) for g in there)
    }
    facts |= {
        f"{f.value} {sorted(f.bound)}"
        for f in items.facts
        if f.bound and any(same(f, g) and f.bound == g.bound for g in there)
    }
    return frozenset(facts | {w.word for w in items.words if held(w.word, text) >= 0})


def _otherwise(pace: Sequence[Fact], passage: Reading, own: Fact) -> bool:
    """Whether a number that the sentence gives every month, or every night, is given at another pace in its clause of the passage."""
    there = _paces(passage, own)
    return bool(there) and any(not any(same(r, f) for f in there) for r in pace)


def _paces(reading: Reading, fact: Fact) -> list[Fact]:
    """The rates that a number is given at: those before it in its clause (每天100元), and those behind a stroke (100元/天)."""
    low, high = clause_of(reading.text, fact)
    rates = [r for r in reading.facts if r.kind == "rate" and low <= r.start < high]
    return [r for r in rates if r.start < fact.start or reading.text[r.start] in "/·"]


def _swapped(said: Reading, passage: Reading, one: Fact, other: Fact) -> bool:
    """Whether what only the first of two numbers of a sentence stands with stands with the other in the passage, wherever both are.

    In 「年假10天，病假5天」 against 「年假5天，病假10天」 年假 stands with 10天, which the passage gives 病假.
    """
    if same(one, other):
        return False
    ours, theirs = ([f for f in passage.facts if f.kind == "number" and same(n, f)] for n in (one, other))
    if len(ours) != 1 or len(theirs) != 1:  # 满5年不满10年, 满10年不满15年: which of them is meant is not told
        return False
    for wider in (False, True):
        beside, not_beside = (_beside(said, f, g, wider) for f, g in ((one, other), (other, one)))
        words = tuple(w for w in beside.words if w.word not in {v.word for v in not_beside.words})
        items = _Items(tuple(f for f in beside.facts if not any(same(f, g) for g in not_beside.facts)), words)
        mine = [_held(items, passage, _joint(passage, own, theirs, wider)) for own in ours]
        yours = [_held(items, passage, _joint(passage, rival, ours, wider)) for rival in theirs]
        if any(mine):
            return False
        if any(yours):
            return True
    return False


def _beside(said: Reading, fact: Fact, other: Fact, wider: bool) -> _Items:
    """What stands with a number of the sentence rather than with the other."""
    low, high = _joint(said, fact, [other], wider)
    facts = [f for f in said.facts if f.kind != "rate" and f.unit != fact.unit and low <= f.start < high]
    return _Items(tuple(facts), tuple(w for w in said.words if low <= w.start < high))


def _joint(reading: Reading, fact: Fact, others: Sequence[Fact], wider: bool) -> tuple[int, int]:
    """`_around`, cut where 和 or "and" joins two numbers and what belongs to each."""
    low, high = _around(reading, fact, others, wider)
    low = max([low, *(m.end() for m in _JOINT.finditer(reading.text, low, fact.start) if low)])
    return low, min([high, *(m.start() for m in _JOINT.finditer(reading.text, fact.end, high))])


def _around(passage: Reading, fact: Fact, others: Sequence[Fact], wider: bool) -> tuple[int, int]:
    """The clause of a fact, when `wider` with the clauses before it back to one of the `others`, cut at those inside."""
    low, high = clause_of(passage.text, fact)
    if wider:
        low = max((clause_of(passage.text, f)[1] for f in others if f.end <= low), default=0)
    low = max([low, *(f.end for f in others if f.end <= fact.start)])
    return low, min([high, *(f.start for f in others if f.start >= fact.end)])


def scattered(said: Reading, passage: Reading, parts: Sequence[tuple[int, int]]) -> Iterator[Apart]:
    """What a clause of the sentence names, and the passage only in another sentence than the one that has the rest of the clause.

    In 「应提前3个工作日申请，由部门负责人审批」 the second clause has its 审批 in the sentence that has the first, with 直属主管; the
    部门负责人 is in another.
    """
    if len(parts) < 2:
        return
    texts = [passage.text[a:b] for a, b in parts]
    main = max(range(len(parts)), key=lambda i: _count(said, passage, parts[i]))
    for low, high in clauses(said.text):
        strict = [
            (f.start, f.end, _has(f, passage, parts[main]))
            for f in said.facts
            if low <= f.start < high and f.kind != "rate"
        ]
        strict += [
            (w.start, w.end, held(w.word, texts[main]) >= 0) for w in said.words if low <= w.start < high and w.proper
        ]
        others = [
            held(w.word, texts[main]) >= 0
            for w in said.words
            if low <= w.start < high and (not w.name or held(w.word, texts[main]) >= 0)
        ]
        for start, end, there in strict:
            if not there and others and all(others):
                yield Apart((start, end), parts[main])


def _count(said: Reading, passage: Reading, part: tuple[int, int]) -> int:
    text = passage.text[slice(*part)]
    there = [f for f in passage.facts if part[0] <= f.start < part[1]]
    exact = sum(any(same(fact, f) and fact.bound == f.bound for f in there) for fact in said.facts)
    return sum(held(w.word, text) >= 0 for w in said.words) + sum(_has(f, passage, part) for f in said.facts) + exact


def _has(fact: Fact, passage: Reading, part: tuple[int, int]) -> bool:
    return any(same(fact, f) and part[0] <= f.start < part[1] for f in passage.facts)
