"""Questions → outcomes, one by one: what every stage found, what was packed, and what was answered from which evidence."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

from rag import pipeline
from rag.config import Settings
from rag.corpus.index import Corpus
from rag.errors import Bilingual, NothingFits, SettingError, Stopped
from rag.evaluate.judge import Judged, judge, plain, says
from rag.evaluate.labels import Relevant, Resolver, spans_of
from rag.evaluate.metrics import Scores, score
from rag.evaluate.questions import Question
from rag.pipeline import Loaded
from rag.types import PUBLIC, Answer, Chunk, Retrieval

Stage = Literal["dense", "lexical", "fused", "rerank", "packed"]
STAGES: tuple[Stage, ...] = ("dense", "lexical", "fused", "rerank", "packed")
Given = Literal["none", "gold", "wrong", "retrieved"]
"""What evidence an answer is written from: none; passages that meet every need; the best candidates that neither carry
a label nor say a point; what the search found."""
GIVEN: tuple[Given, ...] = ("none", "gold", "wrong", "retrieved")


@dataclass(frozen=True, slots=True, eq=False)
class Bench:
    """What the questions are asked against, and as whom: `groups` are those of the person who runs it."""

    corpus: Corpus
    settings: Settings
    models: Loaded
    groups: frozenset[str] = PUBLIC

    def asked_as(self, question: Question) -> Bench:
        """The bench that `question` is asked at: a row may narrow whom it is asked as, never widen it; what they may not see is not there."""
        groups = self.groups if question.groups is None else self.groups & question.groups
        return replace(self, groups=groups, corpus=self.corpus.seen_by(groups))


@dataclass(frozen=True, slots=True)
class StageResult:
    """One stage's list for one question.

    `scores` judge its first k units (None without labels); `evidence`: every need is met somewhere in all `n` chunks
    of the list, which is how far down the next stage could still have found it.
    """

    stage: Stage
    n: int
    scores: Scores | None
    evidence: bool | None


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer from one kind of evidence. `answer` is None when nothing could be packed; `problem` says why."""

    given: Given
    retrieval: Retrieval
    answer: Answer | None
    judged: Judged
    problem: Bilingual | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question, with everything that ran for it. `settings` are those in effect for it (its as-of date is in them).

    `evidence`: every need is met by what was packed; None without labels. `seconds` is wall time of all of it,
    `overhead` the part of it that was not the line itself (resolving labels, scoring, judging).
    """

    question: Question
    settings: Settings
    relevant: Relevant
    retrieval: Retrieval
    stages: tuple[StageResult, ...]
    evidence: bool | None
    answers: tuple[Answered, ...]
    seconds: float
    overhead: float

    def answered(self, given: Given) -> Answered | None:
        """The answer from that kind of evidence, when there was one."""
        return next((a for a in self.answers if a.given == given), None)


def evaluate(
    questions: Sequence[Question], bench: Bench, given: Sequence[Given], k: int, stop: threading.Event
) -> Iterator[Outcome]:
    """Ask every question; yields each outcome as it is complete, and ends early once `stop` is set.

    `given`: the kinds of evidence to answer from; none means that only retrieval runs, and no generator is needed.
    `k`: how many units of each list are scored, 1…200.
    """
    if not 1 <= k <= 200:
        raise SettingError(en=f"Setting k: {k} is outside 1–200.", zh=f"设置 k：{k} 超出范围 1–200。")
    resolvers: dict[frozenset[str], Resolver] = {}
    for question in questions:
        began = time.perf_counter()
        asked = bench.asked_as(question)
        if asked.groups not in resolvers:
            resolvers[asked.groups] = Resolver(asked.corpus, asked.corpus.permitted(asked.groups))
        try:
            outcome = _ask(question, asked, resolvers[asked.groups], given, k, stop)
        except Stopped:
            return
        if stop.is_set():
            return  # what was cut short is no outcome
        seconds = time.perf_counter() - began
        yield replace(outcome, seconds=seconds, overhead=seconds - outcome.overhead)


def settings_for(question: Question, settings: Settings, today: date) -> Settings:
    """The settings a question is asked under: as of its day, if that is not after the day of who runs the set."""
    if question.as_of is None:
        return settings
    day = min(question.as_of, settings.search.as_of or today)
    return replace(settings, search=replace(settings.search, as_of=day, scope="newest"))


def stage_lists(retrieval: Retrieval) -> Mapping[Stage, tuple[Chunk, ...]]:
    """The chunks each stage returned, best first; only the stages that ran."""
    lists: dict[Stage, tuple[Chunk, ...]] = {}
    for stage in STAGES:
        found = sorted((c.ranks[stage], c.chunk) for c in retrieval.candidates if stage in c.ranks)
        if found:
            lists[stage] = tuple(chunk for _, chunk in found)
    lists["packed"] = tuple(e.chunk for e in retrieval.prompt.packed) if retrieval.prompt else ()
    return lists


def packed_spans(retrieval: Retrieval) -> dict[str, list[tuple[int, int]]]:
    """The stretches of text in the prompt, by document, in text order."""
    spans: dict[str, list[tuple[int, int]]] = {}
    for evidence in retrieval.prompt.packed if retrieval.prompt else ():
        spans.setdefault(evidence.chunk.key, []).extend(evidence.spans)
    return {key: sorted(found) for key, found in spans.items()}


def _ask(
    question: Question, bench: Bench, resolver: Resolver, given: Sequence[Given], k: int, stop: threading.Event
) -> Outcome:
    """`Outcome.overhead` holds the seconds of the bare line here; the caller knows the whole."""
    relevant = resolver.resolve(question)
    settings = settings_for(question, bench.settings, date.today())
    began = time.perf_counter()
    retrieval = pipeline.retrieve(
        question.question, bench.corpus, settings, bench.models, bench.groups, question.history, stop
    )
    bare = time.perf_counter() - began
    answers = []
    for kind in given:
        began = time.perf_counter()
        source = (
            retrieval
            if kind == "retrieved"
            else _given(kind, question, retrieval, relevant, resolver, replace(bench, settings=settings))
        )
        if source is None:
            continue
        answer, problem = _answer(source, bench, settings, stop)
        bare += time.perf_counter() - began
        if stop.is_set():
            break
        judged = judge(question, answer, relevant, resolver, bench.corpus.documents)
        answers.append(Answered(kind, source, answer, judged, problem))
    results = tuple(_result(stage, chunks, relevant, resolver, k) for stage, chunks in stage_lists(retrieval).items())
    # of what was packed the words themselves count: a clause that runs on brings some from beyond its chunk
    evidence = relevant.evidence(packed_spans(retrieval)) if relevant.needs else None
    results = (*results[:-1], replace(results[-1], evidence=evidence))
    return Outcome(question, settings, relevant, retrieval, results, evidence, tuple(answers), 0.0, bare)


def _result(stage: Stage, chunks: Sequence[Chunk], relevant: Relevant, resolver: Resolver, k: int) -> StageResult:
    if not relevant.needs:
        return StageResult(stage, len(chunks), None, None)
    scores = score(resolver.ranking(chunks, relevant.unit), relevant.grades, k)
    return StageResult(stage, len(chunks), scores, relevant.evidence(spans_of(chunks)))


def _given(
    kind: Given, question: Question, retrieval: Retrieval, relevant: Relevant, resolver: Resolver, bench: Bench
) -> Retrieval | None:
    """A prompt from other evidence than what was found; None when there is none of that kind for the question."""
    if kind == "none":
        chunks: Sequence[Chunk] = ()
    elif kind == "gold":
        chunks = gold(relevant, resolver)
        if not chunks:
            return None
    else:
        useful = {c.chunk_id for place in relevant.places for c in (*resolver.holders(place), *resolver.cover(place))}
        wrong = [c.chunk for c in retrieval.candidates if c.chunk.chunk_id not in useful]
        # a passage nobody labelled may say the answer all the same
        wrong = [chunk for chunk in wrong if not any(says(plain(chunk.text), point) for point in question.points)]
        chunks = wrong[: bench.settings.search.packed]
        if not chunks or not relevant.needs:  # without labels what was found is no worse than anything else
            return None
    return pipeline.given(question.question, chunks, bench.corpus, bench.settings, bench.models, question.history)


def gold(relevant: Relevant, resolver: Resolver) -> tuple[Chunk, ...]:
    """Chunks that meet every need that can be met: of each need's places the one that takes the fewest chunks.

    Of a page or a document all chunks, as none of them is known to hold the answer.
    """
    chosen: dict[str, Chunk] = {}
    for need in relevant.needs:
        options = [resolver.cover(place) for place in relevant.places if place.label.need == need]
        best = min((o for o in options if o), key=len, default=[])
        chosen |= {chunk.chunk_id: chunk for chunk in best}
    return tuple(chosen.values())


def _answer(
    source: Retrieval, bench: Bench, settings: Settings, stop: threading.Event
) -> tuple[Answer | None, Bilingual | None]:
    last: Answer | None = None
    own = threading.Event()  # of this answer alone: a generator sets it when it is done
    try:
        for answer in pipeline.answer(source, bench.corpus, settings, bench.models, own):
            last = answer
            if stop.is_set():
                own.set()
    except NothingFits as error:  # also what a threshold that lets nothing through comes to: the product refuses
        return None, error.text
    return last, None
