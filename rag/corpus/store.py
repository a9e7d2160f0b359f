"""A corpus on disk: documents.json, chunks.json, embeddings.npy and manifest.json, checked when they are read.

A chunk's vector takes four bytes a number in embeddings.npy, 1,536 for 384.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import numpy as np

from rag.config import SplitSettings
from rag.corpus.codes import blocks_of, encode
from rag.corpus.dense import DenseIndex
from rag.corpus.index import Corpus, corpus_hash
from rag.corpus.lexical import LexicalIndex
from rag.corpus.records import document_json, read_document
from rag.errors import IndexMismatch, SettingError
from rag.types import Chunk, Document

FORMAT = 4  # also raised when the same documents and settings give other chunks than before
MAPPED_FROM: Final = 100_000
"""From so many chunks on the vectors stay in their file and their codes are held instead: 39 MB then, and not 154, of 384 numbers each.
A search takes longer with codes (half as long again, on one core), which of so few nobody notices."""
_FILES = ("documents.json", "chunks.json", "embeddings.npy")
_LIBRARIES = ("numpy", "torch", "transformers", "sentence-transformers", "bm25s")


def save(corpus: Corpus, folder: Path, encoder_facts: Sequence[tuple[str, str]]) -> None:
    """Write `corpus` to `folder`, atomically: beside it first, then moved into place.

    An index that is already there, whole or damaged, is replaced; a folder that holds anything else is refused.
    `encoder_facts` is ``Encoder.facts``, for people who read the manifest; () without an encoder.
    Raises `SettingError` when the folder is refused or cannot be written; what was there is then still there.
    """
    check_target(folder)
    try:
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as scratch:
            new = Path(scratch) / "new"
            new.mkdir()
            _write_json(new / "documents.json", [document_json(d) for d in corpus.documents.values()])
            _write_json(new / "chunks.json", [asdict(chunk) for chunk in corpus.chunks])
            vectors = corpus.dense.vectors if corpus.dense else np.zeros((len(corpus.chunks), 0), dtype=np.float32)
            np.save(new / "embeddings.npy", vectors, allow_pickle=False)
            _write_json(new / "manifest.json", _manifest(corpus, new, encoder_facts))
            _move_into_place(new, folder, Path(scratch) / "old")
    except OSError as error:
        raise _unwritable(folder, error) from error


def check_target(folder: Path) -> None:
    """Raise `SettingError` unless an index may be written to `folder`; makes its parent. To be asked before the work."""
    try:
        if not _may_replace(folder):
            raise SettingError(
                en=f"{folder}: this is not an index and not an empty folder. Choose another folder.",
                zh=f"{folder}：既不是索引，也不是空文件夹，请另选一个文件夹。",
            )
        folder.parent.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder.parent).close()
    except OSError as error:
        raise _unwritable(folder, error) from error


def _unwritable(folder: Path, error: OSError) -> SettingError:
    reason = error.strerror or str(error)
    return SettingError(
        en=f"{folder}: the index cannot be written there ({reason}). Choose another folder.",
        zh=f"{folder}：无法在此写入索引（{reason}），请另选一个文件夹。",
    )


def _may_replace(folder: Path) -> bool:
    """Whether nothing but an index can be lost: no folder, an empty one, or the files of an index and no others."""
    if not folder.exists():
        return True
    if not folder.is_dir():
        return False
    names = {path.name for path in folder.iterdir()}
    # many kinds of folders hold a manifest.json; chunks and vectors beside it are ours
    return not names or (names <= {*_FILES, "manifest.json"} and bool(names & {"chunks.json", "embeddings.npy"}))


def _move_into_place(new: Path, folder: Path, old: Path) -> None:
    if not folder.exists():
        os.rename(new, folder)
        return
    os.rename(folder, old)
    try:
        os.rename(new, folder)
    except BaseException:
        os.rename(old, folder)
        raise


def load(folder: Path, fingerprint: str | None) -> Corpus:
    """Read a corpus and check every part of it against the manifest and against itself.

    `fingerprint` is that of the encoder in use ("" for none); None accepts any, for reading without a model.
    Raises `IndexMismatch` that names the part which disagrees.
    """
    manifest = _read_json(folder, "manifest.json")
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise _mismatch(folder, "manifest.json", "its format version is unknown", "格式版本未知")
    if manifest.get("self_sha256") != _self_hash(manifest):
        raise _mismatch(folder, "manifest.json", "changed since the index was built", "建立索引后被改动")
    if fingerprint is not None and manifest["fingerprint"] != fingerprint:
        theirs = str(manifest["encoder"].get("model", "?"))
        raise _mismatch(
            folder,
            "manifest.json",
            f"built with another encoder, prefix, number format or weights ({theirs}) than the one in use",
            f"由另一个编码器、前缀、数值精度或权重（{theirs}）建立，与当前的不同",
        )
    for name in _FILES:
        if _sha256_or_none(folder / name) != manifest["sha256"][name]:
            raise _mismatch(
                folder,
                name,
                "missing, unreadable or changed since the index was built",
                "缺失、无法读取，或建立索引后被改动",
            )
    documents = _read_documents(folder)
    chunks = _read_chunks(folder, documents)
    dense = read_vectors(folder, len(chunks), manifest["dimension"])
    if corpus_hash(documents.values()) != manifest["corpus_sha256"]:
        raise _mismatch(folder, "documents.json", "the texts differ from the corpus indexed", "文本与建立索引时不同")
    lexical = LexicalIndex([chunk.wording for chunk in chunks])
    settings = SplitSettings(**manifest["split"])
    return Corpus(documents, chunks, dense, lexical, settings, manifest["fingerprint"], manifest["corpus_id"])


def _manifest(corpus: Corpus, folder: Path, encoder_facts: Sequence[tuple[str, str]]) -> dict[str, Any]:
    manifest: dict[str, Any] = {
        "format": FORMAT,
        "encoder": dict(encoder_facts),
        "fingerprint": corpus.fingerprint,
        "dimension": corpus.dense.vectors.shape[1] if corpus.dense else 0,
        "normalised": True,
        "split": asdict(corpus.split),
        "counts": {"documents": len(corpus.documents), "chunks": len(corpus.chunks)},
        "corpus_id": corpus.corpus_id,
        "corpus_sha256": corpus_hash(corpus.documents.values()),
        "sha256": {name: _sha256(folder / name) for name in _FILES},
        "libraries": {name: version(name) for name in _LIBRARIES},
    }
    return {**manifest, "self_sha256": _self_hash(manifest)}


def _self_hash(manifest: Mapping[str, Any]) -> str:
    """SHA-256 over everything else in the manifest: once it holds, the entries are as this program wrote them."""
    rest = {name: value for name, value in manifest.items() if name != "self_sha256"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def _read_documents(folder: Path) -> dict[str, Document]:
    documents: dict[str, Document] = {}
    try:
        for record in _read_json(folder, "documents.json"):
            document = read_document(record)
            documents[document.key] = document
    except (KeyError, TypeError, ValueError) as error:
        raise _mismatch(folder, "documents.json", f"not as written ({error})", f"结构不对（{error}）") from error
    return documents


def _read_chunks(folder: Path, documents: Mapping[str, Document]) -> tuple[Chunk, ...]:
    try:
        records = _read_json(folder, "chunks.json")
        chunks = tuple(Chunk(**{**record, "section": tuple(record["section"])}) for record in records)
        stray = next((chunk.chunk_id for chunk in chunks if not _is_slice(chunk, documents)), None)
    except (KeyError, TypeError) as error:
        raise _mismatch(folder, "chunks.json", f"not as written ({error})", f"结构不对（{error}）") from error
    if stray is not None:
        raise _mismatch(folder, "chunks.json", f"{stray} is no slice of its document", f"{stray} 不是其文档的片段")
    return chunks


def _is_slice(chunk: Chunk, documents: Mapping[str, Document]) -> bool:
    return (
        chunk.key in documents
        and documents[chunk.key].text[chunk.start : chunk.end] == chunk.text
        and chunk.chunk_id == f"{chunk.key}:{chunk.start}-{chunk.end}"
    )


def read_vectors(folder: Path, n: int, dim: int) -> DenseIndex | None:
    """The `n` vectors of `dim` numbers in a saved index, each checked; None when it has none (`dim` 0).

    From `MAPPED_FROM` on they stay in the file, which is mapped, and only their codes are held. Whatever replaces the file has to
    replace it whole, as `save` does, not write into it. Raises `IndexMismatch`.
    """
    file = folder / "embeddings.npy"
    try:
        # a memory map: the size is checked against the file before anything is read, and a zip archive is refused
        mapped = np.lib.format.open_memmap(file, mode="r")
        if mapped.dtype != np.float32 or mapped.shape != (n, dim) or not mapped.flags.c_contiguous:
            raise _mismatch(
                folder,
                file.name,
                f"shape {mapped.shape} {mapped.dtype}, expected ({n}, {dim}) float32, row by row",
                f"形状为 {mapped.shape} {mapped.dtype}，应为按行存放的 ({n}, {dim}) float32",
            )
        if not dim:
            return None
        # Windows would not let a file be replaced that is mapped
        if n >= MAPPED_FROM and os.name != "nt":
            return DenseIndex(np.asarray(mapped), encode(_checked(folder, _let_go(mapped)), n, dim))
        vectors = np.array(mapped)
        for _ in _checked(folder, blocks_of(vectors)):
            pass
        return DenseIndex(vectors)
    except (ValueError, OSError, EOFError) as error:
        raise _mismatch(folder, file.name, f"unreadable ({error})", f"无法读取（{error}）") from error


def _let_go(mapped: np.memmap[Any, Any]) -> Iterator[np.ndarray[Any, np.dtype[np.float32]]]:
    """The rows of `mapped`, in pieces, each of which is out of memory again when the next one comes."""
    for block in blocks_of(mapped):
        yield np.asarray(block)
        if isinstance(mapped.base, mmap.mmap):
            with suppress(OSError):  # advice: where the system does not take it, the rows are right all the same
                mapped.base.madvise(mmap.MADV_DONTNEED)


def _checked(
    folder: Path, blocks: Iterable[np.ndarray[Any, np.dtype[np.float32]]]
) -> Iterator[np.ndarray[Any, np.dtype[np.float32]]]:
    """The same blocks; raises `IndexMismatch` at one whose rows are not finite or not of length 1."""
    for block in blocks:
        if not np.isfinite(block).all():
            raise _mismatch(folder, "embeddings.npy", "holds NaN or infinite values", "含有 NaN 或无穷大")
        if block.size and np.abs(np.linalg.norm(block, axis=1) - 1).max() > 1e-3:
            raise _mismatch(folder, "embeddings.npy", "holds rows that are not of length 1", "含有长度不为 1 的向量")
        yield block


def _read_json(folder: Path, name: str) -> Any:
    try:
        return json.loads((folder / name).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise _mismatch(folder, name, "not found", "找不到") from error
    except (OSError, ValueError, RecursionError) as error:
        raise _mismatch(folder, name, f"unreadable ({error})", f"无法读取（{error}）") from error


def _write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1), encoding="utf-8", newline="\n")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _sha256_or_none(path: Path) -> str | None:
    """The hash of a file; None when it is missing or cannot be read."""
    try:
        return _sha256(path)
    except OSError:
        return None


def _mismatch(folder: Path, name: str, en: str, zh: str) -> IndexMismatch:
    return IndexMismatch(
        en=f"{folder / name}: {en}. Build the index again: python -m rag build --documents … --index {folder}",
        zh=f"{folder / name}：{zh}。请重新建立索引：python -m rag build --documents … --index {folder}",
    )
