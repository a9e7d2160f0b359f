"""Where an answer does not hold: the sentences of the evidence that are closest to the question, word for word, in its place.

A small model misreads lists and tables, or says the question again, more often than the sentences closest to the question miss the answer: of
151 sample questions whose evidence was in the prompt it answers 61 right behind the gate, and 97 with what `fault` finds replaced
(40 won, 4 lost). Copying more than `LONGEST` characters would be no answer, nor would words in another language than the question's: such
sentences are not taken, and what the model wrote stays with its marks.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from rag.ask.cite import cite, sources
from rag.ask.gate import own_pairs
from rag.ask.rules import language_of
from rag.errors import Bilingual
from rag.types import Answer, Document, Fault, Gate, Near, Quoted, Step

LONGEST: Final = 120
"""Characters of a quotation at most."""
_WORD: Final = 3
"""An answer of so many letters is a word or a number (是, 13天), which may stand in the question too."""
_ASKS: Final = ("？", "?")
_WHY: Final[Mapping[Fault, Bilingual]] = {
    "unsupported": Bilingual(en="no source carries all of what was written", zh="所写内容并非句句有来源支持"),
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
    for near in _chosen(written, weighed):
        text = "\n".join(_words(one, documents) for one in near)
        if len(text) > LONGEST or language_of(text) != language_of(question):
            continue
        cited = cite(text, sources(written.prompt.packed, documents), True, question)
        if all(s.support in ("cited", "no_claim") for s in cited.sentences):
            step = Step("quote", time.perf_counter() - began, len(weighed.nearest), len(near), _note(why, len(near)))
            quoted = replace(written, text=text, citations=cited.citations, sentences=cited.sentences)
            return replace(quoted, quoted=Quoted(why, near), withdrawn=written), (step,)
    return written, (Step("quote", time.perf_counter() - began, len(weighed.nearest), 0, _note(why, 0)),)


def fault(written: Answer, weighed: Gate, question: str) -> Fault | None:
    """Why the answer does not hold; None when it does."""
    if any(s.support == "none" for s in written.sentences):
        return "unsupported"
    said = written.text.strip()
    own = own_pairs(said, question)
    if said.endswith(_ASKS) or (len(own) <= 1 and sum(map(str.isalnum, said)) > _WORD):
        return "echo"
    rests = [(c.chunk_id, c.span) for c in written.citations if c.chunk_id is not None and c.span is not None]
    if rests and not any(
        near.chunk_id == chunk and near.sentence[0] < span[1] and span[0] < near.sentence[1]
        for chunk, span in rests
        for near in weighed.close
    ):
        return "elsewhere"
    return None


def _chosen(written: Answer, weighed: Gate) -> Iterator[tuple[Near, ...]]:
    """What may be quoted, the best first: the two closest sentences in the order of the prompt, then the closest alone."""
    place = {piece.marker: n for n, piece in enumerate(written.prompt.packed)}
    for n in (2, 1):
        near = sorted(weighed.nearest[:n], key=lambda one: (place[one.marker], one.sentence))
        if len(near) == n:
            yield tuple(near)


def _words(near: Near, documents: Mapping[str, Document]) -> str:
    return documents[near.chunk_id.rsplit(":", 1)[0]].text[slice(*near.sentence)].strip()


def _note(why: Fault, n: int) -> Bilingual:
    said = _WHY[why]
    if not n:
        return Bilingual(
            en=f"{said.en}; the closest sentences are too long, or in another language, to stand in its place, so it stays",
            zh=f"{said.zh}；最接近的句子过长或与提问语言不同，不宜代替，因此保留所写内容",
        )
    return Bilingual(en=f"{said.en}; the closest sentences stand in its place", zh=f"{said.zh}；改用最接近的原句")
