"""The Answer tab: what stands behind a sentence is marked, and a mark says on which words it rests."""

import random
from dataclasses import astuple, replace
from typing import get_args

import pytest

from rag.ask.cite import cite, sources
from rag.ask.tried import CLOSE, FULL, NEAR
from rag.ask.verify import ENOUGH
from rag.config import SplitSettings
from rag.corpus.index import Corpus, build
from rag.types import Answer, ClueKind, Evidence, Prompt, Trace
from rag.ui import answer as answer_tab
from rag.ui import panels, render
from rag.ui.strings import TABLE
from tests import hostile
from tests.ui.markup import PAYLOADS, document, harmless, untagged

LEAVE = "员工入职满一年后，每年可享受15天带薪年假。未休完的年假不得跨年累计。"
MONEY = "办公设备报销额度为每人每年3000元。"


def setting(*texts: str) -> tuple[Corpus, list[Evidence]]:
    documents = [document(t, version=f"v{i}") for i, t in enumerate(texts)]
    corpus = build(documents, SplitSettings(size=400, overlap=0), None)
    packed = [Evidence(f"S{i}", c, f"[S{i}]", ((c.start, c.end),)) for i, c in enumerate(corpus.chunks, 1)]
    return corpus, packed


def answered(text: str, corpus: Corpus, packed: list[Evidence]) -> Answer:
    cited = cite(text, sources(packed, corpus.documents), True)
    prompt = Prompt((), "", (), (), tuple(packed), (), 10)
    return Answer(text, cited.citations, cited.sentences, prompt, Trace((), (), ""), True, "end", 1, 0.1, 0.2)


def test_a_number_in_no_source_is_wrong_at_once_and_the_closest_is_a_button() -> None:
    corpus, packed = setting(LEAVE, MONEY)
    made = render.answer_segments(answered("每年可享受99天带薪年假。", corpus, packed), "zh")
    assert [p["t"] for p in made if p["k"] == "wrong"] == ["99天"]
    [closest] = [p for p in made if p["k"] == "closest"]
    assert closest["m"] == "S1" and "S1" in closest["t"]
    [mark] = [p for p in made if p["k"] == "mark"]
    assert mark["s"] == "none" and mark["t"] == TABLE["answer.mark_none"].zh


def test_what_the_model_cites_and_what_the_system_adds_look_different() -> None:
    corpus, packed = setting(LEAVE, MONEY)
    written = "每年可享受15天带薪年假[S1]。每人每年3000元。每年可享受15天带薪年假[S2]。"
    made = render.answer_segments(answered(written, corpus, packed), "en")
    assert [(p["k"], p["m"]) for p in made if "m" in p] == [
        ("model", "S1"),
        ("system", "S2"),
        ("model", "S2"),
        ("system", "S1"),
    ]
    assert [p["s"] for p in made if p["k"] == "mark"] == ["cited", "cited", "other"]
    assert "".join(p["t"] for p in made if p["k"] in ("text", "bare", "wrong", "model", "invalid")) == written


def test_the_mark_explains_with_the_words_that_decided() -> None:
    corpus, packed = setting(LEAVE, MONEY)
    shown = answered("每年可享受99天带薪年假。", corpus, packed)
    view = answer_tab.why_view(0, shown, corpus, "zh")
    assert view is not None
    said = untagged(view)
    assert TABLE["answer.method"].zh.split("{")[0] in said and "99天" in said and "15天" in said
    assert TABLE["clue.no"].zh in said and '<span class="wrong">99天</span>' in view
    carried = answer_tab.why_view(0, answered("每年可享受15天带薪年假[S1]。", corpus, packed), corpus, "en")
    assert carried is not None and '<span class="no">' not in carried and '<span class="yes">' in carried
    assert answer_tab.why_view(5, shown, corpus, "zh") is None
    assert answer_tab.why_view(0, answered("[S1]", corpus, packed), corpus, "zh") is None


def test_the_method_is_told_with_the_figures_that_are_used() -> None:
    corpus, packed = setting(LEAVE, MONEY)
    view = answer_tab.why_view(0, answered("每年可享受15天带薪年假。", corpus, packed), corpus, "en")
    assert view is not None
    for figure in (f"{x:.0%}" for x in (ENOUGH, CLOSE, NEAR, FULL)):
        assert figure in view


def test_what_stands_in_another_source_than_the_compared_one_is_said_to() -> None:
    corpus, packed = setting(LEAVE, MONEY)
    view = answer_tab.why_view(0, answered("每年可享受15天带薪年假，凭发票报销[S1]。", corpus, packed), corpus, "en")
    there = answer_tab.why_view(0, answered("每年可享受15天带薪年假，办公设备[S1]。", corpus, packed), corpus, "en")
    assert view is not None and there is not None
    assert TABLE["clue.nowhere"].en in view
    assert TABLE["clue.elsewhere"].en.format(marker="S2", words="办公设备") in there


def test_every_clue_on_a_sentence_as_a_whole_has_its_words() -> None:
    for kind in get_args(ClueKind):
        assert f"clue.{kind}" in TABLE
    for kind in ("words", "terms", "asked", "far", "fewer", "less"):
        assert all("{found}" in said and "{least}" in said for said in astuple(TABLE[f"clue.share_{kind}"]))


def test_what_was_withdrawn_stays_one_click_away_with_its_marks(seeds) -> None:
    corpus, packed = setting(LEAVE, MONEY)
    assert answer_tab.withdrawn_view(answered("每年15天。", corpus, packed), corpus, "zh") == ""
    for seed in seeds(30):
        rng = random.Random(seed)
        written = answered("每年可享受99天带薪年假[S1]。" + rng.choice(PAYLOADS) + hostile.text(rng, 4), corpus, packed)
        refused = replace(written, text="没有", citations=(), sentences=(), withdrawn=written)
        view = answer_tab.withdrawn_view(refused, corpus, "zh")
        harmless(view)
        assert view.startswith("<details") and "99天" in view and TABLE["answer.mark_none"].zh in untagged(view)


@pytest.mark.parametrize("text", ["[S1]", "[1]", "[S1][S2]"])
def test_markers_alone_are_no_finished_answer_with_a_source(text: str) -> None:
    corpus, packed = setting(LEAVE, MONEY)
    shown = answered(text, corpus, packed)
    assert shown.says_nothing
    line = panels.answer_line(shown, "zh")
    assert TABLE["answer.nothing"].zh in line and "doubt" in line
    assert not answered("每年15天。", corpus, packed).says_nothing


def test_hostile_answers_and_sources_stay_text(seeds) -> None:
    for seed in seeds(60):
        rng = random.Random(seed)
        corpus, packed = setting(LEAVE + rng.choice(PAYLOADS), hostile.text(rng, 6) + "年假15天。")
        shown = answered(rng.choice(PAYLOADS) + "每年可享受99天带薪年假[S1]。" + hostile.text(rng, 4), corpus, packed)
        made = render.answer_segments(shown, "zh")
        assert "".join(p["t"] for p in made if p["k"] in ("text", "bare", "wrong", "model", "invalid")) == shown.text
        for sentence in shown.sentences:
            view = answer_tab.why_view(sentence.start, shown, corpus, "zh")
            if view is not None:
                harmless(view)
