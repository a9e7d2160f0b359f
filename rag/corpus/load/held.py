"""How much memory a process has held."""

from __future__ import annotations

import re
import sys
from pathlib import Path


def most_held(process: int | str) -> int:
    """The most memory in bytes that a process (its number, or ``self``) has held; 0 where that is not known.

    Not ``ru_maxrss``: on Linux it counts what a process was copied from, and the one that starts readers holds the models.
    """
    if sys.platform != "linux":
        return 0
    try:
        status = Path(f"/proc/{process}/status").read_text(encoding="ascii", errors="replace")
    except OSError:  # it has ended
        return 0
    found = re.search(r"^VmHWM:\s+(\d+) kB", status, re.M)
    return int(found[1]) * 1024 if found else 0
