"""What becomes of a complete answer: it stays, or a refusal or a quotation takes its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rag.ask.gate import checked, refusal
from rag.ask.quote import instead
from rag.errors import Bilingual
from rag.types import Answer, Document, Trace


def outcome(written: Answer, question: str, documents: Mapping[str, Document]) -> Answer:
    """A complete answer, weighed with its evidence where that was weighed; where it is not carried a refusal in its place, or a quotation."""
    if written.gate is None or written.finish == "stopped" or all(s.support == "refusal" for s in written.sentences):
        return written
    weighed, row = checked(written.gate, written.text, written.sentences, question, documents)
    trace = replace(written.trace, steps=(*written.trace.steps, *row))
    if not weighed.enough:
        return replace(refusal(written, question, weighed, _told_of_withdrawn(trace)), withdrawn=written)
    found, row = instead(replace(written, gate=weighed, trace=trace), weighed, question, documents)
    kept = trace if found.withdrawn is None else _told_of_withdrawn(trace)
    return replace(found, trace=replace(kept, steps=(*kept.steps, *row)))


def _told_of_withdrawn(trace: Trace) -> Trace:
    """`trace`, what its rows behind the writing say of the answer said of what was written and is not shown."""
    at = next((n for n, step in enumerate(trace.steps) if step.name == "generate"), len(trace.steps))
    said = tuple(
        replace(s, note=_of_withdrawn(s.note)) if n > at and s.name in ("cite", "gate") else s
        for n, s in enumerate(trace.steps)
    )
    return replace(trace, steps=said)


def _of_withdrawn(note: Bilingual) -> Bilingual:
    return Bilingual(en=f"of what was written and withdrawn: {note.en}", zh=f"针对已写出又撤回的内容：{note.zh}")
