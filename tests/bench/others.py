"""Parts of the table of speed that have scripts of their own: indexing, search at size, reuse over visits, searches beside other work."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from rag.ask.gate import unable
from rag.ask.prompt import beginnings
from rag.corpus.samples import Samples
from rag.evaluate.question_files import sample_set
from rag.models.roles import Models
from tests.bench import indexing, reuse, search_sizes, waiting
from tests.bench.table import Row

VISITS = 30


def indexed(rounds: int, chunks: int) -> tuple[Row, ...]:
    """Encoding beside the plain library, an index after a change, the start of the page."""
    return tuple(one_of(row.what, row.unit, row.value, row.goal) for row in indexing.measure(rounds, chunks))


def one_of(what: str, unit: str, figure: float, goal: str) -> Row:
    """A row without a peer, its goal in words: ``≥ 3``, ``≤ 0.03``, ``< 5`` or empty."""
    sign, _, number = goal.partition(" ")
    return Row(what, unit, figure, goal=float(number) if number else None, least=sign == "≥")


def searched(sizes: Sequence[int], rounds: int) -> tuple[Row, ...]:
    """Exact search beside faiss, and what it finds of what float32 finds, at every size."""
    found: list[Row] = []
    rows = search_sizes.measure(sizes, rounds)
    for n in sizes:
        of = {row.index: row for row in rows if row.rows == n}
        ours, flat = of["exact, ours"], of["faiss IndexFlatIP"]
        passages = f"{n:,} passages"
        found += [
            Row(f"exact search of {passages}", "ms", ours.p50, flat.p50, flat.index, ours.p50 / flat.p50),
            Row(f"exact search of {passages}, 95 of 100", "ms", ours.p95, flat.p95, flat.index, ours.p95 / flat.p95),
            Row(f"memory a passage, {passages}", "bytes", ours.held, flat.held, flat.index, ours.held / flat.held),
            Row(f"recall@20 of {passages}", "", ours.recall or 0.0, goal=0.999, least=True),
        ]
    return tuple(found)


def reused(models: Models, samples: Samples) -> tuple[Row, ...]:
    """The share of a second question's prompt that was read before."""
    reading = reuse.Reading(models, models.generator().chat)
    begin = beginnings(reading.generator().chat, unable(models) is None)
    pairs = reuse.pairs(sample_set().questions, VISITS, 0)
    visits = [reuse.measured(pair, samples.corpus(), reading, begin) for pair in pairs]
    share = reuse.report(visits)["all"]["reused"]
    return (Row(f"prompt tokens of a second question that were read before ({len(visits)} visits)", "%", 100 * share),)


def waited(models: Models, samples: Samples, rounds: int) -> tuple[Row, ...]:
    """Another visitor's search while an answer is written, and while somebody indexes."""
    house = waiting.House(models, samples, 3000)
    house.search()  # warm
    sizes = argparse.Namespace(rounds=rounds, searches=5, pause=0.3, without=[])
    took = waiting.report(waiting.measure(house, sizes))
    what = {"answer": "while somebody's answer is written", "index": "while somebody indexes"}
    return tuple(
        Row(f"a search {said}, {name} of 100", "s", took[beside][figure], goal=1.0)
        for beside, said in what.items()
        for figure, name in (("p50", "50"), ("p95", "95"))
    )
