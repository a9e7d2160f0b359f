"""The Answer tab: what stands behind a sentence is marked, and a mark says on which words it rests."""

import random

import pytest

from rag.ask.cite import cite, sources
from rag.config import SplitSettings
from rag.corpus.index import Corpus, build
from rag.types import Answer, Evidence, Prompt, Trace
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
