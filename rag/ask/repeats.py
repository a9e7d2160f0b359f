"""Candidates that nearly repeat a better one, and hold nothing more that was asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rag.corpus.duplicates import near_duplicates
from rag.corpus.lexical import query_terms, terms
from rag.types import Chunk


def repeats(question: str, chunks: Sequence[Chunk]) -> Mapping[int, int]:
    """Positions of `chunks` (the better first) → position of the better one that stays and that it nearly repeats.

    Nearly the same is not the same: a chunk that has a number, or a word of the question, which the better one lacks
    repeats nothing.

    >>> said = "出差住宿标准为每晚500元，凭发票在三十个自然日以内报销，逾期不予办理，由直属主管审批，财务部门复核之后支付"
    >>> chunks = [Chunk("", "", 0, 0, text, "", 0, None, ()) for text in (said, f"{said}。", said.replace("5", "6"))]
    >>> repeats("住宿标准？", chunks)
    {1: 0}
    """
    asked = {term.term for term in query_terms(question)}
    held: dict[int, set[str]] = {}  # read only of those that nearly repeat another: few do

    def holds_no_more(i: int, j: int) -> bool:
        for n in (i, j):
            if n not in held:
                held[n] = {t.term for t in terms(chunks[n].text) if t.term in asked or _has_digit(t.term)}
        return held[i] <= held[j]

    better: dict[int, int] = {}
    kept = list(range(len(chunks)))
    while True:
        # what repeats one that is left out itself may not repeat the one that stays: it is compared again without it
        twins = near_duplicates([chunks[i] for i in kept])
        if twins is None:
            return better
        sure = {
            i: kept[twin]
            for i, twin in zip(kept, twins, strict=True)
            if twin is not None and twins[twin] is None and holds_no_more(i, kept[twin])
        }
        if not sure:
            return better
        better |= sure
        kept = [i for i in kept if i not in sure]


def _has_digit(term: str) -> bool:
    return any(c.isdigit() for c in term)
