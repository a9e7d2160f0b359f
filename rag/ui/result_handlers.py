"""The results of an evaluation: what a visitor can look at, open and take over of it."""

from __future__ import annotations

import gradio as gr

from rag.corpus.index import Corpus
from rag.errors import Language, RagError, SettingError
from rag.evaluate.diagnose import diagnose
from rag.evaluate.labels import Resolver
from rag.evaluate.run import Outcome
from rag.evaluate.summary import Run
from rag.types import PUBLIC
from rag.ui import answer as answer_tab
from rag.ui import chunks, evaluate_results, panels, render
from rag.ui.desk import Desk, Updates, first, mistake, whole
from rag.ui.guard import guarded, language
from rag.ui.sessions import Visit
from rag.ui.settings import show_settings
from rag.ui.strings import text
from rag.workspace import Asked


class ResultHandlers(Desk):
    """One method per thing a visitor can do with the results of the last run."""

    @guarded()
    def choose_run(self, which: object, failed: object, request: gr.Request) -> Updates:
        """Another variant's results."""
        visit, spoken = self._visit(request), language(request)
        self._run(visit, whole(which))
        return self._results(visit, spoken, whole(which), bool(failed))

    @guarded()
    def choose_failed(self, which: object, failed: object, request: gr.Request) -> Updates:
        """Only the questions that failed, or all."""
        visit, spoken = self._visit(request), language(request)
        return self._outcomes(self._run(visit, whole(which)), bool(failed), spoken)

    @guarded()
    def choose_outcome_row(self, which: object, request: gr.Request, event: gr.SelectData) -> Updates:
        """A row of the table of questions; its first cell is the question's number, whatever the table's order."""
        number = whole(first(event.row_value))
        return self._trace(whole(which), number, request) | {self.page.evaluate.pick: number}

    @guarded()
    def choose_outcome(self, which: object, number: object, request: gr.Request) -> Updates:
        """A question by its number, from the list."""
        return self._trace(whole(which), whole(number), request)

    @guarded()
    def use_variant(self, which: object, request: gr.Request) -> Updates:
        """The settings of the run that is shown go into the Settings panel."""
        visit, spoken = self._visit(request), language(request)
        settings = self._run(visit, whole(which)).settings
        note = self._settings_note(visit, settings, spoken)
        return show_settings(self.page.settings, settings) | {
            self.page.settings.note: note,
            self.page.evaluate.used: note,
        }

    def _run(self, visit: Visit, which: int) -> Run:
        runs = visit.experiment.runs if visit.experiment is not None else ()
        if not 0 <= which < len(runs):
            raise mistake(SettingError, "eval.no_question")
        return runs[which]

    def _results(self, visit: Visit, spoken: Language, which: int = 0, failed: bool = False) -> Updates:
        """Everything of one run of the last experiment."""
        tab, found = self.page.evaluate, visit.experiment
        if found is None:
            return {}
        run = self._run(visit, which)
        names = evaluate_results.run_names(found, spoken)
        return {
            tab.which: gr.Dropdown(choices=names, value=which, visible=len(names) > 1),
            tab.figures: self._age(visit, run, spoken) + evaluate_results.figures(run, spoken),
            tab.more: gr.Column(visible=True),
            tab.failed: failed,
            tab.used: "",
            **self._outcomes(run, failed, spoken),
        }

    def _age(self, visit: Visit, run: Run, spoken: Language) -> str:
        """A remark when the results are about documents that are not searched any more."""
        try:
            now: Corpus | None = visit.workspace.corpus()
        except RagError:
            now = None
        same = now is not None and dict(now.documents) == dict(run.bench.corpus.documents)
        return "" if same else panels.notice(text("eval.earlier", spoken), "warning")

    def _outcomes(self, run: Run, failed: bool, spoken: Language) -> Updates:
        """The table of questions and the list beside it, none opened."""
        tab, rows = self.page.evaluate, evaluate_results.shown_outcomes(run, failed)
        cells = [self._row(n, outcome, run, spoken) for n, outcome in rows[: render.TABLE_ROWS]]
        return {
            tab.count: evaluate_results.count(run, len(rows), spoken),
            tab.outcomes: {"headers": panels.columns("head.eval_questions", spoken), "data": cells},
            tab.pick: gr.Dropdown(choices=evaluate_results.choices(rows), value=None),
            tab.diagnosis: "",
        }

    def _row(self, number: int, outcome: Outcome, run: Run, spoken: Language) -> list[render.Cell]:
        found = diagnose(outcome, run.bench.corpus, run.bench.groups)
        return [
            number,
            render.preview(outcome.question.id, 40),
            render.preview(outcome.question.category, 40),
            render.preview(outcome.question.question),
            evaluate_results.evidence_sign(outcome),
            evaluate_results.verdict(outcome, spoken),
            text(f"fault.{found.step}", spoken) if found is not None else "–",
        ]

    def _trace(self, which: int, number: int, request: gr.Request) -> Updates:
        """A question of a run takes the place of the last one asked: all tabs show it, and why it failed is said here."""
        spoken, visit, page = language(request), self._visit(request), self.page
        run = self._run(visit, which)
        if not 1 <= number <= len(run.outcomes):
            raise mistake(SettingError, "eval.no_question")
        outcome = run.outcomes[number - 1]
        visit.stop("answer")  # what still streams would write over it
        visit.asking = None
        answered = outcome.answered("retrieved")
        asked = Asked(outcome.retrieval, run.bench.corpus, answered.answer if answered is not None else None)
        visit.workspace.show(asked)
        shown = answer_tab.empty_answer(page.answer, panels.phase("", text("eval.traced_answer", spoken)), spoken)
        shown |= self._found(visit, asked, spoken)
        if asked.answer is not None:
            shown |= answer_tab.show_answer(page.answer, asked.answer, spoken)
        shown[page.question] = outcome.question.question
        found = diagnose(outcome, run.bench.corpus, run.bench.groups)
        shown[page.evaluate.diagnosis] = evaluate_results.explained(outcome, found, spoken)
        return shown | self._labelled(visit, outcome, found.need if found is not None else None, spoken)

    def _labelled(self, visit: Visit, outcome: Outcome, need: int | None, spoken: Language) -> Updates:
        """The Chunks tab at a labelled passage, one of `need` if it can be, as far as its document is searched now."""
        corpus, tab = visit.workspace.corpus(), self.page.chunks
        resolver = Resolver(corpus, corpus.permitted(PUBLIC))
        for place in sorted(resolver.resolve(outcome.question).places, key=lambda p: p.label.need != need):
            mine = chunks.chunks_of(corpus, place.key)
            holders = resolver.holders(place)
            if not holders:
                continue
            row, document = mine.index(holders[0]), corpus.documents[place.key]
            return {
                tab.document: place.key,
                **chunks.show_chunks(tab, document, mine, self._limit(), spoken),
                tab.view: chunks.framed(document, mine, row, spoken),
                tab.pick: gr.Dropdown(choices=chunks.names(mine), value=row + 1),
            }
        return {}
