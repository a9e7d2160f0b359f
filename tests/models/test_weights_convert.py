import json
import struct
from pathlib import Path

import numpy as np
import pytest

from rag.config import DEFAULT_ENCODER, DEFAULT_GENERATOR, from_environment
from rag.models.convert_e5 import convert_e5, decode_q4_0, read_e5
from rag.models.weights import Role, Weights, resolve

PASSAGES = (
    "员工入职满一年后，每年可享受15天带薪年假。",
    "应提前3个工作日提交申请，由直属主管审批。",
    "办公设备报销额度为每人每年3000元。",
    "忘记密码后联系IT服务台，验证身份再申请重置。",
)
QUESTION = "入职满一年，每年有多少天带薪年假？"


def slow_q4_0(raw: bytes) -> list[float]:
    """One value at a time, with nothing but struct."""
    values: list[float] = []
    for start in range(0, len(raw), 18):
        (scale,) = struct.unpack_from("<e", raw, start)
        nibbles = raw[start + 2 : start + 18]
        values += [((byte & 0x0F) - 8) * scale for byte in nibbles]
        values += [((byte >> 4) - 8) * scale for byte in nibbles]
    return values


@pytest.mark.parametrize("seed", range(20))
def test_blocks_decode_as_a_slow_decoder_does(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 60))
    raw = rng.integers(0, 256, (count, 18), dtype=np.uint8)
    raw[:, :2] = rng.standard_normal(count).astype("<f2").view(np.uint8).reshape(count, 2)
    decoded = decode_q4_0(raw.reshape(-1))
    assert decoded.dtype == np.float32 and decoded.shape == (32 * count,)
    np.testing.assert_array_equal(decoded, np.array(slow_q4_0(raw.tobytes()), np.float32))


def test_a_cut_block_is_refused() -> None:
    with pytest.raises(ValueError, match="reshape"):
        decode_q4_0(np.zeros(17, np.uint8))


class TinyFile:
    """Writes an E5S1 file: 32 wide, one layer, random weights; remembers the values of every tensor."""

    pieces = ("<s>", "<pad>", "</s>", "<unk>", "▁", "年", "假", "▁年", "年假", "1", "5", "天")
    hidden, feed_forward, positions, vocabulary = 32, 64, 40, 16

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.values: dict[str, np.ndarray] = {}
        self.packed: dict[str, bytes] = {}
        h, f = self.hidden, self.feed_forward
        self._matrix("emb.word", self.vocabulary, h)
        self._floats("emb.pos", self.positions, h)
        self._floats("emb.type", 2, h)
        self._norm("emb.ln")
        for name, rows, columns in (("q", h, h), ("k", h, h), ("v", h, h), ("ao", h, h), ("fi", f, h), ("fo", h, f)):
            self._matrix(f"l0.{name}.w", rows, columns)
            self._floats(f"l0.{name}.b", rows)
        self._norm("l0.aln")
        self._norm("l0.oln")

    def _floats(self, name: str, *shape: int) -> None:
        self.values[name] = self.rng.standard_normal(shape).astype("<f4")
        self.packed[name] = self.values[name].tobytes()

    def _norm(self, name: str) -> None:
        self._floats(f"{name}.w", self.hidden)
        self._floats(f"{name}.b", self.hidden)

    def _matrix(self, name: str, rows: int, columns: int) -> None:
        blocks = rows * columns // 32
        raw = self.rng.integers(0, 256, (blocks, 18), dtype=np.uint8)
        raw[:, :2] = (self.rng.standard_normal(blocks) / 8).astype("<f2").view(np.uint8).reshape(blocks, 2)
        self.packed[name] = raw.tobytes()
        self.values[name] = np.array(slow_q4_0(self.packed[name]), "<f4").reshape(rows, columns)

    def bytes(self) -> bytes:
        encoded = [piece.encode() for piece in self.pieces]
        offsets = np.cumsum([0, *map(len, encoded)]).astype("<u4").tobytes()
        scores = np.linspace(-1, -4, len(encoded)).astype("<f4").tobytes()
        head = b"E5S1" + struct.pack(
            "<I7if", 1, self.hidden, 1, 2, self.feed_forward, self.vocabulary, self.positions, 2, 1e-12
        )
        head += struct.pack("<i5iQ", 32, len(encoded), 0, 2, 1, 3, sum(map(len, encoded))) + offsets + scores
        head += b"".join(encoded) + struct.pack("<iI", 1, 5) + b"norms" + struct.pack("<i", len(self.packed))
        start = len(head) + sum(2 + len(name) + 21 for name in self.packed)
        table, body = b"", b""
        for name, content in self.packed.items():
            table += struct.pack("<H", len(name)) + name.encode()
            table += struct.pack("<BIQQ", 0, self.values[name].size, start + len(body), len(content))
            body += content
        return head + table + body


def test_a_tiny_file_becomes_a_folder_that_loads(tmp_path: Path) -> None:
    from safetensors.numpy import load_file
    from sentence_transformers import SentenceTransformer

    tiny = TinyFile(7)
    (tmp_path / "tiny.bin").write_bytes(tiny.bytes())
    convert_e5(tmp_path / "tiny.bin", tmp_path / "out")
    found = load_file(tmp_path / "out/model.safetensors")
    for theirs, ours in (
        ("embeddings.word_embeddings.weight", "emb.word"),
        ("embeddings.position_embeddings.weight", "emb.pos"),
        ("encoder.layer.0.attention.self.key.weight", "l0.k.w"),
        ("encoder.layer.0.intermediate.dense.weight", "l0.fi.w"),
        ("encoder.layer.0.output.dense.bias", "l0.fo.b"),
        ("encoder.layer.0.output.LayerNorm.weight", "l0.oln.w"),
    ):
        np.testing.assert_array_equal(found[theirs], tiny.values[ours])
    assert json.loads((tmp_path / "out/config_sentence_transformers.json").read_text())["prompts"]["query"] == "query: "
    model = SentenceTransformer(str(tmp_path / "out"), device="cpu", local_files_only=True)
    # by the scores, ▁ + 年假 (−5.27) beats ▁年 + 假 (−5.55)
    assert model.tokenizer("年假15天")["input_ids"] == [0, 4, 8, 9, 10, 11, 2]
    vectors = model.encode(["年假", "15天"])
    assert vectors.shape == (2, 32)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-6)


def test_the_same_file_gives_the_same_bytes(tmp_path: Path) -> None:
    (tmp_path / "tiny.bin").write_bytes(TinyFile(3).bytes())
    for out in ("one", "two"):
        convert_e5(tmp_path / "tiny.bin", tmp_path / out)
    for path in (tmp_path / "one").rglob("*"):
        if path.is_file():
            assert path.read_bytes() == (tmp_path / "two" / path.relative_to(tmp_path / "one")).read_bytes(), path.name


@pytest.mark.parametrize("seed", range(5))
def test_a_damaged_file_is_an_error_not_a_model(seed: int) -> None:
    raw = TinyFile(seed).bytes()
    rng = np.random.default_rng(seed)
    for cut in rng.integers(0, len(raw) // 3, 10):
        with pytest.raises((ValueError, struct.error)):
            read_e5(raw[: int(cut)]).floats("emb.ln.w")
    with pytest.raises(ValueError, match="E5S1"):
        read_e5(b"GGUF" + raw[4:])


def real(role: Role, asked: str) -> Weights:
    """The real weights, in the cache that RAG_CACHE names; fetched when they are not there."""
    return resolve(role, asked, from_environment().cache, lambda note: print(note.en))


@pytest.mark.model
def test_the_four_passages_have_the_four_cosines() -> None:
    from sentence_transformers import SentenceTransformer

    weights = real("encoder", DEFAULT_ENCODER)
    if weights.source != "mirror":
        pytest.skip("the figures are those of the 4-bit weights")
    model = SentenceTransformer(str(weights.folder), device="cpu", local_files_only=True)
    question = model.encode(["query: " + QUESTION])[0]
    passages = model.encode(["passage: " + text for text in PASSAGES])
    assert (passages @ question).tolist() == pytest.approx([0.945, 0.875, 0.866, 0.846], abs=6e-4)
    # the folder's own prefixes are the same
    np.testing.assert_allclose(model.encode_query([QUESTION])[0], question, atol=1e-5)
    np.testing.assert_allclose(model.encode_document(list(PASSAGES)), passages, atol=1e-5)


@pytest.mark.model
def test_the_generator_folder_renders_and_tokenises_a_chat() -> None:
    from transformers import AutoConfig, AutoTokenizer

    weights = real("generator", DEFAULT_GENERATOR)
    tokenizer = AutoTokenizer.from_pretrained(weights.folder, local_files_only=True)
    chat = [{"role": "system", "content": "只根据材料回答。"}, {"role": "user", "content": QUESTION}]
    text = tokenizer.apply_chat_template(chat, add_generation_prompt=True, tokenize=False)
    expected = f"<|im_start|>system\n只根据材料回答。<|im_end|>\n<|im_start|>user\n{QUESTION}<|im_end|>\n<|im_start|>assistant\n"
    assert text == expected
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    assert tokenizer.decode(ids) == text
    assert ids[0] == 151644 and ids.count(151645) == 2  # <|im_start|>, <|im_end|>
    config = AutoConfig.from_pretrained(weights.folder, local_files_only=True)
    assert config.model_type == "qwen2" and config.num_hidden_layers == 24
