import random

from rag.ask.repeats import repeats
from rag.corpus.duplicates import THRESHOLD
from rag.corpus.lexical import query_terms, terms
from rag.types import Chunk
from tests import hostile

CLAUSE = "员工出差期间的住宿费用凭发票据实报销，每晚不超过五百元，超出部分由本人承担；报销单须经部门负责人审批，并附行程单与发票原件，逾期不予办理。"


def chunk(text: str, i: int = 0) -> Chunk:
    return Chunk(f"c{i}", "k", 0, len(text), text, "", 0, None, ())


def jaccard(a: str, b: str) -> float:
    sets = []
    for text in (a, b):
        plain = "".join(text.split()).casefold()
        sets.append({plain[i : i + 3] for i in range(max(1, len(plain) - 2))})
    return len(sets[0] & sets[1]) / len(sets[0] | sets[1])


def extra(question: str, a: str, b: str) -> set[str]:
    """What `a` has of numbers and of the question's words that `b` lacks."""
    asked = {t.term for t in query_terms(question)}
    held = [{t.term for t in terms(x) if t.term in asked or any(c.isdigit() for c in t.term)} for x in (a, b)]
    return held[0] - held[1]


def test_the_same_words_again_are_a_repetition_of_the_better_one() -> None:
    assert repeats("住宿费用", [chunk(CLAUSE), chunk("总则"), chunk(f" {CLAUSE}\n")]) == {2: 0}


def test_another_number_is_no_repetition() -> None:
    assert repeats("住宿费用", [chunk(CLAUSE), chunk(CLAUSE.replace("五百", "四百"))]) == {}
    assert repeats("住宿费用", [chunk(CLAUSE), chunk(CLAUSE.replace("五百", "500"))]) == {1: 0}


def test_a_word_that_was_asked_for_is_kept() -> None:
    beijing, shanghai = (chunk(CLAUSE.replace("出差", f"在{city}出差")) for city in ("北京", "上海"))
    assert repeats("上海住宿多少？", [beijing, shanghai]) == {}
    assert repeats("住宿多少？", [beijing, shanghai]) == {1: 0}


def test_what_repeats_one_that_is_left_out_is_measured_at_the_one_that_stays() -> None:
    a = "".join(chr(0x4E00 + i) for i in range(200))
    b, c = (
        a[:-14] + "甲乙丙丁戊己庚辛壬癸子丑寅卯",
        "天地玄黄宇宙洪荒日月盈昃辰宿" + a[14:-14] + "甲乙丙丁戊己庚辛壬癸子丑寅卯",
    )
    assert jaccard(a, b) >= THRESHOLD and jaccard(b, c) >= THRESHOLD and jaccard(a, c) < THRESHOLD
    assert repeats("问", [chunk(a), chunk(b), chunk(c)]) == {1: 0}


def test_of_random_texts_exactly_what_is_near_and_holds_no_more_is_left_out(seeds) -> None:
    for seed in seeds(200):
        rng = random.Random(seed)
        pool = [hostile.text(rng, 6) for _ in range(3)]
        texts = []
        for _ in range(rng.randint(1, 8)):
            text = rng.choice(pool)
            at = rng.randrange(len(text) + 1)
            texts.append(text[:at] + rng.choice(("", "。", " ", "7", "甲")) + text[at:])
        question = hostile.text(rng, 2)
        found = repeats(question, [chunk(t, i) for i, t in enumerate(texts)])
        for i, j in found.items():
            assert j < i and j not in found, seed
            assert jaccard(texts[i], texts[j]) >= THRESHOLD and not extra(question, texts[i], texts[j]), seed
        for i in range(len(texts)):
            same = [
                j for j in range(i) if texts[j].split() == texts[i].split() and not extra(question, texts[i], texts[j])
            ]
            assert not same or i in found, seed  # the very same is never kept twice
