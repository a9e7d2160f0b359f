"""Prompt → tokens by transformers' own ``generate``: the reference, and the way for models that nothing else here reads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from transformers import GenerationConfig
from transformers.generation.streamers import BaseStreamer

from rag.config import GenerateSettings


class _Ids(BaseStreamer):  # type: ignore[misc]  # transformers is untyped here
    """Hands on new token ids; `generate` first pushes the prompt, which is skipped."""

    def __init__(self, tell: Callable[[int], None]) -> None:
        self._tell = tell
        self._prompt = True

    def put(self, value: torch.Tensor) -> None:
        """Called by ``generate`` with the prompt, then with each new token."""
        if self._prompt:
            self._prompt = False
            return
        for token in value.flatten().tolist():
            self._tell(int(token))

    def end(self) -> None:
        """Called by ``generate`` at the end, which whoever called that sees for himself."""


def generate(
    model: Any, prompt: Sequence[int], settings: GenerateSettings, ends: Sequence[int], tell: Callable[[int], None]
) -> None:
    """Tell every new token up to one of `ends`, which is told too, or `settings.answer_tokens` of them."""
    ids = torch.tensor([list(prompt)], device=model.device)
    model.generate(
        input_ids=ids,
        attention_mask=torch.ones_like(ids),
        generation_config=config_of(settings, ends),
        streamer=_Ids(tell),
    )


def config_of(settings: GenerateSettings, ends: Sequence[int]) -> GenerationConfig:
    """Greedy (temperature 0): no sampling, no beams, no penalty but the visitor's own."""
    sampling: dict[str, Any] = {}
    if settings.temperature > 0:
        sampling = {"temperature": settings.temperature, "top_p": settings.top_p, "top_k": 0}
    return GenerationConfig(
        max_new_tokens=settings.answer_tokens,
        do_sample=settings.temperature > 0,
        num_beams=1,
        repetition_penalty=settings.repetition_penalty,
        eos_token_id=list(ends),
        pad_token_id=ends[0],
        **sampling,
    )
