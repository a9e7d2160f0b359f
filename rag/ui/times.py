"""How long each part of a question's way took, as one line of escaped HTML. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal, get_args

from rag.errors import Language
from rag.types import StepName, Trace
from rag.ui.render import escape
from rag.ui.strings import text

Part = Literal["query", "embed", "search", "rerank", "prompt", "wait", "gate", "first", "writing", "checks"]
"""In the order they are done. ``first``: from the start of generation to the first token; ``writing``: from there to the last."""

_PART: Final[Mapping[StepName, Part]] = MappingProxyType(
    {
        "rewrite": "query",
        "draft": "query",
        "embed": "embed",
        "dense": "search",
        "lexical": "search",
        "fuse": "search",
        "outside": "search",
        "select": "search",
        "rerank": "rerank",
        "pack": "prompt",
        "wait": "wait",
        "gate": "gate",
        "cite": "checks",
        "quote": "checks",
        "compare": "checks",
    }
)


def parts(trace: Trace, first: float | None) -> dict[Part, float]:
    """The seconds of each part that has a row in `trace`. `first`: those from the start of generation to its first token, None without one."""
    found: dict[Part, float] = {}
    for step in trace.steps:
        if step.name == "generate":
            reading = step.seconds if first is None else min(first, step.seconds)
            found |= {"first": reading, "writing": step.seconds - reading}
        elif step.name in _PART:
            found[_PART[step.name]] = found.get(_PART[step.name], 0.0) + step.seconds
    return {part: found[part] for part in get_args(Part) if part in found}


def line(trace: Trace, first: float | None, language: Language) -> str:
    """The parts with their seconds, and their sum; rows of the cache's say that they are of then."""
    took = parts(trace, first)
    if not took:
        return ""
    items = [(f"times.{part}", seconds) for part, seconds in took.items()] + [("times.all", sum(took.values()))]
    cells = "".join(
        f"<li>{escape(text(key, language))} <b>{escape(text('times.seconds', language, s=f'{seconds:.2f}'))}</b></li>"
        for key, seconds in items
    )
    then = text("times.then", language) if any(step.name == "cache" for step in trace.steps) else ""
    return f'<ul class="legend times">{cells}</ul>' + (f'<p class="note">{escape(then)}</p>' if then else "")
