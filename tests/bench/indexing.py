"""What indexing costs: this encoder beside plain `SentenceTransformer.encode` in float32, in turn (A B A B …); then an index
beside one of which 1 % changed, and how long the page takes to open.

    python tests/bench/indexing.py [--rounds 5] [--chunks 300] [--without-start] [--json FILE]

The chunks are those of the sample policies, cut as shipped. Ours counts tokens, encodes and normalises, as indexing does; the
library gets the same passages and batches as it does by default. Models have to be in the cache already. A ratio is the median of
the ratios of the rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import torch  # noqa: E402
from sentence_transformers import SentenceTransformer  # noqa: E402

from rag.config import SplitSettings, from_environment  # noqa: E402
from rag.corpus.index import Corpus, Progress, build  # noqa: E402
from rag.corpus.samples import read  # noqa: E402
from rag.models.encoder import Encoder  # noqa: E402
from rag.models.turns import Turns  # noqa: E402
from rag.models.weights import Weights, resolve  # noqa: E402
from rag.types import Document  # noqa: E402
from tests.bench.visiting import free_port, wait_for  # noqa: E402

CHANGED = 0.01


@dataclass(frozen=True, slots=True)
class Row:
    """One figure: what, how much of which unit (median of `rounds`), the lowest and the highest round, and the goal in words."""

    what: str
    value: float
    unit: str
    low: float
    high: float
    rounds: int
    goal: str = ""


def row(what: str, values: Sequence[float], unit: str, goal: str = "") -> Row:
    return Row(what, statistics.median(values), unit, min(values), max(values), len(values), goal)


def timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def encoding(weights: Weights, encoder: Encoder, passages: Sequence[str], rounds: int) -> tuple[Row, ...]:
    """Chunks a second of the library and of ours, warm, and how alike the vectors are."""
    options = {"dtype": torch.float32}
    plain = SentenceTransformer(str(weights.folder), device="cpu", local_files_only=True, model_kwargs=options)
    prefixed, names = [encoder.document_prefix + p for p in passages], [str(i) for i in range(len(passages))]

    def theirs(texts: Sequence[str]) -> object:
        return plain.encode(list(texts), normalize_embeddings=True, show_progress_bar=False)

    theirs(prefixed[:8])
    encoder.encode_document(passages[:8], names[:8])
    took: list[tuple[float, float]] = []
    for _ in range(rounds):
        took.append((timed(lambda: theirs(prefixed)), timed(lambda: encoder.encode_document(passages, names))))
    alike = (encoder.encode_document(passages, names) * theirs(prefixed)).sum(axis=1)
    n, kind = len(passages), dict(encoder.facts)["dtype"]
    return (
        row("plain SentenceTransformer.encode, float32", [n / a for a, _ in took], "chunks/s"),
        row(f"ours, {kind}", [n / b for _, b in took], "chunks/s"),
        row("ours / plain", [a / b for a, b in took], "×", "≥ 3"),
        Row("least cosine of a vector to the library's", float(alike.min()), "", float(alike.min()), 1.0, 1, "≥ 0.998"),
    )


def reindexing(documents: Sequence[Document], encoder: Encoder, rounds: int) -> tuple[Row, ...]:
    """An index from nothing beside one after a character of every hundredth chunk has changed."""
    took: list[tuple[float, float]] = []
    encoded = 0

    def heard(progress: Progress) -> None:
        nonlocal encoded
        if progress.step == "encode":
            encoded = progress.total

    whole: list[Corpus] = []
    for _ in range(rounds):
        whole.clear()
        first = timed(lambda: whole.append(build(documents, SplitSettings(), encoder)))
        edited = changed(whole[0])
        # as a visitor's change does: what is known is gathered from the index that there is
        again = timed(lambda: build(edited, SplitSettings(), encoder, whole[0].known(), progress=heard))  # noqa: B023
        took.append((first, again))
    return (
        row("index of the samples from nothing", [a for a, _ in took], "s"),
        row(f"after 1 % of the chunks changed ({encoded} passages encoded)", [b for _, b in took], "s"),
        row("re-index / index", [b / a for a, b in took], "×", "≤ 0.03"),
    )


def changed(corpus: Corpus) -> list[Document]:
    """The documents, one character in the middle of every hundredth chunk another one."""
    texts = {key: document.text for key, document in corpus.documents.items()}
    for chunk in corpus.chunks[:: round(1 / CHANGED)]:
        at = (chunk.start + chunk.end) // 2
        texts[chunk.key] = texts[chunk.key][:at] + "改" + texts[chunk.key][at + 1 :]
    return [replace(document, text=texts[key]) for key, document in corpus.documents.items()]


def starting(rounds: int) -> tuple[Row, ...]:
    """From the command to the page's first answer, in a new process each time; its models load behind it."""
    took = []
    for _ in range(rounds):
        port = free_port()
        began = time.perf_counter()
        command = [sys.executable, "app.py", "--port", str(port)]
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_for(f"http://127.0.0.1:{port}/", 120)
            took.append(time.perf_counter() - began)
        finally:
            process.terminate()
            process.wait(30)
    return (row("command → page", took, "s", "< 5"),)


def measure(rounds: int = 5, chunks: int = 300, start: bool = True) -> tuple[Row, ...]:
    """All figures; `chunks` of the sample policies at most are encoded, evenly drawn; `start`: the page is started too."""
    settings = from_environment()
    weights = resolve("encoder", settings.encoder, settings.cache, lambda _: None, fetch=False)
    encoder = Encoder(weights, settings, Turns())
    documents = read()
    passages = [chunk.passage for chunk in build(documents, SplitSettings(), None).chunks]
    drawn = passages[:: max(1, len(passages) // chunks)][:chunks]
    rows = (*encoding(weights, encoder, drawn, rounds), *reindexing(documents, encoder, rounds))
    return (*rows, *starting(rounds)) if start else rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--chunks", type=int, default=300)
    parser.add_argument("--without-start", action="store_true")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    machine = {"load": os.getloadavg()[0], "threads": torch.get_num_threads(), "torch": torch.__version__}
    print(machine)
    rows = measure(arguments.rounds, arguments.chunks, not arguments.without_start)
    for r in rows:
        print(f"{r.what:60} {r.value:10.3f} {r.unit:9} {r.low:.3f}–{r.high:.3f}  {r.goal}")
    if arguments.json:
        result = {"machine": machine, "rows": [asdict(r) for r in rows]}
        arguments.json.write_text(json.dumps(result, ensure_ascii=False, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
