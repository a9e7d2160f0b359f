"""Whether the faster way writes what transformers' own ``generate`` writes: the same weights in float32 and bfloat16, and the packed ones.

    python tests/bench/exact.py --log FILE.jsonl [--answers 100] [--seconds 600]     repeat until there are so many

Prompts are those that speed is measured with, then others of the same kind (`tests.bench.prompts`); of each answer the first `LEAST`
tokens, answers that end before are left out. `--log` keeps what was compared, so that it can be done in pieces.

float32: every token is to be the same. bfloat16: the same, or at the first difference the two best logits that ``generate`` chose from
lie within `NEAR` bf16 numbers of each other, and the token written instead is one of them. Packed weights are others, so that answers may
differ; how many do is said by ``tests/bench/run.py --only exact``.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import torch  # noqa: E402

from rag.config import GenerateSettings  # noqa: E402
from tests.bench.engines import Ours, Plain  # noqa: E402
from tests.bench.prompts import LEAST, Asked, Counting, chosen, loaded, possible, prompts  # noqa: E402
from tests.bench.table import Row, markdown  # noqa: E402

NEAR: Final = 2
SETTINGS = GenerateSettings()


@dataclass(frozen=True, slots=True)
class Compared:
    """One answer beside the reference's: `at`, the first token that differs, None when none does; `near`: whether that was a near tie."""

    at: int | None
    near: bool = False


def steps(a: float, b: float) -> int:
    """How many bf16 numbers on from `a` is `b`, both of them bf16 numbers.

    >>> steps(20.0, 20.25), steps(1.0, 1.0)
    (2, 0)
    """
    bits = torch.tensor([a, b], dtype=torch.bfloat16).view(torch.int16).tolist()
    # the bits of a negative number count downwards
    places = [n if n >= 0 else -32768 - n for n in bits]
    return abs(places[1] - places[0])


def difference(reference: Sequence[int], found: Sequence[int]) -> int | None:
    """The first place where two answers differ, also by one of them ending; None when they are the same."""
    pairs = enumerate(zip(reference, found, strict=False))
    at = next((n for n, (a, b) in pairs if a != b), min(len(reference), len(found)))
    return None if at == len(reference) == len(found) else at


def compared(plain: Plain, ids: tuple[int, ...], reference: Sequence[int], found: Sequence[int]) -> Compared:
    """`found` beside what `plain` wrote after `ids`."""
    at = difference(reference, found)
    if at is None or at >= len(found):
        return Compared(at)
    return Compared(at, tie(plain.logits(ids, at, SETTINGS), found[at]))


def tie(logits: Any, token: int) -> bool:
    """Whether the two best of `logits` are within `NEAR` bf16 numbers, and `token` is not further from the best."""
    best, second = logits.topk(2).values.tolist()
    return max(steps(best, second), steps(best, float(logits[token]))) <= NEAR


@dataclass(frozen=True, slots=True)
class Checked:
    """One prompt's answer by the own way beside the library's: the same in float32, and how in bfloat16; `tokens` of it."""

    question: str
    tokens: int
    same: bool
    exact: Compared


def measure(
    asked: Sequence[Asked], fp32: Plain, bf16: Plain, ours: Ours, known: Mapping[tuple[str, str], tuple[int, ...]]
) -> tuple[Row, ...]:
    """Each way beside the library's on every prompt of `asked`. `known`: answers that are there, by engine and question."""
    checked, packed = list[Checked](), list[Compared]()
    for ask in asked:
        plain = known.get(("transformers fp32", ask.question)) or fp32.answer(ask.ids, SETTINGS).ids
        same = plain == fp32.exact(ask.ids, SETTINGS).ids
        reference = bf16.answer(ask.ids, SETTINGS).ids
        exact = compared(bf16, ask.ids, reference, bf16.exact(ask.ids, SETTINGS).ids)
        checked.append(Checked(ask.question, len(reference), same, exact))
        ours.forget()
        shipped = known.get(("ours", ask.question)) or ours.answer(ask.ids, SETTINGS).ids
        packed.append(compared(bf16, ask.ids, reference, shipped))
    n, unlike = len(asked), sum(c.at is not None for c in packed)
    eight = "answers unlike those of transformers bf16, ours with 8-bit weights"
    return (*summary(checked, "of all"), Row(eight, "answers", unlike, n, "of all", unlike / n))


def check(known: Sequence[Checked], short: Sequence[str]) -> Iterator[Checked | str]:
    """Prompts that are neither in `known` nor in `short` (questions), each compared, or its question when its answer is short."""
    models, corpus = loaded(("encoder",))
    fp32, bf16 = Plain(models, "float32"), Plain(models, "bfloat16")
    settings = GenerateSettings(answer_tokens=LEAST)
    seen = {*short, *(one.question for one in known)}
    rest = dict.fromkeys(q for q in itertools.chain(chosen(), possible()) if q not in seen)
    for ask in prompts(tuple(rest), Counting(models, fp32.chat), corpus):
        found = fp32.exact(ask.ids, settings)
        if found.tokens < LEAST:
            yield ask.question
            continue
        same = fp32.answer(ask.ids, settings).ids == found.ids
        reference = bf16.answer(ask.ids, settings).ids
        yield Checked(
            ask.question, found.tokens, same, compared(bf16, ask.ids, reference, bf16.exact(ask.ids, settings).ids)
        )


def summary(checked: Sequence[Checked], of: str) -> tuple[Row, ...]:
    """The counts over `checked`, at least one; `of`: what they are."""
    n = len(checked)
    differ = [c.exact for c in checked if c.exact.at is not None]
    far = sum(not c.near for c in differ)
    same = sum(c.same for c in checked)
    return (
        Row("answers with the tokens of transformers fp32, ours in fp32", "answers", same, n, of, same / n, 1.0, True),
        Row("answers unlike those of transformers bf16, ours in bf16", "answers", len(differ), n, of, len(differ) / n),
        Row(f"of these, not at a near tie ({NEAR} bf16 steps)", "answers", far, n, of, far / n, 0.0),
    )


def read(log: Path) -> tuple[list[Checked], list[str]]:
    """What `log` holds: comparisons, and the questions whose answers were short."""
    rows = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()] if log.exists() else []
    checked = [Checked(**row | {"exact": Compared(**row["exact"])}) for row in rows if "exact" in row]
    return checked, [row["short"] for row in rows if "short" in row]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--answers", type=int, default=100)
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=600, help="begin no other after so many")
    arguments = parser.parse_args()
    until = time.monotonic() + arguments.seconds
    checked, short = read(arguments.log)
    with arguments.log.open("a", encoding="utf-8") as out:
        for one in check(checked, short) if len(checked) < arguments.answers else ():
            row = {"short": one} if isinstance(one, str) else asdict(one)
            print(json.dumps(row, ensure_ascii=False), file=out, flush=True)
            checked += [] if isinstance(one, str) else [one]
            if len(checked) >= arguments.answers or time.monotonic() > until:
                break
    print(markdown(summary(checked, f"of all, {LEAST} tokens each")) if checked else "nothing compared yet")


if __name__ == "__main__":
    main()
