"""The sample questions' answers by the shipped line, whatever the gate says of the evidence: what `tests/bench/refusal.py` is fitted on.

    python tests/bench/sample_answers.py OUT

A line a question: ``id``, ``text``, and ``right`` by the question's points. Those with an answer only where their evidence is in the
prompt; those without one, and those of ``samples/refusal``, all. About 20 minutes on two cores; run again it goes on behind the last line.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from rag import pipeline  # noqa: E402
from rag.config import Settings, from_environment  # noqa: E402
from rag.corpus.samples import Samples  # noqa: E402
from rag.evaluate.judge import judge  # noqa: E402
from rag.evaluate.labels import Relevant, Resolver  # noqa: E402
from rag.evaluate.question_files import SAMPLES, read_questions, sample_set  # noqa: E402
from rag.evaluate.questions import Question  # noqa: E402
from rag.evaluate.run import packed_spans, settings_for  # noqa: E402
from rag.models.roles import Models  # noqa: E402
from rag.types import PUBLIC, Retrieval  # noqa: E402


def asked(
    models: Models, samples: Samples, resolver: Resolver
) -> Iterator[tuple[Question, Settings, Retrieval, Relevant]]:
    """The questions, each with what was found for it."""
    near = read_questions("near.jsonl", (SAMPLES / "refusal" / "near.jsonl").read_bytes()).questions.questions
    for question in (*sample_set().questions, *near):
        settings = settings_for(question, Settings(), date.today())
        found = pipeline.retrieve(question.question, samples.corpus(), settings, models, history=question.history)
        relevant = resolver.resolve(question)
        if question.refuse or (relevant.needs and relevant.evidence(packed_spans(found))):
            yield question, settings, found, relevant


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    out = parser.parse_args().out
    known = {json.loads(line)["id"] for line in out.read_text("utf-8").splitlines()} if out.exists() else set()
    models = Models(from_environment())
    models.load()
    samples = Samples(models)
    samples.prepare()
    corpus = samples.corpus()
    resolver = Resolver(corpus, corpus.permitted(PUBLIC))
    with out.open("a", encoding="utf-8") as file:
        for question, settings, found, relevant in asked(models, samples, resolver):
            if question.id not in known:
                written = replace(settings, generate=replace(settings.generate, refuse=False))
                *_, answer = pipeline.answer(found, corpus, written, models, threading.Event())
                right = judge(question, answer, relevant, resolver, corpus.documents).verdict == "right"
                line = {"id": question.id, "text": answer.text, "right": right}
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
                file.flush()


if __name__ == "__main__":
    main()
