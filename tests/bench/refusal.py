"""What the gate's signals are worth: fits their mix on the sample questions, and prints the constants of `rag.ask.gate`.

    python tests/bench/refusal.py [--written FILE] [--answers DIR] [--plain FILE] [--keep FILE]

Fitted on: what the search packs for the sample questions that have an answer, where the answer is in it (1); the same
questions with the best other evidence (0); the sample questions without an answer, and those of ``samples/refusal`` (0). With DIR the frozen
cases of ``rgb_zh.jsonl`` are only counted: a third to look at, the rest to report. ``--written FILE``: the sample questions' answers, as
`tests/bench/sample_answers.py` writes them; ``--plain FILE``: lines with ``id`` and ``text`` of the frozen cases. ``--keep FILE`` keeps the signals, so that they are not read again;
those of the sample questions are in tests/ask/gate_signals.json.

The intercept of the second mix is moved so that under `AT` both lose the same share of the right answers: one threshold serves both.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from rag import pipeline
from rag.ask.attribute import sources
from rag.ask.cite import Citing
from rag.ask.gate import AFTER, BEFORE, Mix, checked, gate
from rag.ask.rules import NOT_FOUND
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
from rag.models.tokens import TokenStates
from rag.types import PUBLIC, Retrieval, SignalName

SEED, FOLDS, PENALTY = 7, 5, 1.0
AT = 0.35
THRESHOLDS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)


class Kept:
    """The encoder, which reads a text that comes again once."""

    def __init__(self, models: Models) -> None:
        self._encoder = models.encoder()
        self.facts = self._encoder.facts
        self._read: dict[tuple[str, bool], TokenStates] = {}

    def token_states(
        self, texts: Sequence[str], *, question: bool, stop: threading.Event | None = None
    ) -> tuple[TokenStates, ...]:
        new = [text for text in dict.fromkeys(texts) if (text, question) not in self._read]
        for text, read in zip(new, self._encoder.token_states(new, question=question, stop=stop), strict=True):
            self._read[text, question] = read
        return tuple(self._read[text, question] for text in texts)


@dataclass(frozen=True)
class Row:
    """One case: the signals of its evidence, and `held` and `carried` of the answer that was written from it when there is one.

    `of`: cases of one question are in one fold. `right`: the answer; None without one. `refuses`: it is a refusal by itself.
    """

    kind: str
    of: str
    signals: Mapping[str, float]
    right: bool | None
    refuses: bool

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
    signals = {signal.name: signal.value for signal in weighed.signals}
    if written is None:
        return Row(kind, of, signals, None, False)
    packed = found.prompt.packed if found.prompt else ()
    said = Citing(sources(packed, corpus.documents), found.question).cite(written.text, True).sentences
    after, _ = checked(weighed, written.text, said, found.question, corpus.documents)
    signals |= {signal.name: signal.value for signal in after.signals}
    return Row(kind, of, signals, written.right, any(said in written.text for said in NOT_FOUND.values()))


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
    records = map(json.loads, path.read_text("utf-8").splitlines()) if path else ()
    return {record["id"]: Written(record["text"], record["right"]) for record in records}


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
    """A mix as it is printed: the odds of any row, and of its own rows from folds they are not in."""

    mix: Mix
    own: Mapping[int, float]

    def odds(self, row: Row) -> float:
        if id(row) in self.own:
            return self.own[id(row)]
        terms = (b * (row.signals[name] - mean) / scale for name, (b, mean, scale) in self.mix.signals.items())
        return self.mix.intercept + sum(terms)

    def moved(self, by: float) -> Fitted:
        return Fitted(Mix(self.mix.intercept + by, self.mix.signals), {k: v + by for k, v in self.own.items()})

    def p(self, row: Row) -> float:
        return float(1 / (1 + np.exp(-self.odds(row))))


def fitted(rows: Sequence[Row], names: Sequence[SignalName]) -> Fitted:
    x = np.array([[r.signals[name] for name in names] for r in rows])
    y, w = np.array([float(r.answerable) for r in rows]), weights([r.kind for r in rows])
    mean, scale = x.mean(axis=0), x.std(axis=0)
    z = (x - mean) / scale
    ids = sorted({r.of for r in rows})
    place = dict(zip(np.random.default_rng(SEED).permutation(ids).tolist(), range(len(ids)), strict=True))
    fold = np.array([place[r.of] % FOLDS for r in rows])
    odds = np.zeros(len(rows))
    for k in range(FOLDS):
        beta = fit(z[fold != k], y[fold != k], w[fold != k])
        odds[fold == k] = z[fold == k] @ beta[:-1] + beta[-1]
    beta = fit(z, y, w)
    numbers = zip(names, beta.tolist(), mean.tolist(), scale.tolist(), strict=False)
    mix = Mix(float(beta[-1]), {name: (b, m, s) for name, b, m, s in numbers})
    return Fitted(mix, {id(r): float(o) for r, o in zip(rows, odds, strict=True)})


def told(name: str, rows: Sequence[Row], before: Fitted, after: Fitted) -> None:
    """What the threshold `AT` and others refuse of each kind: before, after, and with what the model refuses by itself."""
    kinds = [f"{r.kind}, right" if r.answerable and r.right else r.kind for r in rows]
    good = np.array([before.odds(r) for r in rows if r.answerable])
    for kind in sorted(set(kinds)):
        own = [r for r, k in zip(rows, kinds, strict=True) if k == kind]
        at = "  ".join(f"{t:.2f}: {np.mean([before.p(r) < t for r in own]):4.0%}" for t in THRESHOLDS)
        area = "" if own[0].answerable else f"AUC {auc(good, np.array([before.odds(r) for r in own])):.3f}"
        print(f"{name:15} {kind:13} {len(own):4} {area:10} before, refused under {at}")
        has = [r for r in own if r.right is not None]
        if has:
            cut, late = [before.p(r) < AT for r in has], [after.p(r) < AT for r in has]
            itself = np.mean([r.refuses for r in has])
            line = f"{'':34} of {len(has)} with an answer under {AT}: by the model {itself:.0%}, before {np.mean(cut):.0%}, after {np.mean(late):.0%}"
            print(
                f"{line}, together {np.mean([r.refuses or c or a for r, c, a in zip(has, cut, late, strict=True)]):.0%}"
            )


def read(arguments: argparse.Namespace) -> dict[str, list[Row]]:
    if arguments.keep and arguments.keep.exists():
        kept_rows = json.loads(arguments.keep.read_text("utf-8"))
        return {name: [Row(**r) for r in rows] for name, rows in kept_rows.items()}
    models = Models(from_environment())
    models.load(("encoder",))
    kept = Kept(models)
    found = {"samples": sample_rows(models, kept, written_samples(arguments.written))}
    if arguments.answers:
        lines = arguments.plain.read_text("utf-8").splitlines() if arguments.plain else []
        answers = {record["id"]: record["text"] for record in map(json.loads, lines)}
        found |= frozen_rows(arguments.answers, models, kept, answers)
    if arguments.keep:
        arguments.keep.write_text(json.dumps({k: [asdict(r) for r in v] for k, v in found.items()}), "utf-8")
    return found


def mixes(rows: Sequence[Row]) -> tuple[Fitted, Fitted]:
    """Of the evidence alone, and of the evidence with the answer."""
    before = fitted(rows, tuple(BEFORE.signals))
    written = [r for r in rows if not r.refuses and (r.right or (r.right is not None and not r.answerable))]
    after = fitted(written, tuple(AFTER.signals))
    right = [r for r in written if r.right]
    lost = float(np.mean([before.p(r) < AT for r in right]))
    quantile = float(np.quantile([after.odds(r) for r in right], lost))
    return before, after.moved(float(np.log(AT / (1 - AT))) - quantile)


def main() -> None:
    parser = argparse.ArgumentParser()
    for option in ("--written", "--answers", "--plain", "--keep"):
        parser.add_argument(option, type=Path)
    found = read(parser.parse_args())
    before, after = mixes(found["samples"])
    for name, one in (("BEFORE", before), ("AFTER", after)):
        mix = ", ".join(f'"{n}": ({b:.3f}, {m:.4f}, {s:.4f})' for n, (b, m, s) in one.mix.signals.items())
        print(f"{name}: Final = Mix({one.mix.intercept:.3f}, {{{mix}}})")
    for name, some in found.items():
        told(name, some, before, after)


if __name__ == "__main__":
    main()
