"""What makes a folder a model: the files in it, and the SHA-256 of its weights without reading them at every start."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_LOG = logging.getLogger(__name__)

_TOKENIZERS = (
    "tokenizer.json",
    "tokenizer.model",
    "vocab.txt",
    "vocab.json",
    "sentencepiece.bpe.model",
    "spiece.model",
)


def sha256_of(path: Path) -> str:
    """SHA-256 of a file, 64 hex digits. Raises ``OSError``."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def weight_files(folder: Path) -> tuple[Path, ...]:
    """The safetensors of a model folder, sorted: in the folder itself and in ``1_…``-like module folders."""
    return tuple(sorted([*folder.glob("*.safetensors"), *folder.glob("[0-9]_*/*.safetensors")]))


def missing_in(folder: Path) -> tuple[str, ...]:
    """The files without which `folder` is no loadable model; empty when it is complete. Raises ``OSError``."""
    missing = [] if (folder / "config.json").is_file() else ["config.json"]
    if not any((folder / name).is_file() for name in _TOKENIZERS):
        missing.append("tokenizer.json")
    index = folder / "model.safetensors.index.json"
    if index.is_file():
        try:
            shards = set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values())
        except (ValueError, KeyError, TypeError, AttributeError):
            return (*missing, f"a readable {index.name}")
        missing += sorted(str(shard) for shard in shards if not (folder / str(shard)).is_file())
    elif not any(folder.glob("*.safetensors")):
        missing.append("model.safetensors")
    return tuple(missing)


def licence_of(folder: Path) -> str:
    """The licence that the front matter of ``README.md`` states, else ``""``."""
    try:
        head = (folder / "README.md").read_text(encoding="utf-8", errors="replace")[:4000]
    except OSError:
        return ""
    if not head.startswith("---"):
        return ""
    found = re.search(r"^license(?:_name)?:[ \t]*([\w.+-]+)[ \t]*$", head.split("\n---", 1)[0], re.MULTILINE)
    return found[1] if found else ""


@dataclass(frozen=True, slots=True)
class Stamps:
    """Remembers in `folder` (one small file per weight file) which SHA-256 belonged to a path, size and mtime.

    A file whose stamp is unchanged is not read again. Somebody who can set mtimes can fool it; it guards against
    accidents (a half-written or replaced file), not against an attacker who owns the disk.
    """

    folder: Path

    def sha256(self, path: Path) -> str:
        """SHA-256 of `path`, from the stamp or by reading it. Raises ``OSError``."""
        state, where = path.stat(), str(path.resolve())
        stamp = [where, state.st_size, state.st_mtime_ns]
        note = self.folder / f"{hashlib.sha256(where.encode()).hexdigest()[:16]}.json"
        known = _noted(note)
        if known.get("stamp") == stamp and re.fullmatch("[0-9a-f]{64}", str(known.get("sha256"))):
            return str(known["sha256"])
        digest = sha256_of(path)
        try:
            write_atomically(note, json.dumps({"stamp": stamp, "sha256": digest}, ensure_ascii=False))
        except OSError as error:  # a read-only cache still serves; it is only read again at the next start
            _LOG.warning("the hash of %s is not remembered: %s", path.name, error.strerror)
        return digest

    def combined(self, paths: tuple[Path, ...]) -> str:
        """One SHA-256 for several files: the file's own for one; else over ``"<sha256>  <name>\\n"`` lines, in order."""
        if len(paths) == 1:
            return self.sha256(paths[0])
        lines = "".join(f"{self.sha256(path)}  {path.name}\n" for path in paths)
        return hashlib.sha256(lines.encode()).hexdigest()


def _noted(note: Path) -> dict[str, object]:
    """The content of a stamp; empty when there is none yet or it is damaged, so that the file is read."""
    try:
        found = json.loads(note.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def write_atomically(path: Path, text: str) -> None:
    """Write `text` (UTF-8) so that a reader sees the old file or the new one, never a part. Raises ``OSError``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


def bytes_under(folder: Path) -> int:
    """Bytes of all files under `folder`; files that vanish meanwhile count as 0."""
    return sum(_sizes(folder))


def _sizes(folder: Path) -> Iterator[int]:
    for path in folder.rglob("*"):
        try:
            yield path.stat().st_size if path.is_file() else 0
        except OSError:
            yield 0


def remove(folder: Path) -> None:
    """Remove `folder` and all in it, if it is there.

    Housekeeping, so it raises nothing: what a process that outlived its parent still writes stays for the next run.
    """
    shutil.rmtree(folder, ignore_errors=True)
