from pathlib import Path

import gguf
import numpy as np
import pytest

from rag.models.convert_gguf import convert_gguf, name_of, tokenizer_of
from rag.models.gguf_file import read_gguf

TEMPLATE = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
HIDDEN, FEED_FORWARD, KV = 64, 96, 32


def byte_tokens() -> list[str]:
    """The 256 byte tokens of GPT-2's table."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    shifted = iter(range(256, 512))
    return [chr(b) if b in plain else chr(next(shifted)) for b in range(256)]


def write_tiny(path: Path, seed: int = 1, template: str | None = TEMPLATE, pre: str = "qwen2") -> list[str]:
    """A Qwen2 of one layer, written by the gguf package; its vocabulary."""
    rng = np.random.default_rng(seed)
    tokens = [*byte_tokens(), "ab", "abc", "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<tool_call>"]
    w = gguf.GGUFWriter(path, "qwen2")
    w.add_block_count(1)
    w.add_context_length(128)
    w.add_embedding_length(HIDDEN)
    w.add_feed_forward_length(FEED_FORWARD)
    w.add_head_count(4)
    w.add_head_count_kv(2)
    w.add_rope_freq_base(10000.0)
    w.add_layer_norm_rms_eps(1e-6)
    w.add_tokenizer_model("gpt2")
    w.add_tokenizer_pre(pre)
    w.add_token_list(tokens)
    w.add_token_types([1] * 258 + [3, 3, 3, 4])
    w.add_token_merges(["a b", "ab c"])
    w.add_bos_token_id(258)
    w.add_eos_token_id(260)
    w.add_pad_token_id(258)
    if template is not None:
        w.add_chat_template(template)
    shapes: dict[str, tuple[int, ...]] = {
        "token_embd.weight": (len(tokens), HIDDEN),
        "output.weight": (len(tokens), HIDDEN),
    }
    shapes |= {"output_norm.weight": (HIDDEN,), "blk.0.attn_norm.weight": (HIDDEN,), "blk.0.ffn_norm.weight": (HIDDEN,)}
    for name, rows, columns in (("attn_q", HIDDEN, HIDDEN), ("attn_k", KV, HIDDEN), ("attn_v", KV, HIDDEN)):
        shapes |= {f"blk.0.{name}.weight": (rows, columns), f"blk.0.{name}.bias": (rows,)}
    shapes |= {"blk.0.attn_output.weight": (HIDDEN, HIDDEN), "blk.0.ffn_gate.weight": (FEED_FORWARD, HIDDEN)}
    shapes |= {"blk.0.ffn_up.weight": (FEED_FORWARD, HIDDEN), "blk.0.ffn_down.weight": (HIDDEN, FEED_FORWARD)}
    for name, shape in shapes.items():
        values = rng.standard_normal(shape).astype(np.float32) / 8
        if len(shape) == 1:
            w.add_tensor(name, values)
        else:
            kind = gguf.GGMLQuantizationType.Q8_0 if "attn" in name else gguf.GGMLQuantizationType.Q5_0
            w.add_tensor(name, gguf.quantize(values, kind), raw_dtype=kind)
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()
    return tokens


def test_reads_what_the_gguf_package_reads(tmp_path: Path) -> None:
    tokens = write_tiny(tmp_path / "tiny.gguf")
    ours, theirs = read_gguf(tmp_path / "tiny.gguf"), gguf.GGUFReader(tmp_path / "tiny.gguf")
    fields = {k: f.contents() for k, f in theirs.fields.items() if not k.startswith("GGUF.")}
    assert ours.metadata == fields
    assert ours.items("tokenizer.ggml.tokens") == tokens
    assert list(ours.tensors) == [t.name for t in theirs.tensors]
    for t in theirs.tensors:
        np.testing.assert_array_equal(ours.values(t.name), gguf.dequantize(t.data, t.tensor_type))


def test_a_tiny_model_becomes_a_folder_that_loads_as_the_library_computes(tmp_path: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, Qwen2ForCausalLM

    write_tiny(tmp_path / "tiny.gguf")
    convert_gguf(tmp_path / "tiny.gguf", tmp_path / "out")
    model = AutoModelForCausalLM.from_pretrained(tmp_path / "out", local_files_only=True)
    assert isinstance(model, Qwen2ForCausalLM) and model.dtype == torch.bfloat16
    assert (model.generation_config.do_sample, model.generation_config.eos_token_id) == (False, 260)
    reader = {t.name: gguf.dequantize(t.data, t.tensor_type) for t in gguf.GGUFReader(tmp_path / "tiny.gguf").tensors}
    layer = model.model.layers[0]
    for name, found in (
        ("token_embd.weight", model.model.embed_tokens.weight),
        ("output.weight", model.lm_head.weight),
        ("output_norm.weight", model.model.norm.weight),
        ("blk.0.attn_norm.weight", layer.input_layernorm.weight),
        ("blk.0.ffn_norm.weight", layer.post_attention_layernorm.weight),
        ("blk.0.attn_k.weight", layer.self_attn.k_proj.weight),
        ("blk.0.attn_v.bias", layer.self_attn.v_proj.bias),
        ("blk.0.attn_output.weight", layer.self_attn.o_proj.weight),
        ("blk.0.ffn_gate.weight", layer.mlp.gate_proj.weight),
        ("blk.0.ffn_up.weight", layer.mlp.up_proj.weight),
        ("blk.0.ffn_down.weight", layer.mlp.down_proj.weight),
    ):
        assert torch.equal(found, torch.from_numpy(reader[name].copy()).to(torch.bfloat16)), name
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "out", local_files_only=True)
    text = tokenizer.apply_chat_template(
        [{"role": "user", "content": "abc 年假"}], add_generation_prompt=True, tokenize=False
    )
    assert text == "<|im_start|>user\nabc 年假<|im_end|>\n<|im_start|>assistant\n"
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    assert ids[0] == 259 and ids.count(259) == 2 and ids.count(260) == 1 and ids.count(257) == 1
    assert tokenizer.decode(ids) == text
    assert tokenizer.decode(ids, skip_special_tokens=True) == "user\nabc 年假\nassistant\n"


def test_names() -> None:
    assert name_of("blk.23.attn_q.bias") == "model.layers.23.self_attn.q_proj.bias"
    assert name_of("output.weight") == "lm_head.weight"
    for unknown in ("blk.0.ssm_a.weight", "attn_q.weight", "blk.0.output.weight", "rope_freqs.weight", "output"):
        with pytest.raises(ValueError, match="unknown tensor"):
            name_of(unknown)


def test_what_it_cannot_convert_it_says(tmp_path: Path) -> None:
    write_tiny(tmp_path / "no-template.gguf", template=None)
    with pytest.raises(ValueError, match=r"tokenizer\.chat_template"):
        convert_gguf(tmp_path / "no-template.gguf", tmp_path / "out")
    write_tiny(tmp_path / "other-words.gguf", pre="llama-bpe")
    with pytest.raises(ValueError, match="llama-bpe"):
        tokenizer_of(read_gguf(tmp_path / "other-words.gguf"))
    (tmp_path / "text").write_text("hello")
    with pytest.raises(ValueError, match="no GGUF file"):
        read_gguf(tmp_path / "text")
    assert not (tmp_path / "out").exists()


def test_cut_and_damaged_files_are_value_errors(tmp_path: Path) -> None:
    write_tiny(tmp_path / "tiny.gguf")
    raw = (tmp_path / "tiny.gguf").read_bytes()
    rng = np.random.default_rng(5)
    bad = tmp_path / "bad.gguf"
    for cut in rng.integers(4, len(raw), 40):
        bad.write_bytes(raw[: int(cut)])
        with pytest.raises(ValueError):
            found = read_gguf(bad)
            [found.values(name) for name in found.tensors]
    refused = 0
    for _ in range(200):
        damaged = bytearray(raw)
        damaged[rng.integers(4, 3000)] = int(rng.integers(256))
        bad.write_bytes(damaged)
        try:
            read_gguf(bad)
        except ValueError:
            refused += 1
    assert 50 < refused < 200  # anything but a ValueError fails the test
