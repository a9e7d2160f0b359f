"""What decoding a text file says: how its characters were found, and what a person should know of them."""

from __future__ import annotations

from dataclasses import dataclass

from rag.corpus.load.detector import called
from rag.errors import Bilingual, LoadError


@dataclass(frozen=True, slots=True)
class Decoded:
    """The characters of a file, how they were found (`reading`, for example ``UTF-8 (certain: valid)``), and, when
    that was a guess or bytes are missing, what a person should know."""

    text: str
    reading: Bilingual
    warnings: tuple[Bilingual, ...] = ()

    def as_kind(self, en: str, zh: str) -> Bilingual:
        """`reading` behind the kind of file, for example ``text, UTF-8 (certain: valid)``."""
        return Bilingual(en=f"{en}, {self.reading.en}", zh=f"{zh}，{self.reading.zh}")


def certain(shown: str, en: str, zh: str) -> Bilingual:
    """How characters were found where no doubt is left."""
    return Bilingual(en=f"{shown} (certain: {en})", zh=f"{shown}（确定：{zh}）")


def guess(shown: str, en: str, zh: str) -> Bilingual:
    """How characters were found where it is a guess."""
    return Bilingual(en=f"{shown} (guessed: {en})", zh=f"{shown}（猜测：{zh}）")


def guessed(name: str, shown: str) -> Bilingual:
    """The warning that goes with a guess."""
    return Bilingual(
        en=f"{name}: the encoding was guessed as {shown}; check that the text reads well.",
        zh=f"{name}：编码是猜测的（{shown}），请检查文字是否正常。",
    )


def false_mark(name: str) -> Bilingual:
    """The warning about a mark of UTF-8 in front of something else."""
    return Bilingual(
        en=f"{name}: it starts with the mark of UTF-8, but is not in UTF-8.",
        zh=f"{name}：开头有 UTF-8 标记，内容却不是 UTF-8。",
    )


def part_unreadable(name: str, line: int, encodings: tuple[str, ...]) -> LoadError:
    """The error for pasted parts of which one is in no encoding known here."""
    shown = ", ".join(called(e) for e in encodings)
    return LoadError(
        en=f"{name}: parts in different encodings were pasted together ({shown}), and line {line} is in none known here. "
        "Save every part as UTF-8 and try again.",
        zh=f"{name}：文件由不同编码（{shown}）的内容拼接而成，第 {line} 行编码无法识别。请把各部分都另存为 UTF-8 后重试。",
    )


def unknown(name: str) -> LoadError:
    """The error for bytes that are text in no encoding known here."""
    return LoadError(
        en=f"{name}: its text is in no encoding known here, or it is not a text file. Save it as UTF-8 and try again.",
        zh=f"{name}：编码无法识别，或不是文本文件。请另存为 UTF-8 后重试。",
    )


def cut_short(name: str) -> Bilingual:
    """The warning about a file that ends inside a character."""
    return Bilingual(
        en=f"{name}: the file ends in the middle of a character; it may be incomplete.",
        zh=f"{name}：文件在一个字符中间结束，可能不完整。",
    )


def halves(name: str, number: int) -> Bilingual:
    """The warning about halves of characters in UTF-16."""
    return Bilingual(
        en=f"{name}: {number} characters are only half there and were left out.",
        zh=f"{name}：有 {number} 个字符只剩一半，未收入。",
    )
