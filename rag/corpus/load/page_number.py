"""Page numbers of a PDF: how they are written, alone on a line or beside the words of a header."""

from __future__ import annotations

import re

from rag.corpus.load.lines import Line

_NUMBER = r"(?:\d{1,4}|[ivxlcIVXLC]{1,7}|[一二三四五六七八九十百〇零]{1,6})"
_ALONE = re.compile(
    rf"[-–—─·•|\s\[(（]*(?:第\s*)?{_NUMBER}\s*(?:页|頁)?(?:\s*[/／,，|]?\s*(?:共|总|of)?\s*{_NUMBER}\s*(?:页|頁)?)?[-–—─·•|\s\])）]*"
    rf"|(?:page|p\.)\s*{_NUMBER}(?:\s*(?:/|of)\s*{_NUMBER})?",
    re.IGNORECASE,
)
_SAYS_PAGE = re.compile(r"页|頁|page|p\.|/|／|\bof\b", re.IGNORECASE)
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
# What stands before and behind a number that counts pages within a longer line: 第 3 页, 页码：3, Page 3; - 3 -, 3 / 99, 3 of 99
_WORDED = re.compile(
    r"第\s*#\s*[页頁]|(?:[页頁][码碼次数]?|(?<![a-z])(?:page|pg|p)(?:\s*no)?)\s*[.:：]?\s*#(?![\d.\-])", re.IGNORECASE
)
_SHAPED = re.compile(r"(?:^|\s)(?:[-–—─·•|]\s*#\s*[-–—─·•|]|#\s*(?:/|／|of\b)\s*\d+)(?:\s|$)", re.IGNORECASE)
# Words whose number is their own and no page's, however far off it stands
_OWN_NUMBER = re.compile(
    r"(?:编号|編號|序号|文号|(?:^|[\s:：、（(])(?:附件|附表|附录|附錄|附图|附|表|图|圖|例|卷|期|号|號)"
    r"|\b(?:no|annex|appendix|exhibit|form|table|figure|attachment|schedule|volume|version|rev))\s*[.:：]?\s*$",
    re.IGNORECASE,
)


def lone_page_number(text: str) -> int | None:
    """The number in a line that holds nothing but what may be a page number; None for any other line.

    >>> lone_page_number("- 3 -"), lone_page_number("第 3 页 共 99 页"), lone_page_number("iv"), lone_page_number("附件 3")
    (3, 3, 4, None)
    """
    if not _ALONE.fullmatch(text):
        return None
    found = re.search(_NUMBER, text)
    return _value(found.group()) if found else None


def says_page(text: str) -> bool:
    """Whether a lone number is written as that of a page and not as a number alone."""
    return _SAYS_PAGE.search(text) is not None


def is_page_number_in(line: Line, start: int, end: int) -> bool:
    """Whether the figures from `start` to `end` in the text of `line` may count pages, by what stands around them.

    They are worded so, or a wide gap parts them from the rest of the line, which does not end in 附件 or 编号.
    """
    before, after = (text.replace("#", " ") for text in (line.text[:start], line.text[end:]))
    marked = f"{before}#{after}"
    if _WORDED.search(marked):
        return True
    if _OWN_NUMBER.search(before):
        return False
    ends = ((line.parts[-1], after), (line.parts[0], before)) if line.parts else ()
    return _SHAPED.search(marked) is not None or any(
        part.text == line.text[start:end] and not beyond.strip() for part, beyond in ends
    )


def _value(number: str) -> int:
    if number.isdigit():
        return int(number)
    if number[0].lower() in _ROMAN:
        values = [_ROMAN[c] for c in number.lower()]
        return sum(-v if v < max(values[i:]) else v for i, v in enumerate(values))
    digits = "〇一二三四五六七八九"
    total, last = 0, 0
    for c in number.replace("零", "〇"):
        if c in "十百":
            total, last = total + (last or 1) * (10 if c == "十" else 100), 0
        else:
            last = digits.index(c)
    return total + last
