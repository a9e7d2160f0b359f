"""How much memory a run took."""

from __future__ import annotations

import re
import sys
from pathlib import Path


def peak_memory() -> float | None:
    """The most memory this whole process has held so far (resident set, in MB of 10⁶ bytes); None where it cannot be read."""
    status = Path("/proc/self/status")
    if status.exists():
        found = re.search(r"^VmHWM:\s+(\d+) kB", status.read_text(encoding="utf-8"), re.M)
        return int(found[1]) * 1024 / 1e6 if found else None
    try:
        import resource  # not on Windows
    except ImportError:
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most * (1 if sys.platform == "darwin" else 1024) / 1e6
