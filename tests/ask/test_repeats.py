import random
import unicodedata

import pytest

from rag.ask.repeats import Repeats
from rag.corpus.folding import SIMPLIFIED, fold
from rag.corpus.lexical import query_terms, terms
from rag.types import Chunk, Document
from tests import hostile

CLAUSE = "员工出差期间的住宿费用凭发票据实报销，每晚不超过500元，超出部分由本人承担；逾期不予办理。"
DOCUMENTS = {
    key: Document(doc_id, version, key, "own", "", "", "")
    for key, doc_id, version in (("a@1", "a", "1"), ("a@2", "a", "2"), ("b@1", "b", "1"))
}


def chunk(text: str, key: str = "a@1", context: str = "") -> Chunk:
    return Chunk("", key, 0, len(text), text, context, 0, None, ())


def found(question: str, *chunks: Chunk | str) -> dict[int, int]:
    every = [chunk(c) if isinstance(c, str) else c for c in chunks]
    return dict(Repeats(question, every, DOCUMENTS).among(range(len(every))))


def extra(question: str, a: Chunk, b: Chunk) -> set[str]:
    """What `a` has of the question's words that `b` lacks."""
    asked = {t.term for t in query_terms(question)}
    held = [{t.term for t in terms(x.passage)} & asked for x in (a, b)]
    return held[0] - held[1]


def letters(text: str) -> str:
    folded = fold(text).translate(SIMPLIFIED)
    return "".join(c for c in folded if unicodedata.category(c)[0] not in "PZC" or c in "%‰")


def policy(c: Chunk) -> str:
    return DOCUMENTS[c.key].doc_id


def test_the_same_words_again_are_a_repetition_of_the_better_one() -> None:
    assert found("住宿费用", CLAUSE, "总则", f" {CLAUSE}\n") == {2: 0}
    assert found("住宿费用", CLAUSE, chunk(CLAUSE, "b@1"), chunk(CLAUSE, "a@2")) == {1: 0, 2: 0}
    wide = "員工出差期間的住宿費用憑發票據實報銷,每晚不超過５００元,超出部分由本人承擔;逾期不予辦理"
    assert found("住宿费用", CLAUSE, wide) == {1: 0}
    assert found("vpn", "Use the VPN. Ask IT.", "use the vpn, ask it") == {1: 0}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("凭发票据实报销", "不凭发票据实报销"),
        ("不超过", "可超过"),
        ("不予办理", "予以办理"),
        ("500", "400"),
        ("500", "5.00"),
        ("本人", "部门"),
    ],
)
def test_a_clause_that_says_another_thing_is_no_repetition(old: str, new: str) -> None:
    other = CLAUSE.replace(old, new)
    assert other != CLAUSE
    assert found("住宿", CLAUSE, other) == found("住宿", other, CLAUSE) == {}
    long = "各部门应当妥善安排人员，保证日常工作不受影响。" * 10
    assert found("住宿", long + CLAUSE, long + other) == {}


def test_figures_are_not_joined_by_what_is_dropped() -> None:
    assert (
        found("多少", "比例为3.5", "比例为35") == found("多少", "3-5天", "35天") == found("多少", "1 15", "11 5") == {}
    )
    assert found("多少", "比例为5%", "比例为5‰") == found("多少", "比例为5%", "比例为5") == {}
    assert found("多少", "限额1,000元", "限额1，000元。") == {1: 0}


def test_whole_sentences_of_a_better_one_repeat_it_in_one_policy() -> None:
    both = f"出差须经审批。{CLAUSE}\n报销单附行程单。"
    assert found("住宿", both, CLAUSE) == {1: 0}
    assert found("住宿", both, chunk(CLAUSE, "a@2")) == {1: 0}
    assert found("住宿", both, chunk(CLAUSE, "b@1")) == {}
    assert found("住宿", CLAUSE, both) == {}  # it says more
    assert found("出差", "试用期员工不可以请假。", "可以请假。") == {}  # a stretch of a sentence says another thing
    assert found("出差", "未经批准，可以请假的，予以警告。", "可以请假") == {}
    assert found("出差", "不可以请假。可以请假", "可以请假。") == {1: 0}  # where it stands a second time


def test_a_word_that_was_asked_for_is_kept_also_one_of_the_heading() -> None:
    beijing, shanghai = (chunk(CLAUSE, key, f"{city}差旅办法") for key, city in (("a@1", "北京"), ("b@1", "上海")))
    assert found("上海住宿多少？", beijing, shanghai) == {}
    assert found("上海住宿多少？", shanghai, beijing) == {1: 0}
    assert found("住宿多少？", beijing, shanghai) == {1: 0}


def test_what_almost_repeats_a_great_many_times_takes_no_longer() -> None:
    # each of these stands in the ones before it at thousands of places, none of which a sentence begins or ends at
    assert found("哈", *("哈" * (3000 - 7 * i) for i in range(120))) == {}


def test_sentences_end_at_the_same_places_in_both() -> None:
    assert found("住宿", "可以。报销。须经审批。", "可以，报销。") == {}
    assert found("住宿", "须经审批。可以，报销。", "可以、报销") == {1: 0}


def test_texts_of_punctuation_alone_are_equal_when_they_are_the_same() -> None:
    assert found("问", "——", "……", "——") == {2: 0}


def test_of_random_texts_exactly_what_is_said_already_is_left_out(seeds) -> None:
    for seed in seeds(200):
        rng = random.Random(seed)
        pool = [hostile.text(rng, 6) for _ in range(3)]
        chunks = []
        for _ in range(rng.randint(1, 8)):
            text = rng.choice(pool)
            at = rng.randrange(len(text) + 1)
            text = text[:at] + rng.choice(("", "。", " ", "7", "不")) + text[at:]
            chunks.append(chunk(text, rng.choice([*DOCUMENTS]), rng.choice(("", *pool))))
        question = hostile.text(rng, 2)
        left = found(question, *chunks)
        for i, j in left.items():
            assert j < i and j not in left and not extra(question, chunks[i], chunks[j]), seed
            mine, its = (letters(chunks[n].text) or chunks[n].text for n in (i, j))  # nothing else is lost
            assert mine == its or (mine in its and policy(chunks[i]) == policy(chunks[j])), seed
        for i in range(len(chunks)):
            same = [
                j for j in range(i) if chunks[j].text == chunks[i].text and not extra(question, chunks[i], chunks[j])
            ]
            assert not [j for j in same if j not in left] or i in left, seed  # the very same is never kept twice
