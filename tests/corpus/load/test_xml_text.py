import pytest

from rag.corpus.load import load
from rag.errors import EmptyDocument, LoadError, UnsafeFile, UnsupportedFormat
from tests.corpus.load.files import at_sections, checked

FEED = """<?xml version="1.0" encoding="{encoding}"?>
<!-- 註解 -->
<rss version="2.0"><channel><title>苦勞網</title><link>http://www.example.org/</link>
<item><title>工會抗議</title><link>http://www.example.org/1</link>
<description>&lt;p&gt;立法院今天&lt;b&gt;審議&lt;/b&gt;條例。&lt;/p&gt;&lt;script&gt;x()&lt;/script&gt;</description></item>
<item><title>年假</title><description>每年十五天&#65292;須提前申請。</description></item></channel></rss>"""


@pytest.mark.parametrize("encoding", ["big5", "utf-8", "gb18030", "utf-16"])
def test_a_feed_in_its_declared_encoding(encoding: str) -> None:
    (document,) = load("新聞.xml", FEED.format(encoding=encoding).encode(encoding))
    checked(document)
    assert document.title == "苦勞網"
    assert at_sections(document) == {("工會抗議",): "工會抗議", ("年假",): "年假"}
    assert "立法院今天審議條例。" in document.text and "每年十五天，須提前申請。" in document.text
    assert "http://www.example.org/1" in document.text
    assert "註解" not in document.text and "x()" not in document.text and "<p>" not in document.text
    assert "XML" in document.reading.en


def test_an_encoding_that_is_not_declared_or_not_true_is_detected() -> None:
    for declared in ("utf-8", "iso-8859-1"):
        assert "立法院今天審議條例" in load("a.xml", FEED.format(encoding=declared).encode("big5"))[0].text


def test_records_are_rows_with_the_names_of_their_fields() -> None:
    rows = "".join(f"<row><name>{n}</name><days>{d}</days></row>" for n, d in (("张三", 15), ("李四", 10)))
    (document,) = load("a.xml", f"<list>{rows}</list>".encode())
    assert document.text == "name: 张三；days: 15\nname: 李四；days: 10"
    assert document.tables[0].header == "name | days"


def test_words_between_elements_are_one_paragraph() -> None:
    (document,) = load("a.xml", "<d><p>员工<b>每年</b>享受年假。</p><p>须申请。</p></d>".encode())
    assert document.text == "员工每年享受年假。\n\n须申请。" or document.text == "员工每年享受年假。\n须申请。"


@pytest.mark.parametrize(
    "prolog",
    [
        '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE a [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>',
        '<!-- c --><?p i?>\n<!DOCTYPE a [<!ENTITY % x SYSTEM "http://127.0.0.1/x.dtd"> %x;]>',
        '<!DOCTYPE a SYSTEM "a.dtd" [ ]>',
        '<!-- <a --><!DOCTYPE a [<!ENTITY x "y">]>',
        '<?p <a?><!DOCTYPE a [<!ENTITY x "y">]>',
        '<!-- <!DOCTYPE a> --><!DOCTYPE a [<!ENTITY x "y">]>',
        '<!DOCTYPE a SYSTEM ">" [<!ENTITY x "y">]>',
        '<!-- not -- well formed --><!DOCTYPE a [<!ENTITY x "y">]>',
        '<!-- not -- <a --><!DOCTYPE a [<!ENTITY % x SYSTEM "x.dtd"> ]>',
    ],
)
def test_entities_of_its_own_are_refused(prolog: str) -> None:
    for encoding in ("utf-8", "utf-16"):
        with pytest.raises(UnsafeFile, match="entities"):
            load("a.xml", f"{prolog}<a>&x;文字</a>".encode(encoding))


def test_a_document_type_elsewhere_is_never_fetched_and_entities_of_html_are_characters() -> None:
    source = '<!DOCTYPE a PUBLIC "-//X" "http://127.0.0.1:9/x.dtd"><a>甲&nbsp;乙&amp;&unknown;</a>'
    (document,) = load("a.xml", source.encode())
    assert document.text.replace("\xa0", " ").startswith("甲 乙&")


def test_a_text_that_speaks_of_document_types_is_read() -> None:
    (document,) = load("a.xml", b"<a><p>about</p><![CDATA[<!DOCTYPE a [ ]> is refused]]></a>")
    assert "is refused" in document.text
    for prolog in ('<!DOCTYPE a SYSTEM ">[">', "<!-- <!DOCTYPE a [ --><!DOCTYPE a>", "<?p <!DOCTYPE a [ ?>"):
        assert load("a.xml", f"{prolog}<a>文字</a>".encode())[0].text == "文字"


def test_what_is_not_well_formed_is_read_with_a_warning_or_refused_with_the_line() -> None:
    (document,) = load("a.xml", "<d>\n<p>员工每年享受年假，须提前申请。</p>\n<p>甲 & 乙</p></d>".encode())
    assert "享受年假" in document.text and "line 3" in document.warnings[0].en and "第 3 行" in document.warnings[0].zh
    with pytest.raises(LoadError, match="line 1"):
        load("a.xml", "不是 XML，只是文字而已。".encode())


def test_deep_nesting_many_elements_and_nothing_are_refused() -> None:
    with pytest.raises(LoadError):
        load("a.xml", b"<a>" * 5000 + "文".encode() + b"</a>" * 5000)
    with pytest.raises(UnsafeFile, match="100,000"):
        load("a.xml", b"<a>" + b"<b>x</b>" * 120_000 + b"</a>")
    with pytest.raises(EmptyDocument):
        load("a.xml", b"<a b='c'/>")


BOOK = """<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?>
<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet">
<Worksheet ss:Name="标准"><Table><Row><Cell><Data ss:Type="String">职级</Data></Cell><Cell ss:Index="3"><Data>餐费</Data></Cell></Row>
<Row><Cell ss:MergeDown="1"><Data>P1</Data></Cell><Cell ss:Index="3"><Data>120</Data></Cell></Row>
<Row ss:Index="3"><Cell ss:Index="3"><Data>100</Data></Cell></Row></Table></Worksheet></Workbook>"""


def test_a_workbook_saved_as_xml_gives_rows_and_a_word_document_is_refused() -> None:
    (document,) = load("导出.xls", BOOK.encode())
    assert document.text.endswith("职级: P1；餐费: 120\n职级: P1；餐费: 100")
    assert "XML" in document.warnings[0].en
    word = '<?xml version="1.0"?><?mso-application progid="Word.Document"?><w:wordDocument xmlns:w="x"/>'
    with pytest.raises(UnsupportedFormat, match=r"\.docx"):
        load("a.doc", word.encode())


def test_comments_are_noted_at_their_place() -> None:
    source = "<!-- 前 --><r><!-- 一 --><p>甲<!-- 二 -->乙</p><i><a>1</a><b>2</b><!-- 三 --></i><i><a>3</a><b>4</b></i></r><!-- 后 -->"
    (document,) = load("a.xml", source.encode())
    assert "甲乙" in document.text and not set("前一二三后") & set(document.text)
    assert sorted(r.text for r in document.removed) == sorted("前一二三后")
    assert {r.why for r in document.removed} == {"comment"}


def test_a_page_in_a_feed_that_is_refused_names_the_file() -> None:
    row = "<td colspan=1000 rowspan=1000>x</td>"
    table = "&lt;table>" + f"<tr>{row}</tr>".replace("<", "&lt;") * 1000 + "&lt;/table>"
    with pytest.raises(UnsafeFile) as caught:
        load("制度.rss", f"<rss><item><description>{table}</description></item></rss>".encode())
    assert caught.value.message("zh").startswith("制度.rss：") and caught.value.message("en").startswith("制度.rss: ")
