"""The child process that converts: ``python -m rag.models.convert e5|gguf SOURCE OUT``.

Its parent holds the other end of standard input. When the parent is killed that pipe closes and the child goes
too: a converter left alone would write into a folder that the next run clears away.
"""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path


def leave_with_parent() -> None:
    """End this process when its standard input does; returns at once."""
    threading.Thread(target=_wait_for_end, daemon=True).start()


def _wait_for_end() -> None:
    # not sys.stdin: a thread that waits inside its buffer would break the interpreter's shutdown
    while os.read(0, 1):
        pass
    os._exit(3)


def main(kind: str, source: str, out: str) -> None:
    """Convert the file `source` of `kind` ``e5`` or ``gguf`` to the new folder `out`. Raises what the converters raise."""
    import torch

    # there is next to nothing to compute, and threads that wait for each other on busy cores cost minutes
    torch.set_num_threads(1)
    if kind == "e5":
        from rag.models.convert_e5 import convert_e5

        convert_e5(Path(source), Path(out))
    elif kind == "gguf":
        from rag.models.convert_gguf import convert_gguf

        convert_gguf(Path(source), Path(out))
    else:
        raise ValueError(f"unknown kind {kind!r}")


if __name__ == "__main__":
    leave_with_parent()
    main(*sys.argv[1:4])
