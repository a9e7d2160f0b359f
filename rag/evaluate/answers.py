"""Cases → answers by the line, and answers that were kept → read again with the code as it is now, without generating."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from rag import pipeline
from rag.ask.cite import cite, sources
from rag.ask.conflicts import told as with_differences
from rag.config import Settings, SplitSettings
from rag.corpus.index import Corpus, build
from rag.errors import NothingFits, QuestionError
from rag.evaluate.answer_cases import Case
from rag.pipeline import Loaded
from rag.types import Answer, Chunk, Evidence, Prompt, Retrieval, Trace

WHOLE: Final = SplitSettings("recursive", 4000, 0)
"""A frozen document is one piece of evidence, unless it is longer than this."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of evidence as it was packed: its marker, the chunk's id, the line in front, and the spans of the document."""

    marker: str
    chunk_id: str
    heading: str
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept of an answer: enough to read it again. `packed` is None when nothing could be packed: nothing was generated then.

    `seconds`: wall time of packing, generating and citing. `gate`: how probable the gate held it that the evidence answers (0…1);
    None when it was not asked. `refused`: it took the answer's place with a refusal, before (`n_tokens` is 0) or after it was written.
    `written`: what the model wrote, where `text` stands in its place, a refusal or a quotation; None where `text` is that.
    """

    id: str
    text: str
    finish: Literal["running", "end", "length", "stopped"]
    seconds: float
    n_tokens: int
    packed: tuple[Piece, ...] | None
    gate: float | None = None
    refused: bool = False
    written: str | None = None

    @property
    def quotes(self) -> bool:
        """Whether a quotation stands in the place of what the model wrote."""
        return self.written is not None and not self.refused


@dataclass(frozen=True, slots=True, eq=False)
class Answered:
    """A case's answer with the corpus that its evidence is of; None: nothing could be packed, which is a refusal."""

    case: Case
    corpus: Corpus
    answer: Answer | None
    kept: Kept

    @property
    def gold(self) -> frozenset[str]:
        """The ids of the chunks of the documents that hold the answer."""
        return frozenset(chunk.chunk_id for chunk in self.corpus.chunks if chunk.key in self.case.gold)


def answered(case: Case, settings: Settings, models: Loaded) -> Answered:
    """The case's documents packed in their order, without a search, and answered by the line under `settings`.

    Raises `ModelUnavailable` without a generator.
    """
    models.generator()
    corpus = build(case.documents, WHOLE, None)
    began = time.perf_counter()
    last: Answer | None
    found = pipeline.given(case.question, in_order(case, corpus), corpus, settings, models)
    try:
        *_, last = pipeline.answer(found, corpus, settings, models, threading.Event())
    except NothingFits:
        last = None
    return Answered(case, corpus, last, keep(case.id, last, time.perf_counter() - began))


def again(case: Case, told: Kept) -> Answered:
    """The answer that was kept, its sentences and citations found anew; raises `QuestionError` when its evidence is not the case's."""
    corpus = build(case.documents, WHOLE, None)
    return Answered(case, corpus, reread(case.question, told, corpus), told)


def bare(case: Case, text: str) -> Answered:
    """An answer of which nothing is known but its text: every document was packed, in order."""
    corpus = build(case.documents, WHOLE, None)
    packed = tuple(
        Piece(f"S{n}", chunk.chunk_id, f"[S{n}]", ((chunk.start, chunk.end),))
        for n, chunk in enumerate(in_order(case, corpus), 1)
    )
    return again(case, Kept(case.id, text, "end", 0.0, 0, packed))


def in_order(case: Case, corpus: Corpus) -> list[Chunk]:
    """The chunks in the order of the case's documents."""
    return [chunk for document in case.documents for chunk in corpus.chunks if chunk.key == document.key]


def keep(id_: str, answer: Answer | None, seconds: float) -> Kept:
    """What is kept of `answer`."""
    if answer is None:
        return Kept(id_, "", "end", seconds, 0, None)
    packed = tuple(Piece(e.marker, e.chunk.chunk_id, e.heading, e.spans) for e in answer.prompt.packed)
    gate, refused = (answer.gate.p, not answer.gate.enough) if answer.gate is not None else (None, False)
    written = answer.withdrawn.text if answer.withdrawn is not None else None
    return Kept(id_, answer.text, answer.finish, seconds, answer.n_tokens, packed, gate, refused, written)


def reread(question: str, told: Kept, corpus: Corpus) -> Answer | None:
    """`told` as an answer to `question` over the same evidence, read with the code as it is now."""
    if told.packed is None:
        return None
    chunks = {chunk.chunk_id: chunk for chunk in corpus.chunks}
    packed = tuple(_evidence(piece, told.id, chunks) for piece in told.packed)
    cited = cite(told.text, sources(packed, corpus.documents), True, question)
    trace = Trace((), (), "")
    prompt = Prompt((), "", (), (), packed, (), 0)
    answer = Answer(
        text=told.text,
        citations=cited.citations,
        sentences=cited.sentences,
        prompt=prompt,
        trace=trace,
        done=True,
        finish=told.finish,
        n_tokens=told.n_tokens,
        seconds_to_first=None,
        seconds=told.seconds,
    )
    # what the scope kept from the prompt is not kept with an answer: only the packed sources are compared
    return with_differences(answer, Retrieval(question, corpus.corpus_id, (), prompt, trace), corpus.documents)


def _evidence(piece: Piece, id_: str, chunks: Mapping[str, Chunk]) -> Evidence:
    chunk = chunks.get(piece.chunk_id)
    if chunk is None:
        raise QuestionError(
            en=f"{id_}: its evidence {piece.chunk_id} is in none of its documents as they are now. Answer it again.",
            zh=f"{id_}：其证据 {piece.chunk_id} 不在现有文档中，请重新作答。",
        )
    return Evidence(piece.marker, chunk, piece.heading, piece.spans)
