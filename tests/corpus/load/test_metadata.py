from datetime import date

import pytest

from rag.corpus.load import load
from rag.corpus.load.builder import Meta, Parsed
from rag.corpus.load.metadata import below_title, document, from_lines, from_name
from rag.types import Section, Table


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
        ("版本 1.3 自2026年1月15日起施行", Meta(version="1.3", effective_from=date(2026, 1, 15))),
        ("员工手册 版次 2", Meta(version="2")),
        ("Version 2 of the form is required", Meta()),
        ("版本2份，交人事部", Meta()),
        ("编号：HR-01　版本：3；生效日期：2026年10月1日", Meta(version="3", effective_from=date(2026, 10, 1))),
        ("版本: 2026-10；失效日期: 2026-09-30", Meta(version="2026-10", effective_to=date(2026, 9, 30))),
        ("有效期至 2027.12.31", Meta(effective_to=date(2027, 12, 31))),
        ("本办法自2026年1月5日起施行", Meta(effective_from=date(2026, 1, 5))),
        ("Version: 2026-10", Meta(version="2026-10")),
        ("Effective date: 2026-10-01", Meta(effective_from=date(2026, 10, 1))),
        ("Expiry date: 2026-10-01", Meta(effective_to=date(2026, 10, 1))),
        ("版本 | 4.0", Meta(version="4.0")),
        ("施行日期：二○二六年十月十一日", Meta(effective_from=date(2026, 10, 11))),
        ("生效日期：2026-02-30", Meta()),
        ("操作系统版本：11", Meta()),
        ("本版本说明如下", Meta()),
        ("版本：", Meta()),
        ("版本：\n生效日期：2026-01-01", Meta(effective_from=date(2026, 1, 1))),
        ("**版本**：\n3", Meta()),
        ("版本\n3", Meta()),
        ("失效日期：\n2026-01-01", Meta()),
        ("有效期至\n2026-01-01", Meta()),
        ("版本 | 日期 | 修订人 | 修订内容", Meta()),
        ("版本 | 日期", Meta()),
        ("编号 | HR-001 | 版本：V2", Meta(version="V2")),
        ("请使用浏览器 Chrome version 120", Meta()),
        ("请使用 Chrome version: 120", Meta()),
        ("- Android version 12", Meta()),
        ("Excel 版本 2016", Meta()),
        ("要求：安装 Excel 版本 2016", Meta()),
        ("（版本 3.2）", Meta(version="3.2")),
        ("- 版本 1.3", Meta(version="1.3")),
        ("编号：HR-01 版本 3", Meta(version="3")),
    ],
)
def test_what_the_first_lines_say(line: str, expected: Meta) -> None:
    assert from_lines(f"年假办法\n{line}\n正文") == expected
    assert from_lines("行\n" * 40 + line + "\n字" * 1500) == Meta()


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


@pytest.mark.parametrize(
    ("article", "day"),
    [
        ("第二十条 本办法自2026年10月1日起施行，2025年1月1日起施行的旧办法同时废止。", date(2026, 10, 1)),
        ("第三条　本规定由人力资源部负责解释，自2026年3月1日起正式实施。", date(2026, 3, 1)),
        ("第九条 本细则自二〇二六年一月十五日起施行。", date(2026, 1, 15)),
        ("第九条 本制度自发布之日起施行。", None),
        ("2019年5月1日起施行的旧办法同时废止。", None),
    ],
)
def test_the_last_article_says_when_a_policy_takes_effect(article: str, day: date | None) -> None:
    text = "年假办法\n" + "正文一行。\n" * 60 + article
    assert from_lines(text).effective_from == day
    # what the top says comes first
    assert from_lines("生效日期：2027-01-01\n" + text).effective_from == date(2027, 1, 1)


@pytest.mark.parametrize(
    ("line", "day"),
    [
        ("依据《劳动法》（自1995年1月1日起施行）制定本办法。", None),
        ("依据《劳动合同法》（2007年6月29日通过，自2008年1月1日起施行）制定本办法。", None),
        ("依据《劳动合同法》（生效日期：2008-01-01）制定本办法。", None),
        ("《劳动法》自1995年1月1日起施行。", None),
        ("中华人民共和国劳动法自1995年1月1日起施行。", None),
        ("本办法自2026年10月1日起施行。", date(2026, 10, 1)),
        ("（自2026年10月1日起施行）", date(2026, 10, 1)),
        ("《年假办法》（自2026年10月1日起施行）", date(2026, 10, 1)),
        ("《年假办法》自2026年10月1日起施行。", date(2026, 10, 1)),
        ("年假办法自2026年10月1日起施行。", date(2026, 10, 1)),
        ("现印发《休假细则》，自2026年10月1日起施行。", date(2026, 10, 1)),
        ("依据《劳动法》（以下称该法），本办法自2026年10月1日起施行。", date(2026, 10, 1)),
        ("依据《劳动法》（自1995年1月1日起施行）制定本办法。\n本办法自2026年10月1日起施行。", date(2026, 10, 1)),
        ("依据《劳动法》\n生效日期：2026-10-01", date(2026, 10, 1)),
        ("依据：《劳动法》　生效日期：2026-10-01", date(2026, 10, 1)),
        ("自2026年10月1日起施行", date(2026, 10, 1)),
    ],
)
def test_a_day_of_another_law_is_not_this_documents(line: str, day: date | None) -> None:
    assert from_lines(f"年假办法\n{line}\n正文").effective_from == day
    expiry = line.replace("生效日期", "失效日期").replace("起施行", "起")
    assert from_lines(f"年假办法\n{expiry}\n正文").effective_to == (day if "失效日期" in expiry else None)


def test_who_states_each_value_is_recorded() -> None:
    parsed = Parsed("年假办法\n生效日期：2026-10-01\n正文", meta=Meta(version="3"), title_hint="年假办法")
    made = document("名称_2020-01.txt", "own", parsed)
    assert made.stated == (("title", "text"), ("version", "file"), ("effective_from", "text"))
    made = document("名称_2020-01.txt", "own", Parsed("正文"))
    assert made.stated == (("title", "name"), ("version", "name"))
    front = "---\ntitle: 年假\neffective_to: 2027-09-30\n---\n版本：9\n\n正文"
    (loaded,) = load("x_2020.md", front.encode())
    assert loaded.stated == (("title", "file"), ("version", "text"), ("effective_to", "file"))


@pytest.mark.parametrize("name", ["年假办法.txt", "leave policy.md", "a.html", "a.csv", "a.xml"])
def test_the_same_name_with_new_content_is_another_version_of_the_same_document(name: str) -> None:
    old, new = (load(name, f"<p>第{n}版正文，员工享受年假。</p>".encode())[0] for n in (1, 2))
    assert old.doc_id == new.doc_id and old.key != new.key
    assert load(name, f"<p>第{1}版正文，员工享受年假。</p>".encode())[0].key == old.key


def test_the_title_may_say_the_version() -> None:
    assert from_lines("员工手册 版本 3\n正文").version == "3"
    assert from_lines("Employee handbook version 2.1\ntext").version == "2.1"


REVISIONS = (("版本", "生效日期", "修订人"), ("V1.0", "2024-01-01", "张三"), ("V2.0", "2026-01-01", "李四"))
REGISTER = (("文件名称", "版本", "生效日期"), ("年假制度", "V1.0", "2025-01-01"), ("病假制度", "V2.0", "2026-01-01"))


@pytest.mark.parametrize("rows", [REVISIONS, REVISIONS[:2], REVISIONS[:1], REGISTER, REGISTER[:2]])
def test_rows_of_a_table_with_column_names_do_not_speak_for_the_document(rows: tuple[tuple[str, ...], ...]) -> None:
    marked = "\n".join("|" + "|".join(row) + "|" + "\n|---|---|---|" * (row == rows[0]) for row in rows)
    tagged = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    for name, source in (
        ("a.md", f"# 差旅办法\n\n{marked}\n\n正文"),
        ("a.html", f"<h1>差旅办法</h1><table>{tagged}</table>正文"),
    ):
        (plain,) = load(name, source.encode())
        assert (plain.version, plain.effective_from) == ("", None), plain.text
        (said,) = load(name, source.replace("正文", "<p>版本：V3</p>" if name == "a.html" else "版本：V3").encode())
        assert said.version == "V3"


def test_a_form_and_what_stands_above_a_table_speak_for_the_document() -> None:
    (form,) = load("a.csv", "制度名称,差旅办法\n版本,V2\n生效日期,2026-01-01\n".encode())
    assert (form.version, form.effective_from) == ("V2", date(2026, 1, 1))
    text = "版本：V4\n城市: 北京；版本: 1"
    assert from_lines(text, (Table(0, len(text), "版本：V4\n城市 | 版本"),)).version == "V4"


def test_a_row_of_a_table_is_no_title() -> None:
    for source in ("| 姓名 | 部门 |\n|---|---|\n| 张三 | 财务 |\n\n正文", "| 姓名 | 部门 |\n|---|---|\n\n正文"):
        assert load("名单.md", source.encode())[0].title == "名单"
    assert load("名单.html", "<table><tr><td>差旅办法</td></tr></table><p>正文</p>".encode())[0].title == "差旅办法"


@pytest.mark.parametrize("declared", ["员工手册.doc", "员工手册 v3.DOCX", "C:\\docs\\员工手册.wps", "员工手册.pdf "])
def test_a_declared_title_that_is_a_file_name_is_no_title(declared: str) -> None:
    seen = document("scan.pdf", "own", Parsed("休假办法\n正文", meta=Meta(title=declared), title_hint="休假办法"))
    assert seen.title == "休假办法" and dict(seen.stated)["title"] == "text" and seen.doc_id == "scan"
    unseen = document("scan.pdf", "own", Parsed("正文。", meta=Meta(title=declared)))
    assert unseen.title == "员工手册" and dict(unseen.stated)["title"] == "name"


@pytest.mark.parametrize(
    "declared", ["Node.js 使用规定", "办法（2026.10）", "关于 A.B 的通知", ".pdf", "用 Word.docx 模板的办法"]
)
def test_a_title_with_a_dot_is_a_title(declared: str) -> None:
    assert document("a.pdf", "own", Parsed("正文", meta=Meta(title=declared))).title == declared
