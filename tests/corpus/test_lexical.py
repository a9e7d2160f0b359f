import math
import random
import re
from collections import Counter

import bm25s
import numpy as np
import pytest

from rag.corpus.folding import SIMPLIFIED, fold
from rag.corpus.lexical import LexicalIndex, query_terms, terms
from rag.corpus.numerals import NUMERALS
from tests import hostile

WORDS = ("年假", "十五天", "报销", "VPN-4031", "HR-F-012", "3000元", "supervisor", "the", "设备", "审批", "３０００")


def bm25(passages: list[str], query: str, k1: float = 0.9, b: float = 0.4) -> list[float]:
    """Lucene's BM25, written from the formula: Σ idf · tf / (tf + k1 (1 − b + b · length / mean length))."""
    counts = [Counter(t.term for t in terms(p)) for p in passages]
    mean = sum(sum(c.values()) for c in counts) / len(counts)
    total = [0.0] * len(passages)
    for term in [t.term for t in query_terms(query)]:
        df = sum(term in c for c in counts)
        idf = math.log(1 + (len(counts) - df + 0.5) / (df + 0.5))
        for i, c in enumerate(counts):
            if c[term]:
                norm = k1 * (1 - b + b * sum(c.values()) / mean)
                total[i] += idf * c[term] / (c[term] + norm)
    return total


def random_passages(rng: random.Random) -> list[str]:
    n = rng.choice((1, 2, 5, 30))
    return [
        hostile.text(rng, 8) if rng.random() < 0.4 else " ".join(rng.choices(WORDS, k=rng.randint(0, 20)))
        for _ in range(n)
    ]


def test_chinese_gives_characters_and_pairs_and_codes_stay_whole() -> None:
    assert [t.term for t in terms("年假，VPN-4031")] == ["年", "年假", "假", "vpn-4031", "vpn", "4031"]
    assert [t.term for t in terms("3.5 a_b")] == ["3.5", "a_b", "a", "b"]
    assert {t.term for t in terms("HR-F-012")} == {"hr-f-012", "hr-f", "f-012", "hr", "f", "012"}
    assert [t.term for t in terms("年 假")] == ["年", "假"]  # a pair does not reach over a space


def test_terms_of_hostile_text_are_the_folded_slices(seeds) -> None:
    for seed in seeds(300):
        text = hostile.text(random.Random(seed), 20)
        folded = fold(text).translate(SIMPLIFIED)
        assert len(folded) == len(text)
        for term in terms(text):
            read = folded[term.start : term.end]
            assert term.term == read.replace(",", "") or re.search(f"[{NUMERALS}]", read), seed
            assert term.term and term.start < term.end <= len(text)


def test_a_number_is_one_term_however_it_is_written() -> None:
    for written, same in (
        ("第八十二条", "第82条"),
        ("三千元", "3,000元"),
        ("３０００元", "3000元"),
        ("二〇二六年", "2026年"),
        ("三万元", "30,000元"),
        ("3万元", "30000元"),
        ("3 .5万元", "3 .50000元"),
        ("3.5万元", "35,000元"),
        ("２千万元", "两千万元"),
        ("1,200万元", "一千二百万元"),
        ("3.5.2万", "3.5.2 万"),
        ("第3万一", "第30000一"),
    ):
        assert [t.term for t in terms(written)] == [t.term for t in terms(same)]
    index = LexicalIndex(["第八十一条", "第八十二条", "第八条"])
    assert index.search("82条", 3)[0].position == 1
    assert [(t.term, t.start, t.end) for t in terms("满十五年")] == [
        ("满", 0, 1),
        ("满15", 0, 3),
        ("15", 1, 3),
        ("15年", 1, 4),
        ("年", 3, 4),
    ]
    assert [(t.term, t.start, t.end) for t in terms("满3.5万元")][1:4] == [
        ("满35000", 0, 5),
        ("35000", 1, 5),
        ("35000元", 1, 6),
    ]


def test_traditional_characters_find_simplified_ones_and_the_other_way_round() -> None:
    for text, question in (("年假申请流程", "請問年假怎麼申請？"), ("年假申請流程", "请问年假怎么申请？")):
        assert [t.term for t in query_terms(question)][:3] == ["年", "年假", "假"]
        assert LexicalIndex(["报销发票", text]).search(question, 5)[0].position == 1
    assert [(t.term, t.start, t.end) for t in terms("請假")] == [("请", 0, 1), ("请假", 0, 2), ("假", 1, 2)]
    assert all(len(new) == 1 for new in SIMPLIFIED.values())


def test_the_words_by_which_one_asks_are_not_looked_for() -> None:
    assert [t.term for t in query_terms("HR-F-021是什么？")] == ["hr-f-021", "是"]
    assert [t.term for t in query_terms("请问可以请假吗？好呀！行吧")] == [
        "可",
        "可以",
        "以",
        "以请",
        "请",
        "请假",
        "假",
        "好",
        "行",
    ]
    assert [t.term for t in query_terms("What is the limit?")] == ["limit"]
    index = LexicalIndex(["这是什么？为什么？", "表单 HR-F-021"])
    assert [h.position for h in index.search("HR-F-021是什么", 2)] == [1, 0]
    assert [h.position for h in index.search("什么", 2)] == [0]  # unless there is nothing else
    assert [t.term for t in terms("为什么")] == ["为", "为什", "什", "什么", "么"]  # a text keeps them


def test_no_word_is_cut_for_a_syllable_it_shares_with_those_by_which_one_asks() -> None:
    for question, word in (
        ("网吧的发票能报销吗", "网吧"),
        ("部分别墅可以租吗？", "别墅"),
        ("唯品呢绒制服", "呢绒"),
        ("年假申请问题", "请问"),
    ):
        assert word in [t.term for t in query_terms(question)]


def test_a_word_by_which_one_asks_is_looked_for_where_it_is_a_name() -> None:
    index = LexicalIndex(["IT 服务台指南", "行政 服务台指南"])
    for question in ("IT是哪个部门", "it是哪个部门", "ＩＴ是哪个部门", "Who is in IT?", "IT"):
        assert [h.position for h in index.search(question, 5)] == [0], question
    for question, wanted in (
        ("Does the US office follow WHO rules?", ["us", "office", "follow", "who", "rules"]),
        ("Is leave granted in May?", ["leave", "granted", "may"]),
        ("May I work from home? May we?", ["work", "home"]),
        ("Can A or I apply for 年假?", ["apply", "年", "年假", "假"]),
        ("A类员工", ["a", "类", "类员", "员", "员工", "工"]),
    ):
        assert [t.term for t in query_terms(question)] == wanted


def test_a_code_is_found_by_its_parts_but_does_not_look_for_them() -> None:
    index = LexicalIndex(["错误 VPN-4031", "错误 4031", "VPN 说明"])
    assert index.search("VPN-4031", 3) == index.search("vpn-4031", 3) and len(index.search("VPN-4031", 3)) == 1
    assert [h.position for h in index.search("4031", 3)] == [1, 0]


def test_a_compound_word_looks_for_its_parts_and_a_slash_joins_no_words() -> None:
    for question, wanted in (
        ("VPN/WiFi怎么申请？", ["vpn", "wifi", "申", "申请", "请"]),
        ("salary/bonus", ["salary", "bonus"]),
        ("full-time", ["full-time", "full", "time"]),
        ("HR-F-012", ["hr-f-012"]),
        ("VPN-4031/4032", ["vpn-4031", "4032"]),
        ("2026/10/01", ["2026/10/01"]),
        ("GB/T", ["gb", "t"]),
    ):
        assert [t.term for t in query_terms(question)] == wanted
    index = LexicalIndex(["full time staff", "the WiFi password", "a full-time job", "2026/10"])
    assert [h.position for h in index.search("full-time", 5)] == [2, 0]
    assert [h.position for h in index.search("VPN/WiFi", 5)] == [1]


def test_query_terms_of_hostile_text_are_terms_of_it(seeds) -> None:
    for seed in seeds(300):
        text = hostile.text(random.Random(seed), 12)
        found, every = query_terms(text), terms(text)
        assert bool(found) == bool(every), seed
        assert {(t.start, t.end) for t in found} <= {(t.start, t.end) for t in every}


def test_a_long_code_costs_no_more_than_its_length() -> None:
    for part, joint in (("ab", "-"), ("ab", "/"), ("12", "/"), ("1a", ".")):
        assert len(terms(joint.join(part for _ in range(5000)))) < 20_000


def test_folding_keeps_the_length_for_every_code_point() -> None:
    for low in range(0, 0x30000, 0x1000):
        text = "".join(map(chr, range(low, low + 0x1000)))
        assert len(fold(text)) == len(text)


def test_a_code_is_one_term_whatever_its_hyphen_is() -> None:
    for hyphen in "\u2010\u2011\ufe63\uff0d\u2012\u2013\u2212":
        assert [t.term for t in terms(f"HR{hyphen}F{hyphen}012表")] == [t.term for t in terms("HR-F-012表")]
        assert [t.term for t in query_terms(f"VPN{hyphen}4031是什么？")] == ["vpn-4031", "是"]
    for dash in "\u2012\u2013\u2212":  # between numbers and words it parts
        assert [t.term for t in terms(f"2020{dash}2026")] == ["2020", "2026"]
        assert [t.term for t in terms(f"end{dash}user")] == ["end", "user"]


def test_full_width_and_case_do_not_matter() -> None:
    assert [t.term for t in terms("Ⅳ级")] == [t.term for t in terms("ⅳ级")]
    index = LexicalIndex(["错误代码 VPN-4031", "错误代码 VPN-4032"])
    assert [h.position for h in index.search("ｖｐｎ－４０３１", 5)] == [0]


def test_scores_are_those_of_the_formula(seeds) -> None:
    for seed in seeds(300):
        rng = random.Random(seed)
        passages = random_passages(rng)
        query = rng.choice((hostile.text(rng, 3), " ".join(rng.choices(WORDS, k=3)), "年假年假 unknown"))
        scores = LexicalIndex(passages).scores(query)
        assert scores.dtype == np.float32 and scores.shape == (len(passages),)
        if any(terms(p) for p in passages):
            assert scores.tolist() == pytest.approx(bm25(passages, query), rel=1e-4, abs=1e-5), seed


def test_the_index_is_the_one_that_the_library_makes_of_the_terms_themselves(seeds) -> None:
    for seed in seeds(60):
        rng = random.Random(seed)
        passages = [*random_passages(rng), "年假"]
        theirs = bm25s.BM25(k1=0.9, b=0.4, method="lucene")
        theirs.index([[t.term for t in terms(p)] for p in passages], show_progress=False)
        index = LexicalIndex(passages)
        for query in (*passages, "年假 VPN-4031"):
            wanted = [t.term for t in query_terms(query)]
            if wanted:
                assert np.array_equal(index.scores(query), theirs.get_scores(wanted)), seed


def test_contributions_sum_to_the_score_and_each_is_that_of_the_formula(seeds) -> None:
    for seed in seeds(300):
        rng = random.Random(seed)
        passages = random_passages(rng)
        query = rng.choice((hostile.text(rng, 3), " ".join(rng.choices(WORDS, k=4)), "年假年假 unknown"))
        index = LexicalIndex(passages)
        scores = index.scores(query)
        for i, passage in enumerate(passages):
            parts = index.contributions(query, passage, i)
            assert sum(p.score for p in parts) == pytest.approx(float(scores[i]), rel=1e-5, abs=1e-9), seed
            assert parts == sorted(parts, key=lambda p: -p.score) and all(p.score > 0 for p in parts)
            asked, found = Counter(t.term for t in query_terms(query)), Counter(t.term for t in terms(passage))
            assert {p.term: (p.asked, p.found) for p in parts} == {t: (asked[t], found[t]) for t in asked if found[t]}
            one = {p.term: p.score for p in parts}
            for term in one if i < 3 else ():
                assert one[term] == pytest.approx(formula(term, asked[term], passages, i), rel=1e-5), seed


def formula(term: str, asked: int, passages: list[str], i: int) -> float:
    """What one term gives to a passage, by the formula of `bm25`."""
    counts = [Counter(t.term for t in terms(p)) for p in passages]
    df, n = sum(term in c for c in counts), len(counts)
    length, mean = counts[i].total(), sum(c.total() for c in counts) / n
    tf = counts[i][term]
    return asked * math.log(1 + (n - df + 0.5) / (df + 0.5)) * tf / (tf + 0.9 * (0.6 + 0.4 * length / mean))


def test_search_is_sorted_masked_and_without_zero_scores(seeds) -> None:
    for seed in seeds(300):
        rng = random.Random(seed)
        passages = random_passages(rng)
        index = LexicalIndex(passages)
        query = rng.choice((hostile.text(rng, 3), " ".join(rng.choices(WORDS, k=2)), "", "zzz", "。，"))
        allowed = rng.choice((None, np.array([rng.random() < 0.6 for _ in passages], dtype=np.bool_)))
        scores = index.scores(query)
        k = rng.choice((0, 1, 3, 100))
        wanted = sorted(
            (i for i in range(len(passages)) if scores[i] > 0 and (allowed is None or allowed[i])),
            key=lambda i: (-scores[i], i),
        )[:k]
        hits = index.search(query, k, allowed)
        assert [h.position for h in hits] == wanted, seed
        assert all(h.score > 0 for h in hits)
        wanted_terms = {t.term for t in query_terms(query)}
        assert all(wanted_terms & {t.term for t in terms(passages[h.position])} for h in hits)


@pytest.mark.parametrize("passages", [[], [""], ["", "。！", "\n"]])
def test_an_index_without_terms_finds_nothing(passages: list[str]) -> None:
    index = LexicalIndex(passages)
    assert index.search("年假", 5) == [] and index.scores("年假").tolist() == [0.0] * len(passages)


def test_a_term_repeated_in_the_question_counts_as_often() -> None:
    index = LexicalIndex(["alpha beta", "gamma delta"])
    assert index.scores("alpha alpha")[0] == pytest.approx(2 * index.scores("alpha")[0])


def test_equal_passages_keep_their_order() -> None:
    assert [h.position for h in LexicalIndex(["年假"] * 50).search("年假", 50)] == list(range(50))
