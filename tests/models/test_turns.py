import threading
import time
from collections.abc import Callable

import pytest

from rag.models.turns import SPIN, Turns, wait_asleep


def _until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < end, "nothing happened for 5 s"
        time.sleep(0.001)


def _waiting(turns: Turns) -> int:
    return len(turns._short) + len(turns._long) + len(turns._idle)


def _queue(turns: Turns, done: list[str], name: str, short: bool, idle: bool = False) -> threading.Thread:
    """Start a thread that wants a turn, and return once it stands in line."""
    before = _waiting(turns)

    def work() -> None:
        with turns.turn(short=short, idle=idle):
            done.append(name)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    _until(lambda: _waiting(turns) == before + 1)
    return thread


def test_one_piece_at_a_time_under_eight_threads() -> None:
    turns, inside, most, count = Turns(), [0], [0], [0]

    def piece() -> None:
        inside[0] += 1
        most[0] = max(most[0], inside[0])
        seen = count[0]
        if seen % 64 == 0:
            time.sleep(0)  # lets another thread in, if the lock does not keep it out
        count[0] = seen + 1
        inside[0] -= 1

    def work(number: int) -> None:
        if number % 2:
            for _ in range(1000):
                with turns.turn(short=number == 1):
                    piece()
        else:
            with turns.turn():
                for _ in range(1000):
                    piece()
                    turns.hand_over()

    threads = [threading.Thread(target=work, args=(i,), daemon=True) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    assert most[0] == 1
    assert count[0] == 8000  # no update was lost
    assert _waiting(turns) == 0


def test_short_before_long_and_each_first_come_first_served() -> None:
    turns = Turns()
    done: list[str] = []
    with turns.turn():
        wanted = ["long 1", "short 1", "long 2", "short 2", "long 3", "short 3"]
        threads = [_queue(turns, done, name, name.startswith("short")) for name in wanted]
        assert done == []
    for thread in threads:
        thread.join(5)
    assert done == ["short 1", "short 2", "short 3", "long 1", "long 2", "long 3"]


def test_idle_work_comes_after_all_other_that_wants_to_work_also_between_its_pieces() -> None:
    turns, done = Turns(), list[str]()
    with turns.turn():
        threads = [_queue(turns, done, name, name == "short", name == "idle") for name in ("idle", "long", "short")]
        turns.hand_over()
        done.append("holder")
    for thread in threads:
        thread.join(5)
    assert done == ["short", "long", "holder", "idle"]
    done.clear()
    with turns.turn(idle=True):
        threads = [_queue(turns, done, f"long {n}", False) for n in range(2)]
        done.append("piece 0")
        turns.hand_over()
        done.append("piece 1")
    for thread in threads:
        thread.join(5)
    assert done == ["piece 0", "long 0", "long 1", "piece 1"]


def test_who_works_does_not_hand_over_to_idle_work() -> None:
    turns, done = Turns(), list[str]()
    with turns.turn():
        thread = _queue(turns, done, "idle", False, True)
        turns.hand_over()
        done.append("holder")
    thread.join(5)
    assert done == ["holder", "idle"]


def test_hand_over_lets_a_short_one_in_within_one_piece() -> None:
    turns = Turns()
    done: list[str] = []
    with turns.turn():
        for piece in range(3):
            done.append(f"piece {piece}")
            thread = _queue(turns, done, f"short {piece}", True)
            turns.hand_over()
            thread.join(5)
    assert done == ["piece 0", "short 0", "piece 1", "short 1", "piece 2", "short 2"]


def test_hand_over_alternates_between_long_jobs_and_goes_behind_those_that_wait() -> None:
    turns = Turns()
    done: list[str] = []
    first_waits = threading.Event()

    def job(name: str) -> None:
        with turns.turn():
            if name == "a":
                first_waits.wait(5)
            for piece in range(3):
                done.append(f"{name}{piece}")
                turns.hand_over()

    a = threading.Thread(target=job, args=("a",), daemon=True)
    a.start()
    _until(lambda: turns._held)
    b = threading.Thread(target=job, args=("b",), daemon=True)
    b.start()
    _until(lambda: _waiting(turns) == 1)
    first_waits.set()
    a.join(5)
    b.join(5)
    assert done == ["a0", "b0", "a1", "b1", "a2", "b2"]


def test_hand_over_without_anyone_waiting_keeps_the_turn() -> None:
    turns = Turns()
    with turns.turn():
        turns.hand_over()
        assert turns._held
    assert not turns._held


@pytest.mark.parametrize("short", [True, False])
def test_an_exception_in_a_turn_frees_it(short: bool) -> None:
    turns = Turns()
    done: list[str] = []
    with pytest.raises(ValueError, match="in the piece"), turns.turn(short=short):
        thread = _queue(turns, done, "next", False)
        raise ValueError("in the piece")
    thread.join(5)
    assert done == ["next"]
    with turns.turn():
        done.append("later")
    assert done == ["next", "later"]


def test_an_exception_after_a_hand_over_frees_it_too() -> None:
    turns = Turns()
    done: list[str] = []
    with pytest.raises(ValueError), turns.turn():
        _queue(turns, done, "between", False)
        turns.hand_over()
        raise ValueError
    with turns.turn(short=True):
        done.append("after")
    assert done == ["between", "after"]


def test_whoever_is_interrupted_while_waiting_leaves_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    turns = Turns()

    def interrupted(timeout: float | None = None) -> bool:
        raise KeyboardInterrupt

    with turns.turn():
        with monkeypatch.context() as patch:
            patch.setattr(turns._changed, "wait", interrupted)
            with pytest.raises(KeyboardInterrupt), turns.turn(short=True):
                raise AssertionError("two in one turn")
        assert _waiting(turns) == 0
    done: list[str] = []
    with turns.turn():
        thread = _queue(turns, done, "next", False)
    thread.join(5)
    assert done == ["next"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({}, {"GOMP_SPINCOUNT": SPIN}),
        ({"GOMP_SPINCOUNT": "7"}, {"GOMP_SPINCOUNT": "7"}),
        ({"OMP_WAIT_POLICY": "active"}, {"OMP_WAIT_POLICY": "active"}),
    ],
)
def test_how_openmp_waits_is_set_unless_somebody_has_set_it(before: dict[str, str], after: dict[str, str]) -> None:
    wait_asleep(before)
    assert before == after
