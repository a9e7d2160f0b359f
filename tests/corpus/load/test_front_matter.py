from datetime import date

import pytest

from rag.corpus.load import load
from tests.corpus.load.files import at_sections, checked


def test_front_matter_is_metadata() -> None:
    source = (
        "---\ntitle: 年假\ndoc_id: leave\nversion: 2026-10-01\neffective_from: 2026-10-01\n"
        "effective_to: '2027年9月30日'\nsource: hr\ntags: [a, b]\n---\n正文 版本：9"
    )
    (document,) = load("x.md", source.encode())
    assert document.text == "tags: [a, b]\n\n正文 版本：9"
    assert (document.title, document.doc_id, document.version, document.source) == ("年假", "leave", "2026-10-01", "hr")
    assert (document.effective_from, document.effective_to) == (date(2026, 10, 1), date(2027, 9, 30))


@pytest.mark.parametrize(
    "front",
    [
        "title: [",
        "a: &x [1]\nb: [*x, *x]",
        "版本: 3\n  - a: [",
    ],
)
def test_front_matter_that_cannot_be_read_stays_in_the_text_with_a_warning(front: str) -> None:
    (document,) = load("x.md", f"---\n{front}\n---\n正文".encode())
    assert "front matter" in document.warnings[0].en
    assert "正文" in document.text and front.split("\n")[0] in document.text


def test_front_matter_says_what_is_written_and_does_nothing() -> None:
    for version in ("2.10", "010", "00123", "12:30", "1_0", "0x1F", "No"):
        (document,) = load("x.md", f"---\nversion: {version}\na: !!python/object/apply:os.abort []\n---\n正文".encode())
        assert document.version == version and document.text == "a: !!python/object/apply:os.abort []\n\n正文"


def test_front_matter_in_chinese() -> None:
    source = "---\n标题: 年假制度\n版本: V3\n生效日期: 2026-01-01\n失效日期: 2027年1月1日\n---\n# 一、总则\n\n正文"
    (document,) = load("x.md", source.encode())
    assert (document.title, document.version, document.text) == ("年假制度", "V3", "# 一、总则\n\n正文")
    assert (document.effective_from, document.effective_to) == (date(2026, 1, 1), date(2027, 1, 1))
    assert not document.warnings and not document.removed


@pytest.mark.parametrize(
    ("key", "field"),
    [
        ("Version", "version"),
        ("版本号", "version"),
        ("版次", "version"),
        ("Effective Date", "effective_from"),
        ("effective-date", "effective_from"),
        ("施行日期", "effective_from"),
        ("有效期至", "effective_to"),
        ("expires", "effective_to"),
    ],
)
def test_the_usual_names_of_its_fields(key: str, field: str) -> None:
    (document,) = load("x.md", f"---\n{key}: 2026-10-01\n---\n正文".encode())
    assert str(getattr(document, field)) == "2026-10-01" and document.text == "正文"


def test_what_is_no_field_of_ours_stays_in_the_text_as_it_is_written() -> None:
    source = (
        "---\n适用范围: 全体员工，不含实习生\n版本: 'V3'  # 第三次\n摘要: >\n  年假由5天\n  改为7天\ntags:\n  - 假期\n"
        "# 仅供内部\n作者: {名: 张三}\nversion: 4\n---\n# 年假制度\n\n正文"
    )
    (document,) = load("x.md", source.encode())
    checked(document)
    assert document.version == "4"  # the English name goes first; the other stays
    assert document.text == (
        "适用范围: 全体员工，不含实习生\n版本: 'V3'  # 第三次\n摘要: >\n  年假由5天\n  改为7天\ntags:\n  - 假期\n"
        "作者: {名: 张三}\n\n# 年假制度\n\n正文"
    )
    assert [(r.text, r.why) for r in document.removed] == [("# 仅供内部", "comment")]
    assert document.title == "年假制度" and not document.warnings
    (document,) = load("x.md", "---\n版本: 'V3'  # 第三次\n---\n正文".encode())
    assert (document.version, document.text, document.removed[0].text) == ("V3", "正文", "# 第三次")


@pytest.mark.parametrize(
    ("key", "value"),
    [("effective_date", "待定"), ("effective_from", "2026-02-30"), ("失效日期", "长期"), ("生效日期", "2026-10")],
)
def test_a_field_that_is_no_date_is_named_and_the_others_hold(key: str, value: str) -> None:
    (document,) = load("x.md", f"---\ntitle: 年假\n{key}: {value}\nversion: '2'\n---\n正文".encode())
    assert (document.title, document.version, document.text) == ("年假", "2", f"{key}: {value}\n\n正文")
    assert document.effective_from is document.effective_to is None
    (warning,) = document.warnings
    for text in (warning.en, warning.zh):
        assert key in text and value in text


@pytest.mark.parametrize(
    "source",
    [
        "---\n\n# 年假制度\n\n注意: 试行\n\n---\n\n正文",
        "---\n第一段说明。\n---\n第二段",
        "---\n版本：V3\n---\n正文",
        "---\n- 甲\n- 乙\n---\n正文",
        "---\n* 甲 *乙\n---\n正文",
        "---\n只有一条线",
    ],
)
def test_a_text_between_rules_is_no_front_matter(source: str) -> None:
    (document,) = load("x.md", source.encode())
    assert document.text.split() == source.split() and not document.warnings and not document.removed


@pytest.mark.parametrize("front", ["{title: 年假, 作者: 张三}", "title: 年假\n作者: 张三"])
def test_no_word_of_it_is_lost(front: str) -> None:
    (document,) = load("x.md", f"---\n{front}\n---\n# 第一章 总则\n\n正文".encode())
    assert document.title == "年假" and "作者: 张三" in document.text
    assert list(at_sections(document)) == [("第一章 总则",)]
