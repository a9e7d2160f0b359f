"""A page over small stand-ins for the models: the real workspace, splitter, indexes and prompt, no weights."""

import random
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import gradio as gr

from rag.config import GenerateSettings, Limits, Settings
from rag.corpus.samples import Samples
from rag.errors import Bilingual
from rag.models.roles import RoleStatus
from rag.ui.app import App, build_app, launch_app
from rag.ui.candidate_handlers import CandidateHandlers
from rag.ui.chunk_handlers import ChunkHandlers
from rag.ui.corpus_handlers import CorpusHandlers
from rag.ui.document_handlers import DocumentHandlers
from rag.ui.page import Page
from rag.ui.question_handlers import QuestionHandlers
from tests.fake_models import BigramEncoder, FakeModels, Generated, ReplyGenerator

SAMPLES = {
    "annual-leave.md": "# 年假管理办法\n\n版本：2026-10\n\n## 第二章 年假天数\n\n第四条 员工入职满一年后，每年可享受15天带薪年假。\n",
    "equipment.md": "# 设备报销制度\n\n版本：2026-10\n\n## 第一章 标准\n\n每位员工每年最多报销3000元办公设备费用。\n",
}


@dataclass
class LimitedEncoder(BigramEncoder):
    """The stand-in encoder with a limit to show."""

    max_tokens: int = 512


@dataclass
class SlowGenerator(ReplyGenerator):
    """Waits before the first character and between characters, and notices Stop in both, as the real one does.

    Not set, `more` holds it before the last character.
    """

    before: float = 0.0
    between: float = 0.0
    more: threading.Event = field(default_factory=threading.Event)

    def stream(
        self, input_ids: Sequence[int], settings: GenerateSettings, stop: threading.Event, prefix: object = None
    ) -> Iterator[Generated]:
        began = time.perf_counter()
        while time.perf_counter() - began < self.before and not stop.is_set():
            yield Generated((), "", "running", None, time.perf_counter() - began)
            stop.wait(0.05)
        first = time.perf_counter() - began
        shown = Generated((), "", "running", None, first)
        for generated in super().stream(input_ids, settings, stop, prefix):
            stop.wait(self.between)
            while generated.text == self.reply and not (self.more.is_set() or stop.is_set()):
                yield shown  # again, as the real one does while no token comes: here a closed page is noticed
                stop.wait(0.05)
            shown = Generated(generated.ids, generated.text, generated.finish, first, time.perf_counter() - began)
            yield shown


class PageModels(FakeModels):
    """The stand-ins with the status line the page shows."""

    def start(self) -> None:
        pass

    def status(self) -> tuple[RoleStatus, ...]:
        def state(model: object) -> str:
            return "loading" if self.loading.is_set() else ("ready" if model else "failed")

        note = Bilingual(en="from the tests", zh="来自测试")
        return (
            RoleStatus("encoder", state(self._encoder), "bigrams", note),  # type: ignore[arg-type]
            RoleStatus("generator", state(self._generator), "reply", note),  # type: ignore[arg-type]
        )


def page_app(
    folder: Path,
    reply: str = "员工入职满一年后，每年可享受15天带薪年假。[S1]另见[S9]。明天会下雨。",
    before: float = 0.0,
    between: float = 0.0,
    generator: bool = True,
    encoder: bool = True,
    limits: Limits | None = None,
    more: threading.Event | None = None,
) -> tuple[App, PageModels]:
    """A built page over two sample documents written to `folder`."""
    for name, text in SAMPLES.items():
        (folder / name).write_text(text, encoding="utf-8")
    models = PageModels(
        LimitedEncoder() if encoder else None,
        SlowGenerator(reply=reply, before=before, between=between, more=more or _set()) if generator else None,
        folder / "cache",
    )
    samples = Samples(models, folder)  # type: ignore[arg-type]
    samples.prepare()
    return build_app(models, samples, limits), models  # type: ignore[arg-type]


def _set() -> threading.Event:
    event = threading.Event()
    event.set()
    return event


def served(app: App) -> str:
    """Serve on this machine; the address without a slash at its end."""
    return launch_app(app, "127.0.0.1").rstrip("/")


@dataclass
class Visitor:
    """Calls handlers the way Gradio does, without a server."""

    session_hash: str
    accept: str = "zh-CN"
    query: str = ""

    def request(self) -> gr.Request:
        import starlette.requests

        scope = {
            "type": "http",
            "method": "GET",
            "path": "/",
            "headers": [(b"accept-language", self.accept.encode())],
            "query_string": self.query.encode(),
        }
        return gr.Request(starlette.requests.Request(scope), session_hash=self.session_hash)


QUESTION = "入职满一年，每年有多少天带薪年假？"


class Client:
    """One visitor who calls the handlers of an app directly."""

    def __init__(self, app: App, name: str = "one", accept: str = "zh-CN") -> None:
        owners = [getattr(f.fn, "__self__", None) for f in app.demo.fns.values()]
        handlers = {type(owner): owner for owner in owners}
        self.corpus: CorpusHandlers = handlers[CorpusHandlers]
        self.documents: DocumentHandlers = handlers[DocumentHandlers]
        self.chunks: ChunkHandlers = handlers[ChunkHandlers]
        self.questions: QuestionHandlers = handlers[QuestionHandlers]
        self.candidates: CandidateHandlers = handlers[CandidateHandlers]
        self.page: Page = self.corpus.page
        self.app, self.request = app, Visitor(name, accept).request()
        self.workspace = app.sessions.visit(name).workspace

    def values(self, question: str = QUESTION, **changed: object) -> dict[Any, Any]:
        """The question and the settings as the page sends them."""
        plain = Settings()
        shown = {
            name: getattr(part, name)
            for part in (plain.split, plain.query, plain.search, plain.select, plain.generate)
            for name in part.__dataclass_fields__
        }
        shown |= {"as_of": "", "threshold": "", "mmr": "", "documents": []} | changed
        return {getattr(self.page.settings, name): value for name, value in shown.items()} | {
            self.page.question: question
        }

    def upload(self, name: str, data: bytes, again: object = "replace") -> dict[Any, Any]:
        place = self.app.uploads.path / f"{random.getrandbits(256):064x}"
        place.mkdir()
        (place / "f").write_bytes(data)
        updates: dict[Any, Any] = {}
        for update in self.corpus.add([{"path": str(place / "f"), "orig_name": name}], again, self.request):
            updates |= update
        return updates

    def remove(self, key: object) -> dict[Any, Any]:
        """Remove is pressed, and what it asks is answered with yes."""
        shown = self.corpus.ask_remove(key, self.request)
        return shown | last(self.corpus.remove(key, self.request))


def last(updates: Iterator[dict[Any, Any]]) -> dict[Any, Any]:
    merged: dict[Any, Any] = {}
    for update in updates:
        merged |= update
    return merged
