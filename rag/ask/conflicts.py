"""What an answer's sources leave out: another version of the policy that says otherwise, another source that contradicts."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from rag.ask.alike import Row, Span, Token, content, differ, likeness, marks, most_like, values, wording
from rag.ask.nearest import BOUND, Effort, Sentences, pairs
from rag.ask.sentences import is_heading, source_sentences
from rag.errors import Bilingual
from rag.types import Answer, Difference, Document, Evidence, Retrieval, Side, Step

SAME: Final = 0.8
"""Sentences of two policies say the same when they are at least so much alike."""
_FEWEST: Final = 5
"""Tokens that a sentence has at least: a bare figure says nothing."""
_REACH: Final = 400
_MEASURES: Final = frozenset(
    {"workday", "day", "日", "month", "minute", "night", "dollar", "euro", "pound", "yen", "hkd", "yuan", "percent", "metre"}
)  # fmt: skip
"""Units of what is granted or asked for; others count classes and items (一线, 二级)."""
MOST: Final = 5
"""Of more differences of a kind the first are told."""
ABOUT: Final = 64
"""Of more sentences of a source that share words with the question, those that share most are compared with other sources."""


def told(
    answer: Answer, retrieval: Retrieval, documents: Mapping[str, Document], stop: threading.Event | None = None
) -> Answer:
    """A complete answer with its `differences`, and the trace's row on them; a refusal as it is.

    Compared with the sentences that its citations name: the versions that only the scope kept from being found, and those
    packed beside. Compared with each other: the packed sources, where they share words with the question. What `stop` or the
    bound (`rag.ask.nearest.BOUND`) leaves uncompared is said in the row.
    """
    if all(s.support == "refusal" for s in answer.sentences):
        return answer
    began = time.perf_counter()
    packed = answer.prompt.packed
    keys = dict.fromkeys([*(c.chunk.key for c in retrieval.outside if c.status.of), *(e.chunk.key for e in packed)])
    others: dict[str, list[Document]] = defaultdict(list)
    for piece in packed:
        mine = documents[piece.chunk.key]
        others[mine.key] = [documents[key] for key in keys if key in documents and _replaces(documents[key], mine)]
    of = {e.chunk.chunk_id: e for e in packed}
    cited = [
        (e.marker, documents[e.chunk.key], c.span)
        for c in answer.citations
        if c.span and (e := of.get(c.chunk_id or ""))
    ]
    efforts = Effort(stop), Effort(stop)
    versions = between_versions([(marker, document, [span]) for marker, document, span in cited], others, efforts[0])
    sources = between_sources(retrieval.question, packed, documents, efforts[1])
    stopped = stop is not None and stop.is_set()
    note = _note(versions, sources, any(effort.short for effort in efforts), stopped)
    n_in = sum(map(len, others.values()))
    step = Step("compare", time.perf_counter() - began, n_in, len(versions) + len(sources), note)
    trace = replace(answer.trace, steps=(*answer.trace.steps, step))
    return replace(answer, differences=(*versions, *sources), trace=trace)


def _replaces(other: Document, one: Document) -> bool:
    return other.key != one.key and (other.origin, other.doc_id) == (one.origin, one.doc_id)


def between_versions(
    cited: Sequence[tuple[str, Document, Sequence[Span]]],
    others: Mapping[str, Sequence[Document]],
    effort: Effort | None = None,
) -> tuple[Difference, ...]:
    """What other versions of a policy say in place of the sentences that an answer rests on.

    `cited`: marker, document and the spans that carry the answer; `others`: the other versions by the document's key. A
    sentence corresponds to the one in the other version that is most like it, if it is the one most like that too. Numbers
    and dates that differ come first; where only words do, these are marked. At most `MOST`.
    """
    effort = effort or Effort()
    whole: dict[str, Sentences] = {}
    rests: dict[tuple[str, str, int], str] = {}  # document, other version, sentence → the marker that names it first
    for marker, document, spans in cited:
        for other in others.get(document.key, ()):
            for one in (document, other):
                if not effort.goes_on():
                    return ()
                whole[one.key] = whole.get(one.key) or Sentences(one.text, [(0, len(one.text))])
            for number in _resting(document, whole[document.key], spans):
                rests.setdefault((document.key, other.key, number), marker)
    found: list[Difference] = []
    for (here, there, number), marker in rests.items():
        if effort.goes_on():
            found += _compared(marker, (here, whole[here]), (there, whole[there]), number, effort)
    return tuple(sorted(found, key=lambda d: not d.by_value)[:MOST])


def _whole(document: Document, span: Span) -> Span:
    """`span` as far as its sentences reach."""
    text, (start, end) = document.text, span
    low = max(text.rfind("\n", 0, start) + 1, start - _REACH)
    stop = text.find("\n", end)
    high = min(stop if stop >= 0 else len(text), end + _REACH)
    inside = [(a, b) for a, b in source_sentences(text, low, high) if a < end and b > start]
    return (inside[0][0], inside[-1][1]) if inside else span


def _resting(document: Document, sentences: Sentences, spans: Sequence[Span]) -> Iterator[int]:
    """The sentences, not headings, on which the spans lie."""
    wanted = [_whole(document, span) for span in spans]
    for number, (start, end) in enumerate(sentences.spans):
        if any(start < b and end > a for a, b in wanted) and not is_heading(document, (start, end)):
            yield number


def _compared(
    marker: str, mine: tuple[str, Sentences], theirs: tuple[str, Sentences], number: int, effort: Effort
) -> Iterator[Difference]:
    row = mine[1].row(number)
    if len(row.tokens) < _FEWEST:
        return
    against = _corresponding(row, mine[1].pairs[number], theirs[1], effort)
    if against is None:
        return
    back = _corresponding(theirs[1].row(against), theirs[1].pairs[against], mine[1], effort)
    if back != number:
        return
    other = theirs[1].row(against)
    differing = values(row, other)
    here, there = marks(differing) if differing else wording(row, other)
    if here or there:
        sides = (Side(mine[0], row.start, row.end, here), Side(theirs[0], other.start, other.end, there))
        yield Difference("version", marker, *sides, by_value=bool(differing))


def _corresponding(row: Row, held: frozenset[str], there: Sentences, effort: Effort) -> int | None:
    """The number of the sentence most like `row`, whose pairs are `held`."""
    near = [n for n in there.nearest(held) if effort.goes_on() and effort.spend(row, there.row(n))]
    found = most_like(row, [there.row(n) for n in near])
    return next((n for n in near if there.row(n) is found), None)


def between_sources(
    question: str, packed: Sequence[Evidence], documents: Mapping[str, Document], effort: Effort | None = None
) -> tuple[Difference, ...]:
    """Sentences of two packed policies that say the same of different values, where they share words with the question.

    What counts as the same: `contradiction`; those that share most of their letters are compared first. At most `MOST`, in the
    order of the sources.
    """
    effort = effort or Effort()
    asked = pairs(question)
    read = [Sentences(documents[piece.chunk.key].text, piece.spans) for piece in packed if effort.goes_on()]
    tries: list[tuple[float, int, int, int, int]] = []
    for i, here in enumerate(read):
        about = _about(here, asked, effort)
        for j in range(i + 1, len(read)):
            one, two = (documents[packed[n].chunk.key] for n in (i, j))
            if one.key == two.key or _replaces(two, one):
                continue
            for number in about if effort.goes_on() else ():
                mine = here.pairs[number]
                for other, theirs in ((n, read[j].pairs[n]) for n in read[j].nearest(mine)):
                    tries.append((-len(mine & theirs) / min(len(mine), len(theirs)), i, j, number, other))
    found: list[tuple[int, int, int, int, Difference]] = []
    for _, i, j, number, other in sorted(tries):
        if len(found) == MOST or not effort.goes_on():
            break
        row, against = read[i].row(number), read[j].row(other)
        if effort.spend(row, against) and (differing := contradiction(row, against)):
            marked = marks(differing)
            spans = ((packed[i].chunk.key, row), (packed[j].chunk.key, against))
            first, second = (Side(key, r.start, r.end, m) for (key, r), m in zip(spans, marked, strict=True))
            told = Difference("source", packed[i].marker, first, second, by_value=True, other=packed[j].marker)
            found.append((i, j, number, other, told))
    return tuple(told for *_, told in sorted(found, key=lambda one: one[:4]))


def _about(sentences: Sentences, asked: frozenset[str], effort: Effort) -> list[int]:
    """The sentences that share two pairs of letters with the question at least: at most `ABOUT`, in the text's order."""
    shared = [(-len(held & asked), n) for n, held in enumerate(sentences.pairs) if len(held & asked) >= 2]
    effort.short = effort.short or len(shared) > ABOUT
    return sorted(n for _, n in sorted(shared)[:ABOUT])


def contradiction(row: Row, other: Row) -> Sequence[tuple[Token, Token]]:
    """The numbers, or the one date, in which two sentences differ that say the same; none when it is not so.

    They are alike but for small words, and of several that differ each is a plain amount: with another year, class (一线) or
    condition (满5年, 500元以下) it is another case. Or every word of the shorter stands in the longer, and all its numbers but one, of whose
    unit the longer has one that the shorter has not.
    """
    if min(len(row.tokens), len(other.tokens)) < _FEWEST:
        return ()
    if likeness(row, other) >= SAME and not any(wording(row, other)):
        differing = values(row, other)
        several = len(differing) > 1
        return () if several and not all(_amount(row, a) and _amount(other, b) for a, b in differing) else differing
    pair = _of_the_same(row, other)
    return () if pair is None else (pair,)


def _amount(row: Row, token: Token) -> bool:
    """Whether it counts a measure and is no condition (满5年, 超过500元, 500元以下, 工作5年的); a limit (3日内) is none."""
    fact = token.fact
    if fact is None or fact.kind != "number" or fact.unit not in _MEASURES:
        return False
    behind = "".join(row.words[row.tokens.index(token) + 1 :][:3])
    return not (
        fact.bound & {"at least", "over", "under"} or behind.startswith(("的", "以下", "以内的", "之内的", "内的"))
    )


def _of_the_same(row: Row, other: Row) -> tuple[Token, Token] | None:
    short, long = sorted((row, other), key=lambda one: len(one.tokens))
    if not content(short) <= content(long):
        return None
    own = [t for t in short.tokens if t.fact and all(differ(t, u) or t.word != u.word for u in long.tokens)]
    there = [
        u
        for u in long.tokens
        if own and u.word == own[0].word and all(differ(t, u) for t in short.tokens if t.word == u.word)
    ]
    if len(own) != 1 or len(there) != 1:
        return None
    return (own[0], there[0]) if short is row else (there[0], own[0])


def _note(versions: Sequence[Difference], sources: Sequence[Difference], short: bool, stopped: bool) -> Bilingual:
    en = f"sentences that other versions have otherwise: {len(versions)}; packed sources that contradict each other: {len(sources)}"
    zh = f"其他版本写法不同 {len(versions)} 处，所放来源互相矛盾 {len(sources)} 处"
    if short:
        en += "; not all was compared: " + ("it was stopped" if stopped else f"the bound is {BOUND} characters of sentences of a kind, {ABOUT} sentences of a source")  # fmt: skip
        zh += "；未全部比较：" + ("已停止" if stopped else f"每类最多比较 {BOUND} 字的句子，每个来源最多 {ABOUT} 句")
    return Bilingual(en=en, zh=zh)
