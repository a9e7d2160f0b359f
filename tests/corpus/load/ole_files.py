"""Small OLE containers, written by hand after [MS-CFB]: a header, one FAT sector, one directory sector per four entries."""

import struct

_FREE, _END, _FAT, _NONE = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD, 0xFFFFFFFF
_SECTOR = 512


def container(streams: dict[str, bytes]) -> bytes:
    """A container with these streams at its top; each of 4096 bytes or more, so that it needs no short sectors."""
    padded = {name: data.ljust(4096, b"\0") for name, data in streams.items()}
    directories = (len(padded) + 1 + 3) // 4
    fat = [_FAT, *range(2, directories + 1), _END]
    entries, body = [], b""
    for name, data in padded.items():
        first, sectors = len(fat), -(-len(data) // _SECTOR)
        fat += [*range(first + 1, first + sectors), _END]
        entries.append((name, 2, first, len(data)))
        body += data.ljust(sectors * _SECTOR, b"\0")
    assert len(fat) <= 128
    directory = _entry("Root Entry", 5, _END, 0, child=1)
    for number, (name, kind, first, size) in enumerate(entries, start=1):
        directory += _entry(name, kind, first, size, right=number + 1 if number < len(entries) else _NONE)
    directory = directory.ljust(directories * _SECTOR, b"\0")
    header = struct.pack(
        "<8s16sHHHHH6sIIIIIIIIII", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"", 0x3E, 3, 0xFFFE, 9, 6, b"",
        0, 1, 1, 0, 4096, _END, 0, _END, 0, 0,
    )  # fmt: skip
    header += struct.pack("<108I", *[_FREE] * 108)
    table = struct.pack("<128I", *(fat + [_FREE] * (128 - len(fat))))
    return header + table + directory + body


def _entry(name: str, kind: int, first: int, size: int, right: int = _NONE, child: int = _NONE) -> bytes:
    written = (name + "\0").encode("utf-16-le")
    return struct.pack(
        "<64sHBBIII16sIQQIQ", written, len(written), kind, 1, _NONE, right, child, b"", 0, 0, 0, first, size
    )
