import email.policy
from base64 import b64decode, b64encode
from email.message import EmailMessage
from quopri import encodestring

import pytest

from rag.corpus.load import load
from rag.errors import LoadError, UnsafeFile
from tests.corpus.load.files import checked

TEXT = "员工每年享受十五天带薪年假，须提前三个工作日申请。"


def message(**headers: str) -> EmailMessage:
    made = EmailMessage()
    for name, value in headers.items():
        made[name] = value
    return made


def as_bytes(made: EmailMessage) -> bytes:
    return made.as_bytes(policy=email.policy.SMTP)


@pytest.mark.parametrize("charset", ["utf-8", "gb2312", "gb18030", "big5"])
def test_headers_and_plain_text(charset: str) -> None:
    text = (
        TEXT.replace("员", "員").replace("带", "帶").replace("须", "須").replace("个", "個")
        if charset == "big5"
        else TEXT
    )
    text = text.replace("申请", "申請") if charset == "big5" else text
    made = message(
        Subject="年假通知", From="人事部 <hr@example.com>", To="all@example.com", Date="Thu, 01 Oct 2026 09:30:00 +0800"
    )
    made.set_content(text, charset=charset)
    (document,) = load("通知.eml", as_bytes(made))
    checked(document)
    assert document.text == (
        "Subject: 年假通知\nFrom: 人事部 <hr@example.com>\nTo: all@example.com\nDate: 2026-10-01 09:30\n\n" + text
    )
    assert (document.title, document.warnings) == ("年假通知", ())
    assert document.reading.en.startswith("message, ")


def test_the_plain_text_is_read_before_the_page_and_attachments_are_named() -> None:
    made = message(Subject="差旅", From="f@example.com")
    made.set_content(TEXT)
    made.add_alternative("<p>另一种写法</p>", subtype="html")
    made.add_attachment(b"%PDF-1.4", maintype="application", subtype="pdf", filename="差旅标准.pdf")
    inner = message(Subject="原邮件", From="g@example.com")
    inner.set_content("不在此处")
    made.add_attachment(inner)
    (document,) = load("a.eml", as_bytes(made))
    assert TEXT in document.text and "另一种写法" not in document.text and "不在此处" not in document.text
    assert "差旅标准.pdf" in document.warnings[0].en and "原邮件" in document.warnings[0].zh


def test_a_page_alone_is_read_as_a_page() -> None:
    made = message(Subject="标准", From="f@example.com")
    made.set_content("<p>甲</p><script>x()</script><table><tr><th>职级<th>天数<tr><td>P1<td>10</table>", subtype="html")
    (document,) = load("a.eml", as_bytes(made))
    assert document.text.endswith("甲\n\n职级: P1；天数: 10")


def test_a_character_beyond_the_declared_gb2312_and_headers_written_as_bytes() -> None:
    subject = b64encode("朱镕基的通知".encode("gbk")).decode()
    raw = f"Subject: =?gb2312?B?{subject}?=\r\nFrom: ".encode() + "张三的邮件".encode("gbk")
    raw += b"\r\nContent-Type: text/plain; charset=gb2312\r\n\r\n" + f"{TEXT}朱镕基。".encode("gbk")
    (document,) = load("a.eml", raw)
    assert document.text == f"Subject: 朱镕基的通知\nFrom: 张三的邮件\n\n{TEXT}朱镕基。"


def test_a_page_saved_as_one_file_gives_its_address_under_any_name() -> None:
    page = encodestring(f"<html><head><title>制度</title></head><p>{TEXT}</p></html>".encode()).decode()
    raw = (
        "From: <Saved by Blink>\r\nSnapshot-Content-Location: https://example.com/p?a=1\r\nSubject: x\r\nMIME-Version: 1.0\r\n"
        'Content-Type: multipart/related; boundary="B"\r\n\r\n--B\r\nContent-Type: text/html\r\n'
        f"Content-Transfer-Encoding: quoted-printable\r\n\r\n{page}\r\n--B--\r\n"
    )
    for name in ("a.mht", "a.doc", "a.xls"):
        (document,) = load(name, raw.encode())
        assert (document.text, document.source) == (TEXT, "https://example.com/p?a=1")
        assert bool(document.warnings) is (name != "a.mht")


def test_what_is_no_message_and_what_has_too_many_parts() -> None:
    with pytest.raises(LoadError, match="no message"):
        load("a.eml", b"only words\n\nand more")
    parts = "".join("--B\r\nContent-Type: text/plain\r\n\r\n\r\n" for _ in range(600))
    with pytest.raises(UnsafeFile, match="500"):
        load("a.eml", f"Subject: x\r\nContent-Type: multipart/mixed; boundary=B\r\n\r\n{parts}--B--".encode())


def test_broken_headers_do_not_keep_a_message_from_being_read() -> None:
    raw = "Subject: =?gb2312?B?!!!?= =?x-none?Q?=FF?=\nDate: yesterday\nFrom: =?utf-8?B?/w==?=\n\n" + TEXT
    assert TEXT in load("a.eml", raw.encode())[0].text


def test_every_text_that_is_shown_is_read_in_order() -> None:
    made = message(Subject="通知", From="f@example.com")
    made.set_content("第一部分。")
    made.make_mixed()
    for kind, text in (("plain", "第二部分。"), ("html", "<p>第三部分。</p>"), ("plain", "第四部分。")):
        part = EmailMessage()
        part.set_content(text, subtype=kind)
        part["Content-Disposition"] = "inline"
        made.attach(part)
    made.add_attachment("附件里的话。", filename="附件.txt")
    (document,) = load("a.eml", as_bytes(made))
    checked(document)
    assert document.text.split("\n\n")[1:] == ["第一部分。", "第二部分。", "第三部分。", "第四部分。"]
    (warning,) = document.warnings
    assert "附件.txt" in warning.en and "附件.txt" in warning.zh


@pytest.mark.parametrize(
    ("plain", "page", "read", "left"),
    [
        (
            "请用HTML查看",
            f"<p>{TEXT}</p><table><tr><td>甲<td>乙<tr><td>一<td>1</table>",
            f"{TEXT}\n\n甲: 一；乙: 1",
            True,
        ),
        (TEXT, f"<p>{TEXT[:10]}<b>{TEXT[10:]}</b></p>", TEXT, False),
        (f"{TEXT}\nhttps://example.com/{'a' * 300}", f"<p>{TEXT}{TEXT}{TEXT}</p>", TEXT * 3, False),
        (TEXT, "<p>另一种写法，说的是别的事情</p>", TEXT, True),
    ],
)
def test_of_two_wordings_the_one_that_says_more_is_read(plain: str, page: str, read: str, left: bool) -> None:
    made = message(Subject="通知", From="f@example.com")
    made.set_content(plain)
    made.add_alternative(page, subtype="html")
    (document,) = load("a.eml", as_bytes(made))
    assert document.text.split("\n\n", 1)[1] == read
    assert bool(document.warnings) is left
    if left:
        assert f"text/{'html' if read == TEXT else 'plain'}" in document.warnings[0].zh


def test_a_page_with_pictures_and_frames_and_an_invitation() -> None:
    def part(kind: str, body: str, extra: str = "") -> str:
        return f"--B\r\nContent-Type: {kind}\r\n{extra}\r\n{body}\r\n"

    parts = part("text/html", "<p>words</p>") + part("image/png", "x", "Content-ID: <1>\r\n") + part("text/css", "p{}")
    parts += part("text/html", "<p>frame</p>", "Content-Location: https://example.com/frame\r\n")
    raw = f"Subject: x\r\nContent-Type: multipart/related; boundary=B\r\n\r\n{parts}--B--"
    (document,) = load("a.eml", raw.encode())
    assert document.text.endswith("words")
    (warning,) = document.warnings
    assert "text/html" in warning.en and "png" not in warning.en and "css" not in warning.en
    invited = part("text/plain", "come") + part("text/calendar", "BEGIN:VCALENDAR")
    raw = f"Subject: x\r\nContent-Type: multipart/alternative; boundary=B\r\n\r\n{invited}--B--"
    assert "text/calendar" in load("a.eml", raw.encode())[0].warnings[0].en


@pytest.mark.parametrize("parts", [True, False])
def test_a_message_cut_inside_base64_gives_what_is_there_and_says_so(parts: bool) -> None:
    whole = b64encode((TEXT * 9).encode()).decode()
    top = "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    if parts:
        top = "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n" + top
    for length in (301, 305, 309):
        read = b64decode(whole[: length // 4 * 4]).decode("utf-8", "ignore")
        (document,) = load("a.eml", f"Subject: x\r\n{top}{whole[:length]}".encode())
        assert document.text == f"Subject: x\n\n{read}"
        assert any("不完整（" in warning.zh for warning in document.warnings)
    ended = f"{whole}\r\n--b--\r\n" if parts else whole
    assert load("a.eml", f"Subject: x\r\n{top}{ended}".encode())[0].warnings == ()
