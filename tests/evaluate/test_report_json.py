"""The report for machines: its figures are the run's, and its rows add up to them."""

import json
from dataclasses import asdict, replace
from datetime import date, timedelta
from typing import Any

import pytest

from rag.config import SearchSettings
from rag.evaluate.experiment import Experiment
from rag.evaluate.figures import figures
from rag.evaluate.report import to_json
from rag.evaluate.run import GIVEN
from rag.evaluate.summary import COMPARED, MEASURES
from rag.evaluate.threshold import curve, suggested
from rag.evaluate.variants import with_value
from tests.evaluate.kit import QUESTIONS, REFUSAL, bench, ran


@pytest.fixture(scope="module")
def done() -> Experiment:
    wider = with_value(bench().settings, "search.packed", "3")
    return ran(variants=[wider])


@pytest.fixture(scope="module")
def data(done: Experiment) -> Any:
    return json.loads(to_json(done))


def test_what_was_run(done: Experiment, data: Any) -> None:
    run = done.runs[0]
    assert data["date"] == run.started.isoformat(timespec="seconds") and data["date"].endswith("+00:00")
    assert data["questions"] == {"name": "kit", "n": 6, "answer": 3, "refusal": 2, "unknown": 1, "drafts": 0}
    assert (data["complete"], data["asked"], data["given"], data["k"]) == (True, 12, list(GIVEN), 10)
    assert data["models"] == {
        "encoder": {"model": "bigrams"},
        "encoder_fingerprint": "bigrams",
        "generator": {"model": "reply", "dtype": "none", "device": "none"},
    }
    first = data["runs"][0]
    assert first["settings"] == dict(run.settings.lines()) and first["settings_hash"] == run.settings.hash()
    assert first["corpus"] == {"id": run.bench.corpus.corpus_id, "documents": 3, "chunks": 3}
    assert first["groups"] == ["public"]
    assert first["peak_memory_of_the_process_mb"] > 20
    assert 0 < first["overhead_seconds"] < first["seconds"]


def test_figures_are_those_of_the_run(done: Experiment, data: Any) -> None:
    for run, written in zip(done.runs, data["runs"], strict=True):
        measured = figures(run)
        assert list(written["figures"]) == list(measured)
        for name, interval in measured.items():
            assert written["figures"][name] == pytest.approx(
                {"mean": interval.mean, "low": interval.low, "high": interval.high, "n": interval.n}, abs=5e-5
            )
        for stage in written["stages"]:
            assert all(stage[m] == written["figures"][f"{stage['stage']}.{m}"] for m in MEASURES)


def test_tables_can_be_counted_from_the_rows(data: Any) -> None:
    first = data["runs"][0]
    rows = first["outcomes"]
    for table in first["categories"]:
        own = [row for row in rows if row["category"] == table["name"]]
        found = [a for row in own for a in row["answers"] if a["given"] == "retrieved"]
        assert table["questions"] == len(own)
        assert table["evidence"] == sum(row["evidence"] is True for row in own)
        assert table["correct"] == sum(a["correct"] is True for a in found)
        assert table["verdicts"]["wrong"] == sum(a["verdict"] == "wrong" for a in found)
    assert sum(table["questions"] for table in first["categories"]) == len(rows) == 6
    assert first["blame"] == {"n": 3, "right": 1, "search": 1, "distracted": 0, "model": 1, "by_heart": 1}
    assert [a["given"] for a in first["answers"]] == list(GIVEN)
    assert {step["step"] for step in first["steps"]} >= {"lexical", "generate"}


def test_a_row_tells_a_question_whole(data: Any) -> None:
    rows = {row["id"]: row for row in data["runs"][0]["outcomes"]}
    lost = rows["lost"]
    assert (lost["expects"], lost["evidence"], lost["failed"], lost["packed"]) == (
        "answer",
        False,
        True,
        ["parking@2026:0-8"],
    )
    assert [(s["stage"], s["n"], s["first_relevant"]) for s in lost["stages"]] == [
        ("lexical", 3, 2),
        ("packed", 1, None),
    ]
    assert (lost["diagnosis"]["step"], lost["diagnosis"]["cause"]) == ("k", "beyond_k")
    assert set(lost["diagnosis"]["words"]) == {"en", "zh"} and lost["diagnosis"]["advice"]["zh"]
    gold = next(a for a in lost["answers"] if a["given"] == "gold")
    assert (gold["verdict"], gold["text"], gold["finish"], gold["citations"]) == ("right", "每年15天[S1]。", "end", 1)
    assert gold["points"] == [{"point": "15天", "said": True}]
    assert (gold["tokens"], gold["seconds"], gold["seconds_to_first"]) == (10, 0.5, 0.25)
    assert rows["leave"]["diagnosis"] is None and not rows["leave"]["failed"]
    assert rows["canteen"]["answers"][0]["text"] == REFUSAL


def test_a_threshold_is_told_with_what_each_point_does(data: Any) -> None:
    assert data["threshold"] is None  # no vectors
    fused = ran(given=(), on=bench(search=SearchSettings(packed=3)))
    written, outcomes = json.loads(to_json(fused))["threshold"], fused.runs[0].outcomes
    points = curve(outcomes, fused.runs[0].bench)
    assert len(written["curve"]) == len(points) > 10
    for row, point in zip(written["curve"], points, strict=True):
        assert row == pytest.approx(asdict(point), abs=5e-5)
    assert written["suggested"] == pytest.approx(suggested(points), abs=5e-5)
    last = written["curve"][-1]
    passing = [any((c.cosine or 0) >= last["threshold"] for c in o.retrieval.candidates) for o in outcomes]
    refusing = [not passes for passes, question in zip(passing, QUESTIONS, strict=True) if question.refuse]
    assert last["refused_unanswerable"] == sum(refusing) / len(refusing)


def test_drafts_and_earlier_questions_are_told() -> None:
    asked = (replace(QUESTIONS[0], draft=True, history=("年假由谁批？", "要几天前申请？")), QUESTIONS[1])
    written = json.loads(to_json(ran(asked, given=())))
    assert written["questions"]["drafts"] == 1
    assert [row["history"] for row in written["runs"][0]["outcomes"]] == [["年假由谁批？", "要几天前申请？"], []]


def test_the_day_is_the_one_that_was_searched() -> None:
    later, earlier, own = date.today() + timedelta(days=400), date(2020, 5, 1), date(2024, 3, 4)
    asked = [replace(q, as_of=day) for q, day in zip(QUESTIONS, (later, earlier, None), strict=False)]
    rows = json.loads(to_json(ran(asked, given=())))["runs"][0]["outcomes"]
    assert [row["as_of_asked"] for row in rows] == [str(later), str(earlier), None]
    assert [row["as_of"] for row in rows] == [str(date.today()), str(earlier), None]
    on = bench(search=SearchSettings(mode="lexical", as_of=own, scope="newest"))
    rows = json.loads(to_json(ran(asked, given=(), on=on)))["runs"][0]["outcomes"]
    assert [row["as_of"] for row in rows] == [str(own), str(earlier), str(own)]


def test_comparisons_name_the_questions(data: Any) -> None:
    (compared,) = data["comparisons"]
    assert compared["name"] == "packed 1 → 3"
    assert set(compared["measures"]) == set(COMPARED)
    evidence = compared["measures"]["evidence"]
    assert (evidence["gained"], evidence["lost"], evidence["noise"], evidence["n"]) == (["lost"], [], True, 3)
