"""The models every visitor shares, fetched and loaded behind the page: two at its start, a cross-encoder when it is first chosen."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from rag.config import ModelSettings, Settings
from rag.errors import Bilingual, ModelLoading, ModelUnavailable, RagError
from rag.models.heap import give_back
from rag.models.turns import Turns
from rag.types import Role, Say

if TYPE_CHECKING:  # torch is imported by the loading thread, not by whoever imports this module
    from rag.models.encoder import Encoder
    from rag.models.generator import Generator
    from rag.models.hub import Hub
    from rag.models.reranker import Reranker

State = Literal["waiting", "fetching", "loading", "ready", "failed"]

_RERANKER_WAIT_S = 8.0
"""How long the first search that wants the cross-encoder waits for it: a folder loads in this time, a download does not."""
_ROLE_ZH: Final[dict[Role, str]] = {"encoder": "编码器", "generator": "生成器", "reranker": "重排模型"}

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RoleStatus:
    """How far a role is. `note` is one line: the download's progress, what was taken, or why it failed."""

    role: Role
    state: State
    name: str
    note: Bilingual


def needed_roles(variants: Sequence[Settings], prompts: bool) -> tuple[Role, ...]:
    """The models that are needed, each loaded before the first question: an evaluation is not to skip what is on its way."""
    ways = {settings.select.rerank for settings in variants}
    drafts = any(settings.query.second_round for settings in variants)
    roles: list[Role] = ["encoder"]
    if prompts or drafts or "likelihood" in ways:
        roles.append("generator")
    if "cross" in ways:
        roles.append("reranker")
    return tuple(roles)


class Models:
    """Loads the encoder, then the generator, in one background thread; safe to ask from any thread."""

    def __init__(self, settings: ModelSettings) -> None:
        self.settings = settings
        self.turns = Turns()
        self._changed = threading.Condition()
        nothing = Bilingual(en="waiting", zh="等待中")
        self._status: dict[Role, RoleStatus] = {
            "encoder": RoleStatus("encoder", "waiting", settings.encoder, nothing),
            "generator": RoleStatus("generator", "waiting", settings.generator, nothing),
        }
        self._encoder: Encoder | None = None
        self._generator: Generator | None = None
        self._reranker: Reranker | None = None
        self._hub: Hub | None = None  # one for all roles, so that a silent hub is asked once
        self._problem: dict[Role, Bilingual] = {}

    def start(self, then: Callable[[], None] = lambda: None) -> None:
        """Begin loading in the background; returns at once. `then` is done behind it, when nobody waits for a model any more."""

        def work() -> None:
            self.load()
            then()

        threading.Thread(target=work, name="models", daemon=True).start()

    def load(self, roles: tuple[Role, ...] = ("encoder", "generator")) -> None:
        """Fetch and load `roles` in the calling thread; a failure is kept and raised by the accessors."""
        from rag.models.hub import Hub
        from rag.models.weights import resolve

        if self._hub is None:
            self._hub = Hub()
        for role in roles:
            asked = self._name(role)
            try:
                self._set(role, "fetching", asked, Bilingual(en="looking for weights", zh="正在查找权重"))
                weights = resolve(role, asked, self.settings.cache, self._teller(role, asked), self._hub)
                self._set(role, "loading", weights.name, weights.line())
                self._load(role, weights)
                give_back()  # what loading took beside the model
                self._set(role, "ready", weights.name, weights.line())
            except RagError as error:
                self._fail(role, asked, error.text)
            except Exception as error:  # noqa: BLE001 - a folder that is no model fails in many ways inside the libraries
                _LOG.exception("loading the %s failed", role)
                kind = type(error).__name__
                self._fail(
                    role,
                    asked,
                    Bilingual(
                        en=f"{asked}: loading failed ({kind}); the log has the details. Choose another model.",
                        zh=f"{asked}：加载失败（{kind}），详情见日志，请换一个模型。",
                    ),
                )

    def _load(self, role: Role, weights: object) -> None:
        from rag.models.encoder import Encoder
        from rag.models.generator import Generator
        from rag.models.weights import Weights

        assert isinstance(weights, Weights)
        if role == "encoder":
            encoder = Encoder(weights, self.settings, self.turns)
            encoder.encode_query(["warm"])  # the first call pays for lazy initialisation; not the first visitor
            self._encoder = encoder
        elif role == "generator":
            self._generator = Generator(weights, self.turns, self.settings.fast)
        else:
            from rag.models.reranker import Reranker

            self._reranker = Reranker(weights, self.turns)

    def _name(self, role: Role) -> str:
        """What the settings call it."""
        named: dict[Role, str] = {
            "encoder": self.settings.encoder,
            "generator": self.settings.generator,
            "reranker": self.settings.reranker,
        }
        return named[role]

    def _set(self, role: Role, state: State, name: str, note: Bilingual) -> None:
        with self._changed:
            self._status[role] = RoleStatus(role, state, name, note)
            self._changed.notify_all()

    def _teller(self, role: Role, asked: str) -> Say:
        def tell(note: Bilingual) -> None:
            _LOG.info("%s", note.en)  # the terminal shows the download too, not only the page
            self._set(role, "fetching", asked, note)

        return tell

    def _fail(self, role: Role, name: str, why: Bilingual) -> None:
        self._problem[role] = why
        self._set(role, "failed", name, why)

    def status(self) -> tuple[RoleStatus, ...]:
        """Every role that is wanted: encoder, generator, and the reranker once somebody chose it."""
        with self._changed:
            return tuple(self._status.values())

    def wait(self, role: Role, seconds: float) -> bool:
        """Wait until `role` is ready or failed, at most `seconds`; True when it is ready."""
        with self._changed:
            self._changed.wait_for(lambda: self._status[role].state in ("ready", "failed"), seconds)
            return self._status[role].state == "ready"

    def encoder(self) -> Encoder:
        """The encoder; raises `ModelLoading` while it is on its way and `ModelUnavailable` when it cannot be had."""
        if self._encoder is None:
            raise self._absent("encoder")
        return self._encoder

    def generator(self) -> Generator:
        """The generator; raises like `encoder`."""
        if self._generator is None:
            raise self._absent("generator")
        return self._generator

    def reranker(self) -> Reranker:
        """The cross-encoder; raises like `encoder`. The first call begins to load it, and waits for it some seconds."""
        with self._changed:
            first = "reranker" not in self._status
            if first:
                nothing = Bilingual(en="waiting", zh="等待中")
                self._status["reranker"] = RoleStatus("reranker", "waiting", self.settings.reranker, nothing)
        if first:
            threading.Thread(target=self.load, args=(("reranker",),), name="reranker", daemon=True).start()
            self.wait("reranker", _RERANKER_WAIT_S)
        if self._reranker is None:
            raise self._absent("reranker")
        return self._reranker

    def _absent(self, role: Role) -> ModelUnavailable:
        if role in self._problem:
            # a new one each time: one object would collect the frames, and so the questions, of all who met it
            return ModelUnavailable(en=self._problem[role].en, zh=self._problem[role].zh)
        status = self._status[role]
        return ModelLoading(
            en=f"The {role} {status.name} is not ready yet ({status.note.en}). Please try again in a moment.",
            zh=f"{_ROLE_ZH[role]} {status.name} 尚未就绪（{status.note.zh}），请稍候再试。",
        )
