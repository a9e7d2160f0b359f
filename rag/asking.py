"""The questions of one visitor: what the last one found, in which corpus, and the answer to it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from rag import pipeline
from rag.ask.rewrite import TURNS
from rag.ask.search import TOO_LONG
from rag.background import HEARTBEAT_S, Turns
from rag.config import Settings
from rag.corpus.index import Corpus
from rag.errors import Bilingual, ModelUnavailable, SettingError
from rag.limits import Allowance
from rag.models.prefix import PrefixCache, Room
from rag.models.roles import Models
from rag.remembered import Reading, Remembered, key_of
from rag.types import PUBLIC, Answer, Finish, Retrieval, Step, Trace

FAR: Final = 16
FAR_S: Final = 0.5
"""Who stands far back in the line hears less often that nothing has changed: telling so many takes the cores that answers need."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What the last question found, the corpus it was found in, and the answer as far as there is one."""

    retrieval: Retrieval
    corpus: Corpus
    answer: Answer | None


@dataclass(frozen=True, slots=True)
class Shared:
    """What all visitors of an app have together: `memory`, how much of it the keys and values of their prompts take, and `line`,
    in which their answers stand, so that one is written at a time."""

    memory: Room = field(default_factory=Room)
    line: Turns = field(default_factory=Turns)


class Asking:
    """Retrieves and answers, and remembers the last question until `forget`.

    `searched` gives the corpus and the settings of now; `lock` is the workspace's: what is remembered is of the corpus
    of that moment, or it is not remembered.
    """

    def __init__(
        self,
        models: Models,
        allowance: Allowance,
        lock: threading.RLock,
        searched: Callable[[], tuple[Corpus, Settings]],
        shared: Shared,
        groups: frozenset[str] = PUBLIC,
    ) -> None:
        """`groups`: those of the visitor, who sees nothing else, whatever the corpus holds."""
        self._models, self._allowance, self._lock, self._searched = models, allowance, lock, searched
        self._shared, self._groups = shared, groups
        self._prefix = PrefixCache(shared.memory)
        self.forget()

    def forget(self) -> None:
        """Nothing was asked. To be called, under the lock, with every change of the corpus."""
        self._turns: tuple[str, ...] = ()  # the questions of this visit, oldest first, no more than can still count
        self._before: tuple[str, ...] = ()  # those before the last one asked, as it was searched
        self._asked: Asked | None = None
        self._shown: Retrieval | None = None  # what `show` was given last
        self._answered: Retrieval | None = None  # what an answer was begun from
        # another one, not an emptied one: work begun before keeps what it makes in the old one, which ends with it
        self._kept = Remembered()
        self._prefix.clear()  # now, not when the last who writes with it is through
        self._prefix = PrefixCache(self._shared.memory)

    def asked(self) -> Asked | None:
        """What belongs to the last question, in one piece; None when nothing was asked or the documents changed since."""
        with self._lock:
            return self._asked

    def show(self, asked: Asked) -> None:
        """Take a question of an evaluation, with what was found and answered then, for the last one asked.

        It is never `fresh`: it may have been asked with other questions before it, or as somebody else. Raises
        `SettingError` when a document it was asked against is no longer searched: a removed one does not come back.
        """
        with self._lock:
            documents = self._searched()[0].documents
            if any(documents.get(key) is not document for key, document in asked.corpus.documents.items()):
                raise SettingError(
                    en="The documents changed since this question was asked. Run the set again.",
                    zh="提问之后文档已有变动，请重新运行题集。",
                )
            self._asked, self._answered, self._shown = asked, asked.retrieval, asked.retrieval

    def earlier(self) -> tuple[str, ...]:
        """The questions, oldest first, that the next one is read with if it follows them (`rag.ask.rewrite`)."""
        with self._lock:
            return self._turns[-TURNS:]

    def drop_earlier(self) -> None:
        """The next question follows none; one asked already is searched again."""
        with self._lock:
            self._turns = ()

    def _history(self, question: str) -> tuple[str, ...]:
        """The questions before `question`; asked again, it is no question before itself."""
        return (self._turns[:-1] if self._turns[-1:] == (question,) else self._turns)[-TURNS:]

    def retrieve(self, question: str, stop: threading.Event | None = None) -> Retrieval:
        """The line up to the prompt. Raises `SettingError` (empty or too long), `LimitReached`, `ModelLoading`, `Stopped`."""
        question = self._allowance.checked_question(question)
        return self._retrieve(question, *self._searched(), stop)

    def _retrieve(self, question: str, corpus: Corpus, settings: Settings, stop: threading.Event | None) -> Retrieval:
        self._allowance.count_question()
        with self._lock:
            before, kept = self._history(question), self._kept_of(corpus)
        key = key_of(question, before, settings, corpus, self._groups)
        retrieval = kept.retrieval(key)
        if retrieval is None:
            models = Reading(self._models, kept)
            found = pipeline.retrieve(question, corpus, settings, models, self._groups, before, stop)
            retrieval = models.said(found)
            kept.keep_retrieval(key, retrieval)
        with self._lock:
            # of a corpus that was replaced meanwhile nothing is kept: it may hold a removed document
            if corpus is self._searched()[0]:
                self._turns, self._before = (*self._history(question), question), before
                self._asked = Asked(retrieval, corpus, None)
        return retrieval

    def _kept_of(self, corpus: Corpus) -> Remembered:
        """What is remembered of this corpus; nothing, and nothing will be, when it was replaced. To be called under the lock."""
        return self._kept if corpus is self._searched()[0] else Remembered()

    def answer(self, question: str, stop: threading.Event, anyway: bool = False) -> Iterator[Answer]:
        """Answer from a fresh retrieval of the same question when there is one, else retrieve first.

        `anyway`: also from evidence that the gate would refuse. A greedy answer to the same prompt that was finished before in this visit is given again, whole.
        """
        question = self._allowance.checked_question(question)
        with self._lock:
            corpus, settings = self._searched()
            retrieval = self._asked.retrieval if self._asked is not None and self.fresh(question) else None
            again = retrieval is not None and retrieval is self._answered
        if retrieval is None:
            retrieval = self._retrieve(question, corpus, settings, stop)
        elif again:  # the retrieval counted the question; each further answer to it counts as one more
            self._allowance.count_question()
        with self._lock:
            if self._asked is not None and self._asked.retrieval is retrieval:
                self._answered, self._asked = retrieval, replace(self._asked, answer=None)
            kept, before = self._kept_of(corpus), self._history(question)
            # keys and values of a corpus that was replaced meanwhile are not kept
            prefix = self._prefix if corpus is self._searched()[0] else None
        key = key_of(question, before, settings, corpus, self._groups)
        once = kept.answer(key, retrieval, anyway)
        write = partial(
            pipeline.answer,
            corpus=corpus,
            settings=settings,
            models=self._models,
            stop=stop,
            prefix=prefix,
            anyway=anyway,
        )
        for answer in self._in_line(retrieval, settings, stop, write) if once is None else (once,):
            if once is None:
                kept.keep_answer(key, answer, anyway)
            with self._lock:
                if self._asked is not None and self._asked.retrieval is retrieval:
                    # else something newer was asked, or the documents changed
                    self._asked = replace(self._asked, answer=answer)
            yield answer

    def _in_line(
        self,
        retrieval: Retrieval,
        settings: Settings,
        stop: threading.Event,
        write: Callable[[Retrieval], Iterator[Answer]],
    ) -> Iterator[Answer]:
        """What `write` gives, once nobody's answer is before it; until then, every fifth of a second, behind `FAR` of them every `FAR_S`, how many are.

        One that was stopped, such as the visitor's own last one, is waited for without a word: it is about to leave.
        """
        began = time.perf_counter()
        prompt = retrieval.prompt
        if prompt is None or not prompt.rendered:
            yield from write(retrieval)  # which says why there is nothing to wait for
            return
        trace = Trace(retrieval.trace.steps, settings.lines(), settings.hash())
        with self._shared.line.place(stop) as place:
            waits, at_first = place.ahead() > 0, place.staying()
            while place.ahead():
                stopped, ahead = stop.is_set(), place.staying()
                seconds = time.perf_counter() - began
                finish: Finish = "stopped" if stopped else "running"
                if stopped or ahead:
                    yield Answer("", (), (), prompt, trace, stopped, finish, 0, None, seconds, ahead=ahead)
                if stopped:
                    return
                place.ahead(HEARTBEAT_S if ahead < FAR else FAR_S)
            if waits:
                steps = (*trace.steps, _waited(time.perf_counter() - began, at_first))
                retrieval = replace(retrieval, trace=replace(retrieval.trace, steps=steps))
            yield from write(retrieval)

    def fresh(self, question: str) -> bool:
        """Whether retrieving again would give the last prompt; raises `SettingError` and `LimitReached` as `retrieve` does.

        One made before the generator was there is not fresh: it has no prompt the generator could be given. Nor is one for
        which a step was skipped whose model has come since.
        """
        question = self._allowance.checked_question(question)
        with self._lock:
            retrieval = self._asked.retrieval if self._asked is not None else None
            if retrieval is None or retrieval.prompt is None or retrieval is self._shown:
                return False
            corpus, settings = self._searched()
            if self._before != self._history(question):
                return False
        return (
            retrieval.question == question
            and retrieval.corpus_id == corpus.corpus_id
            and retrieval.trace.settings_hash == settings.hash()
            and retrieval.prompt.rendered
            and not self._come_since(retrieval, corpus, settings)
        )

    def _come_since(self, retrieval: Retrieval, corpus: Corpus, settings: Settings) -> bool:
        """Whether a model that a step of `retrieval` was skipped for is there now."""
        # one for which the question was too long is skipped again
        skipped = {step.name for step in retrieval.trace.steps if step.skipped and step.note != TOO_LONG}
        wanted = list[Callable[[], object]]()
        if "dense" in skipped and corpus.dense is not None:
            wanted.append(self._models.encoder)
        if "rerank" in skipped:
            cross = settings.select.rerank == "cross"
            wanted.append(self._models.reranker if cross else self._models.generator)
        return any(map(_there, wanted))


def _waited(seconds: float, ahead: int) -> Step:
    note = Bilingual(en=f"answers before this one: {ahead}", zh=f"前面的回答：{ahead} 个")
    return Step("wait", seconds, ahead, 0, note)


def _there(model: Callable[[], object]) -> bool:
    try:
        model()
    except ModelUnavailable:
        return False
    return True
