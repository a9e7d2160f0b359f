"""The line from a shell: python -m rag toy | build | ask | models."""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rag.config import (
    GenerateSettings,
    Limits,
    ModelSettings,
    SearchSettings,
    Settings,
    SplitSettings,
    from_environment,
)
from rag.errors import Bilingual, Language, LoadError, ModelUnavailable, RagError
from rag.types import Answer, Document, Retrieval, Role

if TYPE_CHECKING:  # each command imports what it needs: the worked example runs with numpy alone
    from rag.corpus.index import Corpus
    from rag.models.roles import Models


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; 0 on success, 2 on an error a person can mend (its message goes to stderr)."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # what this terminal or file cannot show is written as an escape
            stream.reconfigure(errors="backslashreplace")
    arguments = _parser().parse_args(argv)
    language = shell_language()
    try:
        arguments.run(arguments, language)
    except RagError as error:
        print(error.message(language), file=sys.stderr)
        return 2
    except OSError as error:  # a file that may not be read, a disk that is full
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


def shell_language() -> Language:
    """Chinese when the locale's language is Chinese, else English."""
    locale = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG") or ""
    return "zh" if locale.lower().startswith("zh") else "en"


def add_model_options(parser: argparse.ArgumentParser) -> None:
    """The options that choose models; each has an environment variable as its default."""
    plain = from_environment()
    parser.add_argument("--encoder", default=plain.encoder, help="name or folder (RAG_ENCODER; default %(default)s)")
    parser.add_argument(
        "--generator", default=plain.generator, help="name or folder (RAG_GENERATOR; default %(default)s)"
    )
    parser.add_argument(
        "--cache", type=Path, default=plain.cache, help="folder for weights and the sample index (RAG_CACHE)"
    )


def model_settings(arguments: argparse.Namespace) -> ModelSettings:
    """The model options of a parsed command line."""
    return replace(
        from_environment(), encoder=arguments.encoder, generator=arguments.generator, cache=arguments.cache.expanduser()
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m rag", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="command")
    toy = commands.add_parser("toy", help="the worked cosine example; needs NumPy only")
    toy.set_defaults(run=_toy)

    build = commands.add_parser("build", help="documents → an index in a folder")
    build.add_argument("--documents", type=Path, nargs="+", required=True, help="files or folders")
    build.add_argument("--index", type=Path, required=True, help="folder to write")
    build.add_argument("--strategy", default=SplitSettings().strategy, choices=["fixed", "recursive"])
    build.add_argument("--size", type=int, default=SplitSettings().size, help="characters a chunk")
    build.add_argument("--overlap", type=int, default=SplitSettings().overlap, help="characters shared by neighbours")
    add_model_options(build)
    build.set_defaults(run=_build)

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
    ask.set_defaults(run=_ask)

    models = commands.add_parser("models", help="what each role resolves to: source, hash, size, licence")
    models.add_argument("--fetch", action="store_true", help="download and convert what is missing")
    add_model_options(models)
    models.set_defaults(run=_models)
    return parser


def _toy(arguments: argparse.Namespace, language: Language) -> None:
    from rag.learn import toy

    example = toy()
    print("query  =", " ".join(f"{x:.2f}" for x in example.query))
    print("scores =", " ".join(f"{x:.2f}" for x in example.scores))
    print("top-2  =", " ".join(example.best))
    print(json.dumps([{"role": m.role, "content": m.content} for m in example.messages], ensure_ascii=False, indent=2))


def _build(arguments: argparse.Namespace, language: Language) -> None:
    from rag.corpus.index import Progress, build
    from rag.corpus.store import check_target, save
    from rag.models.roles import Models

    check_target(arguments.index)
    settings = SplitSettings(arguments.strategy, arguments.size, arguments.overlap)
    documents = _read(arguments.documents, language)
    models = Models(model_settings(arguments))
    models.load(("encoder",))
    encoder = models.encoder()

    def progress(p: Progress) -> None:
        if p.step == "encode":
            print(f"\rencode {p.done}/{p.total}", end="\n" if p.done == p.total else "", file=sys.stderr)

    corpus = build(documents, settings, encoder, progress=progress)
    save(corpus, arguments.index, encoder.facts)
    assert corpus.dense is not None
    print(f"documents = {len(documents)}  chunks = {len(corpus.chunks)}  vectors = {corpus.dense.vectors.shape}")
    print(f"index = {arguments.index}")


def _read(paths: Sequence[Path], language: Language) -> list[Document]:
    """Documents of files and folders; an unreadable file in a folder is named and left out, a named file is an error."""
    from rag.corpus.load import SUFFIXES, load

    documents: dict[str, Document] = {}
    for path in paths:
        if not path.exists():
            raise LoadError(en=f"{path}: no such file or folder.", zh=f"{path}：没有这个文件或文件夹。")
        files = (
            sorted(p for p in path.rglob("*") if p.suffix.lower() in SUFFIXES and p.is_file())
            if path.is_dir()
            else [path]
        )
        for file in files:
            try:
                loaded = load(file.name, _bytes_of(file), "own")
            except LoadError as error:
                if not path.is_dir():
                    raise
                print(error.message(language), file=sys.stderr)
                continue
            for document in loaded:
                if document.key in documents:
                    raise LoadError(
                        en=f"{file}: {document.key} is there already. Give one of them another doc_id or version.",
                        zh=f"{file}：{document.key} 已经存在，请改用另一个 doc_id 或版本。",
                    )
                documents[document.key] = document
                for warning in document.warnings:
                    print(f"{file.name}: {warning.of(language)}", file=sys.stderr)
    if not documents:
        raise LoadError(en="No document could be read.", zh="没有读到任何文档。")
    return list(documents.values())


def _bytes_of(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise LoadError(
            en=f"{file}: cannot be read ({error.strerror}). Check its permissions.",
            zh=f"{file}：无法读取（{error.strerror}），请检查权限。",
        ) from error


def _ask(arguments: argparse.Namespace, language: Language) -> None:
    from rag import pipeline
    from rag.limits import Allowance
    from rag.models.roles import Models

    question = Allowance(Limits()).checked_question(arguments.question)
    models = Models(model_settings(arguments))
    index = _open(arguments, models, language)
    if not arguments.retrieval_only:
        models.load(("generator",))
    settings = Settings(
        index.split,
        SearchSettings(mode=arguments.mode, depth=arguments.depth, packed=arguments.packed),
        GenerateSettings(
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
        print(answer.text[shown:], end="", flush=True)
        shown = len(answer.text)
    print()
    if answer is not None:
        _print_answer(answer, language)


def _open(arguments: argparse.Namespace, models: Models, language: Language) -> Corpus:
    """The index, and the encoder it was built with loaded; without one the search is lexical, and that is said."""
    from rag.corpus.store import load

    index = load(arguments.index, None)
    if index.dense is None or arguments.mode == "lexical":
        return index
    models.load(("encoder",))
    try:
        fingerprint = models.encoder().fingerprint
    except ModelUnavailable as error:
        print(error.message(language), file=sys.stderr)
        return index
    return index if index.fingerprint == fingerprint else load(arguments.index, fingerprint)  # raises what disagrees


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
    for step in answer.trace.steps:
        note = step.note.of(language)
        print(f"{step.name:9} {step.seconds:7.3f} s  {step.n_in:5} → {step.n_out:<5} {note}")


def _models(arguments: argparse.Namespace, language: Language) -> None:
    from rag.models.hub import Hub
    from rag.models.weights import resolve

    settings = model_settings(arguments)
    hub = Hub()
    missing: list[RagError] = []
    roles: tuple[tuple[Role, str], ...] = (("encoder", settings.encoder), ("generator", settings.generator))

    def say(note: Bilingual) -> None:
        print(note.of(language), flush=True)

    for role, asked in roles:
        try:
            w = resolve(role, asked, settings.cache, say, hub, arguments.fetch)
        except ModelUnavailable as error:
            missing.append(error)
            continue
        print(f"  folder {w.folder}\n  sha256 {w.sha256}\n  size   {w.size:,} bytes\n  licence {w.licence}")
    if missing:
        raise ModelUnavailable(
            en="\n".join(e.message("en") for e in missing), zh="\n".join(e.message("zh") for e in missing)
        )
