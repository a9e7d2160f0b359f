import random
import re
from fractions import Fraction

import pytest

from rag.corpus.numerals import AMOUNT, NUMERALS, amount, number

DIGITS = "零一二三四五六七八九"


def written(n: int) -> str:
    """A number below 10^12 as it is written in Chinese: groups of four digits, each with its sign, gaps as one 零."""
    out = ""
    for size, sign in ((10**8, "亿"), (10**4, "万"), (1, "")):
        group = n // size % 10_000
        if not group:
            continue
        part, gap = "", bool(out) and group < 1000
        for unit, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
            digit = group // unit % 10
            if digit:
                part += ("零" if gap else "") + DIGITS[digit] + name
            gap = (bool(part) or gap) and not digit
        out += part + sign
    return "十" + out[2:] if out.startswith("一十") else out


def test_what_is_written_by_the_rules_is_read_back(seeds) -> None:
    for n in [
        *range(1, 10_001),
        *(random.Random(seed).randrange(1, 10 ** random.Random(seed).randint(4, 12)) for seed in seeds(2000)),
    ]:
        assert number(written(n)) == str(n), written(n)


def test_the_writer_is_right() -> None:
    assert [written(n) for n in (10, 15, 82, 105, 1050, 20_000, 32_006, 100_020_003)] == [
        "十", "十五", "八十二", "一百零五", "一千零五十", "二万", "三万二千零六", "一亿零二万零三",
    ]  # fmt: skip


def test_a_last_digit_after_a_sign_counts_the_next_unit() -> None:
    spoken = {
        "一百五": "150",
        "两千三": "2300",
        "三万二": "32000",
        "一亿二": "120000000",
        "一百零五": "105",
        "三万零二": "30002",
    }
    assert {word: number(word) for word in spoken} == spoken


@pytest.mark.parametrize("word", ["", "万一", "十百", "千千", "三五十", "百", "千", "万", "零十", "十十", "一十二百"])
def test_what_is_no_number_is_none(word: str) -> None:
    assert number(word) is None


def test_any_run_of_numerals_gives_digits_or_nothing(seeds) -> None:
    for seed in seeds(2000):
        rng = random.Random(seed)
        word = "".join(rng.choices(NUMERALS, k=rng.randint(1, 12)))
        value = number(word)
        assert value is None or (value.isascii() and value.isdigit()), word


def test_an_amount_is_its_digits_times_its_signs(seeds) -> None:
    for seed in seeds(2000):
        rng = random.Random(seed)
        n, places = rng.randrange(10 ** rng.randint(1, 12)), rng.randint(0, 6)
        digits = f"{n:,}" if rng.random() < 0.3 else str(n)
        digits += "." + "".join(rng.choices("0123456789", k=places)) if places else ""
        sign, times = rng.choice(
            (("百", 100), ("千", 1000), ("万", 10**4), ("亿", 10**8), ("百万", 10**6), ("千亿", 10**11))
        )
        assert re.fullmatch(AMOUNT, digits + sign)
        value = amount(digits + sign)
        assert Fraction(value) == Fraction(digits.replace(",", "")) * times, digits + sign
        assert re.fullmatch(r"(0|[1-9]\d*)(\.\d*[1-9])?", value)


@pytest.mark.parametrize("text", ["3", "万", "3.万", ".5", "3,00,0", "1" * 16 + "x", "3元"])
def test_what_is_no_amount(text: str) -> None:
    assert re.fullmatch(AMOUNT, text) is None
