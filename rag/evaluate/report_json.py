"""An experiment as JSON, for machines: everything the page says in figures and words, and every question with its answers."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict
from datetime import date
from typing import Any

import numpy as np

from rag.evaluate.diagnose import Diagnosis, diagnose
from rag.evaluate.experiment import Experiment
from rag.evaluate.figures import figures
from rag.evaluate.measured_run import Run
from rag.evaluate.run import GIVEN, Answered, Outcome, StageResult
from rag.evaluate.summary import (
    COMPARED,
    answers,
    blame,
    by_category,
    category,
    failed,
    first_relevant,
    paired,
    stages,
    step_seconds,
)
from rag.evaluate.threshold import curve, suggested

_SURROGATE = re.compile("[\ud800-\udfff]")
_DIGITS = 4


def to_json(experiment: Experiment) -> str:
    """`experiment` as one JSON object; the same experiment gives the same text.

    Shares are in 0…1, times in seconds, rounded to four digits. `runs` holds the first run, which the others are
    compared with (`comparisons`), and the others; `threshold` is about the first. A figure is ``{mean, low, high, n}``; a text is as it was read.
    """
    base = experiment.runs[0]
    used = base.used
    expects = [question.expects for question in base.question_set.questions]
    report = {
        "format": "rag-eval 1",
        "date": base.started.isoformat(timespec="seconds"),
        "complete": experiment.complete,
        "asked": experiment.asked,
        "questions": {
            "name": base.question_set.name,
            "n": len(expects),
            **{kind: expects.count(kind) for kind in ("answer", "refusal", "unknown")},
            "drafts": sum(question.draft for question in base.question_set.questions),
        },
        "models": {
            "encoder": dict(used.encoder) or None,
            "encoder_fingerprint": used.fingerprint or None,
            "generator": dict(used.generator) or None,
        },
        "given": list(base.given),
        "k": base.k,
        "runs": [_run(run) for run in experiment.runs],
        "threshold": _threshold(base),
        "comparisons": [_comparison(base, other) for other in experiment.runs[1:]],
    }
    written = json.dumps(_rounded(report), ensure_ascii=False, indent=1, allow_nan=False)
    # half of a pair cannot be written as UTF-8; it stands in a string, so its escape means the same
    return _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", written) + "\n"


def _run(run: Run) -> dict[str, Any]:
    corpus, blamed = run.bench.corpus, blame(run.outcomes)
    found = (answers(run.outcomes, given) for given in GIVEN)
    groups = [category(name, outcomes) for name, outcomes in by_category(run.outcomes).items()]
    return {
        "name": run.name,
        "date": run.started.isoformat(timespec="seconds"),
        "settings": dict(run.settings.lines()),
        "settings_hash": run.settings.hash(),
        "corpus": {"id": corpus.corpus_id, "documents": len(corpus.documents), "chunks": len(corpus.chunks)},
        "groups": sorted(run.bench.groups),
        "complete": run.complete,
        "asked": len(run.outcomes),
        "seconds": run.seconds,
        "overhead_seconds": run.overhead,
        "peak_memory_of_the_process_mb": None if run.memory is None else round(run.memory),
        "figures": {name: asdict(interval) for name, interval in figures(run).items()},
        "stages": [
            {"stage": s.stage, **{m: asdict(interval) for m, interval in s.measures.items()}}
            for s in stages(run.outcomes)
        ],
        "categories": [asdict(summary) for summary in groups],
        "answers": [asdict(summary) for summary in found if summary is not None],
        "blame": {"n": blamed.n, **asdict(blamed)} if blamed is not None else None,
        "steps": [
            {
                "step": name,
                "n": len(seconds),
                "median": float(np.median(seconds)),
                "p95": float(np.quantile(seconds, 0.95)),
            }
            for name, seconds in step_seconds(run.outcomes).items()
        ],
        "outcomes": [_outcome(outcome, run) for outcome in run.outcomes],
    }


def _comparison(base: Run, other: Run) -> dict[str, Any]:
    measures = {}
    for measure in COMPARED:
        found = paired(base, other, measure)
        if found is not None:
            result, ids = found
            measures[measure] = {
                "n": len(ids),
                "difference": asdict(result.difference),
                "p": result.p,
                "noise": result.noise,
                "gained": [ids[i] for i in result.gained],
                "lost": [ids[i] for i in result.lost],
            }
    return {"name": other.name, "settings_hash": other.settings.hash(), "measures": measures}


def _threshold(run: Run) -> dict[str, Any] | None:
    """What a threshold would do, see `rag.evaluate.threshold`; None without cosines. `suggested` is None: leave it off."""
    points = curve(run.outcomes, run.bench)
    return {"suggested": suggested(points), "curve": [asdict(point) for point in points]} if points else None


def _outcome(outcome: Outcome, run: Run) -> dict[str, Any]:
    """`as_of`: the day that was searched, None for the day of the run; `as_of_asked`: the one the row asks for, which may be later."""
    question = outcome.question
    diagnosis = diagnose(outcome, run.bench.corpus, run.bench.groups)
    return {
        "id": question.id,
        "category": question.category,
        "question": question.question,
        "history": list(question.history),
        "as_of": _day(outcome.settings.search.as_of),
        "as_of_asked": _day(question.as_of),
        "expects": question.expects,
        "failed": failed(outcome),
        "evidence": outcome.evidence,
        "unit": outcome.relevant.unit,
        "missing_labels": [asdict(label) for label in outcome.relevant.missing],
        "stages": [_stage(result) for result in outcome.stages],
        "packed": [chunk.chunk.chunk_id for chunk in outcome.retrieval.prompt.packed]
        if outcome.retrieval.prompt
        else [],
        "answers": [_answered(answered, outcome) for answered in outcome.answers],
        "diagnosis": _diagnosis(diagnosis) if diagnosis is not None else None,
        "seconds": outcome.seconds,
        "overhead_seconds": outcome.overhead,
    }


def _day(day: date | None) -> str | None:
    return day.isoformat() if day is not None else None


def _stage(result: StageResult) -> dict[str, Any]:
    """`first_relevant`: the rank of the first relevant unit among the first k, None when there is none."""
    scores = result.scores
    return {
        "stage": result.stage,
        "n": result.n,
        "evidence": result.evidence,
        "first_relevant": first_relevant(result),
        **(asdict(scores) if scores is not None else {}),
    }


def _answered(answered: Answered, outcome: Outcome) -> dict[str, Any]:
    judged, answer = answered.judged, answered.answer
    said = zip(outcome.question.points, judged.points, strict=True)
    return {
        "given": answered.given,
        **asdict(judged),
        "points": [{"point": point, "said": hit} for point, hit in said],
        "text": answer.text if answer is not None else None,
        "written": answer.withdrawn.text if answer is not None and answer.withdrawn is not None else None,
        "finish": answer.finish if answer is not None else None,
        "problem": asdict(answered.problem) if answered.problem is not None else None,
        "citations": len(answer.citations) if answer is not None else 0,
        "prompt_tokens": len(answer.prompt.input_ids) if answer is not None else None,
        "tokens": answer.n_tokens if answer is not None else None,
        "seconds_to_first": answer.seconds_to_first if answer is not None else None,
        "seconds": answer.seconds if answer is not None else None,
    }


def _diagnosis(diagnosis: Diagnosis) -> dict[str, Any]:
    return {
        "step": diagnosis.step,
        "cause": diagnosis.cause,
        "need": diagnosis.need,
        "words": asdict(diagnosis.words),
        "advice": asdict(diagnosis.advice),
    }


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, _DIGITS)
    if isinstance(value, Mapping):
        return {name: _rounded(inner) for name, inner in value.items()}
    return [_rounded(inner) for inner in value] if isinstance(value, list | tuple) else value
