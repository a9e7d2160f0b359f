"""How much of a second question's prompt has been read before, over visits of two questions to the sample policies.

    python tests/bench/reuse.py [--visits 30] [--seed 0] [--json FILE]

A visit: a question of the built-in set that follows another, behind that one; and, until there are `--visits`, two that are answered
in the same document, drawn at random. Searched, weighed by the gate and packed as shipped; of the generator only the tokenizer is
needed: reused is what two token sequences begin with alike, as `rag.models.generator` reuses it. Where the gate refuses, nothing is read.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from rag import pipeline
from rag.ask.gate import unable, weigh
from rag.ask.prompt import beginnings
from rag.config import Settings, from_environment
from rag.corpus.index import Corpus
from rag.corpus.samples import Samples
from rag.evaluate.question_files import sample_set
from rag.evaluate.questions import Question
from rag.models.chat import ChatTokenizer
from rag.models.kept import common
from rag.models.roles import Models
from rag.models.weights import resolve
from rag.types import Prompt, Retrieval


@dataclass(frozen=True, slots=True)
class Visit:
    """Two questions, and what the second prompt's tokens are: `tokens` in all, `rules` before the evidence, `evidence`; `reused` of them, and
    `same` of pieces that the first prompt held too, in whatever place. `pieces`: how many are the same in the same place from the first on."""

    kind: str
    first: str
    second: str
    refused: tuple[bool, bool]
    tokens: int
    rules: int
    evidence: int
    reused: int
    same: int
    pieces: tuple[int, int]


class Reading:
    """The models without the generator's weights."""

    def __init__(self, models: Models, chat: ChatTokenizer) -> None:
        self._models, self._chat = models, chat

    def encoder(self) -> Any:
        return self._models.encoder()

    def generator(self) -> Any:
        return SimpleNamespace(chat=self._chat)

    def reranker(self) -> Any:
        return self._models.reranker()


def pairs(questions: Sequence[Question], n: int, seed: int) -> list[tuple[str, str, str]]:
    """`n` visits: kind, first and second question."""
    found = [("follow-up", q.history[-1], q.question) for q in questions if q.history][:n]
    rng = random.Random(seed)
    alone = [q for q in questions if q.relevant and not q.history and q.as_of is None and q.groups is None]
    rng.shuffle(alone)
    by_document: dict[str, list[str]] = {}
    for question in alone:
        by_document.setdefault(question.relevant[0].document, []).append(question.question)
    second = [("same document", asked[0], asked[1]) for asked in by_document.values() if len(asked) > 1]
    second += [("same document", asked[2], asked[3]) for asked in by_document.values() if len(asked) > 3]
    return (found + second)[:n]


def measured(pair: tuple[str, str, str], corpus: Corpus, models: Reading, begin: Sequence[Sequence[int]]) -> Visit:
    """One visit."""
    kind, first, second = pair
    settings, stop = Settings(), threading.Event()
    one = pipeline.retrieve(first, corpus, settings, models, stop=stop)
    two = pipeline.retrieve(second, corpus, settings, models, history=(first,), stop=stop)
    assert one.prompt is not None and two.prompt is not None
    refused = (refuses(one, corpus, settings, models), refuses(two, corpus, settings, models))
    ids = two.prompt.input_ids
    kept = [*begin, () if refused[0] else one.prompt.input_ids]
    reused = min(max(common(k, ids) for k in kept), len(ids) - 1)
    parts = {name: sum(s.n_tokens for s in two.prompt.segments if s.name == name) for name in ("evidence", "question")}
    first_texts, second_texts = texts(one.prompt), texts(two.prompt)
    tokens = {s.marker: s.n_tokens for s in two.prompt.segments if s.name == "evidence"}
    same = sum(tokens[f"S{n}"] for n, text in enumerate(second_texts, 1) if text in first_texts)
    alike = next(
        (n for n, (a, b) in enumerate(zip(first_texts, second_texts, strict=False)) if a != b), len(second_texts)
    )
    at = next(n for n, s in enumerate(two.prompt.segments) if s.name == "evidence")
    rules = sum(s.n_tokens for s in two.prompt.segments[:at])
    return Visit(
        kind, first, second, refused, len(ids), rules, parts["evidence"], reused, same, (alike, len(second_texts))
    )


def texts(prompt: Prompt) -> list[str]:
    """The pieces of evidence as they stand in the prompt, without their markers."""
    cut = [prompt.text[s.start : s.end] for s in prompt.segments if s.name == "evidence"]
    return [text.split("] ", 1)[1] for text in cut]


def refuses(found: Retrieval, corpus: Corpus, settings: Settings, models: Reading) -> bool:
    """Whether the gate keeps the prompt from being read."""
    weighed, _ = weigh(found, corpus.documents, settings, models)
    return weighed is not None and not weighed.enough


def report(visits: Sequence[Visit]) -> dict[str, dict[str, float]]:
    """Prints and returns the figures, by kind of visit and of all."""
    table: dict[str, dict[str, float]] = {}
    for kind in (*dict.fromkeys(v.kind for v in visits), "all"):
        of = [v for v in visits if kind in (v.kind, "all")]
        read = [v for v in of if not v.refused[1]]
        if not read:
            continue
        all_tokens = sum(v.tokens for v in read)
        table[kind] = {
            "visits": len(of),
            "first refused": sum(v.refused[0] for v in of),
            "second refused": sum(v.refused[1] for v in of),
            "reused": sum(v.reused for v in read) / all_tokens,
            "median": statistics.median(v.reused / v.tokens for v in read),
            "all evidence": sum(v.reused >= v.rules + v.evidence for v in read),
            "rules alone": sum(v.rules for v in read) / all_tokens,
            "same pieces in any order": sum(v.rules + v.same for v in read) / all_tokens,
        }
        print(
            kind.ljust(14),
            "  ".join(f"{k} {x:.3f}" if isinstance(x, float) else f"{k} {x}" for k, x in table[kind].items()),
        )
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--visits", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    models = Models(from_environment())
    models.load(("encoder",))
    weights = resolve("generator", models.settings.generator, models.settings.cache, lambda _: None, fetch=False)
    reading = Reading(models, ChatTokenizer(weights.folder))
    samples = Samples(models)
    samples.prepare()
    begin = beginnings(reading.generator().chat, unable(models) is None)
    asked = pairs(sample_set().questions, arguments.visits, arguments.seed)
    visits = list[Visit]()
    for pair in asked:
        v = measured(pair, samples.corpus(), reading, begin)
        visits.append(v)
        pieces = f"{v.pieces[0]} of {v.pieces[1]} pieces"
        print(f"{v.reused / v.tokens:.2f} of {v.tokens}, {pieces}, refused {v.refused}: {v.first} / {v.second}")
    result = {"settings": Settings().hash(), "table": report(visits), "visits": [asdict(v) for v in visits]}
    if arguments.json:
        arguments.json.write_text(json.dumps(result, ensure_ascii=False, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
