"""A question against an index: candidates, prompt, answer."""

from __future__ import annotations

import argparse
import json
import threading

from rag.cli.corpus import open_index
from rag.cli.options import model_settings
from rag.config import GenerateSettings, Limits, SearchSettings, Settings
from rag.errors import Language
from rag.types import Answer, Retrieval


def ask(arguments: argparse.Namespace, language: Language) -> None:
    """The command ask."""
    from rag import pipeline
    from rag.limits import Allowance
    from rag.models.roles import Models

    question = Allowance(Limits()).checked_question(arguments.question)
    models = Models(model_settings(arguments))
    index = open_index(arguments.index, arguments.mode, models, language)
    if not arguments.retrieval_only:
        models.load(("generator",))
    settings = Settings(
        index.split,
        search=SearchSettings(mode=arguments.mode, depth=arguments.depth, packed=arguments.packed),
        generate=GenerateSettings(
            answer_tokens=arguments.answer_tokens,
            temperature=arguments.temperature,
            context_limit=arguments.context_limit,
        ),
    )
    print(f"settings {settings.hash()}: " + ", ".join(f"{k}={v}" for k, v in settings.lines()))
    retrieval = pipeline.retrieve(question, index, settings, models)
    _print_retrieval(retrieval)
    if arguments.retrieval_only:
        return
    models.generator()  # raises why it is not there, after what there is was shown
    print()
    answer: Answer | None = None
    shown = 0
    for answer in pipeline.answer(retrieval, index, settings, models, threading.Event()):
        if answer.withdrawn is not None:  # something else stands in the place of what was printed
            print(f"{answer.withdrawn.text[shown:]}\n→ {answer.text}", end="")
        else:
            print(answer.text[shown:], end="", flush=True)
        shown = len(answer.text)
    print()
    if answer is not None:
        _print_answer(answer, language)


def _print_retrieval(retrieval: Retrieval) -> None:
    for c in retrieval.candidates:
        scores = "  ".join(f"{stage} {score:.4f} (#{c.ranks[stage]})" for stage, score in c.scores.items())
        print(f"{c.rank:3} {c.status.marker or c.status.fate:12} {c.chunk.chunk_id}  {scores}")
    if retrieval.prompt is not None:
        messages = [{"role": m.role, "content": m.content} for m in retrieval.prompt.messages]
        print(json.dumps(messages, ensure_ascii=False, indent=2))
        if retrieval.prompt.rendered:
            print(f"prompt: {len(retrieval.prompt.input_ids)} of {retrieval.prompt.budget} tokens")


def _print_answer(answer: Answer, language: Language) -> None:
    sources = {e.chunk.chunk_id: e.heading for e in answer.prompt.packed}
    for citation in answer.citations:
        if citation.chunk_id is None:
            print(f"[{citation.marker}] names nothing in the prompt")
        else:
            heading = sources[citation.chunk_id]
            print(
                f"{heading}  by {citation.by}, support {citation.support:.2f}, {citation.chunk_id} at {citation.span}"
            )
    for difference in answer.differences:
        sides = ", ".join(f"{side.key} at {list(side.marks)}" for side in (difference.here, difference.there))
        print(f"{difference.kind} differs from [{difference.marker}]: {sides}")
    for step in answer.trace.steps:
        note = step.note.of(language)
        print(f"{step.name:9} {step.seconds:7.3f} s  {step.n_in:5} → {step.n_out:<5} {note}")
