"""Whether 不得, 可以, 必须, 无需, 仅限, 除外, 之前 and 之后 govern in a passage what they govern in a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from rag.ask.polarity import Operator, Turn
from rag.ask.reading import Reading
from rag.ask.sentences import clauses
from rag.types import ClueKind

_GRAM: Final = re.compile(r"(?=([\u3400-\u9fff]{2}))|(?<![a-z0-9])([a-z0-9]{3,})")
_ONE: Final = re.compile("[\u3400-\u9fff]")
_STRONG: Final = re.compile("必须|务必|一律|一定|must|shall|required")
_LIMITED: Final = re.compile(r"(?<![上下时期权年无有界极局额])限(?![额制期度])于?")
_TWICE: Final = re.compile(r"[未非]经.{0,12}不|[未没非].{0,10}不[得予能可]|除非|unless")
_PLACES: Final[dict[Turn, frozenset[Turn]]] = {
    "before": frozenset({"after"}),
    "after": frozenset({"before", "inside"}),
    "inside": frozenset({"outside", "after"}),
    "outside": frozenset({"inside"}),
}
_HEADS: Final = 2
"""Pairs of characters right behind (or before) an operator that decide what it governs."""


@dataclass(frozen=True, slots=True)
class Turned:
    """An operator of the sentence, ``said``, or what one of the passage governs in it; `there` in the passage."""

    kind: ClueKind
    said: tuple[int, int]
    there: tuple[int, int] | None
    agrees: bool


def turned(said: Reading, passage: Reading) -> Iterator[Turned]:
    """What the operators of both say against each other; an operator whose words the other side lacks says nothing."""
    if not said.words and not said.facts:
        yield from _alone(said, passage)
        return
    for operator in said.operators:
        if operator.negative:
            yield from _negative(operator, said, passage)
        elif operator.turn in ("must", "may"):
            yield from _modal(operator, said, passage)
        elif operator.turn == "only" and not any(0 <= f.start - operator.end < 3 for f in said.facts):  # 只发九成
            yield _only(operator, said, passage)
        elif operator.turn in _PLACES:
            yield from _side(operator, said, passage)
    for operator in passage.operators:
        if operator.negative:
            yield from _dropped(operator, said, passage)


def _alone(said: Reading, passage: Reading) -> Iterator[Turned]:
    """可以。 or 不可以。, and nothing else: what it is said of is the question, whose passage this is."""
    denied = _first(passage, ("forbidden", "needless", "not", "except"))
    for operator in said.operators:
        if operator.negative:
            yield Turned("negation", (operator.start, operator.end), denied, denied is not None)
        elif operator.turn in ("may", "must"):
            there = _first(passage, (operator.turn,))
            yield Turned(
                "condition", (operator.start, operator.end), denied or there, there is not None and denied is None
            )


def _negative(operator: Operator, said: Reading, passage: Reading) -> Iterator[Turned]:
    own = (operator.start, operator.end)
    negatives = [o for o in passage.operators if o.negative]
    shared = [g for g in _grams(said.text, operator) if g[0] in passage.text]
    if not shared:
        there = negatives[0] if len(negatives) >= sum(o.negative for o in said.operators) else None
        yield Turned("negation", own, (there.start, there.end) if there else None, there is not None)
        return
    if operator.turn == "needless" and (must := _needed(shared[0][0], passage)):
        yield Turned("negation", own, must, False)
        return
    governing = [o for o in negatives if any(_governs(o, passage.text, g) for g, _ in shared)]
    opposite = {"forbidden": "needless", "needless": "forbidden"}.get(operator.turn)
    for there in governing:
        if there.turn != opposite:
            if (granted := _granted([g for g, _ in shared], said, passage)) is not None:
                yield Turned("negation", own, granted, False)
                return
            yield Turned("negation", own, (there.start, there.end), True)
            return
    if governing:
        yield Turned("negation", own, (governing[0].start, governing[0].end), False)
        return
    at = passage.text.find(shared[0][0])
    yield Turned("negation", own, (at, at + len(shared[0][0])), False)


def _granted(grams: list[str], said: Reading, passage: Reading) -> tuple[int, int] | None:
    """Where a passage says without a no most of what the sentence denies, beside something else that it denies with the same word:
    但享受意外保险 of 不享受医疗保险，但享受意外保险.
    """
    head, objects = grams[0], grams[1:]
    denied = [
        (a, b) for a, b in clauses(passage.text) if any(o.negative and a <= o.start < b for o in passage.operators)
    ]
    for low, high in clauses(passage.text):
        clause = passage.text[low:high]
        if (low, high) in denied or head not in clause:
            continue
        only = [g for g in objects if g in clause and not any(g in passage.text[a:b] for a, b in denied)]
        if 2 * len(only) > len(objects):
            return low, high
    return None


def _needed(gram: str, passage: Reading) -> tuple[int, int] | None:
    """Where a passage demands what the sentence says is not needed, and nowhere says so itself: 须事先批准 against 无需事先批准."""
    found = [o for o in passage.operators if _governs(o, passage.text, gram)]
    if any(o.negative for o in found):
        return None
    return next(((o.start, o.end) for o in found if o.turn == "must"), None)


def _modal(operator: Operator, said: Reading, passage: Reading) -> Iterator[Turned]:
    """必须 against 可以 and the other way round; 不得 and 无需 in the passage are seen from there."""
    own, other = (operator.start, operator.end), "may" if operator.turn == "must" else "must"
    strong = operator.turn == "may" or _STRONG.search(said.text, *own)
    heads = [g for g, _ in _grams(said.text, operator) if g in passage.text]
    there = [o for o in passage.operators if any(g in _beside(o, passage.text) for g in heads)]
    if any(o.turn == operator.turn for o in there):
        first = next(o for o in there if o.turn == operator.turn)
        yield Turned("condition", own, (first.start, first.end), True)
    elif strong and any(o.turn == other for o in there):
        first = next(o for o in there if o.turn == other)
        yield Turned("condition", own, (first.start, first.end), False)
    elif operator.turn == "may" and (denied := _denied(operator, said, passage)):
        yield Turned("negation", own, denied, False)


def _denied(operator: Operator, said: Reading, passage: Reading) -> tuple[int, int] | None:
    """Where the passage forbids what the sentence permits: 可以使用职工的电脑 against 不得使用员工的电脑, but not against 不得使用外网."""
    ours = [g for g, _ in _grams(said.text, operator)]
    for there in passage.operators:
        theirs = passage.text[slice(*there.reach)]
        shared = sum(g in theirs for g in ours)
        if there.turn == "forbidden" and ours and ours[0] in theirs and shared >= min(2, len(ours)):
            return there.start, there.end
    return None


def _only(operator: Operator, said: Reading, passage: Reading) -> Turned:
    """仅限 in the passage too, and of the same."""
    grams = [g for g, _ in _grams(said.text, operator)]
    there = [m.span() for m in _LIMITED.finditer(passage.text)]
    there += [(o.start, o.end) for o in passage.operators if o.turn in ("only", "except")]
    span = next((x for x in there if any(g in passage.text[x[1] : x[1] + 12] for g in grams)), None)
    return Turned("condition", (operator.start, operator.end), span, span is not None)


def _side(operator: Operator, said: Reading, passage: Reading) -> Iterator[Turned]:
    """转正之前 against 转正之后."""
    own = (operator.start, operator.end)
    last = [g for g, _ in _grams(said.text, operator)]
    last = last[:1] if operator.reach[0] >= operator.end else last[-1:]
    there = [o for o in passage.operators if o.turn in _PLACES and any(g in _beside(o, passage.text) for g in last)]
    if any(o.turn == operator.turn for o in there):
        first = next(o for o in there if o.turn == operator.turn)
        yield Turned("condition", own, (first.start, first.end), True)
    elif there and all(o.turn in _PLACES[operator.turn] for o in there):
        yield Turned("condition", own, (there[0].start, there[0].end), False)


def _dropped(operator: Operator, said: Reading, passage: Reading) -> Iterator[Turned]:
    """What the passage denies and the sentence says without a no."""
    negatives = [o for o in passage.operators if o.negative]
    if _TWICE.search(passage.text) and not any(o.negative for o in said.operators):
        return  # 未经批准不得 is 须经批准
    heads = _grams(passage.text, operator)
    heads = heads[-_HEADS:] if operator.reach[1] <= operator.start else heads[:_HEADS]
    ours = [o for o in said.operators if o.negative]
    free = [o for o in ours if not _elsewhere(o, operator, said, passage)]
    for gram, _ in heads:
        at = said.text.find(gram)
        if at < 0 or any(_governs(o, said.text, gram) for o in ours) or any(_behind(o, said.text, at) for o in free):
            continue
        if all(
            any(o.reach[0] <= m.start() < o.reach[1] for o in negatives)
            for m in re.finditer(re.escape(gram), passage.text)
        ):
            yield Turned("negation", (at, at + len(gram)), (operator.start, operator.end), False)
            return


def _elsewhere(ours: Operator, operator: Operator, said: Reading, passage: Reading) -> bool:
    """Whether a no of the sentence is another one of the passage than `operator`: 经批准的不计算 against 未经批准的不计算."""
    heads = [g for g, _ in _grams(said.text, ours)][:1]
    return any(
        o is not operator and o.negative and any(_governs(o, passage.text, g) for g in heads) for o in passage.operators
    )


def _grams(text: str, operator: Operator) -> list[tuple[str, int]]:
    """The pairs of characters and Latin words that an operator governs, with their places; a verb of one character by itself (可以收)."""
    low, high = operator.reach
    found = [(m.group(1) or m.group(2), m.start()) for m in _GRAM.finditer(text, low, high)]
    return found or [(text[i], i) for i in range(low, high) if _ONE.match(text[i])]


def _governs(operator: Operator, text: str, gram: str) -> bool:
    at = text.find(gram, operator.reach[0])
    return 0 <= at < operator.reach[1]


def _beside(operator: Operator, text: str) -> str:
    """What it governs right beside it."""
    governed = text[operator.reach[0] : operator.reach[1]]
    if operator.reach[0] < operator.end:
        return governed[-4:]
    return governed[:12] if governed.isascii() else governed[:5]


def _behind(operator: Operator, text: str, at: int) -> bool:
    """Whether an operator stands behind a place in its clause, as in U盘不能用."""
    return any(a <= at < operator.start < b for a, b in clauses(text))


def _first(passage: Reading, turns: tuple[Turn, ...]) -> tuple[int, int] | None:
    found = next((o for o in passage.operators if o.turn in turns), None)
    return (found.start, found.end) if found else None
