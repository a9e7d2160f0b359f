"""What the table of speed is made of: its figures by hand, its rows as they are kept, and what is read from the machine."""

import math
import os
import random
import statistics
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from rag.evaluate.question_files import sample_set
from rag.models.turns import SPIN
from tests.bench import exact, generation, memory, page, prompts, run
from tests.bench.engines import Timed
from tests.bench.table import HEAD, Row, markdown, paired, written

Seeds = Callable[[int], range]


def test_a_goal_is_reached_from_its_side_and_only_by_what_was_measured() -> None:
    assert Row("a", "s", 1, 4, "peer", 0.25, 0.25).reached is True
    assert Row("a", "s", 1, 4, "peer", 0.26, 0.25).reached is False
    assert Row("a", "", 3, 2, "peer", 1.5, 1.5, least=True).reached is True
    assert Row("a", "", 3, 2, "peer", 1.49, 1.5, least=True).reached is False
    assert Row("a", "GB", 2.4, goal=2.5).reached is True
    assert Row("a", "GB", 2.6, goal=2.5).reached is False
    assert Row("a", "s", 0.1, beside="llama.cpp: not installed", goal=0.4).reached is None
    assert Row("a", "s", 1, 4, "peer", 0.25).reached is None


def test_a_peer_that_is_not_there_is_said() -> None:
    cells = Row("first token", "s", 1.5, beside="llama.cpp: not installed", goal=0.4).cells()
    assert cells == ("first token", "1.50 s", "llama.cpp: not installed", "", "≤ 0.4", "–")


def test_figures_keep_three_digits_that_count(seeds: Seeds) -> None:
    for seed in seeds(200):
        figure = random.Random(seed).uniform(0.001, 1) * 10 ** random.Random(-seed).randint(0, 6)
        shown = float(written(figure, "").replace(",", ""))
        assert math.isclose(shown, figure, rel_tol=0.006), (figure, shown)


def test_what_is_kept_comes_back_and_stands_in_the_table(tmp_path: Path) -> None:
    row = Row("whole answer", "s", 5.125, 12.0, "peer", 0.427, 0.5)
    part = run.Part("page", (row,), "2026-01-01", 0.5, 12.0)
    run.keep(tmp_path / "speed.json", run.machine(), [part])
    assert run.load(tmp_path / "speed.json") == (run.machine(), (part,))
    lines = markdown(part.rows).split("\n")
    assert lines[0] == f"| {' | '.join(HEAD)} |" and len(lines) == 3 and "settings" in run.said(run.machine(), [part])
    assert run.said(run.machine(), []) == "Not measured yet"


def test_of_every_part_the_new_one_counts_else_the_old_one() -> None:
    old = [run.Part(name, (), "old", 0, 0) for name in ("memory", "page")]
    new = [run.Part(name, (), "new", 0, 0) for name in ("page", "exact")]
    merged = run.merged(old, new, ("memory", "generation", "page", "exact"))
    assert [(p.name, p.day) for p in merged] == [("memory", "old"), ("page", "new"), ("exact", "new")]


def test_parts_of_another_machine_are_not_kept(tmp_path: Path) -> None:
    here = run.machine()
    assert here.cores >= 1 and here.memory_gb > 0 and len(here.settings) == 8
    part = run.Part("page", (Row("a", "s", 1),), "2026-01-01", 0.1, 1)
    file = tmp_path / "speed.json"
    assert run.kept(file, here) == ()
    run.keep(file, here, [part])
    assert run.kept(file, here) == (part,)
    run.keep(file, replace(here, settings="00000000"), [part])
    assert run.kept(file, here) == ()


# --- generation


class Clock:
    """An engine that takes `first` seconds for the first token and `each` for every other one, and says what it was asked."""

    def __init__(self, name: str, log: list[tuple[str, tuple[int, ...], int]], first: float, each: float) -> None:
        self._name, self._log, self._first, self._each = name, log, first, each

    def answer(self, ids: tuple[int, ...], settings: object, lookup: bool = True) -> Timed:
        tokens = settings.answer_tokens  # type: ignore[attr-defined]
        self._log.append((self._name if lookup else f"{self._name}, no lookup", ids, tokens))
        first = self._first * len(ids)
        each = self._each if lookup else 2 * self._each
        return Timed(first, first + each * (tokens - 1), tokens, "text")

    def forget(self) -> None:
        self._log.append(("forget", (), 0))


def clocked() -> tuple[list[tuple[str, tuple[int, ...], int]], tuple[generation.Written, ...]]:
    log: list[tuple[str, tuple[int, ...], int]] = []
    asked = [prompts.Asked(f"q{n}", tuple(range(10 + n)), (1, 2)) for n in range(4)]
    peers: dict[generation.Name, generation.Engine] = {
        "transformers fp32": Clock("fp32", log, 0.4, 0.8),
        "llama.cpp": Clock("llama", log, 0.2, 0.2),
    }
    settings = generation.GenerateSettings(answer_tokens=51)
    return log, generation.measure(asked, Clock("ours", log, 0.1, 0.1), peers, settings, 2)  # type: ignore[arg-type]


def test_every_engine_answers_each_prompt_once_whole_and_the_order_turns() -> None:
    log, found = clocked()
    for n in range(4):
        ids = tuple(range(10 + n))
        asked = [name for name, given, tokens in log if given == ids and tokens == 51]
        expected = {"ours", "ours, no lookup", "llama"} | ({"fp32"} if n % 2 == 0 else set())
        assert len(asked) == len(expected) and set(asked) == expected
    assert {name for name, _, tokens in log[:3]} == {"ours", "fp32", "llama"} and log[0][2] == 8  # warm
    # whatever was kept of a prompt is forgotten before it is ours to read it
    for at, (name, _, tokens) in enumerate(log):
        if name == "ours" and tokens == 51:
            assert log[at - 1][0] == "forget"
            assert [entry[0] for entry in log[at + 1 : at + 3]] == ["ours, no lookup", "ours"]
            assert log[at + 2][1] == (1, 2) and log[at + 2][2] == 2
    firsts = [next(w.by for w in found if w.question == f"q{n}") for n in range(4)]
    assert len(set(firsts)) > 1


def test_the_rows_are_the_ratios_that_the_clock_gives() -> None:
    _, found = clocked()
    rows = {(row.what, row.beside): row for row in generation.rows(found)}
    first = rows["first token, the engine alone", "llama.cpp"]
    assert first.ratio == pytest.approx(0.5) and first.reached is False
    slow = rows["first token, the engine alone (2 prompts)", "transformers fp32"]
    assert slow.ratio == pytest.approx(0.25) and slow.reached is True
    whole = rows["whole answer, the engine alone", "llama.cpp"]
    assert whole.ours == pytest.approx(statistics.median(0.1 * n + 5 for n in range(10, 14)))
    assert rows["tokens a second", "llama.cpp"].ratio == pytest.approx(2.0)
    assert rows["tokens a second", "without lookup"].ratio == pytest.approx(2.0)
    again = rows["another question on the same evidence, first token, the engine alone", "the first question"]
    assert again.ratio == pytest.approx(statistics.median(2 / n for n in range(10, 14)))
    assert rows["answers of ≥ 40 tokens by transformers fp32", "asked"].reached is True


def test_without_a_peer_the_rows_say_so() -> None:
    _, found = clocked()
    rows = generation.rows([w for w in found if w.by != "llama.cpp"])
    missing = [row for row in rows if row.beside == "llama.cpp: not installed"]
    assert len(missing) == 3 and all(row.reached is None and row.peer is None for row in missing)


def test_the_questions_are_possible_ones_each_once() -> None:
    chosen = prompts.chosen()
    assert len(set(chosen)) == len(chosen) and 0 < len(chosen) <= prompts.MOST
    order = prompts.possible()
    places = [order.index(question) for question in chosen]
    assert places == sorted(places)
    tails = (*prompts.TAILS, *prompts.ENGLISH_TAILS)
    stems = {q.question for q in sample_set().questions if not q.refuse}
    assert all(any(q.endswith(t) and q.removesuffix(t) in stems for t in tails) for q in chosen)


# --- exactness


def test_steps_are_counted_as_the_library_steps(seeds: Seeds) -> None:
    for seed in seeds(100):
        rng = random.Random(seed)
        a = torch.tensor(rng.uniform(-40, 40) * 10 ** rng.randint(-3, 0), dtype=torch.bfloat16)
        b, n = a, rng.randint(0, 300)
        up = torch.tensor(torch.inf, dtype=torch.bfloat16)
        for _ in range(n):
            b = torch.nextafter(b, up)
        assert exact.steps(float(a), float(b)) == exact.steps(float(b), float(a)) == n


def test_the_first_difference() -> None:
    assert exact.difference([1, 2, 3], [1, 2, 3]) is None
    assert exact.difference([], []) is None
    assert exact.difference([1, 2, 3], [1, 9, 3]) == 1
    assert exact.difference([1, 2, 3], [1, 2]) == 2
    assert exact.difference([1, 2], [1, 2, 3]) == 2


def test_a_near_tie_is_one_of_both_best_and_of_the_token_taken() -> None:
    logits = torch.full((10,), -5.0)
    logits[3], logits[4], logits[5] = 20.0, 20.25, 19.0
    assert exact.tie(logits, 3)
    assert not exact.tie(logits, 5)  # what was taken instead is far from the best
    logits[4] = 20.375
    assert not exact.tie(logits, 3)


# --- memory


def test_a_groups_processes_and_what_they_held_are_found() -> None:
    code = "x = bytearray(120_000_000); del x; print('held', flush=True); input()"
    child = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert child.stdout is not None and child.stdout.readline() == "held\n"
        with memory.Watch(os.getpgid(child.pid)) as watch:
            watch.look()
        (found,) = watch.most
        assert found.pid == child.pid
        assert found.peak >= 120_000_000 > found.now
    finally:
        child.communicate("\n", timeout=20)
    assert memory.group(child.pid) == ()


# --- page


def test_the_pages_rows_stand_beside_engines_on_the_same_questions() -> None:
    took = [page.Took(f"q{n}", 2.0, 8.4, 1.9, 8.0, 0.2 if n else None) for n in range(5)]
    engines = {"llama.cpp": {"q0": 8.0, "q3": 4.0, "q4": 2.0, "other": 1.0}}
    rows = page.rows(took, engines, 6)
    whole, llama, fp32, again = rows
    assert whole.ratio == pytest.approx(1.05) and "5 questions, 1 refused" in whole.what
    assert llama.ratio == pytest.approx(0.5) and llama.peer == 4.0
    assert fp32.beside == "transformers fp32: not measured" and fp32.reached is None
    assert again.ratio == pytest.approx(0.1) and "4 visits" in again.what


def test_paired_ratios() -> None:
    assert paired([1, 2, 9], [2, 2, 3]) == 1.0


@pytest.mark.parametrize("script", ["run", "page", "generation"])
def test_threads_are_told_to_sleep_before_pytorch_comes(script: str) -> None:
    told = """
import importlib.abc, os, runpy, sys
class Torch(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == "torch":
            print("told", os.environ.get("GOMP_SPINCOUNT"), flush=True)
            os._exit(0)
sys.meta_path.insert(0, Torch())
script = sys.argv[1]
sys.argv = [script, "--help"]
try:
    runpy.run_path(script, run_name="__main__")
except SystemExit:  # this one imports it later
    print("told", os.environ.get("GOMP_SPINCOUNT"))
"""
    env = {name: value for name, value in os.environ.items() if name not in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")}
    command = [sys.executable, "-c", told, str(run.ROOT / "tests" / "bench" / f"{script}.py")]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1:] == [f"told {SPIN}"], done.stderr
