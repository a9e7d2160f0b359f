"""Automatic numbers of Word lists. The expected ones are worked out by hand from the definitions beside them."""

from collections.abc import Callable

import pytest

from rag.corpus.load import load
from rag.corpus.load.numerals import counted, numeral
from tests.corpus.load.files import at_sections, checked
from tests.corpus.load.ooxml import abstract, document, level, listed, num, paragraph

LEGAL = abstract(
    1,
    level(0, "chineseCountingThousand", "第%1章"),
    level(1, "chineseCountingThousand", "第%2条", more='<w:lvlRestart w:val="0"/>'),
    level(2, "chineseCounting", "（%3）", suffix="nothing"),
    level(3, "decimalEnclosedCircle", "%4", suffix="nothing"),
) + num(1, 1)
OUTLINE = abstract(
    2,
    level(0, "decimal", "%1"),
    level(1, "decimal", "%1.%2"),
    level(2, "decimal", "%1.%2.%3"),
    level(3, "lowerLetter", "%4)"),
) + num(2, 2)


def lines(*body: str, numbering: str, styles: str = "") -> list[str]:
    (read,) = load("a.docx", document(*body, numbering=numbering, styles=styles))
    checked(read)
    return [line for line in read.text.split("\n") if line]


def test_chapters_and_clauses_of_a_policy() -> None:
    body = [
        listed("总则", 1),
        listed("为规范管理，制定本办法。", 1, 1),
        listed("适用于全体员工：", 1, 1),
        listed("正式员工；", 1, 2),
        listed("实习生。", 1, 2),
        listed("不含外包。", 1, 3),
        listed("休假", 1),
        listed("年假每年15天。", 1, 1),
        listed("司龄满十年的，", 1, 2),
    ]
    (read,) = load("a.docx", document(*body, numbering=LEGAL))
    assert read.text == (
        "第一章 总则\n\n第一条 为规范管理，制定本办法。\n\n第二条 适用于全体员工：\n\n（一）正式员工；\n（二）实习生。\n①不含外包。\n\n"
        "第二章 休假\n\n第三条 年假每年15天。\n\n（一）司龄满十年的，"
    )
    assert at_sections(read) == {("第一章 总则",): "第一章 总则", ("第二章 休假",): "第二章 休假"}


def test_levels_restart_after_any_level_above() -> None:
    at = [(0, "1"), (1, "1.1"), (2, "1.1.1"), (2, "1.1.2"), (1, "1.2"), (2, "1.2.1"), (3, "a)"), (3, "b)"), (0, "2")]
    at += [(2, "2.1.1"), (1, "2.1"), (3, "a)")]
    body = [listed(f"x{i}", 2, level_) for i, (level_, _) in enumerate(at)]
    assert lines(*body, numbering=OUTLINE) == [f"{label} x{i}" for i, (_, label) in enumerate(at)]


def test_a_level_that_restarts_only_after_the_first() -> None:
    numbering = abstract(
        1,
        level(0, "decimal", "%1."),
        level(1, "decimal", "%2."),
        level(2, "upperRoman", "%3.", more='<w:lvlRestart w:val="1"/>'),
    ) + num(1, 1)
    body = [listed("x", 1, at) for at in (0, 1, 2, 1, 2, 0, 1, 2)]
    assert lines(*body, numbering=numbering) == ["1. x", "1. x", "I. x", "2. x", "II. x", "2. x", "1. x", "I. x"]


def test_lists_of_one_definition_go_on_and_an_override_starts_again_once() -> None:
    again = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride>'
    numbering = abstract(1, level(0, "decimal", "%1)")) + num(1, 1) + num(2, 1) + num(3, 1, again)
    body = [listed("x", list_id) for list_id in (1, 1, 2, 3, 3, 1)]
    assert lines(*body, numbering=numbering) == ["1) x", "2) x", "3) x", "5) x", "6) x", "7) x"]


def test_an_override_can_bring_its_own_level() -> None:
    own = f'<w:lvlOverride w:ilvl="0">{level(0, "upperLetter", "附件%1：", suffix="nothing")}</w:lvlOverride>'
    numbering = abstract(1, level(0, "decimal", "%1)")) + num(1, 1, own)
    assert lines(listed("甲", 1), listed("乙", 1), numbering=numbering) == ["附件A：甲", "附件B：乙"]


def test_legal_numbers_are_digits_at_every_level() -> None:
    numbering = (
        abstract(1, level(0, "chineseCounting", "第%1章"), level(1, "decimal", "%1.%2", more="<w:isLgl/>"))
        + num(1, 1)
    )  # fmt: skip
    body = [listed("总则", 1), listed("目的", 1, 1), listed("范围", 1, 1)]
    assert lines(*body, numbering=numbering) == ["第一章 总则", "1.1 目的", "1.2 范围"]


def test_headings_numbered_by_their_style() -> None:
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="C{n}"><w:name w:val="标题 {n}"/>{based}<w:pPr><w:numPr>{at}{listing}</w:numPr>'
        f"</w:pPr></w:style>"
        for n, based, at, listing in (
            (1, "", "", '<w:numId w:val="1"/>'),
            (2, '<w:basedOn w:val="C1"/>', '<w:ilvl w:val="1"/>', ""),
        )
    )
    numbering = abstract(
        1,
        level(0, "chineseCounting", "第%1章", more='<w:pStyle w:val="C1"/>'),
        level(1, "decimal", "%2.", more='<w:pStyle w:val="C2"/>'),
    ) + num(1, 1)
    body = [
        paragraph(text, f'<w:pStyle w:val="{style}"/>')
        for text, style in (("总则", "C1"), ("目的", "C2"), ("假", "C1"))
    ]
    (read,) = load("a.docx", document(*body, numbering=numbering, styles=styles))
    assert at_sections(read) == {
        ("第一章 总则",): "第一章 总则",
        ("第一章 总则", "1. 目的"): "1. 目的",
        ("第二章 假",): "第二章 假",
    }


def test_a_numbering_style_stands_for_its_definition() -> None:
    style = (
        '<w:style w:type="numbering" w:styleId="L"><w:name w:val="L"/><w:pPr><w:numPr><w:numId w:val="7"/></w:numPr></w:pPr>'
        "</w:style>"
    )
    numbering = (
        abstract(1, level(0, "lowerRoman", "(%1)"), more='<w:styleLink w:val="L"/>')
        + abstract(2, more='<w:numStyleLink w:val="L"/>')
        + num(7, 1)
        + num(8, 2)
    )
    assert lines(listed("x", 7), listed("y", 8), numbering=numbering, styles=style) == ["(i) x", "(ii) y"]


def test_a_custom_system_said_by_example() -> None:
    custom = (
        '<w:lvl w:ilvl="0"><w:start w:val="9"/><mc:AlternateContent><mc:Choice Requires="w14">'
        '<w:numFmt w:val="custom" w:format="001, 002, 003, ..."/></mc:Choice><mc:Fallback><w:numFmt w:val="decimal"/>'
        '</mc:Fallback></mc:AlternateContent><w:lvlText w:val="HR-%1"/></w:lvl>'
    )
    numbering = abstract(1, custom) + num(1, 1)
    assert lines(listed("x", 1), listed("y", 1), numbering=numbering) == ["HR-009 x", "HR-010 y"]


def test_taken_out_of_the_list_empty_and_hidden_paragraphs() -> None:
    numbering = abstract(1, level(0, "decimal", "%1.")) + num(1, 1)
    hidden = "<w:r><w:rPr><w:vanish/></w:rPr><w:t>h</w:t></w:r>"
    out = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="0"/></w:numPr>'
    body = [listed("a", 1), listed("", 1), listed(hidden, 1), listed("b", 1), paragraph("c", out), listed("d", 99)]
    assert lines(*body, numbering=numbering) == ["1. a", "3. b", "c", "d"]


def test_bullets_and_levels_without_text() -> None:
    numbering = abstract(1, level(0, "bullet", "\uf0b7"), level(1, "none", ""), level(2, "none", "附：")) + num(1, 1)
    assert lines(*(listed(f"x{n}", 1, n) for n in range(4)), numbering=numbering) == ["- x0", "x1", "附： x2", "x3"]


def test_a_system_that_is_not_known_is_said() -> None:
    numbering = abstract(1, level(0, "hebrew1", "%1.")) + num(1, 1)
    (read,) = load("a.docx", document(listed("x", 1), numbering=numbering))
    assert read.text == "1. x"
    assert "hebrew1" in read.warnings[0].en


@pytest.mark.parametrize(
    ("value", "system", "expected"),
    [
        (3, "decimal", "3"),
        (3, "decimalZero", "03"),
        (12, "decimalFullWidth", "１２"),
        (49, "upperRoman", "XLIX"),
        (1994, "lowerRoman", "mcmxciv"),
        (27, "lowerLetter", "aa"),
        (28, "upperLetter", "BB"),
        (22, "ordinal", "22nd"),
        (113, "ordinal", "113th"),
        (20, "decimalEnclosedCircle", "⑳"),
        (21, "decimalEnclosedCircle", "21"),
        (3, "decimalEnclosedParen", "⑶"),
        (3, "decimalEnclosedFullstop", "⒊"),
        (4, "ideographEnclosedCircle", "㊃"),
        (10, "ideographTraditional", "癸"),
        (12, "ideographZodiac", "亥"),
        (13, "ideographZodiacTraditional", "丙子"),
        (10, "ideographDigital", "一〇"),
        (10, "chineseCounting", "十"),
        (19, "chineseCounting", "十九"),
        (20, "chineseCounting", "二十"),
        (105, "chineseCounting", "一〇五"),
        (105, "chineseCountingThousand", "一百零五"),
        (120, "chineseCountingThousand", "一百二十"),
        (10, "chineseLegalSimplified", "壹拾"),
        (103, "taiwaneseDigital", "一○三"),
        (5, "numberInDash", "- 5 -"),
        (5, "thaiLetters", None),
        (0, "upperRoman", "0"),
    ],
)
def test_counting_systems(value: int, system: str, expected: str | None) -> None:
    assert numeral(value, system) == expected


def test_counting_read_back_gives_the_number(seeds: Callable[[int], range]) -> None:
    digits = {sign: number for number, sign in enumerate("零一二三四五六七八九")}
    places = {"十": 10, "百": 100, "千": 1000}
    for value in (*range(1, 3000), *(7919 * seed + 3001 for seed in seeds(2000))):
        total, section, digit = 0, 0, 0
        for sign in counted(value):
            if sign == "万":
                total, section, digit = (section + digit) * 10_000, 0, 0
            elif sign in places:
                section, digit = section + (digit or 1) * places[sign], 0
            else:
                digit = digits[sign]
        assert total + section + digit == value
