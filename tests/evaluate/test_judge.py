"""Answers judged: what they say, what they cite, and what they must not."""

import random
from collections.abc import Sequence

import pytest

from rag.ask.cite import cite, sources
from rag.ask.rules import NOT_FOUND
from rag.config import SplitSettings
from rag.corpus.index import Corpus, build
from rag.evaluate.judge import Judged, cited_chunks, judge, plain, refused, says, without_markers
from rag.evaluate.labels import Resolver
from rag.evaluate.questions import Label, Question
from rag.types import Answer, Chunk, Document, Evidence, Prompt, Trace
from tests import hostile

LEAVE = "员工入职满一年后，每年可享受15天带薪年假。未休完的年假不得跨年累计。"
OLD_LEAVE = "员工入职满一年后，每年可享受10天带薪年假。"
APPLY = "应提前3个工作日提交申请，由直属主管审批。"
MONEY = "办公设备报销额度为每人每年3,000元。超出部分由员工自理。"


def document(doc_id: str, text: str, version: str = "2026") -> Document:
    return Document(doc_id, version, f"{doc_id}@{version}", "own", doc_id, "", text, file=f"{doc_id}_{version}.txt")


CORPUS: Corpus = build(
    [
        document("leave", LEAVE),
        document("leave", OLD_LEAVE, "2025"),
        document("apply", APPLY),
        document("money", MONEY),
    ],
    SplitSettings(),
    None,
)
RESOLVER = Resolver(CORPUS, frozenset(CORPUS.documents))
BY_NAME = dict(zip(("leave", "old", "apply", "money"), CORPUS.chunks, strict=True))
QUESTION = Question(
    "q", "年假几天？", relevant=(Label("leave_2026.txt", "每年可享受15天带薪年假"),), points=("15天|十五天",)
)
EVERYTHING = ("leave", "old", "apply", "money")


def answered(text: str, packed: Sequence[str] = EVERYTHING) -> Answer:
    evidence = tuple(_evidence(f"S{i}", BY_NAME[name]) for i, name in enumerate(packed, 1))
    cited = cite(text, sources(evidence, CORPUS.documents), True)
    prompt = Prompt((), "p", (1,), (), evidence, (), 100)
    trace = Trace((), (), "")
    return Answer(text, cited.citations, cited.sentences, prompt, trace, True, "end", len(text), 0.0, 0.0)


def _evidence(marker: str, chunk: Chunk) -> Evidence:
    return Evidence(marker, chunk, f"[{marker}] {chunk.key}", ((chunk.start, chunk.end),))


def run(question: Question, text: str | None, packed: Sequence[str] = EVERYTHING) -> Judged:
    answer = None if text is None else answered(text, packed)
    return judge(question, answer, RESOLVER.resolve(question), RESOLVER, CORPUS.documents)


@pytest.mark.parametrize(
    ("text", "point", "said"),
    [
        ("每年15天。", "15天", True),
        ("每年 １５ 天。", "15天", True),
        ("每年十五天。", "15天|十五天", True),
        ("每年15天。", "5天", False),
        ("每年5.5天。", "5天", False),
        ("每年15天。", "1", False),
        ("共3万元", "3", False),
        ("每年十五天。", "五天", False),
        ("1. 15天\n2. 3天", "15天", True),
        ("2026 15天", "15天", True),
        ("2026年，150元", "150元", True),
        ("额度为3,000元", "3000元", True),
        ("额度为3000元", "3,000元", True),
        ("额度为1,234,567元", "1234567元", True),
        ("第3，100元", "100元", True),
        ("额度为3,000元", "000元", False),
        ("由 直属\n主管 审批", "直属主管", True),
        ("Fifteen Days", "fifteen days", True),
        ("错误 ＶＰＮ－４０３１", "VPN-4031", True),
        ("说明", "", False),
        ("说明", "|", False),
        ("a+b(c", "b(c", True),
    ],
)
def test_what_is_said(text: str, point: str, said: bool) -> None:
    assert says(plain(text), point) is said


def test_a_text_says_its_own_stretches_and_plain_is_a_fixed_point(seeds) -> None:
    for seed in seeds(300):
        rng = random.Random(seed)
        text = hostile.text(rng)
        assert plain(plain(text)) == plain(text)
        words = plain(text).replace("|", "")
        assert says(words, words) is bool(words)
        numbers = [rng.randint(1, 99999) for _ in range(rng.randint(1, 6))]
        wanted = rng.randint(1, 999)
        sentence = "，".join(f"共{number:,}元" if rng.random() < 0.5 else f"共 {number} 元" for number in numbers)
        assert says(plain(sentence), f"{wanted}元") is (wanted in numbers)
        assert says(plain(sentence), f"共{wanted}") is (wanted in numbers)


def test_verdicts() -> None:
    right = run(QUESTION, "每年15天[S1]。")
    assert (right.verdict, right.correct, right.points) == ("right", True, (True,))
    wrong = run(QUESTION, "每年10天[S1]。")
    assert (wrong.verdict, wrong.correct, wrong.points) == ("wrong", False, (False,))
    assert run(QUESTION, NOT_FOUND["zh"]).verdict == "refused"
    assert run(QUESTION, NOT_FOUND["en"]).correct is False
    assert (run(QUESTION, None).verdict, run(QUESTION, "").verdict) == ("refused", "wrong")
    both = run(QUESTION, f"每年15天[S1]。{NOT_FOUND['zh']}")
    assert both.verdict == "right"  # it says the point, and more than the refusal


def test_a_marker_is_no_part_of_what_is_said() -> None:
    question = Question("q", "几条？", points=("3",))
    assert run(question, "见第1条[S3]。").correct is False
    assert run(question, "共3条[S1]。").correct is True
    assert without_markers(answered("甲[S1]乙[S2, S9]丙。")) == "甲乙丙。"


def test_what_must_not_be_said() -> None:
    question = Question("q", "年假几天？", points=("15天",), never=("10天", ""))
    assert run(question, "每年15天，不是10天。").forbidden == ("10天",)
    assert run(question, "每年15天，不是10天。").correct is False
    assert run(question, "每年15天，不是110天。").forbidden == ()


def test_a_question_to_refuse() -> None:
    question = Question("q", "食堂几点开？", refuse=True)
    assert run(question, NOT_FOUND["zh"]).correct is True
    assert run(question, None).correct is True
    assert (run(question, "8点。").verdict, run(question, "8点。").correct) == ("wrong", False)


def test_without_points_no_answer_is_correct_or_not() -> None:
    labelled = Question("q", "年假几天？", relevant=QUESTION.relevant)
    assert (run(labelled, "每年15天。").verdict, run(labelled, "每年15天。").correct) == ("unjudged", None)
    assert (run(labelled, None).verdict, run(labelled, None).correct) == ("refused", None)
    bare = Question("q", "年假几天？")
    assert run(bare, None).correct is None and run(bare, "每年15天。").correct is None


def test_citations_against_labels() -> None:
    right = run(QUESTION, "每年15天[S1]。")
    assert (right.citation_precision, right.citation_recall, right.invalid, right.stale) == (1.0, 1.0, 0, 0)
    half = run(QUESTION, "每年15天[S1]。提前3个工作日提交[S3]。")
    assert (half.citation_precision, half.citation_recall) == (0.5, 1.0)
    stale = run(QUESTION, "每年15天[S2]。")
    assert (stale.citation_precision, stale.citation_recall, stale.stale) == (0.5, 1.0, 1)  # the system's beside it
    invalid = run(QUESTION, "每年15天[S8]。就是这样的没有别的了。")
    assert (invalid.invalid, invalid.citation_precision, invalid.citation_recall) == (1, 1.0, 1.0)  # the system's stays
    nothing = run(QUESTION, "就是15天哟亲爱的朋友们放心去吧。")
    assert (nothing.citation_precision, nothing.citation_recall, nothing.supported) == (1.0, 1.0, 0.0)  # the closest
    assert run(QUESTION, None).citation_precision is None
    assert run(Question("q", "？", points=("1",)), "每年15天[S1]。").citation_recall is None


def test_every_need_is_to_be_cited() -> None:
    labels = (*QUESTION.relevant, Label("apply", "提前3个工作日", need=2))
    question = Question("q", "年假几天，怎么申请？", relevant=labels, points=("15天",))
    assert run(question, "每年15天[S1]。").citation_recall == 0.5
    assert run(question, "每年15天[S1]。提前3个工作日[S3]。").citation_recall == 1.0


def test_both_versions_labelled_are_neither_stale() -> None:
    labels = (*QUESTION.relevant, Label("leave_2025.txt", "每年可享受10天带薪年假", need=2))
    assert run(Question("q", "有何变化？", relevant=labels), "由10天[S2]改为15天[S1]。").stale == 0


def test_support_leaves_refusals_out() -> None:
    assert run(QUESTION, f"每年15天[S1]。{NOT_FOUND['zh']}").supported == 1.0
    assert run(QUESTION, f"每年15天[S1]。今天天气很好。{NOT_FOUND['zh']}").supported == 0.5
    assert run(QUESTION, NOT_FOUND["zh"]).supported is None


def test_shares_against_counting(seeds) -> None:
    """Any text: shares are those of a plain count over the citations."""
    for seed in seeds(300):
        rng = random.Random(seed)
        packed = rng.sample(EVERYTHING, rng.randint(1, 4))
        parts = [rng.choice((LEAVE, OLD_LEAVE, APPLY, MONEY, hostile.text(rng, 2))) for _ in range(rng.randint(0, 4))]
        text = "".join(part + rng.choice(("", "[S1]", "[S2]", "[S3]", "[S7]")) for part in parts)
        answer = answered(text, packed)
        judged = run(QUESTION, text, packed)
        names = [packed[int(c.marker[1:]) - 1] for c in answer.citations if c.chunk_id is not None]
        assert [BY_NAME[name] for name in names] == cited_chunks(answer)
        assert judged.citation_precision == (names.count("leave") / len(names) if names else None)
        assert judged.citation_recall == float("leave" in names)
        assert judged.stale == names.count("old")
        assert judged.invalid == len(answer.citations) - len(names)
        assert refused(answer) is (judged.verdict == "refused")


@pytest.mark.parametrize(
    ("said_text", "point", "expected"),
    [
        ("Go through the form.", "HR", False),
        ("Comes with a form", "IT", False),
        ("You know it", "no", False),
        ("IT服务台处理", "IT", True),
        ("Ask HR or IT.", "HR", True),
        ("等级为 B。", "B", True),
        ("a bonus", "B", False),
        ("Fly economy  class", "economy class", True),
        ("three managers approve", "manager", True),
        ("the managerial grade", "manager", False),
        ("15 days", "15days|15 days", True),
        ("15days", "15 days", True),
    ],
)
def test_a_latin_word_is_not_said_by_a_longer_one(said_text: str, point: str, expected: bool) -> None:
    assert says(plain(said_text), point) is expected
