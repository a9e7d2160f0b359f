import random
from collections.abc import Callable

import pytest

from rag.corpus.load import load
from rag.errors import LoadError
from tests.corpus.load.files import checked

HEAD = r"{\rtf1\ansi\ansicpg936\deff0{\fonttbl{\f0\fnil\fcharset134 \'cb\'ce\'cc\'e5;}{\f1\fnil\fcharset0 Arial;}}\uc1\pard\f0 "
TEXT = "员工入职满一年后，每年可享受15天带薪年假。"


def as_bytes(text: str, encoding: str = "gbk") -> str:
    r"""Every byte as ``\'xx``, the letters that end a character as letters, as WordPad writes them."""
    out = ""
    for character in text:
        code = character.encode(encoding)
        out += f"\\'{code[0]:02x}" if code[0] > 0x7F else chr(code[0])
        out += "".join(f"\\'{b:02x}" if b > 0x7F or chr(b) in "\\{}" else chr(b) for b in code[1:])
    return out


def as_numbers(text: str) -> str:
    units = text.encode("utf-16-le")
    numbers = [int.from_bytes(units[n : n + 2], "little", signed=True) for n in range(0, len(units), 2)]
    return "".join(f"\\u{n}?" for n in numbers)


def rich(body: str) -> bytes:
    return (HEAD + body + r"\par}").encode("ascii")


@pytest.mark.parametrize("written", [as_bytes, as_numbers])
def test_chinese_as_bytes_and_as_numbers(written: Callable[[str], str]) -> None:
    (document,) = load("制度.rtf", rich(f"{written('第一章 总则')}\\par {written(TEXT)}"))
    checked(document)
    assert document.text == f"第一章 总则\n\n{TEXT}"
    assert document.sections[0].path == ("第一章 总则",)
    assert document.reading.en == "rich text, code page 936"


def test_characters_beyond_the_basic_plane_and_other_fonts() -> None:
    (document,) = load("a.rtf", rich(as_numbers("𠮷") + as_bytes("镕") + r"{\f1 caf\'e9s}"))
    assert document.text == "𠮷镕cafés"


def test_traditional_chinese_stays_so() -> None:
    text = "員工每年享受帶薪年假，功許蓋。"  # with second bytes that are ASCII signs
    body = HEAD.replace("936", "950").replace("charset134 \\'cb\\'ce\\'cc\\'e5", "charset136 X") + as_bytes(
        text, "big5"
    )
    assert load("a.rtf", f"{body}}}".encode())[0].text == text


def test_tables_give_rows_with_column_names() -> None:
    rows = "".join(
        rf"\trowd {as_bytes(a)}\cell {as_bytes(b)}\cell\row " for a, b in (("职级", "天数"), ("普通员工", "10天"))
    )
    (document,) = load("a.rtf", rich(f"{as_bytes('标准')}\\par {rows}\\pard {as_bytes('完')}"))
    assert document.text == "标准\n\n职级: 普通员工；天数: 10天\n\n完"


def test_under_another_name_and_with_words_that_are_not_seen() -> None:
    (document,) = load("a.doc", rich(as_bytes(TEXT) + r"{\v secret}"))
    assert TEXT in document.text
    assert [bool(w.zh) for w in document.warnings] == [True, True]
    assert "hidden" in document.warnings[1].en


def test_footnotes_text_boxes_and_comments_are_counted_as_left_out() -> None:
    note, box = r"{\footnote\pard NOTE}", r"{\shp{\*\shpinst{\shptxt BOX\par}}{\shprslt{\*\do{\dptxbxtext BOX\par}}}}"
    for body, said, zh in (
        (note, "1 footnote left", "1 个脚注未"),
        (note + r"{\footnote\ftnalt END}" + box, "2 footnotes, 1 text box left", "2 个脚注、1 个文本框未"),
        (r"{\*\do{\dptxbxtext BOX\par}}" * 2, "2 text boxes left", "2 个文本框未"),
        (r"{\*\annotation{\*\atnref 1}REMARK}" + note, "1 footnote, 1 comment left", "1 个脚注、1 条批注未"),
    ):
        (document,) = load("a.rtf", rich(as_bytes(TEXT) + body))
        assert document.text == TEXT
        (warning,) = document.warnings
        assert said in warning.en and zh in warning.zh and "a.rtf" in warning.zh, warning
    # the separator lines of footnotes are no footnotes
    assert load("a.rtf", rich(r"{\*\ftnsep\chftnsep}\ftnbj " + as_bytes(TEXT)))[0].warnings == ()


def test_pictures_are_no_words() -> None:
    (document,) = load("a.rtf", rich(r"{\pict\wmetafile8 " + "0123456789abcdef" * 5000 + "}" + as_bytes(TEXT)))
    assert document.text == TEXT


def test_every_text_comes_back(seeds: Callable[[int], range]) -> None:
    for seed in seeds(200):
        rng = random.Random(seed)
        words = "".join(
            chr(rng.randint(0x4E00, 0x9FA5)) if rng.random() < 0.7 else rng.choice("abc 123，。") for _ in range(60)
        )
        words = f"文{words}字"
        assert load("a.rtf", rich(as_bytes(words)))[0].text == " ".join(words.split(" ")), seed


def test_characters_that_cannot_be_read_refuse_the_file() -> None:
    with pytest.raises(LoadError, match=r"\.docx"):
        load("a.rtf", rich(r"\'81 \'ff"))
    with pytest.raises(LoadError):
        load("a.rtf", b"{\\rtf1 \xff\xfe}")


SILENT = (r"{\rtf1\ansi\pard ", r"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0\fnil\fcharset0 Arial;}}\uc2\pard\f0 ")


@pytest.mark.parametrize("head", SILENT)
@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (TEXT, "gbk"),
        ("员工", "gbk"),
        ("员工a每年b享受c十五天", "gbk"),
        ("員工每年享受帶薪年假，功許蓋。", "big5"),
    ],
)
def test_bytes_of_an_encoding_that_is_not_stated_are_read_by_evidence(head: str, text: str, encoding: str) -> None:
    (document,) = load("a.rtf", f"{head}{as_bytes(text, encoding)}}}".encode())
    checked(document)
    assert document.text == text
    assert "1252" not in document.reading.en and document.reading.en.startswith("rich text, ")


@pytest.mark.parametrize("head", SILENT)
def test_accents_stay_western(head: str) -> None:
    text = "Le café de l'été, über, naïve"
    body = "".join(c if c.isascii() else rf"\'{c.encode('cp1252')[0]:02x}" for c in text)
    (document,) = load("a.rtf", f"{head}{body}}}".encode())
    assert (document.text, document.warnings) == (text, ())


@pytest.mark.parametrize(
    "body",
    [
        "".join(rf"\'{b:02x}" for b in "Каждый сотрудник имеет право на ежегодный отпуск".encode("cp1251") if b != 32),
        r"{\fonttbl{\f0\fnil\fcharset238 Arial;}}\f0 " + "".join(rf"\'{b:02x}" for b in TEXT.encode("gbk")),
    ],
)
def test_what_may_be_rubbish_is_not_read_in_silence(body: str) -> None:
    try:
        (document,) = load("a.rtf", (r"{\rtf1\ansi " + body + "}").encode())
    except LoadError:
        return
    assert "Каждый" in document.text or document.warnings
