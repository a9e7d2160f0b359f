"""Changes take turns: one at a time, in the order they came; who has to wait is told so once."""

import threading
import time

import pytest

from rag.background import Turns, in_background
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
