import time

import pytest

from rag.corpus.load import load
from tests.corpus.load.files import at_sections, checked


def test_headings_are_sections_and_code_is_not() -> None:
    source = "# 第一章\n\n正文\n\n第二节\n------\n\n```\n# 不是标题\n```\n\n## 三 `x` **y**\n\n- 一\n- 二\n\n[link]: http://x.example\n"
    (document,) = load("a.md", source.encode())
    checked(document)
    assert document.title == "a"
    assert at_sections(document) == {
        ("第一章",): "# 第一章",
        ("第一章", "第二节"): "第二节",
        ("第一章", "三 x y"): "## 三 `x` **y**",
    }
    assert document.text == source.strip()  # what is no table is as it was written


def test_a_table_gives_rows_with_column_names() -> None:
    (document,) = load("a.md", "前\n\n| 城市 | 上限 |\n|---|---|\n| 北京 | **600**元 |\n| 杭州 |  |\n\n后".encode())
    assert document.text == "前\n\n城市: 北京；上限: 600元\n城市: 杭州\n\n后"


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ("| 查看 | ls|wc |", "项目: 查看；说明: ls | wc"),
        ("查看 | ls|wc", "项目: 查看；说明: ls | wc"),
        ("| 查看 | 一 | **二** | 三 |", "项目: 查看；说明: 一 | 二 | 三"),
        ("| 查看 |  | 二 |", "项目: 查看；说明: 二"),
        ("| 查看 | 一 |  |  |", "项目: 查看；说明: 一"),
        (r"| 查看 | ls\|wc |", "项目: 查看；说明: ls|wc"),
        ("| 查看 | 一 | 二<!-- 藏 --> |", "项目: 查看；说明: 一 | 二"),
        ("| 查看 |", "项目: 查看"),
        ("||一|二|", "说明: 一 | 二"),
    ],
)
def test_cells_beyond_the_last_column_are_not_lost(row: str, text: str) -> None:
    source = f"前\n\n| 项目 | 说明 |\n|---|---|\n| 甲 | 乙 |\n{row}\n| 丙 | 丁 |\n\n后"
    (document,) = load("a.md", source.encode())
    checked(document)
    assert document.text == f"前\n\n项目: 甲；说明: 乙\n{text}\n项目: 丙；说明: 丁\n\n后"


def test_thousands_of_tables_are_read_one_after_the_other() -> None:
    def seconds(tables: int) -> float:
        began = time.process_time()
        (document,) = load("a.md", b"|a|b|\n|-|-|\n|c|d|\n\n" * tables)
        assert document.text.count("a: c；b: d") == tables
        return time.process_time() - began

    # going through the rest of the file for each of them makes eight times as many take some fifty times as long
    assert seconds(8000) < 24 * seconds(1000)


def test_a_heading_over_all_others_is_the_title_and_no_part_of_paths() -> None:
    (document,) = load("x.md", "# 公司年假办法\n\n版本：2026-10\n\n## 第一章 总则\n\n正文".encode())
    assert document.title == "公司年假办法"
    assert list(at_sections(document)) == [("第一章 总则",)]


def test_comments_are_left_out_and_noted_and_code_is_not() -> None:
    source = "# 标题\n\n<!-- 内部：勿外传 -->\n\n正文<!-- 旁注 -->继续。\n\n```\n<!-- 代码 -->\n```\n\n用 `<!-- x -->` 写注释。"
    (document,) = load("a.md", source.encode())
    checked(document)
    assert document.text == "# 标题\n\n正文继续。\n\n```\n<!-- 代码 -->\n```\n\n用 `<!-- x -->` 写注释。"
    assert [(r.text, r.why) for r in document.removed] == [
        ("<!-- 内部：勿外传 -->", "comment"),
        ("<!-- 旁注 -->", "comment"),
    ]


def test_a_comment_that_is_not_closed_stays() -> None:
    assert load("a.md", "正文\n\n<!-- 开头 ".encode() + b"<!--" * 20_000)[0].text.startswith("正文\n\n<!-- 开头")


@pytest.mark.parametrize(
    ("source", "text", "comments"),
    [
        ("- 甲<!-- 一 -->\n- 乙 <!-- 二 -->", "- 甲\n- 乙", ["<!-- 一 -->", "<!-- 二 -->"]),
        ("> 甲<!-- 一\n> 二 -->乙", "> 甲乙", ["<!-- 一\n> 二 -->"]),
        ("|甲|乙|\n|-|-|\n|一<!-- 藏 -->|1|", "甲: 一；乙: 1", ["<!-- 藏 -->"]),
        ("用 `a` 与<!-- 藏 -->``b`c``", "用 `a` 与``b`c``", ["<!-- 藏 -->"]),
        ("写作 `<!-- 注 -->` 即可<!-- 藏 `x -->。`", "写作 `<!-- 注 -->` 即可。`", ["<!-- 藏 `x -->"]),
        ("# 标题<!-- 藏 -->\n\n文", "# 标题\n\n文", ["<!-- 藏 -->"]),
        ("```\n<!-- 注 -->\n```", "```\n<!-- 注 -->\n```", []),
        ("- 项\n\n  ~~~\n  <!-- 注 -->\n  ~~~", "- 项\n\n  ~~~\n  <!-- 注 -->\n  ~~~", []),
        ("    <!-- 注 -->", "    <!-- 注 -->".strip(), []),
        ("甲 <!-- 未完", "甲 <!-- 未完", []),
    ],
)
def test_comments_are_left_out_wherever_they_stand_but_in_code(source: str, text: str, comments: list[str]) -> None:
    (document,) = load("a.md", source.encode())
    checked(document)
    assert document.text == text
    assert [(r.text, r.why) for r in document.removed] == [(comment, "comment") for comment in comments]
    if source.startswith("# "):
        assert document.title == "标题"
