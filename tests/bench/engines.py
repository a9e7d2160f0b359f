"""Whoever writes an answer, behind one interface: ours, plain transformers, llama.cpp in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, Protocol

import torch
from transformers import AutoModelForCausalLM, GenerationConfig

from rag.config import GenerateSettings
from rag.models.chat import ChatTokenizer
from rag.models.decode import Until, Work, decode
from rag.models.decoder import Decoder
from rag.models.generator import END_STRINGS, Generator
from rag.models.kept import KeysValues
from rag.models.plain import config_of, generate
from rag.models.prefix import PrefixCache
from rag.models.roles import Models
from rag.models.turns import SPIN
from rag.models.weights import resolve


@dataclass(frozen=True, slots=True)
class Timed:
    """One answer: seconds to its first token and in all, how many tokens the model chose (an end token is none), and what it was.

    `reused`, `drafted`, `accepted`, `passes` are those of `rag.models.generator.Generated`.
    """

    first: float
    whole: float
    tokens: int
    text: str
    ids: tuple[int, ...] = ()
    reused: int = 0
    drafted: int = 0
    accepted: int = 0
    passes: int = 0

    @property
    def rate(self) -> float:
        """Tokens a second after the first; 0 when there is none."""
        return (self.tokens - 1) / max(self.whole - self.first, 1e-9) if self.tokens > 1 else 0.0


class Engine(Protocol):
    """What answers prompts."""

    def answer(self, ids: tuple[int, ...], settings: GenerateSettings) -> Timed: ...


class Plain:
    """transformers as it comes: a loaded model and its own ``generate``, greedy, nothing of ours between.

    `exact`: the same weights, in the same precision, read and written the own way.
    """

    def __init__(self, models: Models, dtype: Literal["float32", "bfloat16"]) -> None:
        weights = resolve("generator", models.settings.generator, models.settings.cache, lambda _: None, fetch=False)
        self.chat = ChatTokenizer(weights.folder)
        self.model: Any = AutoModelForCausalLM.from_pretrained(
            str(weights.folder), dtype=getattr(torch, dtype), local_files_only=True
        ).eval()
        ends = self.model.generation_config.eos_token_id
        listed = ends if isinstance(ends, list) else [ends]
        self.ends = sorted({*listed, *self.chat.ids_of(END_STRINGS)})
        # emptied: what the folder's file sets beside these would be taken for all that is left unset
        self.model.generation_config = GenerationConfig(eos_token_id=self.ends, pad_token_id=self.ends[0])
        self._own: tuple[Decoder, KeysValues] | None = None

    def answer(self, ids: tuple[int, ...], settings: GenerateSettings) -> Timed:
        told = _Told()
        with torch.inference_mode():
            generate(self.model, ids, settings, self.ends, told)
        return self._timed(told, Work())

    def exact(self, ids: tuple[int, ...], settings: GenerateSettings) -> Timed:
        """The own way, without packed weights: with drafts, and what the last prompt began with alike is not read again.

        The model's weights become slices of joint ones when this is first called.
        """
        if self._own is None:
            decoder = Decoder(self.model, False, lambda: None)
            self._own = (decoder, KeysValues(decoder.shape))
        told, work = _Told(), Work()
        with torch.inference_mode():
            decode(self._own[0], ids, self._own[1], Until(settings, self.ends), told, work)
        return self._timed(told, work)

    def logits(self, ids: tuple[int, ...], at: int, settings: GenerateSettings) -> Any:
        """Those that ``generate`` chooses token `at` of its answer from, ``(vocabulary,) float32``."""
        config = config_of(replace(settings, answer_tokens=at + 1), self.ends)
        config.update(return_dict_in_generate=True, output_logits=True)
        asked = torch.tensor([ids])
        with torch.inference_mode():
            out = self.model.generate(input_ids=asked, attention_mask=torch.ones_like(asked), generation_config=config)
        return out.logits[at][0].float()

    def _timed(self, told: _Told, work: Work) -> Timed:
        whole = time.perf_counter() - told.began
        ids = [token for token in told.ids if token not in self.ends]
        text = self.chat.decode(ids)
        done = (work.reused, work.drafted, work.accepted, work.passes)
        return Timed(told.first, whole, len(ids), text, tuple(told.ids), *done)


class _Told:
    """Takes tokens, and the time of the first."""

    def __init__(self) -> None:
        self.began = time.perf_counter()
        self.first = 0.0
        self.ids: list[int] = []

    def __call__(self, token: int) -> None:
        self.first = self.first or time.perf_counter() - self.began
        self.ids.append(token)


class Ours:
    """The shipped generator, as the page's line calls it. What it read of a prompt is there for the next one until `forget`."""

    def __init__(self, generator: Generator) -> None:
        self._generator, self._draft = generator, generator.draft
        self._prefix = PrefixCache()

    def forget(self) -> None:
        self._prefix.clear()

    def answer(self, ids: tuple[int, ...], settings: GenerateSettings, lookup: bool = True) -> Timed:
        """`lookup`: with drafts that are looked up, as shipped."""
        self._generator.draft = self._draft if lookup else 0
        try:
            *_, g = self._generator.stream(ids, settings, threading.Event(), self._prefix)
        finally:
            self._generator.draft = self._draft
        tokens = len(g.ids) - (g.finish == "end")
        done = (g.reused, g.drafted, g.accepted, g.passes)
        return Timed(g.seconds_to_first or g.seconds, g.seconds, tokens, g.text, g.ids, *done)


@dataclass(frozen=True, slots=True)
class Peer:
    """Where llama.cpp is: `python`, an interpreter that has xllamacpp, and the model as a GGUF; `batches` of which the best is taken."""

    python: str
    gguf: Path
    batches: tuple[int, ...] = (512, 1024, 2048)
    threads: int = 2


class Llama:
    """llama.cpp in a child process."""

    def __init__(self, peer: Peer, batch: int) -> None:
        context = GenerateSettings().context_limit
        script = str(Path(__file__).with_name("llama_peer.py"))
        command = [peer.python, script, str(peer.gguf), str(peer.threads), str(batch), str(context)]
        # it waits as it does by itself: not as `rag.models.turns` lets this process's threads wait
        env = {name: value for name, value in os.environ.items() if (name, value) != ("GOMP_SPINCOUNT", SPIN)}
        pipe, null = subprocess.PIPE, subprocess.DEVNULL
        self._child = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=null, text=True, env=env)
        self.batch = batch

    def answer(self, ids: tuple[int, ...], settings: GenerateSettings) -> Timed:
        assert self._child.stdin is not None and self._child.stdout is not None
        try:
            print(json.dumps({"ids": ids, "n": settings.answer_tokens}), file=self._child.stdin, flush=True)
            line = self._child.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise SystemExit("llama.cpp ended without an answer: has --llama xllamacpp, and is --gguf a GGUF?")
        return Timed(**json.loads(line))

    def close(self) -> None:
        assert self._child.stdin is not None
        self._child.stdin.close()
        self._child.wait(30)


def best_llama(peer: Peer, probe: tuple[int, ...]) -> Llama:
    """The one of the batch sizes that reads `probe` fastest; one at a time, for two would share the cores."""
    took: dict[int, float] = {}
    two = GenerateSettings(answer_tokens=2)
    for batch in peer.batches:
        llama = Llama(peer, batch)
        llama.answer(probe, two)  # warm
        took[batch] = min(llama.answer(probe, two).first for _ in range(2))
        llama.close()
    return Llama(peer, min(took, key=lambda batch: took[batch]))
