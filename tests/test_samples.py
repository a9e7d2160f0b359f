import json
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rag.config import SplitSettings
from rag.corpus import samples as module
from rag.corpus.samples import Samples, read
from rag.errors import LoadError, ModelLoading, RagError
from tests.fake_models import BigramEncoder, FakeModels


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "samples"
    made.mkdir()
    (made / "甲_2026.txt").write_text("甲制度的正文。" * 60, encoding="utf-8")
    (made / "乙_2026.md").write_text("# 乙制度\n\n乙制度的正文。", encoding="utf-8")
    (made / ".隐藏").write_text("不是示例", encoding="utf-8")
    return made


def prepared(folder: Path, encoder: BigramEncoder | None = None) -> tuple[Samples, BigramEncoder]:
    encoder = encoder or BigramEncoder()
    models = FakeModels(encoder, None, folder.parent / "cache")
    samples = Samples(models, folder)  # type: ignore[arg-type]
    samples.prepare()
    return samples, encoder


def cached(folder: Path) -> list[Path]:
    return sorted((folder.parent / "cache" / "samples").iterdir())


def test_every_real_sample_file_loads() -> None:
    documents = read()
    files = [p for p in module.FOLDER.iterdir() if p.is_file() and not p.name.startswith(".")]
    assert len(files) >= 30
    assert len(documents) >= len(files)
    assert len({d.key for d in documents}) == len(documents)
    for document in documents:
        assert document.origin == "sample"
        assert document.text.strip()
        assert document.title.strip()
        assert "\ufffd" not in document.text


def test_built_once_then_loaded(folder: Path) -> None:
    first, encoder = prepared(folder)
    assert len(encoder.encoded) == len(first.corpus().chunks) > 0
    second, again = prepared(folder)
    assert again.encoded == []
    a, b = first.corpus(), second.corpus()
    assert (a.documents, a.chunks, a.corpus_id, a.split) == (b.documents, b.chunks, b.corpus_id, b.split)
    assert a.dense is not None
    assert b.dense is not None
    assert np.array_equal(a.dense.vectors, b.dense.vectors)
    assert set(d.doc_id for d in a.documents.values()) == {"甲", "乙"}


def test_another_encoder_or_another_text_is_built_anew(folder: Path) -> None:
    prepared(folder)
    _, other = prepared(folder, BigramEncoder(fingerprint="other"))
    assert other.encoded
    (folder / "乙_2026.md").write_text("# 乙制度\n\n乙制度改过的正文。", encoding="utf-8")
    changed, encoder = prepared(folder)
    assert encoder.encoded
    assert any("改过" in c.text for c in changed.corpus().chunks)


def _truncate(name: str) -> Callable[[Path], None]:
    return lambda index: (index / name).write_bytes((index / name).read_bytes()[:-20])


def _other_split(index: Path) -> None:
    manifest = json.loads((index / "manifest.json").read_text(encoding="utf-8"))
    manifest["split"]["size"] = 100
    (index / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


DAMAGE: dict[str, Callable[[Path], None]] = {
    "chunks cut": _truncate("chunks.json"),
    "vectors cut": _truncate("embeddings.npy"),
    "documents cut": _truncate("documents.json"),
    "manifest cut": _truncate("manifest.json"),
    "manifest missing": lambda index: (index / "manifest.json").unlink(),
    "vectors missing": lambda index: (index / "embeddings.npy").unlink(),
    "manifest no object": lambda index: (index / "manifest.json").write_text("[]", encoding="utf-8"),
    "another split": _other_split,
    "all files gone": lambda index: [p.unlink() for p in index.iterdir()],  # type: ignore[dict-item, return-value]
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_cache_is_built_again(folder: Path, damage: str) -> None:
    good, _ = prepared(folder)
    (index,) = cached(folder)
    DAMAGE[damage](index)
    samples, encoder = prepared(folder)
    assert samples.ready(), samples.problem()
    assert len(encoder.encoded) == len(good.corpus().chunks)
    assert samples.corpus().chunks == good.corpus().chunks
    assert samples.corpus().split == SplitSettings()
    _, third = prepared(folder)
    assert third.encoded == []  # and it was mended


def test_a_cache_that_cannot_be_written_costs_only_the_next_start(folder: Path) -> None:
    (folder.parent / "cache").write_text("a file where the folder should be", encoding="utf-8")
    samples, _ = prepared(folder)
    assert samples.ready(), samples.problem()
    assert samples.corpus().dense is not None


def test_without_an_encoder_there_is_a_lexical_index_and_no_cache(folder: Path) -> None:
    models = FakeModels(None, None, folder.parent / "cache")
    samples = Samples(models, folder)  # type: ignore[arg-type]
    samples.prepare()
    assert samples.corpus().dense is None
    assert samples.corpus().fingerprint == ""
    assert not (folder.parent / "cache").exists()
    assert samples.corpus().lexical.search("乙制度", 3)


def test_before_and_while_and_after(folder: Path) -> None:
    models = FakeModels(BigramEncoder(), None, folder.parent / "cache")
    samples = Samples(models, folder)  # type: ignore[arg-type]
    assert not samples.ready()
    assert samples.problem() is None
    assert samples.wait(0.01) is False
    with pytest.raises(ModelLoading):
        samples.corpus()
    samples.start()
    assert samples.wait(10) is True
    assert samples.corpus() is samples.corpus()


def test_waits_for_an_encoder_that_takes_very_long(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_WAIT_S", 0.01)
    models = FakeModels(BigramEncoder(), None, folder.parent / "cache")
    models.loading.set()
    samples = Samples(models, folder)  # type: ignore[arg-type]
    samples.start()
    assert samples.wait(0.2) is False
    assert samples.problem() is None
    models.loading.clear()
    assert samples.wait(10) is True
    assert samples.corpus().dense is not None  # not the lexical index of those who cannot have one


def test_a_bad_sample_is_named_and_each_visitor_gets_an_error_of_their_own(folder: Path) -> None:
    (folder / "坏.docx").write_bytes(b"PK\x03\x04 broken")
    samples, _ = prepared(folder)
    assert not samples.ready()
    problem = samples.problem()
    assert problem is not None
    assert "坏.docx" in problem.en
    assert samples.wait(1) is False
    raised: list[RagError] = []
    for _ in range(2):
        with pytest.raises(LoadError) as caught:
            samples.corpus()
        raised.append(caught.value)
    # one object raised again and again would collect the frames, and with them the questions, of every visitor
    assert raised[0] is not raised[1]
    assert raised[0].text == raised[1].text == problem


def test_an_unforeseen_failure_is_not_waiting_for_ever(folder: Path) -> None:
    encoder = BigramEncoder()

    def broken() -> None:
        raise ZeroDivisionError

    encoder.between = broken
    samples, _ = prepared(folder, encoder)
    assert not samples.ready()
    assert samples.problem() is not None
    with pytest.raises(RagError) as caught:
        samples.corpus()
    assert not isinstance(caught.value, ModelLoading)


def test_two_preparing_at_once_both_succeed(folder: Path) -> None:
    all_made: list[Samples] = []
    threads = [threading.Thread(target=lambda: all_made.append(prepared(folder)[0])) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert [s.ready() for s in all_made] == [True] * 4
    assert len(cached(folder)) == 1
    assert prepared(folder)[1].encoded == []
