"""Files and folders → documents → an index, and an index opened with the encoder it was built with."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from rag.cli.options import model_settings
from rag.config import SplitSettings
from rag.errors import Bilingual, IndexMismatch, Language, LoadError, ModelUnavailable
from rag.types import Document

if TYPE_CHECKING:
    from rag.corpus.index import Corpus, Known, Progress
    from rag.models.roles import Models


def build_index(arguments: argparse.Namespace, language: Language) -> None:
    """The command build."""
    from rag.corpus.index import build
    from rag.corpus.store import check_target, save
    from rag.models.roles import Models

    check_target(arguments.index)
    settings = SplitSettings(arguments.strategy, arguments.size, arguments.overlap)
    documents = read_documents(arguments.documents, language)
    models = Models(model_settings(arguments))
    models.load(("encoder",))
    encoder = models.encoder()

    known = _vectors_there(arguments.index, encoder.fingerprint, language)
    reused = 0

    def progress(p: Progress) -> None:
        nonlocal reused
        if p.step == "encode":
            reused = p.reused
            print(f"\rencode {p.done}/{p.total}", end="\n" if p.done == p.total else "", file=sys.stderr)

    corpus = build(documents, settings, encoder, known, progress=progress)
    save(corpus, arguments.index, encoder.facts)
    assert corpus.dense is not None
    print(f"documents = {len(documents)}  chunks = {len(corpus.chunks)}  vectors = {corpus.dense.vectors.shape}")
    print(f"passages whose vectors were in the index already = {reused}")
    print(f"index = {arguments.index}")


def _vectors_there(folder: Path, fingerprint: str, language: Language) -> Known:
    """Vectors by passage of the index that is to be replaced; one that cannot be used is said, and nothing is taken from it."""
    from rag.corpus.index import Known
    from rag.corpus.store import load

    if not (folder / "manifest.json").exists():
        return Known()
    try:
        return load(folder, fingerprint).known()
    except IndexMismatch as error:
        print(error.message(language), file=sys.stderr)
        return Known()


def read_documents(paths: Sequence[Path], language: Language) -> list[Document]:
    """Documents of files and folders; an unreadable file in a folder is named and left out, a named file is an error."""
    from rag.corpus.load import load

    documents: dict[str, Document] = {}
    for path in paths:
        if not path.exists():
            raise LoadError(en=f"{path}: no such file or folder.", zh=f"{path}：没有这个文件或文件夹。")
        files = (
            sorted(p for p in path.rglob("*") if p.is_file() and not _is_hidden(p.relative_to(path)))
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
    _say_versions(documents.values(), language)
    if not documents:
        raise LoadError(en="No document could be read.", zh="没有读到任何文档。")
    return list(documents.values())


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _say_versions(documents: Collection[Document], language: Language) -> None:
    """Name the documents that are not searched because another version is, or because theirs is not in force yet."""
    from rag.corpus.current import in_force

    searched = in_force(documents, date.today())
    for document in documents:
        if document.key not in searched:
            said = Bilingual(
                en=f"{document.file}: {document.key} is not searched, unless the scope says all: another version is in force, or this one is not yet.",
                zh=f"{document.file}：{document.key} 不参与检索（版本范围设为 all 时除外）：另有现行版本，或尚未生效。",
            )
            print(said.of(language), file=sys.stderr)


def _bytes_of(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise LoadError(
            en=f"{file}: cannot be read ({error.strerror}). Check its permissions.",
            zh=f"{file}：无法读取（{error.strerror}），请检查权限。",
        ) from error


def open_index(folder: Path, mode: str, models: Models, language: Language) -> Corpus:
    """The index, and the encoder it was built with loaded; without one the search is lexical, and that is said."""
    from rag.corpus.store import load

    index = load(folder, None)
    if index.dense is None or mode == "lexical":
        return index
    models.load(("encoder",))
    try:
        fingerprint = models.encoder().fingerprint
    except ModelUnavailable as error:
        print(error.message(language), file=sys.stderr)
        return index
    return index if index.fingerprint == fingerprint else load(folder, fingerprint)  # raises what disagrees
