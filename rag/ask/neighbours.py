"""A clause that was cut runs on in the chunk beside it: how far a candidate's words reach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from rag.corpus.index import Corpus
from rag.types import Candidate, Chunk

STOPS: Final = frozenset("。！？!?.…")
"""After these a clause is over; after ； ， ： and a line without a stop (a list, a table) it is not."""
_LOOK: Final = 200  # characters before a cut, blanks mostly, in which a stop is looked for
_CLOSING: Final = "”’」』）)》】\"'"


def with_neighbours(may: Sequence[Candidate], corpus: Corpus) -> tuple[Candidate, ...]:
    """The candidates, each with its `reach`: its chunk, and of the chunks before and after it those the clause runs on into.

    A clause runs on where a chunk begins or ends without a stop before the cut and the chunk beside it belongs to the
    same section.
    """
    wanted = {c.chunk.chunk_id for c in may}
    at = {chunk.chunk_id: i for i, chunk in enumerate(corpus.chunks) if chunk.chunk_id in wanted}
    return tuple(replace(c, reach=_reach(at[c.chunk.chunk_id], corpus)) for c in may)


def _reach(i: int, corpus: Corpus) -> tuple[int, int]:
    chunk = corpus.chunks[i]
    text = corpus.documents[chunk.key].text
    start, end = chunk.start, chunk.end
    if i > 0 and _adjoin(corpus.chunks[i - 1], chunk, text) and not over(text, start):
        start = min(start, corpus.chunks[i - 1].start)
    if i + 1 < len(corpus.chunks) and _adjoin(chunk, corpus.chunks[i + 1], text) and not over(text, end):
        end = max(end, corpus.chunks[i + 1].end)
    return start, end


def _adjoin(first: Chunk, second: Chunk, text: str) -> bool:
    """Whether the second goes on where the first ends: no words between, in the same section of the same document."""
    return first.key == second.key and first.section == second.section and not text[first.end : second.start].strip()


def over(text: str, at: int) -> bool:
    """Whether a sentence ends before offset `at` (or nothing stands there).

    >>> over("每年15天。 未休完的", 7), over("下列情形：", 5)
    (True, False)
    """
    before = text[max(0, at - _LOOK) : at].rstrip().rstrip(_CLOSING)
    return not before or before[-1] in STOPS
