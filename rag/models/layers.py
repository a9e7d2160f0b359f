"""The layers of a BERT-like encoder over sequences laid end to end: padding is not computed, products are in the CPU's best dtype."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional
from transformers.modeling_outputs import BaseModelOutputWithPastAndCrossAttentions as Output
from transformers.models.bert.modeling_bert import BertLayer
from transformers.models.roberta.modeling_roberta import RobertaLayer
from transformers.models.xlm_roberta.modeling_xlm_roberta import XLMRobertaLayer

from rag.models.heap import hand_back

_KNOWN = (BertLayer, RobertaLayer, XLMRobertaLayer)


def product_dtype() -> torch.dtype:
    """What this CPU multiplies matrices in fastest: bfloat16 where it has instructions for it, else float32."""
    if torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported():
        return torch.bfloat16
    return torch.float32


def lay_end_to_end(transformer: Any, dtype: torch.dtype) -> bool:
    """Let `transformer` (a model of transformers, its weights float32) compute its layers by `Layers`; False, and nothing changed, where that is not known.

    Embeddings, and what comes behind the layers, stay as they are. Not known are layers with other than plain products (adapters,
    quantised ones), and models of which every layer's states are wanted.
    """
    stack = getattr(transformer, "encoder", None)
    layers = list(getattr(stack, "layer", ()))
    if (
        not layers
        or getattr(transformer.config, "is_decoder", False)
        or getattr(transformer.config, "output_hidden_states", False)
        or any(type(layer) not in _KNOWN for layer in layers)
        or any(not _plain(linear) for layer in layers for linear in _products(layer))
    ):
        return False
    transformer.encoder = Layers(layers, transformer.config.num_attention_heads, dtype)
    return True


class Layers(torch.nn.Module):  # type: ignore[misc]  # torch is untyped here
    """Stands where the model's stack of layers stood: products and what goes between layers in `dtype`, softmax in float32."""

    def __init__(self, layers: list[Any], heads: int, dtype: torch.dtype) -> None:
        super().__init__()
        self._dtype = dtype
        self._layers = [_Layer(layer, heads, dtype) for layer in layers]

    def forward(self, states: Any, attention_mask: Any = None, **_: Any) -> Output:
        """`states` ``(n, length, d) float32`` → the last layer's, alike; 0 where there is padding.

        `attention_mask`: as the model makes it for its layers, ``(n, 1, length, length)``, True or 0.0 where a token
        is read; the same for every token of a sequence. None: there is no padding.
        """
        n, length, _d = states.shape
        if attention_mask is None:
            read = torch.ones((n, length), dtype=torch.bool, device=states.device)
        else:
            read = attention_mask[:, 0, 0, :]
            read = read if read.dtype == torch.bool else read == 0
        x, lengths = states[read].to(self._dtype), read.sum(dim=1).tolist()
        for layer in self._layers:
            x = layer(x, lengths)
        out = torch.zeros_like(states)
        out[read] = x.to(states.dtype)
        return Output(last_hidden_state=out)


class _Layer:
    """One layer; x is ``(tokens, d)``, the sequences one behind the other."""

    def __init__(self, layer: Any, heads: int, dtype: torch.dtype) -> None:
        attention = layer.attention
        self._heads = heads
        *qkv, attended, up, down = _products(layer)
        self._qkv, self._attended = _joined(qkv, dtype), _joined([attended], dtype)
        self._up, self._activation = _joined([up], dtype), layer.intermediate.intermediate_act_fn
        self._down = _joined([down], dtype)
        self._norms = attention.output.LayerNorm.to(dtype), layer.output.LayerNorm.to(dtype)

    def __call__(self, x: Any, lengths: list[int]) -> Any:
        x = self._norms[0](x + functional.linear(self._attend(x, lengths), *self._attended))
        wide = self._activation(functional.linear(x, *self._up))
        return self._norms[1](x + functional.linear(wide, *self._down))

    def _attend(self, x: Any, lengths: list[int]) -> Any:
        """softmax(q kᵀ / √width) v of each sequence by itself, in three steps: the library's one step takes half as long again on a CPU."""
        tokens, d = x.shape
        width = d // self._heads
        # (3, heads, tokens, width)
        qkv = functional.linear(x, *self._qkv).view(tokens, 3, self._heads, width).permute(1, 2, 0, 3)
        parts = []
        for q, k, v in zip(*(part.split(lengths, dim=1) for part in qkv), strict=True):
            scores = torch.bmm(q, k.transpose(1, 2)).float().mul_(width**-0.5)
            parts.append(torch.bmm(torch.softmax(scores, dim=-1).to(x.dtype), v).transpose(0, 1))
        return torch.cat(parts).reshape(tokens, d)


def _products(layer: Any) -> tuple[Any, ...]:
    """What one layer multiplies with, in the order it does: query, key, value, attended, up, down."""
    own, attention = layer.attention.self, layer.attention
    return own.query, own.key, own.value, attention.output.dense, layer.intermediate.dense, layer.output.dense


def _plain(linear: Any) -> bool:
    """Whether its weight and bias say all that it does."""
    return type(linear) is torch.nn.Linear and linear.bias is not None


def _joined(linears: list[Any], dtype: torch.dtype) -> tuple[Any, Any]:
    """Weight and bias of several ``nn.Linear`` over the same x as one product's."""
    weight = torch.cat([linear.weight.detach() for linear in linears]).to(dtype)
    for linear in linears:
        hand_back(linear.weight)
    return weight, torch.cat([linear.bias.detach() for linear in linears]).to(dtype)
