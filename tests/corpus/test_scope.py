"""What a question's scope leaves in, against the rule applied chunk by chunk; and a corpus as somebody sees it."""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pytest

from rag.config import SearchSettings, SplitSettings
from rag.corpus.current import in_force
from rag.corpus.derived import MOST_VIEWS
from rag.corpus.index import Corpus, build
from rag.types import Document, Section
from tests import hostile
from tests.fakes import HashEncoder

ENCODER = HashEncoder()
GROUPS = ("public", "hr", "board")
HEADINGS = ("第一章 年假", "第二章 ＬＥＡＶＥ 差旅", "附則", "報銷 3000", "")
DAY = date(2026, 6, 1)


def random_document(rng: random.Random, i: int) -> Document:
    text = hostile.text(rng, rng.choice((0, 5, 80, 200)))
    starts = sorted(rng.sample(range(len(text)), min(len(text), rng.randint(0, 4))))
    sections = tuple(Section(start, tuple(rng.choices(HEADINGS, k=rng.randint(1, 2)))) for start in starts)
    doc_id, version = rng.choice("abc"), f"{i}"
    dates = [rng.choice((None, DAY + timedelta(days=rng.randint(-400, 400)))) for _ in range(2)]
    groups = frozenset(rng.sample(GROUPS, rng.choice((0, 1, 1, 2))))
    key, origin = f"{doc_id}@{version}", rng.choice(("own", "sample"))
    return Document(
        doc_id, version, key, origin, f"标题{doc_id}", "s", text, (), sections, dates[0], dates[1], groups
    )  # fmt: skip


def random_documents(rng: random.Random) -> list[Document]:
    return [random_document(rng, i) for i in range(rng.randint(0, 7))]


def random_scope(rng: random.Random) -> SearchSettings:
    return SearchSettings(
        scope=rng.choice(("newest", "all")),
        as_of=rng.choice((None, DAY + timedelta(days=rng.randint(-400, 400)))),
        documents=tuple(rng.sample("abcd", rng.choice((0, 0, 1, 2)))),
        section=rng.choice(("", "", "年假", "leave 差旅", "附则", "报销　３０００", "没有")),
        depth=rng.choice((1, 3, 200)),
    )


def indexed(documents: Sequence[Document]) -> Corpus:
    return build(documents, SplitSettings("fixed", 30, 5), ENCODER)


def headed(document: Document, start: int, end: int, words: str) -> bool:
    """Whether one of the sections that hold a character of ``[start, end)`` is headed by all of the words."""
    plain = {"ＬＥＡＶＥ": "leave", "附則": "附则", "報銷": "报销"}
    wanted = words.replace("３０００", "3000").split()
    for at in range(start, end):
        path = next((s.path for s in reversed(document.sections) if s.start <= at), None)
        if path is not None:
            text = "\n".join(path)
            for old, new in plain.items():
                text = text.replace(old, new)
            if all(word in text for word in wanted):
                return True
    return not wanted


def test_the_scope_is_the_rule_applied_to_every_chunk(seeds: Callable[[int], range]) -> None:
    kinds = set()
    for seed in seeds(400):
        rng = random.Random(seed)
        corpus, settings = indexed(random_documents(rng)), random_scope(rng)
        groups = frozenset(rng.sample(GROUPS, rng.randint(0, 3)))
        among = corpus.allowed(settings, DAY, groups)
        seen = {k: d for k, d in corpus.documents.items() if d.groups & groups}
        current = in_force(seen.values(), settings.as_of or DAY) if settings.scope == "newest" else set(seen)
        counts = [0, 0, 0]
        for i, chunk in enumerate(corpus.chunks):
            document = corpus.documents[chunk.key]
            reasons = [
                chunk.key not in current,
                bool(settings.documents) and document.doc_id not in settings.documents,
                not headed(document, chunk.start, chunk.end, settings.section),
            ]
            assert among.rows[i] == (chunk.key in seen and not any(reasons)), (seed, chunk.chunk_id)
            assert among.outside[i] == (chunk.key in seen and any(reasons))
            if among.outside[i]:
                counts[reasons.index(True)] += 1
        assert [among.versions, among.documents, among.sections] == counts and among.hidden == sum(counts)
        kinds |= {i for i, n in enumerate(counts) if n}
        note = among.note()
        assert all(str(n) in note.en and str(n) in note.zh for n in counts if n)
        assert bool(note.en) == bool(note.zh) == bool(sum(counts))
        assert ("nothing is left" in note.en) == bool(sum(counts) and not among.rows.any())
    assert kinds == {0, 1, 2}


def test_a_corpus_as_somebody_sees_it_never_had_the_others(seeds: Callable[[int], range]) -> None:
    masked = 0
    for seed in seeds(100):
        rng = random.Random(seed)
        documents = random_documents(rng)
        corpus, groups = indexed(documents), frozenset(rng.sample(GROUPS, rng.randint(0, 3)))
        seen, other = corpus.seen_by(groups), indexed([d for d in documents if d.groups & groups])
        masked += len(seen.documents) < len(documents)
        assert (seen.documents, seen.chunks, seen.corpus_id) == (other.documents, other.chunks, other.corpus_id)
        assert (seen.split, seen.fingerprint) == (other.split, other.fingerprint)
        assert seen.dense is not None and other.dense is not None
        assert np.array_equal(seen.dense.vectors, other.dense.vectors)
        question = hostile.text(rng, 20)
        assert np.array_equal(seen.lexical.scores(question), other.lexical.scores(question))
        assert seen.known().vectors.keys() == other.known().vectors.keys()
        assert [corpus.chunks[i] for i in corpus.rows_seen_by(groups)] == list(seen.chunks)
        assert seen.seen_by(groups) is seen
    assert masked


def test_who_may_see_all_searches_the_corpus_itself_and_a_view_is_made_once(leave: Document) -> None:
    documents = [replace(leave, doc_id=f"d{i}", key=f"d{i}@1", groups=frozenset({f"g{i}"})) for i in range(20)]
    corpus = build(documents, SplitSettings(), None)
    assert corpus.seen_by(frozenset(f"g{i}" for i in range(20))) is corpus
    first = corpus.seen_by(frozenset({"g0"}))
    assert first.dense is None and corpus.seen_by(frozenset({"g0", "nobody"})) is first
    for i in range(1, MOST_VIEWS):
        corpus.seen_by(frozenset({f"g{i}"}))
    assert corpus.seen_by(frozenset({"g0"})) is first  # the sixteenth is still kept, and it was used now
    corpus.seen_by(frozenset({"g19"}))
    assert corpus.seen_by(frozenset({"g0"})) is first
    # a copy with another index does not take over what was worked out of the old one
    assert replace(corpus, documents={}, chunks=()).seen_by(frozenset({"g0"})).documents == {}


def test_a_rare_word_of_a_masked_document_changes_no_score(leave: Document) -> None:
    """Counted over all passages, 年假 would be less rare, and passages longer, than who may not see them is to know."""
    secret = replace(leave, doc_id="secret", key="secret@1", text="年假" * 200, groups=frozenset({"hr"}))
    corpus = build([leave, secret], SplitSettings(), None)
    public = frozenset({"public"})
    alone = build([leave], SplitSettings(), None).lexical.scores("年假")
    assert np.array_equal(corpus.seen_by(public).lexical.scores("年假"), alone)
    both = corpus.lexical.scores("年假")[corpus.rows_seen_by(public)]
    assert not np.allclose(both, alone)


@pytest.mark.parametrize("words", ["年假", " 第一章　年假 ", "第一章 年假 "])
def test_a_chunk_that_runs_on_into_a_section_belongs_to_both(leave: Document, words: str) -> None:
    corpus = build([leave], SplitSettings("fixed", 4000, 0), None)
    assert corpus.allowed(SearchSettings(section=words), DAY).rows.all()
    assert corpus.allowed(SearchSettings(section="申请"), DAY).rows.all()
    assert not corpus.allowed(SearchSettings(section="年假 申请"), DAY).rows.any()  # no section has both
