import threading
from dataclasses import replace

import pytest

from rag.ask.rules import NOT_FOUND
from rag.config import QuerySettings, Settings
from rag.corpus.index import Corpus, build
from rag.errors import Stopped
from rag.pipeline import retrieve
from rag.types import Document, Sought
from tests.fake_models import BigramEncoder, FakeModels, ReplyGenerator
from tests.pipeline_kit import note, run, skipped, steps

TWICE = Settings(query=QuerySettings(glossary=False, parts=False, second_round=True))


@pytest.fixture
def encoder() -> BigramEncoder:
    return BigramEncoder()


@pytest.fixture
def corpus(leave: Document, equipment: Document, encoder: BigramEncoder) -> Corpus:
    return build([leave, equipment], Settings().split, encoder)


def test_the_draft_is_searched_with_the_question_and_shown(corpus: Corpus, encoder: BigramEncoder) -> None:
    draft = "每人每年3000元\n可以报销。"
    found = run(corpus, FakeModels(encoder, ReplyGenerator(draft)), TWICE, "买东西能拿回多少钱？")
    assert steps(found)[:7] == ["embed", "dense", "lexical", "draft", "embed", "dense", "lexical"]
    one_line = "每人每年3000元 可以报销。"
    assert found.query is not None and found.query.draft == one_line and one_line in note(found, "draft")
    assert found.query.legs[1].texts == (
        Sought("买东西能拿回多少钱？", "question", 1.0, 1.0),
        Sought(one_line, "draft", 1.0, 1.0),
    )
    best = max(found.candidates, key=lambda c: c.scores.get("draft", 0.0))
    assert best.ranks["draft"] == 1 and "3000" in best.chunk.text
    assert all(one_line not in message.content for message in found.prompt.messages)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "generator",
    [
        None,
        *map(
            ReplyGenerator,
            (
                NOT_FOUND["zh"],
                f"{NOT_FOUND['zh'].strip('。')}[S1]。",
                f" {NOT_FOUND['en'].upper()} (S2)",
                "[S1]。",
                "",
                "【S",
            ),
        ),
    ],
)
def test_without_a_draft_the_first_round_stands_and_the_trace_says_why(
    corpus: Corpus, encoder: BigramEncoder, generator: ReplyGenerator | None
) -> None:
    found = run(corpus, FakeModels(encoder, generator), TWICE)
    once = run(corpus, FakeModels(encoder, generator), replace(TWICE, query=replace(TWICE.query, second_round=False)))
    assert "draft" in skipped(found) and note(found, "draft")
    assert steps(found)[:5] == [
        "embed",
        "dense",
        "lexical",
        "draft",
        "fuse",
    ]  # nothing new to search with: not searched again
    assert found.candidates == once.candidates and found.query == once.query


def test_only_what_the_draft_says_is_searched_with(corpus: Corpus, encoder: BigramEncoder) -> None:
    reply = f"每人每年3000元[S1]。{NOT_FOUND['zh']}[S1, S2]\n凭发票报销【S2】。（S"
    found = run(corpus, FakeModels(encoder, ReplyGenerator(reply)), TWICE, "买东西能拿回多少钱？")
    assert found.query is not None and found.query.draft == "每人每年3000元。 凭发票报销。"
    assert found.query.legs[1].texts[1].text == found.query.draft


def test_who_stops_waits_for_no_second_round(corpus: Corpus, encoder: BigramEncoder) -> None:
    stop = threading.Event()
    stop.set()
    with pytest.raises(Stopped):
        retrieve("年假？", corpus, TWICE, FakeModels(encoder, ReplyGenerator("年假15天。")), stop=stop)  # type: ignore[arg-type]
