"""The two models every visitor shares, fetched and loaded behind the page."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rag.config import ModelSettings
from rag.errors import Bilingual, ModelLoading, ModelUnavailable, RagError
from rag.models.turns import Turns
from rag.types import Role, Say

if TYPE_CHECKING:  # torch is imported by the loading thread, not by whoever imports this module
    from rag.models.encoder import Encoder
    from rag.models.generator import Generator

State = Literal["waiting", "fetching", "loading", "ready", "failed"]

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RoleStatus:
    """How far a role is. `note` is one line: the download's progress, what was taken, or why it failed."""

    role: Role
    state: State
    name: str
    note: Bilingual


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
        self._problem: dict[Role, Bilingual] = {}

    def start(self) -> None:
        """Begin loading in the background; returns at once."""
        threading.Thread(target=self.load, name="models", daemon=True).start()

    def load(self, roles: tuple[Role, ...] = ("encoder", "generator")) -> None:
        """Fetch and load `roles` in the calling thread; a failure is kept and raised by the accessors."""
        from rag.models.hub import Hub
        from rag.models.weights import resolve

        hub = Hub()
        for role in roles:
            asked = self.settings.encoder if role == "encoder" else self.settings.generator
            try:
                self._set(role, "fetching", asked, Bilingual(en="looking for weights", zh="正在查找权重"))
                weights = resolve(role, asked, self.settings.cache, self._teller(role, asked), hub)
                self._set(role, "loading", weights.name, weights.line())
                self._load(role, weights)
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
        else:
            self._generator = Generator(weights, self.turns)

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
        """Both roles, the encoder first."""
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

    def _absent(self, role: Role) -> ModelUnavailable:
        if role in self._problem:
            # a new one each time: one object would collect the frames, and so the questions, of all who met it
            return ModelUnavailable(en=self._problem[role].en, zh=self._problem[role].zh)
        status = self._status[role]
        return ModelLoading(
            en=f"The {role} {status.name} is not ready yet ({status.note.en}). Please try again in a moment.",
            zh=f"{'编码器' if role == 'encoder' else '生成器'} {status.name} 尚未就绪（{status.note.zh}），请稍候再试。",
        )
