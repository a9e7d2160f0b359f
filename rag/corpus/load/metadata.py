"""Title, version, dates and identity of a document: from what the file declares, its first lines, and its name."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import PurePosixPath

from rag.corpus.clean import clean_line
from rag.corpus.load.builder import MOST_REMOVED, Meta, Parsed
from rag.corpus.load.headings import heading_level
from rag.corpus.load.rows import without_rows
from rag.corpus.numerals import number
from rag.errors import Bilingual, EmptyDocument
from rag.types import Document, Origin, Section, Stated, Table

LONGEST_NAME = 200
_TOP_LINES = 20
_TITLE_LENGTH = 60

_BEFORE = r"(?:^|[\s；;|｜，,。（(#*>•\-])"
# Only on the same line: a field that was left blank does not take what stands below it.
_AFTER = r"(?:\*|[^\S\n])*[:：|｜](?:\*|[^\S\n])*"
_VERSION = re.compile(
    _BEFORE
    + r"(?P<label>版本号|版本|版次|文件版本|version(?: number)?|revision)"
    + r"(?:\*|[^\S\n])*(?P<sign>[:：|｜])(?:\*|[^\S\n])*"
    + r"(?P<version>[^\s；;，,。|｜（）()*]{1,40})",
    re.IGNORECASE,
)
# 版本 1.3, without a colon: a number at the end of its line or in front of what else such a line says
_BARE_VERSION = re.compile(
    _BEFORE
    + r"(?P<label>版本号?|版次|version|revision)(?P<sign>)[^\S\n]*(?P<version>[vV]?\d{1,4}(?:[.\-]\d{1,3}){0,3})[^\S\n]*"
    + r"(?:$|[；;，,|｜)）]|自|生效|施行|实施|发布)",
    re.IGNORECASE | re.MULTILINE,
)
_BARS = ("|", "｜")
_A_FIELD = re.compile(r"[:：]\s*\S+$")
_COUNTED = "[一二三四五六七八九十]{1,3}"
_DATE = (
    r"(\d{4}|[一二][〇○零一二三四五六七八九]{3})\s*[年\-/.]\s*"
    rf"(\d{{1,2}}|{_COUNTED})\s*[月\-/.]\s*(\d{{1,2}}|{_COUNTED})"
)
_FROM = re.compile(
    _BEFORE
    + r"(?:(?:生效|施行|实施|执行)(?:日期|时间)|effective(?: date| from)?|valid from)"
    + _AFTER
    + _DATE
    + r"|自\s*"
    + _DATE
    + r"\s*日?\s*起(?:施行|实施|执行|生效)",
    re.IGNORECASE,
)
# The last article of a policy, 「第二十条 本办法自2026年10月1日起施行。」; a date of something else has no 本 before it.
_LAST_ARTICLE = re.compile(
    r"(?:本[^\s，。；、]{1,12}?|解释[，,])自?\s*" + _DATE + r"\s*日?\s*起(?:正式)?(?:施行|实施|执行|生效|試行|试行)"
)
_END = 2000
# A law in 《》, or named by its kind right before 自: the day is that law's, unless the sentence issues it or speaks of 本办法.
_CITED = re.compile(r"《([^《》\n]{1,60})》")
_ISSUED = re.compile(r"印发|发布|公布|颁布|现将|本[^\s，。；、]{1,12}?$|本[^\s，。；、]{1,12}[，,]")
_LAW = re.compile(r"[^\s，。；、（(：:]{2,40}(?:法|法典|条例|规定|办法|细则|决定)$")
_SENTENCE_END = re.compile(r"[。；;！!\n]")
_TO = re.compile(
    _BEFORE
    + r"(?:(?:失效|废止|终止|到期)(?:日期|时间)|有效期至|有效期限至|expir(?:y|ation)(?: date)?|expires(?: on)?"
    + r"|valid until|effective (?:to|until))"
    + r"(?:"
    + _AFTER
    + r"|[^\S\n]*)"
    + _DATE,
    re.IGNORECASE,
)
_NAME_VERSION = (
    # 2025-01, 2025-01-31, 202501, 2025年1月, 2025, v2, V2.1, each with or without 版, after a separator or in brackets
    r"(?:(?:19|20)\d{2}(?:[-_.年]?(?:1[0-2]|0?[1-9])(?:[-_.月]?(?:3[01]|[12]\d|0?[1-9])日?|月)?|年)?|[vV]\d+(?:\.\d+)*|第\d+版)"
)
_IN_BRACKETS = re.compile(rf"[\s_\-]*[（(\[【]\s*({_NAME_VERSION})\s*版?\s*[）)\]】]$")
_AFTER_SEPARATOR = re.compile(rf"[\s_\-]+({_NAME_VERSION})版?$")
_GLUED = re.compile(r"((?:19|20)\d{2}年?(?=版$)|(?<![A-Za-z])[vV]\d+(?:\.\d+)*)版?$")
_NO_TITLE = re.compile(
    r"^(?:untitled|无标题|\(?anonymous\)?|microsoft word\b.*|word document|document\s*\d*|文档\s*\d*)$", re.I
)

_FILE_NAME = re.compile(
    r"\S\.(?:docx?|docm|dotx?|wps|wpt|odt|rtf|pdf|xlsx?|xlsm|et|csv|pptx?|dps|html?|txt|md|indd|pages|tex|dvi|ps|cdr|ai)\s*$",
    re.I,
)


def document(name: str, origin: Origin, parsed: Parsed) -> Document:
    """The document of a file called `name`: what the format declares first, then the first lines, then the name.

    Raises:
        EmptyDocument: there is no text.
    """
    if not parsed.text:
        raise EmptyDocument(
            en=f"{name}: no text in it. Choose a file with text.",
            zh=f"{name}：没有可用的文字内容，请换一个有文字的文件。",
        )
    declared = parsed.meta
    named = from_name(name)
    if _NO_TITLE.match(declared.title):
        declared = replace(declared, title="")
    elif _FILE_NAME.search(
        declared.title
    ):  # of the file it was made from: better than this one's name, no better than the text
        named = replace(named, title=from_name(declared.title).title)
        declared = replace(declared, title="")
    seen = from_lines(parsed.text, parsed.tables).or_else(Meta(title=_title_seen(parsed)))
    meta = declared.or_else(seen).or_else(named)
    doc_id, version = identifier(meta.doc_id) or "document", identifier(meta.version)
    title = clean_line(meta.title)[:LONGEST_NAME] or doc_id
    return Document(
        doc_id=doc_id,
        version=version,
        key=document_key(doc_id, version, parsed.text),
        origin=origin,
        title=title,
        source=clean_line(meta.source) or clean_line(name) or doc_id,
        text=parsed.text,
        pages=parsed.pages,
        sections=below_title(parsed.sections, title),
        effective_from=meta.effective_from,
        effective_to=meta.effective_to,
        file=name,
        warnings=(*parsed.warnings, *_not_kept(name, parsed.not_kept)),
        tables=parsed.tables,
        removed=parsed.removed,
        reading=parsed.reading,
        stated=_stated(meta, declared, seen),
    )


def _stated(meta: Meta, declared: Meta, seen: Meta) -> tuple[tuple[str, Stated], ...]:
    """Who said each value of `meta` that is known: the format, else a line of the text, else the file's name."""

    def who(field: str) -> Stated:
        return "file" if getattr(declared, field) else "text" if getattr(seen, field) else "name"

    known = ("title", "version", "effective_from", "effective_to")
    return tuple((field, who(field)) for field in known if getattr(meta, field))


def _not_kept(name: str, characters: int) -> tuple[Bilingual, ...]:
    if not characters:
        return ()
    return (
        Bilingual(
            en=f"{name}: of what was left out of the text the first {MOST_REMOVED:,} characters are shown, {characters:,} are not.",
            zh=f"{name}：未收入正文的内容只显示前 {MOST_REMOVED:,} 个字符，另有 {characters:,} 个字符未显示。",
        ),
    )


def document_key(doc_id: str, version: str, text: str) -> str:
    """``doc_id@version``, or the first eight hex digits of the text's SHA-256 where there is no version."""
    return f"{doc_id}@{version or text_hash(text)}"


def text_hash(text: str) -> str:
    """The first eight hex digits of the SHA-256 of `text`."""
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def below_title(sections: tuple[Section, ...], title: str) -> tuple[Section, ...]:
    """The sections without the heading above all of them: it is the document's title, and no part of a path.

    A lone heading with other words than the title, or one that is a chapter by its wording, is a section.
    """
    tops = {section.path[0] for section in sections}
    if len(tops) != 1 or len([s for s in sections if len(s.path) == 1]) != 1:
        return sections
    top = sections[0].path[0]
    if top != title and (len(sections) == 1 or sections[0].start > 0 or heading_level(top) is not None):
        return sections
    return tuple(Section(s.start, s.path[1:]) for s in sections[1:])


def identifier(text: str) -> str:
    """`text` as a doc_id or version: one clean line of at most 200 characters."""
    return clean_line(text)[:LONGEST_NAME].strip()


def from_name(name: str) -> Meta:
    """doc_id, version and title that a file's name gives.

    >>> m = from_name("年假制度_2025-01.docx"); m.doc_id, m.version, m.title
    ('年假制度', '2025-01', '年假制度')
    >>> from_name("leave-policy-v2.pdf").version, from_name("差旅办法（2025版）.docx").doc_id
    ('v2', '差旅办法')
    """
    stem = clean_line(PurePosixPath(name.replace("\\", "/")).stem)[:LONGEST_NAME]
    for pattern in (_IN_BRACKETS, _AFTER_SEPARATOR, _GLUED):
        found = pattern.search(stem)
        if found and found.start() > 0:
            doc_id = stem[: found.start()].rstrip(" _-")
            return Meta(title=doc_id, doc_id=doc_id, version=found.group(1).rstrip("年"))
    return Meta(title=stem, doc_id=stem)


def from_lines(text: str, tables: Sequence[Table] = ()) -> Meta:
    """Version and dates that the first lines of `text` state (「版本：2026-10」, "Effective date: 2026-10-01").

    The day it takes effect may also stand in its last article (「本办法自2026年10月1日起施行」). Of `tables` with column
    names (a list of revisions, of other documents) no row speaks for the document, however many the table has: which one
    would, cannot be told. Forms do.
    """
    lines = [line[:300] for line in without_rows(text[:8000], tables).split("\n") if line][:_TOP_LINES]
    top = "\n".join(f" {line}" for line in lines)
    return Meta(
        version=_version(top),
        effective_from=_first_date(_own(_FROM, top)) or _first_date(_LAST_ARTICLE.search(text[-_END:])),
        effective_to=_first_date(_own(_TO, top)),
    )


def _version(top: str) -> str:
    """The first version in the first lines that is this document's."""
    found = (one for pattern in (_VERSION, _BARE_VERSION) for one in pattern.finditer(top))
    return next((one.group("version") for one in found if _is_its_version(top, one)), "")


def _is_its_version(top: str, found: re.Match[str]) -> bool:
    """Whether a version is said of the document, and not of a program (「Excel 版本 2016」) or as a column's name.

    A bar is a colon in a line of two cells. Else it begins its line, a cell, a bracket or a clause, or stands in the title
    or behind a field (「编号：HR-01 版本：3」); nobody calls the 版次 of a program so.
    """
    start = top.rfind("\n", 0, found.start("label")) + 1
    line, before = top[start:].split("\n", 1)[0], top[start : found.start("label")].strip()
    sign = found.group("sign")
    if sign in _BARS:
        return sum(map(line.count, _BARS)) == 1 and any(map(str.isdigit, found.group("version")))
    clauses = "；;|｜（(#*>•-" + ("，,。" if sign else "")
    begins = not before or before[-1] in clauses or start == 0
    return begins or found.group("label") == "版次" or _A_FIELD.search(before) is not None


def _own(pattern: re.Pattern[str], top: str) -> re.Match[str] | None:
    """The first match in the first lines that is said of this document, and not of a law it names."""
    return next((found for found in pattern.finditer(top) if not _of_another(top, found.start())), None)


def _of_another(top: str, at: int) -> bool:
    """Whether the date at `at` belongs to another document: in brackets behind 《劳动法》, or said of it in its sentence."""
    if top[at : at + 1] not in ("自", "（", "("):  # 「生效日期：」 after a blank or a bar speaks for itself
        return False
    before = top[max(at - 200, 0) : at]
    sentence = _SENTENCE_END.split(before)[-1].rstrip()
    title = top.split("\n", 1)[0]
    cited = list(_CITED.finditer(sentence))
    if cited:
        behind = sentence[cited[-1].end() :].lstrip()
        if cited[-1].group(1) in _CITED.sub("", title):
            return False
        bracketed = top[at] in "（(" and not behind or re.match(r"[（(][^）)]*$", behind)
        return bool(bracketed) or not _ISSUED.search(sentence)
    law = _LAW.search(sentence)
    return law is not None and not _ISSUED.search(sentence) and "本" not in law.group() and law.group() not in title


def as_date(text: str) -> date | None:
    """The date that `text` is, written with digits and ``- / .`` or 年月日, or in Chinese; None when it is none.

    >>> as_date("2026年10月1日"), as_date("二〇二六年十月一日"), as_date("2026-13-01")
    (datetime.date(2026, 10, 1), datetime.date(2026, 10, 1), None)
    """
    return _first_date(re.match(rf"\s*{_DATE}\s*日?(?![\d])", text))


def title_line(text: str) -> str:
    """The first line of `text` where it looks like a title: short, and no sentence; else empty."""
    first = clean_line(text.split("\n", 1)[0])
    if len(first) > _TITLE_LENGTH or first.endswith(tuple("。！？；.!?;：:，,")) or re.match(r"[#|>\-*{\[<]", first):
        return ""
    stated = heading_level(first) is not None or from_lines(first) != Meta()
    return "" if stated else first


def _title_seen(parsed: Parsed) -> str:
    """The title seen in the text, unless it is a row of the table that the text begins with."""
    first = clean_line(parsed.text.split("\n", 1)[0])
    in_table = bool(parsed.tables) and parsed.tables[0].start == 0
    return "" if in_table and parsed.title_hint == first and re.search(r" \| |: ", first) else parsed.title_hint


def _first_date(found: re.Match[str] | None) -> date | None:
    written = [n.replace("○", "〇") for n in found.groups() if n is not None] if found else []
    numbers = [int(n if n.isdecimal() else number(n) or 0) for n in written[:3]]
    if len(numbers) < 3:
        return None
    try:
        return date(*numbers)
    except ValueError:  # 2026-02-30 is written like a date and is none
        return None
