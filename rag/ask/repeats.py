"""Candidates that only repeat a better one: left out, they take nothing away."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from rag.corpus.folding import plain
from rag.corpus.lexical import query_terms, terms
from rag.types import Chunk, Document

# A sentence stands between these: what is repeated is whole sentences, not a stretch such as 可以 of 不可以.
_ENDS: Final = frozenset("。!?;\n")


@dataclass(frozen=True, slots=True)
class _Plain:
    """A text without what says nothing. `sentences`: the same with a line break before, between and behind its sentences; empty without any."""

    text: str
    sentences: str

    def holds(self, other: _Plain) -> bool:
        """Whether the whole of `other` stands here, as one or more whole sentences, ended at the same places."""
        # one search, whose time does not grow with what almost matches
        return bool(other.sentences) and other.sentences in self.sentences


class Repeats:
    """Which of some `chunks` (the better first) only repeat better ones. Each is read when it is first compared, and once."""

    def __init__(self, question: str, chunks: Sequence[Chunk], documents: Mapping[str, Document]) -> None:
        """`question` is what was searched; `documents`, by key, those of the chunks."""
        self._asked = {term.term for term in query_terms(question)}
        self._chunks = chunks
        self._policies = [(documents[chunk.key].origin, documents[chunk.key].doc_id) for chunk in chunks]
        self._plain: dict[int, _Plain] = {}
        self._held: dict[int, set[str]] = {}  # read only of those that repeat another: few do

    def among(self, positions: Sequence[int]) -> Mapping[int, int]:
        """Of the chunks at `positions` (ascending) → the better one among them that stays and that it repeats.

        It does when both texts are equal but for blanks, punctuation, width, case, and traditional or simplified characters,
        or when its whole text stands, sentence by sentence, in the better one's, and both are of one policy; and when the
        better one's passage, title and headings too, has every word of the question that its own has.

        >>> said = "员工每晚500元，凭发票报销。"
        >>> own = {"": Document("a", "1", "", "own", "", "", "")}
        >>> texts = (f"总则。{said}", said, said.replace("凭", "不凭"))
        >>> chunks = [Chunk("", "", 0, 0, text, "", 0, None, ()) for text in texts]
        >>> Repeats("住宿标准？", chunks, own).among([0, 1, 2]), Repeats("住宿标准？", chunks, own).among([1, 2])
        ({1: 0}, {})
        """
        better: dict[int, int] = {}
        for n, i in enumerate(positions):
            for j in positions[:n]:
                if j not in better and self._same(i, j) and self._words(i) <= self._words(j):
                    better[i] = j
                    break
        return better

    def _same(self, i: int, j: int) -> bool:
        mine, its = self._read(i), self._read(j)
        return mine.text == its.text or (self._policies[i] == self._policies[j] and its.holds(mine))

    def _read(self, i: int) -> _Plain:
        if i not in self._plain:
            self._plain[i] = _plain(self._chunks[i].text)
        return self._plain[i]

    def _words(self, i: int) -> set[str]:
        """The words of the question that the passage has."""
        if i not in self._held:
            self._held[i] = self._asked & {t.term for t in terms(self._chunks[i].passage)}
        return self._held[i]


def _plain(text: str) -> _Plain:
    """Folded, simplified, without blanks and punctuation, except between two digits (3.5, 3-5) and the signs of a share (5%, 5‰).

    A text of nothing else is kept as it is.
    """
    folded = plain(text)
    runs = [(idle, "".join(run)) for idle, run in groupby(folded, _is_idle)]
    kept: list[str] = []
    sentences = ["\n"]
    for n, (idle, run) in enumerate(runs):
        if idle:
            if _ENDS & set(run) and sentences[-1] != "\n":
                sentences.append("\n")
            if not (0 < n < len(runs) - 1 and runs[n - 1][1][-1].isdigit() and runs[n + 1][1][0].isdigit()):
                continue
            run = "".join(run.split()) or " "
        kept.append(run)
        sentences.append(run)
    if not kept:
        return _Plain(folded, "")
    return _Plain("".join(kept), "".join(sentences).rstrip("\n") + "\n")


def _is_idle(c: str) -> bool:
    return c not in "%‰" and unicodedata.category(c)[0] in "PZC"
