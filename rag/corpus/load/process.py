"""Files a visitor sent are read in a process of their own, within memory and time: what breaks there breaks nothing here.

The shell and the samples call `rag.corpus.load.load` itself: their files are those of whoever runs the program.
"""

from __future__ import annotations

import json
import logging
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from rag.config import Limits
from rag.corpus.load.fault import log_fault, read_fault
from rag.corpus.load.held import most_held
from rag.corpus.load.metadata import document_key
from rag.corpus.load.waiting_line import WaitingLine
from rag.corpus.records import read_document
from rag.errors import EmptyDocument, LimitReached, LoadError, RagError, Stopped, UnsafeFile, UnsupportedFormat
from rag.types import Document

_LOG = logging.getLogger(__name__)
_ROOT = Path(__file__).resolve().parents[3]
_WORKER = ("-m", "rag.corpus.load.worker")
_KINDS = {kind.__name__: kind for kind in (LoadError, EmptyDocument, UnsafeFile, UnsupportedFormat)}
# All that a reader gets to know of the surroundings: a token in the environment is nothing for it.
_ENVIRONMENT = ("PATH", "LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONHOME", "SYSTEMROOT", "LANG", "LC_ALL")
# What a process says that limits its memory, before it takes anything.
_LIMITED = b'{"ready": true, "limited": true}\n'
# How a process ended that used up its time (SIGXCPU), or that a system without memory killed (SIGKILL).
_OUT_OF_TIME, _KILLED = -24, -9
# The seconds of the limit are of computing. On a busy machine they take longer, but not for ever.
_PATIENCE = 3.0
_POLL_S = 0.1
_START_S = 60.0
# An answer with as many characters as the default limit lets through has some 30 MB.
_LONGEST_ANSWER = 200_000_000
_LONGEST_MESSAGE = 2000
# A reader that held so much of its memory is not used again: what it did not give back is missing to the next file.
_TIRED = 0.25
# How a process ends in which foreign code was given no memory (SIGABRT, SIGSEGV), and how much it then holds at least.
_NO_MEMORY, _NEARLY_ALL = (-6, -11), 0.5
Waiting = Callable[[float, int], None]
"""Is told for how many seconds a file has been read, and how many files of others have to be read first."""


class ReadingRoom:
    """Where every visitor's files are read, some at a time (see `WaitingLine`)."""

    def __init__(self, line: WaitingLine | None = None) -> None:
        self._line = line or WaitingLine()

    def reader(self, limits: Limits) -> Reader:
        """A reader for the files of one upload; to be closed."""
        return Reader(limits, self._line)


class Reader:
    """Reads files one after the other in a child process, which is started with the first and again after one ended it."""

    def __init__(self, limits: Limits, line: WaitingLine) -> None:
        self._limits, self._line = limits, line
        self._child: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Reader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the process, whatever it is doing."""
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            child.wait()
            with suppress(OSError):  # what it did not take is still to be written
                child.stdin.close()  # type: ignore[union-attr]  # it is a pipe

    def read(
        self, name: str, data: bytes, stop: threading.Event, waiting: Waiting = lambda *_: None
    ) -> tuple[Document, ...]:
        """The documents in a file called `name` with the content `data`; see `rag.corpus.load.load`.

        `waiting` is told, some times a second, for how many seconds the file has been read, and how many others are first.

        Raises:
            LoadError: what `load` raises, or the file made its reader crash.
            LimitReached: it takes more time or memory, or gives more text, than the limits allow.
            Stopped: `stop` was set; within a fraction of a second, whatever the file is.
        """

        def pause(ahead: int) -> None:
            waiting(0.0, ahead)
            stop.wait(_POLL_S)
            _heed(stop)

        with self._line.place(pause):
            try:
                answer = self._asked(name, data, stop, waiting)
            except BaseException:
                self.close()
                raise
        if answer.peak > self._limits.parse_bytes * _TIRED:
            self.close()
        if answer.problem is not None:
            raise answer.problem
        return answer.documents

    def _asked(self, name: str, data: bytes, stop: threading.Event, waiting: Waiting) -> _Answer:
        fresh = self._child is None
        child = self._child = self._child or _start(name, self._limits.parse_bytes)
        lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        request = _request(name, len(data), self._limits)
        threading.Thread(
            target=_talk, args=(child, request, data, 1 + fresh, lines), name="reading", daemon=True
        ).start()
        if fresh:
            _check_ready(name, child, lines, stop)
        held = 0

        def watched(seconds: float, ahead: int) -> None:
            nonlocal held
            held = max(held, most_held(child.pid))
            waiting(seconds, ahead)

        try:
            line = _line(lines, stop, self._limits.parse_seconds * _PATIENCE, watched)
        except TimeoutError as error:
            raise _too_slow(name, self._limits.parse_seconds) from error
        if not line.endswith(b"\n"):
            raise _broken_off(name, _status(child), held, self._limits)
        return _checked(name, line, self._limits)


@dataclass(frozen=True, slots=True)
class _Answer:
    """What the process made of a file, and the most memory in bytes that it has held so far (0: not known)."""

    documents: tuple[Document, ...]
    problem: RagError | None
    peak: int


def _start(name: str, memory: int) -> subprocess.Popen[bytes]:
    environment = {key: os.environ[key] for key in _ENVIRONMENT if key in os.environ}
    try:
        return subprocess.Popen(
            [sys.executable, *_WORKER, str(memory)],
            cwd=_ROOT,
            env={**environment, "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
    except OSError as error:
        raise _not_started(name, str(error.strerror)) from error


def _check_ready(
    name: str, child: subprocess.Popen[bytes], lines: queue.SimpleQueue[bytes], stop: threading.Event
) -> None:
    try:
        ready = _line(lines, stop, _START_S)
    except TimeoutError as error:
        raise _not_started(name, f"{_START_S:g} s") from error
    if not ready:  # a bug, or a broken installation: its own message is in the log
        raise RuntimeError(f"the process that reads files ended before it began, with status {_status(child)}")
    if ready != _LIMITED:
        _LOG.warning("the memory of the process that reads files cannot be limited on this system")


def _request(name: str, size: int, limits: Limits) -> bytes:
    request = {"name": name, "size": size, "seconds": limits.parse_seconds, "characters": limits.characters}
    return json.dumps(request).encode() + b"\n"


def _talk(child: subprocess.Popen[bytes], request: bytes, data: bytes, n: int, lines: queue.SimpleQueue[bytes]) -> None:
    """Send a request and queue the `n` lines that come; an empty one when the process ended instead."""
    assert child.stdin is not None and child.stdout is not None
    with suppress(OSError, ValueError):  # it ended, and what reads `lines` learns that from the end of its output
        child.stdin.write(request)
        child.stdin.write(data)
        child.stdin.flush()
    for _ in range(n):
        lines.put(child.stdout.readline(_LONGEST_ANSWER))


def _line(
    lines: queue.SimpleQueue[bytes], stop: threading.Event, seconds: float, waiting: Waiting = lambda *_: None
) -> bytes:
    """The next line. Raises `TimeoutError` after `seconds`, `Stopped`."""
    began = time.monotonic()
    while True:
        try:
            return lines.get(timeout=_POLL_S)
        except queue.Empty:
            _heed(stop)
            taken = time.monotonic() - began
            if taken > seconds:
                raise TimeoutError from None
            waiting(taken, 0)


def _checked(name: str, line: bytes, limits: Limits) -> _Answer:
    """The answer in `line`: of a process that read a hostile file, so nothing of it is taken on trust.

    Raises `LoadError` when it is none.
    """
    try:
        answer = json.loads(line)
        documents = tuple(read_document(record) for record in answer.get("documents", ()))
        if any(d.origin != "own" or d.key != document_key(d.doc_id, d.version, d.text) for d in documents):
            raise ValueError("a document that is not what it says")
        if type(answer["peak"]) is not int:  # JSON as Python reads it has Infinity too
            raise TypeError("a peak that is no number of bytes")
        for fault in [read_fault(record) for record in answer.get("faults", ())][:1]:  # no file meets more than one
            log_fault(fault)
        return _Answer(documents, None if documents else _problem(name, answer, limits), answer["peak"])
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError) as error:
        raise _crashed(name) from error


def _problem(name: str, answer: dict[str, str], limits: Limits) -> RagError:
    if answer["error"] == "memory":
        return _too_much_memory(name, limits.parse_bytes)
    if answer["error"] == "characters":
        return _too_much_text(name, limits.characters)
    en, zh = (str(answer[language])[:_LONGEST_MESSAGE] for language in ("en", "zh"))
    return _KINDS[answer["error"]](en=en, zh=zh)


def _status(child: subprocess.Popen[bytes]) -> int:
    """The exit status of a process whose output has ended (negative: the signal that ended it); 0 if it lives on."""
    with suppress(subprocess.TimeoutExpired):
        return child.wait(timeout=1.0)
    return 0


def _broken_off(name: str, status: int, held: int, limits: Limits) -> RagError:
    if status == _OUT_OF_TIME:
        return _too_slow(name, limits.parse_seconds)
    if status == _KILLED or (status in _NO_MEMORY and held > limits.parse_bytes * _NEARLY_ALL):
        return _too_much_memory(name, limits.parse_bytes)
    _LOG.error("the process that reads files broke off with status %d", status)
    return _crashed(name)


def _heed(stop: threading.Event) -> None:
    if stop.is_set():
        raise Stopped(en="Reading was stopped.", zh="读取已停止。")


def _not_started(name: str, why: str) -> LoadError:
    return LoadError(
        en=f"{name}: the process that reads files could not be started ({why}). Try again in a moment.",
        zh=f"{name}：无法启动读取文件的进程（{why}），请稍后再试。",
    )


def _too_slow(name: str, seconds: float) -> LimitReached:
    return LimitReached(
        en=f"{name}: reading it takes more than {seconds:,g} seconds of computing, the limit for a file. Split it, or save it in a simpler format (.docx, .txt).",
        zh=f"{name}：读取所需计算时间超过 {seconds:,g} 秒（单个文件的上限），请拆分，或另存为更简单的格式（.docx、.txt）。",
    )


def _too_much_memory(name: str, limit: int) -> LimitReached:
    megabytes = limit // 1_000_000
    return LimitReached(
        en=f"{name}: reading it needs more than {megabytes:,} MB of memory, the limit for a file. Split it, or save it in a simpler format (.docx, .txt).",
        zh=f"{name}：读取所需内存超过 {megabytes:,} MB（单个文件的上限），请拆分，或另存为更简单的格式（.docx、.txt）。",
    )


def _too_much_text(name: str, limit: int) -> LimitReached:
    return LimitReached(
        en=f"{name}: more than {limit:,} characters of text, the limit for a file. Split it.",
        zh=f"{name}：文字超过 {limit:,} 个字符（单个文件的上限），请拆分。",
    )


def _crashed(name: str) -> LoadError:
    return LoadError(
        en=f"{name}: the program that reads files broke off on it; the other files are not affected. "
        "Save it again from its own program, or in another format (.docx, .txt).",
        zh=f"{name}：读取程序在处理此文件时意外中止，其他文件不受影响。请用原程序重新保存，或另存为其他格式（.docx、.txt）。",
    )
