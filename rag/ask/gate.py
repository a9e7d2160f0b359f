"""Whether the packed evidence can answer the question: signals, a logistic mix of them, and a refusal below a threshold.

Asked twice: before anything is written, of the evidence alone, and once more of the answer that was written from it. The similarity
of a sentence is late interaction (MaxSim; Khattab and Zaharia, ColBERT, 2020): for every token of the question the most
similar token of the sentence, by the encoder's token states, and the mean of these cosines. What stands around a sentence belongs to it:
a token that its headings or the sentence before hold better counts as they hold it (a policy's name is often in its title only). Tokens of
words by which one asks (多少, 请问, 吗) are left out: no sentence that answers holds them.
"""

from __future__ import annotations

import math
import re
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from rag.ask.cite import without_markers
from rag.ask.rules import NOT_FOUND, language_of
from rag.ask.sentences import source_sentences
from rag.ask.wanted import answers, content, names, wanted
from rag.config import DEFAULT_ENCODER, Settings
from rag.corpus.folding import plain
from rag.errors import Bilingual, ChunkTooLong, ModelUnavailable, SettingError
from rag.models.tokens import TokenStates
from rag.types import Answer, Document, Evidence, Gate, Near, Retrieval, Sentence, Signal, SignalName, Step, Trace

UNMET: Final = 0.08
"""Taken off a sentence's similarity when it holds nothing of the kind that is asked for, and once more when a number of the question is neither in it nor around it."""
HARDEST: Final = 4
"""`least` looks at the quarter of the question's tokens that the closest sentence holds worst."""
NEAREST: Final = 3
FAR: Final = 0.02
"""A sentence whose similarity is less than the closest's by no more is about as close."""
LONGEST: Final = 300
"""A sentence is cut off here, a question is read from here to its end: the encoder reads at most some 500 tokens, and nothing is to go unweighed for its length."""


@dataclass(frozen=True, slots=True)
class Mix:
    """A logistic regression: each signal less its `mean`, over its `scale`, times its coefficient; and the intercept."""

    intercept: float
    signals: Mapping[SignalName, tuple[float, float, float]]


# name: (coefficient, mean, scale), as tests/bench/refusal.py fits and prints them on the sample questions and `DEFAULT_ENCODER`. Under 0.35
# they refuse, before or after, 7 of 65 right answers, and 32 of 43 and 49 of 72 questions without an answer (the latter near one that has).
BEFORE: Final = Mix(-0.174, {"closest": (0.995, 0.8599, 0.0489), "least": (0.523, 0.8103, 0.0492)})
AFTER: Final = Mix(
    0.165, {"closest": (1.595, 0.8642, 0.0480), "held": (0.574, 0.4451, 0.3644), "carried": (0.691, 0.4290, 0.4870)}
)

_ZH: Final[Mapping[SignalName, str]] = {
    "closest": "最相近的句子",
    "least": "最难找到的词语",
    "held": "回答自身的词句",
    "carried": "有来源支持的句子",
}
_NO_WORD: Final = re.compile(r"[\W_]+")
_UNREAD: Final = Bilingual(
    en="no sentence to weigh, or the encoder does not say where its tokens stand",
    zh="没有可判断的句子，或编码器无法给出 token 的位置",
)
_ANYWAY: Final = Bilingual(en="the visitor asked for an answer whatever it says", zh="用户要求无论判断如何都作答")


class TokenReader(Protocol):
    """What the gate needs of an encoder."""

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """What decides its vectors, by name."""

    def token_states(
        self, texts: Sequence[str], *, question: bool, stop: threading.Event | None = None
    ) -> tuple[TokenStates, ...]:
        """Of each question, or passage, the tokens with their states; raises `Stopped` once `stop` is set."""


class Models(Protocol):
    """Where the encoder comes from."""

    def encoder(self) -> TokenReader:
        """The encoder; raises `ModelUnavailable`."""


@dataclass(frozen=True, slots=True)
class Window:
    """A sentence of the evidence, cut off at `LONGEST`, and what belongs to it: its headings and the sentence `before`, from which `near` reaches."""

    near: Near
    text: str
    heading: str
    before: str

    @property
    def around(self) -> str:
        """All of it."""
        return "\n".join((self.heading, self.before, self.text))


def windows(packed: Sequence[Evidence], documents: Mapping[str, Document]) -> Iterator[Window]:
    """Every sentence of the packed spans, in the order of the prompt."""
    for evidence in packed:
        document, chunk = documents[evidence.chunk.key], evidence.chunk
        heading = "\n".join(dict.fromkeys(part for part in (evidence.heading, chunk.context) if part))
        for low, high in evidence.spans:
            begin, before = low, ""
            for start, end in source_sentences(document.text, low, high):
                text = document.text[start : min(end, start + LONGEST)]
                near = Near(evidence.marker, chunk.chunk_id, (begin, end), (start, end))
                yield Window(near, text, heading[:LONGEST], before)
                begin, before = start, text


def weigh(
    found: Retrieval,
    documents: Mapping[str, Document],
    settings: Settings,
    models: Models,
    stop: threading.Event | None = None,
    anyway: bool = False,
) -> tuple[Gate | None, tuple[Step, ...]]:
    """The evidence as `settings` ask for it to be weighed, and the trace's row on it; nothing when that is off or no evidence was wanted.

    Not weighed, which the row says, where the answer is wanted `anyway`. Raises `Stopped` once `stop` is set.
    """
    if not settings.generate.refuse or found.prompt is None or not found.prompt.packed:
        return None, ()
    began, weighed = time.perf_counter(), None
    why = unable(models) or (_ANYWAY if anyway else None)
    if why is None:
        weighed, why = gate(found, documents, models.encoder(), settings.generate.refuse_below, stop), _UNREAD
    return weighed, (_step(time.perf_counter() - began, weighed, len(found.prompt.packed), why),)


def unable(models: Models) -> Bilingual | None:
    """Why nothing can be weighed, whatever is found; None when it can."""
    try:
        model = dict(models.encoder().facts).get("model", "?")
    except ModelUnavailable as error:
        return error.text
    if model.startswith(DEFAULT_ENCODER):
        return None
    return Bilingual(
        en=f"its numbers are those of another encoder than {model}", zh=f"判断所用的系数不适用于编码器 {model}"
    )


def gate(
    found: Retrieval,
    documents: Mapping[str, Document],
    reader: TokenReader,
    below: float,
    stop: threading.Event | None = None,
) -> Gate | None:
    """Weigh the evidence; None when there is no sentence to weigh or the encoder cannot say where its tokens stand.

    `below`: the probability (0…1) under which it is not enough. Raises `Stopped` once `stop` is set.
    """
    sentences = list(windows(found.prompt.packed if found.prompt else (), documents))
    earlier = found.query.earlier if found.query is not None else ()
    try:
        similar = _similarities("\n".join((*earlier, found.question))[-LONGEST:], sentences, reader, stop)
    except (ChunkTooLong, SettingError):
        return None
    if similar is None:
        return None
    asked = wanted(found.question)
    unmet = [(not answers(asked, w.text)) + (not names(asked, w.around)) for w in sentences]
    scores = similar.mean(axis=1) - UNMET * np.array(unmet)
    order = np.argsort(-scores, kind="stable")
    values: dict[SignalName, float] = {"closest": float(scores[order[0]]), "least": least(similar[order[0]])}
    p, signals = mixed(values, BEFORE)
    close = tuple(sentences[i].near for i in order if scores[i] >= scores[order[0]] - FAR)
    return Gate(p >= below, p, below, signals, tuple(sentences[i].near for i in order[:NEAREST]), close=close)


def document_of(near: Near, documents: Mapping[str, Document]) -> Document:
    """The document that a sentence stands in: a chunk's id begins with its key."""
    return documents[near.chunk_id.rsplit(":", 1)[0]]


def checked(
    weighed: Gate, text: str, sentences: Sequence[Sentence], question: str, documents: Mapping[str, Document]
) -> tuple[Gate, tuple[Step, ...]]:
    """The evidence weighed once more with the answer `text` that was written from it, its `sentences` checked; and the trace's row."""
    began = time.perf_counter()
    said = [document_of(near, documents).text[slice(*near.span)] for near in weighed.nearest]
    values: dict[SignalName, float] = {s.name: s.value for s in weighed.signals}
    values |= {"held": held(text, question, said), "carried": carried(sentences)}
    p, signals = mixed(values, AFTER)
    again = replace(weighed, enough=p >= weighed.below, p=p, signals=signals, written=True)
    return again, (_step(time.perf_counter() - began, again, len(said), _UNREAD),)


def refusal(answer: Answer, question: str, weighed: Gate, trace: Trace) -> Answer:
    """The not-found sentence in the question's language in place of `answer`, without citations."""
    text = NOT_FOUND[language_of(question)]
    sentences = (Sentence(0, len(text), "refusal"),)
    return replace(answer, text=text, citations=(), sentences=sentences, trace=trace, done=True, gate=weighed)


def mixed(values: Mapping[SignalName, float], mix: Mix) -> tuple[float, tuple[Signal, ...]]:
    """The probability that the evidence answers, and what each signal gives to its log-odds.

    >>> p, signals = mixed({"closest": 0.91, "least": 0.82}, BEFORE)
    >>> round(p, 3) == round(1 / (1 + math.exp(-BEFORE.intercept - sum(s.gives for s in signals))), 3)
    True
    """
    signals = tuple(
        Signal(name, values[name], coefficient * (values[name] - mean) / scale)
        for name, (coefficient, mean, scale) in mix.signals.items()
    )
    odds = mix.intercept + sum(signal.gives for signal in signals)
    return 1 / (1 + math.exp(-odds)), signals


def least(row: NDArray[np.float32]) -> float:
    """Of a sentence's cosines, one for each token of the question, the mean of the lowest quarter (at least one).

    >>> round(least(np.array([0.9, 0.5, 0.8, 0.7, 0.6, 0.9, 0.9, 0.9], dtype=np.float32)), 2)
    0.55
    """
    return float(np.sort(row)[: max(1, len(row) // HARDEST)].mean())


def held(text: str, question: str, sentences: Sequence[str]) -> float:
    """The share (0…1) of an answer's own pairs of characters, those that the question does not hold, in that one of `sentences` which holds most.

    0 for an answer that says nothing of its own.

    >>> held("每年5天[S1]。", "病假几天？", ["病假每年5天。", "婚假13天。"]), held("病假", "病假几天？", ["病假每年5天。"])
    (1.0, 0.0)
    """
    own = own_pairs(text, question)
    if not own:
        return 0.0
    return max((sum(pair in there for pair in own) / len(own) for there in map(_plain, sentences)), default=0.0)


def own_pairs(text: str, question: str) -> frozenset[str]:
    """The pairs of characters of an answer that the question does not hold; of one character that character.

    >>> sorted(own_pairs("每年5天[S1]。", "每年几天？")), sorted(own_pairs("病假", "病假几天？"))
    (['5天', '年5'], [])
    """
    asked, said = _plain(question), _plain(without_markers(text))
    pairs = {said[i : i + 2] for i in range(max(1, len(said) - 1))} - {""}
    return frozenset(pair for pair in pairs if pair not in asked)


def carried(sentences: Sequence[Sentence]) -> float:
    """Of an answer's sentences that claim something the share (0…1) that a packed source carries; 0 where none claims anything.

    >>> carried([Sentence(0, 5, "cited"), Sentence(5, 9, "none"), Sentence(9, 12, "no_claim")])
    0.5
    """
    claims = [s.support in ("cited", "other") for s in sentences if s.support in ("cited", "other", "none")]
    return sum(claims) / len(claims) if claims else 0.0


def _plain(text: str) -> str:
    return _NO_WORD.sub("", plain(text))


def _step(seconds: float, found: Gate | None, n_in: int, why: Bilingual) -> Step:
    if found is None:
        note = Bilingual(en=f"the evidence was not weighed: {why.en}", zh=f"未判断证据是否足够：{why.zh}")
        return Step("gate", seconds, n_in, 0, note, skipped=True)
    said = ", ".join(f"{s.name} {s.value:.3f} ({s.gives:+.2f})" for s in found.signals)
    said_zh = "，".join(f"{_ZH[s.name]} {s.value:.3f}（{s.gives:+.2f}）" for s in found.signals)
    en, zh = ("enough", "足够") if found.enough else ("refused", "拒答")
    of = ("the answer is carried", "回答有据") if found.written else ("the evidence answers", "证据足以回答")
    note = Bilingual(
        en=f"{of[0]} with probability {found.p:.2f}, {en} at a threshold of {found.below:.2f}: {said}",
        zh=f"{of[1]}的概率为 {found.p:.2f}，阈值 {found.below:.2f}，{zh}：{said_zh}",
    )
    return Step("gate", seconds, n_in, int(found.enough), note)


def _similarities(
    question: str, sentences: Sequence[Window], reader: TokenReader, stop: threading.Event | None
) -> NDArray[np.float32] | None:
    """Cosines, ``(sentences, tokens of the question that say something) float32``: of each token its most similar in or around each sentence."""
    (tokens,), told = reader.token_states([question], question=True, stop=stop), content(question)
    kept = [i for i, span in enumerate(tokens.spans) if any(told[span[0] : span[1]])]
    asked = tokens.states[kept] if kept else tokens.states
    texts = list(dict.fromkeys(t for w in sentences for t in (w.text, w.heading, w.before)))
    states = {read.text: read.states for read in reader.token_states(texts, question=False, stop=stop)}
    if not len(asked) or not any(len(states[w.text]) for w in sentences):
        return None
    nothing = np.zeros(len(asked), np.float32)
    of = {text: (asked @ s.T).max(axis=1) if len(s) else nothing for text, s in states.items()}
    return np.stack([np.maximum.reduce([of[w.text], of[w.heading], of[w.before]]) for w in sentences])
