"""What one visitor may use, counted: bytes, documents, and questions per minute."""

from __future__ import annotations

import math
import threading
import time
from collections import deque

from rag.config import Limits, SplitSettings
from rag.corpus.clean import clean_text
from rag.errors import LimitReached, SettingError

_CHARACTERS_A_TOKEN = 2  # Chinese has fewer, English more


class Allowance:
    """Checks one visitor's use against `limits`; each check raises `LimitReached` that names the limit."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._lock = threading.Lock()
        self._asked: deque[float] = deque()  # monotonic seconds of the questions of the last minute

    def check_bytes(self, name: str, size: int, total: int) -> None:
        """May a file of `size` bytes be added to `total`?"""
        if size > self._limits.file_bytes:
            raise LimitReached(
                en=f"{name}: a file may have {_size(self._limits.file_bytes)[0]}, and this one has more. Split it.",
                zh=f"{name}：单个文件最多 {_size(self._limits.file_bytes)[1]}，这个文件更大，请拆分。",
            )
        if total + size > self._limits.total_bytes:
            raise LimitReached(
                en=f"{name}: your files together may have {_size(self._limits.total_bytes)[0]}. Remove some first.",
                zh=f"{name}：全部文件合计最多 {_size(self._limits.total_bytes)[1]}，请先移除一些。",
            )

    def check_documents(self, name: str, n: int) -> None:
        """May there be `n` documents?"""
        if n > self._limits.files:
            raise LimitReached(
                en=f"{name}: you may have {self._limits.files} documents at a time. Remove some first.",
                zh=f"{name}：最多同时保留 {self._limits.files} 份文档，请先移除一些。",
            )

    def check_chunks(self, characters: int, split: SplitSettings, sections: int = 0) -> None:
        """May so many characters, in so many sections, be cut that way? Estimated before a single chunk is made."""
        n = about(characters, split, sections)
        if n > self._limits.chunks:
            raise self._too_many(split, f"would be about {n:,}", f"切分约得 {n:,} 块")

    def check_cut(self, n: int, split: SplitSettings) -> None:
        """May there be `n` chunks, cut that way? The estimate knows of no clauses, rows and short lines."""
        if n > self._limits.chunks:
            raise self._too_many(split, f"are at least {n:,}", f"切分至少得 {n:,} 块")

    def _too_many(self, split: SplitSettings, en: str, zh: str) -> LimitReached:
        units = ("tokens", "token") if split.strategy == "tokens" else ("characters", "字符")
        return LimitReached(
            en=f"Chunks of {split.size} {units[0]} with {split.overlap} overlap {en}; "
            f"at most {self._limits.chunks:,}. Choose a larger size or a smaller overlap, or remove documents.",
            zh=f"按 {split.size} {units[1]}、重叠 {split.overlap} {zh}，最多 {self._limits.chunks:,} 块。"
            "请增大块大小、减小重叠，或移除部分文档。",
        )

    def checked_question(self, question: str) -> str:
        """The question without surrounding blanks and, as documents are, without what nobody can read; `SettingError` when nothing is left."""
        # what was copied from a page may hold marks without width, which would part words that are one in every document
        question = clean_text(question).strip()
        if not question:
            raise SettingError(en="Please enter a question.", zh="请输入问题。")
        if len(question) > self._limits.question_characters:
            raise LimitReached(
                en=f"The question has {len(question)} characters; at most {self._limits.question_characters}. Shorten it.",
                zh=f"问题有 {len(question)} 个字符，最多 {self._limits.question_characters} 个，请缩短。",
            )
        return question

    def count_question(self) -> None:
        """Count one question against the last minute's."""
        now = time.monotonic()
        with self._lock:
            while self._asked and now - self._asked[0] > 60:
                self._asked.popleft()
            if len(self._asked) >= self._limits.questions_per_minute:
                wait = math.ceil(60 - (now - self._asked[0])) or 1  # rounded up: who waits that long is let in
                raise LimitReached(
                    en=f"At most {self._limits.questions_per_minute} questions a minute. Try again in {wait} s.",
                    zh=f"每分钟最多 {self._limits.questions_per_minute} 个问题，请在 {wait} 秒后再试。",
                )
            self._asked.append(now)


def _size(n: int) -> tuple[str, str]:
    """A number of bytes in words, English and Chinese.

    >>> _size(20_000_000), _size(1000)
    (('20 MB', '20 MB'), ('1,000 bytes', '1,000 字节'))
    """
    if n >= 1_000_000:
        return f"{n / 1e6:,.10g} MB", f"{n / 1e6:,.10g} MB"
    return f"{n:,} bytes", f"{n:,} 字节"


def about(characters: int, split: SplitSettings, sections: int = 0) -> int:
    """About how many chunks a split gives: windows of its size; by structure, no fewer than there are sections.

    >>> about(2400, SplitSettings("recursive", 240, 40)), about(2400, SplitSettings("structure", 240, 40), 30)
    (12, 30)
    """
    windows = characters // (split.size - split.overlap)
    if split.strategy == "tokens":
        return windows // _CHARACTERS_A_TOKEN
    return max(windows, sections) if split.strategy == "structure" else windows
