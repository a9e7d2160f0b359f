import pytest

from rag.corpus.load import load
from rag.errors import EmptyDocument, UnsafeFile
from tests.corpus.load.files import at_sections, checked


def page(body: str, head: str = "") -> bytes:
    return f"<!DOCTYPE html><html><head>{head}</head><body>{body}</body></html>".encode()


def test_what_a_reader_sees() -> None:
    body = (
        "<nav>菜单</nav><script>var x</script><style>p{}</style><h1>指南</h1><p>开头<b>粗</b>体<br>换行</p>"
        "<h2>一 报障</h2><ul><li>电话</li><li>邮件</li></ul><!-- 注释 --><p hidden>藏</p><p style='display: none'>隐</p>"
        "<h2>二 时限</h2><pre>a\n  b</pre><footer>版权</footer>"
    )
    (document,) = load("a.html", page(body, "<title>服务台指南</title>"))
    checked(document)
    assert document.title == "服务台指南"
    assert document.text == "指南\n\n开头粗体\n换行\n\n一 报障\n\n- 电话\n- 邮件\n\n二 时限\n\na\n  b"
    assert at_sections(document) == {("一 报障",): "一 报障", ("二 时限",): "二 时限"}


def test_tables_with_spans() -> None:
    table = (
        "<table><tr><th rowspan=2>职级</th><th colspan=2>标准</th></tr><tr><th>住宿</th><th>餐费</th></tr>"
        "<tr><td rowspan=2>P1</td><td>600</td><td>120</td></tr><tr><td>450</td><td>100</td></tr></table>"
    )
    (document,) = load("a.htm", page(table))
    assert document.text == "职级: P1；标准/住宿: 600；标准/餐费: 120\n职级: P1；标准/住宿: 450；标准/餐费: 100"


def test_a_table_that_lays_out_the_page_is_walked() -> None:
    body = "<table><tr><td><h2>休假</h2><p>十五天。</p></td><td><table><tr><th>甲<th>乙<tr><td>一<td>二</table></td></tr></table>"
    (document,) = load("a.html", page(body))
    assert document.text == "休假\n\n十五天。\n\n甲: 一；乙: 二"


@pytest.mark.parametrize("declared", ["gb2312", "gbk", "utf-8", "nonsense", ""])
def test_gbk_pages_whatever_they_declare(declared: str) -> None:
    meta = f'<meta http-equiv="Content-Type" content="text/html; charset={declared}">' if declared else ""
    source = f"<html><head>{meta}</head><body><p>员工每年享受十五天带薪年假，朱镕基。</p></body></html>"
    (document,) = load("a.html", source.encode("gb18030"))
    assert document.text == "员工每年享受十五天带薪年假，朱镕基。"


def test_a_utf8_page_that_declares_gbk() -> None:
    assert load("a.html", page("<p>年假</p>", "<meta charset=gbk>"))[0].text == "年假"


def test_huge_spans_are_refused() -> None:
    row = "<td colspan=1000 rowspan=1000>x</td>"
    with pytest.raises(UnsafeFile, match="cells"):
        load("a.html", page("<table>" + f"<tr>{row}</tr>" * 1000 + "</table>"))


def test_a_page_with_nothing_to_read() -> None:
    with pytest.raises(EmptyDocument):
        load("a.html", page("<script>x</script>"))
