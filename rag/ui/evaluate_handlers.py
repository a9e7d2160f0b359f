"""Evaluation: what a visitor can run, and how it comes to its end."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import gradio as gr

from rag.background import reports
from rag.config import Limits, Settings, SplitSettings
from rag.corpus.index import Corpus, PassageEncoder, Progress
from rag.errors import Language, LimitReached, ModelLoading, ModelUnavailable, RagError, SettingError, Stopped
from rag.evaluate.experiment import Experiment, Plan, experiment, selected
from rag.evaluate.questions import MOST_QUESTIONS
from rag.evaluate.run import Bench
from rag.evaluate.variants import grid
from rag.limits import Allowance, about
from rag.models.roles import Models, needed_roles
from rag.ui import evaluate_results, panels
from rag.ui.desk import Updates, mistake, number
from rag.ui.evaluate import WHAT, no_results
from rag.ui.evaluate_set import set_in_use
from rag.ui.evaluate_size import kept_bytes
from rag.ui.guard import guarded, language, told
from rag.ui.pace import Pace
from rag.ui.page import Page
from rag.ui.result_handlers import ResultHandlers
from rag.ui.sessions import Sessions, Visit
from rag.ui.settings import read_settings
from rag.ui.strings import both, text

MOST_KEPT = 120_000_000
"""Bytes that the outcomes of one experiment may come to, all its variants together, see `kept_bytes`."""
REFRESH_S = 0.3
PARTIAL_S = 1.0
Update = Experiment | Progress
Model = TypeVar("Model")


@dataclass(frozen=True)
class _Job:
    """An experiment about to run."""

    plan: Plan
    bench: Bench
    encoder: PassageEncoder | None
    counted: bool
    """Whether there is a generator, whose tokenizer says what fits the prompt."""
    check: Callable[[int, SplitSettings], None]
    """Raises when a variant is cut into more chunks than a visitor may have."""

    @property
    def total(self) -> int:
        """Questions to ask, over all variants."""
        return len(self.plan.questions.questions) * (1 + len(self.plan.variants))


class EvaluateHandlers(ResultHandlers):
    """One method per thing a visitor can do here. Every value from a browser is checked before it is used."""

    def __init__(self, page: Page, sessions: Sessions, models: Models, limits: Limits) -> None:
        super().__init__(page, sessions, models)
        self._limits, self._allowance = limits, Allowance(limits)

    @guarded("evaluate.progress")
    def run(self, values: Mapping[Any, Any], request: gr.Request) -> Iterator[Updates]:
        """Run the set; a run that is under way for this visitor ends."""
        spoken, visit, tab = language(request), self._visit(request), self.page.evaluate
        job = self._job(visit, values)
        mine = visit.evaluates()
        last, problem = Experiment((), 1 + len(job.plan.variants)), ""
        began = partial = shown_at = time.monotonic()
        pace = Pace()
        # the results of the last run must not stand under the progress of this one
        visit.seen_results = False
        yield {tab.progress: panels.phase("waiting", text("eval.begin", spoken)), **no_results(tab)}
        try:
            with visit.running("evaluate") as stop:
                begin: Update = last
                for update in reports(_work(job, stop), "evaluation", begin, stop):
                    if visit.evaluating is not mine:
                        return
                    last, now = (last if isinstance(update, Progress) else update), time.monotonic()
                    speed = pace.heard(update, now) if isinstance(update, Progress) else None
                    if now - shown_at < REFRESH_S:
                        continue
                    shown_at = now
                    if isinstance(update, Progress):
                        yield {tab.progress: panels.progress_bar(update, spoken, speed)}
                        continue
                    shown: Updates = {tab.progress: evaluate_results.running(last, job.total, now - began, spoken)}
                    if last.runs and now - partial >= PARTIAL_S:
                        partial = now
                        shown[tab.figures] = evaluate_results.so_far(last.runs[-1], spoken)
                    yield shown
        except Stopped:
            problem = ""
        except Exception as error:  # noqa: BLE001 - what was measured until then is shown beside what went wrong; logged by told
            problem = told(error, spoken)
        if not visit.evaluated(mine, last if last.asked else None):
            return  # another run began, and the page is its
        yield self._ended(visit, job, last, time.monotonic() - began, problem, spoken)

    def _ended(
        self, visit: Visit, job: _Job, last: Experiment, seconds: float, problem: str, spoken: Language
    ) -> Updates:
        """The last yield of a run. All its tables are in it: a later one would empty those not on the screen yet."""
        tab = self.page.evaluate
        if visit.forget_removed():
            return {tab.progress: panels.notice(text("eval.gone", spoken), "warning"), **no_results(tab)}
        visit.seen_results = bool(last.asked)
        shown = self._everything(visit, last, spoken) if last.asked else no_results(tab)
        facts: dict[str, object] = {"done": last.asked, "total": job.total, "seconds": f"{seconds:.1f}"}
        if problem:
            said = panels.notice(problem, "error")
        elif not last.asked:
            said = panels.notice(text("eval.nothing", spoken), "warning")
        elif not last.complete:
            said = panels.notice(text("eval.stopped", spoken, **facts), "warning")
        else:
            said = panels.notice(text("eval.done", spoken, hash=job.bench.settings.hash(), **facts))
        if job.encoder is None:
            said += panels.notice(text("eval.lexical", spoken), "warning")
        if not job.counted:
            said += panels.notice(text("eval.uncounted", spoken), "warning")
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
        plan = Plan(chosen, variants, WHAT[what], k)
        self._check_memory(plan, settings)
        self._check_chunks(corpus, (settings, *variants))
        needed = needed_roles((settings, *variants), bool(plan.given))
        # cannot be had, or not yet: say so now, not after the first search, nor measure the line without it
        if "generator" in needed:
            self._models.generator()
        if "reranker" in needed:
            self._models.reranker()
        encoder, generator = _there(self._models.encoder), _there(self._models.generator)
        bench = Bench(corpus, settings, self._models, visit.workspace.groups)
        return _Job(plan, bench, encoder, generator is not None, self._allowance.check_cut)

    def _check_memory(self, plan: Plan, settings: Settings) -> None:
        """May the outcomes of all variants be kept?"""
        asked = len(plan.questions.questions)
        size = sum(asked * kept_bytes(each, plan.given) for each in (settings, *plan.variants))
        if size > MOST_KEPT:
            facts = {"n": asked * (1 + len(plan.variants)), "size": size // 1_000_000, "most": MOST_KEPT // 1_000_000}
            raise mistake(SettingError, "eval.too_many", **facts)

    def _check_chunks(self, corpus: Corpus, settings: Sequence[Settings]) -> None:
        """May the chunks of all that split otherwise than `corpus` be held beside each other, each its own index?"""
        characters = sum(len(document.text) for document in corpus.documents.values())
        sections = sum(len(document.sections) for document in corpus.documents.values())
        splits = [each.split for each in settings if each.split != corpus.split]
        for split in splits:
            self._allowance.check_chunks(characters, split, sections)
        n = sum(about(characters, split, sections) for split in splits)
        if n > self._limits.chunks:
            raise mistake(LimitReached, "eval.too_many_chunks", n=f"{n:,}", most=f"{self._limits.chunks:,}")

    def _choices(self, values: Mapping[Any, Any]) -> list[tuple[str, list[str]]]:
        """The settings to vary with their values, as written."""
        tab, found = self.page.evaluate, list[tuple[str, list[str]]]()
        for name_of, values_of in ((tab.first, tab.first_values), (tab.second, tab.second_values)):
            name, written = str(values[name_of] or ""), str(values[values_of] or "").strip()
            if not name:
                continue
            # sentences, commas and all
            pieces = (
                [written]
                if name in ("generate.rules", "query.synonyms", "search.section")
                else re.split(r"[,，、;；\n]", written)
            )
            given = [piece.strip() for piece in pieces if piece.strip()]
            if not given:
                raise mistake(SettingError, "eval.no_values", name=name)
            found.append((name, given))
        return found


def _there(model: Callable[[], Model]) -> Model | None:
    """A model, or None where it cannot be had.

    `ModelLoading` is raised: figures of a lexical search, or of prompts that nobody counted, would be taken for the
    real ones.
    """
    try:
        return model()
    except ModelLoading:
        raise
    except ModelUnavailable:
        return None


def _work(job: _Job, stop: threading.Event) -> Callable[[Callable[[Update], None]], None]:
    def work(report: Callable[[Update], None]) -> None:
        for so_far in experiment(job.plan, job.bench, job.encoder, stop, report, job.check):
            report(so_far)

    return work


def _odd(field: str) -> RagError:
    said = both(field)
    return SettingError(
        en=text("eval.bad_choice", "en", field=said.en), zh=text("eval.bad_choice", "zh", field=said.zh)
    )
