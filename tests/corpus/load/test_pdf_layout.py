"""Reading order, headings, table parts and turned pages of PDF files."""

import io
import random
from collections.abc import Callable

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from rag.corpus.clean import is_wide
from rag.corpus.load import engines, load
from rag.corpus.load.ink import Glyph, Ink
from rag.corpus.load.layout import Left, read_page
from tests.corpus.load.files import PAGE_HEIGHT, PAGE_WIDTH, at_sections, checked, pdf, ruled, said

LEFT = (
    "左栏的第一行文字在此结束并且",
    "一直延伸到栏的右边界为止，再",
    "换到下一行继续书写下去，直到",
    "左栏的最后一行，接着转入右边",
)
RIGHT = ("的一栏继续书写，右栏的第一行", "也延伸到它的右边界为止，随后", "换行继续下去，右栏的文字到此", "为止。")


def columns(top: float, left: tuple[str, ...] = LEFT, right: tuple[str, ...] = RIGHT) -> str:
    drawn = [said(72, top + 18 * n, line, 12) for n, line in enumerate(left)]
    return "\n".join(drawn + [said(320, top + 18 * n, line, 12) for n, line in enumerate(right)])


def test_columns_are_read_one_after_the_other_below_what_goes_across() -> None:
    first = said(120, 60, "横跨两栏的标题写在这里横跨两栏的标题", 20) + "\n" + columns(120)
    (document,) = load("a.pdf", pdf(first))
    assert document.text == "横跨两栏的标题写在这里横跨两栏的标题\n\n" + "".join(LEFT + RIGHT)


def test_two_bands_of_columns_with_a_heading_between() -> None:
    page = columns(100) + "\n" + said(150, 200, "第二章 横跨两栏的标题也在中间 并且很长", 16) + "\n" + columns(250)
    (document,) = load("a.pdf", pdf(page))
    body = "".join(LEFT + RIGHT)
    assert document.text == f"{body}\n\n第二章 横跨两栏的标题也在中间 并且很长\n\n{body}"


def test_a_right_column_that_has_only_begun() -> None:
    left = LEFT * 3
    (document,) = load("a.pdf", pdf(columns(100, left, RIGHT[:1])))
    assert document.text == "".join(left) + RIGHT[0]


def test_short_cells_side_by_side_are_no_columns() -> None:
    rows = [("姓名", "部门"), ("张三", "财务部"), ("李四", "人事部"), ("王五", "行政部"), ("赵六", "技术部")]
    drawn = [said(72 + 200 * c, 100 + 20 * r, text) for r, row in enumerate(rows) for c, text in enumerate(row)]
    text = load("a.pdf", pdf("\n".join(drawn)))[0].text
    assert all(text.index(name) < text.index(department) for name, department in rows)
    assert text.index("财务部") < text.index("李四")


def bold_pdf(draw: Callable[[Canvas], None]) -> bytes:
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=A4, invariant=True)
    draw(canvas)
    canvas.save()
    return stream.getvalue()


def test_headings_by_weight_and_numbering() -> None:
    def draw(canvas: Canvas) -> None:
        y = 780
        for font, size, text in (
            ("Helvetica-Bold", 18, "Travel policy"),
            ("Helvetica-Bold", 12, "1. Scope"),
            ("Helvetica", 11, "This policy covers every trip that is paid for by the company, whoever books"),
            *[("Helvetica", 11, "it and wherever it leads, by train or by air, for a day or for a month, here and")]
            * 5,
            ("Helvetica", 11, "abroad."),
            ("Helvetica-Bold", 11, "1.1 Who may travel"),
            ("Helvetica", 11, "Everyone who was asked to. The words below are bold and stay in their paragraph,"),
            ("Helvetica-Bold", 11, "which goes on here without a gap above it, up to this full stop."),
            ("Helvetica-Bold", 12, "2. Limits"),
            ("Helvetica", 11, "Hotels up to 600 a night."),
        ):
            y -= 40 if "Bold" in font and not text.startswith("which") else 14
            canvas.setFont(font, size)
            canvas.drawString(72, y, text)

    (document,) = load("a.pdf", bold_pdf(draw))
    checked(document)
    assert document.title == "Travel policy"
    assert at_sections(document) == {
        ("1. Scope",): "1. Scope",
        ("1. Scope", "1.1 Who may travel"): "1.1 Who may travel",
        ("2. Limits",): "2. Limits",
    }
    assert "paragraph, which goes on here" in document.text


def test_a_heading_of_two_lines_is_one() -> None:
    lines = ("三、公司实际控制人、股东、关联方、收购人以及", "公司等承诺相关方超期未履行的承诺事项")
    body = [said(72, 150 + 18 * n, "正文文字写满整行正文文字写满整行正文文字写满整行正文文字写满。") for n in range(6)]
    drawn = [said(72, 100, lines[0], 17), said(72, 122, lines[1], 17), *body]
    (document,) = load("a.pdf", pdf(said(72, 40, "标题", 24) + "\n" + "\n".join(drawn)))
    assert [section.path for section in document.sections] == [("".join(lines),)]


def test_text_set_from_top_to_bottom_is_read_in_columns_from_the_right() -> None:
    words = ("员工入职满一年后每年可享受", "十五天带薪年假未休完的年假", "不得跨年累计")
    drawn = [said(500 - 30 * c, 80 + 14 * n, ch) for c, word in enumerate(words) for n, ch in enumerate(word)]
    assert load("a.pdf", pdf("\n".join(drawn)))[0].text.replace("\n\n", "") == "".join(words)


def test_a_table_drawn_on_its_side_is_read() -> None:
    """On an upright page, turned by a quarter."""
    table = ruled([("项目", "金额", "说明文字一栏"), ("甲", "100", "无"), ("乙", "200", "有")], 100)
    data = pdf(f"q 0 1 -1 0 {PAGE_HEIGHT} 0 cm {table} Q".replace(f"{PAGE_HEIGHT} 0 cm", f"{PAGE_WIDTH + 200} -50 cm"))
    assert "项目: 乙；金额: 200；说明文字一栏: 有" in load("a.pdf", data)[0].text


def inked(*texts: str) -> Ink:
    """A page with one line of these glyphs, each of 12 points."""
    glyphs = [Glyph(text, 72 + 12 * n, 72, 84 + 12 * n, 84, 12) for n, text in enumerate(texts)]
    return Ink(tuple(glyphs), (), 595, 842, False)


def test_glyphs_without_a_character_are_left_out_and_counted() -> None:
    page = read_page(inked("年", "假", "\ue123", "制", "(cid:0)", "度", "\ufffd"))
    assert [line.text for line in page.lines] == ["年假 制 度"]
    assert page.n_unreadable == 3
    assert [item for item in page.items if isinstance(item, Left)] == [Left("\ufffd ×3", "unreadable", 0.0)]


def test_radicals_ligatures_and_symbol_bullets_are_what_they_stand_for() -> None:
    page = read_page(inked("\uf0b7", "\u2f64", "\u2f08", "o", "\ufb03", "c", "e"))
    assert page.lines[0].text == "•用人office"


def test_words_broken_at_the_end_of_a_line() -> None:
    lines = ("Everybody who has been with the organi-", "sation for a full year is en-", "titled to fifteen days.")
    drawn = [said(72, 72 + 16 * n, line) for n, line in enumerate(lines)]
    assert "organisation for" in load("a.pdf", pdf("\n".join(drawn)))[0].text


@pytest.mark.parametrize("most", [engines.MANY_PAGES, 0])  # pdfminer, PDFium
def test_raised_figures_are_told_from_the_number_before_them(
    most: int, monkeypatch: pytest.MonkeyPatch, seeds: Callable[[int], range]
) -> None:
    """Whatever their size and height; never glued to a number, never a line of their own."""
    monkeypatch.setattr(engines, "MANY_PAGES", most)
    for seed in seeds(100):
        rng = random.Random(seed)
        size = rng.choice((9, 10.5, 12, 16))
        expected, drawn = [], []
        for number in range(5):
            x, top, text = 72.0, 100 + number * 3 * size, ""
            for _ in range(rng.randint(1, 3)):
                plain = rng.choice(("注册资本为10", "每人3000", "约2", "面积5m", "1")) if text else "本公司注册资本为10"
                raised = rng.choice(("4", "12", "-3"))
                after = rng.choice(("万元，", "元。", "，"))
                drawn.append(said(x, top, plain, size))
                x += sum(size if is_wide(c) else size / 2 for c in plain)
                small = size * rng.uniform(0.5, 0.85)
                # its foot this much above the line that the others stand on
                raise_by = size * rng.uniform(0.3, 0.45)
                drawn.append(said(x, top + size - small - raise_by, raised, round(small, 2)))
                x += len(raised) * small / 2
                drawn.append(said(x, top, after, size))
                x += len(after) * size
                text += f"{plain}^{raised}{after}"
            expected.append(text)
        (document,) = load("a.pdf", pdf("\n".join(drawn)))
        assert document.text.replace("\n", "") == "".join(expected), seed


def test_figures_on_the_line_are_no_raised_ones() -> None:
    for small in (5, 7, 9):
        words = said(72, 100, "金额", 12) + "\n" + said(96, 100 + 12 - small, "3000", small) + "\n"
        words += said(96 + 2 * small, 100, "元，共10", 12) + "\n" + said(144 + 2 * small, 112 - small, "11", small)
        assert load("a.pdf", pdf(words))[0].text == "金额3000元，共1011", small


@pytest.mark.parametrize("date", ["May 9, 2022", "2022年5月9日", "二〇二二年五月", "2022-05-09"])
def test_names_and_date_under_the_title_are_no_headings(date: str) -> None:
    cover = [said(150, 80, "维护者指南", 24), said(150, 140, "张三、李四 合著", 16), said(150, 180, date, 16)]
    body = [said(72, 280 + 18 * n, "正文文字写满整行正文文字写满整行正文文字写满整行正文文字写满。") for n in range(6)]
    page = "\n".join([*cover, said(72, 240, "前言", 16), *body])
    (document,) = load("a.pdf", pdf(page))
    assert [section.path for section in document.sections] == [("前言",)]
    assert document.title == "维护者指南" and "张三、李四 合著" in document.text and date in document.text


def test_a_date_below_sentences_or_sections_is_on_no_cover() -> None:
    for second in ("本周无事。", "一、要闻"):
        drawn = [said(72, 80, "公告栏目", 16), said(72, 120, second, 12), said(72, 160, "2022年5月9日", 16)]
        body = [
            said(72, 200 + 18 * n, "正文文字写满整行正文文字写满整行正文文字写满整行正文文字写满。") for n in range(6)
        ]
        (document,) = load("a.pdf", pdf("\n".join([said(72, 40, "一周简报", 24), *drawn, *body])))
        assert any("公告栏目" in section.path for section in document.sections), second


def test_a_date_below_the_first_lines_is_on_no_cover() -> None:
    names = [said(72, 150 + 20 * n, f"参加部门第{n}组", 12) for n in range(10)]
    signed = said(72, 380, "2022年5月9日", 12)
    page = "\n".join([said(72, 40, "一周简报", 24), said(72, 100, "公告栏目", 16), *names, signed])
    (document,) = load("a.pdf", pdf(page))
    assert [section.path for section in document.sections] == [("公告栏目",)]


@pytest.mark.parametrize("size", [16, 24])
def test_a_chapter_is_not_the_title(size: float) -> None:
    body = [said(72, 150 + 18 * n, "正文文字写满整行正文文字写满整行正文文字写满整行正文文字写满。") for n in range(6)]
    for chapter in ("第一章 总则", "一、总则", "1. 总则"):
        (document,) = load("a.pdf", pdf("\n".join([said(200, 60, chapter, size), *body])))
        assert [section.path for section in document.sections] == [(chapter,)]
        assert document.title == "a"
        titled = [said(200, 60, "员工手册", size), said(200, 100, chapter, size), *body]
        (document,) = load("a.pdf", pdf("\n".join(titled)))
        assert document.title == "员工手册"
        assert document.sections[-1].path[-1] == chapter
