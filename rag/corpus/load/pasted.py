"""Files pasted together from parts in different encodings: read line by line, and inside a line run by run."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from rag.corpus.load.everyday import PLAUSIBLE, commonness

_OTHERS = ("utf-8", "gb18030", "cp950", "big5hkscs")
# Two or more characters of UTF-8 as they are for Chinese: hardly ever by chance inside another encoding.
_UTF8_RUN = re.compile(rb"((?:[\xe2-\xef][\x80-\xbf]{2}){2,})")
_CLEAR = 0.3


@dataclass(frozen=True, slots=True)
class Parts:
    """A file read line by line. `encodings`: those met, the most frequent first; `lines`: the numbers (from 1) of lines
    in another than that; `unreadable`: the first line that is in none."""

    text: str
    encodings: tuple[str, ...]
    lines: tuple[int, ...]
    unreadable: int | None

    @property
    def several(self) -> bool:
        """Whether parts are in different encodings."""
        return len(self.encodings) > 1


def strict(data: bytes, encoding: str) -> str | None:
    """`data` decoded, an incomplete last character left out; None when the bytes are not of that encoding."""
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        whole = encoding.startswith("utf-16") or any(b > 0x7F for b in data[: error.start])
        # An "end of data" error is a file cut in the middle of a character; anything else is another encoding.
        reasons = ("end of data" in error.reason, "incomplete" in error.reason, "truncated" in error.reason)
        if error.start >= len(data) - 3 and error.end == len(data) and whole and any(reasons):
            return strict(data[: error.start], encoding) if error.start else None
        return None


def lines_apart(data: bytes, main: str) -> Parts | None:
    """`data` line by line, each in the encoding that reads it best; `main` has the benefit of the doubt.

    None when no line holds anything beyond ASCII. A byte 0x0A is a line's end in all of these encodings.
    """
    out: list[str] = []
    used: list[tuple[int, str]] = []
    unreadable: int | None = None
    lines = data.split(b"\n")
    for number, line in enumerate(lines, start=1):
        if line.isascii():
            out.append(line.decode("ascii"))
            continue
        pieces = _pieces(line, main, last=number == len(lines))
        if pieces is None:
            unreadable = unreadable or number
            continue
        out.append("".join(text for text, _ in pieces))
        used += [(number, encoding) for _, encoding in pieces if encoding]
    counts = Counter(encoding for _, encoding in used)
    if not counts and unreadable is None:
        return None
    encodings = tuple(encoding for encoding, _ in counts.most_common())
    lines_of_others = tuple(dict.fromkeys(number for number, encoding in used if encoding != encodings[0]))
    return Parts("\n".join(out), encodings, lines_of_others, unreadable)


def _pieces(line: bytes, main: str, last: bool) -> list[tuple[str, str]] | None:
    """The line's text in one piece, or, where no encoding reads all of it, in runs; None when a run stays unreadable."""
    whole = _best(line, main, last)
    if whole and commonness(whole[0]) >= PLAUSIBLE:
        return [whole]
    runs = _UTF8_RUN.split(line)
    if len(runs) > 1:
        pieces = []
        for place, run in enumerate(runs):
            if run.isascii():
                pieces.append((run.decode("ascii"), ""))
                continue
            read = (run.decode("utf-8", "ignore"), "utf-8") if place % 2 else _best(run, main, last)
            if not read or commonness(read[0]) < PLAUSIBLE:
                break
            pieces.append(read)
        else:
            return pieces
    return [whole] if whole and whole[1] in (main, "utf-8") else None


def _best(line: bytes, main: str, last: bool) -> tuple[str, str] | None:
    """The line in the encoding that reads it best: `main` unless another is clearly better."""
    best: tuple[float, str, str] | None = None
    for encoding in dict.fromkeys((main, *_OTHERS)):
        text = strict(line, encoding) if last else _whole(line, encoding)
        if text is None:
            continue
        score = commonness(text)
        if best is None or score > best[0] + _CLEAR:
            best = (score, text, encoding)
        if best[0] + _CLEAR >= 1:
            break  # nothing can be clearly better
    return (best[1], best[2]) if best else None


def _whole(line: bytes, encoding: str) -> str | None:
    try:
        return line.decode(encoding)
    except UnicodeDecodeError:
        return None
