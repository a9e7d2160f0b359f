import random
import threading
from dataclasses import fields, replace
from datetime import date

import numpy as np
import pytest

from rag.config import SearchSettings, SplitSettings
from rag.corpus.current import in_force
from rag.corpus.index import Progress, build, corpus_hash
from rag.corpus.split import split
from rag.errors import Bilingual, ChunkTooLong, ModelUnavailable, Stopped
from rag.types import Document, Removed, Section, Table
from tests import hostile
from tests.fakes import HashEncoder


def version_of(doc_id: str, version: str, begins: date | None = None, ends: date | None = None) -> Document:
    text = f"{doc_id} {version}"
    key = f"{doc_id}@{version}"
    return Document(doc_id, version, key, "own", "", "", text, effective_from=begins, effective_to=ends)


def test_rows_are_the_chunks_in_order(leave, equipment) -> None:
    encoder = HashEncoder()
    settings = SplitSettings("recursive", 30, 5)
    corpus = build([leave, equipment], settings, encoder)
    assert corpus.chunks == (*split(leave, settings, encoder), *split(equipment, settings, encoder))
    assert corpus.dense is not None and corpus.dense.vectors.dtype == np.float32
    assert np.array_equal(corpus.dense.vectors, encoder.encode_query([c.passage for c in corpus.chunks]))
    assert list(corpus.documents) == [leave.key, equipment.key]
    hit = corpus.dense.search(encoder.encode_query([corpus.chunks[2].passage])[0], 1)[0]
    assert hit.position == 2 and hit.score == pytest.approx(1, abs=1e-6)
    assert corpus.lexical.search("HR-F-012", 1)[0].position == next(
        i for i, c in enumerate(corpus.chunks) if "HR-F-012" in c.text
    )


def test_without_an_encoder_there_is_the_lexical_index_only(leave) -> None:
    corpus = build([leave], SplitSettings(), None)
    assert corpus.dense is None and corpus.fingerprint == "" and corpus.known().vectors == {}
    assert all(c.n_tokens == 0 for c in corpus.chunks)
    assert corpus.lexical.search("年假", 3)


def test_nothing_to_index() -> None:
    for documents in ([], [replace(version_of("a", "1"), text=" \n")]):
        corpus = build(documents, SplitSettings(), HashEncoder())
        assert corpus.chunks == () and corpus.dense is not None and corpus.dense.vectors.shape == (0, 16)
        assert corpus.dense.search(np.ones(16, dtype=np.float32), 5) == [] and corpus.lexical.search("a", 5) == []
        assert corpus.allowed(SearchSettings(), JUL).rows.tolist() == []


def test_only_new_passages_are_encoded(leave, equipment) -> None:
    first = build([leave], SplitSettings("fixed", 30, 5), HashEncoder())
    encoder = HashEncoder()
    both = build([equipment, leave], SplitSettings("fixed", 30, 5), encoder, first.known())
    assert encoder.encoded == [c.passage for c in both.chunks if c.key == equipment.key]
    assert first.dense is not None and both.dense is not None
    assert np.array_equal(both.dense.vectors[-len(first.chunks) :], first.dense.vectors)


def test_only_what_changed_is_split_again(leave, equipment, monkeypatch) -> None:
    from rag.corpus import index

    cut: list[str] = []
    monkeypatch.setattr(index, "split", lambda d, *rest: cut.append(d.key) or split(d, *rest))
    settings = SplitSettings("fixed", 30, 5)
    first = build([leave, equipment], settings, HashEncoder())
    assert cut == [leave.key, equipment.key]
    cut.clear()
    again = build([leave, equipment], settings, HashEncoder(), first.known())
    assert cut == [] and again.chunks == first.chunks and again.corpus_id == first.corpus_id
    for edited in (replace(equipment, text=equipment.text + "。"), replace(equipment, title="另一个标题")):
        other = build([leave, edited], settings, HashEncoder(), first.known())
        assert cut == [equipment.key]
        assert other.chunks == build([leave, edited], settings, HashEncoder()).chunks
        cut.clear()
    # other settings and another tokenizer cut everything anew
    for one, encoder in ((SplitSettings(), HashEncoder()), (settings, HashEncoder(fingerprint="other"))):
        build([leave, equipment], one, encoder, first.known())
        assert cut == [leave.key, equipment.key]
        cut.clear()


@pytest.mark.parametrize("dim", [16, 24])
def test_another_encoder_takes_no_vector_of_the_first(leave, equipment, dim: int) -> None:
    class Other(HashEncoder):
        def encode_document(self, *given, **more):
            return -super().encode_document(*given, **more)

    first, other = build([leave], SplitSettings(), HashEncoder()), Other(dim, "other")
    both = build([leave, equipment], SplitSettings(), other, first.known())
    anew = build([leave, equipment], SplitSettings(), Other(dim, "other"))
    assert both.dense is not None and anew.dense is not None and len(other.encoded) == len(both.chunks)
    assert both.corpus_id == anew.corpus_id and np.array_equal(both.dense.vectors, anew.dense.vectors)
    # and what both have made is kept apart
    known = first.known() | both.known()
    for encoder, made in ((HashEncoder(), first), (Other(dim, "other"), both)):
        again = build([leave], SplitSettings(), encoder, known)
        assert again.dense is not None and made.dense is not None and encoder.encoded == []
        assert np.array_equal(again.dense.vectors, made.dense.vectors[: len(again.chunks)])


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_vector_that_is_no_number_is_refused_by_name(leave, equipment, bad: float) -> None:
    class Broken(HashEncoder):
        def encode_document(self, texts, *given, **more):
            rows = super().encode_document(texts, *given, **more)
            rows[-1, 3] = bad
            return rows

    last = build([leave, equipment], SplitSettings(), HashEncoder()).chunks[-1]
    with pytest.raises(ModelUnavailable, match=last.chunk_id):
        build([leave, equipment], SplitSettings(), Broken())


def test_of_two_known_the_later_one_counts(leave, equipment) -> None:
    a, b = build([leave], SplitSettings(), HashEncoder()), build([equipment], SplitSettings(), HashEncoder())
    both = a.known() | b.known()
    assert both.vectors.keys() == a.known().vectors.keys() | b.known().vectors.keys()
    assert both.cut(leave, SplitSettings(), a.fingerprint) == a.chunks
    assert both.cut(equipment, SplitSettings(), b.fingerprint) == b.chunks
    assert both.cut(replace(leave, source="x"), SplitSettings(), a.fingerprint) is None


def test_equal_passages_are_encoded_once_and_both_have_the_vector(equipment) -> None:
    encoder = HashEncoder()
    corpus = build([equipment, replace(equipment, key="copy")], SplitSettings(), encoder)
    assert len(encoder.encoded) == 1 and corpus.dense is not None
    assert np.array_equal(corpus.dense.vectors[0], corpus.dense.vectors[1])


def test_what_would_be_too_long_is_cut_and_only_a_single_character_is_refused(leave) -> None:
    corpus = build([leave], SplitSettings(), HashEncoder(max_tokens=50))
    assert "".join(c.text for c in corpus.chunks) == leave.text and all(c.n_tokens <= 50 for c in corpus.chunks)
    with pytest.raises(ChunkTooLong, match=r"leave@2026-01:\d+-"):
        build([leave], SplitSettings(), HashEncoder(max_tokens=0))


def test_stop_and_progress(leave) -> None:
    seen: list[Progress] = []
    build([leave], SplitSettings("fixed", 30, 0), HashEncoder(), progress=seen.append)
    assert [p.step for p in seen][0] == "split" and seen[-1].step == "index"
    encoding = [p for p in seen if p.step == "encode"]
    assert [p.done for p in encoding] == list(range(encoding[0].total + 1)) and encoding[0].total > 1
    stop = threading.Event()
    stop.set()
    with pytest.raises(Stopped):
        build([leave], SplitSettings(), HashEncoder(), stop=stop)


def test_identity_changes_with_text_split_and_encoder_and_only_with_those(leave, equipment) -> None:
    plain = build([leave, equipment], SplitSettings(), HashEncoder()).corpus_id
    assert build([leave, equipment], SplitSettings(), HashEncoder()).corpus_id == plain
    others = [
        build([leave], SplitSettings(), HashEncoder()),
        build([replace(leave, text=leave.text.replace("15", "10")), equipment], SplitSettings(), HashEncoder()),
        build([replace(leave, title="另一个标题"), equipment], SplitSettings(), HashEncoder()),
        build([leave, equipment], SplitSettings(size=241), HashEncoder()),
        build([leave, equipment], SplitSettings(), HashEncoder(fingerprint="other")),
        build([leave, equipment], SplitSettings(), None),
    ]
    ids = {plain, *(corpus.corpus_id for corpus in others)}
    assert len(ids) == 1 + len(others)


def test_the_hash_of_hostile_documents_tells_them_apart(seeds) -> None:
    hashes = set()
    texts = set()
    for seed in seeds(200):
        text = hostile.text(random.Random(seed))
        texts.add(text)
        hashes.add(corpus_hash([replace(version_of("a", "1"), text=text, sections=(Section(0, (text,)),))]))
    assert len(hashes) == len(texts)


def test_the_hash_tells_documents_apart_by_every_field() -> None:
    note = Bilingual(en="a", zh="甲")
    other: dict[str, object] = {
        "doc_id": "b",
        "version": "2",
        "key": "b@2",
        "origin": "sample",
        "title": "另一个标题",
        "source": "b.txt",
        "text": "别的正文",
        "pages": (0, 1),
        "sections": (Section(0, ("一",)),),
        "effective_from": JAN,
        "effective_to": JUL,
        "groups": frozenset({"hr"}),
        "file": "b.txt",
        "warnings": (note,),
        "tables": (Table(0, 2, "列名"),),
        "removed": (Removed(0, "页眉", "running_line"),),
        "reading": note,
        "stated": (("title", "visitor"),),
    }
    plain = version_of("a", "1")
    assert set(other) == {field.name for field in fields(Document)}
    hashes = {corpus_hash([replace(plain, **{name: value})]) for name, value in other.items()}  # type: ignore[arg-type]
    assert len(hashes | {corpus_hash([plain])}) == 1 + len(other)


JAN, JUL, NEXT = date(2026, 1, 1), date(2026, 7, 1), date(2027, 1, 1)


@pytest.mark.parametrize(
    ("versions", "on", "expected"),
    [
        ([("1", None, None)], JUL, {"p@1"}),
        ([("1", JAN, None), ("2", JUL, None)], date(2026, 6, 30), {"p@1"}),
        ([("1", JAN, None), ("2", JUL, None)], JUL, {"p@2"}),
        ([("2", JUL, None), ("1", JAN, None)], NEXT, {"p@2"}),
        ([("1", JUL, None)], JAN, set()),  # it begins later
        ([("1", JAN, JUL)], JUL, {"p@1"}),
        ([("1", JAN, JUL)], NEXT, {"p@1"}),  # ended, and there is nothing else
        ([("1", JAN, None), ("2", JUL, date(2026, 8, 1))], NEXT, {"p@1"}),  # a passing rule, over again
        ([("1", JAN, None), ("2", JUL, date(2026, 8, 1))], date(2026, 8, 1), {"p@2"}),  # its last day counts
        ([("1", None, None), ("2", JAN, None)], JUL, {"p@2"}),
        ([("2026-01", None, None), ("2025-01", None, None)], JUL, {"p@2026-01"}),
        ([("v9", None, None), ("v10", None, None)], JUL, {"p@v10"}),
        ([("V1.9", None, None), ("V1.10", None, None)], JUL, {"p@V1.10"}),
    ],
)
def test_the_version_in_force(versions, on, expected) -> None:
    assert in_force([version_of("p", *v) for v in versions], on) == expected
    assert in_force([version_of("p", *v) for v in reversed(versions)], on) == expected


def test_versions_of_other_policies_and_origins_do_not_compete() -> None:
    a, b = version_of("a", "1", JAN), version_of("b", "2", JUL)
    sample = replace(version_of("a", "2", JUL), origin="sample")
    assert in_force([a, b, sample], NEXT) == {"a@1", "b@2", "a@2"}


def test_the_scope_masks_chunks_of_versions_not_in_force() -> None:
    corpus = build([version_of("a", "1", JAN), version_of("a", "2", JUL), version_of("b", "1")], SplitSettings(), None)
    assert corpus.allowed(SearchSettings(scope="all"), JUL).rows.tolist() == [True, True, True]
    allowed = corpus.allowed(SearchSettings(), JUL)
    assert allowed.rows.tolist() == [False, True, True] and allowed.hidden == 1
    as_of = corpus.allowed(SearchSettings(as_of=date(2026, 2, 1)), JUL)
    assert as_of.rows.tolist() == [True, False, True]


def test_permission_masks_before_scope() -> None:
    """A newer version that is kept from somebody neither hides the older one from them nor is counted."""
    secret = replace(version_of("a", "2", JUL), groups=frozenset({"hr"}))
    corpus = build([version_of("a", "1", JAN), secret, version_of("b", "1")], SplitSettings(), None)
    public = corpus.allowed(SearchSettings(), NEXT)
    assert public.rows.tolist() == [True, False, True] and public.hidden == 0
    everything = corpus.allowed(SearchSettings(scope="all"), NEXT)
    assert everything.rows.tolist() == [True, False, True] and everything.hidden == 0
    both = corpus.allowed(SearchSettings(), NEXT, frozenset({"hr", "public"}))
    assert both.rows.tolist() == [False, True, True] and both.hidden == 1
    assert corpus.allowed(SearchSettings(), NEXT, frozenset()).rows.tolist() == [False, False, False]
