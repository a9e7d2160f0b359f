"""The forward pass of one sequence through a decoder of the Llama and Qwen2 kind, over keys and values of our own.

The same products, norms and rotations as in transformers' modules, whose weights it reads, but with few calls a layer
(queries, keys and values are one product, gate and up another), room for what is to come, and a place between layers
where Stop lands and others get their turn. In float32 it gives the library's numbers but for the order of a sum.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import torch
from torch.nn import functional

from rag.errors import Bilingual
from rag.models.heap import give_back
from rag.models.kept import KeysValues, Shape
from rag.models.packed import Product, joined, product

# Rotations that are the same for a place whatever the length of the text: keys may be kept.
_STEADY: Final = ("default", "linear", "llama3", "yarn")
# Rows at most of which the heads that share keys are folded into one (`Decoder._attend`).
_FOLDED: Final = 8
_KINDS: Final = ("qwen2", "llama")


def why_not(model: Any) -> Bilingual | None:
    """Why `model` cannot be read by `Decoder`; None when it can."""
    config = model.config
    rope = (getattr(config, "rope_parameters", None) or {}).get("rope_type", "default")
    layers = set(getattr(config, "layer_types", None) or ["full_attention"])
    if config.model_type not in _KINDS:
        why = f"model_type={config.model_type}"
    elif rope not in _STEADY:
        why = f"rope_type={rope}"
    elif layers != {"full_attention"} or config.hidden_act != "silu":
        why = f"{'/'.join(sorted(layers))}, {config.hidden_act}"
    else:
        return None
    return Bilingual(en=f"plain transformers ({why})", zh=f"使用 transformers 自带的生成（{why}）")


@dataclass(frozen=True, slots=True)
class _Layer:
    qkv: Product
    o: Product
    gate_up: Product
    down: Product
    norm_in: Any
    norm_after: Any


class Decoder:
    """Reads tokens one after the other or many at once. `between` is called before every layer, and while weights are packed; it may raise."""

    def __init__(self, model: Any, eight: bool, between: Callable[[], None]) -> None:
        """`eight`: few rows are multiplied with weights in 8 bits, else with the model's own."""
        config = model.config
        inner = model.get_decoder()
        self._embed = inner.embed_tokens
        self._turn = inner.rotary_emb
        self._norm = inner.norm.weight
        self._eps = float(config.rms_norm_eps)
        self._heads, self._kv_heads = int(config.num_attention_heads), int(config.num_key_value_heads)
        self._between = between
        self._layers = []
        for layer in inner.layers:
            self._layers.append(_layer(layer, eight, between))
            give_back()  # what packing took, before the next layer takes as much elsewhere
        # where it is not the embedding too it is a fifth of the model's memory, for one row of a prompt
        self.head_alone = eight and model.lm_head.weight is not inner.embed_tokens.weight
        self.head = product(model.lm_head, eight, self.head_alone, between)
        width = int(getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads)
        weight = inner.embed_tokens.weight
        self.shape = Shape(len(self._layers), self._kv_heads, width, weight.dtype, str(weight.device))

    def read(self, ids: Sequence[int], kept: KeysValues, rows: int, few: bool) -> Any:
        """Read `ids` behind what `kept` holds, and lengthen it by them; logits after the last `rows` of them, ``(rows, vocabulary) float32``.

        `few`: with the packed weights. When `between` raises, `kept` is as before.
        """
        before, n = len(kept.ids), len(ids)
        kept.make_room(before + n)
        device = self.shape.device
        x = self._embed(torch.tensor([ids], device=device))[0]
        places = torch.arange(before, before + n, device=device).unsqueeze(0)
        cos, sin = self._turn(x, places)
        half = self.shape.width // 2
        # the first half of the sine is negative where the library negates what it multiplies: the same number
        angles = (cos[0].unsqueeze(1), torch.cat((-sin[0, :, :half], sin[0, :, half:]), dim=-1).unsqueeze(1))
        mask = None
        if n > 1 and (before or n <= _FOLDED):
            # each row sees all that was there before and, of the new ones, those up to itself
            mask = torch.ones((n, before + n), dtype=torch.bool, device=device).tril(before)
            if n <= _FOLDED:
                mask = mask.repeat(self._heads // self._kv_heads, 1)
        for layer, room in zip(self._layers, kept.rows, strict=True):
            self._between()
            x = self._through(layer, x, room, (before, angles, mask), few)
        kept.ids.extend(ids)
        if not rows:
            return None
        return self.head(functional.rms_norm(x[-rows:], x.shape[-1:], self._norm, self._eps), True).float()

    def _through(self, layer: _Layer, x: Any, room: Any, where: tuple[int, Any, Any], few: bool) -> Any:
        before, (cos, sin), mask = where
        n, heads, kv, width = len(x), self._heads, self._kv_heads, self.shape.width
        h = functional.rms_norm(x, x.shape[-1:], layer.norm_in, self._eps)
        qkv = layer.qkv(h, few).view(n, heads + 2 * kv, width)
        qk = qkv[:, : heads + kv]
        half = width // 2
        qk = qk * cos + torch.cat((qk[..., half:], qk[..., :half]), dim=-1) * sin
        room[0, :, before : before + n] = qk[:, heads:].transpose(0, 1)
        room[1, :, before : before + n] = qkv[:, heads + kv :].transpose(0, 1)
        x = x + layer.o(self._attend(qk[:, :heads], room[:, :, : before + n], mask), few)
        h = functional.rms_norm(x, x.shape[-1:], layer.norm_after, self._eps)
        gate, up = layer.gate_up(h, few).chunk(2, dim=-1)
        return x + layer.down(functional.silu(gate) * up, few)

    def _attend(self, queries: Any, room: Any, mask: Any) -> Any:
        """What `queries` ``(n, heads, width)`` see of the keys and values `room` ``(2, kv heads, places, width)``; ``(n, heads · width)``."""
        n, heads, width = queries.shape
        keys, values = room[0].unsqueeze(0), room[1].unsqueeze(0)
        if n > _FOLDED:
            seen = functional.scaled_dot_product_attention(
                queries.transpose(0, 1).unsqueeze(0),
                keys,
                values,
                attn_mask=mask,
                is_causal=mask is None,
                enable_gqa=True,
            )
            return seen[0].transpose(0, 1).reshape(n, heads * width)
        # the heads that share keys become rows of one: the kernel is many times faster so, for it is made for many rows
        kv, group = self._kv_heads, heads // self._kv_heads
        rows = queries.view(n, kv, group, width).permute(1, 2, 0, 3).reshape(1, kv, group * n, width)
        seen = functional.scaled_dot_product_attention(rows, keys, values, attn_mask=mask)
        return seen.view(kv, group, n, width).permute(2, 0, 1, 3).reshape(n, heads * width)


def _layer(layer: Any, eight: bool, between: Callable[[], None]) -> _Layer:
    attention, mlp = layer.self_attn, layer.mlp
    return _Layer(
        qkv=joined((attention.q_proj, attention.k_proj, attention.v_proj), eight, between),
        o=product(attention.o_proj, eight, between=between),
        gate_up=joined((mlp.gate_proj, mlp.up_proj), eight, between),
        down=product(mlp.down_proj, eight, between=between),
        norm_in=layer.input_layernorm.weight,
        norm_after=layer.post_attention_layernorm.weight,
    )
