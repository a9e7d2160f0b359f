"""An experiment as one page of HTML that needs nothing else: no script, no font, no file beside it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rag.errors import Language
from rag.evaluate import plots
from rag.evaluate.diagnose import Diagnosis, diagnose
from rag.evaluate.diagnosis import STEPS
from rag.evaluate.experiment import Experiment
from rag.evaluate.measured_run import Run
from rag.evaluate.report_json import to_json
from rag.evaluate.run import GIVEN, Outcome
from rag.evaluate.statistics import Interval, Paired
from rag.evaluate.summary import (
    COMPARED,
    MEASURES,
    CategorySummary,
    StageSummary,
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
from rag.evaluate.threshold import cosines, curve, suggested
from rag.evaluate.words import text

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["to_html", "to_json"]

_BARS: Final = ("evidence", "recall", "ndcg")
_COUNTS: Final = ("right", "wrong", "refused", "unjudged", "refused_rightly", "answered_wrongly", "unknown")
_MEANS: Final = ("correct", "supported", "citation_precision", "citation_recall")
_FAULTS: Final = ("invalid", "stale", "forbidden")
_MEDIANS: Final = ("prompt_tokens", "tokens", "first", "seconds")
# Controls, halves of pairs and non-characters, which HTML cannot hold.
_UNREADABLE: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
# What turns the direction of the text after it: shown, not obeyed, or an answer could rearrange what is said about it.
_TURNING: Final = re.compile("[\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True)
class Row:
    """A question of the first run and what is to be said about it."""

    outcome: Outcome
    failed: bool
    diagnosis: Diagnosis | None


@dataclass(frozen=True, slots=True)
class Difference:
    """One measure of a variant against the first run; `gained` and `lost` are questions as (id, question)."""

    measure: str
    paired: Paired
    gained: tuple[tuple[str, str], ...]
    lost: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Variant:
    """A run under other settings; `letter` is B, C …"""

    letter: str
    run: Run
    differences: tuple[Difference, ...]


def to_html(experiment: Experiment, language: Language) -> str:
    """`experiment` as a page; the same experiment gives the same bytes. All text is escaped by the template."""
    base = experiment.runs[0]
    rows = tuple(_row(outcome, base) for outcome in base.outcomes)
    points = curve(base.outcomes, base.bench)
    page = _environment(language).get_template("report.html.j2")
    return page.render(
        language=language,
        experiment=experiment,
        base=base,
        planned=experiment.planned * len(base.question_set.questions),
        used=base.used,
        expects=Counter(question.expects for question in base.question_set.questions),
        labelled=sum(bool(outcome.relevant.needs) for outcome in base.outcomes),
        stages=stages(base.outcomes),
        categories=_categories(base),
        answers=[found for given in GIVEN if (found := answers(base.outcomes, given)) is not None],
        blame=blame(base.outcomes),
        plots=_plots(base, points, language),
        best=next((point for point in points if point.threshold == suggested(points)), None),
        variants=[_variant(base, other, n) for n, other in enumerate(experiment.runs[1:], 1)],
        rows=rows,
        failed_at=_failed_at(rows),
    )


def _environment(language: Language) -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_readable,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=FileSystemLoader(Path(__file__).parent),
    )
    environment.globals |= {
        "say": lambda key, **facts: text(key, language, **facts),
        "measures": MEASURES,
        "counts": _COUNTS,
        "means": _MEANS,
        "faults": _FAULTS,
        "medians": _MEDIANS,
        "first_relevant": first_relevant,
        "zip": zip,
    }
    environment.filters |= {"interval": _interval, "signed": partial(_interval, form="+.3f"), "share": _share}
    return environment


def _readable(value: Any) -> Any:
    """What the template is about to write; a finished drawing is left as it is."""
    from markupsafe import Markup

    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    return _TURNING.sub(lambda c: f"[U+{ord(c[0]):04X}]", _UNREADABLE.sub("\ufffd", value))


def _interval(interval: Interval | None, form: str = ".3f") -> str:
    """A figure with its interval.

    >>> _interval(Interval(0.5, 0.25, 0.75, 8)), _interval(None)
    ('0.500 [0.250, 0.750]', '–')
    """
    if interval is None:
        return "–"
    return f"{interval.mean:{form}} [{interval.low:{form}}, {interval.high:{form}}]"


def _share(value: float) -> str:
    return f"{value:.1%}"


def _row(outcome: Outcome, run: Run) -> Row:
    return Row(outcome, failed(outcome), diagnose(outcome, run.bench.corpus, run.bench.groups))


def _categories(run: Run) -> tuple[CategorySummary, ...]:
    """Every category, and behind them all questions when there is more than one."""
    groups = by_category(run.outcomes)
    found = tuple(category(name, outcomes) for name, outcomes in groups.items())
    return found if len(found) < 2 else (*found, category("*", run.outcomes))


def _failed_at(rows: Sequence[Row]) -> list[tuple[str, int]]:
    """How many questions failed first at which step, in the order of the line."""
    counts = Counter(row.diagnosis.step if row.diagnosis else "unknown" for row in rows if row.failed)
    return [(step, counts[step]) for step in (*STEPS, "unknown") if counts[step]]


def _variant(base: Run, other: Run, n: int) -> Variant:
    asked = {outcome.question.id: outcome.question.question for outcome in base.outcomes}
    differences = []
    for measure in COMPARED:
        found = paired(base, other, measure)
        if found is not None:
            result, ids = found
            gained, lost = (tuple((ids[i], asked[ids[i]]) for i in at) for at in (result.gained, result.lost))
            differences.append(Difference(measure, result, gained, lost))
    return Variant(chr(ord("A") + n), other, tuple(differences))


def _plots(run: Run, points: Sequence[plots.ThresholdPoint], language: Language) -> dict[str, Any]:
    """The drawings by name; what there is nothing to draw of is None."""
    from markupsafe import Markup

    say = partial(text, language=language)
    drawn: dict[str, str | None] = dict.fromkeys(("stages", "latency", "scores", "curve"))
    found = stages(run.outcomes)
    if any(summary.measures for summary in found):
        drawn["stages"] = plots.stage_bars([_bar(s, language) for s in found], say("report.stages"))
    steps = [(say(f"step.{name}"), seconds) for name, seconds in step_seconds(run.outcomes).items()]
    if steps:
        words = plots.LatencyLabels(*map(say, ("report.latency", "report.median", "report.p95", "report.ms")))
        drawn["latency"] = plots.latency(steps, words)
    scores = cosines(run.outcomes)
    if scores.relevant or scores.irrelevant:
        names = ("distribution", "relevant", "irrelevant", "threshold", "cosine", "share")
        labels = plots.DistributionLabels(*(say(f"report.{name}") for name in names))
        threshold = run.settings.search.threshold
        drawn["scores"] = plots.score_distributions(scores.relevant, scores.irrelevant, threshold, labels)
    if points:
        names = ("curve", "threshold", "share", "kept", "refused_answerable", "refused_unanswerable")
        drawn["curve"] = plots.threshold_curve(points, plots.CurveLabels(*(say(f"report.{name}") for name in names)))
    return {name: Markup(svg) if svg is not None else None for name, svg in drawn.items()}  # noqa: S704 - ours, escaped there


def _bar(summary: StageSummary, language: Language) -> plots.StageBar:
    measures = [(text(f"measure.{m}", language), summary.measures[m]) for m in _BARS if m in summary.measures]
    return plots.StageBar(text(f"stage.{summary.stage}", language), measures)
