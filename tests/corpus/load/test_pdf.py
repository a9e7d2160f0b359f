import zlib

import pytest

from rag.corpus.load import load
from rag.errors import EmptyDocument, LoadError, UnsafeFile
from tests.corpus.load.files import at_sections, checked, pdf, rule, ruled, said

HEAD = ("城市", "档次", "上限")


def test_pages_paragraphs_and_sections() -> None:
    first = "\n".join(
        [
            said(200, 60, "设备管理办法", 20),
            said(72, 100, "版本：2026-10"),
            said(72, 130, "第一章 总则"),
            said(96, 160, "第一条 办公设备报销额度为每人每年三千元，按自然年计算，当年没有用完"),
            said(72, 180, "的不结转。"),
            said(96, 200, "第二条 单件价格超过一千元的，应当事先申请，并由部门的负责人予以批准，"),
        ]
    )
    second = said(72, 60, "经过批准后购买。") + "\n" + said(72, 90, "第二章 附则") + "\n" + said(96, 120, "第三条 完。")
    (document,) = load("设备.pdf", pdf(first, second))
    checked(document)
    assert document.text == (
        "设备管理办法\n\n版本：2026-10\n\n第一章 总则\n\n"
        "第一条 办公设备报销额度为每人每年三千元，按自然年计算，当年没有用完的不结转。\n\n"
        "第二条 单件价格超过一千元的，应当事先申请，并由部门的负责人予以批准，经过批准后购买。\n\n第二章 附则\n\n第三条 完。"
    )
    assert document.pages == (0, document.text.index("经过批准"))
    assert list(at_sections(document)) == [("第一章 总则",), ("第二章 附则",)]
    assert (document.title, document.key) == ("设备管理办法", "设备@2026-10")


def test_a_table_over_two_pages_keeps_its_column_names() -> None:
    first = said(72, 60, "标准如下。") + "\n" + ruled([HEAD, ("北京", "一线", "600"), ("杭州", "二线", "450")], 600)
    for repeated in (False, True):
        rows = [HEAD] * repeated + [("三亚", "三线", "350"), ("义乌", "三线", "350")]
        (document,) = load("a.pdf", pdf(first, ruled(rows, 60) + "\n" + said(72, 300, "说明。")))
        assert document.text == (
            "标准如下。\n\n城市: 北京；档次: 一线；上限: 600\n城市: 杭州；档次: 二线；上限: 450\n\n"
            "城市: 三亚；档次: 三线；上限: 350\n城市: 义乌；档次: 三线；上限: 350\n\n说明。"
        )
        assert document.pages == (0, document.text.index("城市: 三亚"))


def test_merged_cells_in_a_ruled_table() -> None:
    # the first column's two lower cells are one: the rule between them starts at the second column
    lines = [rule(72, y, 372, y) for y in (100, 124, 172)] + [rule(172, 148, 372, 148)]
    lines += [rule(x, 100, x, 172) for x in (72, 172, 272, 372)]
    words = [said(78, 106, "职级", 10), said(178, 106, "项目", 10), said(278, 106, "标准", 10), said(78, 140, "P1", 10)]
    words += [
        said(178, 130, "住宿", 10),
        said(278, 130, "600", 10),
        said(178, 154, "餐费", 10),
        said(278, 154, "120", 10),
    ]
    (document,) = load("a.pdf", pdf("\n".join(lines + words)))
    assert document.text == "职级: P1；项目: 住宿；标准: 600\n职级: P1；项目: 餐费；标准: 120"


def test_running_headers_and_page_numbers_go_after_the_first() -> None:
    pages = [
        "\n".join([said(72, 30, "某公司制度汇编", 9), said(72, 200, f"第{n}页的正文在此。"), said(290, 810, str(n), 9)])
        for n in (1, 2, 3)
    ]
    (document,) = load("a.pdf", pdf(*pages))
    assert document.text == "某公司制度汇编\n\n第1页的正文在此。\n\n第2页的正文在此。\n\n第3页的正文在此。"


def test_headers_that_change_with_the_chapters_go_altogether() -> None:
    """As TeX sets them: number and name of chapter and section, none on the first page of a chapter."""
    names, pages = "甲乙丙丁戊己庚辛壬癸子丑", []
    for n in range(24):
        chapter, section, first = n // 6 + 1, n // 2 + 1, n % 6 == 0
        name = f"{names[section - 1]}种申请"
        header = said(72, 30, f"CHAPTER {chapter}. {names[-chapter]}类 {chapter}.{section}. {name}", 9)
        heading = said(72, 90, f"Chapter {chapter} {names[-chapter]}类", 20)
        words = [said(72, 200, f"{chapter}.{section} {name}", 14)] * (n % 2 == 0)
        words.append(said(72, 240, f"申请之{n}须在三日内批复，逾期视为同意。"))
        pages.append("\n".join([heading if first else header, *words]))
    (document,) = load("a.pdf", pdf(*pages))
    assert "CHAPTER" not in document.text
    assert sum(r.why == "running_line" for r in document.removed) == 20
    for n in range(24):
        assert f"申请之{n}须" in document.text and f"{n // 6 + 1}.{n // 2 + 1} {names[n // 2]}种申请" in document.text
    assert sum(f"Chapter {n} {names[-n]}类" in document.text for n in range(1, 5)) == 4


def test_a_numbered_heading_on_every_page_is_no_header() -> None:
    pages = ["\n".join([said(72, 60, f"第{n}节 规定", 16), said(72, 200, f"第{n}页的正文在此。")]) for n in range(1, 8)]
    (document,) = load("a.pdf", pdf(*pages))
    assert [path for s in document.sections for path in s.path] == [f"第{n}节 规定" for n in range(1, 8)]


def test_text_printed_twice_for_a_shadow_counts_once() -> None:
    twice = "\n".join(said(72 + d, 100 + d, "年度报告 2026", 24) for d in (0, 0.5, 1.0, 1.5))
    assert load("a.pdf", pdf(twice))[0].text == "年度报告 2026"


def test_english_words_keep_their_blanks() -> None:
    text = said(72, 100, "Annual leave is fifteen days after one") + "\n" + said(72, 118, "full year of service.")
    assert load("a.pdf", pdf(text))[0].text == "Annual leave is fifteen days after one full year of service."


def test_pages_without_text() -> None:
    with pytest.raises(EmptyDocument) as caught:
        load("扫描.pdf", pdf("", ""))
    assert "OCR" in caught.value.message("zh") and "1-2" in caught.value.message("zh")
    assert "扫描.pdf" in caught.value.message("en")
    (document,) = load("a.pdf", pdf("", said(72, 72, "有字。"), "", said(72, 72, "又有。")))
    start = document.text.index("又有")
    assert checked(document).pages == (0, 0, start, start)


def test_a_page_full_of_rules_is_read_as_text_and_says_so() -> None:
    rules = [rule(72 + 4 * n, 72, 72 + 4 * n, 500) for n in range(100)] + [
        rule(72, 72 + 4 * n, 500, 72 + 4 * n) for n in range(100)
    ]
    (document,) = load("a.pdf", pdf("\n".join([said(90, 90, "字"), *rules])))
    assert document.text == "字"
    assert "too many drawn lines on page 1" in document.warnings[0].en


def test_passwords() -> None:
    page = said(72, 72, "机密内容。")
    assert load("a.pdf", pdf(page, password=""))[0].text == "机密内容。"
    with pytest.raises(LoadError, match="password") as caught:
        load("a.pdf", pdf(page, password="secret"))
    assert "加密" in caught.value.message("zh")


def test_title_property_and_what_programs_write_there() -> None:
    page = said(72, 72, "正文在此。")
    assert load("a.pdf", pdf(page, title="年假制度"))[0].title == "年假制度"
    assert load("年假.pdf", pdf(page, title="Microsoft Word - 新建.doc"))[0].title == "年假"


def test_packed_streams_of_any_size() -> None:
    for lines in (1, 30, 3000):
        operators = "\n".join(said(72, 72 + 20 * (n % 30), f"第{n}行文字。") for n in range(lines))
        assert load("a.pdf", pdf(operators, packed=True)) == load("a.pdf", pdf(operators))


def test_a_stream_that_unpacks_to_too_much_is_refused() -> None:
    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(bytes(1 << 20)) for _ in range(220)) + packer.flush()
    stream = b"<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream" % (len(packed), packed)
    bomb = pdf(said(72, 72, "x")).replace(b"xref\n", b"99 0 obj\n" + stream + b"\nendobj\nxref\n", 1)
    with pytest.raises(UnsafeFile, match="200 MB"):
        load("a.pdf", bomb)
    for name in (b"98 0 R", b"/#46lateDecode"):  # the reader follows both
        with pytest.raises(UnsafeFile, match="200 MB"):
            load("a.pdf", bomb.replace(b"/Filter/FlateDecode", b"/Filter " + name))
    picture = bomb.replace(b"/Filter/FlateDecode", b"/Subtype/Image/Filter/FlateDecode")
    assert load("a.pdf", picture)[0].text == "x"


def test_the_number_of_a_page_taken_out_of_a_longer_file() -> None:
    body = "\n".join(said(72, 72 + 20 * n, f"正文的第{n}行文字在此。") for n in range(20))
    (document,) = load("a.pdf", pdf(body + "\n" + said(290, 800, "173", 9)))
    assert [(part.text, part.why) for part in document.removed] == [("173", "page_number")]
    assert document.text.endswith("正文的第19行文字在此。")


def test_short_lines_with_labels_stay_lines() -> None:
    """The widest of them is not full, and a label begins a line even where it is."""
    lines = [
        "甲方：星海科技有限公司",
        "地址：北京市海淀区中关村大街1号",
        "电话：010-12345678",
        "联系人：张三",
        "抄送：各部门",
    ]
    short = ["身份证复印件", "学历证书复印件", "体检报告（三个月内有效）", "离职证明", "照片两张"]
    for texts in (lines, short):
        drawn = [said(72, 60 + 18 * n, text) for n, text in enumerate(texts)]
        assert load("a.pdf", pdf("\n".join(drawn)))[0].text == "\n\n".join(texts)
    full = [
        "地址：" + "星海市东湖高新技术产业开发区云衡大道第" * 2,
        "电话：" + "零一二三四五六七八九" * 3,
        "联系人：张三",
    ]
    drawn = [said(60, 60 + 18 * n, text) for n, text in enumerate(full)]
    assert load("a.pdf", pdf("\n".join(drawn)))[0].text == "\n\n".join(full)


def test_stretched_lines_of_a_paragraph_are_no_rows() -> None:
    """Their gaps may stand one under the other."""
    parts = [
        ("员工应当在每年年底之前", "将当年的年假全部休完，未"),
        ("休完的年假经部门负责人", "批准以后可以顺延到第二年"),
    ]
    drawn = [
        said(72, 60 + 18 * n, a) + "\n" + said(72 + 12 * 11 + 14, 60 + 18 * n, b) for n, (a, b) in enumerate(parts)
    ]
    drawn.append(said(72, 96, "的三月底。"))
    assert load("a.pdf", pdf("\n".join(drawn)))[0].text.replace(" ", "") == "".join(map("".join, parts)) + "的三月底。"
