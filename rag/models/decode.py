"""Prompt → tokens, one after the other: what is known is not read again, what can be guessed is read ahead.

Greedy tokens are those of transformers' ``generate``: a draft is kept only as far as it is what the model would have
written itself. With a temperature every token is drawn, in the library's own way, and nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import torch
from transformers import (
    LogitsProcessorList,
    RepetitionPenaltyLogitsProcessor,
    TemperatureLogitsWarper,
    TopPLogitsWarper,
)

from rag.config import GenerateSettings
from rag.models.decoder import Decoder
from rag.models.kept import KeysValues, common
from rag.models.lookup import Lookup

PIECE: Final = 512
"""Tokens of a prompt that are read in one pass."""

DRAFT: Final = 3
"""Tokens that are guessed at once: up to four rows cost hardly more than one."""


@dataclass(slots=True)
class Work:
    """What one answer took: `reused` tokens of the prompt were there already; of `drafted` guesses `accepted` were right; `passes` through the model after the prompt."""

    reused: int = 0
    drafted: int = 0
    accepted: int = 0
    passes: int = 0


class Chooser:
    """The next token by the settings: the greatest logit, or one that is drawn."""

    def __init__(self, settings: GenerateSettings, device: str) -> None:
        self.greedy = settings.temperature == 0
        self._device = device
        processors = LogitsProcessorList()
        if settings.repetition_penalty != 1:
            processors.append(RepetitionPenaltyLogitsProcessor(settings.repetition_penalty))
        if not self.greedy:
            processors.append(TemperatureLogitsWarper(settings.temperature))
            if settings.top_p < 1:
                processors.append(TopPLogitsWarper(settings.top_p))
        self._processors = processors

    def __call__(self, logits: Any, before: Sequence[int]) -> int:
        """`logits`: ``(vocabulary,) float32`` after the tokens `before`."""
        scores = logits.unsqueeze(0)
        if len(self._processors):
            scores = self._processors(torch.tensor([list(before)], device=self._device), scores)
        if self.greedy:
            return int(scores.argmax())
        return int(torch.multinomial(torch.softmax(scores, dim=-1), 1))


@dataclass(frozen=True, slots=True)
class Until:
    """How an answer is written: the visitor's settings, the tokens `ends` of which any ends it, and how many are looked up ahead at most."""

    settings: GenerateSettings
    ends: Sequence[int]
    draft: int = DRAFT


def decode(
    decoder: Decoder,
    prompt: Sequence[int],
    kept: KeysValues,
    until: Until,
    tell: Callable[[int], None],
    work: Work,
) -> None:
    """Tell every new token up to an end, which is told too, or `answer_tokens` of them.

    `kept` may hold the keys and values of any prompt; what it has in common with this one is not read again, and at the end,
    also when `tell` or the decoder raised, it holds those of this prompt, as far as it was read.
    """
    try:
        logits = read_prompt(decoder, prompt, kept, until.settings.answer_tokens + until.draft, work)
        _continue(decoder, kept, until, logits, tell, work)
    finally:
        kept.crop(common(kept.ids, prompt))


def read_prompt(decoder: Decoder, prompt: Sequence[int], kept: KeysValues, more: int, work: Work) -> Any:
    """Read of `prompt` what `kept` does not hold, piece by piece, with room for `more`; the logits after it, ``(vocabulary,) float32``."""
    # the last token is read again even when it is there: its logits were not kept
    work.reused = min(common(kept.ids, prompt), len(prompt) - 1)
    kept.crop(work.reused)
    kept.make_room(len(prompt) + more)
    pieces = [prompt[at : at + PIECE] for at in range(work.reused, len(prompt), PIECE)]
    for piece in pieces[:-1]:
        decoder.read(piece, kept, 0, few=False)
    return decoder.read(pieces[-1], kept, 1, few=False)[0]


def _continue(
    decoder: Decoder, kept: KeysValues, until: Until, logits: Any, tell: Callable[[int], None], work: Work
) -> None:
    choose = Chooser(until.settings, decoder.shape.device)
    most, ends = until.settings.answer_tokens, frozenset(until.ends)
    lookup = Lookup(kept.ids)
    told = 0
    token = choose(logits, lookup.ids)
    while True:
        tell(token)
        told += 1
        lookup.add(token)
        if token in ends or told == most:
            return
        # of what is guessed one token less than may still come: the model gives one of its own behind it
        draft = lookup.draft(min(until.draft, most - told - 1)) if choose.greedy else []
        rows = decoder.read([token, *draft], kept, len(draft) + 1, few=True)
        work.passes += 1
        work.drafted += len(draft)
        for guess, row in zip([*draft, None], rows, strict=True):
            token = choose(row, lookup.ids)
            if token != guess:
                break
            tell(token)
            told += 1
            work.accepted += 1
            lookup.add(token)
            if token in ends:
                return
        # what was read of a wrong guess is forgotten; the token told last is not read yet
        kept.crop(len(lookup.ids))
