"""Visits: kept while a page may come back, ended when it does not, and never mixed."""

import threading
import time

import pytest

from rag.errors import LimitReached
from rag.ui.sessions import Sessions


class Space:
    """Stands for a workspace: knows only whether it was closed."""

    def __init__(self, groups: frozenset[str]) -> None:
        self.groups, self.closed = groups, 0

    def close(self) -> None:
        self.closed += 1


def sessions(grace_s: float = 0.0, capacity: int = 200) -> Sessions:
    return Sessions(Space, grace_s, capacity)  # type: ignore[arg-type]


def test_a_session_keeps_its_own_visit() -> None:
    all_ = sessions()
    assert all_.visit("a") is all_.visit("a")
    assert all_.visit("a") is not all_.visit("b")
    assert all_.visit("a").workspace is not all_.visit("b").workspace


def test_a_page_that_left_is_ended_after_the_grace_period_and_not_before() -> None:
    all_ = sessions(grace_s=0.15)
    space = all_.visit("a").workspace
    all_.left("a")
    assert all_.sweep() == () and not space.closed  # type: ignore[attr-defined]
    time.sleep(0.2)
    assert all_.sweep() == ("a",) and space.closed == 1  # type: ignore[attr-defined]
    assert all_.visit("a").workspace is not space


def test_a_page_that_comes_back_keeps_everything() -> None:
    all_ = sessions(grace_s=0.0)
    space = all_.visit("a").workspace
    all_.left("a")
    assert all_.visit("a").workspace is space
    assert all_.sweep() == () and not space.closed  # type: ignore[attr-defined]


def test_leaving_without_a_visit_makes_none() -> None:
    all_ = sessions()
    all_.left("never seen")
    assert len(all_) == 0 and all_.sweep() == ()


def test_ending_stops_the_work_that_runs() -> None:
    all_ = sessions()
    with all_.visit("a").running("answer") as stop:
        all_.left("a")
        all_.sweep()
        assert stop.is_set()


def test_stop_reaches_only_the_visitors_own_work() -> None:
    all_ = sessions()
    with all_.visit("a").running("answer") as mine, all_.visit("b").running("answer") as other:
        assert all_.visit("a").stop() == 1
        assert mine.is_set() and not other.is_set()
    assert all_.visit("a").stop() == 0


def test_a_new_question_stops_the_last_answer_and_not_the_indexing() -> None:
    visit = sessions().visit("a")
    with visit.running("answer") as answer, visit.running("index") as index:
        assert visit.stop("answer") == 1
        assert answer.is_set() and not index.is_set()
        assert visit.stop() == 2 and index.is_set()


def test_work_that_is_left_is_told_to_stop() -> None:
    with sessions().visit("a").running("answer") as stop:
        assert not stop.is_set()
    assert stop.is_set()


def test_at_capacity_a_closed_page_makes_room_and_an_open_one_never() -> None:
    all_ = sessions(grace_s=100, capacity=2)
    first, second = all_.visit("a").workspace, all_.visit("b").workspace
    all_.left("a")
    all_.left("b")
    all_.visit("a")  # it came back
    all_.visit("c")
    assert second.closed == 1 and not first.closed  # type: ignore[attr-defined]
    with pytest.raises(LimitReached, match="too many visitors") as refused:
        all_.visit("d")
    assert "人数过多" in refused.value.message("zh")
    assert not first.closed and len(all_) == 2  # type: ignore[attr-defined]
    assert all_.visit("a").workspace is first
    all_.left("d")  # it has no visit
    all_.left("c")
    assert all_.visit("d").workspace is not first and len(all_) == 2


def test_a_page_that_did_nothing_for_half_a_day_counts_as_closed() -> None:
    all_ = Sessions(Space, capacity=2, idle_s=0.1)  # type: ignore[arg-type]
    idle, used = all_.visit("a").workspace, all_.visit("b").workspace
    time.sleep(0.15)
    all_.visit("b")
    all_.visit("c")
    assert idle.closed == 1 and not used.closed  # type: ignore[attr-defined]


def test_many_threads_get_one_visit_per_session() -> None:
    all_, seen = sessions(), []
    gate = threading.Barrier(8)

    def ask() -> None:
        gate.wait()
        for i in range(200):
            seen.append((i % 20, id(all_.visit(str(i % 20)))))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(set(seen)) == 20
