"""An experiment as lines of plain text, for a shell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from rag.errors import Language
from rag.evaluate.diagnose import diagnose
from rag.evaluate.experiment import Experiment
from rag.evaluate.measured_run import Run
from rag.evaluate.run import GIVEN
from rag.evaluate.statistics import Interval
from rag.evaluate.summary import COMPARED, MEASURES, answers, blame, by_category, category, failed, paired, stages


def summary_lines(experiment: Experiment, language: Language) -> list[str]:
    """Stages with intervals, categories, answers, where questions fail, and every variant against the first run."""
    base = experiment.runs[0]
    lines = [*_head(base), "", *_stages(base), "", *_categories(base)]
    if base.given:
        lines += ["", *_answers(base)]
    lines += ["", *_failures(base, language)]
    for other in experiment.runs[1:]:
        lines += ["", *_comparison(base, other)]
    return lines


def _head(run: Run) -> list[str]:
    corpus = run.bench.corpus
    state = "" if run.complete else f", stopped after {len(run.outcomes)}"
    return [
        f"{run.question_set.name}: {len(run.question_set.questions)} questions{state}; "
        f"{len(corpus.documents)} documents, {len(corpus.chunks)} chunks; {run.seconds:.1f} s, measuring {run.overhead:.2f} s of it",
        f"settings {run.settings.hash()}: " + ", ".join(f"{name}={value}" for name, value in run.settings.lines()),
    ]


def _stages(run: Run) -> list[str]:
    rows = [[s.stage, *(_interval(s.measures.get(m)) for m in MEASURES)] for s in stages(run.outcomes)]
    return _table([f"stage (k = {run.k})", *MEASURES], rows)


def _categories(run: Run) -> list[str]:
    rows = []
    for name, outcomes in [*by_category(run.outcomes).items(), ("all", run.outcomes)]:
        found = category(name, outcomes)
        shown = [str(n) for n in found.verdicts.values()] or ["–"] * 4
        evidence, correct = _of(found.evidence, found.labelled), _of(found.correct, found.judged)
        rows.append([name or "–", str(found.questions), evidence, *shown, correct])
    return _table(["category", "n", "evidence in prompt", "right", "wrong", "refused", "unjudged", "correct"], rows)


def _of(part: int, whole: int) -> str:
    return f"{part}/{whole}" if whole else "–"


def _answers(run: Run) -> list[str]:
    rows = []
    for given in GIVEN:
        a = answers(run.outcomes, given)
        if a is not None:
            counts = (a.right, a.wrong, a.refused, a.unjudged, a.refused_rightly, a.answered_wrongly)
            means = (a.correct, a.supported, a.citation_precision, a.citation_recall)
            rows.append(
                [
                    given,
                    *map(str, counts),
                    *map(_interval, means),
                    f"{a.invalid}/{a.stale}",
                    f"{a.tokens:.0f}",
                    f"{a.seconds:.1f}",
                ]
            )
    head = ["evidence", "right", "wrong", "refused", "unjudged", "rightly refused", "wrongly answered"]
    head += ["correct", "supported", "cit. precision", "cit. recall", "invalid/stale", "tokens", "seconds"]
    lines = _table(head, rows)
    found = blame(run.outcomes)
    if found is not None:
        heart = "" if found.by_heart is None else f"; right without any evidence {found.by_heart}"
        lines.append(
            f"right {found.right}; lost by the search {found.search}; distracted by other passages {found.distracted}; lost by the model {found.model}{heart}"
        )
    return lines


def _failures(run: Run, language: Language) -> list[str]:
    found = [
        (outcome, diagnosis)
        for outcome in run.outcomes
        if failed(outcome) and (diagnosis := diagnose(outcome, run.bench.corpus, run.bench.groups)) is not None
    ]
    if not found:
        return ["no question failed"]
    counts = Counter(diagnosis.step for _, diagnosis in found)
    at = ", ".join(f"{step} {n}" for step, n in counts.most_common())
    lines = [f"questions that failed: {len(found)} ({at})"]
    for outcome, diagnosis in found:
        lines.append(f"{outcome.question.id}  {' '.join(outcome.question.question.split())}")
        lines.append(f"    {diagnosis.step}: {diagnosis.words.of(language)} {diagnosis.advice.of(language)}")
    return lines


def _comparison(base: Run, other: Run) -> list[str]:
    lines = [f"{other.name}  (settings {other.settings.hash()})"]
    for measure in COMPARED:
        found = paired(base, other, measure)
        if found is None:
            continue
        result, ids = found
        verdict = "noise" if result.noise else "better" if result.difference.mean > 0 else "worse"
        lines.append(f"  {measure}: {_interval(result.difference, signed=True)}, p = {result.p:.3f}: {verdict}")
        for word, positions in (("gained", result.gained), ("lost", result.lost)):
            if positions and measure != "ndcg":
                lines.append(f"    {word}: " + ", ".join(ids[i] for i in positions))
    return lines


def _interval(interval: Interval | None, signed: bool = False) -> str:
    if interval is None:
        return "–"
    form = "+.3f" if signed else ".3f"
    return f"{interval.mean:{form}} [{interval.low:{form}}, {interval.high:{form}}]"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [" | ".join(cells) for cells in (head, ["---"] * len(head), *rows)]
