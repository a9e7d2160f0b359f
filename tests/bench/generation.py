"""What an answer costs: this generator beside plain transformers and llama.cpp, the engines in turn (A B A B …, medians).

    python tests/bench/generation.py [--prompts 40] [--rounds 5] [--tokens 160] [--without fp32 bf16 …]
                                     [--gguf FILE [--llama PYTHON] [--batches 512 1024 2048]] [--json FILE]

Prompts: sample questions that ask for an explanation, with their packed evidence, whose plain float32 answer has at least
`--least` tokens by itself. Each engine answers each prompt `--rounds` times; a figure is the median over prompts of the median over
rounds, a ratio the median of the ratios on the same prompt. `again`: another question on the same evidence, with the keys and values
of the one before. llama.cpp runs in a process of its own (`--llama`: an interpreter with `xllamacpp`), with the best of `--batches`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Protocol

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch

from rag import pipeline
from rag.config import GenerateSettings, Settings, from_environment
from rag.corpus.index import Corpus
from rag.corpus.samples import Samples
from rag.evaluate.question_files import sample_set
from rag.models.generator import Generator
from rag.models.prefix import PrefixCache
from rag.models.roles import Models
from rag.models.weights import resolve

ASK_FOR_MORE = "请逐条详细说明，并列出相关规定。"
ANOTHER = "以上规定由哪个部门负责？有哪些例外？"
TO_BEAT = ("fp32", "bf16", "llama")
FIGURES = ("first", "whole", "rate")


@dataclass(frozen=True, slots=True)
class Asked:
    """A prompt, and one that asks something else of the same evidence."""

    question: str
    ids: tuple[int, ...]
    again: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Timed:
    """One answer: seconds to its first token and in all, how many tokens, and what it was."""

    first: float
    whole: float
    tokens: int
    text: str
    ids: tuple[int, ...] = ()
    reused: int = 0
    drafted: int = 0
    accepted: int = 0
    passes: int = 0

    @property
    def rate(self) -> float:
        """Tokens a second after the first."""
        return (self.tokens - 1) / max(self.whole - self.first, 1e-9)


class Engine(Protocol):
    def answer(self, ids: tuple[int, ...], tokens: int) -> Timed: ...


class Ours:
    """A `Generator`, with `draft` tokens looked up ahead; `remember`: keys and values of the last prompt are reused."""

    def __init__(self, generator: Generator, draft: int = 0, remember: bool = False) -> None:
        self._generator, self._draft = generator, draft
        self._prefix = PrefixCache() if remember else None

    def answer(self, ids: tuple[int, ...], tokens: int) -> Timed:
        self._generator.draft = self._draft
        settings = GenerateSettings(answer_tokens=tokens)
        *_, g = self._generator.stream(ids, settings, threading.Event(), self._prefix)
        work = (g.reused, g.drafted, g.accepted, g.passes)
        tokens = len(g.ids) - (g.finish == "end")  # as llama.cpp counts: without the end token
        return Timed(g.seconds_to_first or g.seconds, g.seconds, tokens, g.text, g.ids, *work)


class Llama:
    """llama.cpp in a child process."""

    def __init__(self, python: str, gguf: Path, threads: int, batch: int, context: int) -> None:
        peer = Path(__file__).with_name("llama_peer.py")
        command = [python, str(peer), str(gguf), str(threads), str(batch), str(context)]
        self._child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.batch = batch

    def answer(self, ids: tuple[int, ...], tokens: int) -> Timed:
        assert self._child.stdin is not None and self._child.stdout is not None
        self._child.stdin.write(json.dumps({"ids": ids, "n": tokens}) + "\n")
        self._child.stdin.flush()
        line = self._child.stdout.readline()
        if not line:
            raise SystemExit(
                "llama.cpp ended without an answer: is xllamacpp installed for --llama, and the file a GGUF?"
            )
        return Timed(**json.loads(line))

    def close(self) -> None:
        assert self._child.stdin is not None
        self._child.stdin.close()
        self._child.wait(30)


def best_llama(arguments: argparse.Namespace, probe: Asked) -> Llama:
    """The one of `--batches` that reads a prompt fastest; one at a time, for two would share the cores."""
    took: dict[int, float] = {}
    for batch in arguments.batches:
        llama = start_llama(arguments, batch)
        llama.answer(probe.ids, 2)  # warm
        took[batch] = min(llama.answer(probe.ids, 2).whole for _ in range(2))
        llama.close()
    return start_llama(arguments, min(took, key=lambda batch: took[batch]))


def start_llama(arguments: argparse.Namespace, batch: int) -> Llama:
    context = GenerateSettings().context_limit
    return Llama(arguments.llama, arguments.gguf, torch.get_num_threads(), batch, context)


def prompts(models: Models, corpus: Corpus) -> Iterator[Asked]:
    """Sample questions in an order of their own, each asking for more than a word."""
    questions = list(sample_set().questions)
    random.Random(0).shuffle(questions)
    for question in questions:
        asked = question.question + ASK_FOR_MORE
        found = pipeline.retrieve(asked, corpus, Settings(), models)
        if found.prompt is None or not found.prompt.rendered:
            continue
        chunks = [evidence.chunk for evidence in found.prompt.packed]
        again = pipeline.given(ANOTHER, chunks, corpus, Settings(), models)
        if again.prompt is not None and again.prompt.rendered:
            yield Asked(asked, found.prompt.input_ids, again.prompt.input_ids)


def engines(arguments: argparse.Namespace, models: Models, probe: Asked) -> dict[str, Engine]:
    """By name, in the order of their turns."""
    made: dict[str, Engine] = {}
    weights = resolve("generator", models.settings.generator, models.settings.cache, lambda _: None, fetch=False)
    for name, dtype in (("fp32", torch.float32), ("bf16", torch.bfloat16)):
        if name not in arguments.without:
            made[name] = Ours(Generator(weights, models.turns, fast=False, dtype=dtype))
    ours = models.generator()
    made["ours"] = Ours(ours, ours.draft)
    if "undrafted" not in arguments.without:
        made["undrafted"] = Ours(ours)
    if arguments.gguf is not None:
        made["llama"] = best_llama(arguments, probe)
    return made


def measure(arguments: argparse.Namespace, models: Models, corpus: Corpus) -> dict[str, object]:
    asked = prompts(models, corpus)
    probe = next(asked)
    turns = engines(arguments, models, probe)
    for engine in turns.values():
        engine.answer(probe.ids, 8)  # warm: a prompt that is not measured
    reference = turns.get("fp32") or turns["ours"]
    rows: list[dict[str, list[Timed]]] = []
    tried = 0
    for ask in asked:
        if len(rows) == arguments.prompts:
            break
        tried += 1
        if reference.answer(ask.ids, arguments.tokens).tokens < arguments.least:
            continue
        row: dict[str, list[Timed]] = {name: [] for name in turns} | {"again": []}
        for _ in range(arguments.rounds):
            for name, engine in turns.items():
                row[name].append(engine.answer(ask.ids, arguments.tokens))
            row["again"].append(second(models.generator(), ask, arguments.tokens))
        rows.append(row)
        print(
            f"{len(rows)}: " + ", ".join(f"{n} {mid(t, 'first'):.2f}/{mid(t, 'whole'):.2f} s" for n, t in row.items())
        )
    return {"tried": tried, "rows": rows, "batch": getattr(turns.get("llama"), "batch", None)}


def second(generator: Generator, ask: Asked, tokens: int) -> Timed:
    """Another question on the evidence of `ask`, whose prompt was read just before, by the same visitor."""
    ours = Ours(generator, generator.draft, remember=True)
    ours.answer(ask.ids, 1)
    return ours.answer(ask.again, tokens)


def mid(times: list[Timed], figure: str) -> float:
    return statistics.median(getattr(t, figure) for t in times)


def report(rows: list[dict[str, list[Timed]]]) -> dict[str, dict[str, float]]:
    """Prints the table; medians and ratios by engine."""
    table: dict[str, dict[str, float]] = {}
    for name in rows[0]:
        figures = {f: statistics.median(mid(row[name], f) for row in rows) for f in FIGURES}
        answers = [row[name][0] for row in rows]
        figures["tokens"] = statistics.median(t.tokens for t in answers)
        figures["accepted"] = sum(t.accepted for t in answers) / max(1, sum(t.tokens for t in answers))
        figures["reused"] = sum(t.reused for t in answers) / len(answers)
        for other in TO_BEAT:
            if other in rows[0] and name != "again":
                ratios = ((f, [mid(row[name], f) / mid(row[other], f) for row in rows]) for f in FIGURES)
                figures |= {f"{f}/{other}": statistics.median(values) for f, values in ratios}
                same = [row[name][0].text.strip() == row[other][0].text.strip() for row in rows]
                figures[f"same text as {other}"] = sum(same) / len(rows)
        table[name] = figures
        print(name.ljust(10), "  ".join(f"{k} {v:.3g}" for k, v in figures.items()))
    ratios = [mid(row["again"], "first") / mid(row["ours"], "first") for row in rows]
    table["again"]["first/ours"] = statistics.median(ratios)
    print(f"again: first token {table['again']['first/ours']:.3f} of the first question's")
    return table


def arguments_of() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prompts", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--tokens", type=int, default=GenerateSettings().answer_tokens)
    parser.add_argument("--least", type=int, default=40, help="tokens of a plain answer that is measured")
    parser.add_argument("--without", nargs="*", default=[], choices=("fp32", "bf16", "undrafted"))
    parser.add_argument("--gguf", type=Path, help="the generator's GGUF; without one llama.cpp is left out")
    parser.add_argument("--llama", default=sys.executable, help="an interpreter that has xllamacpp")
    parser.add_argument("--batches", type=int, nargs="+", default=[512, 1024, 2048])
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def main() -> None:
    arguments = arguments_of()
    models = Models(from_environment())
    models.load()
    samples = Samples(models)
    samples.prepare()
    load = os.getloadavg()[0]
    print(
        f"load {load:.1f}, {torch.get_num_threads()} threads, settings {Settings().hash()}; {models.generator().taken.en}"
    )
    measured = measure(arguments, models, samples.corpus())
    rows = measured["rows"]
    assert isinstance(rows, list)
    if not rows:
        raise SystemExit(f"no prompt of {measured['tried']} has a plain answer of {arguments.least} tokens")
    print(f"{len(rows)} of {measured['tried']} prompts")
    machine = {
        "load": load,
        "threads": torch.get_num_threads(),
        "cpu": platform.processor() or platform.machine(),
        "versions": {name: version(name) for name in ("torch", "transformers")},
        "settings": Settings().hash(),
        "way": models.generator().taken.en,
        "llama_batch": measured["batch"],
    }
    result = {"machine": machine, "tried": measured["tried"], "table": report(rows)}
    if arguments.json:
        kept = [{name: [asdict(t) for t in times] for name, times in row.items()} for row in rows]
        arguments.json.write_text(json.dumps({**result, "rows": kept}, ensure_ascii=False, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
