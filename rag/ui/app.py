"""From models and samples to a running page: what calls what, and which doors stay closed."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gradio as gr

from rag.config import Limits
from rag.corpus.samples import Samples
from rag.errors import SettingError
from rag.models.roles import Models
from rag.ui.corpus_handlers import CorpusHandlers
from rag.ui.evaluate_handlers import EvaluateHandlers
from rag.ui.guard import log_bug
from rag.ui.page import Page, build_page
from rag.ui.question_handlers import QuestionHandlers
from rag.ui.sessions import Sessions
from rag.ui.set_handlers import SetHandlers
from rag.ui.strings import TABLE, translations
from rag.ui.style import CSS, theme
from rag.ui.uploads import UploadFolder, own_paths
from rag.workspace import Workspace

# light work: never behind a model in the queue, not offered to clients
LIGHT: dict[str, Any] = {"queue": False, "api_visibility": "private", "show_progress": "hidden"}
# a list's value is checked by the handler, in the visitor's language; Gradio would put it into the log
RAW: dict[str, Any] = {"preprocess": False}
HEAVY: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
# Answers to what is asked on the page come one at a time. Searches (which may re-index first), indexing, evaluations and
# drafts run beside each other and beside these: the models underneath, and the generator too, take turns in small
# pieces, so that a place here is only a thread, and nobody's long run keeps others out. Of evaluations and of drafts
# each visitor has one at a time, so that nobody takes all the places.
ANSWERS: dict[str, Any] = {**HEAVY, "concurrency_id": "llm", "concurrency_limit": 1}
SEARCHES: dict[str, Any] = {**HEAVY, "concurrency_id": "encoder", "concurrency_limit": 16}
EVALUATING: dict[str, Any] = {**HEAVY, "concurrency_id": "evaluate", "concurrency_limit": 16}
INDEXING: dict[str, Any] = {**HEAVY, "concurrency_id": "index", "concurrency_limit": 16}

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


def build_app(
    models: Models,
    samples: Samples,
    limits: Limits | None = None,
    new_workspace: Callable[[Samples, Models, Limits], Workspace] = Workspace,
) -> App:
    """Build the page; nothing is served yet. `models` and `samples` may still be loading."""
    allowed = limits or Limits()
    sessions = Sessions(lambda: new_workspace(samples, models, allowed))
    label = gr.I18n(**translations())
    uploads = UploadFolder(allowed)
    with gr.Blocks(title=f"{TABLE['app.tab'].zh} · {TABLE['app.tab'].en}", analytics_enabled=False) as demo:
        page = build_page(label, allowed)
        corpus = CorpusHandlers(page, sessions, models, samples, uploads)
        _wire_corpus(demo, page, corpus)
        _wire_questions(page, QuestionHandlers(page, sessions, models))
        _wire_sets(page, SetHandlers(page, sessions, models, uploads))
        _wire_evaluation(page, EvaluateHandlers(page, sessions, models, allowed))
    demo.queue(api_open=False, max_size=32)
    return App(demo, sessions, uploads, allowed, label, threading.Event())


def _shown(page: Page) -> dict[str, list[Any]]:
    """Groups of components that are written together."""
    documents = list(page.documents)
    tab = page.chunks
    chunks = [tab.document, tab.summary, tab.table, tab.pick, tab.view, tab.progress]
    split = [page.chunks.strategy, page.chunks.size, page.chunks.overlap]
    options = [page.settings.strategy, page.settings.mode, page.settings.fusion, page.settings.scope]
    test = page.evaluate
    options += [test.what, test.first, test.second]
    outcomes = [test.count, test.outcomes, test.pick, test.diagnosis]
    run = [
        test.used,
        test.figures,
        test.cut,
        test.curve,
        test.threshold,
        test.threshold_view,
        test.cut_note,
        test.failed,
    ]
    return {
        "corpus": [*documents, *chunks, *split],
        "found": [*page.candidates, *page.prompt, page.answer.steps],
        "answer": list(page.answer),
        "options": options,
        "set": [test.set_line, test.set_note, test.edit_note, test.categories, test.table, test.upload, test.age],
        "outcomes": outcomes,
        "results": [test.age, test.compared, test.choice, test.which, test.more, *run, *outcomes],
        "trace": [page.question, test.pick, test.diagnosis, *chunks[:5]],
    }


def _wire_corpus(demo: gr.Blocks, page: Page, do: CorpusHandlers) -> None:
    groups, docs, chunks = _shown(page), page.documents, page.chunks
    corpus = groups["corpus"]
    standing = [page.models, page.timer, *corpus]
    everything = [*standing, page.question, page.examples, page.tabs, *groups["options"], *groups["answer"]]
    everything = list(dict.fromkeys([*everything, *groups["found"]]))
    demo.load(do.load, None, everything, **LIGHT)
    demo.unload(do.leave)
    page.timer.tick(do.tick, None, standing, **LIGHT)
    # preprocess=False: Gradio would leave an empty file per upload, and its error for a vanished one says nothing
    docs.upload.upload(do.add, docs.upload, corpus, preprocess=False, **INDEXING)
    docs.remove.click(do.remove, docs.which, corpus, **RAW, **INDEXING)
    docs.include.input(do.include_samples, docs.include, corpus, **INDEXING)
    opened = [chunks.summary, chunks.table, chunks.pick, chunks.view]
    chunks.document.input(do.choose_document, chunks.document, opened, **RAW, **LIGHT)
    chunks.table.select(do.choose_chunk_row, chunks.document, [chunks.view, chunks.pick], **RAW, **LIGHT)
    chunks.pick.input(do.choose_chunk, [chunks.document, chunks.pick], chunks.view, **RAW, **LIGHT)
    tried: list[Any] = [chunks.strategy, chunks.size, chunks.overlap]
    gr.on(
        [chunks.strategy.input, chunks.size.input, chunks.overlap.input],
        do.preview,
        [chunks.document, *tried],
        [chunks.summary, chunks.view],
        trigger_mode="always_last",
        **RAW,
        **LIGHT,
    )
    panel = page.settings
    follow = [panel.strategy, panel.size, panel.overlap, panel.note]
    chunks.apply.click(do.apply_split, {*panel.inputs(), *tried}, [*corpus, *follow], **INDEXING)


def _wire_questions(page: Page, do: QuestionHandlers) -> None:
    groups, panel = _shown(page), page.settings
    gr.on(
        [c.change for c in panel.inputs()],
        do.check_settings,
        panel.inputs(),
        panel.note,
        trigger_mode="always_last",
        **LIGHT,
    )
    found = [page.tabs, panel.note, *groups["corpus"], *groups["found"]]
    asked = {page.question, *panel.inputs()}
    answer = groups["answer"]
    both = list(dict.fromkeys([*found, *answer]))
    retrieving = page.retrieve.click(do.retrieve, asked, both, **SEARCHES)
    chosen = page.examples.choose(do.choose_example, None, page.question, **LIGHT)
    searches = [
        gr.on([page.ask.click, page.question.submit], do.ask, asked, both, **SEARCHES),
        chosen.success(do.ask, asked, both, **SEARCHES),
    ]
    # "multiple": one that is about to end must not keep the next one out; `ask` has stopped it. (A `cancels` here would
    # come after the search, and could end the very answer that the search has just begun.)
    answers = [search.success(do.write, None, answer, trigger_mode="multiple", **ANSWERS) for search in searches]
    for written in answers:
        written.then(do.catch_up, None, groups["found"], **LIGHT)
    page.stop.click(
        do.stop,
        None,
        list(dict.fromkeys([*groups["found"], *answer])),
        cancels=[retrieving, *searches, *answers],
        **LIGHT,
    )
    page.candidates.table.select(do.choose_candidate_row, None, [page.candidates.view, page.candidates.pick], **LIGHT)
    page.candidates.pick.input(do.choose_candidate, page.candidates.pick, page.candidates.view, **RAW, **LIGHT)
    page.answer.answer.cite(do.open_citation, None, page.answer.source, **LIGHT)


def _wire_sets(page: Page, do: SetHandlers) -> None:
    groups, tab = _shown(page), page.evaluate
    shown = groups["set"]
    page.evaluate_tab.select(do.opened, None, list(dict.fromkeys([*shown, *groups["results"]])), **LIGHT)
    tab.samples.click(do.take_samples, None, shown, **LIGHT)
    tab.upload.upload(do.upload, tab.upload, shown, **RAW, **LIGHT)
    tab.apply.click(do.apply, tab.table, shown, **RAW, **LIGHT)
    drafting = {**EVALUATING, "trigger_mode": "once"}
    tab.draft.click(do.draft, tab.draft_n, shown, **RAW, **drafting)
    tab.draft_stop.click(do.stop_draft, None, None, **LIGHT)
    for press, save in ((tab.jsonl, do.save_jsonl), (tab.csv, do.save_csv), (tab.xlsx, do.save_xlsx)):
        _save(press, save, tab.download)


def _save(press: gr.Button, save: Callable[..., Any], download: gr.HTML) -> None:
    """A button that saves a file: the page makes it, and then forgets its bytes."""
    press.click(save, None, download, **LIGHT).then(dict, None, download, **LIGHT)


def _wire_evaluation(page: Page, do: EvaluateHandlers) -> None:
    groups, tab, panel = _shown(page), page.evaluate, page.settings
    results = groups["results"]
    # pressed again while it runs, it begins anew
    tab.run.click(
        do.run, {*panel.inputs(), *tab.plan()}, [tab.progress, *results], trigger_mode="multiple", **RAW, **EVALUATING
    )
    tab.stop.click(do.stop, None, None, **LIGHT)
    tab.which.input(do.choose_run, [tab.which, tab.failed], results, **RAW, **LIGHT)
    tab.failed.input(do.choose_failed, [tab.which, tab.failed], groups["outcomes"], **RAW, **LIGHT)
    tab.use_variant.click(do.use_variant, tab.which, [*panel, tab.used], **RAW, **LIGHT)
    moved = [tab.which, tab.threshold]
    tab.threshold.input(do.try_threshold, moved, tab.threshold_view, trigger_mode="always_last", **RAW, **LIGHT)
    tab.use_threshold.click(do.use_threshold, tab.threshold, [panel.threshold, tab.cut_note], **RAW, **LIGHT)
    _save(tab.report_html, do.save_html, tab.download)
    _save(tab.report_json, do.save_json, tab.download)
    trace = list(dict.fromkeys([*groups["trace"], *groups["found"], *groups["answer"], panel.note]))
    tab.outcomes.select(do.choose_outcome_row, tab.which, trace, **RAW, **LIGHT)
    tab.pick.input(do.choose_outcome, [tab.which, tab.pick], trace, **RAW, **LIGHT)


def launch_app(app: App, host: str | None = None, port: int | None = None) -> str:
    """Serve the page in the background and return its address; `App.close` ends it.

    `host` None leaves it to ``GRADIO_SERVER_NAME``, or this machine only. Raises `SettingError` when it cannot listen
    there.
    """
    own_paths()
    try:
        server, url, _ = app.demo.launch(
            server_name=host,
            server_port=port,
            prevent_thread_lock=True,
            quiet=True,
            theme=theme(),
            css=CSS,
            i18n=app.label,
            max_file_size=app.limits.file_bytes,
            run_history=False,
            enable_monitoring=False,
            ssr_mode=False,
            footer_links=[],
            state_session_capacity=200,
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
