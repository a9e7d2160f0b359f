"""Headings of Word documents that nothing but their letters and their numbers make headings."""

from __future__ import annotations

import re

_NUMBERED = re.compile(r"(?:(\d{1,2}(?:\.\d{1,2}){0,3})[.、．\s]|[（(][一二三四五六七八九十\d]{1,3}[)）])\s*\S.{0,40}")
_LETTERED = re.compile(r"(?:[A-Z]|[IVX]{1,5})[.)]\s*\S.{0,60}")
_WORDED = re.compile(r"(part|chapter|appendix|section|article)\s+[\dA-Z]{1,5}\b.{0,60}", re.IGNORECASE)
_LEVELS = {"part": 1, "chapter": 2, "appendix": 2, "section": 3, "article": 4}
_NO_HEADING = tuple("。；，！？：;,!?:")


def bold_level(line: str) -> int | None:
    """The level of a bold paragraph that is a heading by its number: Chapter 1, A. Purpose, 1.2 范围, （一）对象."""
    if line.endswith(_NO_HEADING) or "\n" in line:
        return None
    if worded := _WORDED.fullmatch(line):
        return _LEVELS[worded.group(1).lower()]
    if _LETTERED.fullmatch(line):
        return 5
    numbered = _NUMBERED.fullmatch(line)
    return 6 + (numbered.group(1) or "").count(".") if numbered else None
