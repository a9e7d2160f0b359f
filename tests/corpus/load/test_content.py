"""A file is taken for what its content is."""

import io

import pytest

from rag.corpus.load import SUFFIXES, load
from rag.corpus.load.kinds import kind_of
from rag.errors import LoadError, UnsupportedFormat
from tests.corpus.load.files import book, pdf, said, word
from tests.corpus.load.ole_files import container

PAGE = "<table><tr><td>年度</td><td>分数线</td></tr><tr><td>2022</td><td>652</td></tr></table>"
TEXT = "员工入职满一年后，每年可享受十五天带薪年假。"


def a_pdf() -> bytes:
    return pdf(said(72, 72, TEXT))


def a_word() -> bytes:
    return word(lambda d: d.add_paragraph(TEXT))


def a_book() -> bytes:
    return book(表=lambda sheet: sheet.append([TEXT]))


@pytest.mark.parametrize("make", [a_pdf, a_word, a_book], ids=["pdf", "word", "book"])
@pytest.mark.parametrize("suffix", [".pdf", ".docx", ".xlsx", ".txt", ".doc", ".wps", ".xls", ".html", ".csv", ".json"])
def test_the_content_decides_and_the_warning_names_both(make, suffix: str) -> None:  # type: ignore[no-untyped-def]
    (document,) = load(f"制度{suffix}", make())
    assert TEXT in document.text
    own = suffix == {"a_pdf": ".pdf", "a_word": ".docx", "a_book": ".xlsx"}[make.__name__]
    assert bool(document.warnings) is not own
    if not own:
        assert suffix in document.warnings[0].en and suffix in document.warnings[0].zh


@pytest.mark.parametrize(
    "source",
    [
        f"<html><body>{PAGE}</body></html>",
        f'<html xmlns:x="urn:schemas-microsoft-com:office:excel"><head><meta charset=gbk></head>{PAGE}</html>',
        PAGE,
        f"<meta http-equiv=Content-Type content='text/html; charset=gb2312'><style>td{{}}</style>{PAGE}",
        f"<!-- 导出 -->\n<div>{PAGE}</div>",
    ],
)
@pytest.mark.parametrize("encoding", ["gb18030", "utf-8", "utf-16"])
def test_a_page_in_gbk_named_xls(source: str, encoding: str) -> None:
    (document,) = load("导出.xls", source.encode(encoding))
    assert "年度: 2022；分数线: 652" in document.text or "年度 | 分数线" in document.text
    assert document.warnings[0].zh.startswith("导出.xls：扩展名是 .xls，内容却是网页")


def test_a_cut_pdf_named_txt_is_refused_as_the_pdf_it_is() -> None:
    whole = pdf(*[said(72, 72, TEXT)] * 30, packed=True)
    with pytest.raises(LoadError, match=r"damaged.*\.txt.*PDF") as caught:
        load("a.txt", whole[: len(whole) // 2][:-700])
    assert "PDF" in caught.value.message("zh")


def test_text_about_other_formats_is_text() -> None:
    for text in (
        "PDF 文件以 %PDF- 开头，说明如下。",
        "Subject: 这是说明\n\n正文",
        "<p> 是段落标签，用法如下。",
        "<?xml 的写法",
    ):
        (document,) = load("a.txt", text.encode())
        assert document.text == text and document.warnings == ()


@pytest.mark.parametrize(
    ("streams", "expected", "kind"),
    [
        (["EncryptedPackage", "EncryptionInfo"], "加密", LoadError),
        (["WordDocument"], ".docx", UnsupportedFormat),
        (["PowerPoint Document"], ".pptx", UnsupportedFormat),
        (["__properties_version1.0"], ".eml", UnsupportedFormat),
        (["Anything"], ".docx", UnsupportedFormat),
    ],
)
@pytest.mark.parametrize("name", ["a.docx", "a.doc", "a.wps", "a.xlsx", "a.txt"])
def test_old_and_encrypted_files_say_which_they_are(
    streams: list[str], expected: str, kind: type[LoadError], name: str
) -> None:
    with pytest.raises(kind) as caught:
        load(name, container(dict.fromkeys(streams, b"x" * 5000)))
    assert expected in caught.value.message("zh") and expected.replace("加密", "encrypted") in caught.value.message(
        "en"
    )


def test_an_old_word_document_under_a_password_says_so() -> None:
    head = bytes([0xEC, 0xA5, 0xC1, 0, 0, 0, 0, 0, 0, 0, 0, 0x13])
    with pytest.raises(LoadError, match="encrypted"):
        load("a.doc", container({"WordDocument": head + bytes(6000)}))


def test_names_with_rare_endings_are_no_contradiction() -> None:
    assert load("a.docm", a_word())[0].warnings == ()
    assert load("a.ndjson", b'{"doc_id":"a","title":"t","version":"1","source":"s","text":"x"}')[0].warnings == ()
    assert load("制度", a_pdf())[0].warnings == ()


def test_the_message_for_other_kinds_lists_every_ending() -> None:
    with pytest.raises(UnsupportedFormat) as caught:
        load("a.mp4", io.BytesIO(b"\0\0\0\x18ftypmp42").getvalue())
    for suffix in SUFFIXES:
        assert suffix in caught.value.message("en") and suffix in caught.value.message("zh")
    assert len(set(SUFFIXES)) == len(SUFFIXES) >= 15


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_ending_has_its_loader(suffix: str) -> None:
    text_like = {".txt", ".md", ".json", ".jsonl", ".csv", ".tsv", ".xml", ".eml", ".html", ".htm"}
    if suffix in text_like:
        assert suffix in kind_of(f"a{suffix}", b"text").suffixes
    elif suffix != ".xls":
        with pytest.raises(LoadError, match="damaged"):
            kind_of(f"a{suffix}", b"\0text")


@pytest.mark.parametrize(
    "name", ["README", "制度.doc", "制度.wps", "a.exe", "a.docx", "a.pdf", "a.xlsx", "a.rtf", "a.mp4"]
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_plain_text_is_read_under_any_name(name: str, encoding: str) -> None:
    (document,) = load(name, f"第一章 总则\n{TEXT}".encode(encoding))
    assert TEXT in document.text and document.reading.en.startswith("text, ")
    if name == "README":
        assert document.warnings == ()
    else:
        assert name[name.index(".") :] in document.warnings[0].en and "纯文本" in document.warnings[0].zh


@pytest.mark.parametrize(
    "data",
    [b"", b"  \n", b"\x89PNG\r\n", b"PK\x03\x04text", b"\x01\x02\x03abc" * 20, b"text\0", b"\xff\xfe\xff", b"\x93\x81"],
)
@pytest.mark.parametrize("name", ["README", "a.doc", "a.docx", "a.pdf", "a.mp4"])
def test_what_is_not_surely_text_is_not_read_as_text(name: str, data: bytes) -> None:
    with pytest.raises(LoadError):
        load(name, data)
