"""A language model of a few thousand random numbers, in a folder as the real one's: seconds become milliseconds."""

from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import AutoModelForCausalLM, LlamaConfig, PreTrainedTokenizerFast, Qwen2Config, Qwen3Config
from transformers.modeling_utils import PreTrainedModel

from rag.models.weights import Weights

SPECIALS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
_CONFIGS = {"qwen2": Qwen2Config, "llama": LlamaConfig, "qwen3": Qwen3Config}


def tokenizer() -> PreTrainedTokenizerFast:
    """One token a byte, and the special ones."""
    letters = {c: i for i, c in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    bare = Tokenizer(models.BPE(vocab=letters, merges=[]))
    bare.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    bare.decoder = decoders.ByteLevel()
    whole = PreTrainedTokenizerFast(tokenizer_object=bare, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    whole.add_special_tokens({"additional_special_tokens": list(SPECIALS)})
    whole.chat_template = TEMPLATE
    return whole


def weights(folder: Path, kind: str = "qwen2", seed: int = 0, tied: bool = False, wide: float = 0.25) -> Weights:
    """Write the model to `folder`. `wide`: the spread of its numbers; with small ones it says the same after everything."""
    folder.mkdir()
    words = tokenizer()
    config = _CONFIGS[kind](
        vocab_size=272,
        hidden_size=64,
        intermediate_size=160,
        num_hidden_layers=3,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=16,
        max_position_embeddings=4096,
        initializer_range=wide,
        tie_word_embeddings=tied,
        eos_token_id=words.convert_tokens_to_ids("<|im_end|>"),
        pad_token_id=words.convert_tokens_to_ids("<|endoftext|>"),
    )
    torch.manual_seed(seed)
    model: PreTrainedModel = AutoModelForCausalLM.from_config(config, dtype=torch.float32)
    with torch.no_grad():
        for name, values in model.named_parameters():
            if name.endswith("bias"):
                values.normal_(0, wide)  # zero to begin with, and then nobody would miss them
            elif "norm" in name:
                values.uniform_(0.5, 1.5)
    model.save_pretrained(folder)
    words.save_pretrained(folder)
    return Weights("generator", str(folder), "tiny", folder, "folder", "", "", 0, "")
