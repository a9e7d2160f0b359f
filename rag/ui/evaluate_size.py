"""What an evaluation would keep in memory, estimated before it runs."""

from __future__ import annotations

from collections.abc import Sequence

from rag.config import Settings
from rag.evaluate.run import Given

# Measured over prompts and candidates of many sizes (tracemalloc, bytes): an outcome costs about so much by itself, for
# each candidate, and for each token of a prompt (a token's id is an object of its own).
_OUTCOME = 10_000
_CANDIDATE = 600
_TOKEN = 33
# Rules, question and template; a character is taken for a token, which is more than it mostly is.
_AROUND = 500


def kept_bytes(settings: Settings, given: Sequence[Given]) -> int:
    """About so many bytes stay for every question asked under `settings`, with a prompt for every kind of evidence.

    >>> kept_bytes(Settings(), ()), kept_bytes(Settings(), ("none", "gold", "wrong", "retrieved"))
    (102100, 270400)
    """
    search, budget = settings.search, settings.generate.budget
    lists = 2 if search.mode == "fused" else 1
    prompts = 1 + sum(kind != "retrieved" for kind in given)
    tokens = min(budget, search.packed * settings.split.size + _AROUND)
    return _OUTCOME + _CANDIDATE * lists * search.depth + _TOKEN * prompts * tokens
