"""The line from a shell: python -m rag toy | build | ask | eval | models."""

from __future__ import annotations

import argparse
import io
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from rag.cli.ask import ask as ask_question
from rag.cli.corpus import build_index
from rag.cli.evaluate import add_command as add_evaluate
from rag.cli.models import show_models
from rag.cli.options import add_model_options, shell_language
from rag.config import GenerateSettings, SearchSettings, SplitSettings, Strategy
from rag.errors import Language, RagError


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; 0 on success, 1 when an evaluation is below a floor, 2 on an error a person can mend (on stderr)."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # what this terminal or file cannot show is written as an escape
            stream.reconfigure(errors="backslashreplace")
    arguments = _parser().parse_args(argv)
    language = shell_language()
    try:
        return arguments.run(arguments, language) or 0
    except RagError as error:
        print(error.message(language), file=sys.stderr)
        return 2
    except OSError as error:  # a file that may not be read, a disk that is full
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m rag", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="command")
    toy = commands.add_parser("toy", help="the worked cosine example; needs NumPy only")
    toy.set_defaults(run=_toy)

    build = commands.add_parser("build", help="documents → an index in a folder")
    build.add_argument("--documents", type=Path, nargs="+", required=True, help="files or folders")
    build.add_argument("--index", type=Path, required=True, help="folder to write")
    build.add_argument("--strategy", default=SplitSettings().strategy, choices=get_args(Strategy))
    build.add_argument("--size", type=int, default=SplitSettings().size, help="characters a chunk (tokens: tokens)")
    build.add_argument(
        "--overlap", type=int, default=SplitSettings().overlap, help="shared by neighbours, in the unit of --size"
    )
    add_model_options(build)
    build.set_defaults(run=build_index)

    ask = commands.add_parser("ask", help="a question against an index")
    ask.add_argument("--index", type=Path, required=True)
    ask.add_argument("--question", default="入职满一年，每年有多少天带薪年假？")
    ask.add_argument("--retrieval-only", action="store_true", help="candidates and messages; no generator is loaded")
    ask.add_argument("--mode", default="fused", choices=["fused", "dense", "lexical"])
    ask.add_argument("--depth", type=int, default=SearchSettings().depth, help="candidates a retriever")
    ask.add_argument("--packed", type=int, default=SearchSettings().packed, help="pieces of evidence at most")
    ask.add_argument("--answer-tokens", type=int, default=GenerateSettings().answer_tokens)
    ask.add_argument("--temperature", type=float, default=0.0)
    ask.add_argument("--context-limit", type=int, default=GenerateSettings().context_limit)
    add_model_options(ask)
    ask.set_defaults(run=ask_question)

    add_evaluate(commands)

    models = commands.add_parser("models", help="what each role resolves to: source, hash, size, licence")
    models.add_argument("--fetch", action="store_true", help="download and convert what is missing")
    add_model_options(models)
    models.set_defaults(run=show_models)
    return parser


def _toy(arguments: argparse.Namespace, language: Language) -> None:
    from rag.learn import toy

    example = toy()
    print("query  =", " ".join(f"{x:.2f}" for x in example.query))
    print("scores =", " ".join(f"{x:.2f}" for x in example.scores))
    print("top-2  =", " ".join(example.best))
    print(json.dumps([{"role": m.role, "content": m.content} for m in example.messages], ensure_ascii=False, indent=2))
