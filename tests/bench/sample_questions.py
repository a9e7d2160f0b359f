"""Run all sample questions once with the shipped settings and print what became of them.

    python tests/bench/sample_questions.py [--json FILE] [--retrieval-only] [--strategy recursive] [--limit N]

evidence: for every need of the question one of its quotes stands in the packed evidence (white space ignored). An answer
is right when every answer point occurs in it and nothing that must not, refused when it is the fixed not-found sentence,
else wrong; for a question without an answer in the corpus, refusing is right. A follow-up is asked after the questions
before it; their answers are not used.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import threading
import time
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from rag import pipeline
from rag.config import SearchSettings, Settings, SplitSettings, from_environment
from rag.corpus.index import Corpus, build
from rag.corpus.lexical import fold
from rag.corpus.load import load
from rag.corpus.samples import FOLDER
from rag.models.roles import Models
from rag.types import Retrieval

QUESTIONS = Path(__file__).resolve().parents[2] / "rag" / "evaluate" / "samples"


@dataclass(frozen=True)
class Outcome:
    id: str
    category: str
    evidence: bool | None  # None: the question has no evidence in the corpus
    outcome: str  # right, wrong, refused or "" when only retrieval ran
    by_model: int
    by_system: int
    invalid: int
    uncited: int
    prompt_tokens: int
    answer_tokens: int
    first_s: float | None
    total_s: float
    answer: str


def squeeze(text: str) -> str:
    return re.sub(r"\s+|(?<=\d),(?=\d)", "", fold(text))


@dataclass(frozen=True)
class Bench:
    """What every question is asked against; `files` tells the file of each document's key."""

    corpus: Corpus
    files: dict[str, str]
    settings: Settings
    models: Models


def evidence_packed(question: dict[str, Any], retrieval: Retrieval, bench: Bench) -> bool | None:
    if not question["relevant"]:
        return None
    packed = retrieval.prompt.packed if retrieval.prompt else ()
    texts: dict[str, str] = defaultdict(str)
    for piece in packed:
        document = bench.corpus.documents[piece.chunk.key]
        texts[bench.files[document.key]] += "\n".join(squeeze(document.text[a:b]) for a, b in piece.spans) + "\n"
    met: dict[int, bool] = defaultdict(bool)
    for passage in question["relevant"]:
        met[passage.get("need", 1)] |= squeeze(passage["quote"]) in texts[passage["document"]]
    return all(met.values())


def judge(question: dict[str, Any], text: str, refused: bool) -> str:
    if refused:
        return "refused"
    if not question["relevant"]:
        return "wrong"
    said = squeeze(text)
    return (
        "right" if all(any(squeeze(p) in said for p in point.split("|")) for point in question["points"]) else "wrong"
    )


def ask(question: dict[str, Any], bench: Bench, only_retrieve: bool) -> Outcome:
    began = time.perf_counter()
    settings = bench.settings
    if "as_of" in question:
        settings = replace(settings, search=replace(settings.search, as_of=date.fromisoformat(question["as_of"])))
    history = [turn["question"] for turn in question.get("history", ())]
    retrieval = pipeline.retrieve(question["question"], bench.corpus, settings, bench.models, history=history)
    packed = evidence_packed(question, retrieval, bench)
    n = len(retrieval.prompt.input_ids) if retrieval.prompt else 0
    if only_retrieve:
        return Outcome(
            question["id"], question["category"], packed, "", 0, 0, 0, 0, n, 0, None, time.perf_counter() - began, ""
        )
    *_, last = pipeline.answer(retrieval, bench.corpus, bench.settings, bench.models, threading.Event())
    refused = bool(last.sentences) and all(s.support == "refusal" for s in last.sentences)
    return Outcome(
        question["id"],
        question["category"],
        packed,
        judge(question, last.text, refused),
        sum(c.by == "model" and c.chunk_id is not None for c in last.citations),
        sum(c.by == "system" for c in last.citations),
        sum(c.chunk_id is None for c in last.citations),
        sum(s.support == "none" for s in last.sentences),
        n,
        last.n_tokens,
        last.seconds_to_first,
        time.perf_counter() - began,
        last.text,
    )


def table(outcomes: list[Outcome]) -> str:
    rows = [
        "| category | n | evidence in prompt | right | wrong | refused | marked by model | by system | by nobody |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    groups: dict[str, list[Outcome]] = defaultdict(list)
    for o in outcomes:
        groups[o.category].append(o)
    for name, group in [*sorted(groups.items()), ("all", outcomes)]:
        labelled = [o for o in group if o.evidence is not None]
        count = Counter(o.outcome for o in group)
        model = sum(o.by_model > 0 for o in group)
        system = sum(o.by_model == 0 and o.by_system > 0 for o in group)
        nobody = len(group) - model - system
        found = f"{sum(bool(o.evidence) for o in labelled)}/{len(labelled)}" if labelled else "–"
        rows.append(
            f"| {name} | {len(group)} | {found} | {count['right']} | {count['wrong']} | {count['refused']} | {model} | {system} | {nobody} |"
        )
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--retrieval-only", action="store_true")
    parser.add_argument("--strategy", default=SplitSettings().strategy)
    parser.add_argument("--packed", type=int, default=SearchSettings().packed)
    parser.add_argument("--limit", type=int)
    arguments = parser.parse_args()
    settings = Settings(SplitSettings(strategy=arguments.strategy), SearchSettings(packed=arguments.packed))
    models = Models(from_environment())
    models.load()
    loaded = [(d, file.name) for file in sorted(FOLDER.iterdir()) for d in load(file.name, file.read_bytes(), "sample")]
    corpus = build([d for d, _ in loaded], settings.split, models.encoder())
    bench = Bench(corpus, {d.key: name for d, name in loaded}, settings, models)
    questions = [
        json.loads(line)
        for f in sorted(QUESTIONS.glob("*.jsonl"))
        for line in f.read_text("utf-8").splitlines()
        if line.strip()
    ]
    outcomes = []
    for question in questions[: arguments.limit]:
        outcome = ask(question, bench, arguments.retrieval_only)
        outcomes.append(outcome)
        print(
            f"{outcome.id:12} evidence={outcome.evidence} {outcome.outcome:8} {outcome.total_s:5.1f}s {outcome.answer[:80]!r}",
            flush=True,
        )
    print(f"\nsettings {settings.hash()}, {len(corpus.documents)} documents, {len(corpus.chunks)} chunks\n")
    print(table(outcomes))
    if arguments.json:
        arguments.json.write_text(
            json.dumps([asdict(o) for o in outcomes], ensure_ascii=False, indent=1), encoding="utf-8"
        )


if __name__ == "__main__":
    main()
