"""A second look without the scope: what only the scope kept from being found, so that the page and the answer can name it."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import date
from typing import Final

from rag.ask.search import Runs, dense_lists, gathered, lexical_lists
from rag.ask.select import candidates
from rag.config import SearchSettings
from rag.corpus.index import Corpus
from rag.corpus.ranking import Hit
from rag.errors import Bilingual
from rag.types import PUBLIC, Candidate, Query, Status, Step

MOST: Final = 10
"""Of more candidates that only the scope hides, the best so many are kept."""


def outside(
    query: Query, runs: Runs, corpus: Corpus, settings: SearchSettings, groups: frozenset[str] = PUBLIC
) -> tuple[tuple[Candidate, ...], tuple[Step, ...]]:
    """What the same search finds when nothing is out of scope, less what is in it: at most `MOST`, and the trace's row on it.

    Of what `groups` may see, with the vectors of `runs`, the search within the scope. A candidate's ranks and scores are
    those it would have had, before any reranking. Its `Status.of` is the key of the version of its policy that is in force,
    when that is another one; empty when none is, or when it is in force itself and its document or section was not
    chosen. Nothing is done, and there is no row, when the scope hides nothing.
    """
    among = corpus.allowed(settings, date.today(), groups)
    if not among.hidden:
        return (), ()
    began = time.perf_counter()
    rows = among.rows | among.outside
    dense: list[list[Hit]] = [[] for _ in query.legs]
    lexical = dense
    if runs.vectors:
        dense, _ = dense_lists(corpus, settings, runs.vectors, rows)
    if settings.mode != "dense" or not runs.vectors:
        lexical = lexical_lists(query, corpus, settings, rows)
    hidden = {corpus.chunks[i].chunk_id for i in among.outside.nonzero()[0]}
    everything = candidates(gathered(query, corpus, dense, lexical, runs.vectors, ()), corpus, settings)
    found = [c for c in everything if c.chunk.chunk_id in hidden]
    instead = _in_force(corpus, settings, groups)
    kept = tuple(replace(c, status=Status("out_of_scope", of=instead.get(c.chunk.key, ""))) for c in found[:MOST])
    return kept, (_step(time.perf_counter() - began, among.hidden, len(found), len(kept)),)


def superseded(keys: Collection[str], corpus: Corpus, settings: SearchSettings) -> Mapping[str, str]:
    """Of documents that were given, the keys of those in whose place another of them is in force, and which; none where all versions are in scope."""
    if settings.scope == "all":
        return {}
    return {key: of for key, of in _in_force(corpus, settings, PUBLIC).items() if key in keys and of in keys}


def _in_force(corpus: Corpus, settings: SearchSettings, groups: frozenset[str]) -> Mapping[str, str]:
    """The key of each version that is not in force → the key of the one of its policy that is."""
    current = corpus.current(settings, date.today(), groups)
    policies = {(corpus.documents[key].origin, corpus.documents[key].doc_id): key for key in current}
    found = {key: policies.get((d.origin, d.doc_id), "") for key, d in corpus.documents.items() if key not in current}
    return {key: of for key, of in found.items() if of}


def _step(seconds: float, n_in: int, n_found: int, n_out: int) -> Step:
    if not n_found:
        note = Bilingual(en="the scope keeps nothing from being found", zh="检索范围未排除任何可命中的块")
    elif n_found == n_out:
        note = Bilingual(en="left out by the scope, shown apart", zh="因检索范围未参与，另行列出")
    else:
        note = Bilingual(
            en=f"left out by the scope, shown apart: the best {n_out} of {n_found}",
            zh=f"因检索范围未参与，另行列出：{n_found} 个中的前 {n_out} 个",
        )
    return Step("outside", seconds, n_in, n_out, note)
