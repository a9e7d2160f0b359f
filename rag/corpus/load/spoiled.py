"""Text that was spoiled before it came here: characters lost, or read in a wrong encoding and saved like that."""

from __future__ import annotations

import re

from rag.corpus.load.everyday import commonness
from rag.errors import Bilingual

_LOST = re.compile("\ufffd|锟斤拷|烫烫烫|屯屯屯")
_MANY = 8
_RARE = 0.5
# Characters a wrong reading of Chinese is made of: Han, private use, Latin and Greek beyond ASCII.
_SUSPECT = re.compile("[\u0080-\u04ff\u3400-\u9fff\ue000-\uf8ff\U000e0000-\U0010ffff\U00020000-\U0003ffff]")
_HAN = re.compile("[\u3400-\u9fff\ue000-\uf8ff\U00020000-\U0010ffff]")
_WRONG = (
    ("gb18030", "utf-8"),
    ("cp1252", "utf-8"),
    ("latin-1", "utf-8"),
    ("latin-1", "gb18030"),
    ("cp1252", "gb18030"),
)


def doubts(name: str, text: str) -> tuple[Bilingual, ...]:
    """Warnings about `text` as it was decoded: lost characters, and lines that read like rubbish."""
    found = []
    lost = len(_LOST.findall(text))
    if lost:
        found.append(
            Bilingual(
                en=f"{name}: {lost} characters were lost before the file came here (\ufffd, 锟斤拷). Use the original if you can.",
                zh=f"{name}：有 {lost} 处字符在上传之前就已丢失（\ufffd、锟斤拷），如有可能请使用原文件。",
            )
        )
    odd = [number for number, line in enumerate(text.split("\n"), start=1) if _odd(line)]
    if odd:
        where = ", ".join(map(str, odd[:8])) + (" …" if len(odd) > 8 else "")
        found.append(
            Bilingual(
                en=f"{name}: lines that read like text in a wrong encoding: {where}. Check them.",
                zh=f"{name}：以下各行像是编码错误的文字：{where}，请检查。",
            )
        )
    return tuple(found)


def _odd(line: str) -> bool:
    """Whether a line reads like rubbish: rare Han characters, or bytes that mean something else in another encoding."""
    if line.isascii():
        return False
    if commonness(line) >= _RARE:
        return False
    suspect = "".join(_SUSPECT.findall(line))
    if len(suspect) < _MANY or commonness(suspect) >= _RARE:
        return False
    han = "".join(_HAN.findall(line))
    if len(han) >= _MANY and commonness(han) < _RARE:
        return True
    return any(_reversed(line, wrong, right) for wrong, right in _WRONG)


def _reversed(line: str, wrong: str, right: str) -> bool:
    try:
        again = line.strip().encode(wrong).decode(right)
    except (UnicodeEncodeError, UnicodeDecodeError):
        return False
    return len(again) < len(line.strip()) and commonness(again) > _RARE
