"""Where an answer does not hold: the sentences of the evidence that are closest to the question, word for word, in its place.

A small model misreads lists and tables, or says the question again, more often than the sentences closest to the question miss the answer: of
151 sample questions whose evidence was in the prompt it answers 61 right behind the gate, and 97 with what `fault` finds replaced
(39 won, 3 lost). Copying more than `LONGEST` characters would be no answer, nor would words in another language than the question's: such
sentences are not taken, and what the model wrote stays with its marks.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from rag.ask.cite import cite, sources, without_markers
from rag.ask.gate import document_of, own_pairs
from rag.ask.markers import broken
from rag.ask.rules import language_of
from rag.ask.saying import whether
from rag.ask.sentences import is_heading
from rag.errors import Bilingual
from rag.types import Answer, Document, Fault, Gate, Near, Quoted, Step

LONGEST: Final = 120
"""Characters of a quotation at most."""
_WORD: Final = 3
"""An answer of so many letters is a word or a number (是, 13天), which may stand in the question too."""
_ASKS: Final = ("？", "?")
_WHY: Final[Mapping[Fault, Bilingual]] = {
    "unsupported": Bilingual(en="no source carries what was written", zh="所写内容没有来源支持"),
    "echo": Bilingual(en="what was written says the question again", zh="所写内容只是重复问题"),
    "elsewhere": Bilingual(
        en="what was written rests on none of the sentences closest to the question", zh="所写内容的依据不在最接近问题的句子中"
    ),
}  # fmt: skip


def instead(
    written: Answer, weighed: Gate, question: str, documents: Mapping[str, Document]
) -> tuple[Answer, tuple[Step, ...]]:
    """A complete answer, or the quotation in its place, cited and checked as any answer; and the trace's row on it.

    `weighed`: the evidence of the answer. Of what was written nothing is lost: it is `withdrawn`.
    """
    began = time.perf_counter()
    why = fault(written, weighed, question)
    if why is None:
        return written, ()
    for near in _chosen(written, weighed, documents):
        text = "\n".join(_words(one, documents) for one in near)
        if len(text) > LONGEST or language_of(text) != language_of(question) or broken(text)[1]:
            continue
        cited = cite(text, sources(written.prompt.packed, documents), True, question)
        found = {s.support for s in cited.sentences}
        if "cited" in found and found <= {"cited", "no_claim"}:
            step = Step("quote", time.perf_counter() - began, len(weighed.nearest), len(near), _note(why, len(near)))
            quoted = replace(written, text=text, citations=cited.citations, sentences=cited.sentences, finish="end")
            return replace(quoted, quoted=Quoted(why, near), withdrawn=written), (step,)
    return written, (Step("quote", time.perf_counter() - began, len(weighed.nearest), 0, _note(why, 0)),)


def fault(written: Answer, weighed: Gate, question: str) -> Fault | None:
    """Why the answer does not hold; None when it refuses, or a sentence that is carried rests on one of the closest: then it stays, with its marks."""
    supports = {s.support for s in written.sentences}
    if "refusal" in supports or supports <= {"no_claim"}:
        return None
    carried = [s for s in written.sentences if s.support in ("cited", "other")]
    if not carried:
        return "unsupported"
    if _echoes(written, question):
        return "echo"
    rests = [
        (c.chunk_id, c.span)
        for c in written.citations
        if c.span is not None and any(s.start <= c.start <= s.end for s in carried)
    ]
    close = any(
        near.chunk_id == chunk and near.sentence[0] < span[1] and span[0] < near.sentence[1]
        for chunk, span in rests
        for near in weighed.close
    )
    return None if close else "elsewhere"


def _echoes(written: Answer, question: str) -> bool:
    """Whether it asks, or says no pair of characters (at most one) that the question does not hold.

    A word or two of a question that offers several is an answer to it, and so are its own words as a statement to one that asks whether.
    """
    said = without_markers(written.text).strip()
    if said.endswith(_ASKS):
        return True
    letters = sum(map(str.isalnum, said))
    again = letters > max(_WORD, sum(map(str.isalnum, question)) // 2) and len(own_pairs(said, question)) <= 1
    return again and not whether(question)


def _chosen(written: Answer, weighed: Gate, documents: Mapping[str, Document]) -> Iterator[tuple[Near, ...]]:
    """What may be quoted, the best first: the two closest sentences that differ, in the order of the prompt, then the closest alone; no headings alone."""
    place = {piece.marker: n for n, piece in enumerate(written.prompt.packed)}
    closest = weighed.nearest[:1]
    other = [near for near in weighed.nearest[1:2] if _words(near, documents) != _words(closest[0], documents)]
    for near in ((*closest, *other), closest):
        if not all(is_heading(document_of(one, documents), one.sentence) for one in near):
            yield tuple(sorted(near, key=lambda one: (place[one.marker], one.sentence)))


def _words(near: Near, documents: Mapping[str, Document]) -> str:
    return document_of(near, documents).text[slice(*near.sentence)].strip()


def _note(why: Fault, n: int) -> Bilingual:
    said = _WHY[why]
    if not n:
        return Bilingual(
            en=f"{said.en}; it stays all the same, since the closest sentences are too long for an answer, in another language, headings, or hold markers",
            zh=f"{said.zh}；但最接近的句子过长、与提问语言不同、只是标题或含有引用标记，不宜代替，因此保留所写内容",
        )
    return Bilingual(en=f"{said.en}; the closest sentences stand in its place", zh=f"{said.zh}；改用最接近的原句")
