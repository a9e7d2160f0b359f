"""What the gate's signals are worth: fits their mix on the sample questions, and prints the constants of `rag.ask.gate`.

    python tests/bench/refusal.py [--written FILE] [--answers DIR] [--plain FILE]

Fitted on: what the search packs for the sample questions that have an answer, where the answer is in it (1); the same
questions with the best other evidence (0); the sample questions without an answer, and those of ``samples/refusal`` (0). With DIR the frozen
cases of ``rgb_zh.jsonl`` are only counted: a third to look at, the rest to report.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from rag import pipeline
from rag.ask.gate import checked, gate
from rag.ask.prompt import NOT_FOUND
from rag.config import Settings, from_environment
from rag.corpus.index import Corpus, build
from rag.corpus.samples import Samples
from rag.evaluate.answer_cases import chosen, read_cases
from rag.evaluate.answers import WHOLE, in_order
from rag.evaluate.judge import plain, says
from rag.evaluate.labels import Resolver
from rag.evaluate.question_files import SAMPLES, read_questions, sample_set
from rag.evaluate.run import packed_spans, settings_for
from rag.models.roles import Models
from rag.types import PUBLIC, Gate, Retrieval

SEED, FOLDS, PENALTY = 7, 5, 1.0
THRESHOLDS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)


class Kept:
    """The encoder, which reads a sentence that comes again once."""

    def __init__(self, models: Models) -> None:
        self._encoder = models.encoder()
        self.facts = self._encoder.facts
        self.token_states = cache(self._encoder.token_states)


@dataclass(frozen=True)
class Row:
    """One case: what the gate made of its evidence, and of the answer that was written from it when there is one.

    `of`: cases of one question are in one fold. `right`: the answer; None without one, or where it is a refusal.
    """

    kind: str
    of: str
    weighed: Gate
    after: Gate | None
    right: bool | None

    @property
    def answerable(self) -> bool:
        return self.kind in ("found", "noise")


@dataclass(frozen=True)
class Written:
    """An answer, and whether it is right."""

    text: str
    right: bool


def row(kind: str, of: str, found: Retrieval, corpus: Corpus, kept: Kept, written: Written | None = None) -> Row | None:
    weighed = gate(found, corpus.documents, kept, 0.5)
    if weighed is None:
        return None
    if written is None or any(said in written.text for said in NOT_FOUND.values()):
        return Row(kind, of, weighed, None, None)
    after, _ = checked(weighed, written.text, found.question, corpus.documents)
    return Row(kind, of, weighed, after, written.right)


def sample_rows(models: Models, kept: Kept, answers: Mapping[str, Written]) -> list[Row]:
    samples = Samples(models)
    samples.prepare()
    corpus, rows = samples.corpus(), list[Row | None]()
    resolver = Resolver(corpus, corpus.permitted(PUBLIC))
    near = read_questions("near.jsonl", (SAMPLES / "refusal" / "near.jsonl").read_bytes()).questions.questions
    for question in (*sample_set().questions, *near):
        settings = settings_for(question, Settings(), date.today())
        found = pipeline.retrieve(question.question, corpus, settings, models, history=question.history)
        relevant, written = resolver.resolve(question), answers.get(question.id)
        if question.refuse:
            rows.append(row("near" if question in near else "none", question.id, found, corpus, kept, written))
        elif relevant.needs:
            if relevant.evidence(packed_spans(found)):
                rows.append(row("found", question.id, found, corpus, kept, written))
            useful = {c.chunk_id for p in relevant.places for c in (*resolver.holders(p), *resolver.cover(p))}
            others = [c.chunk for c in found.candidates if c.chunk.chunk_id not in useful]
            others = [c for c in others if not any(says(plain(c.text), point) for point in question.points)][:5]
            if others:
                cut = pipeline.given(question.question, others, corpus, settings, models, question.history)
                rows.append(row("cut", question.id, cut, corpus, kept))
    return [r for r in rows if r]


def frozen_rows(folder: Path, models: Models, kept: Kept, answers: Mapping[str, str]) -> dict[str, list[Row]]:
    out: dict[str, list[Row]] = {}
    for split in ("look", "report"):
        found = list[Row | None]()
        for case in chosen(read_cases(folder), split, None):  # type: ignore[arg-type]
            if case.row in ("noise 0.4", "reject"):
                corpus, text = build(case.documents, WHOLE, None), answers.get(case.id)
                asked = pipeline.given(case.question, in_order(case, corpus), corpus, Settings(), models)
                right = text is not None and all(any(t in text for t in group) for group in case.wanted.groups)
                written = None if text is None else Written(text, right)
                found.append(row(case.row.split()[0], case.id, asked, corpus, kept, written))
        out[split] = [r for r in found if r]
    return out


def written_samples(path: Path | None) -> dict[str, Written]:
    outcomes = json.loads(path.read_text("utf-8"))["runs"][0]["outcomes"] if path else []
    found = {o["id"]: a for o in outcomes for a in o["answers"] if a["given"] == "retrieved" and a["text"]}
    return {id_: Written(a["text"], a["verdict"] == "right") for id_, a in found.items()}


def fit(x: NDArray[np.float64], y: NDArray[np.float64], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logistic regression by Newton's method, all but the intercept penalised; the intercept is last."""
    x = np.hstack([x, np.ones((len(x), 1))])
    ridge = np.diag([PENALTY] * (x.shape[1] - 1) + [0.0])
    beta = np.zeros(x.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-x @ beta))
        slope = x.T @ (weight * (y - p)) - ridge @ beta
        beta += np.linalg.solve((x * (weight * p * (1 - p))[:, None]).T @ x + ridge, slope)
    return beta


def weights(kinds: Sequence[str]) -> NDArray[np.float64]:
    """Questions with and without an answer count the same; so do the kinds of those without."""
    without = len(set(kinds) - {"found"})
    share = {k: (1.0 if k == "found" else 1 / without) / kinds.count(k) for k in set(kinds)}
    found = np.array([share[k] for k in kinds])
    return found * len(kinds) / found.sum()


def auc(good: NDArray[np.float64], bad: NDArray[np.float64]) -> float:
    return float((good[:, None] > bad).mean() + (good[:, None] == bad).mean() / 2) if len(good) and len(bad) else 0.0


@dataclass(frozen=True)
class Fitted:
    """A mix as it is printed, and the odds of its own rows from folds they are not in."""

    names: tuple[str, ...]
    mean: NDArray[np.float64]
    scale: NDArray[np.float64]
    beta: NDArray[np.float64]
    odds: NDArray[np.float64]

    def of(self, gates: Sequence[Gate]) -> NDArray[np.float64]:
        return (values(gates) - self.mean) / self.scale @ self.beta[:-1] + self.beta[-1]


def values(gates: Sequence[Gate]) -> NDArray[np.float64]:
    return np.array([[s.value for s in g.signals] for g in gates])


def fitted(rows: Sequence[Row], gates: Sequence[Gate], name: str) -> Fitted:
    x, y, w = values(gates), np.array([float(r.answerable) for r in rows]), weights([r.kind for r in rows])
    mean, scale = x.mean(axis=0), x.std(axis=0)
    z = (x - mean) / scale
    ids = sorted({r.of for r in rows})
    place = dict(zip(np.random.default_rng(SEED).permutation(ids).tolist(), range(len(ids)), strict=True))
    fold = np.array([place[r.of] % FOLDS for r in rows])
    odds = np.zeros(len(rows))
    for k in range(FOLDS):
        beta = fit(z[fold != k], y[fold != k], w[fold != k])
        odds[fold == k] = z[fold == k] @ beta[:-1] + beta[-1]
    beta, names = fit(z, y, w), tuple(s.name for s in gates[0].signals)
    mix = ", ".join(f'"{n}": ({b:.3f}, {m:.4f}, {d:.4f})' for n, b, m, d in zip(names, beta, mean, scale, strict=False))
    print(f"{name}: Final = Mix({beta[-1]:.3f}, {{{mix}}})")
    return Fitted(names, mean, scale, beta, odds)


def told(name: str, rows: Sequence[Row], odds: NDArray[np.float64]) -> None:
    """What thresholds on the probability would refuse, kind by kind."""
    kinds = [
        r.kind if r.right is None or not r.answerable else f"{r.kind}, {'right' if r.right else 'wrong'}" for r in rows
    ]
    good = odds[[r.answerable for r in rows]]
    for kind in sorted(set(kinds)):
        own = odds[[k == kind for k in kinds]]
        at = "  ".join(f"{t:.2f}: {np.mean(1 / (1 + np.exp(-own)) < t):4.0%}" for t in THRESHOLDS)
        answerable = next(r.answerable for r, k in zip(rows, kinds, strict=True) if k == kind)
        area = "" if answerable else f"AUC {auc(good, own):.3f}"
        print(f"  {name:28} {kind:13} {len(own):4} {area:10} refused under {at}")


def main() -> None:
    parser = argparse.ArgumentParser()
    for option in ("--written", "--answers", "--plain"):
        parser.add_argument(option, type=Path)
    arguments = parser.parse_args()
    models = Models(from_environment())
    models.load(("encoder",))
    kept = Kept(models)
    rows = sample_rows(models, kept, written_samples(arguments.written))
    before = fitted(rows, [r.weighed for r in rows], "BEFORE")
    told("samples, other folds", rows, before.odds)
    of = [r for r in rows if r.after and (r.right or not r.answerable)]
    after = fitted(of, [r.after for r in of if r.after], "AFTER") if of else None
    if after:
        told("samples, other folds", of, after.odds)
        wrong = [r for r in rows if r.after and r.answerable and not r.right]
        told("samples", wrong, after.of([r.after for r in wrong if r.after]))
    if arguments.answers:
        lines = arguments.plain.read_text("utf-8").splitlines() if arguments.plain else []
        plain_ = {record["id"]: record["text"] for record in map(json.loads, lines)}
        for split, found in frozen_rows(arguments.answers, models, kept, plain_).items():
            told(f"frozen, {split}, before", found, before.of([r.weighed for r in found]))
            has = [r for r in found if r.after]
            if after and has:
                told(f"frozen, {split}, after", has, after.of([r.after for r in has if r.after]))


if __name__ == "__main__":
    main()
