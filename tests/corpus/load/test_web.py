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


@pytest.mark.parametrize(
    ("head", "source"),
    [
        ('<link rel="canonical" href="https://example.com/a?b=1">', "https://example.com/a?b=1"),
        ('<meta property="og:url" content="http://example.com/x">', "http://example.com/x"),
        ('<base href="https://example.com/">', "https://example.com/"),
        ("<!-- saved from url=(0021)https://example.com/p -->", "https://example.com/p"),
        ('<link rel="canonical" href="javascript:alert(1)">', "a.html"),
        ('<link rel="canonical" href="/only/a/path">', "a.html"),
        ('<meta property="og:url" content="https://e.x/&quot;><script>">', "a.html"),
        ("", "a.html"),
    ],
)
def test_a_page_keeps_its_address_when_it_is_one_on_the_web(head: str, source: str) -> None:
    (document,) = load("a.html", page("<p>年假</p>", head))
    assert document.source == source


def test_the_title_is_the_pages_own_or_the_one_for_sharing() -> None:
    assert load("a.html", page("<h1>甲</h1><p>文</p>", "<title>乙</title>"))[0].title == "乙"
    assert load("a.html", page("<p>文字。</p>", '<meta property="og:title" content="丙">'))[0].title == "丙"


def removed(body: str) -> list[tuple[str, str]]:
    (document,) = load("a.html", page(body))
    checked(document)
    return [(r.text, r.why) for r in document.removed]


def test_what_is_left_out_is_noted_with_its_reason_at_its_place() -> None:
    body = (
        "<nav>菜单</nav><p>甲<span hidden>藏</span>乙</p><!-- 注 --><script>var x</script><p>丙</p>"
        "<table><tr><th>一<th>二<tr><td>1<td>2<span style='display:none'>3</span></table><footer>版权</footer>"
    )
    (document,) = load("a.html", page(body))
    assert document.text == "甲乙\n\n丙\n\n一: 1；二: 2"
    assert [(r.text, r.why) for r in document.removed] == [
        ("菜单", "navigation"),
        ("藏", "hidden"),
        ("注", "comment"),
        ("var x", "script"),
        ("3", "hidden"),
        ("版权", "navigation"),
    ]
    places = [r.at for r in document.removed]
    assert places == sorted(places) and places[1] == 1 and places[0] == 0


LINKS = "".join(f"<li><a href='/{n}'>栏目{n}</a></li>" for n in range(6))


def test_lists_of_short_links_are_navigation_and_links_in_sentences_are_not() -> None:
    text = "<p>详见<a href='/a'>年假办法</a>与<a href='/b'>请假规定</a>，须提前申请。</p>"
    assert removed(f"<div><ul>{LINKS}</ul></div>{text}") == [(" ".join(f"栏目{n}" for n in range(6)), "navigation")]
    inward = LINKS.replace("'/", "'#")
    assert removed(f"<ul>{inward}</ul>{text}")[0][1] == "contents"
    table = "<table><tr><th>表单<th>下载" + "".join(
        f"<tr><td><a href='/{n}'>表{n}</a><td><a href='/d{n}'>下载</a>" for n in range(5)
    )
    assert removed(f"{text}{table}</table>") == []
    assert (
        removed(
            f"{text}<ul>{'<li><a href=x>关于进一步规范差旅住宿标准执行口径的若干补充规定（二〇二六年修订）</a></li>' * 5}</ul>"
        )
        == []
    )


def test_a_page_of_nothing_but_links_is_its_links() -> None:
    (document,) = load("a.html", page(f"<ul>{LINKS}</ul>"))
    assert document.text == "\n".join(f"- 栏目{n}" for n in range(6))


def test_what_stands_beside_the_main_content_is_left_out() -> None:
    body = f"<div>上方<h1>标题</h1></div><div>旁边</div><main><p>{'正文很长。' * 20}</p></main><div>下方</div>"
    (document,) = load("a.html", page(body))
    assert "旁边" not in document.text and "下方" not in document.text and "标题" in document.text
    assert [r.text for r in document.removed] == ["旁边", "下方"]
    # a main element that holds next to nothing is not believed
    body = f"<div><p>{'正文很长。' * 20}</p></div><main>空</main>"
    assert "正文很长" in load("a.html", page(body))[0].text


def test_classes_that_name_navigation_are_believed_of_small_elements_only() -> None:
    body = f"<div class='breadcrumb'>首页 / 制度</div><div id='menu'><p>{'正文很长。' * 20}</p></div><div class='footer'>备案号</div>"
    (document,) = load("a.html", page(body))
    assert document.text == "正文很长。" * 20
    assert [r.text for r in document.removed] == ["首页 / 制度", "备案号"]
