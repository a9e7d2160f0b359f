"""What an answer costs: this generator beside plain transformers and llama.cpp, in turn, on the same prompts.

    python tests/bench/generation.py [--prompts 40] [--slow-every 4] [--gguf FILE [--llama PYTHON]] [--json FILE]

Prompts: `long_answers.txt` (how they were chosen: `prompts.py`), with the packed evidence of the shipped settings. Every engine answers
every prompt once, in an order that rotates from prompt to prompt (transformers in float32, by far the slowest, every `--slow-every`-th);
a figure is the median over the prompts, a ratio the median of the ratios on the same prompt. Nothing but the built-in rules, by ours as in the app, is
read of a prompt before its turn. Two more answers follow ours, from the keys and values that it left: the same one without lookup (its rate), and one to another
question on the same evidence (its first token). llama.cpp has 2 threads and its best of three batch sizes, no cache of prompts and no
speculation.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final, Literal

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from rag.models.turns import wait_asleep  # noqa: E402

if __name__ == "__main__":
    wait_asleep()  # as the app does, before PyTorch is imported

from rag.config import GenerateSettings, Settings  # noqa: E402
from tests.bench.engines import Engine, Ours, Peer, Plain, Timed, best_llama  # noqa: E402
from tests.bench.prompts import LEAST, Asked, chosen, loaded, prompts  # noqa: E402
from tests.bench.table import Row, markdown, paired  # noqa: E402

Name = Literal["ours", "transformers fp32", "llama.cpp", "without lookup", "another question"]
SLOW: Final[Name] = "transformers fp32"


@dataclass(frozen=True, slots=True)
class Written:
    """What one engine made of one prompt of so many tokens."""

    question: str
    prompt: int
    by: Name
    timed: Timed


def measure(
    asked: Sequence[Asked], ours: Ours, peers: Mapping[Name, Engine], settings: GenerateSettings, slow_every: int
) -> tuple[Written, ...]:
    """Every prompt once by everybody; of the first one everybody has written some tokens before, unmeasured."""
    found: list[Written] = []
    for engine in (ours, *peers.values()):
        engine.answer(asked[0].ids, replace(settings, answer_tokens=8))
    for n, ask in enumerate(asked):
        order: list[Name] = ["ours", *(name for name in peers if name != SLOW or n % slow_every == 0)]
        turn = n % len(order)
        for name in (*order[turn:], *order[:turn]):
            if name == "ours":
                found += by_us(ask, ours, settings)
            else:
                found.append(Written(ask.question, len(ask.ids), name, peers[name].answer(ask.ids, settings)))
        took = [(w.by, w.timed) for w in found if w.question == ask.question]
        print(f"{n + 1}: " + ", ".join(f"{by} {t.first:.2f}/{t.whole:.2f} s, {t.tokens} tokens" for by, t in took))
    return tuple(found)


def by_us(ask: Asked, ours: Ours, settings: GenerateSettings) -> Iterator[Written]:
    """The answer, the same one without lookup, and the beginning of another one on the same evidence."""
    ours.forget()
    n = len(ask.ids)
    yield Written(ask.question, n, "ours", ours.answer(ask.ids, settings))
    yield Written(ask.question, n, "without lookup", ours.answer(ask.ids, settings, lookup=False))
    yield Written(
        ask.question, len(ask.again), "another question", ours.answer(ask.again, replace(settings, answer_tokens=2))
    )


def by_prompt(written: Sequence[Written], by: Name) -> dict[str, Timed]:
    """Those of one engine, by question, in the order of the questions."""
    return {w.question: w.timed for w in written if w.by == by}


def beside(
    what: str,
    unit: str,
    figure: Callable[[Timed], float],
    written: Sequence[Written],
    name: Name,
    goal: float | None = None,
    least: bool = False,
) -> Row:
    """`figure` of ours and of `name`, on the prompts for which it is there on both sides: a rate needs two tokens."""
    ours, theirs = by_prompt(written, "ours"), by_prompt(written, name)
    if not theirs:
        of = statistics.median(map(figure, ours.values()))
        return Row(what, unit, of, beside=f"{name}: not installed", goal=goal, least=least)
    both = [(figure(ours[q]), figure(theirs[q])) for q in theirs]
    mine, other = zip(*((a, b) for a, b in both if a and b), strict=True)
    everywhere = len(both) == len(ours)
    return Row(
        what if everywhere else f"{what} ({len(both)} prompts)",
        unit,
        statistics.median(mine),
        statistics.median(other),
        name,
        paired(mine, other),
        goal,
        least,
    )


def rows(written: Sequence[Written]) -> tuple[Row, ...]:
    """The part of the table that is the generator's."""
    ours, again = by_prompt(written, "ours"), by_prompt(written, "another question")
    first, whole, rate = "first token, the engine alone", "whole answer, the engine alone", "tokens a second"
    found = [
        beside(first, "s", lambda t: t.first, written, "llama.cpp", 0.4),
        beside(first, "s", lambda t: t.first, written, SLOW, 0.55),
        beside(whole, "s", lambda t: t.whole, written, "llama.cpp", 0.5),
        beside(whole, "s", lambda t: t.whole, written, SLOW, 0.25),
        beside(rate, "", lambda t: t.rate, written, "llama.cpp", 1.5, True),
        beside(rate, "", lambda t: t.rate, written, SLOW, 8.0, True),
        beside(rate, "", lambda t: t.rate, written, "without lookup"),
        Row(
            "another question on the same evidence, first token, the engine alone",
            "s",
            statistics.median(t.first for t in again.values()),
            statistics.median(t.first for t in ours.values()),
            "the first question",
            paired((again[q].first for q in ours), (t.first for t in ours.values())),
            0.15,
        ),
        Row(
            "tokens of a prompt that ours had read before (the rules, for everybody)",
            "",
            statistics.median(t.reused for t in ours.values()),
            statistics.median(w.prompt for w in written if w.by == "ours"),
            "of",
        ),
        Row(f"tokens of an answer ({len(ours)} prompts)", "", statistics.median(t.tokens for t in ours.values())),
    ]
    if plain := by_prompt(written, SLOW):
        long, n = sum(t.tokens >= LEAST for t in plain.values()), len(plain)
        found.append(Row(f"answers of ≥ {LEAST} tokens by {SLOW}", "", long, n, "asked", long / n, 1.0, True))
    return tuple(found)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--prompts", type=int, default=40, help="how many of the chosen ones")
    parser.add_argument(
        "--slow-every", type=int, default=4, help="every so-manieth prompt also by transformers in float32"
    )
    parser.add_argument("--tokens", type=int, default=GenerateSettings().answer_tokens, help="of an answer, at most")
    parser.add_argument("--gguf", type=Path, help="the generator's GGUF; without one llama.cpp is left out")
    parser.add_argument("--llama", default=sys.executable, help="an interpreter that has xllamacpp")
    parser.add_argument("--json", type=Path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser)
    arguments = parser.parse_args()
    models, corpus = loaded()
    asked = tuple(prompts(chosen()[: arguments.prompts], models, corpus))
    print(f"load {os.getloadavg()[0]:.1f}, settings {Settings().hash()}; {models.generator().taken.en}")
    peers: dict[Name, Engine] = {SLOW: Plain(models, "float32")}
    if arguments.gguf:
        peers["llama.cpp"] = best_llama(Peer(arguments.llama, arguments.gguf), asked[0].ids)
    settings = GenerateSettings(answer_tokens=arguments.tokens)
    written = measure(asked, Ours(models.generator()), peers, settings, arguments.slow_every)
    print(markdown(rows(written)))
    if arguments.json:
        kept = {"settings": Settings().hash(), "answers": [asdict(w) for w in written]}
        arguments.json.write_text(json.dumps(kept, ensure_ascii=False, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
