"""An index built with the vectors of the one before it equals one built anew, in memory and on disk."""

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from rag.cli import main
from rag.config import ModelSettings, SplitSettings
from rag.corpus.index import Corpus, build
from rag.corpus.samples import read
from rag.corpus.store import load, save
from rag.evaluate.question_files import sample_set
from rag.models.encoder import Encoder
from rag.models.turns import Turns
from rag.models.weights import resolve
from rag.types import Document
from tests import hostile
from tests.corpus.test_split import STRATEGIES
from tests.fake_models import BigramEncoder, FakeModels
from tests.fakes import HashEncoder


def policy(rng: random.Random, doc_id: str) -> Document:
    # few sentences: documents, and versions of one, share some of their passages
    text = "\n\n".join(hostile.text(rng, 6) for _ in range(rng.randint(1, 4))) or "文"
    version = str(rng.randrange(1_000_000))
    return Document(doc_id, version, f"{doc_id}@{version}", "own", f"制度{doc_id}", "", text)


def changed(rng: random.Random, documents: dict[str, Document]) -> dict[str, Document]:
    """One document added, replaced, retitled or removed, or all of them in another order."""
    after, what = dict(documents), rng.choice(("add", "replace", "retitle", "remove", "order"))
    if what == "add" or not after:
        name = f"d{rng.randrange(20)}"
        after[name] = policy(rng, name)
    elif what == "order":
        return dict(rng.sample(list(after.items()), len(after)))
    else:
        name = rng.choice(list(after))
        if what == "remove":
            del after[name]
        elif what == "retitle":
            after[name] = replace(after[name], title=after[name].title + "（新）")
        else:
            after[name] = policy(rng, name)
    return after


def same(a: Corpus, b: Corpus) -> None:
    assert a.corpus_id == b.corpus_id and a.chunks == b.chunks and list(a.documents) == list(b.documents)
    assert a.dense is not None and b.dense is not None and np.array_equal(a.dense.vectors, b.dense.vectors)


@pytest.mark.parametrize("saved", [False, True])
def test_any_series_of_changes(seeds, tmp_path: Path, saved: bool) -> None:
    reused = 0
    for seed in seeds(60):
        rng = random.Random(seed)
        settings = SplitSettings(rng.choice(STRATEGIES), rng.choice((30, 60, 240)), rng.choice((0, 10)))
        documents: dict[str, Document] = {}
        corpus = build([], settings, HashEncoder())
        for _ in range(5):
            documents = changed(rng, documents)
            if saved:
                save(corpus, tmp_path / "index", HashEncoder().facts)
                corpus = load(tmp_path / "index", HashEncoder().fingerprint)
            known, encoder, seen = corpus.known(), HashEncoder(), []
            corpus = build(list(documents.values()), settings, encoder, known, progress=seen.append)
            same(corpus, build(list(documents.values()), settings, HashEncoder()))
            passages = dict.fromkeys(chunk.passage for chunk in corpus.chunks)
            assert encoder.encoded == [
                passage for passage in passages if (encoder.fingerprint, passage) not in known.vectors
            ], seed
            told = [p for p in seen if p.step == "encode"]
            assert {p.reused for p in told} == {len(passages) - len(encoder.encoded)}
            reused += told[0].reused
    assert reused > 20


def test_from_a_to_b_to_a_ends_where_it_began(seeds) -> None:
    for seed in seeds(60):
        rng = random.Random(seed)
        settings = SplitSettings(rng.choice(STRATEGIES), 60, 15)
        other, a, b = policy(rng, "o"), policy(rng, "p"), policy(rng, "p")
        first = build([other, a], settings, HashEncoder())
        second = build([other, b], settings, HashEncoder(), first.known())
        encoder = HashEncoder()
        third = build([other, a], settings, encoder, first.known() | second.known())
        same(first, third)
        assert encoder.encoded == []


def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoder: BigramEncoder) -> list[str]:
    models = FakeModels(encoder, None)
    monkeypatch.setattr("rag.models.roles.Models", lambda settings: models)
    monkeypatch.setattr(models, "load", lambda roles: None, raising=False)
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "年假.txt").write_text("员工每年享受15天带薪年假。", encoding="utf-8")
    (folder / "差旅.txt").write_text("一线城市住宿费上限600元。", encoding="utf-8")
    return ["build", "--documents", str(folder), "--index", str(tmp_path / "index")]


def test_the_shell_encodes_what_the_index_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    encoder = BigramEncoder()
    command = shell(tmp_path, monkeypatch, encoder)
    assert main(command) == 0 and len(encoder.encoded) == 2
    assert "already = 0" in capsys.readouterr().out
    (tmp_path / "documents" / "差旅.txt").write_text("一线城市住宿费上限650元。", encoding="utf-8")
    assert main(command) == 0
    assert "already = 1" in capsys.readouterr().out and ["650" in text for text in encoder.encoded[2:]] == [True]
    found = load(tmp_path / "index", encoder.fingerprint)
    same(found, build(list(found.documents.values()), SplitSettings(), BigramEncoder()))


@pytest.mark.parametrize("damage", ["encoder", "vectors"])
def test_nothing_is_taken_from_an_index_that_cannot_be_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], damage: str
) -> None:
    encoder = BigramEncoder()
    command = shell(tmp_path, monkeypatch, encoder)
    assert main(command) == 0
    if damage == "encoder":
        encoder.fingerprint = "another"
    else:
        (tmp_path / "index" / "embeddings.npy").write_bytes(b"no vectors")
    assert main(command) == 0 and len(encoder.encoded) == 4
    out, err = capsys.readouterr()
    assert "already = 0" in out.splitlines()[-2] and str(tmp_path / "index") in err


@pytest.mark.model
def test_with_the_real_encoder_the_difference_is_rounding_and_the_top_ten_are_the_same(rag_cache: Path) -> None:
    """Batches hold other passages than in a full build. In float32, where rounding is too small to change a rank."""
    weights = resolve("encoder", ModelSettings().encoder, rag_cache, lambda _: None, fetch=False)
    encoder = Encoder(weights, ModelSettings(), Turns(), torch.float32)
    documents = [document for document in read() if len(document.text) < 1600][:8]
    first = build(documents[::2], SplitSettings(), encoder)
    full = build(documents, SplitSettings(), encoder)
    grown = build(documents, SplitSettings(), encoder, first.known())
    assert dict(encoder.facts)["dtype"] == "float32"
    assert [c.chunk_id for c in grown.chunks] == [c.chunk_id for c in full.chunks] and len(full.chunks) > 30
    assert grown.dense is not None and full.dense is not None
    assert np.abs(grown.dense.vectors - full.dense.vectors).max() <= 1e-5
    for query in encoder.encode_query([question.question for question in sample_set().questions]):
        found, expected = ([hit.position for hit in c.dense.search(query, 10)] for c in (grown, full) if c.dense)
        assert found == expected
