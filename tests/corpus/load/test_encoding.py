"""Every text in every encoding: identical, or refused, or with a warning; never different silently."""

import base64
import codecs
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path

import opencc
import pytest

from rag.corpus.load import load
from rag.corpus.load.decoded import Decoded
from rag.corpus.load.encoding import decode
from rag.errors import LoadError

SAMPLES = Path(__file__).resolve().parents[3] / "sample_docs"
SIMPLIFIED = "员工入职满一年后，每年可享受15天带薪年假，须提前3个工作日申请，由直属主管审批。"
TRADITIONAL = "員工入職滿一年後，每年可享受十五天帶薪年假，須於三個工作日前提出申請，由直屬主管審批。"
KOREAN = "직원은 입사 후 1년이 지나면 매년 15일의 유급 휴가를 받을 수 있습니다. 출장비는 사전에 승인을 받습니다."
JAPANESE = "従業員は入社一年後、毎年十五日の有給休暇を取得することができます。申請は三日前までに提出してください。"
RUSSIAN = "Сотрудники имеют право на ежегодный оплачиваемый отпуск продолжительностью пятнадцать дней."
ENCODINGS = (
    "utf-8",
    "utf-8-sig",
    "gb18030",
    "gbk",
    "big5",
    "cp950",
    "big5hkscs",
    "utf-16",
    "utf-16-le",
    "utf-16-be",
    "utf-32",
)


@cache
def texts() -> tuple[str, ...]:
    """The sample documents as they are, and in traditional characters."""
    files = [p for p in sorted(SAMPLES.iterdir()) if p.suffix in (".txt", ".md", ".html")]
    simplified = [document.text for p in files for document in load(p.name, p.read_bytes())]
    convert = opencc.OpenCC("s2t").convert
    return (*simplified, *(convert(text) for text in simplified))


def as_read(data: bytes, declared: str = "") -> Decoded | None:
    try:
        return decode("a.txt", data, declared)
    except LoadError as error:
        assert "a.txt" in error.message("en") and "a.txt" in error.message("zh")
        return None


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_sample_in_every_encoding_comes_back(encoding: str) -> None:
    tried = 0
    for text in texts():
        try:
            data = text.encode(encoding)
        except UnicodeEncodeError:
            continue
        tried += 1
        found = as_read(data)
        assert found is not None and found.text == text
        guess = "guessed" in found.reading.en
        assert guess is bool(found.warnings), found
    assert tried > 3 or encoding == "big5"


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("length", [8, 20, 60])
def test_lines_of_the_samples_are_never_read_differently_without_a_warning(
    encoding: str, length: int, seeds: Callable[[int], range]
) -> None:
    tried = right = 0
    for seed in seeds(300):
        rng = random.Random(seed)
        text = rng.choice(texts())
        start = rng.randrange(max(1, len(text) - length))
        piece = text[start : start + length].strip()
        try:
            data = piece.encode(encoding)
        except UnicodeEncodeError:
            continue
        tried += 1
        found = as_read(data)
        if found is not None and found.text != piece:
            assert found.warnings, (piece, found)
        right += found is not None and found.text == piece
    assert right >= 0.95 * tried


@pytest.mark.parametrize(
    ("text", "encoding", "called"),
    [
        (KOREAN, "euc-kr", "CP949"),
        (JAPANESE, "shift_jis", "CP932"),
        (JAPANESE, "euc-jp", "EUC-JP"),
        (JAPANESE, "iso-2022-jp", "ISO2022-JP"),
        (RUSSIAN, "cp1251", "Windows-1251"),
        (RUSSIAN, "koi8-r", "KOI8"),
        (KOREAN, "utf-16-le", "UTF-16-LE"),
    ],
)
def test_what_is_not_chinese_is_told_by_the_detector_and_said(text: str, encoding: str, called: str) -> None:
    found = as_read((text + "\n").encode(encoding) * 3)
    assert found is not None and found.text == (text + "\n") * 3
    assert called in found.reading.en and "confidence" in found.reading.en and "可信度" in found.reading.zh
    assert "guessed" in found.warnings[0].en


@pytest.mark.parametrize(
    ("data", "reading"),
    [
        (b"Leave: 15 days", "UTF-8 (certain: only ASCII)"),
        (SIMPLIFIED.encode(), "UTF-8 (certain: valid)"),
        (codecs.BOM_UTF8 + SIMPLIFIED.encode(), "UTF-8 (certain: byte order mark)"),
        (SIMPLIFIED.encode("gb18030"), "GB18030 (certain: valid, 100% everyday characters)"),
        (TRADITIONAL.encode("big5"), "Big5 (certain: valid, 100% everyday characters)"),
        (codecs.BOM_UTF16_BE + SIMPLIFIED.encode("utf-16-be"), "UTF-16-BE (certain: byte order mark)"),
        (SIMPLIFIED.encode("utf-16-be"), "UTF-16-BE (guessed: 100% everyday characters)"),
    ],
)
def test_how_a_text_was_read_is_said(data: bytes, reading: str) -> None:
    found = decode("a.txt", data)
    assert found.reading.en == reading
    assert found.reading.zh != reading


def test_six_hundred_yuan_is_no_cyrillic() -> None:
    """元 in GB18030 happens to be valid UTF-8, for a letter of Komi."""
    found = decode("a.txt", "Limit per night: 600元".encode("gb18030"))
    assert found.text == "Limit per night: 600元"
    assert found.warnings
    assert decode("a.txt", "Résumé of Zoë".encode()).text == "Résumé of Zoë"


def test_two_characters_of_utf_16_may_be_ascii_and_the_warning_says_so() -> None:
    data = "年假".encode("utf-16-le")
    assert data.isascii() and not decode("a.txt", b"This is a list of words").warnings
    assert decode("a.txt", data).warnings


@pytest.mark.parametrize("declared", ["gbk", "utf-8", "latin-1", "utf-16", "cp500", "nonsense", "idna", "base64"])
def test_a_declared_encoding_is_tried_and_not_believed(declared: str) -> None:
    for encoding in ("gb18030", "utf-8"):
        found = decode("a.html", SIMPLIFIED.encode(encoding), declared)
        assert found.text == SIMPLIFIED
    assert decode("a.html", b"Annual leave", declared).text == "Annual leave"


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030", "big5", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("mark", [True, False])
def test_a_file_cut_inside_a_character_loses_that_one_and_says_so(encoding: str, mark: bool) -> None:
    marks = {"utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE, "utf-8": codecs.BOM_UTF8}
    data = (marks.get(encoding, b"") if mark else b"") + TRADITIONAL.encode(encoding)
    found = decode("a.txt", data[:-1])
    # the full stop at the end is the character that is cut
    assert found.text == TRADITIONAL[:-1]
    assert "incomplete" in found.warnings[-1].en


def test_a_four_byte_character_cut_after_each_of_its_bytes() -> None:
    data = (SIMPLIFIED + "䑩").encode("gb18030")
    assert data[-4:] == "䑩".encode("gb18030")
    for cut in (1, 2, 3):
        found = decode("a.txt", data[:-cut])
        assert found.text == SIMPLIFIED and "incomplete" in found.warnings[-1].en


@pytest.mark.parametrize(
    ("text", "warned"),
    [
        (SIMPLIFIED + "\ufffd", "lost"),
        ("第一条 锟斤拷锟斤拷" + SIMPLIFIED, "lost"),
        (SIMPLIFIED.encode().decode("latin-1"), "wrong encoding"),
        (SIMPLIFIED.encode("gbk").decode("latin-1"), "wrong encoding"),
        ("员工入职满一年后，可享受带薪年假。".encode().decode("gb18030", "ignore"), "wrong encoding"),
    ],
)
def test_text_that_was_spoiled_before_is_noticed(text: str, warned: str) -> None:
    found = decode("a.txt", (SIMPLIFIED + "\n" + text).encode())
    assert any(warned in warning.en for warning in found.warnings), found.warnings


@pytest.mark.parametrize(
    "text", [SIMPLIFIED, TRADITIONAL, KOREAN, JAPANESE, RUSSIAN, "Peněžní prostředky na účtech žluťoučký"]
)
def test_sound_text_in_any_language_is_not_called_spoiled(text: str) -> None:
    assert decode("a.txt", text.encode()).warnings == ()


def test_halves_of_characters_in_utf_16_are_left_out_with_a_warning() -> None:
    text = SIMPLIFIED * 5
    data = codecs.BOM_UTF16_LE + text.encode("utf-16-le") + b"\x00\xd8" + text.encode("utf-16-le")
    (document,) = load("a.txt", data)
    assert document.text == text + text
    assert "half" in document.warnings[0].en


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "utf-8"])
def test_any_bytes_behind_a_mark_are_read_or_refused_by_name(encoding: str, seeds: Callable[[int], range]) -> None:
    mark = "\ufeff".encode(encoding)
    for seed in seeds(2000):
        rng = random.Random(seed)
        as_read(mark + bytes(rng.choice((0, 0x41, 0x4E, 0xD8, 0xDC, 0xFF)) for _ in range(rng.randint(0, 9))))
    assert as_read(codecs.BOM_UTF16_LE + b"\xff") is None


def test_halves_of_characters_and_half_of_one_at_the_end() -> None:
    found = decode("a.txt", codecs.BOM_UTF16_LE + (SIMPLIFIED * 5).encode("utf-16-le") + b"\x00\xd8" + b"a\0b")
    assert found.text.replace("\ud800", "") == SIMPLIFIED * 5 + "a"
    assert "half" in found.warnings[0].en and "incomplete" in found.warnings[1].en


@pytest.mark.parametrize("text", [SIMPLIFIED, TRADITIONAL, RUSSIAN, "a+b+c 员工年假十五天管理办法", SIMPLIFIED * 50])
def test_utf_7_is_refused_by_its_name(text: str) -> None:
    for data in (text.encode("utf-7"), b"Leave policy\n\n" + text.encode("utf-7") + b"\nC+-+-"):
        with pytest.raises(LoadError, match="UTF-7"):
            decode("a.txt", data)
    hidden = "".join(f"+{base64.b64encode(c.encode('utf-16-be')).decode().rstrip('=')}-" for c in "annual leave")
    with pytest.raises(LoadError, match="UTF-7"):
        decode("a.txt", hidden.encode())


@pytest.mark.parametrize(
    "text",
    [
        "C++ and a+b-c, x += 1, 1+1=2",
        "y ~ AGE+AGE-1\n" * 20,
        "Hotline +86 138-0013-8000, +8613800138000, +1-800-",
        "+- +- +-",
        "+AGE-",
        "diff --git\n+from rag import x\n+\n+    return\n-a",
        base64.b64encode(bytes(range(256)) * 8).decode(),
        "first+last@example.com",
    ],
)
def test_ascii_with_a_plus_is_not_utf_7(text: str) -> None:
    found = decode("a.txt", text.encode())
    assert (found.text, found.warnings) == (text, ())


def test_words_behind_a_plus_are_never_utf_7(seeds: Callable[[int], range]) -> None:
    words = Path(__file__).read_text(encoding="utf-8").split()
    ascii_words = [word for word in words if word.isascii() and "+" not in word]
    for seed in seeds(2000):
        rng = random.Random(seed)
        text = " ".join("+" + rng.choice(ascii_words) for _ in range(rng.randint(1, 6)))
        assert decode("a.txt", text.encode()).text == text, text


def test_a_mark_of_utf_8_before_gb18030_is_not_believed() -> None:
    found = decode("a.txt", codecs.BOM_UTF8 + SIMPLIFIED.encode("gb18030"))
    assert found.text == SIMPLIFIED
    assert "mark" in found.warnings[0].en


@pytest.mark.parametrize(
    "data", [bytes(range(32)) * 40, b"\x00\x01\x02\x03" * 100 + b"text", bytes(range(128, 256)) * 4]
)
def test_bytes_that_are_no_text_are_refused(data: bytes) -> None:
    assert as_read(data) is None


def test_the_reading_is_on_the_document_of_every_text_format() -> None:
    item = '{"doc_id":"a","title":"年假制度","version":"1","source":"s","text":"员工享受带薪年假十五天。"}'
    files = {
        "a.txt": SIMPLIFIED,
        "a.md": SIMPLIFIED,
        "a.html": f"<html><p>{SIMPLIFIED}</p></html>",
        "a.json": f"[{item}]",
        "a.jsonl": item,
        "a.csv": "职级,年假天数\n普通员工,十天年假\n",
        "a.xml": f"<r><p>{SIMPLIFIED}</p></r>",
        "a.eml": f"Subject: 年假\n\n{SIMPLIFIED}",
    }
    for name, text in files.items():
        (document,) = load(name, text.encode("gb18030"))
        assert "GB18030" in document.reading.en and "GB18030" in document.reading.zh, name


def test_a_page_of_much_markup_that_declares_a_western_encoding_is_not_believed() -> None:
    for text, encoding in ((SIMPLIFIED, "gb18030"), (TRADITIONAL, "big5"), (RUSSIAN, "cp1251")):
        data = (f"<p class='a'><b>{text}</b></p>" + "<div class='padding'></div>" * 60).encode(encoding)
        assert text in decode("a.html", data, "iso-8859-1").text
    french = "<p>Les employés bénéficient d’un congé payé – voir l’annexe.</p>"
    assert decode("a.html", french.encode("cp1252"), "iso-8859-1").text == french


@pytest.mark.parametrize("at", range(1, 20))
def test_chinese_in_utf8_with_a_zero_byte_is_no_utf16(at: int) -> None:
    text = "员工享受年假第0条,x\n员工享受年假第1条,x"
    found = decode("a.csv", (text[:at] + "\0" + text[at:]).encode())
    assert found.text == text[:at] + "\0" + text[at:] and found.reading.en.startswith("UTF-8")
