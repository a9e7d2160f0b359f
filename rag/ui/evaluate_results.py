"""The results of a run as escaped HTML and table rows. Pure; the plots come as finished SVG."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rag.errors import Language
from rag.evaluate import plots, summary
from rag.evaluate.diagnose import Diagnosis
from rag.evaluate.experiment import Experiment
from rag.evaluate.run import GIVEN, STAGES, Outcome
from rag.evaluate.statistics import Interval, mean_interval
from rag.evaluate.summary import AnswerSummary, Measure, Run
from rag.ui import panels
from rag.ui.render import TABLE_ROWS, escape, preview
from rag.ui.strings import text

PARTIAL: tuple[Measure, ...] = ("evidence", "recall", "ndcg")
COUNTS = ("right", "wrong", "refused", "unjudged", "refused_rightly", "answered_wrongly")
SHARES = ("correct", "supported", "citation_precision", "citation_recall")
FAULTS = ("invalid", "stale", "forbidden")
MEDIANS = ("prompt_tokens", "tokens", "first", "seconds")


def running(experiment: Experiment, total: int, seconds: float, language: Language) -> str:
    """How far a run is: questions, seconds, and how many seconds are left if it goes on like this."""
    done = experiment.asked
    left = f"{seconds / done * (total - done):.0f}" if done else "?"
    line = text("eval.progress", language, done=done, total=total, seconds=f"{seconds:.0f}", left=left)
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
        rows.append([escape(text(f"stage.{stage}", language)), *(f"{sum(v) / len(v):.3f}" for v in means)])
    head = [panels.columns("head.eval_stages", language)[0], *(text(f"measure.{m}", language) for m in PARTIAL)]
    note = text("eval.so_far", language, n=labelled)
    return f'<p class="sub">{escape(note)}</p>{panels.table(head, rows, "figures")}'


def figures(run: Run, language: Language) -> str:
    """Stages, categories, answers and times of a run, with their plots."""
    return _stages(run, language) + _categories(run, language) + _answers(run, language) + _latency(run, language)


def _heading(key: str, language: Language) -> str:
    return f"<h3>{escape(text(key, language))}</h3>"


def _cell(interval: Interval | None) -> str:
    """A mean above its interval."""
    if interval is None:
        return "–"
    return f'{interval.mean:.3f}<span class="interval">{interval.low:.2f}–{interval.high:.2f}</span>'


def _stages(run: Run, language: Language) -> str:
    labelled = sum(bool(o.relevant.needs) for o in run.outcomes)
    if not labelled:
        return panels.notice(text("eval.no_labels", language))
    found = summary.stages(run.outcomes)
    rows = [
        [escape(text(f"stage.{s.stage}", language)), *(_cell(s.measures.get(m)) for m in summary.MEASURES)]
        for s in found
    ]
    bars = [
        plots.StageBar(
            text(f"stage.{s.stage}", language),
            [(text(f"measure.{m}", language), s.measures[m]) for m in PARTIAL if m in s.measures],
        )
        for s in found
    ]
    note = text("eval.stages_note", language, n=labelled, k=run.k)
    return (
        _heading("eval.stages", language)
        + '<div class="beside">'
        + f"<div>{panels.table(panels.columns('head.eval_stages', language), rows, 'figures')}"
        + f'<p class="sub">{escape(note)}</p></div>'
        + f'<div class="plot">{plots.stage_bars(bars, text("eval.stages", language))}</div></div>'
    )


def _categories(run: Run, language: Language) -> str:
    groups = summary.by_category(run.outcomes)
    if len(groups) < 2:
        return ""
    rows = []
    for name, outcomes in groups.items():
        evidence = mean_interval(summary.values(outcomes, "packed", "evidence"))
        judged = [a.judged.correct for o in outcomes if (a := o.answered("retrieved")) is not None]
        correct = mean_interval([float(c) for c in judged if c is not None])
        shown = escape(name or text("eval.no_category", language))
        rows.append([shown, str(len(outcomes)), _cell(evidence), _cell(correct)])
    head = panels.columns("head.eval_categories", language)
    if not run.given:
        head, rows = head[:-1], [row[:-1] for row in rows]
    return _heading("eval.by_category", language) + panels.table(head, rows, "figures narrow")


def _answers(run: Run, language: Language) -> str:
    """A row for every measure, a column for every kind of evidence: on a phone there is no room for the other way."""
    found = [s for given in GIVEN if (s := summary.answers(run.outcomes, given)) is not None]
    if not found:
        return ""
    head = [text("eval.row", language), *(text(f"given.{s.given}", language) for s in found)]
    rows = [
        [escape(text(f"answers.{name}", language)), *(_figure(s, name) for s in found)]
        for name in (*COUNTS, *SHARES, *FAULTS, *MEDIANS)
    ]
    return _heading("eval.answers", language) + panels.table(head, rows, "figures narrow") + _blame(run, language)


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
    n = blame.right + blame.search + blame.model
    said = text("eval.blame", language, n=n, right=blame.right, search=blame.search, model=blame.model)
    if blame.by_heart is not None:
        said += " " + text("eval.by_heart", language, n=blame.by_heart)
    return panels.notice(said)


def _latency(run: Run, language: Language) -> str:
    steps = [(text(f"step.{name}", language), s) for name, s in summary.step_seconds(run.outcomes).items()]
    if not steps:
        return ""
    title = text("eval.latency", language)
    words = plots.LatencyLabels(
        title, text("eval.median", language), text("eval.p95", language), text("eval.ms", language)
    )
    return f'{_heading("eval.latency", language)}<div class="plot">{plots.latency(steps, words)}</div>'


def evidence_sign(outcome: Outcome) -> str:
    """Whether everything the answer needs went into the prompt."""
    return {True: "✓", False: "✗", None: "–"}[outcome.evidence]


def verdict(outcome: Outcome, language: Language) -> str:
    """What became of the answer from what was found, and whether that is right."""
    found = outcome.answered("retrieved")
    if found is None:
        return "–"
    sign = {True: "✓ ", False: "✗ ", None: ""}[found.judged.correct]
    return sign + text(f"verdict.{found.judged.verdict}", language)


def explained(outcome: Outcome, found: Diagnosis | None, language: Language) -> str:
    """A question of a run: why it failed and what to change, and what was answered from which evidence."""
    head = f'<p class="facts"><b>{escape(outcome.question.question)}</b></p>'
    if found is None:
        said = panels.notice(text("eval.fine", language))
    else:
        step = text(f"fault.{found.step}", language)
        said = panels.notice(f"{text('eval.failed_at', language, step=step)} {found.words.of(language)}", "warning")
        said += panels.notice(found.advice.of(language))
    traced = f'<p class="sub">{escape(text("eval.traced", language))}</p>'
    return head + said + points(outcome, language) + traced


def count(run: Run, shown: int, language: Language) -> str:
    """How many questions failed, and whether the table shows all of them."""
    line = text("eval.count", language, failed=sum(map(summary.failed, run.outcomes)), n=len(run.outcomes))
    if shown > TABLE_ROWS:
        line += " " + text("eval.cut", language, n=TABLE_ROWS)
    return f'<p class="sub">{escape(line)}</p>'


def points(outcome: Outcome, language: Language) -> str:
    """The answers of a question side by side, and which points the one from what was found says."""
    rows = []
    for answered in outcome.answers:
        said = answered.answer.text if answered.answer is not None else None
        why = answered.problem.of(language) if answered.problem is not None else text("eval.no_answer", language)
        rows.append(
            [
                escape(text(f"given.{answered.given}", language)),
                escape(text(f"verdict.{answered.judged.verdict}", language)),
                escape(preview(said, 400) if said is not None else why),
            ]
        )
    if not rows:
        return ""
    html = panels.table(panels.columns("head.eval_answers", language), rows, "answers")
    found = outcome.answered("retrieved")
    if found is not None and outcome.question.points:
        signs = zip(outcome.question.points, found.judged.points, strict=True)
        items = "".join(
            f"<li>{escape(point)} <span class='{'yes' if said else 'no'}'>"
            f"{escape(text('eval.said' if said else 'eval.unsaid', language))}</span></li>"
            for point, said in signs
        )
        html += f'<p class="sub">{escape(text("eval.points", language))}</p><ul class="list">{items}</ul>'
    return html


def run_names(experiment: Experiment, language: Language) -> list[tuple[str, int]]:
    """What each run is called, A first, and its position."""
    return [
        (
            text("eval.run_variant", language, letter=letter(n), change=run.name)
            if n
            else text("eval.run_a", language),
            n,
        )
        for n, run in enumerate(experiment.runs)
    ]


def letter(n: int) -> str:
    """A for the first run, B for the second …"""
    return chr(ord("A") + n)


def shown_outcomes(run: Run, failed_only: bool) -> list[tuple[int, Outcome]]:
    """The questions of a run with their numbers from 1; only those that failed when that is asked for."""
    return [(n, o) for n, o in enumerate(run.outcomes, 1) if not failed_only or summary.failed(o)]


def choices(outcomes: Sequence[tuple[int, Outcome]]) -> list[tuple[str, int]]:
    """A line for each question, and its number."""
    return [(f"{n}. {preview(o.question.question, 60)}", n) for n, o in outcomes]
