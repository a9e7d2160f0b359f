"""The search measured on collections: every figure against rankings made by brute force."""

import json
import math
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rag.config import QuerySettings, SearchSettings, SelectSettings, Settings, SplitSettings
from rag.corpus.index import Corpus, build
from rag.corpus.lexical import LexicalIndex
from rag.errors import QuestionError
from rag.evaluate.benchmark import METHODS, Asked, Measured, Ranked, measure, rows, skipped
from rag.evaluate.benchmark_report import Table, lines, to_json
from rag.evaluate.collection import Collection, Subset, collection_folders, read_collection
from rag.evaluate.statistics import compare
from tests.evaluate.test_collection import CORPUS, QRELS, QUERIES, lay_out, ndcg, random_collection
from tests.fake_models import BigramEncoder, FakeModels

ALONE = QuerySettings(normalise=False, follow_up=False, glossary=False, parts=False)
"""The question alone, as it is written."""


def run(collections: list[Collection], settings: Settings, encoder: BigramEncoder | None = None) -> list[Measured]:
    encoder = encoder or BigramEncoder()
    return list(measure(collections, settings, FakeModels(encoder, None), encoder, lambda *_: None))  # type: ignore[arg-type]


def ordered(scores: list[float], above: float) -> list[int]:
    """Rows by score, of equals the first one first."""
    return sorted((i for i, s in enumerate(scores) if s > above), key=lambda i: (-scores[i], i))


def rrf(first: list[int], second: list[int], c: int) -> list[int]:
    scores = {
        i: math.fsum(1 / (c + run.index(i) + 1) for run in (first, second) if i in run) for i in {*first, *second}
    }
    return sorted(scores, key=lambda i: (-scores[i], i))


def documents(order: list[int], corpus: Corpus) -> list[str]:
    return list(dict.fromkeys(corpus.chunks[i].key.rsplit("@", 1)[0] for i in order))


def test_every_method_against_rankings_by_brute_force(tmp_path: Path, seeds) -> None:
    different = set()
    for seed in seeds(40):
        rng = random.Random(seed)
        collection = read_collection(random_collection(rng, tmp_path / str(seed)), None)
        depth, c = rng.choice((1, 2, 30)), rng.choice((1, 10, 60))
        settings = Settings(
            SplitSettings("fixed", rng.choice((20, 60)), 5),
            query=ALONE,
            search=SearchSettings(mode=rng.choice(("dense", "lexical", "fused")), depth=depth, rrf_c=c),
            select=SelectSettings(near_duplicates=False),
        )
        corpus, encoder = build(collection.documents, settings.split, None), BigramEncoder()
        passages = [chunk.passage for chunk in corpus.chunks]
        vectors, words = (
            encoder.encode_document(passages, passages),
            LexicalIndex([chunk.wording for chunk in corpus.chunks]),
        )
        (measured,) = run([collection], settings)
        assert (measured.documents, measured.chunks) == (len(collection.documents), len(passages))
        for question, asked in zip(collection.questions.questions, measured.asked, strict=True):
            (vector,) = encoder.encode_query([question.question])
            dense = ordered(np.einsum("ij,j->i", vectors, vector).tolist(), -2.0)
            lexical = ordered(words.scores(question.question).tolist(), 0.0)
            expected = {
                "dense": dense[:200],
                "lexical": lexical[:200],
                "rrf": rrf(dense[:100], lexical[:100], 60),
            }
            if settings.search.mode != "fused":  # in a mixture of languages fusion does more, see the tests of it
                expected["line"] = (dense if settings.search.mode == "dense" else lexical)[:depth]
            grades = {label.document: label.grade for label in question.relevant}
            for method, order in expected.items():
                names, got = documents(order, corpus), asked.of(method)  # type: ignore[arg-type]
                assert got.ndcg == pytest.approx(ndcg(names, grades, 10)), (seed, method)
                assert got.hit == float(bool(names) and names[0] in grades), (seed, method)
                assert got.documents == min(10, len(names)) and got.seconds > 0
            different.add((asked.dense.ndcg, asked.lexical.ndcg, asked.rrf.ndcg, asked.line.ndcg))
    assert any(len(set(values)) == 4 for values in different)


def test_plain_fusion_stays_plain_under_every_setting_and_the_line_is_what_is_set(tmp_path: Path) -> None:
    english = {"_id": "en", "title": "", "text": "Annual leave is 15 days a year."}
    collection = read_collection(lay_out(tmp_path / "set", [*CORPUS, english], QUERIES, QRELS), None)
    tricks = Settings()
    tricks = replace(
        tricks,
        query=replace(tricks.query, glossary=True, normalise=True, parts=True),
        search=replace(tricks.search, rrf_c=1, depth=1),
    )
    plain = Settings(search=SearchSettings(depth=100, rrf_c=60))
    (a,), (b,) = run([collection], tricks), run([collection], plain)
    for x, y in zip(a.asked, b.asked, strict=True):
        for method in METHODS[:3]:
            assert replace(x.of(method), seconds=0) == replace(y.of(method), seconds=0)
    assert [x.line.documents for x in a.asked] != [x.line.documents for x in b.asked]


def test_what_the_line_leaves_out_is_not_ranked(tmp_path: Path) -> None:
    corpus: list[dict[str, object]] = [
        {"_id": "a", "title": "", "text": "员工年假每年十五天，须提前三个工作日申请。"},
        {"_id": "b", "title": "", "text": "员工年假每年十五天，须提前三个工作日申请。"},
        {"_id": "c", "title": "", "text": "食堂中午十一点半开门。"},
    ]
    folder = lay_out(tmp_path / "set", corpus, [{"id": "q", "text": "员工年假每年几天？"}], "q\tb\t1\n")
    collection = read_collection(folder, None)
    for near_duplicates, expected in ((False, 1 / math.log2(3)), (True, 0.0)):
        ((asked,),) = [
            m.asked for m in run([collection], Settings(select=SelectSettings(near_duplicates=near_duplicates)))
        ]
        assert asked.line.ndcg == pytest.approx(expected)
        assert asked.rrf.ndcg == pytest.approx(1 / math.log2(3))
    ((asked,),) = [m.asked for m in run([collection], Settings(search=SearchSettings(threshold=1.0)))]
    assert asked.line.documents == 0 and asked.rrf.documents == 3


def test_passages_of_an_earlier_collection_are_not_encoded_again(tmp_path: Path) -> None:
    first, second = (lay_out(tmp_path / name, CORPUS, QUERIES, QRELS) for name in ("one", "two"))
    encoder = BigramEncoder()
    a, b = run([read_collection(first, None), read_collection(second, None)], Settings(), encoder)
    assert (a.encoded, b.encoded) == (3, 0) and len(encoder.encoded) == 3
    assert [replace(x.line, seconds=0) for x in a.asked] == [replace(x.line, seconds=0) for x in b.asked]


def test_a_step_that_was_skipped_is_counted(tmp_path: Path) -> None:
    collection = read_collection(lay_out(tmp_path / "set", CORPUS, QUERIES, QRELS), None)
    (plain,) = run([collection], Settings())
    assert not skipped(plain)
    (measured,) = run([collection], Settings(select=SelectSettings(rerank="likelihood")))
    assert skipped(measured) == {"rerank": 2}
    table = Table(Settings(), (("model", "bigrams"),), (measured,))
    assert "set: line: rerank skipped or replaced for 2 of 2 queries" in lines(table)


def measured_of(rng: random.Random, n: int) -> Measured:
    def ranked() -> Ranked:
        return Ranked(rng.random(), float(rng.random() < 0.5), rng.choice((9, 10)), rng.random())

    asked = tuple(Asked(f"q{i}", ranked(), ranked(), ranked(), ranked()) for i in range(n))
    return Measured("set", 30, 40, 12, 1.5, asked, (Subset("hr=True", frozenset({"q0", "q3"})),))


def test_rows_are_means_and_pairs_of_what_was_asked(seeds) -> None:
    for seed in seeds(20):
        rng = random.Random(seed)
        measured = measured_of(rng, rng.randint(4, 30))
        whole, part = rows(measured)
        assert (whole.name, whole.n) == ("set", len(measured.asked))
        assert (part.name, part.n) == ("set hr=True", 2)
        for row, asked in ((whole, measured.asked), (part, (measured.asked[0], measured.asked[3]))):
            for mean in row.means:
                results = [getattr(a, mean.method) for a in asked]
                assert mean.ndcg == pytest.approx(np.mean([r.ndcg for r in results]))
                assert mean.hit == pytest.approx(np.mean([r.hit for r in results]))
                assert mean.seconds == pytest.approx(np.mean([r.seconds for r in results]))
                assert mean.short == sum(r.documents == 9 for r in results)
            assert row.ndcg == compare([a.rrf.ndcg for a in asked], [a.line.ndcg for a in asked])
            assert row.hit == compare([a.rrf.hit for a in asked], [a.line.hit for a in asked])


def test_text_and_json_say_the_same(tmp_path: Path) -> None:
    measured = measured_of(random.Random(1), 12)
    table = Table(Settings(search=SearchSettings(packed=6)), (("model", "bigrams"),), (measured,), ("other",))
    out, data = lines(table), json.loads(to_json(table))
    assert data["settings_hash"] == table.settings.hash() and not data["shipped"] and not data["complete"]
    assert f"as set {table.settings.hash()}" in "\n".join(out) and "other: not measured, ended before" in out
    assert Table(Settings(), (), ()).line == f"shipped {Settings().hash()}"
    (found,) = data["collections"]
    assert [q["id"] for q in found["queries"]] == [a.id for a in measured.asked]
    for row in found["rows"]:
        (cells,) = [c for c in (line.split(" | ") for line in out) if c[0] == row["name"] and len(c) == 11]
        assert cells[1:3] == [str(row["n"]), "40"]
        assert cells[3:7] == [f"{100 * row[m]['ndcg']:.1f} / {100 * row[m]['hit']:.1f}" for m in METHODS]
        d = row["line_minus_rrf"]["ndcg"]
        assert cells[7:9] == [
            f"{100 * d['mean']:+.1f} [{100 * d['low']:+.1f}, {100 * d['high']:+.1f}]",
            f"{d['p']:.4f}",
        ]
    mean = np.mean([q["line"]["ndcg"] - q["rrf"]["ndcg"] for q in found["queries"]])
    assert found["rows"][0]["line_minus_rrf"]["ndcg"]["mean"] == pytest.approx(mean)
    short = sum(q["dense"]["documents"] < 10 for q in found["queries"])
    assert f"set: dense: fewer than 10 documents for {short} of 12 queries" in out


def test_subsets_by_the_queries_own_fields(tmp_path: Path) -> None:
    queries: list[dict[str, object]] = [
        {"id": "q1", "text": "年假几天？", "hr": True, "form": "cn", "answers": ["15"], "note": "x" * 21, "one": "a"},
        {
            "id": "q2",
            "text": "报销多少？",
            "hr": False,
            "form": "\u202earabic\n",
            "answers": ["3"],
            "note": "y",
            "one": "a",
        },
        {"id": "q0", "text": "没有标注", "hr": True, "form": "other"},
    ]
    collection = read_collection(lay_out(tmp_path / "set", CORPUS, queries, QRELS), None)
    found = [(subset.name, subset.ids) for subset in collection.subsets]
    assert found == [
        ("form=arabic", {"q2"}),
        ("form=cn", {"q1"}),
        ("hr=False", {"q2"}),
        ("hr=True", {"q1"}),
    ]
    assert not read_collection(tmp_path / "set", 1).subsets  # of one query


def test_a_field_of_many_values_makes_no_subsets(tmp_path: Path) -> None:
    for n, expected in ((6, 6), (7, 0)):
        queries: list[dict[str, object]] = [{"id": f"q{i}", "text": "年假", "kind": str(i)} for i in range(n)]
        folder = lay_out(tmp_path / str(n), CORPUS, queries, "".join(f"q{i}\td1\t1\n" for i in range(n)))
        assert len(read_collection(folder, None).subsets) == expected


def test_one_collection_or_a_folder_of_them(tmp_path: Path) -> None:
    with pytest.raises(QuestionError, match=r"corpus\.jsonl"):
        collection_folders(tmp_path)
    folders = [lay_out(tmp_path / name, CORPUS, QUERIES, QRELS) for name in ("b", "a")]
    (tmp_path / "c").mkdir()
    assert collection_folders(tmp_path) == (folders[1], folders[0])
    assert collection_folders(folders[0]) == (folders[0],)
