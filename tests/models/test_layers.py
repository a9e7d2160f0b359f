"""The encoder's own layers against those of transformers: the library is the oracle."""

import random

import pytest
import torch
from transformers import (
    BertConfig,
    BertModel,
    DistilBertConfig,
    DistilBertModel,
    RobertaConfig,
    RobertaModel,
    XLMRobertaConfig,
    XLMRobertaModel,
)

from rag.models.layers import Layers, lay_end_to_end

SIZES = {
    "vocab_size": 60,
    "hidden_size": 24,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 40,
    "max_position_embeddings": 40,
    "pad_token_id": 1,
}
KINDS = [(BertConfig, BertModel), (RobertaConfig, RobertaModel), (XLMRobertaConfig, XLMRobertaModel)]


def pair(config, model, dtype, **options):
    """The library's model with random weights, and one with the same weights and own layers."""
    torch.manual_seed(0)
    theirs = model(config(**SIZES, **options)).eval()
    ours = model(config(**SIZES, **options)).eval()
    with torch.no_grad():
        for parameter in theirs.parameters():  # norms and biases too: fresh ones are all 1 and 0
            parameter.normal_(0, 0.3)
    ours.load_state_dict(theirs.state_dict())
    assert lay_end_to_end(ours, dtype) and isinstance(ours.encoder, Layers)
    return theirs, ours


def batch(seed: int):
    draw = random.Random(seed)
    lengths = [draw.randint(1, 30) for _ in range(draw.randint(1, 6))]
    ids, mask = torch.ones((len(lengths), max(lengths)), dtype=torch.long), torch.zeros(len(lengths), max(lengths))
    for row, n in enumerate(lengths):
        ids[row, :n] = torch.tensor([draw.randrange(2, 60) for _ in range(n)])
        mask[row, :n] = 1
    return ids, mask.long(), lengths


@pytest.mark.parametrize(("config", "model"), KINDS)
@pytest.mark.parametrize("activation", ["gelu", "relu"])
def test_states_are_the_librarys(seeds, config, model, activation) -> None:
    theirs, ours = pair(config, model, torch.float32, hidden_act=activation)
    for seed in seeds(50):
        ids, mask, lengths = batch(seed)
        with torch.inference_mode():
            want = theirs(input_ids=ids, attention_mask=mask).last_hidden_state
            got = ours(input_ids=ids, attention_mask=mask).last_hidden_state
        for row, n in enumerate(lengths):
            assert torch.allclose(got[row, :n], want[row, :n], atol=2e-5)
            assert not got[row, n:].any()


@pytest.mark.parametrize("way", ["eager", "sdpa"])
def test_whatever_mask_the_model_makes(way) -> None:
    theirs, ours = pair(BertConfig, BertModel, torch.float32, attn_implementation=way)
    ids, mask, lengths = batch(3)
    assert len(set(lengths)) > 1
    with torch.inference_mode():
        want = theirs(input_ids=ids, attention_mask=mask).last_hidden_state
        got = ours(input_ids=ids, attention_mask=mask).last_hidden_state
    assert torch.allclose(got[mask.bool()], want[mask.bool()], atol=2e-5)


def test_in_bfloat16_states_point_the_same_way(seeds) -> None:
    theirs, ours = pair(BertConfig, BertModel, torch.bfloat16)
    for seed in seeds(20):
        ids, mask, _ = batch(seed)
        with torch.inference_mode():
            want = theirs(input_ids=ids, attention_mask=mask).last_hidden_state[mask.bool()]
            got = ours(input_ids=ids, attention_mask=mask).last_hidden_state[mask.bool()]
        assert got.dtype == torch.float32
        assert torch.nn.functional.cosine_similarity(got, want).min() > 0.995
        assert not torch.equal(got, want)


def test_a_text_alone_and_among_others_gives_the_same(seeds) -> None:
    _, ours = pair(BertConfig, BertModel, torch.float32)
    for seed in seeds(20):
        ids, mask, lengths = batch(seed)
        with torch.inference_mode():
            together = ours(input_ids=ids, attention_mask=mask).last_hidden_state
            alone = ours(input_ids=ids[:1, : lengths[0]]).last_hidden_state
        assert torch.allclose(together[0, : lengths[0]], alone[0], atol=2e-5)


class Adapted(torch.nn.Linear):
    """As an adapter or a quantised product would stand there."""


def test_what_is_not_known_is_left_as_it_is() -> None:
    other = DistilBertModel(DistilBertConfig(vocab_size=60, dim=24, n_layers=1, n_heads=4, hidden_dim=40))
    decoder = BertModel(BertConfig(**SIZES, is_decoder=True))
    every = BertModel(BertConfig(**SIZES, output_hidden_states=True))
    adapted = [BertModel(BertConfig(**SIZES)) for _ in range(7)]
    for n, model in enumerate(adapted):
        layer = model.encoder.layer[n % 3]
        places = [(layer.attention.self, name) for name in ("query", "key", "value")]
        places += [(part, "dense") for part in (layer.attention.output, layer.intermediate, layer.output)]
        part, name = places[n % 6]
        there = getattr(part, name)
        if n == 6:
            there.bias = None
        else:
            setattr(part, name, Adapted(there.in_features, there.out_features))
    for model in (other, decoder, every, *adapted, torch.nn.Linear(2, 2), None):
        before = getattr(model, "encoder", None)
        assert lay_end_to_end(model, torch.float32) is False
        assert getattr(model, "encoder", None) is before
