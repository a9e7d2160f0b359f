"""The "E5S1" file (multilingual-e5-small, 4-bit weights) → a folder that ``SentenceTransformer`` loads.

Layout, little endian: ``"E5S1"``, u32 version; i32 hidden, layers, heads, feed-forward, vocabulary, positions, token types; f32 layer-norm
epsilon; i32 quantisation block; i32 pieces, bos, eos, pad, unk; u64 blob bytes; u32 offsets[pieces + 1]; f32 scores[pieces]; blob (UTF-8
pieces in the order of the ids); i32 norms, u32 bytes, bytes (a normaliser map; NMT + NFKC do the same); i32 tensors; per tensor: u16 name
length, name, u8 dtype, u32 count, u64 offset, u64 bytes.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer
from tokenizers import Regex, Tokenizer, decoders, normalizers, pre_tokenizers, processors
from tokenizers.models import Unigram
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

MAX_TOKENS = 512
PROMPTS = {"query": "query: ", "document": "passage: ", "passage": "passage: "}
Q4_0_BYTES, Q4_0_VALUES = 18, 32

# names in the file → names of BertModel, per layer: 4-bit matrices with an f32 bias, then layer norms
_MATRICES = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "fi": "intermediate.dense",
    "fo": "output.dense",
}
_NORMS = {"aln": "attention.output.LayerNorm", "oln": "output.LayerNorm"}


def decode_q4_0(raw: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Decode Q4_0 blocks: uint8 ``(18 n,)`` → float32 ``(32 n,)``.

    A block is an f16 scale and 16 bytes; the low nibbles are values 0–15, the high nibbles values 16–31, each
    minus 8, times the scale. Raises ``ValueError`` when the length is no multiple of 18.
    """
    blocks = raw.reshape(-1, Q4_0_BYTES)
    scale = blocks[:, :2].copy().view("<f2").astype(np.float32)
    packed = blocks[:, 2:]
    values = np.concatenate([packed & 15, packed >> 4], axis=1).astype(np.float32) - 8
    return (values * scale).reshape(-1)


@dataclass(frozen=True, slots=True)
class E5File:
    """The parsed file. `ids` are bos, eos, pad, unk; `tensors` maps a name to (offset, bytes) in `raw`."""

    raw: bytes
    hidden: int
    layers: int
    heads: int
    feed_forward: int
    vocabulary: int
    positions: int
    token_types: int
    epsilon: float
    ids: tuple[int, int, int, int]
    pieces: tuple[tuple[str, float], ...]
    tensors: dict[str, tuple[int, int]]

    def floats(self, name: str, *shape: int) -> torch.Tensor:
        """The f32 tensor `name`, float32; `shape` as given, else ``(n,)``."""
        offset, size = self.tensors[name]
        found = torch.from_numpy(np.frombuffer(self.raw, "<f4", size // 4, offset).copy())
        return found.reshape(shape) if shape else found

    def matrix(self, name: str, rows: int, columns: int) -> torch.Tensor:
        """The Q4_0 tensor `name`, float32 ``(rows, columns)``."""
        offset, size = self.tensors[name]
        return torch.from_numpy(decode_q4_0(np.frombuffer(self.raw, np.uint8, size, offset)).reshape(rows, columns))


class _Reader:
    """Takes little-endian values off the front of `raw`."""

    def __init__(self, raw: bytes) -> None:
        self.raw, self.at = raw, 0

    def values(self, form: str) -> tuple[int, ...]:
        found = struct.unpack_from("<" + form, self.raw, self.at)
        self.at += struct.calcsize("<" + form)
        return found

    def one(self, form: str) -> int:
        return self.values(form)[0]

    def array(self, dtype: str, count: int) -> NDArray[np.generic]:
        found = np.frombuffer(self.raw, dtype, count, self.at)
        self.at += found.nbytes
        return found

    def text(self, count: int) -> str:
        self.at += count
        return self.raw[self.at - count : self.at].decode("utf-8")


def read_e5(raw: bytes) -> E5File:
    """Parse the bytes of an E5S1 file. Raises ``ValueError``, ``struct.error`` or ``UnicodeDecodeError`` when they are not one."""
    if raw[:4] != b"E5S1":
        raise ValueError("not an E5S1 file")
    r = _Reader(raw)
    r.at = 8  # the magic and the version
    hidden, layers, heads, feed_forward, vocabulary, positions, token_types = r.values("7i")
    epsilon = float(r.one("f"))
    r.one("i")
    count, bos, eos, pad, unk = r.values("5i")
    blob_bytes = r.one("Q")
    offsets = r.array("<u4", count + 1).tolist()
    scores = r.array("<f4", count).tolist()
    blob = r.array("u1", blob_bytes).tobytes()
    pieces = tuple((blob[offsets[i] : offsets[i + 1]].decode("utf-8"), scores[i]) for i in range(count))
    r.one("i")
    skipped = r.one("I")  # read first: `r.at += r.one(…)` would add to the old position
    r.at += skipped
    tensors: dict[str, tuple[int, int]] = {}
    for _ in range(r.one("i")):
        name = r.text(r.one("H"))
        r.one("B")
        r.one("I")
        tensors[name] = (r.one("Q"), r.one("Q"))
    return E5File(
        raw=raw,
        hidden=hidden,
        layers=layers,
        heads=heads,
        feed_forward=feed_forward,
        vocabulary=vocabulary,
        positions=positions,
        token_types=token_types,
        epsilon=epsilon,
        ids=(bos, eos, pad, unk),
        pieces=pieces,
        tensors=tensors,
    )


def bert_of(e5: E5File) -> BertModel:
    """The float32 ``BertModel`` that the file holds. Raises ``KeyError`` when a tensor is missing.

    Its pooler, which mean pooling does not use and the file does not hold, is zero: left out, it would be filled
    with random numbers on loading, and the same source would give other bytes each time.
    """
    h, f = e5.hidden, e5.feed_forward
    state = {
        "pooler.dense.weight": torch.zeros(h, h),
        "pooler.dense.bias": torch.zeros(h),
        "embeddings.word_embeddings.weight": e5.matrix("emb.word", e5.vocabulary, h),
        "embeddings.position_embeddings.weight": e5.floats("emb.pos", e5.positions, h),
        "embeddings.token_type_embeddings.weight": e5.floats("emb.type", e5.token_types, h),
        "embeddings.LayerNorm.weight": e5.floats("emb.ln.w"),
        "embeddings.LayerNorm.bias": e5.floats("emb.ln.b"),
    }
    shapes = {"fi": (f, h), "fo": (h, f)}
    for i in range(e5.layers):
        for short, name in _MATRICES.items():
            state[f"encoder.layer.{i}.{name}.weight"] = e5.matrix(f"l{i}.{short}.w", *shapes.get(short, (h, h)))
            state[f"encoder.layer.{i}.{name}.bias"] = e5.floats(f"l{i}.{short}.b")
        for short, name in _NORMS.items():
            state[f"encoder.layer.{i}.{name}.weight"] = e5.floats(f"l{i}.{short}.w")
            state[f"encoder.layer.{i}.{name}.bias"] = e5.floats(f"l{i}.{short}.b")
    config = BertConfig(
        vocab_size=e5.vocabulary,
        hidden_size=h,
        num_hidden_layers=e5.layers,
        num_attention_heads=e5.heads,
        intermediate_size=f,
        max_position_embeddings=e5.positions,
        type_vocab_size=e5.token_types,
        layer_norm_eps=e5.epsilon,
    )
    with torch.device("meta"):  # no memory and no random numbers for what is replaced next
        bert = BertModel(config)
    bert.load_state_dict(state, assign=True)
    return bert


def tokenizer_of(e5: E5File) -> PreTrainedTokenizerFast:
    """The Unigram tokenizer that the file holds, as a Transformers tokenizer."""
    bos_id, eos_id, pad_id, unk_id = e5.ids
    bos, eos, pad, unk = (e5.pieces[i][0] for i in e5.ids)
    t = Tokenizer(Unigram(list(e5.pieces), unk_id=unk_id))
    t.normalizer = normalizers.Sequence(
        [normalizers.Nmt(), normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")]
    )
    t.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")]
    )
    t.decoder = decoders.Metaspace()
    t.post_processor = processors.TemplateProcessing(
        single=f"{bos} $A {eos}",
        pair=f"{bos} $A {eos} {eos} $B {eos}",
        special_tokens=[(bos, bos_id), (eos, eos_id)],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=t,
        bos_token=bos,
        eos_token=eos,
        pad_token=pad,
        unk_token=unk,
        cls_token=bos,
        sep_token=eos,
        mask_token="<mask>",
        model_max_length=MAX_TOKENS,
    )


def convert_e5(source: Path, out: Path) -> None:
    """Write the folder `out`: float32 safetensors, tokenizer, mean pooling, normalisation, the two prefixes.

    `out` is made; it must not hold anything. Raises what `read_e5` and `bert_of` raise, and ``OSError``.
    """
    e5 = read_e5(source.read_bytes())
    bare = out / "bert"
    bert_of(e5).save_pretrained(bare)
    tokenizer_of(e5).save_pretrained(bare)
    word = Transformer(str(bare), max_seq_length=MAX_TOKENS)
    modules = [word, Pooling(e5.hidden, pooling_mode="mean"), Normalize()]
    SentenceTransformer(modules=modules, device="cpu", prompts=PROMPTS).save(str(out), create_model_card=False)
    for file in bare.iterdir():
        file.unlink()
    bare.rmdir()
