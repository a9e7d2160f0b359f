"""The process that reads files a visitor sent: ``python -m rag.corpus.load.worker``, started by `rag.corpus.load.process`.

A request on standard input is a line of JSON and the file's bytes; an answer on standard output is one line of JSON.
The process bounds its own memory and time, writes no file, leaves no core dump, and ends with the one that started it.
"""

from __future__ import annotations

import json
import logging
import math
import os
import queue
import sys
import threading
import time
from dataclasses import asdict
from typing import Any, BinaryIO

from rag.corpus.load.dispatch import load
from rag.corpus.load.fault import Fault
from rag.corpus.load.held import most_held
from rag.corpus.records import document_json
from rag.errors import LoadError

# Kept free while a file is read, to be able to say that it needs too much.
_RESERVE = 32_000_000


def main() -> None:
    """Answer requests until standard input ends."""
    answers = os.fdopen(os.dup(1), "wb")
    requests: queue.SimpleQueue[tuple[dict[str, Any], bytes]] = queue.SimpleQueue()
    limited = _bound(memory=int(sys.argv[1]))
    threading.Thread(target=_listen, args=(sys.stdin.buffer, requests), daemon=True).start()
    _send(answers, _line({"ready": True, "limited": limited}))
    # what a library prints is no answer, and may be words of the file
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    logging.disable()  # what our code ran into goes back with the answer, by kind and place, and is logged there
    while True:
        request, data = requests.get()
        _bound_time(request["seconds"])
        _send(answers, _answered(request, data))


def _listen(stream: BinaryIO, requests: queue.SimpleQueue[tuple[dict[str, Any], bytes]]) -> None:
    """Read requests; when the other side is gone, end the process, whatever it is doing."""
    try:
        while line := stream.readline():
            request = json.loads(line)
            requests.put((request, stream.read(request["size"])))
    finally:
        os._exit(0)


def _answered(request: dict[str, Any], data: bytes) -> bytes:
    """The answer as it is sent."""
    reserve = None
    try:
        reserve = bytearray(_RESERVE)
        return _line(_answer(request, data) | {"peak": most_held("self")})
    except MemoryError:
        del reserve  # what a file filled may still be held: without room nothing could be said
        return _line({"error": "memory", "peak": most_held("self")})


def _answer(request: dict[str, Any], data: bytes) -> dict[str, Any]:
    faults: list[Fault] = []
    try:
        documents = load(request["name"], data, "own", faults.append)
        if sum(len(d.text) for d in documents) > request["characters"]:
            return {"error": "characters"}
        return {"documents": [document_json(d) for d in documents]}
    except LoadError as error:
        if _because_of(error, MemoryError):
            raise MemoryError from error
        said = {"error": type(error).__name__, "en": error.text.en, "zh": error.text.zh}
        return said | {"faults": [asdict(fault) for fault in faults]}


def _because_of(error: BaseException | None, kind: type[BaseException]) -> bool:
    """Whether `error` or what it was raised from or after is a `kind`."""
    while error is not None and not isinstance(error, kind):
        error = error.__cause__ or error.__context__
    return error is not None


def _line(answer: dict[str, Any]) -> bytes:
    # half a surrogate pair becomes its escape, which JSON has too
    return json.dumps(answer, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"


def _send(answers: BinaryIO, line: bytes) -> None:
    answers.write(line)
    answers.flush()


def _bound(memory: int) -> bool:
    """Limit this process to `memory` bytes of address space, no file written and no core dump; False where it cannot be."""
    if sys.platform == "win32":
        return False
    import resource

    os.nice(5)  # the models' work goes first
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    if sys.platform != "linux":  # elsewhere the limit is taken and not kept
        return False
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    return True


def _bound_time(seconds: float) -> None:
    """Let the system end this process after so many more seconds of computing, whatever it is doing then."""
    if sys.platform != "win32":
        import resource

        used = math.ceil(time.process_time() + seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (used, resource.getrlimit(resource.RLIMIT_CPU)[1]))


if __name__ == "__main__":
    main()
