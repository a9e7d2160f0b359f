"""The table of speed: what a visitor waits for, beside what people would use instead, in one run.

    python tests/bench/run.py [--only NAME …] [--skip NAME …] [--quick] [--json .readme/speed.json] [--gguf FILE [--llama PYTHON]]
                              [--prompts 40] [--slow-every 4] [--questions 5] [--exact 3] [--rounds 5] [--sizes 10000 100000]

The machine should be otherwise idle and the models in the cache. As in the app threads soon sleep while they wait (`rag.models.turns`), those of
libraries in the same process too, and the built-in rules are read before anybody asks. Parts: memory, indexing, search, generation, page, exact, reuse,
waiting. Each is a script of its own in this folder, whose docstring says how it measures. `--json` keeps the table with the machine;
parts that were left out stay in it as they were, if they are of the same machine, versions and settings. `--quick` is a smoke run: small
sizes, figures of no worth. README quotes the table from `.readme/speed.json`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Final

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from rag.models.turns import wait_asleep  # noqa: E402

if __name__ == "__main__":
    wait_asleep()  # as the app does, before PyTorch is imported

import torch  # noqa: E402

from rag import pipeline  # noqa: E402
from rag.config import GenerateSettings, Settings, from_environment  # noqa: E402
from rag.corpus.samples import Samples  # noqa: E402
from rag.models.roles import Models  # noqa: E402
from tests.bench import exact, generation, memory, page  # noqa: E402
from tests.bench.engines import Engine, Ours, Peer, Plain, best_llama  # noqa: E402
from tests.bench.prompts import Asked, chosen, prompts  # noqa: E402
from tests.bench.table import Row, markdown  # noqa: E402

VERSIONS: Final = ("torch", "transformers", "sentence-transformers", "numpy", "gradio")


@dataclass(frozen=True, slots=True)
class Machine:
    """What it was measured on, and with."""

    cpu: str
    cores: int
    flags: tuple[str, ...]
    memory_gb: float
    threads: int
    versions: tuple[tuple[str, str], ...]
    settings: str


@dataclass(frozen=True, slots=True)
class Part:
    """What one script found; `load`: of the machine when it began (the mean number of processes that want to run); `seconds` it took."""

    name: str
    rows: tuple[Row, ...]
    day: str
    load: float
    seconds: float


def machine() -> Machine:
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    facts = dict(reversed([tuple(map(str.strip, line.split(":", 1))) for line in lines if ":" in line]))
    fast = {"avx2", "avx512f", "avx512_bf16", "avx512_vnni", "amx_bf16", "amx_int8"}
    return Machine(
        cpu=facts.get("model name", ""),
        cores=os.cpu_count() or 0,
        flags=tuple(sorted(fast & set(facts.get("flags", "").split()))),
        memory_gb=round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1),
        threads=torch.get_num_threads(),
        versions=tuple((name, version(name)) for name in VERSIONS),
        settings=Settings().hash(),
    )


def said(here: Machine, parts: Sequence[Part]) -> str:
    """One line for a reader: on what, with what and when it was measured, and how idle the machine was."""
    if not parts:
        return "Not measured yet"
    versions = ", ".join(f"{name} {number}" for name, number in here.versions)
    days = sorted({part.day for part in parts})
    when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    return (
        f"{here.cpu}, {here.cores} cores ({', '.join(here.flags)}), {here.memory_gb:g} GB, {here.threads} threads; {versions}; "
        f"settings {here.settings}; {when}; load when a part began: at most {max(part.load for part in parts):.1f}"
    )


class Bench:
    """The parts, with what several of them need, made when it is first needed. Sizes come from the command line."""

    def __init__(self, sizes: argparse.Namespace) -> None:
        self._sizes = sizes
        self._written: tuple[generation.Written, ...] = ()

    @cached_property
    def _models(self) -> Models:
        models = Models(from_environment())
        models.load()
        pipeline.read_ahead(models, threading.Event())
        return models

    @cached_property
    def _samples(self) -> Samples:
        samples = Samples(self._models)
        samples.prepare()
        return samples

    @cached_property
    def _asked(self) -> tuple[Asked, ...]:
        return tuple(prompts(chosen()[: self._sizes.prompts], self._models, self._samples.corpus()))

    @cached_property
    def _ours(self) -> Ours:
        return Ours(self._models.generator())

    @cached_property
    def _fp32(self) -> Plain:
        return Plain(self._models, "float32")

    def memory(self) -> tuple[Row, ...]:
        return (memory.measure(2 if self._sizes.quick else 10),)

    def generation(self) -> tuple[Row, ...]:
        sizes = self._sizes
        peers: dict[generation.Name, Engine] = {"transformers fp32": self._fp32}
        if sizes.gguf:
            llama = best_llama(Peer(sizes.llama, sizes.gguf, tuple(sizes.batches)), self._asked[0].ids)
            peers["llama.cpp"] = llama
        settings = GenerateSettings(answer_tokens=sizes.tokens)
        self._written = generation.measure(self._asked, self._ours, peers, settings, sizes.slow_every)
        if sizes.gguf:
            llama.close()
        return generation.rows(self._written)

    def page(self) -> tuple[Row, ...]:
        """After `generation`, whose peers' first tokens it stands beside."""
        questions = chosen()[: self._sizes.questions]
        took = page.measure(self._models, self._samples, questions)
        names: tuple[generation.Name, ...] = ("llama.cpp", "transformers fp32")
        engines = {name: {q: t.first for q, t in generation.by_prompt(self._written, name).items()} for name in names}
        return page.rows(took, engines, len(questions))

    def indexing(self) -> tuple[Row, ...]:
        from tests.bench import others

        return others.indexed(self._sizes.rounds, self._sizes.chunks)

    def search(self) -> tuple[Row, ...]:
        from tests.bench import others

        return others.searched(self._sizes.sizes, 10 * self._sizes.rounds)

    def reuse(self) -> tuple[Row, ...]:
        from tests.bench import others

        return others.reused(self._models, self._samples)

    def waiting(self) -> tuple[Row, ...]:
        from tests.bench import others

        return others.waited(self._models, self._samples, min(2, self._sizes.rounds))

    def exact(self) -> tuple[Row, ...]:
        known = {(w.by, w.question): w.timed.ids for w in self._written}
        asked = self._asked[:: self._sizes.slow_every][: self._sizes.exact]
        return exact.measure(asked, self._fp32, Plain(self._models, "bfloat16"), self._ours, known)


def measured(name: str, part: Callable[[], tuple[Row, ...]]) -> Part:
    print(f"\n{name}", flush=True)
    load, began = os.getloadavg()[0], time.perf_counter()
    rows = part()
    return Part(name, rows, date.today().isoformat(), round(load, 2), round(time.perf_counter() - began, 1))


def kept(file: Path, here: Machine) -> tuple[Part, ...]:
    """The parts in `file`, if they are of this machine."""
    if not file.exists():
        return ()
    of, parts = load(file)
    if of != here:
        print(f"{file}: of another machine, other versions or settings; written anew")
        return ()
    return parts


def load(file: Path) -> tuple[Machine, tuple[Part, ...]]:
    """What `keep` wrote."""
    found = json.loads(file.read_text(encoding="utf-8"))
    facts = found["machine"]
    facts |= {"flags": tuple(facts["flags"]), "versions": tuple(map(tuple, facts["versions"]))}
    parts = (Part(**{**part, "rows": tuple(Row(**row) for row in part["rows"])}) for part in found["parts"])
    return Machine(**facts), tuple(parts)


def keep(file: Path, here: Machine, parts: Sequence[Part]) -> None:
    found = {"machine": asdict(here), "parts": [asdict(part) for part in parts]}
    file.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def merged(old: Sequence[Part], new: Sequence[Part], order: Sequence[str]) -> tuple[Part, ...]:
    """Of every part the new one, else the old one."""
    by_name = {part.name: part for part in (*old, *new)}
    return tuple(by_name[name] for name in order if name in by_name)


def main() -> None:
    arguments = arguments_of()
    here, bench = machine(), Bench(arguments)
    print(here)
    parts = {
        "memory": bench.memory,
        "indexing": bench.indexing,
        "search": bench.search,
        "generation": bench.generation,
        "page": bench.page,
        "exact": bench.exact,
        "reuse": bench.reuse,
        "waiting": bench.waiting,
    }
    found: list[Part] = []
    for name, part in parts.items():
        if name in (arguments.only or parts) and name not in arguments.skip:
            found.append(measured(name, part))
            if arguments.json:  # after every part: a later one may fail
                keep(arguments.json, here, merged(kept(arguments.json, here), found, tuple(parts)))
    print(f"\n{sum(part.seconds for part in found) / 60:.1f} minutes\n")
    shown = kept(arguments.json, here) if arguments.json else tuple(found)
    print(said(here, shown), markdown(row for part in shown for row in part.rows), sep="\n\n")


def arguments_of() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    generation.add_options(parser)
    parser.add_argument(
        "--batches", type=int, nargs="+", default=[512, 1024, 2048], help="of llama.cpp; the best counts"
    )
    parser.add_argument("--questions", type=int, default=5, help="of the part page")
    parser.add_argument("--exact", type=int, default=3, help="prompts of the part exact")
    parser.add_argument("--rounds", type=int, default=5, help="of the parts indexing, search and waiting")
    parser.add_argument("--chunks", type=int, default=300, help="of the part indexing")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000], help="of the part search")
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--skip", nargs="+", default=[])
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    if arguments.quick:
        small = {
            "prompts": 1,
            "questions": 1,
            "exact": 1,
            "rounds": 1,
            "tokens": 16,
            "batches": [512],
            "chunks": 32,
            "sizes": [10_000],
        }
        arguments = argparse.Namespace(**{**vars(arguments), **small})
    return arguments


if __name__ == "__main__":
    main()
