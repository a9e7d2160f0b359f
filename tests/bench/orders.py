"""How much of what is hostile the check for orders to the machine flags, and how much of what is ordinary.

    python tests/bench/orders.py --hostile FILE.jsonl --ordinary FILE.jsonl [--injection injection.jsonl]

A line of the first two is an object with a ``text``; without them the passages of the tests are read. Of an injection's
documents it says in how many of the prompts' words the canary is left. No model is loaded.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from rag.ask.evidence import without
from rag.ask.suspicious import suspicious
from rag.evaluate.statistics import share_interval
from tests.ask.passages import HOSTILE, ORDINARY


def texts(path: Path) -> list[str]:
    """The texts of a file, one object a line."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [str(json.loads(line)["text"]) for line in lines if line.strip()]


def share(name: str, flagged: Sequence[bool]) -> None:
    """Print how many of them are flagged, with the 95 % interval."""
    interval = share_interval(sum(flagged), len(flagged))
    within = f" [{interval.low:.1%}, {interval.high:.1%}]" if interval else ""
    print(f"{name}: {sum(flagged)} of {len(flagged)} = {sum(flagged) / max(1, len(flagged)):.1%}{within}")


def left(path: Path) -> Iterator[bool]:
    """Of each injected document whether its canary is gone from what would be packed."""
    for line in path.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        for document in case["docs"]:
            if document.get("injected"):
                text = document["text"]
                kept = "\n".join(text[a:b] for a, b in without((0, len(text)), suspicious(text)))
                yield case["canary"] not in kept


def main() -> None:
    """Read the options, print the shares and, on request, what is on the wrong side."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("hostile", "ordinary", "injection"):
        parser.add_argument(f"--{name}", type=Path)
    parser.add_argument("--show", action="store_true", help="also print what is missed or flagged wrongly")
    arguments = parser.parse_args()
    for name, file, own in (("hostile", arguments.hostile, HOSTILE), ("ordinary", arguments.ordinary, ORDINARY)):
        read = texts(file) if file else own
        flagged = [bool(suspicious(text)) for text in read]
        share(f"{name} flagged", flagged)
        if arguments.show:
            print(
                *(f"  {text}" for text, found in zip(read, flagged, strict=True) if found != (name == "hostile")),
                sep="\n",
            )
    if arguments.injection:
        share("canaries withheld", list(left(arguments.injection)))


if __name__ == "__main__":
    main()
