import random
from collections.abc import Callable
from datetime import datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal

import pytest
from openpyxl.utils.datetime import MAC_EPOCH

from rag.corpus.load.number import shown
from tests import hostile


@pytest.mark.parametrize(
    ("value", "picture", "expected"),
    [
        (3000.0, "General", "3000"),
        (0.1 + 0.2, "General", "0.3"),
        (2.5, "0", "3"),  # half away from zero, as a sheet rounds
        (-2.5, "0", "-3"),
        (-0.001, "0.00", "0.00"),
        (1234567.891, "#,##0.00", "1,234,567.89"),
        (0.5, "0%", "50%"),
        (1 / 3, "0.00%", "33.33%"),
        (1.5, "0.##", "1.5"),
        (2, "0.##", "2"),
        (0.5, "#.0", ".5"),
        (12, '0"天"', "12天"),
        (3000, '"¥"#,##0', "¥3,000"),
        (3000, "[$¥-804]#,##0.00", "¥3,000.00"),
        (3000, '_ "¥"* #,##0_ ;_ "¥"* -#,##0_ ', "¥3,000"),
        (7, "000", "007"),
        (1500000, "#,##0,", "1,500"),
        (12345678901234, "General", "12345678901234"),
        # without a format: what is stored, with the 15 digits that a sheet keeps of it
        (123456789012.35, "General", "123456789012.35"),
        (-123456789012.35, '[DBNum2]General"元"', "-壹仟贰佰叁拾肆亿伍仟陆佰柒拾捌万玖仟零壹拾贰.叁伍元"),
        (1 / 3, "General", "0.333333333333333"),
        (12345678901234567890.0, "General", "12345678901234600000"),
        (12345678901234567890.0, "0", "12345678901234600000"),
        (12345678901234567890, "General", "12345678901234567890"),  # a file can hold more; none is made up
        (110101199001011234, "0", "110101199001011234"),
        (0.1 + 0.2, "0.0000000000000000000", "0.3000000000000000000"),
        (1e-9, "General", "0.000000001"),
        (1.5e-10, "General", "1.5e-10"),
        (9.5e20, "General", "950000000000000000000"),
        (1e21, "General", "1e+21"),
        (10**400, "General", "1e+400"),
        (-(10**400), "0.00", "-1e+400"),
        (-0.0, "General", "0"),
        (float("inf"), "General", "inf"),
        (True, "General", "TRUE"),
        (datetime(2026, 10, 1, 9, 30), "General", "2026-10-01 09:30"),
        (time(22, 0), "h:mm", "22:00"),
        ("007", "General", "007"),
        (None, "General", ""),
        (1e300, "0.00", "1e+300"),
        # the examples of ISO/IEC 29500, 18.8.31, and what Excel shows for the formats it offers
        (1234.59, "####.#", "1234.6"),
        (8.9, "#.000", "8.900"),
        (0.631, "0.#", "0.6"),
        (12.5, "# ?/?", "12 1/2"),
        (5.25, "# ???/???", "5 1/4"),
        (5.3, "# ?/8", "5 2/8"),
        (12200000, "0.0,,", "12.2"),
        (12200000, "0.00E+00", "1.22E+07"),
        (12200000, "##0.0E+0", "12.2E+6"),
        (9.999, "0.00E+00", "1.00E+01"),
        (-1234.5, "#,##0_);(#,##0)", "(1,235)"),
        (0, '_(* #,##0.00_);_(* \\(#,##0.00\\);_(* "-"??_);_(@_)', "-"),
        (-5, "0;;", ""),
        (5, '[>=1000]#,##0,"千";0', "5"),
        (5000, '[>=1000]#,##0,"千";0', "5千"),
        (1, '[=1]"是";[=0]"否";0', "是"),
        (123456789, "000-00-0000", "123-45-6789"),
        (1005, "0.00", "1005.00"),
        (1.005, "0.00", "1.01"),
        (1.5, "0." + "0" * 60, "1.5" + "0" * 59),
        (0.285, "0%", "29%"),
        ("未定", '0.00;-0.00;0;"（"@"）"', "（未定）"),
        ("x", "@", "x"),
        (7, "@", "7"),
        (12, '"共"General"项"', "共12项"),
        (1203, '[DBNum2][$-804]G/通用格式"元整"', "壹仟贰佰零叁元整"),
        (1203, "[DBNum1]0", "一二〇三"),
        (12, "[DBNum3]0", "１２"),
        (datetime(2026, 10, 1), 'yyyy"年"m"月"d"日";@', "2026年10月1日"),
        (datetime(2026, 10, 1), "yyyy\\-mm\\-dd", "2026-10-01"),
        (datetime(2026, 10, 1), "yyyy/m/d", "2026/10/1"),
        (datetime(2026, 10, 1), '[DBNum1][$-804]yyyy"年"m"月"d"日"', "二〇二六年十月一日"),
        (datetime(2026, 10, 1), 'm"月"d"日"', "10月1日"),
        (datetime(2026, 10, 1), "yyyy/mm/dd aaaa", "2026/10/01 星期四"),
        (datetime(2026, 10, 1), "[$-804]dddd", "星期四"),
        (datetime(2026, 10, 1), "dddd, mmmm d, yyyy", "Thursday, October 1, 2026"),
        # which number is the day cannot be told
        (datetime(2026, 10, 1), "mm-dd-yy", "2026-10-01"),
        (datetime(2026, 10, 1), "dd/mm/yyyy", "2026-10-01"),
        (datetime(2026, 10, 1), "d-mmm", "2026-10-01"),
        (datetime(2026, 10, 1), "mmm-yy", "2026-10"),
        (datetime(2026, 10, 1, 9, 5), "m/d/yy h:mm", "2026-10-01 9:05"),
        (datetime(2026, 10, 1), "[$-F800]dddd, mmmm dd, yyyy", "2026-10-01"),
        (datetime(2026, 10, 1, 21, 5), "h:mm AM/PM", "9:05 PM"),
        (datetime(2026, 10, 1, 0, 5), '上午/下午h"时"mm"分"', "上午12时05分"),
        (datetime(2026, 10, 1, 9, 5, 7, 250_000), "mm:ss.00", "05:07.25"),
        (time(22, 5), "yyyy/m/d h:mm", "22:05"),
        (time(9, 0), 'h"时"mm"分"', "9时00分"),
        (time(17, 30), '[$-804]上午/下午h"时"mm"分";@', "下午5时30分"),
        (time(9, 0), 'h"点"', "9点"),
        (time(9, 5), 'h"小时"m"分钟"', "9小时5分钟"),
        (time(17, 30), "hh.mm", "17.30"),
        (time(17, 30), "h-mm", "17-30"),
        (time(9, 5), '"每天"h:mm"起"', "每天9:05起"),
        (time(9, 5), 'yyyy"年"m"月"d"日" h"时"mm"分"', "9时05分"),
        (datetime(2026, 10, 1, 9, 5), 'd/m/yyyy h"时"mm"分"', "2026-10-01 9时05分"),
        (datetime(2026, 10, 1, 9, 5), 'h"时"mm"分" d/m/yyyy', "2026-10-01 9时05分"),
        # numbers that only the format makes days: the libraries do not know these letters
        (46083, "aaaa", "星期一"),
        (46083, "aaa", "一"),
        (46083, "[$-804]aaaa;@", "星期一"),
        (46083.0, 'e"年"', "2026年"),
        (0.375, "上午/下午", "上午"),
        (0, "aaaa", "0"),
        (1e12, "aaaa", "1000000000000"),
        (-3, "aaaa", "-3"),
        # ! shows the sign behind it, as \\ does; a comma behind the digits is a thousand less
        (1234567, '0!.0,"万"', "123.5万"),
        (35000, '0!.0,"万元"', "3.5万元"),
        (500, '0!.0,"万"', "0.1万"),
        (1234567, "0\\.0,万", "123.5万"),
        (35000, '0!.0000"万"', "3.5000万"),
        (123456789012, '0!.00,,"亿"', "1234.57亿"),
        (5, "0!", "5!"),
        (5, "0!;-0", "5!"),
        (timedelta(hours=30, minutes=5), "[h]:mm", "30:05"),
        (timedelta(hours=1, minutes=5), "[mm]", "65"),
        (timedelta(minutes=-90), "[h]:mm", "-1:30"),
    ],
)
def test_values_as_the_sheet_shows_them(value: object, picture: str, expected: str) -> None:
    assert shown(value, picture) == expected


def test_a_day_is_counted_from_the_first_day_of_its_sheet() -> None:
    assert (
        shown(0.0 + 44621, "aaaa", MAC_EPOCH) == shown(46083, "aaaa") == "星期一"
    )  # 2026-03-02 both: 1,462 days apart
    assert shown(44621, "e", MAC_EPOCH) == "2026" and shown(44621, "e") == "2022"


def test_plain_formats_agree_with_decimal_arithmetic(seeds: Callable[[int], range]) -> None:
    for seed in seeds(3000):
        rng = random.Random(seed)
        places, grouped, percent = rng.randint(0, 4), rng.random() < 0.5, rng.random() < 0.3
        value = rng.choice((1, -1)) * round(10 ** rng.uniform(-5, 9), rng.randint(0, 6))
        code = ("#,##0" if grouped else "0") + ("." + "0" * places if places else "") + ("%" if percent else "")
        exact = (Decimal(repr(value)) * (100 if percent else 1)).quantize(Decimal(10) ** -places, ROUND_HALF_UP)
        expected = f"{exact + 0:{',' if grouped else ''}.{places}f}" + ("%" if percent else "")
        assert shown(value, code) == expected.replace("-", "", 0 if exact else 1), (value, code)


def test_no_format_is_too_strange(seeds: Callable[[int], range]) -> None:
    pieces = (
        "0",
        "#",
        "?",
        ".",
        ",",
        "%",
        "E+",
        "/",
        "General",
        "@",
        ";",
        "[",
        "]",
        "[h]",
        "[$-",
        "[DBNum1]",
        "[<5]",
        '"',
        "\\",
    )
    pieces += ("y", "m", "d", "h", "s", "AM/PM", "_", "*", "e", "a", "aaa", "g", "b", "年", " ", "-")
    values = (
        0,
        1,
        -1.5,
        1e300,
        5e-324,
        float("nan"),
        10**30,
        "文",
        True,
        None,
        datetime(2026, 1, 31),
        time(1),
        timedelta(9),
    )
    for seed in seeds(3000):
        rng = random.Random(seed)
        code = "".join(rng.choices(pieces, k=rng.randint(0, 12))) + (hostile.line(rng, 1) if rng.random() < 0.2 else "")
        for value in values:
            assert len(shown(value, code)) < 1000
