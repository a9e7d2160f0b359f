"""Worked examples small enough to check by hand; NumPy only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag.ask.prompt import build_prompt
from rag.config import GenerateSettings, Settings
from rag.corpus.ranking import top_k
from rag.types import Candidate, ChatMessage, Chunk, Document, Status

QUESTION = "入职满一年，每年有多少天带薪年假？"

# Two-dimensional vectors chosen by hand; they are nobody's embeddings.
QUERY_VECTOR = (3.0, 4.0)
DOCUMENT_VECTORS = ((4.0, 3.0), (0.0, 5.0), (5.0, 0.0), (-3.0, -4.0))

POLICIES = (
    ("leave-days", "员工年假制度", "员工入职满一年后，每年可享受15天带薪年假。"),
    ("leave-process", "年假申请流程", "应提前3个工作日提交申请，由直属主管审批。"),
    ("equipment", "设备报销制度", "办公设备报销额度为每人每年3000元。"),
    ("account-reset", "账号服务说明", "忘记密码后联系IT服务台，验证身份再申请重置。"),
)


@dataclass(frozen=True, slots=True, eq=False)
class Toy:
    """The cosine example: unit `query` ``(2,)``, `scores` ``(4,)``, the ids of the two best, and their messages."""

    query: NDArray[np.float64]
    scores: NDArray[np.float64]
    best: tuple[str, ...]
    messages: tuple[ChatMessage, ...]


def normalise(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows of length 1, so that a dot product is a cosine. `vectors`: ``(n, d)``, no zero rows.

    >>> normalise(np.array([[3.0, 4.0]])).tolist()
    [[0.6, 0.8]]
    """
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def masked_mean(states: NDArray[np.float64], mask: NDArray[np.int64]) -> NDArray[np.float64]:
    """Mean pooling: ``(length, d)`` token states → ``(d,)``, over the tokens whose mask is 1.

    >>> masked_mean(np.array([[1.0, 0], [0, 2], [2, 1], [9, 9]]), np.array([1, 1, 1, 0])).tolist()
    [1.0, 1.0]
    """
    return (states * mask[:, None]).sum(axis=0) / mask.sum()


def softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logits ``(n,)`` → probabilities that sum to 1.

    >>> softmax(np.array([2.0, 1.0, 0.0])).round(4).tolist()
    [0.6652, 0.2447, 0.09]
    """
    shifted = np.exp(logits - logits.max())  # the largest exponent is 0: no overflow
    return shifted / shifted.sum()


def toy() -> Toy:
    """Cosine of the question with four policies, the two best, and the messages the line builds from those two."""
    query = normalise(np.array([QUERY_VECTOR]))[0]
    scores = normalise(np.array(DOCUMENT_VECTORS)) @ query
    hits = top_k(scores.astype(np.float32), 2)
    documents = {
        doc_id: Document(doc_id, "2026-10", doc_id, "sample", title, f"demo://{doc_id}", text)
        for doc_id, title, text in POLICIES
    }
    found = []
    for rank, hit in enumerate(hits, 1):
        document = documents[POLICIES[hit.position][0]]
        n = len(document.text)
        chunk = Chunk(f"{document.key}:0-{n}", document.key, 0, n, document.text, document.title, 0, None, ())
        found.append(Candidate(chunk, {"dense": hit.score}, {"dense": rank}, rank, Status("not_packed")))
    alone = Settings(generate=GenerateSettings(refuse=False))  # there is no encoder here that a gate could read with
    prompt = build_prompt(QUESTION, found, documents, alone, None)
    return Toy(query, scores, tuple(c.chunk.key for c in found), prompt.messages)
