"""What is worked out once beside a corpus: by whom, and who waits for it."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from rag.corpus.derived import MOST_VIEWS, Derived
from rag.errors import Stopped
from rag.types import Chunk

A, B = frozenset({"a"}), frozenset({"b"})


class Slow:
    """Makes a thing when told to; knows whether it was begun."""

    def __init__(self, thing: object) -> None:
        self.thing, self.begun, self.told = thing, threading.Event(), threading.Event()

    def __call__(self) -> Any:
        self.begun.set()
        assert self.told.wait(30)
        if isinstance(self.thing, Exception):
            raise self.thing
        return self.thing


def in_thread(call: Callable[[], object]) -> tuple[threading.Thread, list[object]]:
    got: list[object] = []

    def work() -> None:
        try:
            got.append(call())
        except Stopped as error:
            got.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    return thread, got


def never() -> Any:
    raise AssertionError("it was there already, or somebody else made it")


def chunk(key: str) -> Chunk:
    return Chunk(f"{key}:0-1", key, 0, 1, "x", "", 0, None, ())


def test_who_waits_for_a_graph_can_stop_and_who_does_not_gets_it() -> None:
    derived, slow, stop = Derived(), Slow("graph"), threading.Event()
    first, built = in_thread(lambda: derived.graph(slow))
    assert slow.begun.wait(30)
    second, given = in_thread(lambda: derived.graph(never, stop))
    third, shared = in_thread(lambda: derived.graph(never))
    stop.set()
    second.join(30)
    assert isinstance(given[0], Stopped)
    slow.told.set()
    first.join(30)
    third.join(30)
    assert built == shared == ["graph"]


def test_when_the_builder_stops_who_waits_builds() -> None:
    derived, slow = Derived(), Slow(Stopped(en="stopped", zh="已停止"))
    first, built = in_thread(lambda: derived.graph(slow))
    assert slow.begun.wait(30)
    second, given = in_thread(lambda: derived.graph(lambda: "graph"))  # type: ignore[arg-type, return-value]
    slow.told.set()
    first.join(30)
    second.join(30)
    assert isinstance(built[0], Stopped) and given == ["graph"]


@pytest.mark.parametrize("what", ["graph", "view"])
def test_nobody_waits_who_needs_nothing_of_what_is_made(what: str) -> None:
    derived = Derived()
    assert derived.view(A, lambda: "of a") == "of a"  # type: ignore[arg-type, comparison-overlap, return-value]
    slow = Slow("made")
    thread, got = in_thread(lambda: derived.graph(slow) if what == "graph" else derived.view(B, slow))
    assert slow.begun.wait(30)
    others, seen = in_thread(lambda: (derived.view(A, never), derived.numbers([chunk("k")], ["k"]).tolist()))
    others.join(30)
    assert seen == [("of a", [0])]
    slow.told.set()
    thread.join(30)
    assert got == ["made"]


def test_the_last_views_are_kept_and_each_is_made_once() -> None:
    derived, made = Derived(), list[int]()
    for i in (*range(MOST_VIEWS), 0, MOST_VIEWS, 0, 1):  # 1 was not looked at for longest when one more came
        derived.view(frozenset({str(i)}), lambda i=i: made.append(i) or "view")  # type: ignore[arg-type, return-value, misc]
    assert made == [*range(MOST_VIEWS), MOST_VIEWS, 1]
