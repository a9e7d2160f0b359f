"""Reads a GGUF file: metadata and where each tensor lies, in one pass (the gguf package's reader takes ten seconds for a vocabulary)."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType, dequantize
from numpy.typing import NDArray

_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
_LONGEST = 1 << 24  # items or bytes: no string or array of a model's metadata comes near


@dataclass(frozen=True, slots=True)
class Tensor:
    """Where a tensor lies: `shape` as NumPy has it (rows first), `offset` from the file's start."""

    shape: tuple[int, ...]
    kind: GGMLQuantizationType
    offset: int

    @property
    def size(self) -> int:
        """Bytes in the file. Raises ``ValueError`` when the rows are no multiple of the quantisation block."""
        block, block_bytes = GGML_QUANT_SIZES[self.kind]
        if self.shape[-1] % block:
            raise ValueError(f"rows of {self.shape[-1]} values in blocks of {block}")
        return math.prod(self.shape) // block * block_bytes


@dataclass(frozen=True, slots=True)
class GgufFile:
    """A parsed file: `metadata` (numbers, booleans, strings and lists of them) and `tensors`, by name."""

    path: Path
    metadata: dict[str, object]
    tensors: dict[str, Tensor]

    def number(self, key: str) -> float:
        """The number under `key`. Raises ``ValueError`` when there is none."""
        found = self.metadata.get(key)
        if isinstance(found, bool) or not isinstance(found, (int, float)):
            raise ValueError(f"{self.path.name}: {key} is not a number")
        return found

    def integer(self, key: str) -> int:
        """The number under `key`, as an integer. Raises ``ValueError`` when there is none."""
        return int(self.number(key))

    def text(self, key: str) -> str:
        """The string under `key`. Raises ``ValueError`` when there is none."""
        found = self.metadata.get(key)
        if not isinstance(found, str):
            raise ValueError(f"{self.path.name}: {key} is not a string")
        return found

    def items(self, key: str) -> list[object]:
        """The list under `key`. Raises ``ValueError`` when there is none."""
        found = self.metadata.get(key)
        if not isinstance(found, list):
            raise ValueError(f"{self.path.name}: {key} is not a list")
        return found

    def values(self, name: str) -> NDArray[np.float32]:
        """Tensor `name` decoded, float32, in its shape. Raises ``KeyError`` for no such tensor, ``ValueError`` for a cut file."""
        tensor = self.tensors[name]
        if tensor.offset + tensor.size > self.path.stat().st_size:
            raise ValueError(f"{self.path.name}: ends inside {name}")
        with self.path.open("rb") as file:
            file.seek(tensor.offset)
            raw = np.fromfile(file, np.uint8, tensor.size)
        rows = raw.reshape(*tensor.shape[:-1], -1)
        return dequantize(rows, tensor.kind).astype(np.float32, copy=False).reshape(tensor.shape)


def read_gguf(path: Path) -> GgufFile:
    """Read the head of the GGUF file at `path` (version 2 or 3, little endian). Raises ``ValueError`` or ``OSError``."""
    with path.open("rb") as file:
        if file.read(4) != b"GGUF":
            raise ValueError(f"{path.name} is no GGUF file")
        version, n_tensors, n_pairs = _unpack(file, "IQQ")
        if version not in (2, 3) or max(n_tensors, n_pairs) > _LONGEST:
            raise ValueError(f"{path.name}: GGUF version {version} is not known")
        metadata: dict[str, object] = {}
        for _ in range(n_pairs):
            key = _string(file)
            metadata[key] = _value(file, _unpack(file, "I")[0])
        heads: list[tuple[str, tuple[int, ...], int, int]] = []
        for _ in range(n_tensors):
            name = _string(file)
            dims = _unpack(file, f"{_count(_unpack(file, 'I')[0], 8)}Q")
            kind, offset = _unpack(file, "IQ")
            heads.append((name, dims, kind, offset))
        alignment = metadata.get("general.alignment", 32)
        if not isinstance(alignment, int) or alignment < 1:
            raise ValueError(f"{path.name}: general.alignment is {alignment!r}")
        start = -(-file.tell() // alignment) * alignment
    tensors = {
        name: Tensor(tuple(reversed(dims)), GGMLQuantizationType(kind), start + offset)
        for name, dims, kind, offset in heads
    }
    return GgufFile(path, metadata, tensors)


def _unpack(file: BinaryIO, form: str) -> tuple[int, ...]:
    size = struct.calcsize("<" + form)
    raw = file.read(size)
    if len(raw) != size:
        raise ValueError("the file ends too early")
    return struct.unpack("<" + form, raw)


def _count(number: int, most: int = _LONGEST) -> int:
    if number > most:
        raise ValueError(f"a length of {number} in the metadata")
    return number


def _string(file: BinaryIO) -> str:
    size = _count(_unpack(file, "Q")[0])
    raw = file.read(size)
    if len(raw) != size:
        raise ValueError("the file ends too early")
    return raw.decode("utf-8")


def _value(file: BinaryIO, kind: int) -> object:
    if kind in _SCALARS:
        return _unpack(file, _SCALARS[kind])[0]
    if kind == _STRING:
        return _string(file)
    if kind != _ARRAY:
        raise ValueError(f"metadata of type {kind}")
    item, count = _unpack(file, "IQ")
    if item in _SCALARS:
        return list(_unpack(file, f"{_count(count)}{_SCALARS[item]}"))
    if item != _STRING:
        raise ValueError(f"an array of type {item}")
    return [_string(file) for _ in range(_count(count))]
