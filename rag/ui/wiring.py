"""How the page's events run, and which components are written together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradio as gr

from rag.ui.page import Page
from rag.ui.sessions import VISITS
from rag.ui.settings import CHOICES

# "multiple": with Gradio's "once" a press while the last one is on its way, or its end not yet told, would be lost
_EVERY: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden", "trigger_mode": "multiple"}
# Light work, as many at a time as come: never behind a model. In the queue all the same, since the page shows the message
# of an error only when it comes from there.
LIGHT: dict[str, Any] = {**_EVERY, "concurrency_id": "light", "concurrency_limit": None}
# of light work only the last counts; not for what has event data: Gradio would send the first one's again
LATEST: dict[str, Any] = {**LIGHT, "trigger_mode": "always_last"}
# a list's value is checked by the handler, in the visitor's language; Gradio would put it into the log
RAW: dict[str, Any] = {"preprocess": False}
# Answers to what is asked on the page come one at a time; the workspaces' common line sees to that, and tells each how many are
# before it, which Gradio's own queue would not say here: so there is a place for every visit. Searches (which may re-index first),
# indexing, evaluations and drafts run beside each other and beside these: the models underneath, and the generator too, take turns in small
# pieces, so that a place here is only a thread, and nobody's long run keeps others out. Of evaluations and of drafts
# each visitor has one at a time, so that nobody takes all the places.
ANSWERS: dict[str, Any] = {**_EVERY, "concurrency_id": "llm", "concurrency_limit": VISITS}
SEARCHES: dict[str, Any] = {**_EVERY, "concurrency_id": "encoder", "concurrency_limit": 16}
EVALUATING: dict[str, Any] = {**_EVERY, "concurrency_id": "evaluate", "concurrency_limit": 16}
INDEXING: dict[str, Any] = {**_EVERY, "concurrency_id": "index", "concurrency_limit": 16}
# Threads of the server: one for each place above, and as many again, so that light work finds one.
_PLACES = sum(int(kind["concurrency_limit"]) for kind in (ANSWERS, SEARCHES, EVALUATING, INDEXING))
THREADS = 2 * _PLACES
# Events that may wait: each kind of work twice for every visitor there is room for. Full, it would refuse light work too.
WAITING = 8 * VISITS


def groups(page: Page) -> dict[str, list[Any]]:
    """Groups of components that are written together."""
    options = [getattr(page.settings, name) for name in CHOICES]
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
    scope = [page.settings.documents, page.settings.note]
    return {
        "corpus": [*page.documents.written(), *page.chunks.written(), page.earlier, page.drop, *scope],
        "found": [*page.candidates, *page.prompt, page.answer.steps, page.answer.versions, page.earlier, page.drop],
        "answer": [*page.answer, *page.gate],
        "options": options,
        "set": [
            test.set_line,
            test.set_note,
            test.edit_note,
            test.categories,
            test.table,
            test.upload,
            test.age,
            test.progress,
        ],
        "outcomes": outcomes,
        "results": [test.age, test.compared, test.choice, test.which, test.more, *run, *outcomes],
        "trace": [page.question, test.pick, test.diagnosis, *page.documents.opened(), *page.chunks.opened()],
    }


def saves(press: gr.Button, save: Callable[..., Any], inputs: Any, download: gr.HTML) -> None:
    """A button that saves a file: the page makes it, and then forgets its bytes."""
    press.click(save, inputs, download, **RAW, **LIGHT).then(dict, None, download, **LIGHT)
