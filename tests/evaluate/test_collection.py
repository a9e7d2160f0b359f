"""Collections on disk, and that a document is as good as its best chunk."""

import json
import math
import random
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from rag.config import QuerySettings, SearchSettings, Settings, SplitSettings
from rag.corpus.index import build
from rag.corpus.lexical import LexicalIndex
from rag.errors import QuestionError
from rag.evaluate.collection import Collection, read_collection
from rag.evaluate.questions import MOST_QUESTIONS, Label
from rag.evaluate.run import Bench, Outcome, evaluate
from tests import hostile
from tests.fake_models import FakeModels

CORPUS = [
    {"_id": "d1", "title": "年假", "text": "满一年15天。"},
    {"_id": "d2", "title": "", "text": "报销\x00 3000 元。"},
    {"_id": "d3", "title": "只有标题", "text": ""},
]
QUERIES = [{"_id": "q1", "text": "年假几天？"}, {"_id": "q0", "text": "没有标注"}, {"_id": "q2", "text": "报销多少？"}]
QRELS = "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td3\t1\nq1\td2\t0\nq2\td2\t1\nq2\tgone\t1\n"


def lay_out(folder: Path, corpus: list[dict[str, object]], queries: list[dict[str, object]], qrels: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "corpus.jsonl").write_text("\n".join(json.dumps(d) for d in corpus), "utf-8")
    (folder / "queries.jsonl").write_text("\n".join(json.dumps(q) for q in queries), "utf-8")
    (folder / "qrels.tsv").write_text(qrels, "utf-8")
    return folder


def run(collection: Collection, split: SplitSettings, k: int, depth: int = 200) -> list[Outcome]:
    corpus = build(collection.documents, split, None)
    alone = QuerySettings(normalise=False, follow_up=False, glossary=False, parts=False)
    settings = Settings(split=split, query=alone, search=SearchSettings(mode="lexical", depth=depth, scope="all"))
    bench = Bench(corpus, settings, FakeModels(None, None))  # type: ignore[arg-type]
    return list(evaluate(collection.questions.questions, bench, (), k, threading.Event()))


def test_documents_and_questions(tmp_path: Path) -> None:
    read = read_collection(lay_out(tmp_path / "set", CORPUS, QUERIES, QRELS), None)
    assert [(d.doc_id, d.title, d.text, d.origin) for d in read.documents] == [
        ("d1", "年假", "满一年15天。", "own"),
        ("d2", "", "报销 3000 元。", "own"),
        ("d3", "", "只有标题", "own"),
    ]
    assert all(d.key.startswith(f"{d.doc_id}@") and len(d.key) == len(d.doc_id) + 9 for d in read.documents)
    assert read.questions.name == "set"
    assert [(q.id, q.question, q.relevant) for q in read.questions.questions] == [
        ("q1", "年假几天？", (Label("d1", grade=2), Label("d3"))),
        ("q2", "报销多少？", (Label("d2"), Label("gone"))),
    ]
    first, second = run(read, SplitSettings(), 10)
    assert first.relevant.unit == "document" and first.evidence
    assert [label.document for label in second.relevant.missing] == ["gone"]


@pytest.mark.parametrize(
    "qrels",
    [QRELS, QRELS.split("\n", 1)[1], "q1 0 d1 2\nq1 0 d3 1\nq2 Q0 d2 1\nq2 0 gone 1", QRELS.replace("\n", "\r\n")],
)
def test_the_ways_judgements_are_written(tmp_path: Path, qrels: str) -> None:
    plain = read_collection(lay_out(tmp_path / "set", CORPUS, QUERIES, QRELS), None)
    assert read_collection(lay_out(tmp_path / "set", CORPUS, QUERIES, qrels), None) == plain


def test_judgements_in_a_folder_of_their_own(tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "set", CORPUS, QUERIES, QRELS)
    plain = read_collection(folder, None)
    (folder / "qrels").mkdir()
    (folder / "qrels.tsv").rename(folder / "qrels" / "dev.tsv")
    assert read_collection(folder, None) == plain
    (folder / "qrels" / "train.tsv").write_text("q0\td1\t1\n")
    with pytest.raises(QuestionError, match="2 files"):
        read_collection(folder, None)
    (folder / "qrels" / "test.tsv").write_text(QRELS)
    assert read_collection(folder, None) == plain


def test_a_limit_takes_the_first_queries_that_are_judged(tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "set", CORPUS, [QUERIES[1], QUERIES[2], QUERIES[0]], QRELS)
    assert [q.id for q in read_collection(folder, 1).questions.questions] == ["q2"]
    n = MOST_QUESTIONS + 1
    many = [{"id": i, "text": "问"} for i in range(n)]
    folder = lay_out(tmp_path / "many", CORPUS, many, "".join(f"{i}\td1\t1\n" for i in range(n)))
    with pytest.raises(QuestionError, match=r"1,001.*limit"):
        read_collection(folder, None)
    assert len(read_collection(folder, MOST_QUESTIONS).questions.questions) == MOST_QUESTIONS
    for limit in (0, n):
        with pytest.raises(QuestionError, match="limit"):
            read_collection(folder, limit)


@pytest.mark.parametrize(
    ("file", "content", "expected"),
    [
        ("corpus.jsonl", '{"id": "a", "text": "x"}\n{"id": "a", "text": "y"}', "corpus.jsonl, line 2"),
        ("corpus.jsonl", '\n{"id": "a"}', "corpus.jsonl, line 2: field text"),
        ("corpus.jsonl", '{"id": "a", "text": "x"', "corpus.jsonl, line 1: not valid JSON"),
        ("corpus.jsonl", "[1]", "expected an object"),
        ("corpus.jsonl", "[" * 100_000, "not valid JSON"),
        ("corpus.jsonl", '{"text": "x"}', "_id or id"),
        ("queries.jsonl", '{"id": "q1", "text": " "}', "queries.jsonl, line 1: field question"),
        ("queries.jsonl", '{"id": "q1", "text": "x"}', "'q2'"),
        ("qrels.tsv", "q1\td1\t1\nq1\td2\n", "qrels.tsv, line 2"),
        ("qrels.tsv", "q1\td1\t1\nq1\td2\tx\n", "qrels.tsv, line 2"),
        ("qrels.tsv", "q1\td1\t0\n", "no document is relevant"),
        ("qrels.tsv", "", "no document is relevant"),
    ],
)
def test_what_cannot_be_used_is_named(tmp_path: Path, file: str, content: str, expected: str) -> None:
    folder = lay_out(tmp_path / "set", CORPUS, QUERIES, QRELS)
    (folder / file).write_text(content, "utf-8")
    with pytest.raises(QuestionError) as caught:
        read_collection(folder, None)
    assert expected in str(caught.value)
    assert ", line" not in caught.value.message("zh")
    (folder / file).write_bytes(b"\xff\xfe\x00\xd8")
    with pytest.raises(QuestionError, match="UTF-8"):
        read_collection(folder, None)
    (folder / file).unlink()
    with pytest.raises(QuestionError):
        read_collection(folder, None)


def random_collection(rng: random.Random, folder: Path) -> Path:
    """Documents of several chunks each, some equal word for word, and graded judgements."""
    corpus: list[dict[str, object]] = []
    for i in range(rng.randint(3, 12)):
        text = rng.choice(corpus)["text"] if corpus and rng.random() < 0.1 else f"文{i}。{hostile.text(rng, 25)}"
        corpus.append({"id": f"d{i}", "title": hostile.line(rng), "text": text})
    queries: list[dict[str, object]] = [
        {"id": f"q{i}", "text": f"年假 {hostile.line(rng)}"[:200]} for i in range(rng.randint(1, 4))
    ]
    rows = [
        f"{q['id']}\t{d['id']}\t{rng.choice((0, 1, 1, 3))}\n" for q in queries for d in corpus if rng.random() < 0.4
    ] + [f"{q['id']}\td0\t1\n" for q in queries]
    return lay_out(folder, corpus, queries, "".join(rows))


def ndcg(order: list[str], grades: dict[str, int], k: int) -> float:
    gains = [grades.get(name, 0) for name in order]
    best = sorted(grades.values(), reverse=True)
    dcg, ideal = (sum(g / math.log2(i + 2) for i, g in enumerate(part[:k])) for part in (gains, best))
    return dcg / ideal


def test_a_document_scores_as_its_best_chunk(tmp_path: Path, seeds) -> None:
    several = 0
    for seed in seeds(60):
        rng = random.Random(seed)
        collection = read_collection(random_collection(rng, tmp_path / str(seed)), None)
        split = SplitSettings(rng.choice(("fixed", "recursive")), rng.choice((20, 60, 240)), 5)
        corpus = build(collection.documents, split, None)
        doc_of = {d.key: d.doc_id for d in collection.documents}
        k = rng.choice((1, 3, 10))
        several += len(corpus.chunks) > 2 * len(collection.documents)
        for question, outcome in zip(collection.questions.questions, run(collection, split, k), strict=True):
            # by hand: the highest score of any of its chunks, and of equals the document whose chunk comes first
            best: dict[str, tuple[float, int]] = {}
            scores = LexicalIndex([c.wording for c in corpus.chunks]).scores(question.question)
            for i, (chunk, value) in enumerate(zip(corpus.chunks, scores.tolist(), strict=True)):
                if value > 0:
                    name = doc_of[chunk.key]
                    best[name] = min(best.get(name, (0.0, i)), (-value, i))
            grades = {label.document: label.grade for label in question.relevant}
            expected = ndcg(sorted(best, key=best.__getitem__), grades, k)
            if len(corpus.chunks) > 200:
                continue  # beyond the depth nothing is ranked
            lexical = next((s for s in outcome.stages if s.stage == "lexical"), None)
            found = lexical.scores.ndcg if lexical and lexical.scores else 0.0
            assert found == pytest.approx(expected), (seed, question.id)
    assert several


def test_the_order_of_chunks_in_a_document_does_not_matter_but_the_best_one_does(tmp_path: Path) -> None:
    corpus: list[dict[str, object]] = [
        {"id": "long", "title": "", "text": "食" * 21 * 20 + "年假"},
        {"id": "short", "title": "", "text": "年假见别处，另外还有很多其他的事情要说。"},
    ]
    folder = lay_out(tmp_path / "set", corpus, [{"id": "q", "text": "年假"}], "q\tlong\t1\n")
    split = SplitSettings("fixed", 21, 0)
    (outcome,) = run(read_collection(folder, None), split, 1)
    scores = outcome.stages[0].scores
    assert scores is not None and scores.ndcg == 1.0  # its one good chunk, not the average of them
    (whole,) = run(read_collection(folder, None), replace(split, size=4000), 1)
    assert whole.stages[0].scores is not None
    assert whole.stages[0].scores.ndcg == 0.0  # unsplit, all the rest weighs against it
