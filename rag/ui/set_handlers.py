"""Question sets: what a visitor can load, edit, draft and save."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import gradio as gr

from rag.background import reports
from rag.corpus.index import Corpus
from rag.errors import Language, QuestionError, RagError, SettingError
from rag.evaluate.draft import Drafted, draft_questions
from rag.evaluate.question_files import (
    MOST_BYTES,
    from_table_rows,
    read_questions,
    sample_set,
    write_csv,
    write_jsonl,
    write_xlsx,
)
from rag.evaluate.questions import MOST_QUESTIONS, Question, QuestionSet
from rag.models.roles import Models
from rag.ui import panels, render
from rag.ui.desk import Desk, Updates, as_download, mistake, number
from rag.ui.evaluate import MOST_DRAFTS, age, no_results
from rag.ui.evaluate_set import edited_name, name_of, set_in_use, set_line, show_set
from rag.ui.guard import guarded, language, told
from rag.ui.page import Page
from rag.ui.sessions import Sessions, Visit
from rag.ui.strings import text
from rag.ui.uploads import UploadFolder
from rag.workspace import FileReport

_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_SHOWN_NAMES = 8


class SetHandlers(Desk):
    """One method per thing a visitor can do here. Every value from a browser is checked before it is used."""

    def __init__(self, page: Page, sessions: Sessions, models: Models, uploads: UploadFolder) -> None:
        super().__init__(page, sessions, models)
        self._uploads = uploads

    @guarded()
    def opened(self, request: gr.Request) -> Updates:
        """The tab came to the front: the set, and the results, as they stand to what is searched by now."""
        visit, spoken, tab = self._visit(request), language(request), self.page.evaluate
        shown: Updates = {tab.age: age(visit, spoken)}
        if visit.seen_results and visit.experiment is None:
            visit.seen_results = False
            shown = no_results(tab) | {tab.age: panels.notice(text("eval.gone", spoken), "warning"), tab.progress: ""}
        if visit.seen_set != (set_in_use(visit),):
            return shown | self._set(visit, spoken)
        return shown | {tab.set_line: set_line(set_in_use(visit), self._searched(visit), spoken)}

    @guarded()
    def take_samples(self, request: gr.Request) -> Updates:
        """The built-in questions."""
        visit, spoken = self._visit(request), language(request)
        visit.questions = sample_set()
        said = text("eval.loaded", spoken, n=len(visit.questions.questions), name=name_of(visit.questions, spoken))
        return self._set(visit, spoken) | {self.page.evaluate.set_note: panels.notice(said)}

    @guarded()
    def upload(self, sent: object, request: gr.Request) -> Updates:
        """A file with questions takes the place of the set; one that cannot be read leaves it as it was."""
        visit, spoken, tab = self._visit(request), language(request), self.page.evaluate
        try:
            taken = self._uploads.take([sent] if isinstance(sent, dict) else (sent or []), 0)
            if len(taken) != 1:
                raise mistake(SettingError, "eval.one_file")
            if isinstance(taken[0], FileReport):
                return {tab.upload: None, tab.set_note: panels.notice(taken[0].message.of(spoken), "error")}
            read = read_questions(taken[0].name, taken[0].data)
        except RagError as error:
            return {tab.upload: None, tab.set_note: panels.notice(error.message(spoken), "error")}
        visit.questions = read.questions
        said = text("eval.loaded", spoken, n=len(read.questions.questions), name=read.questions.name)
        if read.ignored:
            names = ", ".join(render.preview(name, 40) for name in read.ignored[:_SHOWN_NAMES])
            said += " " + text("eval.ignored", spoken, names=names)
        said = " ".join([said, *(warning.of(spoken) for warning in read.warnings)])
        tone = "warning" if read.ignored or read.warnings else "info"
        return self._set(visit, spoken) | {tab.upload: None, tab.set_note: panels.notice(said, tone)}

    @guarded()
    def apply(self, table: object, request: gr.Request) -> Updates:
        """The rows of the table become the set; while one of them is wrong, set and table stay as they are."""
        visit, spoken, tab = self._visit(request), language(request), self.page.evaluate
        now = set_in_use(visit)
        if visit.seen_set != (now,):
            return self._set(visit, spoken) | {
                tab.edit_note: panels.notice(text("eval.stale_table", spoken), "warning")
            }
        try:
            heads, rows = _cells(table)
            edited = from_table_rows(text("eval.edit_table", spoken), heads, rows)
            if not edited.questions:
                raise mistake(QuestionError, "eval.no_rows")
        except RagError as error:
            return {tab.edit_note: panels.notice(error.message(spoken), "error")}
        if now is None or edited.questions != now.questions:
            visit.questions = replace(edited, name=edited_name(now, spoken))
        said = text("eval.applied", spoken, n=len(edited.questions))
        return self._set(visit, spoken) | {tab.edit_note: panels.notice(said)}

    @guarded("evaluate.edit_note")
    def draft(self, n: object, request: gr.Request) -> Iterator[Updates]:
        """The generator drafts questions about own documents; what it made is added to the set, also after a stop."""
        visit, spoken, tab = self._visit(request), language(request), self.page.evaluate
        wanted = number(n, "eval.draft_n", MOST_DRAFTS)
        keys = {document.key for document in visit.workspace.own_documents()}
        if not keys:
            raise mistake(SettingError, "eval.draft_no_documents")
        self._models.generator()  # cannot be had: said at once
        corpus, brought, whole = visit.workspace.corpus(), visit.questions, set_in_use(visit)
        there = whole.questions if whole is not None else ()
        if len(there) >= MOST_QUESTIONS:
            raise mistake(SettingError, "eval.full", most=f"{MOST_QUESTIONS:,}")
        wanted = min(wanted, MOST_QUESTIONS - len(there))
        tried, none, problem = tuple[Drafted, ...](), tuple[Drafted, ...](), ""
        mine = visit.drafts()
        try:
            with visit.running("draft") as stop:
                work = _drafting(corpus, keys, wanted, there, self._models, stop)
                for tried in reports(work, "evaluation", none, stop):
                    if visit.drafting is not mine:
                        return
                    yield {tab.edit_note: panels.phase("waiting", text("eval.drafting", spoken, **_counts(tried)))}
        except Exception as error:  # noqa: BLE001 - shown beside what was drafted until then; logged by told
            problem = told(error, spoken)
        finally:  # also when the page went away, which may come back
            made = [drafted.question for drafted in tried if drafted.question is not None]
            # another set that was brought meanwhile keeps its place, and gets the drafts
            visit.drafted(lambda now: _added(whole if now is brought else now, made, spoken) if made else now)
        if visit.drafting is mine:
            said = text("eval.drafted" if tried else "eval.drafted_none", spoken, **_counts(tried))
            note = panels.notice(said, "warning") + panels.notice(problem, "error")
            yield self._set(visit, spoken) | {tab.edit_note: note}

    @guarded()
    def stop_draft(self, request: gr.Request) -> None:
        """End the drafting; what is drafted by then is kept."""
        self._visit(request).stop("draft")

    @guarded()
    def save_jsonl(self, request: gr.Request) -> Updates:
        """The set as JSON, one question a line."""
        return self._saved(request, "jsonl", "application/x-ndjson", lambda found, _: write_jsonl(found))

    @guarded()
    def save_csv(self, request: gr.Request) -> Updates:
        """The set as a table."""
        return self._saved(request, "csv", "text/csv", write_csv)

    @guarded()
    def save_xlsx(self, request: gr.Request) -> Updates:
        """The set as a workbook."""
        return self._saved(request, "xlsx", _XLSX, write_xlsx)

    def _saved(
        self, request: gr.Request, suffix: str, mime: str, write: Callable[[QuestionSet, Language], bytes]
    ) -> Updates:
        found = set_in_use(self._visit(request))
        if found is None:
            raise mistake(SettingError, "eval.no_set")
        data = write(found, language(request))
        return {self.page.evaluate.download: as_download(f"questions.{suffix}", mime, data)}

    def _set(self, visit: Visit, spoken: Language) -> Updates:
        """Another set than the page shows; what was said of that one is not of this one."""
        found, tab = set_in_use(visit), self.page.evaluate
        visit.seen_set = (found,)
        shown: Updates = {tab.set_note: "", tab.edit_note: ""}
        if visit.evaluating is None and visit.experiment is None:
            shown[tab.progress] = ""  # a run that this set, or the one before, did not let begin
        return shown | show_set(tab, found, self._searched(visit), spoken)

    def _searched(self, visit: Visit) -> Corpus | None:
        try:
            return visit.workspace.corpus()
        except RagError:  # the samples are on their way
            return None


def _cells(table: object) -> tuple[list[str], list[list[str]]]:
    """Heads and rows of a table as the page sends it; raises `QuestionError` when it is something else."""
    heads, rows = (table.get("headers"), table.get("data")) if isinstance(table, dict) else (None, None)
    if not isinstance(heads, list) or not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise mistake(QuestionError, "eval.bad_table")
    names, cells = list(map(_cell, heads)), [list(map(_cell, row)) for row in rows]
    if sum(map(len, names)) + sum(len(cell) for row in cells for cell in row) > MOST_BYTES:
        raise mistake(QuestionError, "eval.big_table", most=MOST_BYTES // 1_000_000)
    return names, cells


def _cell(value: object) -> str:
    return "" if value is None else str(value)


def _counts(tried: Sequence[Drafted]) -> dict[str, object]:
    done = sum(drafted.question is not None for drafted in tried)
    return {"done": done, "failed": len(tried) - done}


def _drafting(
    corpus: Corpus, keys: set[str], n: int, there: Sequence[Question], models: Models, stop: threading.Event
) -> Callable[[Callable[[tuple[Drafted, ...]], None]], None]:
    def work(report: Callable[[tuple[Drafted, ...]], None]) -> None:
        tried: tuple[Drafted, ...] = ()
        for drafted in draft_questions(corpus, keys, n, models, stop, taken=there):
            tried = (*tried, drafted)
            report(tried)

    return work


def _added(questions: QuestionSet | None, drafts: Sequence[Question], spoken: Language) -> QuestionSet:
    """The set with the drafts at its end, each under an id that no other question has, as many as it holds."""
    there = questions.questions if questions is not None else ()
    taken, asked = {question.id for question in there}, {question.question for question in there}
    named = list[Question]()
    for draft in drafts:
        if draft.question in asked:  # another drafting had it meanwhile
            continue
        name = next(i for i in (draft.id, *(f"{draft.id}-{n}" for n in range(2, len(taken) + 3))) if i not in taken)
        taken.add(name)
        named.append(replace(draft, id=name))
    return QuestionSet(edited_name(questions, spoken), (*there, *named)[:MOST_QUESTIONS])
