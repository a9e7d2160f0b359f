"""Numbers that rise from page to page at its top: those of pages go, those of forms and annexes stay."""

import pytest

from rag.corpus.load import load
from rag.corpus.load.lines import Line
from rag.corpus.load.page_number import is_page_number_in, lone_page_number
from tests.corpus.load.files import pdf, said

BODY = "正文文字写满整行正文文字写满整行正文文字写满整行正文文字写满。"


def paged(*parts: tuple[float, str]) -> bytes:
    """Eight pages with these parts of a line, each at a distance from the left and with a place for a number, over the text."""
    pages = []
    for number in range(1, 9):
        head = [said(x, 50, text.format(number), 9) for x, text in parts]
        body = [said(72, 90 + 18 * n, f"{'甲乙丙丁戊己庚辛'[number - 1]}{BODY}") for n in range(6)]
        pages.append("\n".join(head + body))
    return pdf(*pages)


@pytest.mark.parametrize(
    "parts",
    [
        ((72, "员工手册"), (500, "{}")),
        ((72, "{}"), (400, "员工手册")),
        ((72, "员工手册 第{}页 共9页"),),
        ((72, "员工手册 页码：{}"),),
        ((72, "Handbook Page {} of 9"),),
        ((72, "员工手册 {} / 9"),),
        ((72, "员工手册 - {} -"),),
    ],
)
def test_a_header_that_holds_the_page_number_is_left_out(parts: tuple[tuple[float, str], ...]) -> None:
    (document,) = load("a.pdf", paged(*parts))
    assert [part.page for part in document.removed if part.why == "running_line"] == list(range(2, 9))


@pytest.mark.parametrize(
    "parts",
    [
        ((72, "附件{}"),),
        ((72, "附件"), (200, "{}")),
        ((72, "附录 {} 申请表"),),
        ((72, "编号：HR-0{}"),),
        ((72, "编号："), (200, "{}")),
        ((72, "样式 {}"),),
        ((72, "生效日期：2026年{}月1日"),),
        ((72, "保存期限：{}年"),),
    ],
)
def test_a_number_that_is_not_written_as_a_page_number_stays(parts: tuple[tuple[float, str], ...]) -> None:
    (document,) = load("a.pdf", paged(*parts))
    assert document.removed == ()
    for number in range(1, 9):
        assert "".join(text for _, text in parts).format(number).replace(" ", "") in document.text.replace(" ", "")


def test_figures_that_may_count_pages() -> None:
    def at(text: str, *parts: str) -> bool:
        pieces = tuple(Line(part, 0, 1, 0, 1, 10) for part in parts)
        start = text.index("7")
        return is_page_number_in(Line(text, 0, 1, 0, 1, 10, parts=pieces), start, start + 1)

    assert at("第7页") and at("手册 Page 7") and at("手册 P.7") and at("手册 7/12") and at("手册 7", "手册", "7")
    assert not at("手册7") and not at("手册 7") and not at("P.7.2") and not at("HR-7-A") and not at("表 7", "表", "7")
    assert not at("版本7/12") and not at("第7章") and not at("step7 a")
    assert lone_page_number("— 12 —") == 12 and lone_page_number("表 12") is None


@pytest.mark.parametrize(("last", "stays"), [("附件一", True), ("APPENDIX A. LEAVE", False)])
def test_an_annex_at_the_height_of_the_headers(last: str, stays: bool) -> None:
    """Its name alone heads its page, whoever names it before; with the words of a chapter it only repeats those."""
    named = "请填写附件一。" if stays else "Appendix A. Leave"
    pages = []
    for number, mark in enumerate("甲乙丙丁戊己庚辛", start=1):
        head = last if number == 8 else "员工手册"
        body = [said(72, 90 + 18 * n, mark + BODY) for n in range(6)]
        pages.append("\n".join([said(72, 50, head, 9), *body, said(72, 200, mark + named)]))
    (document,) = load("a.pdf", pdf(*pages))
    gone = [part.text for part in document.removed if part.page == 8]
    assert gone == ([] if stays else [last])
    assert (last in document.text.split("\n")) is stays
