"""Does a passage say what a sentence says? By rules, and every rule says on which words it rests.

Compared are numbers with their units and sides, dates, codes, names, the words that turn a rule round, the other words as
a share, and whether what stands together in the answer stands together in the source. One clue that does not agree is enough to
leave the sentence unsupported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from rag.ask.contrasts import contrasts
from rag.ask.facts import Fact, contrary, same
from rag.ask.reading import Reading
from rag.ask.sentences import clauses
from rag.ask.sides import other_side
from rag.ask.slots import in_place, joined_otherwise
from rag.ask.together import apart, scattered
from rag.ask.turned import turned
from rag.ask.wording import PARTIES, Word, held, synonyms
from rag.types import ClueKind

ENOUGH: Final = 0.4
"""Least share of a sentence's characters in words that say something, which its source must hold, in these or other words."""
ENOUGH_ASKED: Final = 0.1
"""Least share of the question's terms beside an answer that consists of hardly more than a number."""
SHORT: Final = 4
"""Characters in words, from which on an answer says by itself what it is about."""

_HAN: Final = re.compile("[\u3400-\u9fff]")
_TITLE: Final = re.compile("《([^《》\n]{2,30})》")
_POINTS: Final = ("最后", "任何", "任意", "某", "同", "另", "这", "那", "其中")
_MOST: Final = (
    "额度",
    "限额",
    "标准",
    "上限",
    "时限",
    "期限",
    "有效",
    "可",
    "享",
    "最",
    "不超",
    "以内",
    "limit",
    "up to",
    "may",
    "can",
)
_LEAST: Final = ("下限", "最少", "最低", "最短", "至少", "least", "minimum")
"""Words of a source whose number is a limit by its nature, as in a column 最少报价家数."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A clue with offsets in the sentence's and the passage's reading. `there` None: not in the passage; `above`: in its heading."""

    kind: ClueKind
    start: int
    end: int
    there: tuple[int, int] | None
    agrees: bool
    above: bool = False
    share: tuple[float, float] | None = None
    """As `rag.types.Clue.share`."""

    @property
    def missing(self) -> bool:
        """Whether it is something that the passage does not have, rather than something it has otherwise."""
        if self.kind == "name":
            return not self.agrees and self.there is None
        return not self.agrees and (self.kind in ("number", "date") or self.share is not None)


@dataclass(frozen=True, slots=True)
class Compared:
    """What a sentence is compared with: a passage, the heading over it, and the question."""

    passage: Reading
    parts: tuple[tuple[int, int], ...]
    """The sentences of the passage."""
    heading: Reading
    question: Reading
    asked: float
    """Share (0…1) of the question's terms in the passage."""
    all_facts: tuple[Fact, ...]
    """Those of all of its source."""
    others: tuple[str, ...]
    """The texts of all sources."""
    replaced: frozenset[str]
    """Nouns of the sentence in whose place some passage has another word: the one that carries it has to hold them."""
    outdone: frozenset[str]
    """Those of them where that passage has more of the sentence."""


def verify(said: Reading, source: Compared) -> tuple[Finding, ...]:
    """What decides whether `source` carries a sentence: it does if every finding agrees. In the order of the sentence.

    Empty when nothing in the sentence can be compared.
    """
    found = [
        *_facts(said, source),
        *_names(said, source),
        *_words(said, source),
        *_asked_of(said, source),
        *(Finding(t.kind, *t.said, t.there, t.agrees) for t in turned(said, source.passage)),
        *(Finding("condition", *ours, theirs, False) for ours, theirs in contrasts(said, source.passage)),
        *(Finding("condition", *ours, theirs, False) for ours, theirs in joined_otherwise(said, source.passage)),
        *(Finding("place", *ours, theirs, False) for ours, theirs in other_side(said, source.passage)),
        *(Finding("place", *p.said, None, False) for p in scattered(said, source.passage, source.parts)),
        *(
            Finding("place", *p.said, p.there, False)
            for p in apart(said, source.passage, source.question, _length(said) < SHORT)
        ),
    ]
    return tuple(sorted(found, key=lambda f: (f.start, f.end)))


def _facts(said: Reading, source: Compared) -> Iterator[Finding]:
    for fact in said.facts:
        kind: ClueKind = "date" if fact.kind == "date" else "number"
        there = [f for f in source.passage.facts if same(fact, f)]
        enough = len(there) >= _repeated(said, fact) or fact.kind == "rate"
        agreeing = [f for f in there if not contrary(fact, f) and not _added(fact, f, source.passage.text)]
        if agreeing and enough:
            yield Finding(kind, fact.start, fact.end, (agreeing[0].start, agreeing[0].end), True)
        elif agreeing:
            yield Finding(kind, fact.start, fact.end, None, False)  # it stands there once and here twice
        elif there:
            yield Finding("limit", fact.start, fact.end, (there[0].start, there[0].end), False)
        elif any(same(fact, f) for f in source.heading.facts):
            yield Finding(kind, fact.start, fact.end, None, True, above=True)
        else:
            rival = _rival(fact, source.passage)
            if rival or not _counts_nothing(said, fact):
                yield Finding(kind, fact.start, fact.end, rival, False)


def _counts_nothing(said: Reading, fact: Fact) -> bool:
    """Whether 一 only points at a thing: 四年换一次, 最后一个工作日, or 一封邮件 where a clause begins; not 1次, nor a time or money."""
    if fact.kind != "number" or fact.value != "1" or said.text[fact.start] != "一":
        return False
    before = said.text[: fact.start].rstrip()
    if said.text[fact.start : fact.end] in ("一次", "一个") or before.endswith(_POINTS):
        return True
    opens = not before or before[-1] in "，,。；;：:、\n"
    return opens and len(fact.unit) == 1 and fact.unit not in "日"


def _repeated(said: Reading, fact: Fact) -> int:
    """How often the same fact stands in the sentence up to this one."""
    return sum(same(fact, f) and f.start <= fact.start for f in said.facts)


def _added(said: Fact, there: Fact, passage: str) -> bool:
    """Whether the sentence puts a limit on a number that the source gives without one; 最多 and 至少 are allowed where it is a limit by its nature."""
    if not said.bound or there.bound or (said.bound == {"ahead"} and passage.endswith("前", 0, there.start)):
        return False  # 休假前3天 is 提前3天
    natures = {frozenset({"at most"}): _MOST, frozenset({"at least"}): _LEAST}
    return not any(word in passage for word in natures.get(frozenset(said.bound), ()))


def _rival(fact: Fact, passage: Reading) -> tuple[int, int] | None:
    """What the passage has in place of a fact: the same number with another unit, else another number with the same unit."""
    alike = [f for f in passage.facts if f.kind == fact.kind and (f.value == fact.value or f.unit == fact.unit)]
    first = next((f for f in alike if f.value == fact.value), alike[0] if alike else None)
    return (first.start, first.end) if first else None


def _names(said: Reading, source: Compared) -> Iterator[Finding]:
    for word in said.words:
        at = held(word.word, source.passage.text)
        rival = _rival_word(word, said, source.passage)
        above = at < 0 and held(word.word, source.heading.text) >= 0
        if (
            rival
            and _names_one(word)
            and (at < 0 or word.word in PARTIES or _inside(word, said))
            and (at < 0 or source.passage.text.startswith(word.word, at))
        ):
            yield Finding(
                "name", word.start, word.end, rival, False
            )  # where the sentence has it, the passage has another
        elif (at >= 0 or above) and word.word in source.outdone:
            yield Finding("name", word.start, word.end, (at, at + len(word.word)) if at >= 0 else None, False)
        elif at >= 0 or above:
            if word.name:
                yield Finding("name", word.start, word.end, (at, at + len(word.word)) if at >= 0 else None, True, above)
        elif _differs(word, rival, source):
            yield Finding("name", word.start, word.end, rival, False)
    for compound in _compounds(said, source.passage):
        if rival := _rival_word(compound, said, source.passage):
            yield Finding("name", compound.start, compound.end, rival, False)
    for match in _TITLE.finditer(said.text):
        if not any(match.group(1) in text for text in (source.passage.text, source.heading.text)):
            yield Finding("name", *match.span(), None, False)


def _compounds(said: Reading, passage: Reading) -> Iterator[Word]:
    """Words that stand side by side and end in a noun, as one (退休返聘人员), where the passage lacks the first and the whole."""
    for i, first in enumerate(said.words):
        end = first.end
        for word in said.words[i + 1 : i + 3]:
            if word.start != end or first.word[0].isascii():
                break
            end = word.end
            whole = said.text[first.start : end]
            if (word.name or word.word in PARTIES) and all(held(w, passage.text) < 0 for w in (first.word, whole)):
                yield Word(whole, first.start, end, True, True)


def _differs(word: Word, rival: tuple[int, int] | None, source: Compared) -> bool:
    """Whether a word that the passage lacks makes the sentence another one, and is not just another way to say it.

    It does when it is a name, or one of a kind (a role, a leave, a form); when it is another noun, unless the question brought it in; and
    when it stands in the place of another word that shares no character with it.
    """
    if word.proper or word.word in source.replaced:
        return True
    if word.name and len(word.word) > 1:
        return held(word.word, source.question.text) < 0
    if rival is None or word.word in PARTIES or held(word.word, source.question.text) >= 0:
        return False
    there = source.passage.text[slice(*rival)]
    if len(word.word) > 1 and not set(word.word) & set(there):
        return True
    return any(word.word in text for text in source.others) or (
        word.word in synonyms() and any(w in there for w in synonyms() if len(w) > 1)
    )


def _rival_word(word: Word, said: Reading, passage: Reading) -> tuple[int, int] | None:
    """What stands in a word's place in the passage and is not the same in other words."""
    spans = in_place(word, said, passage)
    return next((s for s in spans if _another(word.word, passage.text[slice(*s)])), None)


def replaced(said: Reading, passage: Reading) -> Iterator[str]:
    """The nouns of a sentence in whose place a passage has another word."""
    return (w.word for w in said.words if _names_one(w) and _rival_word(w, said, passage))


def _inside(word: Word, said: Reading) -> bool:
    """Whether a word stands neither first nor last in its clause, so that its place is told from both sides."""
    return any(low < word.start and word.end < high for low, high in clauses(said.text))


def _names_one(word: Word) -> bool:
    """Whether it is a noun, as far as that can be told: a Latin word of four letters may be one."""
    return word.name or word.word in PARTIES or (word.word[0].isascii() and len(word.word) > 3)


def _another(word: str, rival: str) -> bool:
    return held(word, rival) < 0 and held(rival, word) < 0


def _asked_of(said: Reading, source: Compared) -> Iterator[Finding]:
    """To an answer that is hardly more than a number: numbers and codes of the question that stand in the source, but not here."""
    if said.words or not said.facts:
        return
    for fact in source.question.facts:
        if fact.kind == "date" or (fact.kind == "number" and not fact.unit) or fact.kind == "rate":
            continue
        here = any(same(fact, f) and not contrary(fact, f) for f in source.passage.facts)
        if not here and any(same(fact, f) and not contrary(fact, f) for f in source.all_facts):
            yield Finding("place", 0, len(said.text), None, False)
            return


def kept(said: Reading, passage: Reading, heading: Reading) -> int:
    """Characters in words of the sentence that a passage or its heading holds, in these or other words."""
    return sum(
        w.end - w.start
        for w in said.words
        if w.word not in PARTIES and max(held(w.word, passage.text), held(w.word, heading.text)) >= 0
    )


def _length(said: Reading) -> int:
    return sum(word.end - word.start for word in said.words)


def _words(said: Reading, source: Compared) -> Iterator[Finding]:
    whole = _length(said)
    there = f"{source.passage.text}\n{source.heading.text}\n{source.question.text}"
    kept = sum(w.end - w.start for w in said.words if held(w.word, there) >= 0)
    if whole >= SHORT and kept < ENOUGH * whole:
        yield Finding("words", said.words[0].start, said.words[-1].end, None, False, share=(kept / whole, ENOUGH))
    elif not said.words and source.asked < ENOUGH_ASKED and _speaks_as(source.question, source.passage):
        yield Finding("asked", 0, len(said.text), None, False, share=(source.asked, ENOUGH_ASKED))


def _speaks_as(question: Reading, passage: Reading) -> bool:
    """Whether the question has words, and in the passage's script: of another, none can be expected to stand there."""
    return bool(question.words) and bool(_HAN.search(question.text)) == bool(_HAN.search(passage.text))
