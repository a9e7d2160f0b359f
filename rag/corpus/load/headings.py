"""Headings that are only text: 第三章 休假, 第十二条 年假, 一、总则, standing on a line of their own."""

from __future__ import annotations

import re

from rag.corpus.clean import clean_text
from rag.corpus.load.builder import TextBuilder

_NUMBER = r"[一二三四五六七八九十百零〇两\d.]{1,7}"
_LEVELS = {"编": 1, "章": 2, "节": 3, "条": 4}
_CHAPTER = re.compile(rf"第\s*{_NUMBER}\s*([编章节条])(?:[\s:：、]+\S.{{0,29}}|\S{{0,20}})?")
_COUNTED = re.compile(r"[一二三四五六七八九十]{1,3}、\S.{0,24}")
_NUMBERED = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,3})(?:[.、．]\s*|\s+)(?=\D)\S.{0,59}")
_SENTENCE = tuple("。；，！？：;,!?.:")


def heading_level(line: str) -> int | None:
    """The level (1…5, 1 outermost) of a line that is a heading by its wording, None for any other line.

    >>> heading_level("第三章 休假"), heading_level("第十二条 年假"), heading_level("第十二条 员工每年享受年假。")
    (2, 4, None)
    """
    line = line.strip()
    if len(line) > 40 or line.endswith(_SENTENCE):
        return None
    chapter = _CHAPTER.fullmatch(line)
    if chapter and not any(mark in line for mark in "，。；"):
        # 「第三条规定的情形」 without a space is the start of a sentence, 「第三章休假」 is not
        glued = chapter.group(1) == "条" and not re.search(r"条[\s:：、]|条$", line)
        return None if glued else _LEVELS[chapter.group(1)]
    return 5 if _COUNTED.fullmatch(line) and not any(mark in line for mark in "，。；") else None


def add_lines(builder: TextBuilder, text: str) -> None:
    """Add `text` as it is written, its paragraphs as blocks and its headings as sections.

    A short numbered line (1. Purpose, 2.1 范围) is a heading when blank lines set it apart and text follows it;
    among others of its kind it is a list.
    """
    paragraph: list[str] = []
    lines = ["", *clean_text(text).split("\n"), "", ""]
    for before, line, after, next_block in zip(lines, lines[1:], lines[2:], lines[3:], strict=False):
        level = heading_level(line)
        if level is None and line and not before and not after:
            level = _numbered_level(line, next_block)
        if level is None and line:
            paragraph.append(line)
            continue
        builder.lines(paragraph)
        paragraph = []
        if level is not None:
            builder.heading(level, line)
    builder.lines(paragraph)


def _numbered_level(line: str, next_block: str) -> int | None:
    number, following = _NUMBERED.fullmatch(line), _NUMBERED.fullmatch(next_block)
    if not number or line.endswith(_SENTENCE) or not next_block:
        return None
    depth = number.group(1).count(".")
    if following and following.group(1).count(".") == depth:
        return None
    return 6 + depth
