import random
import threading
from pathlib import Path

import pytest
import torch
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    BertConfig,
    BertForSequenceClassification,
    BertTokenizerFast,
)

from rag.config import ModelSettings
from rag.errors import ModelUnavailable, Stopped
from rag.models.reranker import Reranker
from rag.models.roles import Models
from rag.models.turns import Turns
from rag.models.weights import resolve
from tests import hostile

LETTERS = "员工入职满一年后每可享受15天带薪假差旅住宿办公设备报销多少？，。"
LIMIT = 32


def tiny(folder: Path, outputs: int = 1) -> Path:
    """A cross-encoder of random weights, as its library saves one."""
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *sorted(set(LETTERS))]
    BertTokenizerFast(vocab={w: i for i, w in enumerate(words)}, model_max_length=LIMIT).save_pretrained(folder)
    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
        num_labels=outputs,
        initializer_range=0.5,
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    return folder


def reranker(folder: Path, cache: Path) -> Reranker:
    return Reranker(resolve("reranker", str(folder), cache, lambda _: None, fetch=False), Turns())


def by_themselves(folder: Path, question: str, passages: list[str]) -> list[float]:
    """The same model, asked without the library's cross-encoder and without batches."""
    model = AutoModelForSequenceClassification.from_pretrained(str(folder)).eval()
    tokenizer = AutoTokenizer.from_pretrained(str(folder))
    with torch.inference_mode():
        read = [tokenizer(question, p, truncation=True, max_length=LIMIT, return_tensors="pt") for p in passages]
        return [float(model(**inputs).logits[0, 0]) for inputs in read]


def test_every_passage_gets_the_models_own_number_in_whatever_batch_it_is_read(tmp_path: Path) -> None:
    folder = tiny(tmp_path / "tiny")
    model = reranker(folder, tmp_path)
    rng = random.Random(3)
    passages = ["".join(rng.choices(LETTERS, k=rng.randint(0, 60))) for _ in range(40)] + [hostile.text(rng, 3)]
    scores, cut = model.scores("年假多少天？", passages, threading.Event())
    assert scores == pytest.approx(by_themselves(folder, "年假多少天？", passages), abs=1e-4)
    assert len({round(s, 4) for s in scores}) > 20
    assert 0 < cut < len(passages) and model.max_tokens == LIMIT


def test_it_stops_between_two_pieces(tmp_path: Path) -> None:
    stop = threading.Event()
    stop.set()
    with pytest.raises(Stopped):
        reranker(tiny(tmp_path / "tiny"), tmp_path).scores("年假", ["年假"], stop)


def test_a_classifier_is_no_reranker(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="3 numbers") as caught:
        reranker(tiny(tmp_path / "tiny", outputs=3), tmp_path)
    assert "3 个数" in caught.value.message("zh")


def test_the_first_who_chooses_it_loads_it_and_nobody_before(tmp_path: Path) -> None:
    models = Models(ModelSettings(reranker=str(tiny(tmp_path / "tiny")), cache=tmp_path))
    assert [s.role for s in models.status()] == ["encoder", "generator"]
    first = models.reranker()
    assert models.reranker() is first
    assert [(s.role, s.state) for s in models.status()][2:] == [("reranker", "ready")]
    assert "重排模型" in models.status()[2].note.zh


def test_one_that_cannot_be_had_says_why_each_time(tmp_path: Path) -> None:
    models = Models(ModelSettings(reranker=str(tmp_path / "none"), cache=tmp_path))
    for _ in range(2):
        with pytest.raises(ModelUnavailable, match="no such folder"):
            models.reranker()
    assert [(s.role, s.state) for s in models.status()][2:] == [("reranker", "failed")]
