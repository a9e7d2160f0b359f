"""What of memory goes back to the system: the C library and the mapping of files keep more than is used, unless they are told.

The heap's with the GNU C library, a file's pages on Linux; elsewhere nothing happens, and nothing but memory is lost.
"""

from __future__ import annotations

import ctypes
import mmap
import platform
import sys
from pathlib import Path
from typing import Any, Final

_GLIBC: Final = platform.libc_ver()[0] == "glibc"
_ARENA_MAX: Final = -8  # M_ARENA_MAX of malloc.h
_PAGEOUT: Final = 21  # MADV_PAGEOUT of Linux, since 5.4


def one_heap() -> None:
    """Have all threads of this process share one heap; to be called before they begin.

    Left to itself every thread gets its own, in pieces of 64 MB, in which a weight of 17 MB leaves gaps: of the models that are
    loaded behind the page these were 0.6 GB.
    """
    if _GLIBC:
        ctypes.CDLL(None).mallopt(_ARENA_MAX, 1)


def give_back() -> None:
    """Give what is free within the heap back to the system."""
    if _GLIBC:
        ctypes.CDLL(None).malloc_trim(0)


def hand_back(weight: Any) -> None:
    """Give the pages of a tensor that is mapped from a file and that nobody needs any more back to the system.

    Weights are mapped from one file, and what was read of it counts as this process's memory until all of them are gone. The advice
    loses nothing: read again, they come from the file again, which the next start may have to read from the disk. Memory that is no
    file's would be written to a swap file, only to be freed behind that: it is left as it is.
    """
    if sys.platform != "linux" or weight.device.type != "cpu" or not weight.is_contiguous():
        return
    page = mmap.PAGESIZE
    first, end = -(-weight.data_ptr() // page), (weight.data_ptr() + weight.nbytes) // page
    if first < end and _of_a_file(first * page, end * page):
        size = ctypes.c_size_t((end - first) * page)
        ctypes.CDLL(None).madvise(ctypes.c_void_p(first * page), size, _PAGEOUT)


def _of_a_file(start: int, end: int) -> bool:
    """Whether the addresses from `start` to `end` are one file's (``/proc/self/maps``: a range, …, the inode, 0 for no file)."""
    with Path("/proc/self/maps").open("rb") as ranges:
        for line in ranges:
            span, _, _, _, inode, *_ = line.split(maxsplit=5)
            first, last = (int(address, 16) for address in span.split(b"-"))
            if first <= start and end <= last:
                return inode != b"0"
    return False
