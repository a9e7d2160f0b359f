"""Search at several sizes: what an index takes to build, a passage in memory and on disk, a question, and how much it finds.

Each index has a process of its own, so that its memory can be told; they are asked in turns (A B A B …). Linux only: /proc says what is held.
The vectors and passages are those of `search_data.py`; the truth is every row's float32 product.
"""

from __future__ import annotations

import multiprocessing
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import faiss
import numpy as np
from search_data import Fixed, K, corpus_of, passages, unit

from rag.ask.query import formulate
from rag.ask.search import search
from rag.ask.select import candidates
from rag.config import QuerySettings, SearchSettings
from rag.corpus.approximate import M, approximate
from rag.corpus.codes import Codes
from rag.corpus.lexical import LexicalIndex
from rag.corpus.store import read_vectors
from rag.evaluate.question_files import sample_set

DIM = 384
QUERIES = 50
PIECE = 50_000

Answer = Callable[[int], Sequence[int]]
Opened = tuple[Answer, float]
"""Finds the positions of the best for question i; and the bytes that its arrays hold, a passage."""


@dataclass(frozen=True, slots=True)
class Row:
    """One index at one size. `held` and `disk`: bytes a passage; `p50` and `p95`: ms a question, and `cpu` the median of what its thread
    computed; `recall`: at 20, None of lexical search; `peak` and `anonymous`: MB of the whole process, at most and after the last question without the files that are mapped."""

    rows: int
    index: str
    build_s: float
    held: float
    disk: float
    p50: float
    p95: float
    cpu: float
    recall: float | None
    peak: float
    anonymous: float


def _ours(folder: Path, n: int, queries: Any) -> Opened:
    index = read_vectors(folder, n, DIM)
    assert index is not None
    codes: Codes | None = index.codes
    arrays = (index.vectors,) if codes is None else (codes.numbers, codes.scales, codes.errors)
    return lambda i: [hit.position for hit in index.search(queries[i], K)], sum(a.nbytes for a in arrays) / n


def _flat(folder: Path, n: int, queries: Any) -> Opened:
    flat, vectors = faiss.IndexFlatIP(DIM), np.load(folder / "embeddings.npy", mmap_mode="r")
    faiss.omp_set_num_threads(1)
    for start in range(0, n, PIECE):
        flat.add(np.array(vectors[start : start + PIECE]))
    return lambda i: flat.search(queries[i][None], K)[1][0].tolist(), 4.0 * DIM


def _graph(folder: Path, n: int, queries: Any) -> Opened:
    exact = read_vectors(folder, n, DIM)
    assert exact is not None
    graph = approximate(exact)
    assert graph is not None
    # the vectors once more, and for each row its neighbours of the lowest layer
    held = 2 * exact.vectors.nbytes / n + 4.0 * 2 * M
    return lambda i: [hit.position for hit in graph.search(queries[i], K)], held


def _bm25_bytes(index: LexicalIndex, n: int) -> float:
    assert index._bm25 is not None
    return sum(a.nbytes for a in index._bm25.scores.values() if isinstance(a, np.ndarray)) / n


def _bm25(folder: Path, n: int, queries: Any) -> Opened:
    index = LexicalIndex(passages(n))
    questions = [q.question for q in sample_set().questions][:QUERIES]
    return lambda i: [hit.position for hit in index.search(questions[i], K)], _bm25_bytes(index, n)


def _line(folder: Path, n: int, queries: Any) -> Opened:
    corpus = corpus_of(np.load(folder / "embeddings.npy"))
    assert corpus.dense is not None
    asked = [formulate(q.question, (), QuerySettings()) for q in sample_set().questions[:QUERIES]]
    settings, encoder = SearchSettings(depth=K), Fixed(queries)

    def answer(i: int) -> Sequence[int]:
        runs = search(asked[i], corpus, settings, encoder)
        return [hit.position for hit in runs.dense] if candidates(runs, corpus, settings) else []

    return answer, corpus.dense.vectors.nbytes / n + _bm25_bytes(corpus.lexical, n)


@dataclass(frozen=True, slots=True)
class _Kind:
    open: Callable[[Path, int, Any], Opened]
    most: int
    found: bool
    """Whether what it finds can be held against the truth."""


KINDS = {
    "exact, ours": _Kind(_ours, 10_000_000, True),
    "faiss IndexFlatIP": _Kind(_flat, 10_000_000, True),
    "approximate (HNSW), ours": _Kind(_graph, 100_000, True),
    "BM25, ours": _Kind(_bm25, 100_000, False),
    "dense + BM25 + fusion, ours": _Kind(_line, 100_000, False),
}


def _memory() -> dict[str, float]:
    """MB by name, of /proc/self/status."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return {line.split(":")[0]: int(line.split()[1]) / 1024 for line in lines if line.endswith(" kB")}


def _serve(connection: Connection, name: str, folder: Path, n: int) -> None:
    """The process of one index: opens it, answers question by question until None comes, then says what it holds."""
    queries = np.load(folder / "queries.npy")
    began = time.perf_counter()
    answer, held = KINDS[name].open(folder, n, queries)
    connection.send((time.perf_counter() - began, held))
    while (i := connection.recv()) is not None:
        began, computed = time.perf_counter(), time.thread_time()
        found = answer(i)
        connection.send((time.perf_counter() - began, time.thread_time() - computed, list(found)))
    memory = _memory()
    connection.send((memory["VmHWM"], memory["RssAnon"]))


def _write(folder: Path, n: int) -> list[set[int]]:
    """Vectors and queries as files, and for each query the positions of the `K` best."""
    rng = np.random.default_rng(0)
    queries = unit(rng, QUERIES, DIM)
    np.save(folder / "queries.npy", queries)
    vectors = np.lib.format.open_memmap(folder / "embeddings.npy", mode="w+", dtype=np.float32, shape=(n, DIM))
    best, at = np.empty((QUERIES, 0), np.float32), np.empty((QUERIES, 0), np.int64)
    for start in range(0, n, PIECE):
        block = unit(rng, min(PIECE, n - start), DIM)
        vectors[start : start + len(block)] = block
        best = np.hstack([best, queries @ block.T])
        at = np.hstack([at, np.broadcast_to(np.arange(start, start + len(block)), (QUERIES, len(block)))])
        order = np.argsort(-best, axis=1)[:, :K]
        best, at = np.take_along_axis(best, order, 1), np.take_along_axis(at, order, 1)
    vectors.flush()
    return [set(row) for row in at.tolist()]


def _at(folder: Path, n: int, rounds: int) -> list[Row]:
    truth = _write(folder, n)
    context, kinds = multiprocessing.get_context("spawn"), {k: v for k, v in KINDS.items() if n <= v.most}
    pipes, opened = {}, {}
    for name in kinds:  # one is built when no other is
        pipes[name], theirs = context.Pipe()
        context.Process(target=_serve, args=(theirs, name, folder, n), daemon=True).start()
        theirs.close()
        opened[name] = pipes[name].recv()
    taken: dict[str, list[float]] = {name: [] for name in kinds}
    cpu: dict[str, list[float]] = {name: [] for name in kinds}
    shares: dict[str, list[float]] = {name: [] for name in kinds}
    for turn in range(rounds + 1):  # the first one warms up
        for name, pipe in pipes.items():
            pipe.send(turn % QUERIES)
            seconds, computed, found = pipe.recv()
            if turn:
                taken[name].append(1e3 * seconds)
                cpu[name].append(1e3 * computed)
                shares[name].append(len(truth[turn % QUERIES] & set(found)) / K)
    rows = []
    for name, pipe in pipes.items():
        pipe.send(None)
        (build_s, held), (peak, anonymous) = opened[name], pipe.recv()
        disk = (folder / "embeddings.npy").stat().st_size / n if kinds[name].found else 0.0
        p50, p95 = statistics.median(taken[name]), float(np.quantile(taken[name], 0.95))
        recall = statistics.mean(shares[name]) if kinds[name].found else None
        rows.append(Row(n, name, build_s, held, disk, p50, p95, statistics.median(cpu[name]), recall, peak, anonymous))
    return rows


def measure(sizes: Sequence[int], rounds: int) -> tuple[Row, ...]:
    """Every index at every size that it is worth building at, asked `rounds` questions in turns with the others."""
    rows: list[Row] = []
    for n in sizes:
        with tempfile.TemporaryDirectory() as folder:
            rows += _at(Path(folder), n, rounds)
    return tuple(rows)


def table(rows: Sequence[Row]) -> str:
    """The rows as Markdown."""
    head = "| passages | index | opened, s | bytes held a passage | on disk | p50, ms | p95, ms | computed, ms | recall@20 | peak, MB | without mapped files, MB |"
    lines = [head, "|--:|---|" + "--:|" * 9]
    for r in rows:
        recall, disk = ("–" if r.recall is None else f"{r.recall:.4f}"), (f"{r.disk:,.0f}" if r.disk else "–")
        lines.append(
            f"| {r.rows:,} | {r.index} | {r.build_s:.1f} | {r.held:,.0f} | {disk} | {r.p50:.1f} | {r.p95:.1f} | {r.cpu:.1f} | {recall} | {r.peak:,.0f} | {r.anonymous:,.0f} |"
        )
    return "\n".join(lines)
