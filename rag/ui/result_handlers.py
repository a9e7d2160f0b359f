"""The results of an evaluation: what a visitor can look at, open and take over of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import gradio as gr

from rag.config import Settings
from rag.errors import Language, SettingError
from rag.evaluate import words
from rag.evaluate.diagnose import diagnose
from rag.evaluate.experiment import Experiment
from rag.evaluate.labels import Resolver
from rag.evaluate.measured_run import Run
from rag.evaluate.report import to_html, to_json
from rag.evaluate.run import Answered, Outcome
from rag.evaluate.threshold import curve, suggested
from rag.ui import chunks, evaluate_compare, evaluate_questions, evaluate_results, panels
from rag.ui.desk import Desk, Updates, as_download, first, mistake, part_of, whole
from rag.ui.evaluate import age
from rag.ui.guard import guarded, language
from rag.ui.sessions import Visit
from rag.ui.settings import show_settings
from rag.ui.strings import both, text
from rag.workspace import Asked


class ResultHandlers(Desk):
    """One method per thing a visitor can do with the results of the last run."""

    @guarded()
    def choose_run(self, which: object, failed: object, request: gr.Request) -> Updates:
        """Another variant's results."""
        visit, spoken = self._visit(request), language(request)
        return self._results(self._run(visit, whole(which)), spoken, bool(failed))

    @guarded()
    def choose_failed(self, which: object, failed: object, request: gr.Request) -> Updates:
        """Only the questions that failed, or all."""
        visit, spoken = self._visit(request), language(request)
        return self._outcomes(self._run(visit, whole(which)), bool(failed), spoken)

    @guarded()
    def choose_outcome_row(self, which: object, request: gr.Request, event: gr.EventData) -> Updates:
        """A row of the table of questions; its first cell is the question's number, whatever the table's order."""
        number = whole(first(part_of(event, "row_value")))
        return self._trace(whole(which), number, request) | {self.page.evaluate.pick: number}

    @guarded()
    def choose_outcome(self, which: object, number: object, request: gr.Request) -> Updates:
        """A question by its number, from the list."""
        return self._trace(whole(which), whole(number), request)

    @guarded()
    def use_variant(self, which: object, request: gr.Request) -> Updates:
        """The settings of the run that is shown go into the Settings panel."""
        visit, spoken, panel = self._visit(request), language(request), self.page.settings
        settings, gone = self._still_there(visit, self._run(visit, whole(which)).settings)
        again = self._reindexes(visit, settings)
        more = text("eval.reindex", spoken) if again else ""
        said = text("eval.taken", spoken, hash=settings.hash(), more=more)
        shown = show_settings(panel, settings) | {panel.note: self._settings_note(visit, settings, spoken)}
        tab, visit.scope = self.page.evaluate, settings.search.documents
        if gone:
            key = "set.documents_gone" if visit.scope else "set.documents_all_gone"
            shown[panel.note] += panels.notice(text(key, spoken, names="、".join(gone)), "warning")
        # the threshold that was taken over has just been written over
        return shown | {tab.used: panels.notice(said, "warning" if again else "info"), tab.cut_note: ""}

    def _still_there(self, visit: Visit, settings: Settings) -> tuple[Settings, list[str]]:
        """`settings` without the policies that are no longer searched, and these: the list to choose from has none of them."""
        search, corpus = settings.search, visit.workspace.corpus()
        there = {document.doc_id for document in corpus.documents.values()}
        kept = tuple(name for name in search.documents if name in there)
        gone = [name for name in search.documents if name not in there]
        return replace(settings, search=replace(search, documents=kept)), gone

    @guarded()
    def try_threshold(self, which: object, value: object, request: gr.Request) -> Updates:
        """The slider was moved: what that threshold keeps and refuses."""
        run = self._run(self._visit(request), whole(which))
        view = evaluate_compare.threshold_view(run, _cosine(value), language(request))
        return {self.page.evaluate.threshold_view: view}

    @guarded()
    def use_threshold(self, value: object, request: gr.Request) -> Updates:
        """The threshold of the slider goes into the Settings panel."""
        written = f"{_cosine(value):.3f}"
        said = panels.notice(text("eval.cut_taken", language(request), value=written))
        # the settings that were taken over are others from here on
        return {self.page.settings.threshold: written, self.page.evaluate.cut_note: said, self.page.evaluate.used: ""}

    @guarded()
    def save_html(self, request: gr.Request) -> Updates:
        """The report as a page."""
        return self._saved(request, "html", "text/html", lambda found, spoken: to_html(found, spoken))

    @guarded()
    def save_json(self, request: gr.Request) -> Updates:
        """The figures."""
        return self._saved(request, "json", "application/json", lambda found, _: to_json(found))

    def _saved(
        self, request: gr.Request, suffix: str, mime: str, write: Callable[[Experiment, Language], str]
    ) -> Updates:
        visit = self._visit(request)
        visit.forget_removed()
        found = visit.experiment
        if found is None:
            raise mistake(SettingError, "eval.no_report")
        data = write(found, language(request)).encode("utf-8", "replace")
        return {self.page.evaluate.download: as_download(f"evaluation.{suffix}", mime, data)}

    def _run(self, visit: Visit, which: int) -> Run:
        visit.forget_removed()
        experiment = visit.experiment
        runs = experiment.runs if experiment is not None else ()
        if not 0 <= which < len(runs):
            raise mistake(SettingError, "eval.no_question")
        return runs[which]

    def _everything(self, visit: Visit, experiment: Experiment, spoken: Language) -> Updates:
        """An experiment that has just ended: its runs beside each other, and all of the first one."""
        tab, names = self.page.evaluate, evaluate_compare.run_names(experiment, spoken)
        return {
            tab.age: age(visit, spoken),
            tab.compared: evaluate_compare.comparison(experiment, spoken),
            tab.choice: gr.Row(visible=len(names) > 1),
            tab.which: gr.Dropdown(choices=names, value=0),
            tab.more: gr.Column(visible=True),
            **self._results(experiment.runs[0], spoken),
        }

    def _results(self, run: Run, spoken: Language, failed: bool = False) -> Updates:
        """Everything of one run."""
        tab = self.page.evaluate
        shown = {tab.figures: evaluate_results.figures(run, spoken), tab.failed: failed, tab.used: "", tab.cut_note: ""}
        return shown | self._thresholds(run, spoken) | self._outcomes(run, failed, spoken)

    def _thresholds(self, run: Run, spoken: Language) -> Updates:
        """The thresholds a run leaves to choose from; none where no candidate has a cosine."""
        tab, points = self.page.evaluate, curve(run.outcomes, run.bench)
        if not points:
            return {tab.cut: gr.Column(visible=False)}
        low, high = points[0].threshold, points[-1].threshold
        wanted = suggested(points)
        if wanted is None:
            wanted = run.settings.search.threshold
        value = round(min(max(low if wanted is None else wanted, low), high), 3)
        return {
            tab.cut: gr.Column(visible=True),
            tab.curve: evaluate_compare.threshold_curve(points, spoken),
            tab.threshold: gr.Slider(
                minimum=math.floor(low * 100) / 100, maximum=math.ceil(high * 100) / 100, value=value
            ),
            tab.threshold_view: evaluate_compare.threshold_view(run, value, spoken),
        }

    def _outcomes(self, run: Run, failed: bool, spoken: Language) -> Updates:
        """The table of questions and the list beside it, none opened."""
        tab, found = self.page.evaluate, evaluate_questions.shown_outcomes(run, failed)
        heads = panels.columns("head.eval_questions", spoken)
        return {
            tab.count: evaluate_questions.count(run, len(found), spoken),
            tab.outcomes: {"headers": heads, "data": evaluate_questions.rows(run, found, spoken)},
            tab.pick: gr.Dropdown(choices=evaluate_questions.choices(found), value=None),
            tab.diagnosis: "",
        }

    def _trace(self, which: int, number: int, request: gr.Request) -> Updates:
        """A question of a run takes the place of the last one asked: all tabs show it, and why it failed is said here."""
        spoken, visit, page = language(request), self._visit(request), self.page
        run = self._run(visit, which)
        if not 1 <= number <= len(run.outcomes):
            raise mistake(SettingError, "eval.no_question")
        outcome = run.outcomes[number - 1]
        answered = outcome.answered("retrieved")
        asked = Asked(
            outcome.retrieval,
            run.bench.asked_as(outcome.question).corpus,
            answered.answer if answered is not None else None,
        )
        instead = _no_answer(answered, spoken)
        shown = self._opened_answer(visit, asked, instead, spoken)
        shown[page.question] = outcome.question.question
        found = diagnose(outcome, run.bench.corpus, run.bench.groups)
        shown[page.evaluate.diagnosis] = evaluate_questions.explained(outcome, found, spoken)
        shown |= self._labelled(visit, outcome, found.need if found is not None else None, spoken)
        visit.workspace.show(asked)  # may refuse; from here on nothing fails
        visit.opened, visit.asking, visit.seen_found = asked, None, asked.retrieval
        visit.no_answer = instead
        visit.stop("answer")  # what still streams would write over it
        return shown

    def _labelled(self, visit: Visit, outcome: Outcome, need: int | None, spoken: Language) -> Updates:
        """The Chunks tab at a labelled passage, one of `need` if it can be, as far as its document is searched now."""
        corpus, tab = visit.workspace.corpus(), self.page.chunks
        resolver = Resolver(corpus, frozenset(corpus.documents))
        for place in sorted(resolver.resolve(outcome.question).places, key=lambda p: p.label.need != need):
            holders = resolver.holders(place)
            if not holders:
                continue
            shown = self._open(visit, place.key, spoken)
            opened = self._opened(visit, place.key, spoken)
            return shown | chunks.show_at(tab, opened, opened.chunks.index(holders[0]) + 1)
        return {}


def _no_answer(answered: Answered | None, spoken: Language) -> str:
    """What stands in the Answer tab for a question of a run that has no answer there."""
    if answered is None:
        return panels.phase("", text("eval.traced_answer", spoken))
    if answered.problem is not None:
        return panels.notice(answered.problem.of(spoken), "warning")
    return panels.phase("", words.text("report.nothing_written", spoken))


def _cosine(value: object) -> float:
    """The slider's value; raises `SettingError` when it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not -1 <= value <= 1:
        said = both("eval.bad_choice", field="threshold")
        raise SettingError(en=said.en, zh=said.zh)
    return float(value)
