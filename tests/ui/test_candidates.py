"""The candidate table, what explains a candidate, two retrievals side by side, the map: rows and markup from data."""

import random
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from rag.asking import Asked
from rag.config import Settings, SplitSettings
from rag.corpus.index import Corpus, build
from rag.corpus.lexical import query_terms
from rag.models.tokens import TokenStates
from rag.types import Candidate, Document, Leg, Query, Retrieval, Sought, Status, Trace
from rag.ui import candidates_map, candidates_why
from rag.ui.candidates import candidate_view
from rag.ui.candidates_beside import Row, beside, changed, rows
from rag.ui.candidates_map import Mapped, map_view
from rag.ui.candidates_table import (
    EVERY,
    SORTS,
    boundary,
    candidate_rows,
    chosen,
    fate,
    other_versions,
    outcomes,
    outside,
    searched,
)
from rag.ui.render import TABLE_ROWS
from rag.ui.strings import text
from tests.ui.markup import ALLOWED, PAYLOADS, read

SVG = {"svg", "path", "g", "title", "circle", "text"}


def harmless(markup: str) -> None:
    """As `tests.ui.markup.harmless`, with the elements of the lists and the map."""
    reader = read(markup)
    assert set(reader.tags) <= ALLOWED | SVG | {"li", "h3"}, set(reader.tags) - ALLOWED
    assert not [a for a in reader.attributes if a.startswith("on") or a in ("src", "href", "srcdoc")]


def corpus(texts: list[str], title: str = "制度") -> Corpus:
    documents = [
        Document(f"d{i}", "2026", f"d{i}@2026", "own", f"{title}{i}", "f.txt", written, file="f.txt")
        for i, written in enumerate(texts)
    ]
    return build(documents, SplitSettings(), None)


def retrieval(found: Corpus, statuses: list[Status], question: str = "年假多少天？") -> Retrieval:
    """One candidate per chunk, fused by RRF of its ranks."""
    settings = Settings()
    lexical = found.lexical.scores(question)
    made = []
    for i, (chunk, status) in enumerate(zip(found.chunks, statuses, strict=False)):
        scores = {"dense": 0.9 - i / 100, "lexical": float(lexical[i]), "fused": 2 / (11 + i)}
        made.append(Candidate(chunk, scores, dict.fromkeys(scores, i + 1), i + 1, status, cosine=0.9 - i / 100))
    query = Query(question, (), (Leg("whole", (Sought(question, "question", 1.0, 1.0),)),))
    trace = Trace((), settings.lines(), settings.hash())
    return Retrieval(question, found.corpus_id, tuple(made), None, trace, query=query)


TEXTS = ["每年可享受15天带薪年假。", "设备报销3000元。", "年假应提前3个工作日申请。", "食堂十二点开饭。"]
STATUSES = [
    Status("packed", "S1"),
    Status("duplicate", of="d0@2026:0-13"),
    Status("beyond_k"),
    Status("below_threshold"),
]


def test_rows_are_numbers_where_they_are_numbers_and_say_why() -> None:
    found = corpus(TEXTS)
    asked = retrieval(found, [Status("packed", "S1"), Status("duplicate", of=found.chunks[0].chunk_id), *STATUSES[2:]])
    made = candidate_rows(asked.candidates, asked, found.documents, "zh")
    assert made[0][0] == 1 and made[0][2:4] == [0.9, 1] and made[0][8:10] == [None, None]
    assert all(type(cell) in (int, float) for row in made for cell in (row[0], *row[2:8]))
    assert [row[1] for row in made] == ["放入提示词 S1", "与第 1 名重复", "在前 k 名之外", "低于阈值"]
    with_floor = replace(asked, trace=replace(asked.trace, settings=(("search.threshold", "0.88"),)))
    assert fate(with_floor.candidates[3], with_floor, "en") == "below the threshold: 0.8700 < 0.88"


def test_no_more_rows_than_the_table_holds() -> None:
    found = corpus(["年假。"] * 520)
    asked = retrieval(found, [Status("beyond_k")] * 520)
    assert len(candidate_rows(asked.candidates, asked, found.documents, "zh")) == TABLE_ROWS


def test_filter_and_order_against_a_plain_loop(seeds: Callable[[int], range]) -> None:
    found = corpus(TEXTS * 3)
    for seed in seeds(100):
        rng = random.Random(seed)
        asked = retrieval(found, [rng.choice(STATUSES) for _ in found.chunks])
        shuffled = tuple(
            replace(c, scores={k: round(rng.random(), 1) for k in c.scores if rng.random() < 0.7})
            for c in asked.candidates
        )
        words, sort = rng.choice(("", "年假", "年假 天", "制度2", "ＶＰＮ", "報銷")), rng.choice(SORTS)
        outcome = rng.choice((EVERY, "packed", "beyond_k"))
        got = chosen(shuffled, found.documents, words, outcome, sort)
        plain = {"報銷": "报销", "ＶＰＮ": "vpn"}
        kept = [
            c
            for c in shuffled
            if outcome in (EVERY, c.status.fate)
            and all(
                plain.get(w, w) in found.documents[c.chunk.key].title + "\n" + c.chunk.text.lower()
                for w in words.split()
            )
        ]
        assert {c.rank for c in got} == {c.rank for c in kept}, seed
        if sort in ("dense", "lexical", "fused", "rerank"):
            scores = [c.scores.get(sort) for c in got]
            known = [s for s in scores if s is not None]
            assert scores == [*sorted(known, reverse=True), *[None] * (len(scores) - len(known))], seed
        if sort == "rank":
            assert [c.rank for c in got] == sorted(c.rank for c in got)


def test_the_outcomes_to_choose_from_are_those_there_are() -> None:
    found = corpus(TEXTS)
    names = outcomes(retrieval(found, STATUSES).candidates, "en")
    assert names[0] == ("all (4)", EVERY) and [value for _, value in names[1:]] == [s.fate for s in STATUSES]
    assert all(name.endswith("(1)") for name, _ in names[1:])


def test_the_last_packed_stands_beside_the_first_left_out() -> None:
    found = corpus(TEXTS)
    said = boundary(retrieval(found, [Status("packed", "S1"), Status("packed", "S2"), *STATUSES[2:]]), "en")
    assert f"no. 2, has {2 / 12:.4f}" in said and f"no. 3, has {2 / 13:.4f} (below top k)" in said
    assert boundary(retrieval(found, [Status("beyond_k")] * 4), "en") == ""


def test_the_terms_shown_sum_to_the_score_shown() -> None:
    found = corpus(TEXTS)
    asked = retrieval(found, STATUSES, "年假15天 年假")
    for candidate in asked.candidates:
        markup = candidates_why.reasons(candidate, asked, found, "en")
        rows_ = re.findall(r"<tr><td><b>([^<]+)</b></td><td>([\d.]*)</td><td>\d*</td><td>(?:<b>)?([\d.]+)", markup)
        if not rows_:
            assert candidate.scores["lexical"] == 0 and "shares no term" in markup
            continue
        (total, _, shown), *terms = rows_
        assert total == "sum" and float(shown) == pytest.approx(candidate.scores["lexical"], abs=1e-4)
        assert sum(float(t[2]) for t in terms) == pytest.approx(float(shown), abs=1e-3)
        assert {t[0] for t in terms} <= {t.term for t in query_terms("年假15天 年假")}
        assert "index changed" not in markup
    strange = replace(asked.candidates[0], scores={"lexical": 99.0})
    assert "index changed" in candidates_why.reasons(strange, asked, found, "en")
    unlisted = replace(asked.candidates[0], scores={"dense": 0.9})
    assert text("terms.unlisted", "en")[:30] in candidates_why.reasons(unlisted, asked, found, "en")


def test_why_gives_the_sum_of_reciprocal_ranks() -> None:
    found = corpus(TEXTS)
    asked = retrieval(found, STATUSES)
    asked = replace(asked, trace=replace(asked.trace, settings=(("search.fusion", "rrf"), ("search.rrf_c", "60"))))
    scores, ranks = {"dense": 0.9, "lexical": 3.0, "fused": 1 / 61 + 1 / 63}, {"dense": 1, "lexical": 3, "fused": 1}
    one = Candidate(found.chunks[0], scores, ranks, 1, Status("packed", "S1"))
    said = candidates_why.why(one, asked, found, "en")
    assert "1/(60+1) + 1/(60+3) = 0.0323" in said and "language" not in said
    ranks = {"dense": 2, "cross": 2, "lexical": 9, "fused": 1}
    foreign = replace(one, scores={"dense": 0.9, "cross": 0.9, "lexical": 1.0, "fused": 0.0467}, ranks=ranks)
    said = candidates_why.why(foreign, asked, found, "en")
    assert "1/(60+2) + 1/(60+2) + 1/(60+9) = 0.0467" in said and "language" in said
    legs = replace(one, scores={**scores, "whole": 0.1, "part1": 0.2}, ranks={**ranks, "whole": 4, "part1": 1})
    assert "whole question 4, part 1 1" in candidates_why.why(legs, asked, found, "en")


def test_words_are_marked_where_they_stand() -> None:
    found = corpus(TEXTS)
    asked = retrieval(found, STATUSES, "带薪年假有多少？")
    view = candidate_view(asked.candidates[0], asked, found, "zh")
    assert re.findall(r'class="chunk word">([^<]+)<', view) == ["带薪年假"]


def test_pairs_shown_are_those_of_the_states() -> None:
    states = np.eye(3, dtype=np.float32)
    question = TokenStates("年假几天", ((0, 2), (2, 4)), states[:2])
    passage = TokenStates("每年<b>带薪年假15天", ((5, 9), (9, 12)), np.stack([states[0], states[2]]))
    markup = candidates_why.pairs(question, passage, "en")
    assert "The question as it was searched: “年假几天”" in markup
    assert "<b>年假</b>" in markup and "&gt;<mark>带薪年假</mark>15天" in markup and "1.0000" in markup
    assert "&lt;b&gt;" in markup and "<b>带" not in markup
    assert candidates_why.pairs(question, TokenStates("", (), states[:0]), "en").count("<tr>") == 0


def test_rows_of_two_retrievals_say_what_moved() -> None:
    found = corpus(TEXTS)
    one = retrieval(found, STATUSES)
    turned = tuple(replace(c, rank=n) for n, c in enumerate((one.candidates[2], one.candidates[0]), 1))
    two = replace(one, candidates=turned, trace=replace(one.trace, settings=(*one.trace.settings[1:], ("x", "1"))))
    made = rows(two, one)
    assert [row.moved for row in made] == [2, -1, None, None] and made[2].now is None
    assert {name for name, _, _ in changed(two, one)} == {one.trace.settings[0][0], "x"}
    markup = beside(Asked(two, found, None), Asked(one, found, None), False, "en")
    assert "2 in both (1 moved up, 1 down, 0 stayed), 0 only now, 2 only before" in markup
    assert "1 pieces are the same" in markup and "↑ 2" in markup and "↓ 1" in markup
    assert Row(None, one.candidates[0]).moved is None


def test_what_only_the_scope_left_out_is_folded_and_says_why() -> None:
    found = corpus(TEXTS)
    asked = retrieval(found, STATUSES)
    assert outside(asked, found.documents, "en") == ""
    hidden = (
        replace(asked.candidates[0], status=Status("out_of_scope", of="d1@2026")),
        replace(asked.candidates[2], status=Status("out_of_scope")),
    )
    markup = outside(replace(asked, outside=hidden), found.documents, "en")
    assert markup.startswith("<details") and " open" not in markup[:40]
    assert "another version; in force: 制度1 2026" in markup and "outside the chosen documents" in markup


def test_the_other_version_is_named_once_with_its_dates() -> None:
    found = corpus(TEXTS, title="<b>{0}")
    asked = retrieval(found, STATUSES)
    chosen_only = replace(asked.candidates[1], status=Status("out_of_scope"))
    assert other_versions(replace(asked, outside=(chosen_only,)), found.documents, "en") == ""
    other = replace(asked.candidates[0], status=Status("out_of_scope", of="d1@2026"))
    dated = {"effective_from": date(2025, 1, 1), "effective_to": date(2025, 12, 31)}
    for given, english, chinese in (
        (dated, "2026, 2025-01-01 to 2025-12-31", "2026，2025-01-01 至 2025-12-31"),
        ({"effective_to": date(2025, 12, 31), "version": ""}, "(until 2025-12-31)", "（至 2025-12-31）"),
        ({"effective_from": date(2025, 1, 1)}, "(2026, from 2025-01-01)", "（2026，2025-01-01 起）"),
        ({"version": ""}, "(–)", "（–）"),
    ):
        documents = dict(found.documents) | {"d0@2026": replace(found.documents["d0@2026"], **given)}
        both = replace(asked, outside=(chosen_only, other, other))
        en, zh = (other_versions(both, documents, spoken) for spoken in ("en", "zh"))
        assert english in en and chinese in zh and en.count("“") == zh.count("《") == 1
        # a search that also finds an older version does not make it speak of the question
        assert "need not be about this" in en and "未必与问题有关" in zh and "也谈到" not in zh
        assert "&lt;b&gt;{0}0" in en and "<b>" not in en + zh


def test_what_was_searched_is_listed_with_its_weights() -> None:
    legs = (
        Leg("whole", (Sought("年假几天", "question", 2.0, 2.0), Sought("带薪年休假", "synonyms", 0.5, 0.25))),
        Leg("part1", (Sought("年假", "part", 1.0, 1.0),)),
    )
    markup = searched(Query("年假几天", (), legs), "年假几天", "en")
    assert markup.count("<tr>") == 4 and "0.25" in markup and "synonyms" in markup and "part 1" in markup
    assert "evidence was given" in searched(Query("q"), "q", "en")


def mapped(n: int, d: int = 8) -> tuple[Mapped, Corpus, Retrieval]:
    found = corpus([f"第{i}条 年假" for i in range(n)])
    asked = retrieval(found, [Status("packed", "S1"), Status("beyond_k")])
    rng = np.random.default_rng(n)
    vectors = rng.standard_normal((len(found.chunks), d)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return Mapped(vectors, found.chunks, vectors[0], asked.candidates), found, asked


def test_the_map_draws_every_chunk_every_candidate_and_the_question() -> None:
    what, found, _ = mapped(40)
    markup = map_view(what, dict(found.documents), "en")
    assert markup.count("h0") == 40 and markup.count('role="button"') == 2 and markup.count('class="asked"') == 1
    assert "All 40 chunks" in markup and re.search(r"They hold \d+\.\d% of the variance", markup)
    places = [tuple(map(float, p)) for p in re.findall(r"M([\d.-]+) ([\d.-]+)h0", markup)]
    assert all(0 <= x <= candidates_map.WIDTH and 0 <= y <= candidates_map.HEIGHT for x, y in places)
    first = re.search(r'data-rank="1".*?class="field" cx="([\d.]+)" cy="([\d.]+)"', markup)
    assert first and (float(first[1]), float(first[2])) == places[0]  # the candidate lies on its chunk's dot
    assert "not searched by vectors" in map_view(replace(what, query=None), dict(found.documents), "en")


def test_a_large_map_is_thinned_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates_map, "POINTS", 15)
    what, found, _ = mapped(40)
    markup = map_view(what, dict(found.documents), "en")
    assert markup.count("h0") == 14 and markup.count('role="button"') == 2
    assert "Of 40 chunks every 3th is drawn (14)" in markup
    assert "At least three" in map_view(replace(what, vectors=what.vectors[:2], chunks=what.chunks[:2]), {}, "en")


def test_everything_on_the_tab_is_escaped() -> None:
    for payload in PAYLOADS:
        found = corpus([payload + "年假", payload + "设备", payload], title=payload)
        asked = retrieval(found, [Status("packed", payload), Status("duplicate", of=payload), STATUSES[3]], payload)
        legs = (Leg("whole", (Sought(payload, "question", 1.0, 1.0), Sought(payload, "draft", 1.0, 1.0))),)
        asked = replace(asked, query=Query(payload, (payload,), legs, payload), outside=asked.candidates)
        both = Asked(asked, found, None), Asked(replace(asked), found, None)
        vectors = np.eye(3, dtype=np.float32)
        what = Mapped(vectors, found.chunks, vectors[0], asked.candidates)
        whole = TokenStates(payload, ((0, len(payload)),), vectors[:1])
        for markup in (
            searched(asked.query, payload, "zh"),
            outside(asked, found.documents, "zh"),
            candidate_view(asked.candidates[1], asked, found, "zh"),
            candidates_why.reasons(asked.candidates[0], asked, found, "zh"),
            candidates_why.pairs(whole, whole, "zh"),
            beside(*both, True, "zh"),
            map_view(what, dict(found.documents), "zh"),
        ):
            harmless(markup)
