"""The line of seconds in the Answer tab: every row of the trace is in one part, and the parts add up."""

import random
import re
from collections.abc import Callable
from dataclasses import replace
from typing import get_args

import pytest

from rag.types import Answer, Prompt, Step, StepName, Trace
from rag.ui import panels, times
from rag.ui.strings import TABLE

INDEXING = {"load", "split", "encode", "index"}
"""Steps of a trace that is no question's."""


def trace(*steps: tuple[str, float]) -> Trace:
    return Trace(tuple(Step(name, seconds, 1, 1) for name, seconds in steps), (), "ab")  # type: ignore[arg-type]


def test_a_question_part_by_part() -> None:
    found = trace(("embed", 0.02), ("dense", 0.01), ("lexical", 0.02), ("fuse", 0.0), ("pack", 0.05), ("gate", 0.4),
                  ("generate", 3.0), ("cite", 0.1), ("gate", 0.1), ("compare", 0.2))  # fmt: skip
    took = times.parts(found, 1.25)
    assert {part: round(s, 6) for part, s in took.items()} == {
        "embed": 0.02, "search": 0.03, "prompt": 0.05, "gate": 0.5, "first": 1.25, "writing": 1.75, "checks": 0.3,
    }  # fmt: skip
    assert list(took) == [part for part in get_args(times.Part) if part in took]
    shown = times.line(found, 1.25, "en")
    assert re.findall(r"<b>([\d.]+) s</b>", shown) == ["0.02", "0.03", "0.05", "0.50", "1.25", "1.75", "0.30", "3.90"]


def test_every_step_of_a_question_is_in_a_part_and_no_second_is_lost_or_counted_twice(
    seeds: Callable[[int], range],
) -> None:
    names = [name for name in get_args(StepName) if name not in INDEXING | {"cache"}]
    for name in names:
        assert sum(times.parts(trace((name, 2.0)), 0.5).values()) == 2.0
    for seed in seeds(100):
        rng = random.Random(seed)
        rows = [(rng.choice(names), rng.random()) for _ in range(rng.randint(1, 15))]
        rows = [row for n, row in enumerate(rows) if row[0] != "generate" or n == 0]  # one answer is written
        took = times.parts(trace(*rows), rng.choice([None, 0.0, rng.random(), 5.0]))
        assert sum(took.values()) == pytest.approx(sum(seconds for _, seconds in rows))
        assert min(took.values()) >= 0


def test_an_answer_stopped_before_its_first_token_only_read() -> None:
    assert times.parts(trace(("generate", 0.7)), None) == {"first": 0.7, "writing": 0.0}


def test_what_came_from_the_cache_says_so_and_nothing_is_shown_of_nothing() -> None:
    assert TABLE["times.then"].zh in times.line(trace(("cache", 0.0), ("embed", 1.0)), None, "zh")
    assert TABLE["times.then"].zh not in times.line(trace(("embed", 1.0)), None, "zh")
    assert times.line(trace(), None, "zh") == times.line(trace(("load", 1.0)), None, "zh") == ""


def test_who_waits_in_line_reads_how_many_are_before() -> None:
    waits = Answer("", (), (), Prompt((), "", (1,), (), (), (), 10), trace(), False, "running", 0, None, 0.5, ahead=3)
    for language in ("zh", "en"):
        shown = panels.answer_line(waits, language)  # type: ignore[arg-type]
        assert re.findall(r"\d+", shown) == ["3"] and "busy" in shown
    reads = replace(waits, ahead=0)
    assert TABLE["answer.ahead"].en.split("{")[0] not in panels.answer_line(reads, "en")
