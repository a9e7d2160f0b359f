"""What searching costs: each part beside a library that does the same, the two in turns (A B A B …, medians).

    python tests/bench/search.py [--rows 100000] [--dim 384] [--rounds 25] [--graph] [--json FILE]
    python tests/bench/search.py --sizes 10000,100000,1000000 [--rounds 50] [--json FILE]     # one table over sizes instead

The vectors are drawn at random. The passages are sentences of the sample policies, mixed at random; the questions are those of the
built-in set. `--graph` also builds the approximate index, which takes a minute. faiss and BM25 run as they come.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import faiss  # noqa: E402
import numpy as np  # noqa: E402
from search_data import Fixed, K, corpus_of, unit  # noqa: E402
from search_sizes import QUERIES, measure, table  # noqa: E402

from rag.ask.query import formulate  # noqa: E402
from rag.ask.search import search  # noqa: E402
from rag.ask.select import candidates  # noqa: E402
from rag.config import QuerySettings, SearchSettings  # noqa: E402
from rag.corpus.approximate import approximate  # noqa: E402
from rag.corpus.dense import DenseIndex  # noqa: E402
from rag.corpus.index import Corpus  # noqa: E402
from rag.corpus.lexical import query_terms  # noqa: E402
from rag.evaluate.question_files import sample_set  # noqa: E402

Run = Callable[[int], object]


def in_turns(name: str, runs: dict[str, Run], rounds: int) -> dict[str, Any]:
    """Every run once a round, in turns; ratios are to the first, round by round."""
    for run in runs.values():
        run(0)  # warm
    seconds: dict[str, list[float]] = {label: [] for label in runs}
    for i in range(rounds):
        for label, run in runs.items():
            began = time.perf_counter()
            run(i)
            seconds[label].append(time.perf_counter() - began)
    base = next(iter(runs))
    rows = []
    print(f"\n{name} (median of {rounds}; ratio to {base})")
    for label, taken in seconds.items():
        ratios = sorted(a / b for a, b in zip(taken, seconds[base], strict=True))
        row = {
            "run": label,
            "ms": 1e3 * statistics.median(taken),
            "ratio": statistics.median(taken) / statistics.median(seconds[base]),
        }
        row |= {"ratio_quartiles": [ratios[len(ratios) // 4], ratios[-1 - len(ratios) // 4]]}
        rows.append(row)
        print(
            f"  {label:<44}{row['ms']:>9.2f} ms  × {row['ratio']:.2f}  ({row['ratio_quartiles'][0]:.2f}–{row['ratio_quartiles'][1]:.2f})"
        )
    return {"name": name, "rounds": rounds, "rows": rows}


def dense_part(index: DenseIndex, flat: Any, queries: Any, rounds: int) -> dict[str, Any]:
    n = len(index.vectors)
    half, few = np.arange(n) % 2 == 0, np.arange(n) % 100 == 0
    every = np.ones(n, dtype=np.bool_)
    runs: dict[str, Run] = {
        "bare product, vectors @ query": lambda i: index.vectors @ queries[i % len(queries)],
        f"exact top-{K}": lambda i: index.search(queries[i % len(queries)], K),
        f"exact top-{K}, a mask that leaves all": lambda i: index.search(queries[i % len(queries)], K, every),
        f"exact top-{K}, a mask that leaves half": lambda i: index.search(queries[i % len(queries)], K, half),
        f"exact top-{K}, a mask that leaves 1 %": lambda i: index.search(queries[i % len(queries)], K, few),
        "scores only, a dot product a row (used)": lambda i: index.scores(queries[i % len(queries)]),
        "scores only, einsum": lambda i: np.einsum("ij,j->i", index.vectors, queries[i % len(queries)]),
        f"faiss IndexFlatIP top-{K}": lambda i: flat.search(queries[i % len(queries)][None], K),
    }
    return in_turns(f"dense, {n:,} × {index.vectors.shape[1]} float32", runs, rounds)


def whole_part(corpus: Corpus, flat: Any, queries: Any, rounds: int) -> dict[str, Any]:
    questions = [q.question for q in sample_set().questions][:50]
    asked = [formulate(q, (), QuerySettings()) for q in questions]
    plain = [formulate(q, (), QuerySettings(glossary=False, parts=False)) for q in questions]
    words = [[t.term for t in query_terms(q)] for q in questions]
    bm25 = corpus.lexical._bm25  # the same index, asked as the library is: nothing is measured of building it
    assert bm25 is not None
    settings, encoder = SearchSettings(depth=K), Fixed(queries)

    def libraries(i: int) -> None:
        bm25.retrieve([words[i % len(words)]], k=K, show_progress=False)
        flat.search(queries[i % len(queries)][None], K)

    def line(query: Any) -> object:
        return candidates(search(query, corpus, settings, encoder), corpus, settings)

    runs: dict[str, Run] = {
        "bm25s alone + faiss IndexFlatIP alone": libraries,
        "dense + BM25 + fusion, the question as asked": lambda i: line(plain[i % len(plain)]),
        "dense + BM25 + fusion, the query as shipped": lambda i: line(asked[i % len(asked)]),
        "bm25s alone": lambda i: bm25.retrieve([words[i % len(words)]], k=K, show_progress=False),
        "BM25 alone, ours": lambda i: corpus.lexical.search(questions[i % len(questions)], K),
    }
    return in_turns(f"whole search, {len(corpus.chunks):,} passages", runs, rounds)


def graph_part(index: DenseIndex, queries: Any, rounds: int) -> dict[str, Any]:
    graph = approximate(index)
    assert graph is not None
    half = np.arange(len(index.vectors)) % 2 == 0
    runs: dict[str, Run] = {
        f"exact top-{K}": lambda i: index.search(queries[i % len(queries)], K),
        f"approximate top-{K}": lambda i: graph.search(queries[i % len(queries)], K),
        f"approximate top-{K}, a mask that leaves half": lambda i: graph.search(queries[i % len(queries)], K, half),
    }
    found = in_turns(graph.note(True).en, runs, rounds)
    return found | {"recall": graph.recall, "build_s": graph.seconds}


def memory(corpus: Corpus) -> dict[str, Any]:
    """Bytes a chunk: the vectors, and the arrays of BM25 with their share of the vocabulary left out."""
    assert corpus.dense is not None and corpus.lexical._bm25 is not None
    arrays = [a for a in corpus.lexical._bm25.scores.values() if isinstance(a, np.ndarray)]
    n = len(corpus.chunks)
    found = {"vectors": corpus.dense.vectors.nbytes / n, "bm25": sum(a.nbytes for a in arrays) / n}
    print(f"\nmemory a chunk: vectors {found['vectors']:,.0f} bytes, BM25 {found['bm25']:,.0f} bytes")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--dim", type=int, default=384)
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--graph", action="store_true", help="build and measure the approximate index too")
    parser.add_argument(
        "--sizes", type=lambda text: [int(n) for n in text.split(",")], help="rows, with commas between"
    )
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    if arguments.rounds < 5:
        parser.error("--rounds: at least 5")
    if arguments.sizes:
        rows = measure(arguments.sizes, max(arguments.rounds, QUERIES))
        print(table(rows))
        _write(arguments.json, {"load": os.getloadavg(), "rows": [asdict(row) for row in rows]})
        return
    rng = np.random.default_rng(0)
    vectors, queries = unit(rng, arguments.rows, arguments.dim), unit(rng, 50, arguments.dim)
    flat = faiss.IndexFlatIP(arguments.dim)
    flat.add(vectors)
    results = [dense_part(DenseIndex(vectors), flat, queries, arguments.rounds)]
    corpus = corpus_of(vectors)
    results.append(whole_part(corpus, flat, queries, arguments.rounds))
    if arguments.graph:
        results.append(graph_part(DenseIndex(vectors), queries, arguments.rounds))
    held = memory(corpus)
    _write(arguments.json, {"rows": arguments.rows, "dim": arguments.dim, "bytes_per_chunk": held, "parts": results})


def _write(file: Path | None, found: dict[str, Any]) -> None:
    if file is not None:
        about = {"k": K, "cpus": os.cpu_count(), "faiss": faiss.__version__, "numpy": np.__version__}
        file.write_text(json.dumps(about | found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
