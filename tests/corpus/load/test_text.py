import codecs

import pytest

from rag.corpus.load import SUFFIXES, load
from rag.errors import EmptyDocument, LoadError, UnsupportedFormat
from tests.corpus.load.files import at_sections, checked, pdf, said, word

POLICY = (
    "年假管理办法\n版本：2026-10\n生效日期：2026年10月1日\n\n第一章 总则\n\n"
    "第一条 员工入职满一年后，每年可享受15天带薪年假，须提前3个工作日申请。\n\n第二章 申请\n\n第二条 由直属主管审批。"
)
TRADITIONAL = "員工入職滿一年後，每年可享受十五天帶薪年假，須於三個工作日前提出申請，由直屬主管審批。" * 3


def test_text_keeps_its_words_and_gets_sections_and_metadata() -> None:
    (document,) = load("年假管理办法_2025-01.txt", POLICY.encode())
    checked(document)
    assert document.text == POLICY
    assert at_sections(document) == {("第一章 总则",): "第一章 总则", ("第二章 申请",): "第二章 申请"}
    assert (document.doc_id, document.version, document.title) == ("年假管理办法", "2026-10", "年假管理办法")
    assert str(document.effective_from) == "2026-10-01"
    assert document.warnings == ()


@pytest.mark.parametrize(
    ("encoding", "mark", "warned"),
    [
        ("utf-8", codecs.BOM_UTF8, False),
        ("utf-8", b"", False),
        ("utf-16-le", codecs.BOM_UTF16_LE, False),
        ("utf-16-be", codecs.BOM_UTF16_BE, False),
        ("utf-32-le", codecs.BOM_UTF32_LE, False),
        ("gb18030", b"", False),
        ("utf-16-le", b"", True),
        ("utf-16-be", b"", True),
    ],
)
def test_encodings_of_simplified_chinese(encoding: str, mark: bytes, warned: bool) -> None:
    (document,) = load("a.txt", mark + POLICY.encode(encoding))
    assert document.text == POLICY
    assert bool(document.warnings) is warned


def test_big5_is_told_from_gb18030_though_its_bytes_are_valid_there() -> None:
    data = TRADITIONAL.encode("big5")
    assert data.decode("gb18030") != TRADITIONAL  # it would have gone through
    (document,) = load("a.txt", data)
    assert document.text == TRADITIONAL
    assert document.reading.en == "text, Big5 (certain: valid, 100% everyday characters)"


def test_four_byte_gb18030_and_western_quotes() -> None:
    (document,) = load("a.txt", (POLICY + "䑩𠮷").encode("gb18030"))
    assert document.text.endswith("䑩𠮷")
    (document,) = load("a.txt", "Employees’ leave: 15 days – résumé".encode("cp1252"))
    assert document.text == "Employees’ leave: 15 days – résumé"
    assert document.warnings


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030"])
def test_a_file_cut_inside_a_character_loads_with_a_warning(encoding: str) -> None:
    (document,) = load("a.txt", (POLICY + "完").encode(encoding)[:-1])
    assert document.text == POLICY
    assert "incomplete" in document.warnings[-1].en


def test_unknown_bytes_are_refused_not_indexed() -> None:
    with pytest.raises(LoadError, match=r"a\.txt.*UTF-8"):
        load("a.txt", bytes(range(128, 256)) * 4)


def test_control_characters_and_line_ends_are_cleaned() -> None:
    (document,) = load("a.txt", "一\x00二\r\n三\x07 \r\n\r\n\r\n\r\n四".encode())
    assert checked(document).text == "一二\n三\n\n四"


@pytest.mark.parametrize("data", [b"", b" \n\t ", b"\x00\x00", codecs.BOM_UTF8])
def test_nothing_in_it(data: bytes) -> None:
    with pytest.raises(EmptyDocument, match=r"empty\.txt"):
        load("empty.txt", data)


def test_english_numbered_headings_are_sections_and_lists_are_not() -> None:
    text = "Policy\n\n1. Purpose\n\nThis policy tells.\n\n2. Scope\n\nAll staff.\n\n1. One\n\n2. Two\n\n3. Three"
    (document,) = load("p.txt", text.encode())
    assert list(at_sections(document)) == [("1. Purpose",), ("2. Scope",)]


@pytest.mark.parametrize(
    "line",
    ["第三条规定的情形", "第一章", "第二条 员工每年享受年假。", "一、二、三都可以，不限", "第五条 " + "很长的条文" * 9],
)
def test_what_is_a_heading_by_wording(line: str) -> None:
    (document,) = load("a.txt", f"前言。\n\n{line}\n\n正文。".encode())
    assert [s.path for s in document.sections] == ([("第一章",)] if line == "第一章" else [])


def test_content_decides_before_the_name() -> None:
    page = pdf(said(72, 72, "设备报销额度为三千元。"))
    assert load("a.txt", page)[0].text == "设备报销额度为三千元。"
    document = word(lambda d: d.add_paragraph("出差申请。"))
    assert load("a.pdf", document)[0].text == "出差申请。"
    assert load("a.xls", "<!DOCTYPE html><p>表</p>".encode())[0].text == "表"


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.exe", b"MZ\x90\0"),
        ("a.odt", b"\0<a/>"),
        ("a", b"\0text"),
        ("a.txt", b"\x89PNG\r\n\x1a\n"),
        ("a.zip", b"PK\x03\x04"),
    ],
)
def test_kinds_that_are_not_read(name: str, data: bytes) -> None:
    with pytest.raises(LoadError) as caught:
        load(name, data)
    assert name in caught.value.message("zh")
    assert isinstance(caught.value, UnsupportedFormat) or data.startswith(b"PK")


def test_old_or_encrypted_office_files_say_what_to_do() -> None:
    for name in ("a.doc", "a.docx", "a.xls"):
        with pytest.raises(LoadError, match=r"\.docx or \.xlsx") as caught:
            load(name, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512))
        assert "加密" in caught.value.message("zh")


@pytest.mark.parametrize("suffix", [".docx", ".pdf", ".xlsx"])
def test_binary_names_with_other_content_are_damaged_files(suffix: str) -> None:
    with pytest.raises(LoadError, match="damaged"):
        load(f"a{suffix}", "只是文字\0".encode())


def test_suffixes() -> None:
    assert {".txt", ".md", ".json", ".docx", ".pdf", ".xlsx", ".html", ".htm"} <= set(SUFFIXES)
