"""Cross-encoder: a question and a passage, read together → one score."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import torch
from sentence_transformers import CrossEncoder

from rag.errors import ModelUnavailable, Stopped
from rag.models.pieces import pieces
from rag.models.turns import Turns
from rag.models.weights import Weights


class Reranker:
    """A sentence-transformers cross-encoder with one output. `max_tokens`: the model's limit for question and passage together."""

    def __init__(self, weights: Weights, turns: Turns) -> None:
        # on the CPU in float32, as the encoder; code that lies in the folder is not run
        self._model = CrossEncoder(
            str(weights.folder), device="cpu", local_files_only=True, model_kwargs={"dtype": torch.float32}
        )
        self._turns = turns
        self.name = weights.name
        self.max_tokens = int(self._model.max_seq_length or 512)
        outputs = int(self._model.config.num_labels)
        if outputs != 1:
            raise ModelUnavailable(
                en=f"Reranker {weights.name}: gives {outputs} numbers for a passage, not one score. Choose a model made for reranking.",
                zh=f"重排模型 {weights.name}：对每个段落给出 {outputs} 个数，而不是一个得分。请换用重排模型。",
            )

    def scores(self, question: str, passages: Sequence[str], stop: threading.Event) -> tuple[list[float], int]:
        """The model's raw number for each passage (greater fits better; no probability), and how many were too long.

        There is at least one passage; one over the limit is read up to it. Raises `Stopped` between two pieces once `stop` is set.
        """
        with self._turns.turn():
            ids = self._model.tokenizer(
                [question] * len(passages), list(passages), truncation=False, padding=False, verbose=False
            )["input_ids"]
        counts = [len(row) for row in ids]
        found = [0.0] * len(passages)
        for piece in pieces([min(count, self.max_tokens) for count in counts]):
            if stop.is_set():
                raise Stopped(en="The search was stopped.", zh="检索已停止。")
            with self._turns.turn():
                scores = self._model.predict(
                    [(question, passages[i]) for i in piece],
                    batch_size=len(piece),
                    show_progress_bar=False,
                    activation_fn=torch.nn.Identity(),
                )
            for i, score in zip(piece, scores.tolist(), strict=True):
                found[i] = float(score)
        return found, sum(count > self.max_tokens for count in counts)
