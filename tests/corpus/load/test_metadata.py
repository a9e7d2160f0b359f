from datetime import date

import pytest

from rag.corpus.load.builder import Meta, Parsed
from rag.corpus.load.metadata import below_title, document, from_lines, from_name
from rag.types import Section


@pytest.mark.parametrize(
    ("name", "doc_id", "version"),
    [
        ("年假制度_2025-01.docx", "年假制度", "2025-01"),
        ("年假制度.docx", "年假制度", ""),
        ("年假制度-v2.pdf", "年假制度", "v2"),
        ("年假制度v2.1.pdf", "年假制度", "v2.1"),
        ("年假制度（2025版）.docx", "年假制度", "2025"),
        ("年假制度(2025年).docx", "年假制度", "2025"),
        ("年假制度2025版.docx", "年假制度", "2025"),
        ("年假制度 20250131.txt", "年假制度", "20250131"),
        ("差旅办法_第3版.md", "差旅办法", "第3版"),
        ("leave policy 2026-10-01.txt", "leave policy", "2026-10-01"),
        ("2025-01.docx", "2025-01", ""),
        ("HR-F-012.docx", "HR-F-012", ""),
        ("ISO-9001.pdf", "ISO-9001", ""),
        ("dev3.txt", "dev3", ""),
        ("C:\\dir\\制度.docx", "制度", ""),
    ],
)
def test_what_a_file_name_says(name: str, doc_id: str, version: str) -> None:
    meta = from_name(name)
    assert (meta.doc_id, meta.version) == (doc_id, version)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("版本：2026-10", Meta(version="2026-10")),
        ("**版本号**: V2.1", Meta(version="V2.1")),
        ("编号：HR-01　版本：3；生效日期：2026年10月1日", Meta(version="3", effective_from=date(2026, 10, 1))),
        ("版本: 2026-10；失效日期: 2026-09-30", Meta(version="2026-10", effective_to=date(2026, 9, 30))),
        ("有效期至 2027.12.31", Meta(effective_to=date(2027, 12, 31))),
        ("本办法自2026年1月5日起施行", Meta(effective_from=date(2026, 1, 5))),
        ("Version: 2026-10", Meta(version="2026-10")),
        ("Effective date: 2026-10-01", Meta(effective_from=date(2026, 10, 1))),
        ("Expiry date: 2026-10-01", Meta(effective_to=date(2026, 10, 1))),
        ("版本 | 4.0", Meta(version="4.0")),
        ("生效日期：2026-02-30", Meta()),
        ("操作系统版本：11", Meta()),
        ("本版本说明如下", Meta()),
    ],
)
def test_what_the_first_lines_say(line: str, expected: Meta) -> None:
    assert from_lines(f"年假办法\n{line}\n正文") == expected
    assert from_lines("行\n" * 40 + line) == Meta()


def test_what_is_declared_comes_before_lines_and_names() -> None:
    parsed = Parsed("标题\n版本：2\n", meta=Meta(version="1"), title_hint="标题")
    made = document("名称_2020-01.txt", "own", parsed)
    assert (made.doc_id, made.version, made.title, made.source) == ("名称", "1", "标题", "名称_2020-01.txt")


def test_the_key_without_a_version_is_of_the_text() -> None:
    # the published SHA-256 of "abc"
    assert document("a.txt", "own", Parsed("abc")).key == "a@ba7816bf"


def test_the_title_is_no_section() -> None:
    root, chapter = Section(0, ("办法",)), Section(5, ("办法", "第一章"))
    assert below_title((root, chapter), "别的") == (Section(5, ("第一章",)),)
    assert below_title((root,), "办法") == ()
    assert below_title((root,), "别的") == (root,)
    chapters = (Section(0, ("第一章 总则",)), Section(9, ("第一章 总则", "第一节")))
    assert below_title(chapters, "办法") == chapters
