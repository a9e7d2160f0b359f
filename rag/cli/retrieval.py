"""Collections with judged documents: the search measured against each retriever alone and plain fusion, in one table."""

from __future__ import annotations

import argparse
import sys
import time

from rag.cli.options import check_alone, check_result_file, model_settings, settings_of
from rag.errors import Language

# These are of a question set; there is none here.
_OTHERS = ("questions", "category", "answers", "prompts", "vary", "min", "html")
_EVERY_S = 0.2


def measure_retrieval(arguments: argparse.Namespace, language: Language) -> int:
    """``eval --retrieval DIR``: 0, and 130 when Ctrl-C ended it early; what was complete by then is printed and written."""
    from rag.evaluate.benchmark import Measured, measure
    from rag.evaluate.benchmark_report import Table, lines, to_json
    from rag.evaluate.collection import collection_folders, read_collection
    from rag.models.roles import Models, needed_roles

    check_alone(
        arguments,
        _OTHERS,
        "it is of a question set and has no use with --retrieval",
        "仅用于题集，不能与 --retrieval 同用",
    )
    settings = settings_of(arguments.set)
    check_result_file(arguments.json)
    # all are read before the first is encoded: what is wrong with the last is better known now
    collections = [read_collection(folder, arguments.limit) for folder in collection_folders(arguments.retrieval)]
    models = Models(model_settings(arguments))
    models.load(needed_roles((settings,), False))
    encoder = models.encoder()  # raises why it is not there: without it there is nothing to fuse
    if settings.select.rerank == "likelihood" or settings.query.second_round:
        models.generator()
    if settings.select.rerank == "cross":
        models.reranker()
    done: list[Measured] = []
    try:
        for measured in measure(collections, settings, models, encoder, Watch().report):
            done.append(measured)
            print(file=sys.stderr)
    except KeyboardInterrupt:
        print(file=sys.stderr)
        if not done:
            raise
    missing = tuple(c.questions.name for c in collections[len(done) :])
    table = Table(settings, encoder.facts, tuple(done), missing)
    print("\n".join(lines(table)))
    if arguments.json is not None:
        arguments.json.write_text(to_json(table), encoding="utf-8")
        print(arguments.json)
    return 130 if missing else 0


class Watch:
    """One line on stderr, written anew at most five times a second."""

    def __init__(self) -> None:
        self._began, self._last, self._length = time.monotonic(), 0.0, 0

    def report(self, what: str, done: int, total: int) -> None:
        """`done` of `total` of what is being done."""
        now = time.monotonic()
        if now - self._last < _EVERY_S and done < total:
            return
        self._last = now
        line = f"{what} {done}/{total}, {now - self._began:.0f} s"
        print(f"\r{line:<{self._length}}", end="", flush=True, file=sys.stderr)
        self._length = len(line)
