import json
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from sentence_transformers import SentenceTransformer

from rag.config import ModelSettings, SplitSettings
from rag.corpus.split import split
from rag.errors import ChunkTooLong, Stopped
from rag.evaluate.question_files import sample_set
from rag.models.encoder import COUNT_CHARACTERS, Encoder
from rag.models.turns import Turns
from rag.models.weights import Weights, resolve
from rag.types import Document

QUESTION = "入职满一年，每年有多少天带薪年假？"
PASSAGES = [
    "员工入职满一年后，每年可享受15天带薪年假。",
    "应提前3个工作日提交申请，由直属主管审批。",
    "办公设备报销额度为每人每年3000元。",
    "忘记密码后联系IT服务台，验证身份再申请重置。",
]
COSINES = [0.945, 0.875, 0.866, 0.846]  # published with the converted weights

# ---- the real model

model = pytest.mark.model


@pytest.fixture(scope="module")
def weights(rag_cache: Path) -> Weights:
    return resolve("encoder", ModelSettings().encoder, rag_cache, lambda _: None, fetch=False)


@pytest.fixture(scope="module")
def encoder(weights: Weights) -> Encoder:
    return Encoder(weights, ModelSettings(), Turns())


@pytest.fixture(scope="module")
def precise(weights: Weights) -> Encoder:
    return Encoder(weights, ModelSettings(), Turns(), torch.float32)


@pytest.fixture(scope="module")
def plain(weights: Weights) -> SentenceTransformer:
    """The library's own way, the reference."""
    return SentenceTransformer(
        str(weights.folder), device="cpu", local_files_only=True, model_kwargs={"dtype": torch.float32}
    )


def encode(encoder: Encoder, texts: Sequence[str]) -> np.ndarray:
    return encoder.encode_document(texts, [str(i) for i in range(len(texts))])


@model
def test_shape_dtype_and_length(encoder: Encoder) -> None:
    assert (encoder.dim, encoder.max_tokens) == (384, 512)
    for texts in ([], ["年假"], PASSAGES, ["", " ", "a", "<s></s>", "<pad>", "\u202eabc\u0301 🙂‍↕️"]):
        for vectors in (encode(encoder, texts), encoder.encode_query(texts)):
            assert vectors.dtype == np.float32
            assert vectors.shape == (len(texts), 384)
            assert np.isfinite(vectors).all()
            assert np.abs(np.linalg.norm(vectors, axis=1) - 1).max(initial=0) < 1e-5


@model
def test_the_four_published_cosines(encoder: Encoder, precise: Encoder) -> None:
    for one, tolerance in ((precise, 1e-3), (encoder, 3e-3)):
        cosines = encode(one, PASSAGES) @ one.encode_query([QUESTION])[0]
        assert cosines == pytest.approx(COSINES, abs=tolerance)


@model
def test_prefixes_are_put_in_front_as_plain_text(precise: Encoder, plain: SentenceTransformer) -> None:
    encoder = precise
    assert (encoder.query_prefix, encoder.document_prefix) == ("query: ", "passage: ")
    assert plain.default_prompt_name is None  # so the library adds nothing of its own here
    theirs = plain.encode(["passage: " + p for p in PASSAGES], normalize_embeddings=True, show_progress_bar=False)
    assert np.abs(encode(encoder, PASSAGES) - theirs).max() < 1e-5
    theirs = plain.encode(["query: " + QUESTION], normalize_embeddings=True, show_progress_bar=False)
    assert np.abs(encoder.encode_query([QUESTION]) - theirs).max() < 1e-5
    bare = plain.encode(PASSAGES, normalize_embeddings=True, show_progress_bar=False)
    assert np.abs(encode(encoder, PASSAGES) - bare).max() > 1e-3


@model
def test_vectors_and_their_order_are_those_of_the_plain_library(encoder: Encoder, plain: SentenceTransformer) -> None:
    questions = [question.question for question in sample_set().questions[::5]]
    theirs = plain.encode(["query: " + q for q in questions], normalize_embeddings=True, show_progress_bar=False)
    ours = encoder.encode_query(questions)
    assert (ours * theirs).sum(axis=1).min() > 0.998
    passages = [*PASSAGES, *questions]
    known = plain.encode(["passage: " + p for p in passages], normalize_embeddings=True, show_progress_bar=False)
    vectors = encode(encoder, passages)
    assert (vectors * known).sum(axis=1).min() > 0.998
    want, got = theirs @ known.T, ours @ vectors.T
    for row in range(len(questions)):  # where they disagree on the nearest, it was as good as equal
        assert want[row].max() - want[row, int(got[row].argmax())] < 2e-3


@model
def test_order_is_kept_though_batches_go_by_length(encoder: Encoder) -> None:
    rng = np.random.default_rng(7)
    texts = [f"{i}号：" + PASSAGES[i % 4] * int(rng.integers(1, 5)) for i in range(24)]
    together = encode(encoder, texts)
    for i in rng.choice(24, 4, replace=False):
        alone = encode(encoder, [texts[i]])[0]
        assert together[i] @ alone > 0.9999
        assert int(np.argmax(together @ alone)) == i


@model
def test_where_tokens_begin(encoder: Encoder) -> None:
    text = "第一条 员工年假管理办法 (annual leave policy)，每人每年 15 天。\n"
    starts = encoder.token_starts(text)
    assert starts == sorted(starts) and starts[0] == 0 and starts[-1] < len(text)
    empty, whole = encoder.count_tokens(["", text])  # both with the prefix and two special tokens
    assert abs(whole - empty - len(starts)) <= 2
    assert {text.index(word) for word in ("员工", "leave", "15", "天")} <= set(starts)
    # a long text is tokenised in parts, at line breaks: as if each stood alone
    many = COUNT_CHARACTERS // len(text) + 10
    assert encoder.token_starts(text * many) == [i * len(text) + start for i in range(many) for start in starts]
    assert encoder.token_starts("") == [] and len(encoder.token_starts("字" * (COUNT_CHARACTERS + 5))) > 1000


@model
def test_chunks_by_tokens_have_about_as_many(encoder: Encoder) -> None:
    text = "员工入职满一年后，每年可享受15天带薪年假。应提前3个工作日提交申请，由直属主管审批。\n" * 30
    document = Document("d", "1", "d@1", "own", "休假", "", text)
    chunks = split(document, SplitSettings("tokens", 100, 30), encoder)
    inside = [len(encoder.token_starts(chunk.text)) for chunk in chunks]
    assert max(inside) <= 102 and min(inside[:-1]) > 70
    assert all(chunk.text.rstrip()[-1] == "。" for chunk in chunks)
    assert all(b.start < a.end for a, b in zip(chunks, chunks[1:], strict=False))


@model
def test_too_long_is_named_with_its_count_before_anything_is_encoded(
    encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = "年假" * 400
    count = encoder.count_tokens([long])[0]
    assert count > 512

    def forbidden(texts: list[str]) -> np.ndarray:
        raise AssertionError("encoded")

    monkeypatch.setattr(encoder, "_encode", forbidden)
    with pytest.raises(ChunkTooLong) as caught:
        encoder.encode_document([*PASSAGES, long], ["a:0-1", "b:0-1", "c:0-1", "d:0-1", "leave@2026:0-800"])
    for language in ("en", "zh"):
        message = caught.value.message(language)
        assert "leave@2026:0-800" in message
        assert str(count) in message
        assert "512" in message
    with pytest.raises(ChunkTooLong):
        encoder.encode_query([long])


@model
def test_a_text_of_exactly_the_limit_is_encoded_whole(encoder: Encoder) -> None:
    tokens = encoder.count_tokens(["假"])[0]
    text = "假 " * 600
    while encoder.count_tokens([text])[0] > 512:
        text = text[: -max(1, encoder.count_tokens([text])[0] - 512)]
    assert tokens < encoder.count_tokens([text])[0] == 512
    assert encode(encoder, [text]).shape == (1, 384)
    # its last words count: nothing was cut
    other = text[:-3] + "狗 狗"
    if encoder.count_tokens([other])[0] <= 512:
        assert np.abs(encode(encoder, [text]) - encode(encoder, [other])).max() > 1e-5


@model
def test_counts_are_those_of_the_models_own_tokenizer(encoder: Encoder, weights: Weights) -> None:
    from transformers import AutoTokenizer

    own = AutoTokenizer.from_pretrained(str(weights.folder), local_files_only=True)
    texts = [*PASSAGES, "", "a b\tc", "𠮷野家 ＡＢＣ", "x" * 3000]
    assert encoder.count_tokens(texts) == [len(own("passage: " + t, verbose=False)["input_ids"]) for t in texts]


@model
def test_counting_is_not_disturbed_by_somebodys_encoding(encoder: Encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    long = "年假规定，" * 300
    count = encoder.count_tokens([long])[0]
    assert count > 1000
    tokenizer = encoder._model.tokenizer
    set_state, others = tokenizer.set_truncation_and_padding, []

    def just_then(**state: object) -> None:
        set_state(**state)
        if not others:  # the tokenizer has been told not to cut; somebody asks a question before it is used
            others.append(threading.Thread(target=encoder.encode_query, args=(["年假"],)))
            others[0].start()
            others[0].join(1)

    monkeypatch.setattr(tokenizer, "set_truncation_and_padding", just_then)
    assert encoder.count_tokens([long]) == [count]
    others[0].join(5)


@model
def test_stop_lands_between_two_pieces(encoder: Encoder) -> None:
    stop, done = threading.Event(), []

    def progress(n: int, total: int) -> None:
        done.append((n, total))
        stop.set()

    texts = [f"{i}" + PASSAGES[0] * 5 for i in range(40)]
    with pytest.raises(Stopped):
        encoder.encode_document(texts, ["x"] * 40, stop, progress)
    assert len(done) == 1
    assert 0 < done[0][0] < 40
    assert done[0][1] == 40
    assert encoder.encode_query(["之后"]).shape == (1, 384)  # the turn is free


@model
def test_progress_ends_at_the_whole(encoder: Encoder) -> None:
    seen: list[tuple[int, int]] = []
    encoder.encode_document(PASSAGES * 3, ["x"] * 12, None, lambda done, n: seen.append((done, n)))
    assert seen[-1] == (12, 12)
    assert [d for d, _ in seen] == sorted({d for d, _ in seen})


@model
def test_the_fingerprint_is_over_what_decides_a_vector(
    encoder: Encoder, weights: Weights, monkeypatch: pytest.MonkeyPatch
) -> None:
    # the weights themselves are not loaded again
    monkeypatch.setattr("rag.models.encoder.SentenceTransformer", lambda *args, **options: encoder._model)
    monkeypatch.setattr("rag.models.encoder.lay_end_to_end", lambda *args: True)  # as it was found when they were

    def fingerprint(changed: Weights, dtype: torch.dtype | None = None, **settings: str) -> str:
        return Encoder(changed, ModelSettings(**settings), Turns(), dtype).fingerprint  # type: ignore[arg-type]

    same = fingerprint(weights)
    others = [
        fingerprint(weights, query_prefix="q: "),
        fingerprint(weights, document_prefix=""),
        fingerprint(replace(weights, sha256="0" * 64)),
        fingerprint(replace(weights, revision="other")),
        fingerprint(replace(weights, name="other")),
        fingerprint(weights, torch.float16),
    ]
    assert same == encoder.fingerprint
    assert len({same, *others}) == 7


@model
@pytest.mark.parametrize(
    ("name", "query", "document"),
    [("intfloat/multilingual-e5-small", "query: ", "passage: "), ("someone/bge-small", "", "")],
)
def test_prefixes_of_a_folder_that_states_none(
    encoder: Encoder, weights: Weights, monkeypatch: pytest.MonkeyPatch, name: str, query: str, document: str
) -> None:
    # as the hub's E5 is: its folder has no prompts
    monkeypatch.setattr(encoder._model, "prompts", {"query": "", "document": ""})
    monkeypatch.setattr("rag.models.encoder.SentenceTransformer", lambda *args, **options: encoder._model)
    other = Encoder(replace(weights, name=name), ModelSettings(), Turns())
    assert (other.query_prefix, other.document_prefix) == (query, document)
    said = Encoder(replace(weights, name=name), ModelSettings(query_prefix="", document_prefix="d: "), Turns())
    assert (said.query_prefix, said.document_prefix) == ("", "d: ")


@model
def test_weights_stored_in_half_precision_are_computed_in_float32(weights: Weights, tmp_path: Path) -> None:
    folder = tmp_path / "half-e5"
    folder.mkdir()
    for path in weights.folder.iterdir():
        if path.name not in ("model.safetensors", "config.json"):
            (folder / path.name).symlink_to(path, target_is_directory=path.is_dir())
    config = json.loads((weights.folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "dtype": "bfloat16"}))
    tensors = load_file(weights.folder / "model.safetensors")
    halves = {k: v.to(torch.bfloat16) if v.is_floating_point() else v for k, v in tensors.items()}
    save_file(halves, folder / "model.safetensors", metadata={"format": "pt"})
    half = Encoder(replace(weights, folder=folder, name="half-e5"), ModelSettings(), Turns(), torch.float32)
    (folder / "model.safetensors").unlink()
    assert dict(half.facts)["dtype"] == "float32"
    assert {p.dtype for p in half._model.parameters()} == {torch.float32}
    assert encode(half, PASSAGES) @ half.encode_query([QUESTION])[0] == pytest.approx(COSINES, abs=5e-3)
