"""What the model's likelihood of an answer adds to the gate: the sample answers' tokens with and without the evidence.

    python tests/bench/likelihood.py WRITTEN OUT [--seconds 200]

WRITTEN: as `tests/bench/sample_answers.py` writes it. OUT: a line an answer with what `Told` says; run again it goes on behind the last line
(some 3 s an answer on two cores). Printed for every value: what the gate's second mix refuses with it beside its own signals, on folds it was
not fitted on, where `LOST` of the right answers are lost. It may help by the way these questions are put: measure it on others too.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from rag.ask.gate import AFTER  # noqa: E402
from rag.config import from_environment  # noqa: E402
from rag.corpus.samples import Samples  # noqa: E402
from rag.evaluate.labels import Resolver  # noqa: E402
from rag.models.roles import Models  # noqa: E402
from rag.types import PUBLIC, Prompt  # noqa: E402
from tests.bench.refusal import Row, auc, fitted  # noqa: E402
from tests.bench.sample_answers import asked  # noqa: E402

LOST = 5 / 65
_NUMBER = re.compile(r"[0-9A-Z一二三四五六七八九十百千万两半]")


@dataclass(frozen=True)
class Told:
    """An answer's tokens, each with its log-probability `given` its prompt and `alone`, behind the same rules and question without a source;
    the `entropy` of what might have come, given the prompt, and the `margin` between the best two."""

    id: str
    tokens: Sequence[str]
    given: Sequence[float]
    alone: Sequence[float]
    entropy: Sequence[float]
    margin: Sequence[float]


def signals(told: Told) -> Mapping[str, float]:
    """What may be weighed of it. `length` needs no model, and is part of a sum."""
    given, alone = np.array(told.given), np.array(told.alone)
    number = np.array([bool(_NUMBER.search(token)) for token in told.tokens])
    number |= not number.any()
    gained = given - alone
    found = {"length": np.log(len(given)), "sum given": given.sum(), "mean given": given.mean()}
    found |= {"least given": given.min(), "least of numbers": given[number].min(), "mean alone": alone.mean()}
    found |= {"mean gained": gained.mean(), "least gained": gained.min(), "numbers gained": gained[number].min()}
    found |= {"first entropy": told.entropy[0], "mean entropy": np.mean(told.entropy), "margin": min(told.margin)}
    return {name: float(value) for name, value in found.items()}


def without_evidence(prompt: Prompt) -> list[int]:
    """The prompt's tokens but those of its sources."""
    at, kept = 0, list[int]()
    for segment in prompt.segments:
        if segment.name != "evidence":
            kept += prompt.input_ids[at : at + segment.n_tokens]
        at += segment.n_tokens
    return kept


def read(generator: Any, id_: str, prompt: Prompt, text: str) -> Told:
    """`text` as an answer to `prompt`."""
    import torch

    from rag.models.decode import Work, read_prompt
    from rag.models.kept import KeysValues

    decoder, ids = generator._decoder, list(generator.chat.encode(text))
    generator._local.stop = threading.Event()

    def after(before: Sequence[int]) -> Any:
        kept = KeysValues(decoder.shape)
        first = read_prompt(decoder, before, kept, len(ids), Work()).unsqueeze(0)
        rest = [decoder.read(ids[:-1], kept, len(ids) - 1, few=False)] if len(ids) > 1 else []
        return torch.log_softmax(torch.cat([first, *rest]), dim=-1)

    with torch.inference_mode():
        given, alone = after(prompt.input_ids), after(without_evidence(prompt))
        best, chosen = given.topk(2, dim=-1).values, torch.tensor(ids).unsqueeze(1)
        columns = [likely.gather(1, chosen)[:, 0] for likely in (given, alone)]
        columns += [-(given.exp() * given).sum(dim=-1), best[:, 0] - best[:, 1]]
    numbers = ([round(value, 4) for value in column.tolist()] for column in columns)
    return Told(id_, [generator.chat.decode([token]) for token in ids], *numbers)


def collect(texts: Mapping[str, str], out: Path, seconds: float) -> None:
    """Append to `out` what is not in it yet, as far as `seconds` reach."""
    began, known, models = time.perf_counter(), {told.id for told in lines(out)}, Models(from_environment())
    models.load()
    samples = Samples(models)
    samples.prepare()
    corpus = samples.corpus()
    with out.open("a", encoding="utf-8") as file:
        for question, _, found, _ in asked(models, samples, Resolver(corpus, corpus.permitted(PUBLIC))):
            if time.perf_counter() - began > seconds:
                return
            if question.id in texts.keys() - known and found.prompt:
                told = read(models.generator(), question.id, found.prompt, texts[question.id])
                file.write(json.dumps(asdict(told), ensure_ascii=False) + "\n")
                file.flush()


def lines(out: Path) -> list[Told]:
    return [Told(**json.loads(line)) for line in out.read_text("utf-8").splitlines()] if out.exists() else []


def compare(rows: Sequence[Row]) -> Iterator[str]:
    """What the mix refuses as it is, and a line for every value beside its signals."""
    written = [r for r in rows if r.right or not r.answerable]
    right = np.array([r.answerable for r in written])
    for name in ("", *(n for n in rows[0].signals if n not in AFTER.signals and n != "least")):
        mix = fitted(written, (*AFTER.signals, *([name] if name else [])))  # type: ignore[arg-type]
        odds = np.array([mix.odds(r) for r in written])
        cut = odds < np.quantile(odds[right], LOST)
        area = f"AUC {auc(odds[right], odds[~right]):.3f}"
        yield f"{name or 'as it is':14} refused: right {cut[right].sum()}, none {cut[~right].sum()} of {(~right).sum()}; {area}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("written", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seconds", type=float, default=200.0)
    arguments = parser.parse_args()
    records = map(json.loads, arguments.written.read_text("utf-8").splitlines())
    collect({record["id"]: record["text"] for record in records}, arguments.out, arguments.seconds)
    told = {one.id: signals(one) for one in lines(arguments.out)}
    rows = [Row(**r) for r in json.loads((ROOT / "tests" / "ask" / "gate_signals.json").read_text("utf-8"))]
    rows = [replace(r, signals={**r.signals, **told[r.of]}) for r in rows if r.kind != "cut" and r.of in told]
    print(f"{len(rows)} answers", *compare(rows), sep="\n")


if __name__ == "__main__":
    main()
