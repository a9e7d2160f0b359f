import threading
import time
from collections.abc import Callable
from contextlib import ExitStack

import pytest

from rag.corpus.load.waiting_line import WaitingLine
from rag.errors import Stopped


class Busy(Exception):
    """There is no place yet."""


def busy(ahead: int) -> None:
    raise Busy(ahead)


def test_as_many_as_there_are_places_and_then_none() -> None:
    places = WaitingLine(at_once=2, slow=0)
    with places.place(busy), places.place(busy):
        with pytest.raises(Busy, match="1"), places.place(busy):
            pass
    with places.place(busy), places.place(busy):  # nobody who gave up stands in the line
        pass


@pytest.mark.parametrize("slow", [0, 1, 2, 9])
def test_of_those_that_take_long_only_some_make_room(slow: int) -> None:
    places, quick = WaitingLine(at_once=3, slow=slow, quick_s=0.0), WaitingLine(at_once=3, slow=slow, quick_s=60.0)
    with ExitStack() as held:
        for _ in range(3):
            held.enter_context(places.place(busy))
            held.enter_context(quick.place(busy))
        time.sleep(0.01)
        for _ in range(min(slow, 9)):
            held.enter_context(places.place(busy))
            time.sleep(0.01)
        with pytest.raises(Busy), places.place(busy):
            pass
        with pytest.raises(Busy), quick.place(busy):
            pass


def test_in_the_order_they_came_and_each_is_told_how_many_are_first() -> None:
    places, came, order = WaitingLine(at_once=1, slow=0), threading.Event(), []

    def told(n: int) -> Callable[[int], None]:
        def pause(ahead: int) -> None:
            if not came.is_set():
                assert ahead == n + 1
                seen[n].set()
            time.sleep(0.001)

        return pause

    def read(n: int) -> None:
        with places.place(told(n)):
            order.append(n)

    seen = [threading.Event() for _ in range(5)]
    threads = [threading.Thread(target=read, args=(n,)) for n in range(5)]
    with places.place(busy):
        for thread, event in zip(threads, seen, strict=True):
            thread.start()
            assert event.wait(10)
        came.set()
    for thread in threads:
        thread.join(10)
    assert order == list(range(5))


def test_who_stops_waiting_leaves_the_line() -> None:
    places = WaitingLine(at_once=1, slow=0)

    def stopped(ahead: int) -> None:
        raise Stopped(en="a", zh="b")

    with places.place(busy):
        for _ in range(3):
            with pytest.raises(Stopped), places.place(stopped):
                pass
        with pytest.raises(Busy, match="1"), places.place(busy):
            pass
