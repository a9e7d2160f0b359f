"""Document → chunks. Offsets first: a splitter finds spans, and a chunk's text is a slice of its document's text."""

from __future__ import annotations

from rag.config import SplitSettings
from rag.corpus import strategies
from rag.corpus.fitting import Tokenizer, chunks_of
from rag.corpus.outline import Outline, Span
from rag.errors import SettingError
from rag.types import Chunk, Document


def split(document: Document, settings: SplitSettings, tokenizer: Tokenizer | None) -> tuple[Chunk, ...]:
    """The chunks of `document`, in text order; blank stretches give none.

    `tokenizer` is the encoder: with it every passage has at most as many tokens as the encoder reads, whatever the
    settings say (see `rag.corpus.fitting.chunks_of`). Raises `SettingError` when the strategy needs one and there is none.
    """
    outline = Outline.of(document)
    return tuple(chunks_of(document, _spans(outline, settings, tokenizer), outline, tokenizer))


def _spans(outline: Outline, settings: SplitSettings, tokenizer: Tokenizer | None) -> list[Span]:
    if settings.strategy == "fixed":
        return strategies.fixed(outline, settings.size, settings.overlap)
    if settings.strategy == "recursive":
        return strategies.recursive(outline, settings.size, settings.overlap)
    if settings.strategy == "structure":
        return strategies.structure(outline, settings.size, settings.overlap)
    if tokenizer is None:
        raise SettingError(
            en="Split strategy tokens counts with the encoder's tokenizer, and there is no encoder (yet). "
            "Choose another strategy, or try again once the encoder is loaded.",
            zh="切分方式 tokens（按编码器 token）要用编码器的分词器计数，而现在（还）没有编码器。请改用其他切分方式，或等编码器载入后再试。",
        )
    return strategies.tokens(outline, settings.size, settings.overlap, tokenizer.token_starts(outline.text))
