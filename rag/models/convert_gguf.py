"""A GGUF file of a Qwen2 model → a folder that ``AutoModelForCausalLM`` and ``AutoTokenizer`` load (bf16 safetensors).

The library loads GGUF files too, but reads the vocabulary three times and keeps every tensor in float32: a minute
and 3 GB. Here one tensor is decoded at a time; on the default file the result is the same, tensor for tensor.
"""

from __future__ import annotations

import re
from pathlib import Path

import torch
from safetensors.torch import save_file
from tokenizers import AddedToken
from transformers import GenerationConfig, Qwen2Config, Qwen2Tokenizer

from rag.models.gguf_file import GgufFile, read_gguf

_CONTROL, _USER_DEFINED = 3, 4
_NAMES = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}
_LAYER_NAMES = {
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}


def name_of(gguf_name: str) -> str:
    """The library's name of a Qwen2 tensor: ``blk.3.attn_q.bias`` → ``model.layers.3.self_attn.q_proj.bias``.

    Raises ``ValueError`` for a name that is not known.
    """
    found = re.fullmatch(r"(?:blk\.(\d+)\.)?(\w+)\.(weight|bias)", gguf_name)
    known = found and (_NAMES if found[1] is None else _LAYER_NAMES).get(found[2])
    if not found or not known:
        raise ValueError(f"unknown tensor {gguf_name!r}")
    return f"{known}.{found[3]}" if found[1] is None else f"model.layers.{found[1]}.{known}.{found[3]}"


def config_of(gguf: GgufFile) -> Qwen2Config:
    """The model's configuration. Raises ``ValueError`` when the file holds another architecture."""
    if gguf.text("general.architecture") != "qwen2":
        raise ValueError(f"{gguf.path.name} holds {gguf.text('general.architecture')}, not qwen2")
    return Qwen2Config(
        vocab_size=len(gguf.items("tokenizer.ggml.tokens")),
        hidden_size=gguf.integer("qwen2.embedding_length"),
        intermediate_size=gguf.integer("qwen2.feed_forward_length"),
        num_hidden_layers=gguf.integer("qwen2.block_count"),
        num_attention_heads=gguf.integer("qwen2.attention.head_count"),
        num_key_value_heads=gguf.integer("qwen2.attention.head_count_kv"),
        max_position_embeddings=gguf.integer("qwen2.context_length"),
        rms_norm_eps=gguf.number("qwen2.attention.layer_norm_rms_epsilon"),
        rope_parameters={"rope_type": "default", "rope_theta": gguf.number("qwen2.rope.freq_base")},
        tie_word_embeddings="output.weight" not in gguf.tensors,
        bos_token_id=gguf.integer("tokenizer.ggml.bos_token_id"),
        eos_token_id=gguf.integer("tokenizer.ggml.eos_token_id"),
        pad_token_id=gguf.integer("tokenizer.ggml.padding_token_id"),
        architectures=["Qwen2ForCausalLM"],
        dtype="bfloat16",
    )


def tokenizer_of(gguf: GgufFile) -> Qwen2Tokenizer:
    """The tokenizer with its chat template. Raises ``ValueError`` when the file holds another kind, or no template."""
    kind = (gguf.text("tokenizer.ggml.model"), gguf.text("tokenizer.ggml.pre"))
    if kind != ("gpt2", "qwen2"):
        raise ValueError(f"{gguf.path.name} holds a tokenizer of the kind {kind}")
    tokens = [str(token) for token in gguf.items("tokenizer.ggml.tokens")]
    merges = [(left, right) for left, _, right in (str(m).partition(" ") for m in gguf.items("tokenizer.ggml.merges"))]
    tokenizer = Qwen2Tokenizer(
        vocab={token: i for i, token in enumerate(tokens)},
        merges=merges,
        unk_token=None,  # bytes are tokens: nothing is unknown
        bos_token=tokens[gguf.integer("tokenizer.ggml.bos_token_id")],
        eos_token=tokens[gguf.integer("tokenizer.ggml.eos_token_id")],
        pad_token=tokens[gguf.integer("tokenizer.ggml.padding_token_id")],
        chat_template=gguf.text("tokenizer.chat_template"),
        model_max_length=gguf.integer("qwen2.context_length"),
    )
    for token, role in zip(tokens, gguf.items("tokenizer.ggml.token_type"), strict=True):
        if role in (_CONTROL, _USER_DEFINED):
            tokenizer.add_tokens([AddedToken(token, normalized=False, special=role == _CONTROL)])
    return tokenizer


def convert_gguf(source: Path, out: Path) -> None:
    """Write the folder `out`: bf16 safetensors, config, tokenizer with its chat template, greedy generation config.

    `out` is made; it must not hold anything. Memory: the bf16 model and the largest tensor in float32 (2 GB for
    0.5 B parameters), so run it in a child process. Raises ``ValueError`` when the file holds something else, and
    ``OSError``.
    """
    gguf = read_gguf(source)
    config = config_of(gguf)
    tokenizer = tokenizer_of(gguf)
    weights = {name_of(name): torch.from_numpy(gguf.values(name)).to(torch.bfloat16) for name in gguf.tensors}
    out.mkdir()
    save_file(weights, out / "model.safetensors", metadata={"format": "pt"})
    config.save_pretrained(out)
    tokenizer.save_pretrained(out)
    # the file carries no sampling defaults: what is written is greedy, with the tokenizer's end of turn
    GenerationConfig(
        do_sample=False,
        bos_token_id=config.bos_token_id,
        eos_token_id=config.eos_token_id,
        pad_token_id=config.pad_token_id,
    ).save_pretrained(out)
