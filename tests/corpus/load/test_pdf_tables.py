"""Tables of PDF files that go on over the page break, and tables without rules."""

import random
from collections.abc import Callable

from rag.corpus.load import load
from tests.corpus.load.files import pdf, ruled, said

HEAD = ("项目", "金额", "说明文字一栏")


def test_a_row_cut_by_the_page_break_is_one_row() -> None:
    first = [HEAD, ("甲", "100", "无"), ("乙", "200", "每月按实际额报销")]
    second = [HEAD, ("", "", "附上凭证"), ("丙", "300", "无")]
    pages = ruled(first, 690, height=36) + "\n" + said(278, 780, "在当月底之前并且", 10), ruled(second, 60)
    (document,) = load("a.pdf", pdf(*pages))
    assert document.text == (
        "项目: 甲；金额: 100；说明文字一栏: 无\n项目: 乙；金额: 200；说明文字一栏: 每月按实际额报销在当月底之前并且附上凭证\n\n"
        "项目: 丙；金额: 300；说明文字一栏: 无"
    )
    assert [(part.text, part.why, part.page) for part in document.removed] == [(" | ".join(HEAD), "running_line", 2)]


def test_rows_of_columns_as_wide_as_their_words_stay_rows(seeds: Callable[[int], range]) -> None:
    """Every cell reaches the right side of its column, on both sides of the page break, some of them empty."""
    for seed in seeds(60):
        rng = random.Random(seed)
        n = rng.randint(2, 4)
        names = tuple("编号名称地点备注"[2 * c : 2 * c + 2] + "一列的名字" for c in range(n))
        rows = []
        for number in range(rng.randint(4, 9)):
            cells = [f"{'甲乙丙丁戊己庚辛壬癸'[number]}号{'东西南北中'[c]}边的办公" for c in range(n)]
            rows.append(tuple(cell if c == number % n or rng.random() < 0.7 else "" for c, cell in enumerate(cells)))
        cut, repeats = rng.randint(1, len(rows) - 2), rng.random() < 0.5
        first, second = [names, *rows[:cut]], [names] * repeats + rows[cut:]
        (document,) = load("a.pdf", pdf(ruled(first, 500, 90), ruled(second, 60, 90)))
        expected = [
            "；".join(f"{name}: {cell}" for name, cell in zip(names, row, strict=True) if cell)
            if sum(map(bool, row)) > 1
            else next(filter(None, row))
            for row in rows
        ]
        found = [
            line.split(": ", 1)[-1] if line.count(": ") == 1 else line
            for line in document.text.split("\n")
            if line and line != " | ".join(names)  # where a column happens to be empty
        ]
        assert found == expected, seed


def spread(rows: list[tuple[str, ...]], top: float) -> str:
    """Cells at the same distances, without a rule."""
    return "\n".join(
        said(72 + 110 * c, top + 20 * r, text) for r, row in enumerate(rows) for c, text in enumerate(row) if text
    )


def test_a_table_without_rules_keeps_its_column_names() -> None:
    rows = [
        ("城市", "档次", "上限", "备注"),
        ("北京", "一线", "600", ""),
        ("杭州", "", "450", "旺季上浮"),
        ("义乌", "三线", "", "无"),
    ]
    page = said(72, 60, "标准如下。") + "\n" + spread(rows, 100) + "\n" + said(72, 300, "说明。")
    (document,) = load("a.pdf", pdf(page))
    assert document.text == (
        "标准如下。\n\n城市: 北京；档次: 一线；上限: 600\n城市: 杭州；上限: 450；备注: 旺季上浮\n城市: 义乌；档次: 三线；备注: 无\n\n说明。"
    )
    assert [table.header for table in document.tables] == ["城市 | 档次 | 上限 | 备注"]


def test_rows_that_stand_under_no_names_are_lines() -> None:
    for rows in (
        [("甲方", "乙方", "日期"), ("张三", "李四", "十月一日")],  # too few to be sure
        [("1", "2", "3"), ("4", "5", "6"), ("7", "8", "9")],  # nothing that names a column
    ):
        (document,) = load("a.pdf", pdf(spread(rows, 100)))
        assert document.tables == () and ":" not in document.text


TWO = [("假期", "天数"), ("年假", "5天"), ("病假", "最多15天"), ("产假", "158天")]
SHORT = "各类假期的标准如下，超出部分按事假处理。"


def test_a_table_of_two_columns_without_rules() -> None:
    for rows in (TWO, [("部门名称", "负责人"), ("财务部", "张三"), ("人事部", "李四")]):
        (document,) = load("a.pdf", pdf(said(72, 60, SHORT) + "\n" + spread(rows, 100)))
        names = rows[0]
        expected = ["；".join(f"{n}: {v}" for n, v in zip(names, row, strict=True)) for row in rows[1:]]
        assert document.text.split("\n\n", 1)[1].split("\n") == expected
        assert [table.header for table in document.tables] == [" | ".join(names)]


def test_two_texts_side_by_side_are_no_table() -> None:
    for rows in (
        [("甲方（盖章）", "乙方（盖章）"), ("张三", "李四"), ("2026年3月1日", "2026年3月2日")],  # signatures
        [("申请条件", "所需材料"), ("1. 年满十八岁", "1. 身份证"), ("2. 大专以上", "2. 学历证书")],  # lists
        [("姓名：张三", "工号：012"), ("性别：男", "年龄：30"), ("电话：123", "房间：204")],  # a form
        [("章名", "页码"), ("总则", "1"), ("休假", "3"), ("附则", "9")],  # contents
        [("软件", "设计软件"), ("甲方案", "用于动画的3D编辑器"), ("乙方案", "基于内核的3D编辑器")],
        [("上午", "下午"), ("开会讨论。", "9点出发。"), ("写报告。", "3点返回。")],  # sentences
    ):
        (document,) = load("a.pdf", pdf(said(72, 60, SHORT) + "\n" + spread(rows, 100)))
        assert document.tables == ()
        lines = document.text.split("\n\n")[1:]
        assert [line.replace(" ", "") for line in lines] == ["".join(row).replace(" ", "") for row in rows]


def test_few_rows_stay_rows() -> None:
    rows = [("假期", "天数", "工资"), ("年假", "5天", "全额")]
    (document,) = load("a.pdf", pdf(said(72, 60, SHORT) + "\n" + spread(rows, 100)))
    assert document.text.split("\n\n") == [SHORT, *(" ".join(row) for row in rows)]


def test_a_table_without_rules_goes_on_over_the_page_break() -> None:
    """With its names not said again, some cells empty, the pages shifted; what stands below it is text."""
    names = ("城市", "档次", "上限", "备注")
    for words in (False, True):  # rows that could be names themselves
        rows = [
            (f"{c}市", "一线", c if words else f"{n}00元", "含早餐" if n % 3 else "")
            for n, c in enumerate("甲乙丙丁戊己庚辛壬", 1)
        ]
        for shift in (0, 12):
            first = spread([names, *rows[:3]], 700)
            rest = [spread([rows[n : n + 3][r]], 60 + 20 * r) for n in (3, 6) for r in range(3)]
            second = f"q 1 0 0 1 {shift} 0 cm " + "\n".join(rest[:3]) + " Q"
            third = "\n".join(rest[3:]) + "\n" + said(72, 300, SHORT)
            (document,) = load("a.pdf", pdf(first, second, third))
            expected = ["；".join(f"{n}: {v}" for n, v in zip(names, row, strict=True) if v) for row in rows]
            assert [line for line in document.text.split("\n") if line] == [*expected, SHORT], (words, shift)
            assert [table.header for table in document.tables] == [" | ".join(names)] * 3


def test_another_table_without_rules_on_the_next_page_is_another() -> None:
    second = [("姓名", "部门", "岗位", "电话"), ("张三", "财务部", "出纳", "123"), ("李四", "人事部", "专员", "456")]
    first = [("城市", "档次", "上限", "备注"), ("北京", "一线", "六百", "无"), ("杭州", "二线", "五百", "无")]
    (document,) = load("a.pdf", pdf(spread(first, 700), spread(second, 60)))
    assert [table.header for table in document.tables] == [" | ".join(rows[0]) for rows in (first, second)]


def test_words_over_the_rest_of_a_table_are_left_out() -> None:
    first = ruled([HEAD, ("甲", "100", "无"), ("乙", "200", "有")], 700)
    for words in ("续表", "表 3（续）", "续表 3 费用标准"):
        (document,) = load(
            "a.pdf", pdf(first, said(72, 60, words) + "\n" + ruled([("丙", "300", "无"), ("丁", "400", "有")], 90))
        )
        assert "项目: 丙；金额: 300" in document.text and words not in document.text
        assert [(part.text, part.page) for part in document.removed] == [(words, 2)]
        assert [table.header for table in document.tables] == [" | ".join(HEAD)] * 2


def test_another_table_at_the_top_of_the_next_page_has_its_own_names() -> None:
    people = [("姓名", "部门", "岗位"), ("张三", "财务部", "出纳"), ("李四", "人事部", "专员")]
    for others in (
        [("城市", "标准", "备注"), ("广州", "600元", "含税"), ("深圳", "500元", "含税")],  # figures where words stood
        [("物品", "领用人", "保管"), ("电脑A1", "王五", "2年"), ("手机B2", "赵六", "3年")],
        [("办公地点", "责任人", "联系电话"), ("一号楼", "王五", "内线甲"), ("二号楼", "赵六", "内线乙")],  # called so
    ):
        (document,) = load("a.pdf", pdf(ruled(people, 700), ruled(others, 60)))
        assert [table.header for table in document.tables] == [" | ".join(people[0]), " | ".join(others[0])]
        assert document.text.endswith("；".join(f"{n}: {v}" for n, v in zip(others[0], others[-1], strict=True)))


def test_rows_that_look_like_names_go_on_with_the_table() -> None:
    people = [("姓名", "部门", "岗位"), ("张三", "财务部", "出纳"), ("李四", "人事部", "专员")]
    fees = [("项目", "标准", "备注"), ("住宿", "600元", "含早餐"), ("交通", "实报", "凭票"), ("其他", "100元", "凭票")]
    for first, rest in (
        (people, [("王五", "市场部", "经理"), ("赵六", "财务部", "会计")]),
        (fees, [("通讯", "面议", "每月"), ("餐费", "120元", "凭票")]),
        (fees, [("通讯", "实报", "每月"), ("餐费", "120元", "每天2次")]),
    ):
        (document,) = load("a.pdf", pdf(ruled(first, 700), ruled(rest, 60)))
        assert {table.header for table in document.tables} == {" | ".join(first[0])}
        assert document.text.endswith("；".join(f"{n}: {v}" for n, v in zip(first[0], rest[-1], strict=True)))


def test_another_table_on_the_next_page_is_another_table() -> None:
    first = ruled([HEAD, ("甲", "100", "无")], 700)
    (document,) = load(
        "a.pdf",
        pdf(first, said(72, 60, "表二 其他标准") + "\n" + ruled([("城市", "上限", "币种"), ("北京", "600", "元")], 90)),
    )
    assert document.text.endswith("表二 其他标准\n\n城市: 北京；上限: 600；币种: 元")


def test_a_listing_is_no_table() -> None:
    """A tree of files, a program, what a terminal shows: lines as they stand, also where they go on over the page break."""
    for rows in (
        [("│", "│", "├── 说明"), ("│", "│", "├── 目录"), ("│", "│", "└── 附件"), ("│", "├── 表一", "")],
        [("#", "method", "\\"), ("#", "format", "\\"), ("#", "name", "\\"), ("#", "size", "\\")],
        [("if (a)", "then", "{"), ("b", "c", "f(b);"), ("d", "e", "f(d);"), ("g", "h", "}")],
        [(f"-rw-r--r-- 1 {c}", "59 Jul", f"2 {c}.txt") for c in "abcd"],
    ):
        pages = said(72, 60, SHORT) + "\n" + spread(rows, 740), spread(rows, 60)
        (document,) = load("a.pdf", pdf(*pages))
        assert document.tables == (), rows
        text = "".join(document.text.split())
        assert text == SHORT + "".join("".join(row) for row in [*rows, *rows]).replace(" ", ""), rows


def test_signs_of_a_listing_in_some_cells_are_no_listing() -> None:
    for rows in (
        [("#", "项目", "上限"), ("1", "住宿", "$ 600"), ("2", "交通", "─"), ("3", "餐费", "$ 100")],
        [
            ("目录", "权限", "负责人"),
            ("/data/hr", "只读", "张三"),
            ("/data/it", "读写", "李四"),
            ("/home", "{}", "各人"),
        ],
    ):
        (document,) = load("a.pdf", pdf(said(72, 60, SHORT) + "\n" + spread(rows, 100)))
        assert [table.header for table in document.tables] == [" | ".join(rows[0])]
