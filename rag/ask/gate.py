"""Whether the packed evidence can answer the question: signals, a logistic mix of them, and a refusal below a threshold.

The similarity of a sentence is late interaction (MaxSim; Khattab and Zaharia, ColBERT, 2020): for every token of the question
the most similar token of the sentence, by the encoder's token states, and the mean of these cosines.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from rag.ask.prompt import NOT_FOUND, language_of
from rag.ask.sentences import source_sentences
from rag.ask.wanted import Wanted, answers, names, wanted
from rag.config import Settings
from rag.errors import Bilingual, ChunkTooLong, ModelUnavailable, SettingError
from rag.models.tokens import TokenStates
from rag.types import Answer, Document, Evidence, Gate, Prompt, Sentence, Signal, SignalName, Step, Trace

UNMET: Final = 0.08
"""Taken off a sentence's similarity when it holds nothing of the kind that is asked for, and once more when a number of the question is neither in it nor around it."""
HARDEST: Final = 4
"""`least` looks at the quarter of the question's tokens that is found worst."""
LONGEST: Final = 300
"""A sentence is cut off here; the encoder reads at most some 500 tokens."""

# name: (coefficient, mean and scale of the signal) of a logistic regression; tests/bench/refusal.py fits and prints them.
INTERCEPT: Final = 0.0
MIX: Final[Mapping[SignalName, tuple[float, float, float]]] = {
    "closest": (1.0, 0.88, 0.03),
    "least": (0.5, 0.82, 0.04),
}


class TokenReader(Protocol):
    """What the gate needs of an encoder."""

    def token_states(self, text: str, *, question: bool) -> TokenStates:
        """The tokens of a question or of a passage with their states."""


class Models(Protocol):
    """Where the encoder comes from."""

    def encoder(self) -> TokenReader:
        """The encoder; raises `ModelUnavailable`."""


@dataclass(frozen=True, slots=True)
class Window:
    """A sentence of the evidence ``document.text[span[0]:span[1]]``, with what stands around it: headings and the sentence before."""

    marker: str
    chunk_id: str
    span: tuple[int, int]
    text: str
    around: str


def windows(packed: Sequence[Evidence], documents: Mapping[str, Document]) -> Iterator[Window]:
    """Every sentence of the packed spans, in the order of the prompt."""
    for evidence in packed:
        document, chunk = documents[evidence.chunk.key], evidence.chunk
        before = ""
        for low, high in evidence.spans:
            for start, end in source_sentences(document.text, low, high):
                text = document.text[start : min(end, start + LONGEST)]
                around = "\n".join((evidence.heading, chunk.context, before, text))
                yield Window(evidence.marker, chunk.chunk_id, (start, end), text, around)
                before = text


def gate(
    question: str,
    packed: Sequence[Evidence],
    documents: Mapping[str, Document],
    reader: TokenReader,
    below: float,
) -> Gate | None:
    """Weigh the evidence; None when there is no sentence to weigh or the encoder cannot say where its tokens stand.

    `below`: the probability (0…1) under which it is not enough.
    """
    sentences = list(windows(packed, documents))
    try:
        found = _similarities(question, [w.text for w in sentences], reader)
    except (ChunkTooLong, SettingError):
        return None
    if found is None:
        return None
    asked = wanted(question)
    scores = found.mean(axis=1) - UNMET * np.array([_unmet(asked, w) for w in sentences])
    best = int(scores.argmax())
    values: dict[SignalName, float] = {"closest": float(scores[best]), "least": least(found)}
    p, signals = mixed(values)
    nearest = sentences[best]
    return Gate(p >= below, p, below, signals, nearest.marker, nearest.chunk_id, nearest.span)


def weigh(
    question: str, prompt: Prompt, documents: Mapping[str, Document], settings: Settings, models: Models
) -> tuple[Gate | None, tuple[Step, ...]]:
    """The gate as `settings` ask for it, and the trace's row on it; nothing when it is off or no evidence was wanted."""
    if not settings.generate.refuse or not prompt.packed:
        return None, ()
    began, found = time.perf_counter(), None
    try:
        found = gate(question, prompt.packed, documents, models.encoder(), settings.generate.refuse_below)
        why = _UNREAD
    except ModelUnavailable as error:
        why = error.text
    return found, (_step(time.perf_counter() - began, found, len(prompt.packed), why),)


def refusal(question: str, prompt: Prompt, weighed: Gate, trace: Trace) -> Answer:
    """The not-found sentence in the question's language, in place of an answer; nothing was generated."""
    text = NOT_FOUND[language_of(question)]
    sentences = (Sentence(0, len(text), "refusal"),)
    return Answer(text, (), sentences, prompt, trace, True, "end", 0, None, 0.0, weighed)


def mixed(values: Mapping[SignalName, float]) -> tuple[float, tuple[Signal, ...]]:
    """The probability that the evidence answers, and what each signal gives to its log-odds.

    >>> p, signals = mixed({"closest": 0.91, "least": 0.82})
    >>> round(p, 3) == round(1 / (1 + math.exp(-INTERCEPT - sum(s.gives for s in signals))), 3)
    True
    """
    signals = tuple(
        Signal(name, values[name], coefficient * (values[name] - mean) / scale)
        for name, (coefficient, mean, scale) in MIX.items()
    )
    odds = INTERCEPT + sum(signal.gives for signal in signals)
    return 1 / (1 + math.exp(-odds)), signals


def least(similar: NDArray[np.float32]) -> float:
    """Of the question's tokens, each at its best in any sentence, the mean of the worst quarter (at least one).

    >>> round(least(np.array([[0.9, 0.5, 0.8], [0.7, 0.6, 0.9]], dtype=np.float32)), 2)
    0.6
    """
    best = np.sort(similar.max(axis=0))
    return float(best[: max(1, len(best) // HARDEST)].mean())


_UNREAD: Final = Bilingual(
    en="no sentence to weigh, or the encoder does not say where its tokens stand",
    zh="没有可判断的句子，或编码器无法给出 token 的位置",
)


def _step(seconds: float, found: Gate | None, n_in: int, why: Bilingual) -> Step:
    if found is None:
        note = Bilingual(en=f"the evidence was not weighed: {why.en}", zh=f"未判断证据是否足够：{why.zh}")
        return Step("gate", seconds, n_in, 0, note, skipped=True)
    said = ", ".join(f"{s.name} {s.value:.3f} ({s.gives:+.2f})" for s in found.signals)
    en, zh = ("enough", "足够") if found.enough else ("refused", "拒答")
    note = Bilingual(
        en=f"the evidence answers with probability {found.p:.2f}, {en} at a threshold of {found.below:.2f}: {said}",
        zh=f"证据足以回答的概率为 {found.p:.2f}，阈值 {found.below:.2f}，{zh}：{said}",
    )
    return Step("gate", seconds, n_in, int(found.enough), note)


def _unmet(asked: Wanted, window: Window) -> int:
    return (not answers(asked, window.text)) + (not names(asked, window.around))


def _similarities(question: str, sentences: Sequence[str], reader: TokenReader) -> NDArray[np.float32] | None:
    """Cosines, ``(sentences, tokens of the question) float32``: of each token its most similar in each sentence."""
    asked = reader.token_states(question, question=True).states
    read = [reader.token_states(sentence, question=False).states for sentence in sentences]
    if not len(asked) or not any(map(len, read)):
        return None
    rows = [(asked @ states.T).max(axis=1) if len(states) else np.zeros(len(asked), np.float32) for states in read]
    return np.stack(rows)
