"""The heap of a process with many threads, seen from outside: what the kernel has mapped for it. Tensors: tests/models/test_packed.py."""

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from rag.models.heap import give_back

ROOT = Path(__file__).resolve().parents[2]
_THREADS = """
import sys, threading
from pathlib import Path
from rag.models.heap import give_back, one_heap

def heaps():
    # a heap of a thread is the start of 64 MB that are reserved for it
    n = 0
    for line in Path("/proc/self/maps").read_text().splitlines():
        begin, end = (int(a, 16) for a in line.split()[0].split("-"))
        n += line.split()[1] == "---p" and 2**25 < end - begin <= 2**26
    return n

if sys.argv[1] == "one":
    one_heap()
before, meet = heaps(), threading.Barrier(9)
def work():
    kept = [bytearray(50_000) for _ in range(20)]
    meet.wait()
    meet.wait()
threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads:
    thread.start()
meet.wait()
print(heaps() - before)
meet.wait()
for thread in threads:
    thread.join()
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="it is that library's heap")
def test_threads_share_one_heap_once_that_is_asked_for() -> None:
    found = {}
    env = {name: value for name, value in os.environ.items() if not name.startswith(("MALLOC_", "GLIBC_"))}
    for way in ("one", "own"):
        done = subprocess.run(
            [sys.executable, "-c", _THREADS, way], cwd=ROOT, env=env, capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, done.stderr
        found[way] = int(done.stdout)
    assert found["one"] == 0 < found["own"]


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="it is that library's heap")
def test_what_is_free_within_the_heap_is_given_back() -> None:
    def held_mb() -> float:
        with open("/proc/self/status") as status:
            return int(status.read().split("RssAnon:")[1].split()[0]) / 1024

    parts = [bytearray(b"x" * 60_000) for _ in range(4000)]  # 240 MB in pieces of the heap
    full = held_mb()
    kept = parts[::50]  # what is left keeps the heap from shrinking by itself
    del parts
    give_back()
    assert held_mb() < full - 150
    assert sum(map(len, kept)) == 80 * 60_000
