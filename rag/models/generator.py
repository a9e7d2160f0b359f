"""The generator: prompt ids → a stream of text, cancellable within a layer, one small piece of work at a time."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from transformers import AutoModelForCausalLM, GenerationConfig

from rag.config import GenerateSettings
from rag.errors import Bilingual, Stopped
from rag.models.chat import ChatTokenizer
from rag.models.decode import DRAFT, Until, Work, decode, read_prompt
from rag.models.decoder import Decoder, why_not
from rag.models.heap import give_back
from rag.models.kept import KeysValues, common
from rag.models.layers import product_dtype
from rag.models.packed import Head
from rag.models.pieces import pieces
from rag.models.plain import generate
from rag.models.prefix import PrefixCache
from rag.models.turns import Turns
from rag.models.weights import Weights
from rag.types import Finish

# How often `stream` yields even when no token came, so that the caller can notice Stop or a closed page.
HEARTBEAT_S = 0.2

# Ends of a turn that chat models of this family write, whatever the folder's generation_config.json lists.
END_STRINGS = ("<|im_end|>", "<|endoftext|>")

# Texts whose keys and values are kept for everybody.
SHARED = 4

PLAIN = Bilingual(en="written by plain transformers", zh="由 transformers 自带的生成写出")


@dataclass(frozen=True, slots=True)
class Generated:
    """What has been generated so far. `seconds` counts from the call; `seconds_to_first` is None before a token came.

    `reused` tokens of the prompt had been read before; of `drafted` tokens that were looked up `accepted` were what the model
    would have written; it was run `passes` times after the prompt. All 0 where the plain library generates.
    """

    ids: tuple[int, ...]
    text: str
    finish: Finish
    seconds_to_first: float | None
    seconds: float
    reused: int = 0
    drafted: int = 0
    accepted: int = 0
    passes: int = 0


def best_dtype() -> tuple[str, torch.dtype]:
    """Device and dtype by what the machine has: bf16 on CUDA, fp16 on cards without it, bf16 on a CPU that multiplies it, else fp32.

    bf16 first, since it has the range of the weights as they were trained; fp16 ends at 65,504.
    """
    if torch.cuda.is_available():
        return "cuda", torch.bfloat16 if torch.cuda.is_bf16_supported(including_emulation=False) else torch.float16
    return "cpu", product_dtype()


@dataclass(frozen=True, slots=True)
class _Job:
    """One answer, between the thread that writes it and the one that reads it: `out` takes the tokens, and None at the end."""

    ids: tuple[int, ...]
    settings: GenerateSettings
    stop: threading.Event
    prefix: PrefixCache | None
    out: queue.SimpleQueue[int | None] = field(default_factory=queue.SimpleQueue)
    failed: list[Exception] = field(default_factory=list)
    work: Work = field(default_factory=Work)


class Generator:
    """A causal language model and its chat tokenizer."""

    def __init__(
        self,
        weights: Weights,
        turns: Turns,
        fast: bool = True,
        eight: bool | None = None,
        dtype: torch.dtype | None = None,
        draft: int = DRAFT,
    ) -> None:
        """`fast`: decode by `rag.models.decode`, where the model is of a kind it reads; else, and without, by transformers' own ``generate``.

        `eight`: on a CPU single tokens are multiplied with weights in 8 bits; None: where the dtype is bfloat16, whose kernels are
        quick. (With 4 bits the default model miscopied numbers and names that it has right with 8.) `dtype`: None, the fastest that
        the device is good at. `draft`: tokens that are looked up ahead at most, 0: none.
        """
        self.name = weights.name
        self.chat = ChatTokenizer(weights.folder)
        self.device, best = best_dtype()
        dtype = dtype or best
        self.dtype = str(dtype).removeprefix("torch.")
        self._model: Any = AutoModelForCausalLM.from_pretrained(
            str(weights.folder), dtype=dtype, local_files_only=True
        ).to(self.device)
        self._model.eval()
        self._turns = turns
        self.draft = draft
        self._local = threading.local()
        self._shared: tuple[KeysValues, ...] = ()
        folder_config = self._model.generation_config
        ends = folder_config.eos_token_id
        ends = [] if ends is None else ends if isinstance(ends, list) else [ends]
        self._ends = sorted({*map(int, ends), *self.chat.ids_of(END_STRINGS)})
        # Emptied, since `generate` fills every option that is left unset from here: the hub's file of the default
        # model sets a repetition penalty of 1.1, which punishes exactly what an answer copies from its evidence.
        self._model.generation_config = GenerationConfig(eos_token_id=self._ends, pad_token_id=self._ends[0])
        for layer in self._model.get_decoder().layers:
            layer.register_forward_pre_hook(self._between_layers)
        self._decoder, way = self._fast(self._eight(eight, dtype)) if fast else (None, PLAIN)
        self.taken = _taken(folder_config, self.chat.tokens(self._ends), way)

    def _eight(self, asked: bool | None, dtype: torch.dtype) -> bool:
        return self.device == "cpu" and (dtype == torch.bfloat16 if asked is None else asked)

    def _fast(self, eight: bool) -> tuple[Decoder | None, Bilingual]:
        """What reads the model quickly, or None, and the words for it."""
        why = why_not(self._model)
        if why is not None:
            return None, why
        self._local.stop = threading.Event()
        with self._turns.turn(), torch.inference_mode():  # searches are answered meanwhile
            decoder = Decoder(self._model, eight, self._between_layers)
            if decoder.head_alone:
                self._model.lm_head = Head(decoder.head)
        width = "8-bit" if eight else self.dtype
        return decoder, Bilingual(
            en=f"prompts read in {self.dtype}, tokens written with {width} weights, drafts looked up in the prompt",
            zh=f"提示词以 {self.dtype} 读入，逐词生成用 {width} 权重，草稿取自提示词",
        )

    def _between_layers(self, *_: Any) -> None:
        """Before every layer: the place where Stop lands and where the turn is offered to others."""
        if self._local.stop.is_set():
            raise Stopped(en="The answer was stopped.", zh="回答已停止。")
        self._turns.hand_over()

    def stream(
        self,
        input_ids: Sequence[int],
        settings: GenerateSettings,
        stop: threading.Event,
        prefix: PrefixCache | None = None,
    ) -> Iterator[Generated]:
        """Generate after `input_ids`; yields on every token and at least every `HEARTBEAT_S` seconds.

        The text grows only by whole characters: bytes of a character that is not finished are held back.
        Setting `stop`, or closing the iterator, ends the work before the next layer. Errors of the model are raised here.
        `prefix`: keys and values of the last prompt, which are used as far as this one begins alike, and replaced by its own.
        """
        began = time.perf_counter()
        job = _Job(tuple(input_ids), settings, stop, prefix)
        threading.Thread(target=self._work, args=(job,), name="generate", daemon=True).start()
        ids: list[int] = []
        first: float | None = None

        def now(text: str, finish: Finish) -> Generated:
            w = job.work
            seconds = time.perf_counter() - began
            return Generated(tuple(ids), text, finish, first, seconds, w.reused, w.drafted, w.accepted, w.passes)

        text = ""
        try:
            while True:
                try:
                    token = job.out.get(timeout=HEARTBEAT_S)
                except queue.Empty:
                    if stop.is_set():  # the worker may still be waiting for its turn; it ends when it gets it
                        break
                    yield now(text, "running")
                    continue
                if token is None:
                    break
                first = time.perf_counter() - began if first is None else first
                ids.append(token)
                text = _whole_characters(self.chat.decode(ids))
                yield now(text, "running")
            if job.failed:
                raise job.failed[0]
            finish: Finish = "stopped" if stop.is_set() else "end" if ids and ids[-1] in self._ends else "length"
            text = self.chat.decode(ids)
            # after an end token every byte is there; a cut answer may end within a character
            yield now(text if finish == "end" else _whole_characters(text), finish)
        finally:
            stop.set()

    def _work(self, job: _Job) -> None:
        self._local.stop = job.stop
        try:
            with self._turns.turn(), torch.inference_mode():
                if self._decoder is None:
                    generate(self._model, job.ids, job.settings, self._ends, job.out.put)
                else:
                    self._decode(job, self._decoder)
        except Stopped:
            job.stop.set()  # the reader reports it as "stopped", with what was written so far
        except Exception as error:  # noqa: BLE001 - carried to the reader's thread and raised there
            job.failed.append(error)
        finally:
            job.out.put(None)
            give_back()  # what reading the prompt took; behind the last token, but the next answer may wait some milliseconds

    def _decode(self, job: _Job, decoder: Decoder) -> None:
        kept, age = (None, 0) if job.prefix is None else job.prefix.take()
        if kept is None or kept.shape != decoder.shape:
            kept = KeysValues(decoder.shape)
        shared = max(self._shared, key=lambda s: common(s.ids, job.ids), default=kept)
        if (n := common(shared.ids, job.ids)) > common(kept.ids, job.ids):
            kept.begin_with(shared, n)
        try:
            decode(decoder, job.ids, kept, Until(job.settings, self._ends, self.draft), job.out.put, job.work)
        finally:
            if job.prefix is not None:
                job.prefix.put(kept, age)

    def share(self, ids: Sequence[int], stop: threading.Event) -> None:
        """Read `ids` ahead, so that nobody's prompt that begins with them has to: for words that everybody may know, such as the
        built-in rules, never for a visitor's.

        Done while nobody else computes: an answer that is asked for meanwhile goes first. Of the last `SHARED` texts that were
        shared keys and values are kept. Raises `Stopped` once `stop` is set and its turn comes. Without an own decoder nothing is read.
        """
        decoder = self._decoder
        if decoder is None or any(list(ids) == kept.ids for kept in self._shared):
            return
        self._local.stop = stop
        kept = KeysValues(decoder.shape)
        with self._turns.turn(idle=True), torch.inference_mode():
            read_prompt(decoder, ids, kept, 0, Work())
        self._shared = (*self._shared, kept)[-SHARED:]

    def likelihoods(
        self, prompts: Sequence[Sequence[int]], continuation: Sequence[int], stop: threading.Event
    ) -> list[float]:
        """After each of `prompts`, the mean log-probability (≤ 0) of the tokens of `continuation`, of which there is at least one.

        Batch by batch, and between layers the turn is offered to others. Raises `Stopped` once `stop` is set.
        """
        self._local.stop = stop
        found = [0.0] * len(prompts)
        for piece in pieces([len(prompt) + len(continuation) for prompt in prompts]):
            with self._turns.turn(), torch.inference_mode():
                values = self._log_probabilities([[*prompts[i], *continuation] for i in piece], len(continuation))
            for i, value in zip(piece, values.mean(dim=1).tolist(), strict=True):
                found[i] = float(value)
        return found

    def _log_probabilities(self, rows: Sequence[Sequence[int]], n: int) -> torch.Tensor:
        """Log-probabilities of the last `n` tokens of each row, ``(len(rows), n) float32``."""
        width = max(map(len, rows))
        # padded on the left, so that the last tokens stand below each other
        ids = torch.tensor([[self._ends[0]] * (width - len(row)) + list(row) for row in rows], device=self.device)
        there = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in rows], device=self.device)
        places = (there.cumsum(dim=1) - 1).clamp(min=0)
        logits = self._model(
            input_ids=ids, attention_mask=there, position_ids=places, use_cache=False, logits_to_keep=n + 1
        ).logits[:, -n - 1 : -1]
        likely = torch.log_softmax(logits.float(), dim=-1)
        return likely.gather(2, ids[:, -n:].unsqueeze(2)).squeeze(2)


def _whole_characters(text: str) -> str:
    """Text without a trailing U+FFFD, which stands for the first bytes of a character still to come.

    >>> _whole_characters("聪�")
    '聪'
    """
    return text.rstrip("\ufffd")


def _taken(folder: GenerationConfig, ends: Sequence[str], way: Bilingual) -> Bilingual:
    """What was taken from the folder's generation_config.json (end tokens), what is overridden by our settings, and the way it generates."""
    plain = {"do_sample": False, "temperature": 1.0, "top_p": 1.0, "top_k": 50, "repetition_penalty": 1.0}
    theirs = ", ".join(
        f"{name}={value}"
        for name, usual in plain.items()
        if (value := getattr(folder, name, None)) is not None and value != usual
    )
    shown = " ".join(ends)
    return Bilingual(
        en=f"end tokens: {shown}"
        + (f"; the folder's {theirs} overridden by the settings" if theirs else "")
        + f"; {way.en}",
        zh=f"结束标记：{shown}" + (f"；模型目录自带的 {theirs} 由本页设置覆盖" if theirs else "") + f"；{way.zh}",
    )
