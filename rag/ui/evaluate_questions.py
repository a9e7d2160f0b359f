"""The questions of a run: their table and what is said of one of them, as text cells and escaped HTML. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from rag.errors import Language
from rag.evaluate import summary, words
from rag.evaluate.diagnose import Diagnosis, diagnose
from rag.evaluate.measured_run import Run
from rag.evaluate.run import Outcome
from rag.ui import panels
from rag.ui.render import TABLE_ROWS, Cell, escape, preview
from rag.ui.strings import text

Numbered = tuple[int, Outcome]


def shown_outcomes(run: Run, failed_only: bool) -> list[Numbered]:
    """The questions of a run with their numbers from 1; only those that failed when that is asked for."""
    return [(n, o) for n, o in enumerate(run.outcomes, 1) if not failed_only or summary.failed(o)]


def rows(run: Run, outcomes: Sequence[Numbered], language: Language) -> list[list[Cell]]:
    """One row per question (at most `TABLE_ROWS`), in the order of `strings` ``head.eval_questions``."""
    return [_row(number, outcome, run, language) for number, outcome in outcomes[:TABLE_ROWS]]


def _row(number: int, outcome: Outcome, run: Run, language: Language) -> list[Cell]:
    found = diagnose(outcome, run.bench.corpus, run.bench.groups)
    return [
        number,
        preview(outcome.question.id, 40),
        preview(outcome.question.category, 40),
        preview(outcome.question.question),
        {True: "✓", False: "✗", None: "–"}[outcome.evidence],
        _verdict(outcome, language),
        words.text(f"failed.{found.step}", language) if found is not None else "–",
    ]


def _verdict(outcome: Outcome, language: Language) -> str:
    """What became of the answer from what was found, and whether that is right."""
    found = outcome.answered("retrieved")
    if found is None:
        return "–"
    sign = {True: "✓ ", False: "✗ ", None: ""}[found.judged.correct]
    return sign + words.text(f"verdict.{found.judged.verdict}", language)


def choices(outcomes: Sequence[Numbered]) -> list[tuple[str, int]]:
    """A line for each question of the table, and its number."""
    return [(f"{n}. {preview(o.question.question, 60)}", n) for n, o in outcomes[:TABLE_ROWS]]


def count(run: Run, shown: int, language: Language) -> str:
    """How many questions failed, and whether the table shows all of them."""
    line = text("eval.count", language, failed=sum(map(summary.failed, run.outcomes)), n=len(run.outcomes))
    if shown > TABLE_ROWS:
        line += " " + text("eval.shown", language, n=TABLE_ROWS)
    return f'<p class="sub">{escape(line)}</p>'


def explained(outcome: Outcome, found: Diagnosis | None, language: Language) -> str:
    """A question of a run: why it failed and what to change, and what was answered from which evidence."""
    head = f'<p class="facts"><b>{escape(outcome.question.question)}</b></p>'
    if found is None:
        said = panels.notice(text("eval.fine", language))
    else:
        step = words.text(f"failed.{found.step}", language)
        said = panels.notice(f"{text('eval.failed_at', language, step=step)} {found.words.of(language)}", "warning")
        said += panels.notice(found.advice.of(language))
    traced = f'<p class="sub">{escape(text("eval.traced", language))}</p>'
    return head + said + _answers(outcome, language) + _points(outcome, language) + traced


def _answers(outcome: Outcome, language: Language) -> str:
    """The answers of a question under each other."""
    cells = []
    for answered in outcome.answers:
        said = answered.answer.text if answered.answer is not None else None
        why = (
            answered.problem.of(language)
            if answered.problem is not None
            else words.text("report.nothing_written", language)
        )
        cells.append(
            [
                escape(words.text(f"given.{answered.given}", language)),
                escape(words.text(f"verdict.{answered.judged.verdict}", language)),
                escape(preview(said, 400) if said is not None else why),
            ]
        )
    return panels.table(panels.columns("head.eval_answers", language), cells, "answers") if cells else ""


def _points(outcome: Outcome, language: Language) -> str:
    """The answer points, and which of them the answer from what was found says."""
    found = outcome.answered("retrieved")
    if found is None or not outcome.question.points:
        return ""
    items = []
    for point, said in zip(outcome.question.points, found.judged.points, strict=True):
        sign = words.text("report.said" if said else "report.unsaid", language)
        items.append(f'<li>{escape(point)} <span class="{"yes" if said else "no"}">{escape(sign)}</span></li>')
    title = escape(text("eval.points", language))
    return f'<p class="sub">{title}</p><ul class="list">{"".join(items)}</ul>'
