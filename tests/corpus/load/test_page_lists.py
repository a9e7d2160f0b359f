"""Ordered lists of web pages keep the numbers that a browser shows."""

import pytest

from rag.corpus.load import load


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<ol><li>申请<li>审批</ol>", "1. 申请\n2. 审批"),
        ("<ol start=3><li>申请</li><li>审批</li></ol>", "3. 申请\n4. 审批"),
        ("<ol><li value=5>申请<li>审批<li value=x>归档</ol>", "5. 申请\n6. 审批\n7. 归档"),
        ("<ol type=a start=2><li>申请<li>审批</ol>", "b. 申请\nc. 审批"),
        ("<ol start=x><li>申请</ol><ul><li>审批</ul>", "1. 申请\n\n- 审批"),
        ("<ol><li><p>申请</p><p>附件</p></li><li><p>审批</p></li></ol>", "1. 申请\n\n附件\n\n2. 审批"),
        ("<ol start=2><li>申请<ol><li>填表</ol></li><li>审批</li></ol>", "2. 申请\n\n1. 填表\n\n3. 审批"),
        ("<ol reversed><li>申请</ol>", "- 申请"),
        ("<ol start=0><li>申请<li>审批</ol>", "0. 申请\n1. 审批"),
        ("<ol start=-1><li>申请</ol>", "-1. 申请"),
    ],
)
def test_ordered_lists(html: str, text: str) -> None:
    assert load("a.html", f"<p>流程</p>{html}".encode())[0].text == f"流程\n\n{text}"


def test_a_number_beyond_its_system_is_a_number() -> None:
    for start in (0, -5, 999_999_999):
        for kind in "aAiI1":
            assert "申请" in load("a.html", f"<ol type={kind} start={start}><li>申请</ol>".encode())[0].text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<ol type=a start=26><li>申请<li>审批<li>归档</ol>", "z. 申请\naa. 审批\nab. 归档"),
        ("<ol type=A start=703><li>申请</ol>", "AAA. 申请"),
        ("<ol style='list-style-type: lower-alpha'><li>申请<li>审批</ol>", "a. 申请\nb. 审批"),
        ("<ol style='list-style: inside upper-roman'><li>申请<li>审批</ol>", "I. 申请\nII. 审批"),
        ("<ol style='list-style-type:cjk-ideographic'><li>申请</ol>", "一. 申请"),
        ("<ol style='list-style:none'><li>申请</ol>", "- 申请"),
        ("<ol type=a><li style='list-style-type:decimal'>申请<li>审批</ol>", "1. 申请\nb. 审批"),
    ],
)
def test_the_kind_of_numbers_that_a_browser_shows(html: str, text: str) -> None:
    assert load("a.html", f"<p>流程</p>{html}".encode())[0].text == f"流程\n\n{text}"


def test_lists_in_cells_keep_their_numbers() -> None:
    rows = "<tr><th>流程<th>要求<tr><td>申请<td><ol><li>填写表单<li>主管审批</ol><tr><td>附件<td><ul><li>甲<li>乙</ul>"
    (read,) = load("a.html", f"<p>开头<table>{rows}</table>".encode())
    assert read.text == "开头\n\n流程: 申请；要求: 1. 填写表单 2. 主管审批\n流程: 附件；要求: - 甲 - 乙"
