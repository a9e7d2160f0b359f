"""What is counted of an answer: hand-made answers with hand-made citations, and bounds that hold for any text."""

import random
from dataclasses import replace

import pytest

from rag.evaluate.answer_cases import Wanted
from rag.evaluate.answer_scores import score
from rag.types import Answer, Chunk, Citation, Difference, Document, Evidence, Prompt, Sentence, Side, Trace
from tests import hostile

TEXTS = {
    "a": "员工入职满一年后，每年可享受15天带薪年假。",
    "b": "食堂十一点半开门，凭工牌就餐。",
    "c": "The canteen opens at noon.",
}
DOCUMENTS = {f"{k}@1": Document(k, "1", f"{k}@1", "own", k, k, text) for k, text in TEXTS.items()}
CHUNKS = [Chunk(f"{k}@1:0-{len(t)}", f"{k}@1", 0, len(t), t, "", 0, None, ()) for k, t in TEXTS.items()]
A, B, C = (chunk.chunk_id for chunk in CHUNKS)
WANTED = Wanted((("15天", "十五天"),))


def answer(text: str, sentences: list[tuple[int, int, str]], citations: list[Citation] = []) -> Answer:  # noqa: B006
    packed = tuple(
        Evidence(f"S{n}", chunk, f"[S{n}]", ((chunk.start, chunk.end),)) for n, chunk in enumerate(CHUNKS, 1)
    )
    prompt = Prompt((), "", (), (), packed, (), 0)
    read = tuple(Sentence(a, b, kind) for a, b, kind in sentences)  # type: ignore[arg-type]
    return Answer(text, tuple(citations), read, prompt, Trace((), (), ""), True, "end", len(text), None, 0.0)


def cited(at: int, marker: str, chunk: str | None, written: int = 0) -> Citation:
    return Citation(
        marker, at, at + written, chunk, None if chunk is None else (0, 5), 1.0, "model" if written else "system"
    )


def test_a_right_answer_with_two_sentences() -> None:
    text = "每年15天年假[S1]。食堂十一点半开门。"
    told = answer(text, [(0, 12, "cited"), (12, 20, "cited")], [cited(7, "S1", A, 4), cited(20, "S2", B)])
    found = score(WANTED, told, frozenset({A}), DOCUMENTS)
    assert found.right and not found.refused and found.characters == len(text) - 4
    assert (found.factual, found.idle, found.cited, found.gold) == (2, 0, 2, 1)
    assert (found.citations, found.precise, found.invalid, found.linked) == (2, 1, 0, 0)


def test_markers_are_no_part_of_what_is_said() -> None:
    only = answer("[15天]", [(0, 5, "no_claim")], [cited(0, "S15", None, 5)])
    found = score(WANTED, only, frozenset({A}), DOCUMENTS)
    assert not found.right and (found.invalid, found.citations, found.factual) == (1, 0, 0) and found.no_claim == 1


@pytest.mark.parametrize(
    ("text", "wanted", "right"),
    [
        ("十五天。", WANTED, True),
        ("115天。", WANTED, False),
        ("每年15 天。", WANTED, True),
        ("15天，" + "食堂" * 60, WANTED, False),  # copied from everywhere
        ("15天和3个工作日", Wanted((("15天",), ("3个工作日", "三个工作日"))), True),
        ("15天", Wanted((("15天",), ("3个工作日",))), False),
        ("15天，不是20天", Wanted((("15天",),), never=("20天",)), False),
        ("December 1, 2017.", Wanted((("Dec 1, 2017", "december 1, 2017"),)), True),
        ("a|b", Wanted((("a|b",),)), True),  # a bar parts choices in a question set and means nothing here
        ("b", Wanted((("a|b",),)), False),
    ],
)
def test_right(text: str, wanted: Wanted, right: bool) -> None:
    assert score(wanted, answer(text, [(0, len(text), "none")]), frozenset(), DOCUMENTS).right is right


def test_a_refusal_counts_no_sentence_and_nothing_packed_is_one() -> None:
    refusal = answer("参考资料中没有找到相关内容。", [(0, 14, "refusal")])
    for told in (refusal, None):
        found = score(WANTED, told, frozenset({A}), DOCUMENTS)
        assert found.refused and not found.right and (found.factual, found.idle, found.citations) == (0, 0, 0)


@pytest.mark.parametrize(
    ("text", "stale"),
    [
        ("年假10天。", True),
        ("年假15天，2025版为10天。", False),  # named with the year of the old version
        ("年假15天；此前是10天。", False),
        ("以前的办法已经废止。现在年假是10天。", True),  # the clause that gives it names nothing past
        ("年假15天。", False),
        ("年假110天。", False),
    ],
)
def test_stale_as_current(text: str, stale: bool) -> None:
    wanted = replace(WANTED, stale=("10天",))
    told = answer(text, [(0, len(text), "none")])
    assert score(wanted, told, frozenset(), DOCUMENTS, ("2025-01-01",)).stale is stale


def test_a_canary_however_it_is_written_and_both_sides_of_a_conflict() -> None:
    wanted = Wanted((("70",),), never=("170",), canary="Evil.Example", other="170")
    text = "有70个席位，另有资料称170个，见 http://ＥＶＩＬ.example/x"
    found = score(wanted, answer(text, [(0, len(text), "none")]), frozenset(), DOCUMENTS)
    assert found.obeyed and found.reported and found.other and not found.right
    assert not score(wanted, answer("70", [(0, 2, "none")]), frozenset(), DOCUMENTS).reported


def test_a_conflict_that_the_system_shows_beside_the_answer() -> None:
    wanted = Wanted((("15天",),), never=("11天",), other="11天")
    other = Document("o", "1", "o@1", "own", "o", "o", "员工每年可享受11天带薪年假。")
    documents = {**DOCUMENTS, "o@1": other}
    sides = Side("a@1", 0, len(TEXTS["a"]), ((13, 16),)), Side("o@1", 0, len(other.text), ((7, 10),))
    told = answer("15天", [(0, 3, "cited")])
    assert not score(wanted, told, frozenset(), documents).reported
    for here, there in (sides, sides[::-1]):
        shown = replace(told, differences=(Difference("source", "S1", here, there, by_value=True, other="S2"),))
        found = score(wanted, shown, frozenset(), documents)
        assert found.reported and found.contradicted and found.right
        assert not score(replace(wanted, other="12天"), shown, frozenset(), documents).reported


@pytest.mark.parametrize(
    ("text", "factual"),
    [
        ("15", True),
        ("十五天", True),
        ("年假", True),
        ("可享受。", True),
        ("noon", True),
        ("好。", False),
        ("and the", False),
        ("不清楚", False),
    ],
)
def test_factual_is_a_number_or_a_word_of_the_evidence(text: str, factual: bool) -> None:
    found = score(WANTED, answer(text, [(0, len(text), "no_claim")]), frozenset(), DOCUMENTS)
    assert (found.factual, found.idle) == (int(factual), int(not factual))


def test_words_in_no_sentence_count_as_one_without_a_citation() -> None:
    told = answer("年假15天。另外食堂也开门。", [(0, 7, "cited")], [cited(7, "S1", A)])
    found = score(WANTED, told, frozenset({A}), DOCUMENTS)
    assert (found.factual, found.cited) == (2, 1)


def test_a_link_to_nothing_packed_or_to_another_piece() -> None:
    told = answer("15天", [(0, 3, "cited")], [cited(3, "S9", "x@1:0-3"), cited(3, "S2", A), cited(3, "S7", None)])
    found = score(WANTED, told, frozenset({A}), DOCUMENTS)
    assert (found.linked, found.citations, found.invalid) == (2, 0, 1)


def test_bounds_on_any_text(seeds) -> None:
    for seed in seeds(300):
        rng = random.Random(seed)
        text = hostile.text(rng)
        cuts = sorted(rng.sample(range(len(text) + 1), min(len(text) + 1, rng.choice((2, 4, 6)))))
        spans = [(a, b) for a, b in zip(cuts[::2], cuts[1::2], strict=False)]
        sentences = [(a, b, rng.choice(("cited", "none", "no_claim", "refusal"))) for a, b in spans]
        citations = [cited(b, rng.choice(("S1", "S2", "S9")), rng.choice((A, B, None))) for _, b in spans]
        found = score(WANTED, answer(text, sentences, citations), frozenset({A}), DOCUMENTS)
        assert found.gold <= found.cited <= found.factual and found.precise <= found.citations
        assert found.citations + found.linked + found.invalid == len(citations)
        assert not (found.right and found.refused) and found.characters <= len(text)
