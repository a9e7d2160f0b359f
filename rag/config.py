"""The settings of the line, validated where they are made, and the environment, read in one function."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import date
from pathlib import Path
from typing import Literal, get_args

from rag.errors import SettingError

Strategy = Literal["fixed", "recursive", "structure", "tokens"]
Mode = Literal["fused", "dense", "lexical"]
Fusion = Literal["rrf", "weighted"]
Scope = Literal["newest", "all"]
Nearest = Literal["exact", "approximate"]
Rerank = Literal["none", "overlap", "likelihood", "cross"]

MOST_RULES = 2000
MOST_SYNONYMS = 4000
MOST_SECTION = 100
MOST_CHOSEN = 200
"""Policies that a question may be limited to; each name at most `MOST_RULES` characters."""

DEFAULT_ENCODER = "intfloat/multilingual-e5-small"
DEFAULT_GENERATOR = "Qwen/Qwen2.5-0.5B-Instruct"
DEFAULT_RERANKER = "BAAI/bge-reranker-base"

# What a Chinese message calls the settings, beside the name of the field.
_ZH = {
    "strategy": "切分方式",
    "size": "块大小",
    "overlap": "重叠",
    "mode": "检索方式",
    "fusion": "融合方式",
    "depth": "每路候选数",
    "packed": "放入提示词的证据数",
    "rrf_c": "RRF 常数 c",
    "alpha": "向量检索权重 α",
    "threshold": "最低余弦",
    "scope": "版本范围",
    "documents": "文档范围",
    "section": "章节范围",
    "nearest": "向量检索算法",
    "synonyms": "同义词",
    "rerank": "重排",
    "rerank_top": "重排数量",
    "mmr": "多样性 λ",
    "per_document": "每份文档最多证据数",
    "answer_tokens": "回答长度",
    "temperature": "温度",
    "top_p": "top_p",
    "repetition_penalty": "重复惩罚",
    "context_limit": "上下文上限",
    "rules": "提示词规则",
    "refuse_below": "拒答阈值",
    "RAG_FAST": "快速生成",
}


def _within(name: str, value: float, low: float, high: float) -> None:
    """Raise `SettingError` unless ``low <= value <= high``."""
    if not low <= value <= high:
        raise SettingError(
            en=f"Setting {name}: {value} is outside {low}–{high}. Choose a value in that range.",
            zh=f"设置「{_ZH[name]}」（{name}）：{value} 超出范围 {low}–{high}，请改为范围内的值。",
        )


def _whole(name: str, value: int) -> None:
    """Raise `SettingError` unless `value` is an int."""
    if type(value) is not int:
        raise SettingError(
            en=f"Setting {name}: {value!r} is not a whole number. Enter one.",
            zh=f"设置「{_ZH[name]}」（{name}）：{value!r} 不是整数，请填写整数。",
        )


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise SettingError(
            en=f"Setting {name}: {value!r} is unknown. Choose one of: {', '.join(allowed)}.",
            zh=f"设置「{_ZH[name]}」（{name}）：没有 {value!r} 这个选项，可选：{'、'.join(allowed)}。",
        )


def _at_most(name: str, written: str, most: int) -> None:
    """Raise `SettingError` when `written` has more than `most` characters."""
    if len(written) > most:
        raise SettingError(
            en=f"Setting {name}: {len(written):,} characters; at most {most:,}. Shorten them.",
            zh=f"设置「{_ZH[name]}」（{name}）：共 {len(written):,} 个字符，最多 {most:,} 个，请缩短。",
        )


@dataclass(frozen=True, slots=True)
class SplitSettings:
    """How documents become chunks. Changing any of these means re-indexing.

    `size` and `overlap` are in characters; of the strategy ``tokens``, in tokens of the encoder.
    """

    strategy: Strategy = "recursive"
    size: int = 240
    overlap: int = 40

    def __post_init__(self) -> None:
        _one_of("strategy", self.strategy, get_args(Strategy))
        _whole("size", self.size)
        _whole("overlap", self.overlap)
        _within("size", self.size, 20, 4000)
        _within("overlap", self.overlap, 0, self.size - 1)


@dataclass(frozen=True, slots=True)
class QuerySettings:
    """What is looked for when somebody asks.

    `normalise`: the encoder too reads the question in half-width, simplified characters; `follow_up`: one that follows others with
    the questions before it; `glossary`: with the synonyms of its words that the package knows; `synonyms`: with those of these lines, whether
    `glossary` is on or not; `parts`: a question of two parts as two; `second_round`: once more with a draft of the answer.
    """

    normalise: bool = True
    follow_up: bool = True
    glossary: bool = False
    synonyms: str = ""
    parts: bool = False
    second_round: bool = False

    def __post_init__(self) -> None:
        _at_most("synonyms", self.synonyms, MOST_SYNONYMS)


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How a question becomes ranked lists, and these one list.

    `depth`: candidates per retriever; `packed`: pieces of evidence at most; `rrf_c`: the constant of reciprocal
    rank fusion; `alpha`: weight of the dense half in the weighted sum (0…1); `threshold`: least cosine of a
    candidate that is packed, None = off; `scope`: only the newest version in force on `as_of` (None = today), or all;
    `documents`: only policies of these doc_ids, empty = all; `section`: only sections in whose headings these words stand, empty = all;
    `nearest`: the neighbours of a question's vector, all of them compared, or by an index that may miss some.
    """

    mode: Mode = "fused"
    fusion: Fusion = "rrf"
    depth: int = 30
    packed: int = 5
    rrf_c: int = 10
    alpha: float = 0.5
    threshold: float | None = None
    scope: Scope = "newest"
    as_of: date | None = None
    documents: tuple[str, ...] = ()
    section: str = ""
    nearest: Nearest = "exact"

    def __post_init__(self) -> None:
        _one_of("mode", self.mode, ("fused", "dense", "lexical"))
        _one_of("fusion", self.fusion, ("rrf", "weighted"))
        _one_of("scope", self.scope, ("newest", "all"))
        _one_of("nearest", self.nearest, get_args(Nearest))
        _at_most("section", self.section, MOST_SECTION)
        _at_most("documents", max(self.documents, key=len, default=""), MOST_RULES)
        if len(self.documents) > MOST_CHOSEN:
            raise SettingError(
                en=f"Setting documents: {len(self.documents):,} of them; at most {MOST_CHOSEN}. Choose fewer, or none for all.",
                zh=f"设置「{_ZH['documents']}」（documents）：选了 {len(self.documents):,} 份，最多 {MOST_CHOSEN} 份；请少选，或全部不选（即全部）。",
            )
        for name in ("depth", "packed", "rrf_c"):
            _whole(name, getattr(self, name))
        _within("depth", self.depth, 1, 200)
        _within("packed", self.packed, 1, 50)
        _within("rrf_c", self.rrf_c, 1, 1000)
        _within("alpha", self.alpha, 0, 1)
        if self.threshold is not None:
            _within("threshold", self.threshold, -1, 1)


@dataclass(frozen=True, slots=True)
class SelectSettings:
    """Which candidates become evidence, and in what order.

    `rerank`: how the first `rerank_top` are read once more: not at all, by the words they share with the question, by how likely the generator
    finds the question beside them, or by a cross-encoder. `near_duplicates`: leave out what only repeats a better
    one; `mmr`: λ of maximal marginal relevance (1: relevance alone), None = off; `per_document`: pieces of one policy at most, 0 = any number;
    `neighbours`: what a clause runs on into comes with it.
    """

    rerank: Rerank = "none"
    rerank_top: int = 12
    near_duplicates: bool = True
    mmr: float | None = None
    per_document: int = 0
    neighbours: bool = False

    def __post_init__(self) -> None:
        _one_of("rerank", self.rerank, get_args(Rerank))
        for name in ("rerank_top", "per_document"):
            _whole(name, getattr(self, name))
        _within("rerank_top", self.rerank_top, 2, 100)
        _within("per_document", self.per_document, 0, 50)
        if self.mmr is not None:
            _within("mmr", self.mmr, 0, 1)


@dataclass(frozen=True, slots=True)
class GenerateSettings:
    """How the prompt is worded and becomes an answer. `temperature` 0 is greedy decoding, which ignores `top_p`.

    `rules`: what the system message says instead of the built-in rules; empty: these, in the question's language.
    `withhold`: sentences of the evidence that speak to the machine and not to the staff are left out of the prompt.
    `refuse`: nothing is written, but the not-found sentence, where the evidence answers with a probability under `refuse_below`.
    """

    answer_tokens: int = 160
    temperature: float = 0.0
    top_p: float = 1.0
    repetition_penalty: float = 1.0
    context_limit: int = 2048
    rules: str = ""
    withhold: bool = True
    refuse: bool = True
    refuse_below: float = 0.35

    def __post_init__(self) -> None:
        _whole("context_limit", self.context_limit)
        _whole("answer_tokens", self.answer_tokens)
        _within("context_limit", self.context_limit, 256, 32768)
        _within("answer_tokens", self.answer_tokens, 1, self.context_limit - 64)
        _within("temperature", self.temperature, 0, 2)
        _within("top_p", self.top_p, 0.01, 1)
        _within("repetition_penalty", self.repetition_penalty, 0.5, 2)
        _at_most("rules", self.rules, MOST_RULES)
        _within("refuse_below", self.refuse_below, 0, 1)

    @property
    def budget(self) -> int:
        """Tokens left for the rendered prompt: ``2048 - 160 = 1888`` by default."""
        return self.context_limit - self.answer_tokens


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of the line."""

    split: SplitSettings = field(default_factory=SplitSettings)
    query: QuerySettings = field(default_factory=QuerySettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    select: SelectSettings = field(default_factory=SelectSettings)
    generate: GenerateSettings = field(default_factory=GenerateSettings)

    def lines(self) -> tuple[tuple[str, str], ...]:
        """Name and value of every setting, in a fixed order.

        >>> Settings().lines()[:3]
        (('split.strategy', 'recursive'), ('split.size', '240'), ('split.overlap', '40'))
        """
        return tuple(
            (f"{part}.{f.name}", _written(getattr(getattr(self, part), f.name)))
            for part in ("split", "query", "search", "select", "generate")
            for f in fields(getattr(self, part))
        )

    def hash(self) -> str:
        """Eight hex digits over `lines`; equal settings, equal hash."""
        return hashlib.sha256(repr(self.lines()).encode()).hexdigest()[:8]


def _written(value: object) -> str:
    # a sign that parts two names is marked where it stands in one: different settings are written differently
    return " | ".join(part.replace("|", "\\|") for part in value) if isinstance(value, tuple) else str(value)


@dataclass(frozen=True, slots=True)
class Limits:
    """What one visitor may use.

    Of a file: `file_bytes`; `characters` of text; `parse_seconds` (of computing) and `parse_bytes` (of memory) to read it. What its format may
    hold (pages, cells, what a container unpacks to) is bounded by the loaders. `total_bytes` and `files` are of all files together, `chunks` of the index.
    """

    files: int = 50
    file_bytes: int = 20_000_000
    total_bytes: int = 60_000_000
    characters: int = 10_000_000
    parse_seconds: float = 120.0
    parse_bytes: int = 2_000_000_000
    chunks: int = 10_000
    questions_per_minute: int = 20
    question_characters: int = 1000


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Which models, and where fetched or converted weights are kept. Names are hub ids or local folders."""

    encoder: str = DEFAULT_ENCODER
    generator: str = DEFAULT_GENERATOR
    cache: Path = field(default_factory=lambda: Path.home() / ".cache" / "glassbox-rag")
    query_prefix: str | None = None
    """None: the encoder's own (E5: ``query: ``)."""
    document_prefix: str | None = None
    reranker: str = DEFAULT_RERANKER
    """A cross-encoder; loaded only when somebody chooses it."""
    fast: bool = True
    """Whether the generator writes by `rag.models.decode`; False: by transformers' own ``generate``, which is slower."""


def from_environment(environ: Mapping[str, str] = os.environ) -> ModelSettings:
    """The model settings that ``RAG_ENCODER``, ``RAG_GENERATOR``, ``RAG_RERANKER``, ``RAG_CACHE``, ``RAG_QUERY_PREFIX``,
    ``RAG_DOCUMENT_PREFIX`` and ``RAG_FAST`` (0 or 1) ask for; what is unset keeps its default.

    >>> from_environment({"RAG_ENCODER": "BAAI/bge-small-zh-v1.5"}).encoder
    'BAAI/bge-small-zh-v1.5'
    """
    plain = ModelSettings()
    _one_of("RAG_FAST", environ.get("RAG_FAST") or "1", ("0", "1"))
    return ModelSettings(
        encoder=environ.get("RAG_ENCODER") or plain.encoder,
        generator=environ.get("RAG_GENERATOR") or plain.generator,
        reranker=environ.get("RAG_RERANKER") or plain.reranker,
        cache=Path(environ["RAG_CACHE"]).expanduser() if environ.get("RAG_CACHE") else plain.cache,
        query_prefix=environ.get("RAG_QUERY_PREFIX"),
        document_prefix=environ.get("RAG_DOCUMENT_PREFIX"),
        fast=environ.get("RAG_FAST") != "0",
    )
