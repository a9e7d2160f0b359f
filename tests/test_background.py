"""Changes take turns: one at a time, in the order they came; who has to wait is told so once."""

import random
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest

from rag.background import Place, Turns, in_background
from rag.corpus.index import Progress
from rag.errors import Stopped


def test_turns_come_in_order_and_who_waits_is_told_once() -> None:
    turns, done, told = Turns(), list[int](), list[int]()

    def work(i: int) -> None:
        with turns.turn(threading.Event(), lambda: told.append(i)):
            assert turns.waited
            done.append(i)

    with turns.turn(threading.Event(), lambda: told.append(-1)):
        assert not turns.waited
        threads = [threading.Thread(target=work, args=(i,)) for i in range(20)]
        for i, thread in enumerate(threads):
            thread.start()
            while len(told) <= i:
                time.sleep(0.001)
    for thread in threads:
        thread.join(10)
    assert done == told == list(range(20))


def test_who_is_stopped_while_waiting_never_begins_and_lets_the_next_one_in() -> None:
    turns, stop = Turns(), threading.Event()
    stop.set()
    begun = list[str]()
    with turns.turn(threading.Event()):
        with pytest.raises(Stopped), turns.turn(stop):
            begun.append("stopped")
        seen = in_background(lambda _: begun.append("next"), turns, threading.Event())
        assert next(seen) is not None
        while not (last := next(seen)).waits:
            pass
        assert last == Progress("load", 0, 0, waits=True)
    assert [p for p in seen if not p.waits] == [] and begun == ["next"]


def test_what_fails_ends_its_turn() -> None:
    turns = Turns()
    with pytest.raises(ZeroDivisionError), turns.turn(threading.Event()):
        raise ZeroDivisionError
    with turns.turn(threading.Event()):
        assert not turns.waited


def test_each_place_knows_how_many_are_before_it_whoever_leaves(seeds: Callable[[int], range]) -> None:
    for seed in seeds(50):
        rng, turns = random.Random(seed), Turns()
        line = list[tuple[AbstractContextManager[Place], Place]]()
        for _ in range(40):
            if rng.random() < 0.6 or not line:
                joined = turns.place()
                line.append((joined, joined.__enter__()))
            else:
                line.pop(rng.randrange(len(line)))[0].__exit__(None, None, None)
            assert [place.ahead() for _, place in line] == list(range(len(line)))


def test_who_waits_in_line_hears_of_it_when_somebody_before_leaves() -> None:
    turns, heard, ready = Turns(), list[int](), threading.Event()

    def wait() -> None:
        with turns.place() as place:
            ready.set()
            heard.append(place.ahead(60))

    with turns.place():
        second = turns.place()
        second.__enter__()
        thread = threading.Thread(target=wait, daemon=True)
        thread.start()
        assert ready.wait(5)
        second.__exit__(None, None, None)  # one less
        thread.join(5)  # not after a minute
    assert heard == [1] and not thread.is_alive()


def test_patience_ends() -> None:
    turns = Turns()
    with turns.place(), turns.place() as place:
        assert place.ahead(0.01) == 1
