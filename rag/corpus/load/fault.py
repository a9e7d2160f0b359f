"""What a loader ran into and did not expect: its kind and its place, never its message, which may quote the file."""

from __future__ import annotations

import logging
import re
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_LOG = logging.getLogger(__name__)
_PACKAGE = Path(__file__).resolve().parents[2]
_SHOWN_PARTS, _MOST_LINES = 4, 10_000_000
_KIND, _FILE = re.compile(r"[\w.]{1,100}", re.ASCII), re.compile(r"[\w./<>+-]{1,200}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Fault:
    """An exception by its kind and the innermost line that it came from; `file` is the end of a path."""

    kind: str
    file: str
    line: int
    ours: bool
    """Whether it is an error in this program rather than a library's word on a file."""


def fault_of(error: BaseException) -> Fault:
    """The fault that `error` is, which was raised.

    Ours is a built-in exception (IndexError, AttributeError…), or one of our own, that rises from a line of this package.
    What a library raises, of its own kinds or of the built-in ones, is how libraries say that a file is damaged.
    """
    frame, line = list(traceback.walk_tb(error.__traceback__))[-1]
    place = Path(frame.f_code.co_filename)
    module = type(error).__module__
    ours = (module == "builtins" or module.startswith("rag.")) and place.resolve().is_relative_to(_PACKAGE)
    kind = type(error).__name__ if module == "builtins" else f"{module}.{type(error).__name__}"
    return Fault(_only(_KIND, kind), _only(_FILE, "/".join(place.parts[-_SHOWN_PARTS:])), line, ours)


def read_fault(record: Any) -> Fault:
    """The fault in `record`, an object of JSON with its fields, as ``dataclasses.asdict`` gives them.

    It comes from a process that read a hostile file: no line of the log is made of anything else than a kind and a place.

    Raises:
        ValueError, TypeError, LookupError: it is none.
    """
    kind, file, line, ours = record["kind"], record["file"], record["line"], record["ours"]
    numbered = type(line) is int and 0 < line < _MOST_LINES
    if not numbered or type(ours) is not bool or not _KIND.fullmatch(kind) or not _FILE.fullmatch(file):
        raise ValueError("a fault that is not what it says")
    return Fault(kind, file, line, ours)


def log_fault(fault: Fault) -> None:
    """Log it: as an error when it is ours, as information when a library found the file damaged."""
    level = logging.ERROR if fault.ours else logging.INFO
    _LOG.log(level, "%s at %s:%d while a file was read", fault.kind, fault.file, fault.line)


def _only(allowed: re.Pattern[str], text: str) -> str:
    """`text`, other characters than the allowed ones left out: a path may have blanks."""
    return "".join(allowed.findall(text))[-100:] or "unknown"
