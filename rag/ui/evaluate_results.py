"""The figures of a run as escaped HTML. Pure; the plots come as finished SVG."""

from __future__ import annotations

from typing import Any

from rag.errors import Language
from rag.evaluate import plots, summary, words
from rag.evaluate.experiment import Experiment
from rag.evaluate.measured_run import Run
from rag.evaluate.run import GIVEN, STAGES
from rag.evaluate.statistics import Interval, mean_interval
from rag.evaluate.summary import AnswerSummary, Measure
from rag.ui import panels
from rag.ui.render import escape
from rag.ui.strings import text

PARTIAL: tuple[Measure, ...] = ("evidence", "recall", "ndcg")
COUNTS = ("right", "wrong", "refused", "unjudged", "refused_rightly", "answered_wrongly")
SHARES = ("correct", "supported", "citation_precision", "citation_recall")
FAULTS = ("invalid", "stale", "forbidden")
MEDIANS = ("prompt_tokens", "tokens", "first", "seconds")


def running(experiment: Experiment, total: int, seconds: float, language: Language) -> str:
    """How far a run is: questions, seconds, and how many seconds are left if it goes on like this."""
    done = experiment.asked
    line = text("eval.progress", language, done=done, total=total, seconds=f"{seconds:.0f}")
    if done:
        line += " · " + text("eval.left", language, left=f"{seconds / done * (total - done):.0f}")
    return (
        f'<div class="progress" role="status"><span>{escape(line)}</span>'
        f'<div class="bar"><i style="width:{done / total if total else 0:.1%}"></i></div></div>'
    )


def so_far(run: Run, language: Language) -> str:
    """The means of a run that is under way; intervals take time and come at its end."""
    labelled = sum(bool(o.relevant.needs) for o in run.outcomes)
    if not labelled:
        return ""
    ran = {result.stage for outcome in run.outcomes for result in outcome.stages}
    rows = []
    for stage in (s for s in STAGES if s in ran):
        means = [summary.values(run.outcomes, stage, m) for m in PARTIAL]
        rows.append([escape(words.text(f"stage.{stage}", language)), *(f"{sum(v) / len(v):.3f}" for v in means)])
    head = [panels.columns("head.eval_stages", language)[0], *(words.text(f"measure.{m}", language) for m in PARTIAL)]
    note = text("eval.so_far", language, n=labelled)
    return f'<p class="sub">{escape(note)}</p>{panels.table(head, rows, "figures")}'


def figures(run: Run, language: Language) -> str:
    """Stages, categories, answers and times of a run, with their plots."""
    beside = _beside(_categories(run, language), _latency(run, language))
    return f"<h2>{escape(text('eval.results', language))}</h2>{_stages(run, language)}{_answers(run, language)}{beside}"


def _beside(*parts: str) -> str:
    """Parts side by side where there is room."""
    return f'<div class="beside">{"".join(f"<div>{part}</div>" for part in parts if part)}</div>'


def _heading(key: str, language: Language) -> str:
    return f"<h3>{escape(words.text(key, language))}</h3>"


def _plot(svg: str) -> str:
    return f'<div class="plot">{svg}</div>'


def _cell(interval: Interval | None) -> str:
    """A mean above its interval."""
    if interval is None:
        return "–"
    return f'{interval.mean:.3f}<span class="interval">{interval.low:.2f}–{interval.high:.2f}</span>'


def _stages(run: Run, language: Language) -> str:
    labelled = sum(bool(o.relevant.needs) for o in run.outcomes)
    if not labelled:
        return panels.notice(words.text("report.no_labels", language))
    found = summary.stages(run.outcomes)
    names = {s.stage: words.text(f"stage.{s.stage}", language) for s in found}
    rows = [[escape(names[s.stage]), *(_cell(s.measures.get(m)) for m in summary.MEASURES)] for s in found]
    bars = [
        plots.StageBar(names[s.stage], [(words.text(f"measure.{m}", language), s.measures[m]) for m in PARTIAL])
        for s in found
    ]
    note = text("eval.stages_note", language, n=labelled, k=run.k)
    table = panels.table(panels.columns("head.eval_stages", language), rows, "figures")
    svg = plots.stage_bars(bars, words.text("report.stages", language))
    return _heading("report.stages", language) + _beside(f'{table}<p class="sub">{escape(note)}</p>', _plot(svg))


def _categories(run: Run, language: Language) -> str:
    groups = summary.by_category(run.outcomes)
    if len(groups) < 2:
        return ""
    rows = []
    for name, outcomes in groups.items():
        evidence = mean_interval(summary.values(outcomes, "packed", "evidence"))
        judged = [a.judged.correct for o in outcomes if (a := o.answered("retrieved")) is not None]
        correct = mean_interval([float(c) for c in judged if c is not None])
        shown = escape(name or words.text("report.no_category", language))
        rows.append([shown, str(len(outcomes)), _cell(evidence), _cell(correct)])
    head = panels.columns("head.eval_categories", language)
    if not run.given:
        head, rows = head[:-1], [row[:-1] for row in rows]
    return _heading("report.categories", language) + panels.table(head, rows, "figures")


def _answers(run: Run, language: Language) -> str:
    """A row for every measure, a column for every kind of evidence: on a phone there is no room for the other way."""
    found = [s for given in reversed(GIVEN) if (s := summary.answers(run.outcomes, given)) is not None]
    if not found:
        return ""
    head = [text("eval.row", language), *(words.text(f"given.{s.given}", language) for s in found)]
    rows = [
        [escape(words.text(f"answers.{name}", language)), *(_figure(s, name) for s in found)]
        for name in (*COUNTS, *SHARES, *FAULTS, *MEDIANS)
    ]
    return _heading("report.answers", language) + panels.table(head, rows, "figures") + _blame(run, language)


def _figure(found: AnswerSummary, name: str) -> str:
    value: Any = getattr(found, name)
    if isinstance(value, Interval) or value is None:
        return _cell(value)
    if name in ("first", "seconds"):
        return f"{value:.2f}"
    return f"{value:,.0f}"


def _blame(run: Run, language: Language) -> str:
    blame = summary.blame(run.outcomes)
    if blame is None:
        return ""
    counts = {name: getattr(blame, name) for name in ("n", "right", "search", "distracted", "model")}
    said = words.text("report.blame", language, **counts)
    if blame.by_heart is not None:
        said += " " + words.text("report.by_heart", language, n=blame.by_heart)
    return panels.notice(said)


def _latency(run: Run, language: Language) -> str:
    steps = [(text(f"step.{name}", language), s) for name, s in summary.step_seconds(run.outcomes).items()]
    if not steps:
        return ""
    keys = ("report.latency", "report.median", "report.p95", "report.ms")
    labels = plots.LatencyLabels(*(words.text(key, language) for key in keys))
    return _heading("report.latency", language) + _plot(plots.latency(steps, labels))
