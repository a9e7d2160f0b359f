"""A threshold tells beforehand what setting it would do."""

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from rag.config import SearchSettings, SelectSettings
from rag.evaluate.plots import ThresholdPoint
from rag.evaluate.questions import Label, Question
from rag.evaluate.run import Outcome
from rag.evaluate.threshold import at, cosines, curve, suggested
from tests.evaluate.kit import DOCUMENTS, QUESTIONS, bench, ran

THREE = bench(search=SearchSettings(packed=3))


@pytest.fixture(scope="module")
def vectors() -> tuple[Outcome, ...]:
    """The same questions with vectors, all three documents in the prompt."""
    return ran(on=THREE, given=()).runs[0].outcomes


def test_cosines_are_those_of_labelled_questions(vectors: tuple[Outcome, ...]) -> None:
    found = cosines(vectors)
    expected: dict[bool, list[float]] = {True: [], False: []}
    for outcome, holder in zip(vectors[:3], ("leave@2026", "money@2026", "leave@2026"), strict=True):
        for candidate in outcome.retrieval.candidates:
            expected[candidate.chunk.key == holder].append(candidate.cosine or 0.0)
    assert sorted(found.relevant) == sorted(expected[True]) and len(found.relevant) == 3
    assert sorted(found.irrelevant) == sorted(expected[False]) and len(found.irrelevant) == 6


def test_a_threshold_does_what_it_would_do_when_set(
    vectors: tuple[Outcome, ...], seeds: Callable[[int], range]
) -> None:
    found = sorted(c.cosine for o in vectors for c in o.retrieval.candidates if c.cosine is not None)
    for seed in seeds(60):
        threshold = random.Random(seed).choice([*found, found[0] - 0.1, found[-1] + 0.1])
        (point,) = at(vectors, THREE, threshold)
        really = ran(on=bench(search=SearchSettings(packed=3, threshold=threshold)), given=()).runs[0].outcomes
        kept = [o.evidence for o in really if o.evidence is not None]
        nothing = [o.retrieval.prompt is None or not o.retrieval.prompt.packed for o in really]
        assert point.evidence == sum(kept) / 3
        assert point.refused_answerable == sum(nothing[:3]) / 3
        assert point.refused_unanswerable == sum(nothing[3:5]) / 2


# the same clause in three documents, and a long one, in which a clause is cut in two
LONG = (
    "报销范围包括下列各项，" * 18 + "含键盘、鼠标、显示器、耳机与扩展坞" + "以及经部门负责人批准的其他办公用品，" * 12
)
REPEATED = (
    *DOCUMENTS,
    *(replace(DOCUMENTS[0], doc_id=f"copy{i}", key=f"copy{i}@2026", file=f"copy{i}.txt") for i in range(2)),
    replace(DOCUMENTS[1], doc_id="long", key="long@2026", file="long.txt", text=LONG),
)
ASKED = (
    *QUESTIONS,
    Question(
        "both",
        "员工入职满一年，每年可享受几天带薪年假？办公设备报销额度呢？",
        "a",
        (Label("leave.txt", "15天带薪年假", need=1), Label("money.txt", "每人每年3000元", need=2)),
    ),
    Question("long", "报销范围包括下列各项，含键盘、鼠标、显示器吗？", "a", (Label("long.txt", LONG[100:300]),)),
)


@pytest.mark.parametrize(
    "select",
    [
        SelectSettings(),
        SelectSettings(near_duplicates=False),
        SelectSettings(mmr=0.4),
        SelectSettings(mmr=0.6, rerank="overlap", rerank_top=3),
        SelectSettings(near_duplicates=False, per_document=1, rerank="overlap"),
        SelectSettings(neighbours=True),
    ],
    ids=["repeats", "all", "mmr", "rerank-mmr", "per-document", "neighbours"],
)
def test_it_tells_what_all_that_follows_the_threshold_does(select: SelectSettings) -> None:
    plain = bench(REPEATED, search=SearchSettings(packed=2))
    wide = replace(plain.settings.generate, context_limit=32768)  # the token budget is left aside
    on = replace(plain, settings=replace(plain.settings, select=select, generate=wide))
    outcomes = ran(ASKED, on=on, given=()).runs[0].outcomes
    found = sorted({round(c.cosine, 3) for o in outcomes for c in o.retrieval.candidates if c.cosine is not None})
    for threshold, point in zip(found[::3], at(outcomes, on, *found[::3]), strict=True):
        set_ = replace(on, settings=replace(on.settings, search=replace(on.settings.search, threshold=threshold)))
        really = ran(ASKED, on=set_, given=()).runs[0].outcomes
        kept = [o.evidence for o in really if o.evidence is not None]
        nothing = [o.retrieval.prompt is None or not o.retrieval.prompt.packed for o in really]
        assert point.evidence == sum(kept) / len(kept), threshold
        assert point.refused_unanswerable == sum(nothing[3:5]) / 2
        assert at(really, set_, threshold) == (point,)  # also from the run that had it set


def test_a_curve_runs_from_the_least_cosine_to_the_greatest(vectors: tuple[Outcome, ...]) -> None:
    points = curve(vectors, THREE)
    assert [p.threshold for p in points] == sorted(p.threshold for p in points)
    assert points[0].evidence == 1 and points[0].refused_answerable == 0
    assert all(a.evidence >= b.evidence for a, b in zip(points, points[1:], strict=False))
    assert all(a.refused_unanswerable <= b.refused_unanswerable for a, b in zip(points, points[1:], strict=False))
    assert curve((), THREE) == ()


def test_a_threshold_is_suggested_only_when_it_is_of_use() -> None:
    def point(threshold: float, evidence: float, refused: float, wrongly: float = 0) -> ThresholdPoint:
        return ThresholdPoint(threshold, evidence, wrongly, refused)

    assert suggested([point(0.1, 1, 0), point(0.2, 1, 0.5), point(0.3, 1, 0.5), point(0.4, 0.2, 1)]) == 0.2
    assert suggested([point(0.1, 1, 0), point(0.2, 0.94, 0.9)]) is None
    assert suggested([point(0.1, 0, 0), point(0.2, 0, 0.9)]) is None  # nothing is labelled: nobody knows what is lost
    assert suggested([point(0.1, 1, 0), point(0.2, 1, 0.4, 0.04), point(0.3, 1, 0.9, 0.3)]) == 0.2
    assert suggested([]) is None
    assert suggested([point(0.1, 0.8, 0.1), point(0.2, 0.77, 0.3), point(0.3, 0.7, 1)]) == 0.2
    assert suggested([]) is None
