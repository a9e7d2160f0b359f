"""Small stand-ins for the heavy models, for tests only: quick, deterministic, with counters and faults on demand."""

import hashlib
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rag.config import GenerateSettings, ModelSettings
from rag.errors import Bilingual, ChunkTooLong, ModelLoading, ModelUnavailable, RagError, Stopped
from rag.models.tokens import TokenStates
from rag.types import ChatMessage

SPECIALS = ("<|im_start|>", "<|im_end|>", "<|endoftext|>")
SPECIAL_ID = 0x110000  # beyond every code point, which are the ids of all else


@dataclass
class BigramEncoder:
    """Vectors from hashed character bigrams: texts that share words are near each other. Counts what it encodes."""

    fingerprint: str = "bigrams"
    dim: int = 64
    limit: int = 10_000  # what encoding refuses; a fault when it is below what splitting heeds
    max_tokens: int = 10_000
    facts: tuple[tuple[str, str], ...] = (("model", "bigrams"),)
    encoded: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    between: Callable[[], None] = lambda: None

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text) for text in texts]

    def token_starts(self, text: str) -> list[int]:
        return list(range(len(text)))

    def token_states(
        self, texts: Sequence[str], *, question: bool, stop: threading.Event | None = None
    ) -> tuple[TokenStates, ...]:
        """A token is a character that is no blank; its state is the vector of it with the next one."""
        self.between()
        if stop is not None and stop.is_set():
            raise Stopped(en="stopped", zh="已停止")
        return tuple(map(self._states, texts))

    def _states(self, text: str) -> TokenStates:
        spans = tuple((i, i + 1) for i, c in enumerate(text) if c.strip())
        rows = [self._vector(text[a : a + 2]) for a, _ in spans]
        return TokenStates(text, spans, np.stack(rows) if rows else np.empty((0, self.dim), dtype=np.float32))

    def encode_query(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.questions += texts
        self.between()
        return np.stack([self._vector(text) for text in texts])

    def encode_document(
        self,
        texts: Sequence[str],
        names: Sequence[str],
        stop: threading.Event | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> NDArray[np.float32]:
        for text, name in zip(texts, names, strict=True):
            if len(text) > self.limit:
                raise ChunkTooLong(en=f"{name}: {len(text)} tokens", zh=f"{name}：{len(text)} 个 token")
        rows = np.zeros((len(texts), self.dim), dtype=np.float32)
        for i, text in enumerate(texts):
            self.between()
            if stop is not None and stop.is_set():
                raise Stopped(en="stopped", zh="已停止")
            rows[i] = self._vector(text)
            self.encoded.append(text)
            if progress is not None:
                progress(i + 1, len(texts))
        return rows

    def _vector(self, text: str) -> NDArray[np.float32]:
        row = np.full(self.dim, 1e-3, dtype=np.float32)
        for pair in zip(text, text[1:], strict=False):
            digest = hashlib.blake2b("".join(pair).encode(), digest_size=4).digest()
            row[int.from_bytes(digest) % self.dim] += 1
        return row / np.linalg.norm(row)


@dataclass(frozen=True)
class Rendered:
    text: str
    input_ids: tuple[int, ...]
    offsets: tuple[tuple[int, int], ...]


class CharacterChat:
    """A chat template whose tokens are single characters and three special strings."""

    special_strings = SPECIALS
    special_ids = frozenset(SPECIAL_ID + i for i in range(len(SPECIALS)))
    _token = re.compile("|".join(map(re.escape, SPECIALS)) + "|.", re.S)

    def break_specials(self, text: str) -> tuple[str, tuple[str, ...]]:
        found = tuple(m.group() for m in re.finditer("|".join(map(re.escape, SPECIALS)), text))
        for special in found:
            text = text.replace(special, special.replace("|", "｜"))
        return text, found

    def render(self, messages: Sequence[ChatMessage]) -> Rendered:
        text = "".join(f"<|im_start|>{m.role}\n{m.content}<|im_end|>\n" for m in messages)
        text += "<|im_start|>assistant\n"
        found = list(self._token.finditer(text))
        ids = tuple(SPECIAL_ID + SPECIALS.index(m[0]) if m[0] in SPECIALS else ord(m[0]) for m in found)
        return Rendered(text, ids, tuple(m.span() for m in found))

    def count(self, text: str) -> int:
        return len(self._token.findall(text))


@dataclass(frozen=True)
class Generated:
    ids: tuple[int, ...]
    text: str
    finish: str
    seconds_to_first: float | None
    seconds: float
    reused: int = 0
    drafted: int = 0
    accepted: int = 0
    passes: int = 0


@dataclass
class ReplyGenerator:
    """Writes `reply`, one character a token; keeps the prompts it was given."""

    reply: str = "每年15天。"
    name: str = "reply"
    dtype: str = "none"
    device: str = "none"
    taken: Bilingual = Bilingual(en="nothing", zh="无")
    chat: CharacterChat = field(default_factory=CharacterChat)
    given: list[tuple[int, ...]] = field(default_factory=list)

    def stream(
        self, input_ids: Sequence[int], settings: GenerateSettings, stop: threading.Event, prefix: object = None
    ) -> Iterator[Generated]:
        self.given.append(tuple(input_ids))
        text = self.reply[: settings.answer_tokens]
        try:
            for n in range(1, len(text) + 1):
                if stop.is_set():
                    yield Generated(tuple(map(ord, text[: n - 1])), text[: n - 1], "stopped", 0.0, 0.0)
                    return
                yield Generated(tuple(map(ord, text[:n])), text[:n], "running", 0.0, 0.0)
            finish = "length" if len(self.reply) > settings.answer_tokens else "end"
            yield Generated(tuple(map(ord, text)), text, finish, 0.0, 0.0)
        finally:
            stop.set()  # as the real one does


class FakeModels:
    """What `rag.models.roles.Models` offers, over the stand-ins. None: cannot be had. `loading`: not there yet."""

    def __init__(
        self, encoder: BigramEncoder | None, generator: ReplyGenerator | None, cache: Path = Path("/nonexistent")
    ) -> None:
        self._encoder, self._generator = encoder, generator
        self.settings = ModelSettings(cache=cache)
        self.loading = threading.Event()

    def wait(self, role: str, seconds: float) -> bool:
        if self.loading.is_set():
            threading.Event().wait(min(seconds, 0.05))
            return False
        return (self._encoder if role == "encoder" else self._generator) is not None

    def encoder(self) -> BigramEncoder:
        if self._encoder is None or self.loading.is_set():
            raise self._absent()
        return self._encoder

    def generator(self) -> ReplyGenerator:
        if self._generator is None or self.loading.is_set():
            raise self._absent()
        return self._generator

    def _absent(self) -> RagError:
        kind = ModelLoading if self.loading.is_set() else ModelUnavailable
        return kind(en="no model here", zh="没有模型")
