"""Evaluation: what a visitor can run, and how it comes to its end."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import gradio as gr

from rag.background import reports
from rag.config import Limits
from rag.corpus.index import PassageEncoder, Progress
from rag.errors import Language, ModelLoading, ModelUnavailable, RagError, SettingError, Stopped
from rag.evaluate.experiment import Experiment, Plan, experiment, selected
from rag.evaluate.questions import MOST_QUESTIONS
from rag.evaluate.run import Bench
from rag.evaluate.variants import grid
from rag.limits import Allowance
from rag.models.roles import Models
from rag.ui import evaluate_results, panels
from rag.ui.desk import Updates, mistake, number
from rag.ui.evaluate import WHAT, set_in_use
from rag.ui.guard import guarded, language
from rag.ui.page import Page
from rag.ui.result_handlers import ResultHandlers
from rag.ui.sessions import Sessions, Visit
from rag.ui.settings import read_settings
from rag.ui.strings import both, text

MOST_ASKED = 3000
"""Questions of one experiment, all its variants together: each keeps its candidates, prompt and answers in memory."""
REFRESH_S = 0.3
PARTIAL_S = 1.0
Update = Experiment | Progress


@dataclass(frozen=True)
class _Job:
    """An experiment about to run."""

    plan: Plan
    bench: Bench
    encoder: PassageEncoder | None

    @property
    def total(self) -> int:
        """Questions to ask, over all variants."""
        return len(self.plan.questions.questions) * (1 + len(self.plan.variants))


class EvaluateHandlers(ResultHandlers):
    """One method per thing a visitor can do here. Every value from a browser is checked before it is used."""

    def __init__(self, page: Page, sessions: Sessions, models: Models, limits: Limits) -> None:
        super().__init__(page, sessions, models)
        self._allowance = Allowance(limits)

    @guarded("evaluate.progress")
    def run(self, values: Mapping[Any, Any], request: gr.Request) -> Iterator[Updates]:
        """Run the set; a run that is under way for this visitor ends."""
        spoken, visit, tab = language(request), self._visit(request), self.page.evaluate
        job = self._job(visit, values)
        mine = visit.evaluating = object()
        visit.stop("evaluate")
        last, problem = Experiment((), 1 + len(job.plan.variants)), ""
        began = partial = told = time.monotonic()
        # the results of the last run must not stand under the progress of this one
        yield {
            tab.progress: panels.phase("waiting", text("eval.begin", spoken)),
            **dict.fromkeys((tab.age, tab.compared, tab.used, tab.figures), ""),
            **dict.fromkeys((tab.cut, tab.more), gr.Column(visible=False)),
            tab.choice: gr.Row(visible=False),
        }
        try:
            with visit.running("evaluate") as stop:
                begin: Update = last
                for update in reports(_work(job, stop), "evaluation", begin, stop):
                    if visit.evaluating is not mine:
                        return
                    last, now = (last if isinstance(update, Progress) else update), time.monotonic()
                    if now - told < REFRESH_S:
                        continue
                    told = now
                    if isinstance(update, Progress):
                        yield {tab.progress: panels.progress_bar(update, spoken)}
                        continue
                    shown: Updates = {tab.progress: evaluate_results.running(last, job.total, now - began, spoken)}
                    if last.runs and now - partial >= PARTIAL_S:
                        partial = now
                        shown[tab.figures] = evaluate_results.so_far(last.runs[-1], spoken)
                    yield shown
        except Stopped:
            problem = ""
        except RagError as error:
            problem = error.message(spoken)
        if visit.evaluating is not mine:
            return  # another run began, and the page is its
        visit.evaluating = None
        yield self._ended(visit, job, last, time.monotonic() - began, problem, spoken)

    def _ended(
        self, visit: Visit, job: _Job, last: Experiment, seconds: float, problem: str, spoken: Language
    ) -> Updates:
        """The last yield of a run. All its tables are in it: a later one would empty those not on the screen yet."""
        tab = self.page.evaluate
        if last.asked:
            visit.experiment = last
        shown = self._everything(visit, visit.experiment, spoken) if visit.experiment is not None else {}
        facts: dict[str, object] = {"done": last.asked, "total": job.total, "seconds": f"{seconds:.1f}"}
        if problem:
            said = panels.notice(problem, "error")
        elif not last.asked:
            said = panels.notice(text("eval.nothing", spoken), "warning")
        elif not last.complete:
            said = panels.notice(text("eval.stopped", spoken, **facts), "warning")
        else:
            said = panels.notice(text("eval.done", spoken, hash=job.bench.settings.hash(), **facts))
        if not last.asked and visit.experiment is not None:
            said += panels.notice(text("eval.previous", spoken))
        elif job.encoder is None:
            said += panels.notice(text("eval.lexical", spoken), "warning")
        return shown | {tab.progress: said}

    @guarded()
    def stop(self, request: gr.Request) -> None:
        """End the run; what is done by then is shown by the run itself."""
        self._visit(request).stop("evaluate")

    def _job(self, visit: Visit, values: Mapping[Any, Any]) -> _Job:
        """What the page asks for, checked; raises what is wrong with it."""
        tab, corpus = self.page.evaluate, visit.workspace.corpus()
        questions = set_in_use(visit)
        if questions is None:
            raise mistake(SettingError, "eval.no_set")
        what, names = values[tab.what], values[tab.categories] or []
        if not isinstance(what, str) or what not in WHAT:
            raise _odd("eval.what")
        if not isinstance(names, list) or not set(map(str, names)) <= set(questions.categories()):
            raise _odd("eval.categories")
        most, k = number(values[tab.most], "eval.most", MOST_QUESTIONS), number(values[tab.k], "eval.k", 200)
        chosen = selected(questions, names, most)
        if not chosen.questions:
            raise mistake(SettingError, "eval.no_questions")
        settings = read_settings(self.page.settings, values)
        variants = grid(settings, self._choices(values))
        asked = len(chosen.questions) * (1 + len(variants))
        if asked > MOST_ASKED:
            raise mistake(SettingError, "eval.too_many", n=f"{asked:,}", most=f"{MOST_ASKED:,}")
        characters = sum(len(document.text) for document in corpus.documents.values())
        for variant in (settings, *variants):
            if variant.split != corpus.split:
                self._allowance.check_chunks(characters, variant.split)
        if WHAT[what]:
            self._models.generator()  # cannot be had: say so now, not after the first search
        plan = Plan(chosen, variants, WHAT[what], k)
        return _Job(plan, Bench(corpus, settings, self._models), self._encoder())

    def _encoder(self) -> PassageEncoder | None:
        try:
            return self._models.encoder()
        except ModelLoading:
            raise  # figures of a lexical search would be taken for the real ones
        except ModelUnavailable:
            return None

    def _choices(self, values: Mapping[Any, Any]) -> list[tuple[str, list[str]]]:
        """The settings to vary with their values, as written."""
        tab, found = self.page.evaluate, list[tuple[str, list[str]]]()
        for name_of, values_of in ((tab.first, tab.first_values), (tab.second, tab.second_values)):
            name, written = str(values[name_of] or ""), str(values[values_of] or "").strip()
            if not name:
                continue
            # rules are sentences, commas and all
            pieces = [written] if name == "generate.rules" else re.split(r"[,，、;；\n]", written)
            given = [piece.strip() for piece in pieces if piece.strip()]
            if not given:
                raise mistake(SettingError, "eval.no_values", name=name)
            found.append((name, given))
        return found


def _work(job: _Job, stop: threading.Event) -> Callable[[Callable[[Update], None]], None]:
    def work(report: Callable[[Update], None]) -> None:
        for so_far in experiment(job.plan, job.bench, job.encoder, stop, report):
            report(so_far)

    return work


def _odd(field: str) -> RagError:
    said = both(field)
    return SettingError(
        en=text("eval.bad_choice", "en", field=said.en), zh=text("eval.bad_choice", "zh", field=said.zh)
    )
