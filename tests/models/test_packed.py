"""Products with packed weights beside the plain product with the same weights, unpacked here."""

import random
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save_file

from rag.models import heap
from rag.models import packed as packed_module
from rag.models.packed import Eight, Head, Product, joined, product

# Rounding of a product's result: half a step of bf16 (8 bits), and of the sums behind it.
DTYPES = [(torch.float32, 1e-5), (torch.bfloat16, 2e-2)]


def drawn(rng: random.Random, out: int, into: int, dtype: torch.dtype) -> torch.Tensor:
    """Weights as models have them, with an outlier, a row of zeros and one value many times."""
    torch.manual_seed(rng.randrange(2**31))
    weight = torch.randn(out, into) * rng.choice([1e-3, 0.05, 3.0])
    weight[rng.randrange(out), rng.randrange(into)] *= 40
    weight[rng.randrange(out)] = 0
    weight[rng.randrange(out), :32] = 0.02
    return weight.to(dtype)


@pytest.mark.parametrize(("dtype", "near"), DTYPES)
@pytest.mark.parametrize("rows", [1, 2, 4, 7, 33])
def test_eight_bits(seeds: Callable[[int], range], dtype: torch.dtype, near: float, rows: int) -> None:
    for seed in seeds(10):
        rng = random.Random(seed)
        weight = drawn(rng, rng.choice([16, 40, 129]), 32 * rng.randint(1, 9), dtype)
        eight = Eight(weight)
        # no weight is further away than half a step of its row; the step itself is rounded to dtype
        step = weight.float().abs().amax(dim=1, keepdim=True) / 127
        slack = 0.5 + (127 / 256 if dtype == torch.bfloat16 else 1e-3)
        assert bool(((eight.weight() - weight.float()).abs() <= slack * step + 1e-9).all())
        x = torch.randn(rows, weight.shape[1]).to(dtype)
        close(eight(x), x, eight.weight(), near)


def test_packed_in_blocks_it_is_the_same_and_others_get_their_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    weight, x, turns = torch.randn(272, 64), torch.randn(3, 64), list[int]()
    whole = Eight(weight)(x)
    monkeypatch.setattr(packed_module, "BLOCK", 64)
    assert torch.equal(Eight(weight, between=lambda: turns.append(1))(x), whole)
    assert len(turns) == 5


def close(found: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, near: float) -> None:
    """Within `near` of the size of what is summed up, for every row and column."""
    expected = x.float() @ weight.T
    size = x.float().abs() @ weight.abs().T
    assert found.shape == expected.shape
    assert bool(((found.float() - expected).abs() <= near * size + 1e-6).all())


@pytest.mark.parametrize("bias", [True, False])
def test_few_rows_by_the_packed_weight_and_many_by_the_weight(bias: bool) -> None:
    linear = torch.nn.Linear(64, 32, bias=bias)
    x = torch.randn(3, 64)
    for eight in (False, True):
        both = product(linear, eight)
        assert torch.equal(both(x, False), linear(x))
        expected = linear(x)
        if eight:
            expected = Eight(linear.weight.detach())(x) + (linear.bias if bias else 0)
            assert not torch.equal(expected, linear(x))
        assert torch.allclose(both(x, True), expected, atol=1e-6)


def test_several_joined_give_what_they_give_apart_and_hold_nothing_twice() -> None:
    linears = [torch.nn.Linear(64, n, bias=n != 16) for n in (32, 16, 48)]
    x = torch.randn(5, 64)
    before = torch.cat([linear(x) for linear in linears], dim=1)
    both = joined(linears, False)
    assert torch.allclose(both(x, False), before, atol=1e-6)
    assert torch.allclose(torch.cat([linear(x) for linear in linears], dim=1), before, atol=1e-6)
    assert len({linear.weight.untyped_storage().data_ptr() for linear in linears}) == 1
    assert torch.allclose(joined([torch.nn.Linear(64, 16, bias=False)], True)(x, True), torch.zeros(5, 16), atol=5)


def test_a_head_that_let_its_weight_go_gives_the_packed_products_in_the_shape_of_a_layer() -> None:
    linear = torch.nn.Linear(64, 272, bias=False)
    head = Head(product(linear, True, alone=True))
    x = torch.randn(2, 5, 64)
    eight = Eight(linear.weight.detach())
    assert torch.allclose(head(x), x @ eight.weight().T, atol=1e-4)
    assert head._head._weight is None
    assert torch.equal(head._head(x[0], False), head(x)[0])


@pytest.mark.skipif(sys.platform != "linux", reason="the advice is Linux's")
def test_what_was_copied_of_a_mapped_file_is_no_longer_held(tmp_path: Path) -> None:
    torch.manual_seed(0)
    weights = {name: torch.randn(2048, 4096) for name in "ab"}  # 32 MB each
    save_file(weights, tmp_path / "w.safetensors")
    with safe_open(tmp_path / "w.safetensors", "pt") as file:
        linears = [torch.nn.Linear(4096, 2048, bias=False, device="meta") for _ in "ab"]
        for linear, name in zip(linears, "ab", strict=True):
            linear.weight = torch.nn.Parameter(file.get_tensor(name), requires_grad=False)
        mapped = [linear.weight.data for linear in linears]
    before = mapped_mb()
    together = joined(linears, True)
    assert mapped_mb() < before + 16
    assert [torch.equal(m, weights[name]) for m, name in zip(mapped, "ab", strict=True)] == [True, True]
    assert mapped_mb() > before + 48  # read again it is there again
    assert torch.equal(linears[1].weight, weights["b"])
    held = mapped_mb()
    Product(mapped[0], None, True, alone=True)
    assert mapped_mb() < held - 24
    alone = product(linears[1], True, alone=True)
    assert torch.equal(linears[1].weight, weights["b"])  # memory that is no file's keeps what it holds
    x = torch.randn(2, 4096)
    assert torch.equal(alone(x, False), together(x, True)[:, 2048:])


@pytest.mark.skipif(sys.platform != "linux", reason="the advice is Linux's")
def test_memory_that_is_no_files_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Asked:
        def madvise(self, *asked: object) -> None:
            advised.append(asked)

    advised: list[object] = []
    monkeypatch.setattr(heap.ctypes, "CDLL", lambda _: Asked())
    converted = torch.randn(2048, 1024)
    heap.hand_back(converted)
    assert advised == []
    save_file({"a": converted}, tmp_path / "w.safetensors")
    with safe_open(tmp_path / "w.safetensors", "pt") as file:
        heap.hand_back(file.get_tensor("a"))
    assert len(advised) == 1


def mapped_mb() -> float:
    """What of files is in this process's memory."""
    return int(Path("/proc/self/status").read_text().split("RssFile:")[1].split()[0]) / 1024
