"""What stands in the place of an answer that does not hold: when, which sentences, word for word, and that nothing is lost."""

import random
import threading
from collections.abc import Callable
from dataclasses import replace

import pytest

from rag import pipeline
from rag.ask.cite import cite, sources
from rag.ask.gate import FAR, gate, own_pairs
from rag.ask.quote import LONGEST, fault, instead
from rag.ask.rules import NOT_FOUND
from rag.config import DEFAULT_ENCODER, GenerateSettings, Settings, SplitSettings
from rag.corpus.index import Corpus, build
from rag.evaluate.answers import keep
from rag.types import Answer, Gate, Retrieval, Section, Trace
from tests.fake_models import BigramEncoder, FakeModels, ReplyGenerator
from tests.hostile import text as hostile
from tests.pipeline_kit import document, note, run, steps, stream

QUESTION = "入职满一年，每年有多少天带薪年假？"
LEAVE = "# 休假\n\n员工入职满一年后，每年可享受15天带薪年假。\n未休完的年假不跨年累计。\n婚假13天。\n配偶去世的，享有3天丧假。"
MONEY = "# 报销\n\n办公设备报销额度为每人每年3000元。\n出差伙食补助每天120元。\n发票应在30天内提交。"
ANY = Settings(generate=GenerateSettings(refuse=True, refuse_below=0.0))


@pytest.fixture
def encoder() -> BigramEncoder:
    return BigramEncoder(facts=(("model", DEFAULT_ENCODER),))


@pytest.fixture
def corpus(encoder: BigramEncoder) -> Corpus:
    return build([document("leave", LEAVE), document("money", MONEY)], SplitSettings("fixed", 100, 0), encoder)


def asked(
    reply: str, corpus: Corpus, encoder: BigramEncoder, settings: Settings = ANY, question: str = QUESTION
) -> Answer:
    models = FakeModels(encoder, ReplyGenerator(reply))
    return stream(run(corpus, models, settings, question), corpus, models, settings)[-1]


def word_for_word(answer: Answer, corpus: Corpus) -> None:
    """A quotation is what its document says there, is carried, and hides nothing that was written."""
    assert answer.quoted is not None and answer.withdrawn is not None and answer.gate is not None
    said = [corpus.documents[n.chunk_id.rsplit(":", 1)[0]].text[slice(*n.sentence)].strip() for n in answer.quoted.near]
    assert answer.text == "\n".join(said)
    assert len(answer.text) <= LONGEST
    assert set(answer.quoted.near) <= set(answer.gate.nearest)
    assert answer.gate.nearest[0] in answer.quoted.near
    assert {"cited"} <= {s.support for s in answer.sentences} <= {"cited", "no_claim"}
    assert all(c.by == "system" and c.chunk_id is not None and c.span is not None for c in answer.citations)
    assert answer.withdrawn.quoted is None and answer.withdrawn.withdrawn is None


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("每年有99天带薪年假。", "unsupported"),
        ("太阳系有八大行星。", "unsupported"),
        ("入职满一年，每年有多少天带薪年假。", "echo"),
        ("每年有15天带薪年假，是吗？", "echo"),
        ("出差伙食补助每天120元。", "elsewhere"),
        ("每年有多少天带薪年假，是吗？[S1]", "echo"),
        ("每年15天带薪年假。", None),
        ("每年15天带薪年假。太阳系有八大行星。", None),  # with its marks
        ("15天", None),
        ("15天[S1]", None),
        ("每年[S1]", None),
        (f"抱歉。{NOT_FOUND['zh']}", None),
    ],
)
def test_each_fault_and_none(reply: str, why: str | None, corpus: Corpus, encoder: BigramEncoder) -> None:
    answer = asked(reply, corpus, encoder)
    if why is None:
        assert (answer.text, answer.quoted, answer.withdrawn) == (reply, None, None)
        assert "quote" not in steps(answer)
        assert not keep("q", answer, 1.0).quotes
        return
    word_for_word(answer, corpus)
    assert answer.quoted is not None and answer.withdrawn is not None
    assert (answer.quoted.why, answer.withdrawn.text) == (why, reply)
    assert "15天带薪年假" in answer.text
    last = [step.note.en for step in answer.trace.steps if step.name in ("cite", "gate")][-2:]
    assert all(said.startswith("of what was written and withdrawn: ") for said in last)
    assert keep("q", answer, 1.0).written == reply and keep("q", answer, 1.0).quotes
    assert steps(answer)[-2:] == ["quote", "compare"]
    assert "stand in its place" in note(answer, "quote")


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("员工入职满一年可以享受带薪年假吗？", "员工入职满一年可以享受带薪年假。"),
        ("120元是出差伙食补助还是办公设备报销额度？", "出差伙食补助"),
    ],
)
def test_the_questions_own_words_answer_one_that_asks_whether_or_which(
    question: str, reply: str, corpus: Corpus, encoder: BigramEncoder
) -> None:
    answer = asked(reply, corpus, encoder, question=question)
    assert (answer.text, answer.quoted) == (reply, None)


def test_what_was_cut_is_not_judged_by_its_unfinished_sentence(corpus: Corpus, encoder: BigramEncoder) -> None:
    cut = Settings(generate=GenerateSettings(refuse=True, refuse_below=0.0, answer_tokens=18))
    answer = asked("每年可享受15天带薪年假。每天补助9元", corpus, encoder, cut)
    assert (answer.finish, answer.quoted, answer.sentences[-1].support) == ("length", None, "none")
    answer = asked("每年可享受99天带薪年假。每天补助9元", corpus, encoder, cut)
    word_for_word(answer, corpus)
    assert answer.withdrawn is not None and (answer.finish, answer.withdrawn.finish) == ("end", "length")


def test_an_answer_that_is_wanted_anyway_stays(corpus: Corpus, encoder: BigramEncoder) -> None:
    models = FakeModels(encoder, ReplyGenerator("每年有99天带薪年假。"))
    found = run(corpus, models, ANY)
    *_, answer = pipeline.answer(found, corpus, ANY, models, threading.Event(), anyway=True)  # type: ignore[arg-type]
    assert (answer.text, answer.quoted) == ("每年有99天带薪年假。", None)


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("# 每年带薪年假天数\n\n# 报销", None),  # headings alone answer nothing
        ("每年有[S9]带薪年假15天。", None),  # what looks like a marker would be shown as one
        ("每年有15天带薪年假。\n婚假。\n每年有15天带薪年假。", "每年有15天带薪年假。"),  # once
    ],
)
def test_what_is_no_quotation(text: str, quoted: str | None, encoder: BigramEncoder) -> None:
    sections = tuple(Section(at, ("章",)) for at, c in enumerate(text) if c == "#")
    leave = replace(document("leave", text), sections=sections)
    corpus = build([leave], SplitSettings("fixed", 400, 0), encoder)
    answer = asked("每年有99天带薪年假。", corpus, encoder)
    if quoted is None:
        assert (answer.text, answer.quoted) == ("每年有99天带薪年假。", None)
        assert "it stays all the same" in note(answer, "quote")
    else:
        word_for_word(answer, corpus)
        assert answer.text == quoted


def test_a_quotation_is_word_for_word_whatever_stands_in_files_and_answers(
    seeds: Callable[[int], range], encoder: BigramEncoder
) -> None:
    quoted = 0
    for seed in seeds(120):
        rng = random.Random(seed)
        texts = ["\n".join(hostile(rng, 8) + rng.choice(("。", "", "15天。")) for _ in range(5)) for _ in range(2)]
        corpus = build(
            [document(f"d{n}", f"年假{n}。{t}") for n, t in enumerate(texts)], SplitSettings("fixed", 120, 0), encoder
        )
        answer = asked(hostile(rng, 6), corpus, encoder, question="年假" + hostile(rng, 3))
        if answer.quoted is not None:
            word_for_word(answer, corpus)
            quoted += 1
    assert quoted


def test_sentences_too_long_for_an_answer_are_not_quoted(encoder: BigramEncoder) -> None:
    corpus = build(
        [document("leave", "每年可享受的带薪年假，" + "视工龄、岗位、绩效而定，" * 12 + "为15天。")],
        SplitSettings("fixed", 400, 0),
        encoder,
    )
    answer = asked("每年有99天带薪年假。", corpus, encoder)
    assert (answer.text, answer.quoted, answer.withdrawn) == ("每年有99天带薪年假。", None, None)
    assert "it stays all the same" in note(answer, "quote")


def test_a_question_is_not_answered_in_another_language(encoder: BigramEncoder) -> None:
    corpus = build([document("leave", "Annual leave 年假 is 15 days.")], SplitSettings("fixed", 400, 0), encoder)
    for question, kept in (("How many days is annual leave?", True), ("年假 annual leave 有几天？", False)):
        answer = asked("Annual leave 年假 is 99 days.", corpus, encoder, question=question)
        assert (answer.quoted is None) == kept


def test_whoever_weighs_nothing_gets_what_was_written(corpus: Corpus, encoder: BigramEncoder) -> None:
    off = Settings(generate=GenerateSettings(refuse=False))
    assert asked("每年有99天带薪年假。", corpus, encoder, off).text == "每年有99天带薪年假。"


def test_close_are_all_that_are_about_as_close_as_the_closest(
    corpus: Corpus, encoder: BigramEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = run(corpus, FakeModels(encoder, None))
    every = {}
    for far in (0.0, FAR, 0.3, 9.0):
        monkeypatch.setattr("rag.ask.gate.FAR", far)
        weighed = gate(found, corpus.documents, encoder, 0.5)
        assert weighed is not None and weighed.nearest[0] == weighed.close[0]
        every[far] = weighed.close
    assert [len(close) for close in every.values()] == sorted(len(close) for close in every.values())
    assert len(every[0.0]) < len(every[9.0]) == 9  # two headings, seven sentences
    assert all(
        len(one.sentence) == 2 and one.span[1] == one.sentence[1] and one.span[0] <= one.sentence[0]
        for one in every[9.0]
    )


def weighed_on(corpus: Corpus, encoder: BigramEncoder) -> tuple[Retrieval, Gate]:
    found = run(corpus, FakeModels(encoder, ReplyGenerator("x")))
    weighed = gate(found, corpus.documents, encoder, 0.0)
    assert weighed is not None
    return found, weighed


def test_an_answer_rests_elsewhere_only_when_nothing_it_cites_is_close(corpus: Corpus, encoder: BigramEncoder) -> None:
    found, weighed = weighed_on(corpus, encoder)
    assert found.prompt is not None
    for text in ("出差伙食补助每天120元。", "每年可享受15天带薪年假。出差伙食补助每天120元。"):
        cited = cite(text, sources(found.prompt.packed, corpus.documents), True, QUESTION)
        written = Answer(
            text, cited.citations, cited.sentences, found.prompt, Trace((), (), ""), True, "end", 9, None, 0.0
        )
        assert fault(written, weighed, QUESTION) == (None if "15天" in text else "elsewhere")
    same, row = instead(written, weighed, QUESTION, corpus.documents)
    assert same is written and row == ()


def test_pairs_of_its_own_against_a_plain_count(seeds: Callable[[int], range]) -> None:
    for seed in seeds(60):
        rng = random.Random(seed)
        question, text = ("".join(rng.choices("年假几天有15", k=rng.randint(1, 9))) for _ in range(2))
        pairs = [text[i : i + 2] for i in range(len(text) - 1)] or [text]
        assert own_pairs(text, question) == {pair for pair in pairs if pair not in question}
