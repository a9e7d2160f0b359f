"""What `tests/bench/likelihood.py` makes of an answer's tokens, and that a value that tells something lifts the mix."""

from pathlib import Path

import numpy as np
import pytest

from rag.types import Prompt, Segment
from tests.bench.likelihood import Told, compare, lines, signals, without_evidence
from tests.bench.refusal import Row


def test_the_least_is_that_of_numbers_and_of_every_token_where_there_is_none() -> None:
    found = signals(Told("a", ["共", "5", "天"], [-0.9, -0.4, -0.1], [-1.0, -3.4, -0.3], [0.5, 1.0, 0.1], [2.0, 0.3, 4.0]))  # fmt: skip
    assert found["least of numbers"] == -0.4 and found["numbers gained"] == pytest.approx(3.0)
    assert found["least given"] == -0.9 and found["least gained"] == pytest.approx(0.1)
    assert found["first entropy"] == 0.5 and found["margin"] == 0.3
    bare = signals(Told("b", ["共", "享"], [-0.9, -0.4], [-1.0, -3.4], [0.5, 1.0], [2.0, 0.3]))
    assert bare["least of numbers"] == bare["least given"] == -0.9


def test_only_the_sources_are_left_out_of_the_prompt() -> None:
    names = (("template", 1), ("rules", 2), ("evidence", 3), ("evidence", 1), ("question", 2), ("template", 1))
    segments = tuple(Segment(name, "", 0, 0, n) for name, n in names)  # type: ignore[arg-type]
    assert without_evidence(Prompt((), "", tuple(range(10)), segments, (), (), 0)) == [0, 1, 2, 7, 8, 9]


def test_before_the_first_run_nothing_is_known(tmp_path: Path) -> None:
    assert lines(tmp_path / "none.jsonl") == []


def test_a_value_that_tells_lifts_the_mix_and_noise_does_not() -> None:
    rng = np.random.default_rng(3)
    rows = []
    for kind, at in (("found", 1.0), ("none", 0.0), ("near", 0.0)):
        for n in range(40):
            values = {name: float(rng.normal(at * by)) for name, by in (("closest", 1), ("held", 1), ("carried", 0), ("tells", 3), ("noise", 0))}  # fmt: skip
            rows.append(Row(kind, f"{kind}{n}", values, kind == "found", False))
    area = {line.split()[0]: float(line.split("AUC ")[1][:5]) for line in compare(rows)}
    assert area["tells"] > area["as"] + 0.05 and area["noise"] < area["as"] + 0.02
