"""From models and samples to a running page: what calls what, and which doors stay closed."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass

import gradio as gr

from rag.config import Limits
from rag.corpus.load.process import ReadingRoom
from rag.corpus.samples import Samples
from rag.errors import SettingError
from rag.models.roles import Models
from rag.ui.candidate_handlers import CandidateHandlers
from rag.ui.candidate_wiring import wire_candidates
from rag.ui.chunk_handlers import ChunkHandlers
from rag.ui.corpus_handlers import CorpusHandlers
from rag.ui.corpus_wiring import wire_chunks, wire_corpus, wire_document
from rag.ui.document_handlers import DocumentHandlers
from rag.ui.evaluate_handlers import EvaluateHandlers
from rag.ui.guard import log_bug
from rag.ui.page import Page, build_page
from rag.ui.question_handlers import QuestionHandlers
from rag.ui.sessions import VISITS, GroupsOf, Sessions, everybody
from rag.ui.set_handlers import SetHandlers
from rag.ui.strings import TABLE, translations
from rag.ui.style import CSS, theme
from rag.ui.uploads import UploadFolder, own_paths
from rag.ui.wiring import ANSWERS, EVALUATING, LATEST, LIGHT, RAW, SEARCHES, THREADS, WAITING, groups, saves
from rag.workspace import Shared, Workspace

# routes of Gradio that this page does not use and that would show one visitor's data to others
DOORS = {"/gradio_api/deep_link", "/monitoring", "/monitoring/summary", "/monitoring/{key}"}
UNCLAIMED_UPLOAD_S = 900
SWEEP_S = 20


@dataclass(frozen=True)
class App:
    """The built page, its visitors and its upload folder."""

    demo: gr.Blocks
    sessions: Sessions
    uploads: UploadFolder
    limits: Limits
    label: gr.I18n
    closing: threading.Event

    def close(self) -> None:
        """Stop serving, end every visit, delete what was uploaded."""
        self.closing.set()
        self.sessions.close()  # first: what runs is told to stop
        self.demo.close()
        self.sessions.close()  # who came meanwhile
        self.uploads.remove()


def build_app(models: Models, samples: Samples, limits: Limits | None = None, groups_of: GroupsOf = everybody) -> App:
    """Build the page; nothing is served yet. `models` and `samples` may still be loading.

    `groups_of`: the groups of a user name (`rag.ui.sessions.Sessions`); nobody sees a document of other groups.
    """
    allowed, room, shared = limits or Limits(), ReadingRoom(), Shared()
    sessions = Sessions(lambda groups: Workspace(samples, models, allowed, room, groups, shared), groups_of=groups_of)
    label = gr.I18n(**translations())
    uploads = UploadFolder(allowed)
    with gr.Blocks(title=f"{TABLE['app.tab'].zh} · {TABLE['app.tab'].en}", analytics_enabled=False) as demo:
        page = build_page(label, allowed)
        wire_corpus(demo, page, CorpusHandlers(page, sessions, models, samples, uploads))
        wire_document(page, DocumentHandlers(page, sessions, models))
        wire_chunks(page, ChunkHandlers(page, sessions, models))
        _wire_questions(page, QuestionHandlers(page, sessions, models))
        wire_candidates(page, CandidateHandlers(page, sessions, models))
        _wire_sets(page, SetHandlers(page, sessions, models, uploads))
        _wire_evaluation(page, EvaluateHandlers(page, sessions, models, allowed))
    demo.queue(api_open=False, max_size=WAITING)
    return App(demo, sessions, uploads, allowed, label, threading.Event())


def _wire_questions(page: Page, do: QuestionHandlers) -> None:
    shown, panel = groups(page), page.settings
    gr.on(
        [c.change for c in panel.inputs()],
        do.check_settings,
        panel.inputs(),
        panel.note,
        **RAW,
        **LATEST,
    )
    found = list(dict.fromkeys([page.tabs, page.timer, panel.note, *shown["corpus"], *shown["found"]]))
    asked = {page.question, *panel.inputs()}
    answer = shown["answer"]
    both = list(dict.fromkeys([*found, *answer]))
    light = list(dict.fromkeys([page.tabs, page.timer, *shown["corpus"], page.candidates.progress, *answer]))
    retrieving = page.retrieve.click(do.retrieve, asked, both, **RAW, **SEARCHES)
    chosen = page.examples.choose(do.choose_example, None, page.question, **LIGHT)
    searches = [
        gr.on([page.ask.click, page.question.submit], do.ask, asked, light, **RAW, **SEARCHES),
        chosen.success(do.ask, asked, light, **RAW, **SEARCHES),
    ]
    # an answer that is about to end does not keep the next one out; `ask` has stopped it. (A `cancels` here would come
    # after the search, and could end the very answer that the search has just begun.)
    answers = [search.success(do.write, None, answer, **ANSWERS) for search in searches]
    answers.append(page.gate.anyway.click(do.answer_anyway, None, answer, **ANSWERS))
    for written in answers:
        written.then(do.catch_up, None, shown["found"], **LIGHT)
    gr.on([page.candidates_tab.select, page.prompt_tab.select], do.look, None, shown["found"], **LIGHT)
    gr.on(
        [page.stop.click, page.documents.stop.click],
        do.stop,
        None,
        list(dict.fromkeys([*shown["found"], *answer])),
        cancels=[retrieving, *searches, *answers],
        **LIGHT,
    )
    page.drop.click(do.drop_earlier, None, [page.earlier, page.drop], **LIGHT)
    page.answer.answer.cite(do.open_citation, None, page.answer.source, **LIGHT)
    page.answer.remarks.side(do.open_difference, None, page.answer.source, **LIGHT)
    page.answer.answer.why(do.explain_sentence, None, page.answer.source, **LIGHT)


def _wire_sets(page: Page, do: SetHandlers) -> None:
    written, tab = groups(page), page.evaluate
    shown = written["set"]
    page.evaluate_tab.select(do.opened, None, list(dict.fromkeys([*shown, *written["results"]])), **LIGHT)
    tab.samples.click(do.take_samples, None, shown, **LIGHT)
    tab.upload.upload(do.upload, tab.upload, shown, **RAW, **LIGHT)
    tab.apply.click(do.apply, tab.table, shown, **RAW, **LIGHT)
    drafting = {**EVALUATING, "trigger_mode": "once"}
    tab.draft.click(do.draft, tab.draft_n, shown, **RAW, **drafting)
    tab.draft_stop.click(do.stop_draft, None, None, **LIGHT)
    for press, save in ((tab.jsonl, do.save_jsonl), (tab.csv, do.save_csv), (tab.xlsx, do.save_xlsx)):
        saves(press, save, None, tab.download)


def _wire_evaluation(page: Page, do: EvaluateHandlers) -> None:
    shown, tab, panel = groups(page), page.evaluate, page.settings
    results = shown["results"]
    # pressed again while it runs, it begins anew
    tab.run.click(do.run, {*panel.inputs(), *tab.plan()}, [tab.progress, *results], **RAW, **EVALUATING)
    tab.stop.click(do.stop, None, None, **LIGHT)
    tab.which.input(do.choose_run, [tab.which, tab.failed], results, **RAW, **LIGHT)
    tab.failed.input(do.choose_failed, [tab.which, tab.failed], shown["outcomes"], **RAW, **LIGHT)
    tab.use_variant.click(do.use_variant, tab.which, [*panel, tab.used, tab.cut_note], **RAW, **LIGHT)
    moved = [tab.which, tab.threshold]
    tab.threshold.input(do.try_threshold, moved, tab.threshold_view, **RAW, **LATEST)
    tab.use_threshold.click(do.use_threshold, tab.threshold, [panel.threshold, tab.cut_note, tab.used], **RAW, **LIGHT)
    saves(tab.report_html, do.save_html, None, tab.download)
    saves(tab.report_json, do.save_json, None, tab.download)
    trace = list(dict.fromkeys([*shown["trace"], *shown["found"], *shown["answer"], panel.note]))
    tab.outcomes.select(do.choose_outcome_row, tab.which, trace, **RAW, **LIGHT)
    tab.pick.input(do.choose_outcome, [tab.which, tab.pick], trace, **RAW, **LIGHT)


def launch_app(app: App, host: str | None = None, port: int | None = None) -> str:
    """Serve the page in the background and return its address; `App.close` ends it.

    `host` None leaves it to ``GRADIO_SERVER_NAME``, or this machine only. Raises `SettingError` when it cannot listen
    there.
    """
    own_paths(app.limits)
    try:
        server, url, _ = app.demo.launch(
            server_name=host,
            server_port=port,
            prevent_thread_lock=True,
            quiet=True,
            theme=theme(),
            css=CSS,
            i18n=app.label,
            run_history=False,
            enable_monitoring=False,
            ssr_mode=False,
            footer_links=[],
            max_threads=THREADS,
            state_session_capacity=VISITS,
            show_error=False,
            share=False,
        )
    except (OSError, OverflowError) as error:  # the second for a number that is no port
        raise _cannot_listen(host, port) from error
    server.router.routes[:] = [r for r in server.router.routes if getattr(r, "path", None) not in DOORS]
    threading.Thread(target=_janitor, args=(app,), name="janitor", daemon=True).start()
    return str(url)


def _cannot_listen(host: str | None, port: int | None) -> SettingError:
    # as Gradio reads them when they are not given
    place = host or os.environ.get("GRADIO_SERVER_NAME") or "127.0.0.1"
    number = port or os.environ.get("GRADIO_SERVER_PORT") or "7860–7959"
    return SettingError(
        en=f"Cannot listen on {place}, port {number}: it is taken, or not this machine's. Choose another --port or --host.",
        zh=f"无法监听 {place} 的端口 {number}：端口已被占用，或该地址不属于本机。请换一个 --port 或 --host。",
    )


def _janitor(app: App) -> None:
    while not app.closing.wait(SWEEP_S):
        try:
            sweep(app)
        except Exception as error:  # noqa: BLE001 - a bug in one sweep must not end all later ones
            log_bug(error)


def sweep(app: App) -> None:
    """End the visits whose page is gone, and delete uploads nobody took; done every `SWEEP_S` seconds."""
    for session in app.sessions.sweep():
        # Gradio keeps the last value of every component of a session here
        app.demo.state_holder.session_data.pop(session, None)
    app.uploads.sweep(UNCLAIMED_UPLOAD_S)
