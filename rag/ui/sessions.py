"""Who is on the page now: one visit per browser session, and the end of each."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Literal

from rag.errors import LimitReached, SettingError
from rag.types import PUBLIC
from rag.ui.beside import Beside
from rag.ui.strings import both

if TYPE_CHECKING:
    from datetime import date

    from rag.corpus.index import Corpus
    from rag.evaluate.experiment import Experiment
    from rag.evaluate.questions import QuestionSet
    from rag.types import Document, Retrieval
    from rag.ui.chunks import Opened
    from rag.workspace import Asked, Workspace

VISITS: Final = 200
"""There is room for so many visits at a time."""

Work = Literal["search", "answer", "index", "evaluate", "draft"]
GroupsOf = Callable[[str | None], frozenset[str]]
"""User name → groups; None: somebody who has not signed in."""
_Who = tuple[str, str | None]


class Asking:
    """A question under way; `found` once its search has ended, so that it only waits for its answer."""

    def __init__(self) -> None:
        self.found = False
        self._writing = threading.Lock()

    def begins(self) -> bool:
        """True the first time: of two events that come to write its answer one does."""
        return self._writing.acquire(blocking=False)


class Visit:
    """One visitor's workspace and the work that is running for them.

    `seen_corpus` is the id of the corpus the visitor's page shows and its `rag.ui.documents.scope`, `seen_found` what
    its Candidates and Prompt show, `seen_set` the question set as the only item (empty: it shows none yet), `seen_results` whether it shows
    results of an evaluation. `asking` is the question that is being searched or answered or waits for it; None when there
    is none. `opened` is the question of an evaluation that was opened since, `no_answer` what stands in place of its answer
    when it has none. `beside` holds the retrievals that are compared. `document` is the key of the document chosen last on the Documents or the Chunks tab,
    `chunks` its chunks as that tab shows them, `entered` that document and the words whose matches are gone through there
    (None: those of other words were shown last), `removing` the key of the one the page asks about whether to remove it
    (empty: it asks about none), `going` that of the one
    removed last. `scope` holds the policies chosen in the settings, by doc_id. `questions` is the question set the visitor brought, `experiment` what the last
    evaluation came to; `evaluating` stands for the one under way, `drafting` for the drafting begun last.
    """

    def __init__(self, workspace: Workspace, groups: frozenset[str] = PUBLIC) -> None:
        self.workspace, self.groups = workspace, groups
        self.seen_corpus: tuple[str, tuple[str, date]] | None = None
        self.document = ""
        self.scope: tuple[str, ...] = ()
        self.chunks: Opened | None = None
        self.entered: tuple[object, str] | None = None
        self.removing = self.going = ""
        self.seen_found: Retrieval | None = None
        self.seen_set: tuple[QuestionSet | None, ...] = ()
        self.seen_results = False
        self.asking: Asking | None = None
        self.opened: Asked | None = None
        self.no_answer = ""
        self.beside = Beside()
        self.questions: QuestionSet | None = None
        self.experiment: Experiment | None = None
        self.evaluating: object | None = None
        self.drafting: object | None = None
        self._lock = threading.Lock()
        self._stops: dict[threading.Event, str] = {}

    @contextmanager
    def running(self, kind: Work) -> Iterator[threading.Event]:
        """A stop event for one piece of work; set when the work is left, however it is left."""
        stop = threading.Event()
        with self._lock:
            self._stops[stop] = kind
        try:
            yield stop
        finally:
            # may run on the server's event loop (a closed generator): nothing here waits for the work
            stop.set()
            with self._lock:
                del self._stops[stop]

    def asked(self, question: Asking | None) -> None:
        """`question` has its answer, or failed; another that came meanwhile is still under way."""
        with self._lock:
            if self.asking is question:
                self.asking = None

    def evaluates(self) -> object:
        """An evaluation begins: the one under way is asked to stop, the last results go. Returns what stands for it."""
        mine = object()
        with self._lock:
            # two experiments at a time would be twice the memory
            self.evaluating, self.experiment, self.opened = mine, None, None
        self.stop("evaluate")
        return mine

    def evaluated(self, mine: object, experiment: Experiment | None) -> bool:
        """The evaluation `mine` came to `experiment`; False, and nothing is kept, when another one began or the visit ended."""
        with self._lock:
            if self.evaluating is not mine:
                return False
            self.evaluating, self.experiment = None, experiment
        return True

    def drafts(self) -> object:
        """Drafting begins; the one under way is asked to stop. Returns what stands for it."""
        mine = self.drafting = object()
        self.stop("draft")
        return mine

    def drafted(self, added: Callable[[QuestionSet | None], QuestionSet | None]) -> None:
        """The visitor's set becomes what `added` makes of it; an ended visit stays without one."""
        with self._lock:
            if self.drafting is not None:
                self.questions = added(self.questions)

    def compared(self, asked: Asked) -> Asked | None:
        """The page shows `asked`: what it is compared with, None when there is nothing that may still be shown."""
        self.beside.show(asked)
        own = {document.key: document for document in self.workspace.own_documents()}
        self.beside.let_go(lambda held: _holds_others(held.corpus, own))
        return self.beside.other()

    def forget_removed(self) -> bool:
        """Let go of results that hold an own document which is no longer there; True when there were such."""
        own = {document.key: document for document in self.workspace.own_documents()}
        self.beside.let_go(lambda held: _holds_others(held.corpus, own))
        with self._lock:
            if self.opened is not None and _holds_others(self.opened.corpus, own):
                self.opened = None
            if self.experiment is None or not _holds_others(self.experiment.runs[0].bench.corpus, own):
                return False
            self.experiment = None
        return True

    def stop(self, kind: Work | Literal["all"] = "all") -> int:
        """Ask what runs for this visitor to stop; returns how many pieces of work were asked."""
        with self._lock:
            stops = [stop for stop, of in self._stops.items() if kind in (of, "all")]
        for stop in stops:
            stop.set()
        return len(stops)

    def end(self) -> None:
        """Stop all work and let go of the visitor's documents, questions and vectors."""
        self.stop()
        with self._lock:
            self.evaluating = self.drafting = self.questions = self.experiment = self.opened = None
            self.seen_set, self.chunks = (), None
        self.beside.forget()
        self.workspace.close()


def _holds_others(corpus: Corpus, own: Mapping[str, Document]) -> bool:
    """Whether a corpus holds an own document that is not among `own`, or is another version of it."""
    return any(d.origin == "own" and own.get(key) is not d for key, d in corpus.documents.items())


def everybody(username: str | None) -> frozenset[str]:
    """The groups of whoever comes, where nobody signs in."""
    return PUBLIC


class Sessions:
    """Session id and user → `Visit`. The id is a bearer secret: it is part of a key here and is never logged or shown.

    `groups_of` says which groups a user name (None: not signed in) is in, beside `PUBLIC`, in which everybody is. It is asked at
    every request, so that it must be quick; a visit made with other groups ends, and with it all that was seen in it.
    Somebody else who sends the same session id gets a visit of their own.
    A page that went away may come back (a lost connection looks the same), so its visit is kept for
    `grace_s` seconds. At `capacity` visits the page that closed first makes room; while all are open, a new one is
    refused. A page that did nothing for `idle_s` seconds counts as closed: not every browser says when it goes.
    """

    def __init__(
        self,
        new_workspace: Callable[[frozenset[str]], Workspace],
        grace_s: float = 600,
        capacity: int = VISITS,
        idle_s: float = 12 * 3600,
        groups_of: GroupsOf = everybody,
    ) -> None:
        self._new_workspace, self._groups_of = new_workspace, groups_of
        self._grace_s = grace_s
        self._capacity = capacity
        self._idle_s = idle_s
        self._lock = threading.Lock()
        self._visits: dict[_Who, Visit] = {}
        self._used: dict[_Who, float] = {}
        self._left: dict[_Who, float] = {}

    def visit(self, session: str, user: str | None = None) -> Visit:
        """The visit of this session and user, made when it is new.

        Raises `LimitReached` when there is no room for it, and `SettingError` once when the user's groups are no longer those
        it was made with: it has ended then.
        """
        groups = PUBLIC | self._groups_of(user)
        who, evicted, now = (session, user), None, time.monotonic()
        with self._lock:
            found = self._visits.get(who)
            changed = found is not None and found.groups != groups
            if changed:
                evicted = self._forget(who)
            else:
                if found is None:
                    if len(self._visits) >= self._capacity:
                        evicted = self._forget(self._closed(now))
                    found = self._visits[who] = Visit(self._new_workspace(groups), groups)
                self._left.pop(who, None)
                self._used[who] = now
        if evicted is not None:
            evicted.end()
        if changed or found is None:
            said = both("error.groups")
            raise SettingError(en=said.en, zh=said.zh)
        return found

    def _closed(self, now: float) -> _Who:
        """The session that can make room."""
        if self._left:
            return min(self._left, key=self._left.__getitem__)
        oldest = min(self._used, key=self._used.__getitem__)
        if now - self._used[oldest] < self._idle_s:
            said = both("error.full")
            raise LimitReached(en=said.en, zh=said.zh)
        return oldest

    def left(self, session: str, user: str | None = None) -> None:
        """The page of this session went away; its visit ends after the grace period unless it comes back."""
        with self._lock:
            if (session, user) in self._visits:
                self._left[session, user] = time.monotonic()

    def sweep(self) -> tuple[str, ...]:
        """End the visits whose grace period is over; returns their session ids."""
        now = time.monotonic()
        with self._lock:
            gone = tuple(who for who, since in self._left.items() if now - since >= self._grace_s)
            ended = [self._forget(who) for who in gone]
        for visit in ended:
            visit.end()
        return tuple(session for session, _ in gone)

    def close(self) -> None:
        """End every visit."""
        with self._lock:
            ended = [self._forget(who) for who in tuple(self._visits)]
        for visit in ended:
            visit.end()

    def __len__(self) -> int:
        with self._lock:
            return len(self._visits)

    def _forget(self, who: _Who) -> Visit:
        self._used.pop(who, None)
        self._left.pop(who, None)
        return self._visits.pop(who)
