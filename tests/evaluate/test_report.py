"""The report as a page: it says what the figures say, needs nothing else, and obeys nothing it quotes."""

import json
import random
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest
from bs4 import BeautifulSoup

from rag.config import SearchSettings
from rag.evaluate.experiment import Experiment
from rag.evaluate.figures import figures
from rag.evaluate.questions import Label, Question
from rag.evaluate.report import to_html, to_json
from rag.evaluate.run import Bench
from rag.evaluate.threshold import curve, suggested
from rag.evaluate.variants import with_value
from rag.evaluate.words import WORDS
from rag.types import Document
from tests import hostile
from tests.evaluate.kit import DOCUMENTS, LEAVE, QUESTIONS, REFUSAL, bench, ran, script
from tests.fake_models import FakeModels

LANGUAGES = ("zh", "en")


@pytest.fixture(scope="module")
def done() -> Experiment:
    wider = with_value(bench().settings, "search.packed", "3")
    return ran(variants=[wider])


@pytest.fixture(scope="module")
def data(done: Experiment) -> Any:
    return json.loads(to_json(done))


def page(experiment: Experiment, language: str = "en") -> BeautifulSoup:
    return BeautifulSoup(to_html(experiment, language), "lxml")  # type: ignore[arg-type]


def lines(soup: BeautifulSoup) -> str:
    return " ".join(soup.get_text(" ").split())


# ---- the page


def test_the_same_experiment_gives_the_same_bytes(done: Experiment) -> None:
    assert to_json(done) == to_json(done)
    for language in LANGUAGES:
        assert to_html(done, language) == to_html(done, language)  # type: ignore[arg-type]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_says_what_the_figures_say(done: Experiment, language: str) -> None:
    soup = page(done, language)
    said = lines(soup)
    for name, interval in figures(done.runs[0]).items():
        if not name.endswith("refused_rightly"):  # there as counts
            assert f"{interval.mean:.3f} [{interval.low:.3f}, {interval.high:.3f}]" in said, name
    for question in QUESTIONS:
        assert question.id in said and question.question in said
    assert done.runs[0].started.strftime("%Y-%m-%d %H:%M:%S UTC") in said
    assert done.runs[0].settings.hash() in said and "search.packed" in said
    assert "2 / 3 66.7%" in said and "2 / 5 40.0%" in said
    assert soup.html is not None and soup.html["lang"] == {"zh": "zh-CN", "en": "en"}[language]
    assert ("各阶段找到的依据" in said) == (language == "zh")
    names = [h.get_text() for h in soup.find_all("h2")]
    assert len(names) == len(set(names)) == 8
    assert len(soup.find_all("svg")) == 2


def test_with_vectors_there_are_scores_and_a_threshold_curve() -> None:
    fused = ran(given=(), on=bench(search=SearchSettings(packed=3)))
    soup = page(fused)
    assert [svg.title.get_text() for svg in soup.find_all("svg")] == [
        WORDS[f"report.{name}"].en for name in ("stages", "latency", "distribution", "curve")
    ]
    best = suggested(curve(fused.runs[0].outcomes, fused.runs[0].bench))
    assert WORDS["report.leave_off"].en in lines(soup) if best is None else f"is {best:.3f}:" in lines(soup)


def test_failed_questions_have_a_card_with_words_and_advice(done: Experiment, data: Any) -> None:
    soup = page(done)
    failures = next(s for s in soup.find_all("section") if s.h2.get_text() == WORDS["report.failures"].en)
    cards = {
        card.find(class_="id").get_text(): " ".join(card.get_text(" ").split())
        for card in failures.find_all(class_="card")
    }
    rows = {row["id"]: row for row in data["runs"][0]["outcomes"]}
    assert list(cards) == [name for name, row in rows.items() if row["failed"]] == ["money", "lost", "bonus"]
    for name, card in cards.items():
        assert rows[name]["diagnosis"]["words"]["en"] in card
        assert rows[name]["diagnosis"]["advice"]["en"] in card
    assert "每人每年5000元。" in cards["money"]
    assert "the answer 2" in lines(failures) and "k 1" in lines(failures)


def test_all_questions_are_in_one_table_with_their_answers(done: Experiment) -> None:
    (table,) = page(done).find_all("table", class_="questions")
    rows = table.tbody.find_all("tr", recursive=False)
    assert [row.find(class_="id").get_text() for row in rows] == [q.id for q in QUESTIONS]
    lost = rows[2]
    assert [cell.get_text(" ", strip=True) for cell in lost.find_all("td")[1:]] == ["✗", "✗ wrong"]
    assert [p.get_text() for p in lost.find_all(class_="said")] == [
        "不清楚[S9]。",
        "每年15天[S1]。",
        "不清楚[S9]。",
        "不清楚[S9]。",
    ]
    assert all(p.find_parent("details") for p in table.find_all(class_="said"))


def assert_self_contained(text: str) -> None:
    soup = BeautifulSoup(text, "lxml")
    assert not soup.find_all(["script", "link", "img", "iframe", "object", "embed", "base", "form", "audio", "video"])
    for element in soup.find_all(True):
        for name, value in element.attrs.items():
            written = " ".join(value) if isinstance(value, list) else value
            assert not name.lower().startswith("on"), (element.name, name)
            if not name.startswith("xmlns"):
                assert not re.search(r"https?:|//|javascript:|data:", written), (name, written)
            if name in ("href", "xlink:href", "src"):
                assert written.startswith("#")
    styles = "".join(s.get_text() for s in soup.find_all("style"))
    assert "url(" not in styles and "@import" not in styles
    ids = [element["id"] for element in soup.find_all(id=True)]
    assert len(ids) == len(set(ids))


def test_a_page_needs_nothing_else(done: Experiment) -> None:
    for language in LANGUAGES:
        text = to_html(done, language)  # type: ignore[arg-type]
        assert_self_contained(text)
        assert not re.findall(r"https?://(?!www\.w3\.org/)", text)  # the names of SVG, no addresses


def test_the_self_containment_check_can_fail() -> None:
    for bad in (
        "<script>1</script>",
        '<img src="a.png">',
        '<p onclick="x">',
        '<a href="//a.b">',
        "<p id=a></p><p id=a></p>",
    ):
        with pytest.raises(AssertionError):
            assert_self_contained(f"<html><body>{bad}</body></html>")


# ---- what may be missing


@pytest.mark.parametrize("language", LANGUAGES)
def test_less_than_everything(language: str) -> None:
    whole = ran()
    nothing = replace(whole.runs[0], outcomes=(), complete=False, memory=None)
    no_models = replace(bench(), models=FakeModels(None, None))  # type: ignore[arg-type]
    for experiment, said in (
        (Experiment((nothing,), 1), "report.no_labels"),
        (ran(QUESTIONS[5:], given=()), "report.no_labels"),
        (ran(given=(), on=no_models), "report.no_generator"),
        (ran(given=("gold",)), "report.rule_answers"),
        (ran(QUESTIONS[:1], given=()), "report.failures_none"),
    ):
        assert WORDS[said].of(language) in lines(page(experiment, language))  # type: ignore[arg-type]
        assert json.loads(to_json(experiment))["runs"]
    soup = page(Experiment((nothing,), 2), language)
    assert WORDS["report.partial"].of(language).format(asked=0, planned=12) in lines(soup)  # type: ignore[arg-type]
    assert json.loads(to_json(Experiment((nothing,), 2)))["complete"] is False


def test_nothing_packed_is_said_with_its_reason() -> None:
    on = bench(search=SearchSettings(threshold=1.0))
    experiment = ran(QUESTIONS[:1], given=("retrieved",), on=on)
    row = json.loads(to_json(experiment))["runs"][0]["outcomes"][0]["answers"][0]
    assert row["text"] is None and row["problem"]["zh"] and row["verdict"] == "refused"
    assert row["problem"]["en"] in lines(page(experiment))


def test_an_answer_that_cites_badly_is_told_apart_from_a_failure() -> None:
    experiment = ran(QUESTIONS[:1], given=("retrieved",), on=bench(says=lambda prompt: "每年15天[S7]。"))
    row = json.loads(to_json(experiment))["runs"][0]["outcomes"][0]
    assert not row["failed"] and row["diagnosis"]["step"] == "citation"
    said = lines(page(experiment))
    assert WORDS["report.citations"].en.format(n=1) in said and row["diagnosis"]["words"]["en"] in said


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_day_is_the_one_that_was_searched(language: str) -> None:
    later, earlier = date.today() + timedelta(days=400), date(2020, 5, 1)
    asked = [replace(q, as_of=day) for q, day in zip(QUESTIONS, (later, earlier), strict=False)]
    (table,) = page(ran(asked, given=()), language).find_all("table", class_="questions")
    first, second = (lines(row) for row in table.tbody.find_all("tr", recursive=False))
    as_of, note = (WORDS[f"report.{name}"].of(language) for name in ("as_of", "later_day"))  # type: ignore[arg-type]
    assert f"{as_of} {date.today()} {note.format(day=later)}" in first
    assert f"{as_of} {earlier}" in second and str(date.today()) not in second and note[:5] not in second


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_blame_tells_a_distracted_model_from_a_missed_passage(done: Experiment, language: str) -> None:
    on = bench(says=lambda prompt: "不清楚。" if "[S2]" in prompt else script(prompt), search=SearchSettings(packed=3))
    distracted = ran(QUESTIONS[2:3], given=("gold", "retrieved"), on=on)
    for experiment, counts in ((done, (3, 1, 1, 0, 1)), (distracted, (1, 0, 0, 1, 0))):
        facts = dict(zip(("n", "right", "search", "distracted", "model"), counts, strict=True))
        assert WORDS["report.blame"].of(language).format(**facts) in lines(page(experiment, language))  # type: ignore[arg-type]


def test_a_refusal_without_points_has_its_card() -> None:
    asked = [replace(QUESTIONS[0], points=())]
    soup = page(ran(asked, given=("retrieved",), on=bench(says=lambda prompt: REFUSAL)))
    (card,) = next(s for s in soup.find_all("section") if s.h2.get_text() == WORDS["report.failures"].en).find_all(
        class_="card"
    )
    assert "The evidence was in the prompt, but the answer is that the material does not say" in lines(card)


# ---- hostile text


def evil(rng: random.Random) -> tuple[Bench, tuple[Question, ...]]:
    """A document, its questions and answers in which every text is hostile."""
    title, name = hostile.line(rng) or "t", hostile.line(rng) or "f"
    document = Document("d", hostile.line(rng, 1), "d@1", "own", title, name, f"{LEAVE}{hostile.text(rng)}", file=name)
    asked = tuple(
        Question(
            id=f"{i}{hostile.text(rng, 3)}",
            question=f"年假{hostile.text(rng)}",
            category=hostile.text(rng, 2),
            relevant=(Label(name, rng.choice((LEAVE, hostile.line(rng)))),),
            points=(f"点{hostile.line(rng)}",),
            never=(f"不{hostile.line(rng)}",),
            history=(f"前{hostile.line(rng)}",),
        )
        for i in range(3)
    )
    replies = [hostile.text(rng) + "[S1]。\ud800" for _ in range(3)]
    return bench((document, *DOCUMENTS[1:]), lambda prompt: rng.choice(replies)[:150]), asked


def shown(text: str) -> str:
    """A text as a page shows it: what it cannot hold or must not obey made visible, white space aside."""
    marked = "".join(
        f"[U+{ord(c):04X}]" if c in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069" else c for c in text
    )
    return re.sub(r"[\s\ufffd\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]+", "", marked)


def test_hostile_text_is_shown_and_not_obeyed(seeds: Callable[[int], range]) -> None:
    plain = {e.name for e in page(ran()).find_all(True)} | {
        "p",
        "ul",
        "li",
        "details",
        "summary",
        "use",
        "defs",
        "clippath",
    }
    for seed in seeds(100):
        on, asked = evil(random.Random(seed))
        experiment = ran(asked, given=("gold", "retrieved"), on=on, name=hostile.text(random.Random(seed)))
        text = to_html(experiment, LANGUAGES[seed % 2])  # type: ignore[arg-type]
        text.encode("utf-8")
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069\ufffe\uffff]", text)
        assert_self_contained(text)
        soup = BeautifulSoup(text, "lxml")
        assert {e.name for e in soup.find_all(True)} <= plain
        said = shown(soup.get_text())
        for outcome in experiment.runs[0].outcomes:
            assert shown(outcome.question.question) in said
            for answered in outcome.answers:
                assert answered.answer is None or shown(answered.answer.text) in said
        rows = json.loads(to_json(experiment).encode("utf-8"))["runs"][0]["outcomes"]
        assert [row["question"] for row in rows] == [question.question for question in asked]
        assert [row["answers"][-1]["text"] for row in rows] == [
            a.answer and a.answer.text for o in experiment.runs[0].outcomes if (a := o.answered("retrieved"))
        ]
