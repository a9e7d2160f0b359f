"""Which version of each policy is in force on a day."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date

from rag.types import Document


def in_force(documents: Iterable[Document], on: date) -> frozenset[str]:
    """Keys of the newest version in force on a day, per policy.

    A version that begins later is not in force; one that ended is left out only when another version is left, since
    the last known text of a policy is more use than none. Undated versions count as the oldest.

    >>> a = Document("leave", "2025", "leave@2025", "own", "", "", "", effective_from=date(2025, 1, 1))
    >>> b = Document("leave", "2026", "leave@2026", "own", "", "", "", effective_from=date(2026, 1, 1))
    >>> sorted(in_force([a, b], date(2025, 6, 1))), sorted(in_force([a, b], date(2026, 6, 1)))
    (['leave@2025'], ['leave@2026'])
    """
    policies: dict[tuple[str, str], list[Document]] = {}
    for document in documents:
        policies.setdefault((document.origin, document.doc_id), []).append(document)
    keys = set()
    for versions in policies.values():
        begun = [d for d in versions if d.effective_from is None or d.effective_from <= on]
        running = [d for d in begun if d.effective_to is None or d.effective_to >= on]
        candidates = running or begun
        if candidates:
            # of equals the one that came last: whoever adds a file again means the new one
            keys.add(max(reversed(candidates), key=lambda d: (d.effective_from or date.min, _counting(d.version))).key)
    return frozenset(keys)


def _counting(version: str) -> tuple[str | int, ...]:
    """A sort key in which V1.10 comes after V1.9: text and numbers alternate, beginning with text."""
    return tuple(int(part) if i % 2 else part for i, part in enumerate(re.split(r"(\d+)", version)))
