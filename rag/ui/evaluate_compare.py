"""Runs beside each other, and thresholds beside each other, as escaped HTML. Pure; the plots come as finished SVG."""

from __future__ import annotations

from collections.abc import Sequence

from rag.errors import Language
from rag.evaluate import plots, summary, threshold, words
from rag.evaluate.experiment import Experiment
from rag.evaluate.measured_run import Run
from rag.evaluate.statistics import Interval, Paired
from rag.ui import panels
from rag.ui.render import escape, preview
from rag.ui.strings import text

LISTED = 20
"""So many changed questions of a comparison are listed."""


def run_names(experiment: Experiment, language: Language) -> list[tuple[str, int]]:
    """What each run is called, A first, and its position."""
    names = [text("eval.run_a", language)]
    names += [
        text("eval.run_variant", language, letter=letter(n), change=preview(run.name))
        for n, run in enumerate(experiment.runs[1:], 1)
    ]
    return [(name, n) for n, name in enumerate(names)]


def letter(n: int) -> str:
    """A for the first run, B for the second …"""
    return chr(ord("A") + n)


def comparison(experiment: Experiment, language: Language) -> str:
    """Every variant against A, measure by measure, and whether to believe the difference; empty without variants."""
    base, rows = experiment.runs[0], list[list[str]]()
    asked = {outcome.question.id: outcome.question.question for outcome in base.outcomes}
    for n, other in enumerate(experiment.runs[1:], 1):
        for measure in summary.COMPARED:
            found = summary.paired(base, other, measure)
            if found is not None:
                name = f"<b>{letter(n)}</b> {escape(preview(other.name))}"
                rows.append([name, escape(words.text(f"measure.{measure}", language)), *_row(*found, asked, language)])
    if not rows:
        return ""
    rule = f'<p class="sub">{escape(text("eval.noise_rule", language))}</p>'
    head = panels.columns("head.eval_compared", language)
    return f"<h2>{escape(text('eval.compared', language))}</h2>{panels.table(head, rows, 'compared')}{rule}"


def _row(found: Paired, ids: Sequence[str], asked: dict[str, str], language: Language) -> list[str]:
    verdict = "noise" if found.noise else ("better" if found.difference.mean > 0 else "worse")
    said = f'<span class="verdict {verdict}">{escape(words.text(f"report.{verdict}", language))}</span>'
    return [_signed(found.difference), f"{found.p:.3f}", said, _changed(found, ids, asked, language)]


def _signed(interval: Interval) -> str:
    return f'{interval.mean:+.3f}<span class="interval">{interval.low:+.2f} … {interval.high:+.2f}</span>'


def _changed(found: Paired, ids: Sequence[str], asked: dict[str, str], language: Language) -> str:
    """How many questions became better and worse; which, one click away."""
    if not found.gained and not found.lost:
        return escape(text("eval.changed_none", language))
    line = text("eval.changed", language, gained=len(found.gained), lost=len(found.lost))
    changed = [("+", i) for i in found.gained] + [("−", i) for i in found.lost]
    items = "".join(
        f"<li>{sign} {escape(preview(ids[i], 40))} {escape(preview(asked[ids[i]], 60))}</li>"
        for sign, i in changed[:LISTED]
    )
    more = "<li>…</li>" if len(changed) > LISTED else ""
    return f'<details><summary>{escape(line)}</summary><ul class="list">{items}{more}</ul></details>'


def threshold_view(run: Run, value: float, language: Language) -> str:
    """What a threshold keeps and refuses, and where it cuts through the scores of relevant and other candidates."""
    point, off = threshold.at(run.outcomes, run.bench, value, -1.0)
    line = text(
        "eval.cut_at",
        language,
        value=f"{value:.3f}",
        evidence=f"{point.evidence:.1%}",
        wrongly=f"{point.refused_answerable:.1%}",
        rightly=f"{point.refused_unanswerable:.1%}",
        before=f"{off.evidence:.1%}",
    )
    scores = threshold.cosines(run.outcomes)
    names = ("distribution", "relevant", "irrelevant", "threshold", "cosine", "share")
    labels = plots.DistributionLabels(*(words.text(f"report.{name}", language) for name in names))
    svg = plots.score_distributions(scores.relevant, scores.irrelevant, value, labels)
    return f'{panels.notice(line)}<div class="plot">{svg}</div>'


def threshold_curve(points: Sequence[plots.ThresholdPoint], language: Language) -> str:
    """What every threshold would keep and refuse, and which does best."""
    names = ("curve", "threshold", "share", "kept", "refused_answerable", "refused_unanswerable")
    labels = plots.CurveLabels(*(words.text(f"report.{name}", language) for name in names))
    value = threshold.suggested(points)
    best = next((p for p in points if p.threshold == value), None)
    if best is None:
        line = words.text("report.leave_off", language)
    else:
        line = words.text(
            "report.suggested",
            language,
            threshold=f"{best.threshold:.3f}",
            evidence=f"{best.evidence:.1%}",
            refused=f"{best.refused_unanswerable:.1%}",
        )
    return f'{panels.notice(line)}<div class="plot">{plots.threshold_curve(points, labels)}</div>'
