"""Products with weights, once as they are and once in 8 bits: reading a weight is what a token costs.

One row through a matrix takes as long as it takes to read the matrix from memory. So few rows (a token, a draft) are
multiplied with a copy in 8 bits, many (a prompt) with the weights themselves, where arithmetic is what takes time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import torch
from torch.nn import functional

from rag.models.heap import hand_back

BLOCK: Final = 8192
"""Rows of a weight that are packed at once: what that takes in float32 is there for so many only, and others get their turn before them."""


def _nothing() -> None:
    pass


class Eight:
    """A weight ``(out, in)`` in 8 bits: each row w becomes round(w / s), with s = max|w| / 127 of the row.

    >>> eight = Eight(torch.tensor([[1.27, -0.5]]))
    >>> eight.codes.tolist()
    [[127, -50]]
    """

    def __init__(self, weight: Any, spent: bool = False, between: Callable[[], None] = _nothing) -> None:
        """`spent`: nobody reads `weight` itself any more. `between` is called before every `BLOCK` of rows."""
        # filled block by block: two copies of a vocabulary's weight at once are what a small machine lacks
        self.codes = torch.empty(weight.shape, dtype=torch.int8)
        self.scale = torch.empty(len(weight), dtype=weight.dtype)
        for at, rows in _blocks(weight, spent, between):
            self.codes[at], self.scale[at] = self._block(rows)

    @staticmethod
    def _block(rows: Any) -> tuple[Any, Any]:
        scale = (rows.float().abs().amax(dim=1) / 127).clamp(min=1e-12).to(rows.dtype)
        return (rows.float() / scale.float()[:, None]).round_().clamp_(-127, 127).to(torch.int8), scale

    def __call__(self, x: Any) -> Any:
        """``x @ weight.T``; x ``(rows, in)``."""
        return torch._weight_int8pack_mm(x, self.codes, self.scale)

    def weight(self) -> Any:
        """The weight that is multiplied with, ``(out, in) float32``."""
        return self.codes.float() * self.scale.float()[:, None]


def _blocks(weight: Any, spent: bool, between: Callable[[], None]) -> Iterator[tuple[slice, Any]]:
    """Each `BLOCK` of rows and where it stands; of a `spent` weight it is handed back behind that."""
    for begin in range(0, len(weight), BLOCK):
        between()
        at = slice(begin, begin + BLOCK)
        yield at, weight[at]
        if spent:
            hand_back(weight[at])


class Product:
    """``x @ weight.T + bias``, for few rows with the packed weight when there is one."""

    def __init__(
        self, weight: Any, bias: Any, eight: bool, alone: bool = False, between: Callable[[], None] = _nothing
    ) -> None:
        """`eight`: with a packed weight; `alone`: only that is kept, if there is one, and serves any number of rows."""
        self._packed = Eight(weight, alone, between) if eight else None
        self._weight = None if alone and self._packed is not None else weight
        self._bias = bias

    def __call__(self, x: Any, few: bool) -> Any:
        """x ``(rows, in)`` → ``(rows, out)``."""
        if self._packed is None or not (few or self._weight is None):
            return functional.linear(x, self._weight, self._bias)
        y = self._packed(x)
        return y if self._bias is None else y + self._bias


class Head(torch.nn.Module):  # type: ignore[misc]  # torch is untyped here
    """Stands in a model where its output head stood: logits by a product that keeps the packed weight alone."""

    def __init__(self, head: Product) -> None:
        super().__init__()
        self._head = head

    def forward(self, x: Any) -> Any:
        """x ``(..., in)`` → ``(..., vocabulary)``; meant for a few rows, such as the last of a prompt."""
        return self._head(x.reshape(-1, x.shape[-1]), True).view(*x.shape[:-1], -1)


def product(linear: Any, eight: bool, alone: bool = False, between: Callable[[], None] = _nothing) -> Product:
    """The product of one ``nn.Linear``."""
    return Product(linear.weight.detach(), _bias(linear), eight, alone, between)


def joined(linears: Sequence[Any], eight: bool, between: Callable[[], None] = _nothing) -> Product:
    """The products of several ``nn.Linear`` over the same x as one; their weights become slices of the joint one, so that nothing is held twice."""
    apart = [linear.weight.detach() for linear in linears]
    weight = torch.cat(apart)
    for linear, rows in zip(linears, weight.split([len(rows) for rows in apart]), strict=True):
        linear.weight.data = rows
    for rows in apart:
        hand_back(rows)
    biases = [_bias(linear) for linear in linears]
    if all(bias is None for bias in biases):
        return Product(weight, None, eight, between=between)
    zeros = [torch.zeros(len(linear.weight), dtype=weight.dtype, device=weight.device) for linear in linears]
    whole = torch.cat([zero if bias is None else bias for bias, zero in zip(biases, zeros, strict=True)])
    return Product(weight, whole, eight, between=between)


def _bias(linear: Any) -> Any:
    return None if linear.bias is None else linear.bias.detach()
