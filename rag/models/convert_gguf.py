"""A GGUF file of a causal language model → a folder that ``AutoModelForCausalLM`` and ``AutoTokenizer`` load (bf16 safetensors)."""

from __future__ import annotations

from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig, GgufConfig


def convert_gguf(source: Path, out: Path) -> None:
    """Write the folder `out`: bf16 safetensors, tokenizer with its chat template, generation config.

    `out` is made; it must not hold anything. Peaks near 4 GB of memory for 0.5 B parameters, so run it in a
    child process. Raises ``OSError`` or ``ValueError`` when the file is no GGUF that the library reads, and
    ``ValueError`` when it holds no chat template.
    """
    folder, name = str(source.parent), source.name
    tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=name)
    if not tokenizer.chat_template:
        raise ValueError(f"{name} holds no chat template")
    model = AutoModelForCausalLM.from_pretrained(
        folder, gguf_file=name, quantization_config=GgufConfig(dequantize=True), dtype=torch.bfloat16
    )
    model.to(torch.bfloat16)
    # the file carries no sampling defaults: what is written is greedy, with the tokenizer's end of turn
    model.generation_config = GenerationConfig(
        do_sample=False,
        bos_token_id=model.config.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    model.save_pretrained(out)
    tokenizer.save_pretrained(out)
