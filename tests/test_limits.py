import re
import threading

import pytest

from rag import limits as module
from rag.config import Limits, SplitSettings, Strategy
from rag.errors import LimitReached, SettingError
from rag.limits import Allowance

LANGUAGES = ("en", "zh")


class Clock:
    """A monotonic clock that a test sets."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        monkeypatch.setattr(module.time, "monotonic", lambda: self.now)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def test_questions_a_minute_in_a_sliding_window(clock: Clock) -> None:
    allowance = Allowance(Limits(questions_per_minute=3))
    for second in (0, 20, 40):
        clock.now = 1000.0 + second
        allowance.count_question()
    clock.now = 1059.0
    with pytest.raises(LimitReached):
        allowance.count_question()
    clock.now = 1060.5  # the first is more than a minute ago
    allowance.count_question()
    with pytest.raises(LimitReached):
        allowance.count_question()


def test_a_refused_question_does_not_count(clock: Clock) -> None:
    allowance = Allowance(Limits(questions_per_minute=1))
    allowance.count_question()
    for second in range(1, 60):
        clock.now = 1000.0 + second
        with pytest.raises(LimitReached):
            allowance.count_question()
    clock.now = 1061.0
    allowance.count_question()


@pytest.mark.parametrize("elapsed", [0.0, 17.3, 59.0, 59.7, 60.0])
def test_the_wait_that_is_told_is_long_enough(clock: Clock, elapsed: float) -> None:
    allowance = Allowance(Limits(questions_per_minute=1))
    allowance.count_question()
    clock.now = 1000.0 + elapsed
    with pytest.raises(LimitReached) as caught:
        allowance.count_question()
    told = {int(re.search(r"(\d+) ?(?:s\b|秒)", caught.value.message(language))[1]) for language in LANGUAGES}  # type: ignore[index]
    assert len(told) == 1
    clock.now += told.pop() + 0.001
    allowance.count_question()


def test_counting_is_exact_under_threads() -> None:
    allowance = Allowance(Limits(questions_per_minute=50))
    passed: list[int] = []

    def ask() -> None:
        for _ in range(40):
            try:
                allowance.count_question()
            except LimitReached:
                continue
            passed.append(1)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert len(passed) == 50


@pytest.mark.parametrize(
    ("size", "total", "number"),
    [(10, 0, None), (11, 0, "10"), (10, 20, None), (10, 21, "30"), (1, 30, "30"), (0, 30, None)],
)
def test_bytes(size: int, total: int, number: str | None) -> None:
    allowance = Allowance(Limits(file_bytes=10, total_bytes=30))
    if number is None:
        allowance.check_bytes("a.txt", size, total)
        return
    with pytest.raises(LimitReached) as caught:
        allowance.check_bytes("a.txt", size, total)
    for language in LANGUAGES:
        assert "a.txt" in caught.value.message(language)
        assert number in caught.value.message(language)
    assert caught.value.text.en != caught.value.text.zh


def test_documents() -> None:
    allowance = Allowance(Limits(files=2))
    allowance.check_documents("a.txt", 2)
    with pytest.raises(LimitReached) as caught:
        allowance.check_documents("a.txt", 3)
    for language in LANGUAGES:
        assert "a.txt" in caught.value.message(language)
        assert "2" in caught.value.message(language)


def test_question() -> None:
    allowance = Allowance(Limits(question_characters=5))
    assert allowance.checked_question(" \t年假\ud800有\n") == "年假有"
    assert allowance.checked_question("𠮷" * 5) == "𠮷" * 5  # counted in code points
    assert allowance.checked_question("\ufeff年\u200b假\x00\u202e有\xad") == "年假有"
    for empty in ("", " \n　", "\udfff", "\x00", "\u200b \ufeff"):
        with pytest.raises(SettingError):
            allowance.checked_question(empty)
    with pytest.raises(LimitReached) as caught:
        allowance.checked_question("𠮷" * 6)
    for language in LANGUAGES:
        assert "6" in caught.value.message(language)
        assert "5" in caught.value.message(language)


@pytest.mark.parametrize(("strategy", "unit"), [("structure", "characters"), ("tokens", "tokens")])
def test_chunks_are_counted_when_they_are_made(strategy: Strategy, unit: str) -> None:
    allowance, split = Allowance(Limits(chunks=1000)), SplitSettings(strategy, 240, 40)
    allowance.check_cut(1000, split)
    with pytest.raises(LimitReached, match=f"240 {unit} .*1,001.*1,000") as caught:
        allowance.check_cut(1001, split)
    assert re.search("1,001.*1,000", caught.value.message("zh"))


def test_chunks_are_counted_before_they_are_made() -> None:
    allowance = Allowance(Limits(chunks=10))
    allowance.check_chunks(2000, SplitSettings(size=240, overlap=40))  # 2000 / 200 = 10
    with pytest.raises(LimitReached, match="about 11"):
        allowance.check_chunks(2200, SplitSettings(size=240, overlap=40))
    with pytest.raises(LimitReached, match="smaller overlap"):
        allowance.check_chunks(200, SplitSettings(size=40, overlap=39))
    # a token is about two characters; every section is a chunk at least
    allowance.check_chunks(4000, SplitSettings("tokens", 240, 40), sections=11)
    with pytest.raises(LimitReached, match="240 tokens.* about 11"):
        allowance.check_chunks(4400, SplitSettings("tokens", 240, 40))
    with pytest.raises(LimitReached, match="about 11"):
        allowance.check_chunks(200, SplitSettings("structure", 240, 40), sections=11)
