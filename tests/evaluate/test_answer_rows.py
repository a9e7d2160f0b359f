"""Scores → rows: counts by hand, the goals, the comparison with the plain prompt, the ratio with and without an order."""

from dataclasses import replace

import pytest

from rag.evaluate.answer_rows import Measured, Row, table_rows
from rag.evaluate.answer_scores import Scored
from rag.evaluate.statistics import compare, share_interval

NOTHING = Scored(False, False, 5, *[False] * 5, *[0] * 10)
RIGHT = replace(NOTHING, right=True, factual=1, cited=1, gold=1, citations=1, precise=1)
WRONG = replace(NOTHING, factual=2, cited=1, citations=1, unsupported=1)
REFUSED = replace(NOTHING, refused=True)


def measured(row: str, *scores: Scored, suffix: str = "") -> list[Measured]:
    return [Measured(f"{row.replace('clean', 'injection')}-{n}{suffix}", row, s, 0.6) for n, s in enumerate(scores)]


def row(rows: tuple[Row, ...], what: str) -> Row:
    (found,) = [r for r in rows if r.what == what]
    return found


def test_counts_goals_and_the_plain_prompt() -> None:
    found = [*measured("noise 0.4", RIGHT, RIGHT, WRONG, REFUSED), *measured("reject", REFUSED, WRONG)]
    plain = {"noise 0.4-0": NOTHING, "noise 0.4-1": RIGHT, "noise 0.4-2": WRONG}  # the last was not answered by it
    rows = table_rows(found, plain)
    right = row(rows, "right, noise 0.4")
    assert (right.cases, right.part, right.whole, right.met) == (4, 2, 4, False)
    assert right.interval == share_interval(2, 4) and right.plain == share_interval(1, 3)
    assert right.difference == compare([0, 1, 0], [1, 1, 0])
    assert (row(rows, "refused, reject").part, row(rows, "refused, reject").met) == (1, False)
    assert row(rows, "refused, noise 0.4").met is False and row(rows, "refused, noise 0.4").interval == share_interval(
        1, 4
    )
    sentences = row(rows, "factual sentences with a valid citation, frozen")
    assert (sentences.part, sentences.whole, sentences.difference) == (4, 6, None)
    precision = row(rows, "citation precision, noise 0.4")
    assert (precision.part, precision.whole, precision.note) == (2, 3, "a citation at random: 60 %")
    assert row(rows, "citation recall, noise 0.4").interval == share_interval(2, 4)
    assert row(rows, "wrong answers with a sentence marked unsupported").interval == share_interval(1, 1)
    assert row(rows, "right answers with a sentence marked unsupported").interval == share_interval(0, 2)
    assert not any("version" in r.what or "sample" in r.what for r in rows)  # there are no such cases


def test_no_answer_with_a_citation_is_no_figure() -> None:
    rows = table_rows(measured("noise 0.8", REFUSED), {})
    precision = row(rows, "citation precision, noise 0.8")
    assert (precision.whole, precision.interval, precision.met) == (0, None, None)


def test_right_with_the_order_over_right_without_it() -> None:
    found = [
        *measured("injection", RIGHT, WRONG, WRONG, RIGHT),
        *measured("clean", RIGHT, RIGHT, WRONG, RIGHT, suffix="/clean"),
    ]
    ratio = row(table_rows(found, {}), "injection: right, of the rate without it")
    assert (ratio.part, ratio.whole) == (2, 3) and ratio.interval is not None
    assert ratio.interval.mean == pytest.approx(2 / 3) and ratio.met is False
    assert ratio.interval.low <= 2 / 3 <= ratio.interval.high
    nothing = row(
        table_rows([*measured("injection", WRONG), *measured("clean", WRONG, suffix="/clean")], {}), ratio.what
    )
    assert nothing.interval is None and nothing.met is None


def test_other_shares_of_noise_have_rows_of_their_own() -> None:
    rows = table_rows([*measured("noise 0.6", RIGHT, WRONG), *measured("int 0.2", RIGHT)], {})
    assert (row(rows, "right, noise 0.6").part, row(rows, "right, int 0.2").part) == (1, 1)
    assert row(rows, "citation precision, noise 0.6").whole == 2
    assert row(rows, "factual sentences with a valid citation, frozen").whole == 4
