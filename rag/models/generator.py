"""The generator: prompt ids → a stream of text, cancellable within a layer, one small piece of work at a time."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch
from transformers import AutoModelForCausalLM, GenerationConfig
from transformers.generation.streamers import BaseStreamer

from rag.config import GenerateSettings
from rag.errors import Bilingual, Stopped
from rag.models.chat import ChatTokenizer
from rag.models.pieces import pieces
from rag.models.turns import Turns
from rag.models.weights import Weights

# How often `stream` yields even when no token came, so that the caller can notice Stop or a closed page.
HEARTBEAT_S = 0.2

# Ends of a turn that chat models of this family write, whatever the folder's generation_config.json lists.
END_STRINGS = ("<|im_end|>", "<|endoftext|>")

Finish = Literal["running", "end", "length", "stopped"]


@dataclass(frozen=True, slots=True)
class Generated:
    """What has been generated so far. `seconds` counts from the call; `seconds_to_first` is None before a token came."""

    ids: tuple[int, ...]
    text: str
    finish: Finish
    seconds_to_first: float | None
    seconds: float


def best_dtype() -> tuple[str, torch.dtype]:
    """Device and dtype by what the machine has: fp16 on CUDA, bf16 on a CPU that multiplies it, else fp32."""
    if torch.cuda.is_available():
        return "cuda", torch.float16
    if torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported():
        return "cpu", torch.bfloat16
    return "cpu", torch.float32


class _Ids(BaseStreamer):  # type: ignore[misc]  # transformers is untyped here
    """Hands new token ids to the reader; `generate` first pushes the prompt, which is skipped."""

    def __init__(self) -> None:
        self.queue: queue.SimpleQueue[int | None] = queue.SimpleQueue()
        self._prompt = True

    def put(self, value: torch.Tensor) -> None:
        """Called by ``generate`` with the prompt, then with each new token."""
        if self._prompt:
            self._prompt = False
            return
        for token in value.flatten().tolist():
            self.queue.put(int(token))

    def end(self) -> None:
        """Called by ``generate`` at the end; the worker's own None is what ends the reader."""


class Generator:
    """A causal language model and its chat tokenizer."""

    def __init__(self, weights: Weights, turns: Turns) -> None:
        self.name = weights.name
        self.chat = ChatTokenizer(weights.folder)
        self.device, dtype = best_dtype()
        self.dtype = str(dtype).removeprefix("torch.")
        self._model: Any = AutoModelForCausalLM.from_pretrained(
            str(weights.folder), dtype=dtype, local_files_only=True
        ).to(self.device)
        self._model.eval()
        self._turns = turns
        self._local = threading.local()
        folder_config = self._model.generation_config
        ends = folder_config.eos_token_id
        ends = [] if ends is None else ends if isinstance(ends, list) else [ends]
        self._ends = sorted({*map(int, ends), *self.chat.ids_of(END_STRINGS)})
        # Emptied, since `generate` fills every option that is left unset from here: the hub's file of the default
        # model sets a repetition penalty of 1.1, which punishes exactly what an answer copies from its evidence.
        self._model.generation_config = GenerationConfig(eos_token_id=self._ends, pad_token_id=self._ends[0])
        self.taken = _taken(folder_config, self.chat.tokens(self._ends))
        for layer in self._model.get_decoder().layers:
            layer.register_forward_pre_hook(self._between_layers)

    def _between_layers(self, module: Any, args: Any) -> None:
        """Before every layer: the place where Stop lands and where the turn is offered to others."""
        if self._local.stop.is_set():
            raise Stopped(en="The answer was stopped.", zh="回答已停止。")
        self._turns.hand_over()

    def stream(
        self, input_ids: Sequence[int], settings: GenerateSettings, stop: threading.Event
    ) -> Iterator[Generated]:
        """Generate after `input_ids`; yields on every token and at least every `HEARTBEAT_S` seconds.

        The text grows only by whole characters: bytes of a character that is not finished are held back.
        Setting `stop`, or closing the iterator, ends the work before the next layer. Errors of the model are raised here.
        """
        began = time.perf_counter()
        streamer = _Ids()
        failed: list[Exception] = []
        threading.Thread(
            target=self._work, args=(input_ids, settings, stop, streamer, failed), name="generate", daemon=True
        ).start()
        ids: list[int] = []
        text, first = "", None
        try:
            while True:
                try:
                    token = streamer.queue.get(timeout=HEARTBEAT_S)
                except queue.Empty:
                    if stop.is_set():  # the worker may still be waiting for its turn; it ends when it gets it
                        break
                    yield Generated(tuple(ids), text, "running", first, time.perf_counter() - began)
                    continue
                if token is None:
                    break
                first = time.perf_counter() - began if first is None else first
                ids.append(token)
                text = _whole_characters(self.chat.decode(ids))
                yield Generated(tuple(ids), text, "running", first, time.perf_counter() - began)
            if failed:
                raise failed[0]
            finish: Finish = "stopped" if stop.is_set() else "end" if ids and ids[-1] in self._ends else "length"
            text = self.chat.decode(ids)
            # after an end token every byte is there; a cut answer may end within a character
            yield Generated(
                tuple(ids),
                text if finish == "end" else _whole_characters(text),
                finish,
                first,
                time.perf_counter() - began,
            )
        finally:
            stop.set()

    def _work(
        self,
        input_ids: Sequence[int],
        settings: GenerateSettings,
        stop: threading.Event,
        streamer: _Ids,
        failed: list[Exception],
    ) -> None:
        self._local.stop = stop
        ids = torch.tensor([list(input_ids)], device=self.device)
        try:
            with self._turns.turn(), torch.inference_mode():
                self._model.generate(
                    input_ids=ids,
                    attention_mask=torch.ones_like(ids),
                    generation_config=self._config(settings),
                    streamer=streamer,
                )
        except Stopped:
            stop.set()  # the reader reports it as "stopped", with what was written so far
        except Exception as error:  # noqa: BLE001 - carried to the reader's thread and raised there
            failed.append(error)
        finally:
            streamer.queue.put(None)

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

    def _config(self, settings: GenerateSettings) -> GenerationConfig:
        """Greedy (temperature 0): no sampling, no beams, no penalty but the visitor's own."""
        sampling: dict[str, Any] = {}
        if settings.temperature > 0:
            sampling = {"temperature": settings.temperature, "top_p": settings.top_p, "top_k": 0}
        return GenerationConfig(
            max_new_tokens=settings.answer_tokens,
            do_sample=settings.temperature > 0,
            num_beams=1,
            repetition_penalty=settings.repetition_penalty,
            eos_token_id=self._ends,
            pad_token_id=self._ends[0],
            **sampling,
        )


def _whole_characters(text: str) -> str:
    """Text without a trailing U+FFFD, which stands for the first bytes of a character still to come.

    >>> _whole_characters("聪�")
    '聪'
    """
    return text.rstrip("\ufffd")


def _taken(folder: GenerationConfig, ends: Sequence[str]) -> Bilingual:
    """What was taken from the folder's generation_config.json (end tokens) and what is overridden by our settings."""
    plain = {"do_sample": False, "temperature": 1.0, "top_p": 1.0, "top_k": 50, "repetition_penalty": 1.0}
    theirs = ", ".join(
        f"{name}={value}"
        for name, usual in plain.items()
        if (value := getattr(folder, name, None)) is not None and value != usual
    )
    shown = " ".join(ends)
    return Bilingual(
        en=f"end tokens: {shown}" + (f"; the folder's {theirs} overridden by the settings" if theirs else ""),
        zh=f"结束标记：{shown}" + (f"；模型目录自带的 {theirs} 由本页设置覆盖" if theirs else ""),
    )
