"""A question set against documents, under one group of settings or several: figures, report, and floors for a deployment."""

from __future__ import annotations

import argparse
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rag.cli.answers import add_answer_options, answer_folder, measure_answers, wants_answers
from rag.cli.corpus import open_index, read_documents
from rag.cli.options import add_model_options, check_result_file, model_settings, pair, settings_of
from rag.cli.retrieval import measure_retrieval
from rag.config import Settings
from rag.errors import Language, LoadError, ModelUnavailable, QuestionError, SettingError

if TYPE_CHECKING:
    from rag.corpus.index import Corpus, PassageEncoder
    from rag.evaluate.experiment import Experiment, Plan
    from rag.evaluate.questions import QuestionSet
    from rag.models.roles import Models

_EVIDENCE = ("none", "gold", "wrong", "retrieved")


def add_command(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``eval`` with its options."""
    parser = commands.add_parser("eval", help="a question set: every stage, answers, settings side by side, floors")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--documents", type=Path, nargs="+", help="files or folders (default: the sample policies)")
    what.add_argument("--index", type=Path, help="an index made by build")
    what.add_argument("--collection", type=Path, help="a folder with corpus.jsonl, queries.jsonl and qrels.tsv")
    what.add_argument(
        "--retrieval",
        type=Path,
        metavar="DIR",
        help="such a folder, or a folder of them: the search against plain fusion",
    )
    parser.add_argument("--questions", type=Path, help="JSONL, CSV or XLSX (default: the sample questions)")
    parser.add_argument("--category", action="append", default=[], help="only these categories; may be repeated")
    parser.add_argument("--limit", type=int, help="at most so many questions, evenly thinned")
    parser.add_argument("--k", type=int, default=10, help="units of a list that are scored (default %(default)s)")
    parser.add_argument(
        "--answers",
        nargs="*",
        default=[],
        metavar="EVIDENCE|DIR",
        help=f"write answers from this evidence ({', '.join(_EVIDENCE)}); without it only retrieval runs and no generator is loaded. "
        "Or a folder of questions with frozen documents: what the answers are worth",
    )
    add_answer_options(parser)
    parser.add_argument(
        "--prompts", action="store_true", help="count prompts in the generator's tokens, also when nothing is answered"
    )
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a setting, as search.packed=6"
    )
    parser.add_argument(
        "--vary", action="append", default=[], metavar="NAME=A,B", help="compare these values; twice makes a grid"
    )
    parser.add_argument(
        "--min", action="append", default=[], metavar="FIGURE=FLOOR", help="exit 1 below, as packed.evidence=0.9"
    )
    parser.add_argument("--json", type=Path, help="write everything as JSON")
    parser.add_argument("--html", type=Path, help="write a self-contained report")
    add_model_options(parser)
    parser.set_defaults(run=evaluate)


def evaluate(arguments: argparse.Namespace, language: Language) -> int:
    """The command eval: 0; 1 when a figure is below its floor; 130 when Ctrl-C ended it early, whatever the figures are."""
    if arguments.retrieval is not None:
        return measure_retrieval(arguments, language)
    folder = answer_folder(arguments, _EVIDENCE)
    if wants_answers(arguments, folder):
        return measure_answers(arguments, folder, language)
    from rag.evaluate.experiment import Plan, selected
    from rag.evaluate.figures import below, check_floors
    from rag.evaluate.report import to_html, to_json
    from rag.evaluate.text import summary_lines
    from rag.evaluate.variants import grid
    from rag.models.roles import Models, needed_roles

    settings = settings_of(arguments.set)
    choices = [(name, values.split(",")) for name, values in (pair(written, "--vary") for written in arguments.vary)]
    variants = grid(settings, choices) if choices else ()
    if arguments.index and any(name.startswith("split.") for name, _ in (pair(w, "--set") for w in arguments.set)):
        raise SettingError(
            en="--set split.…: an index is split already. Vary it with --vary, or give --documents.",
            zh="--set split.…：索引已经切分好。请改用 --vary，或改用 --documents。",
        )
    floors = {name: _number(value) for name, value in (pair(written, "--min") for written in arguments.min)}
    check_floors(floors, arguments.answers)
    for target in (arguments.json, arguments.html):
        check_result_file(target)
    models = Models(model_settings(arguments))
    prompts = bool(arguments.answers) or arguments.prompts
    needed = needed_roles((settings, *variants), prompts)
    models.load(needed)
    if "generator" in needed:
        models.generator()  # raises why it is not there
    if "reranker" in needed:
        models.reranker()
    encoder = _encoder(models, language)
    lexical = all(s.search.mode == "lexical" for s in (settings, *variants))
    corpus, questions = _material(arguments, settings, models, None if lexical else encoder, language)
    settings = replace(settings, split=corpus.split)  # an index has its own
    variants = grid(settings, choices) if choices else ()
    questions = selected(questions, arguments.category, arguments.limit)
    if not questions.questions:
        raise QuestionError(
            en=f"{questions.name}: no question is left to ask.", zh=f"{questions.name}：没有可问的问题。"
        )
    plan = Plan(questions, variants, tuple(arguments.answers), arguments.k)
    done = _watch(plan, corpus, settings, models, None if lexical else encoder)
    print("\n".join(summary_lines(done, language)))
    for target, text in ((arguments.json, to_json), (arguments.html, lambda e: to_html(e, language))):
        if target is not None:
            target.write_text(text(done), encoding="utf-8")
            print(target)
    short = below(done.runs[0], floors)
    for name, figure, floor in short:
        print(f"{name} = {figure:.3f} < {floor}", file=sys.stderr)
    if not done.complete:
        return 130
    return 1 if short else 0


def _watch(
    plan: Plan, corpus: Corpus, settings: Settings, models: Models, encoder: PassageEncoder | None
) -> Experiment:
    """Run the plan, with a line of progress on stderr; Ctrl-C ends it with what there is."""
    from rag.evaluate.experiment import Experiment, experiment
    from rag.evaluate.run import Bench

    stop, began, last = threading.Event(), time.monotonic(), None
    total = len(plan.questions.questions) * (1 + len(plan.variants))
    bench = Bench(corpus, settings, models)
    try:
        for last in experiment(plan, bench, encoder, stop):
            print(f"\r{last.asked}/{total} {time.monotonic() - began:.0f} s", end="", file=sys.stderr)
    except KeyboardInterrupt:
        if not isinstance(last, Experiment) or not last.asked:
            raise
    print(file=sys.stderr)
    assert last is not None  # an experiment yields at least the end of its first run
    return last


def _encoder(models: Models, language: Language) -> PassageEncoder | None:
    try:
        return models.encoder()
    except ModelUnavailable as error:  # the search is lexical then
        print(error.message(language), file=sys.stderr)
        return None


def _material(
    arguments: argparse.Namespace,
    settings: Settings,
    models: Models,
    encoder: PassageEncoder | None,
    language: Language,
) -> tuple[Corpus, QuestionSet]:
    """What is asked against, and what is asked."""
    from rag.corpus.index import build
    from rag.corpus.samples import read
    from rag.evaluate.collection import read_collection
    from rag.evaluate.question_files import read_questions, sample_set

    questions: QuestionSet | None = None
    if arguments.questions is not None:
        read_set = read_questions(arguments.questions.name, _bytes_of(arguments.questions))
        questions = read_set.questions
        for name in read_set.ignored:
            print(f"{arguments.questions}: {name}: not used", file=sys.stderr)
    if arguments.index is not None:
        return open_index(
            arguments.index, "lexical" if encoder is None else "fused", models, language
        ), questions or sample_set()
    if arguments.collection is not None:
        collection = read_collection(arguments.collection, arguments.limit)
        corpus = build(collection.documents, settings.split, encoder)
        return corpus, questions or collection.questions
    documents: Sequence[object]
    documents = read_documents(arguments.documents, language) if arguments.documents else read()
    return build(documents, settings.split, encoder), questions or sample_set()


def _bytes_of(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise LoadError(
            en=f"{file}: cannot be read ({error.strerror}).", zh=f"{file}：无法读取（{error.strerror}）。"
        ) from error


def _number(written: str) -> float:
    try:
        return float(written)
    except ValueError as error:
        raise SettingError(en=f"--min: {written!r} is not a number.", zh=f"--min：{written!r} 不是数字。") from error
