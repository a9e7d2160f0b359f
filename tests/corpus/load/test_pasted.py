"""Files pasted together from parts in different encodings."""

import random
from collections.abc import Callable

import pytest

from rag.corpus.load import load
from rag.corpus.load.encoding import decode
from rag.errors import LoadError
from tests.corpus.load.test_encoding import texts

FIRST = "全国年节及纪念日放假办法（摘录）"
BODY = (
    "春节，放假4天（农历除夕、正月初一至初三）。\n清明节，放假1天（农历清明当日）。\n劳动节，放假2天（5月1日、2日）。"
)
TRADITIONAL = "員工入職滿一年後，每年可享受十五天帶薪年假，由直屬主管審批。"


def test_a_first_line_in_utf_8_above_a_body_in_gbk() -> None:
    found = decode("a.txt", FIRST.encode() + b"\n" + BODY.encode("gbk"))
    assert found.text == f"{FIRST}\n{BODY}"
    assert found.reading.en == "GB18030 + UTF-8 (guessed: line by line)"
    assert "line 1)" in found.warnings[0].en and "行：1）" in found.warnings[0].zh


def test_a_paragraph_in_gbk_inside_utf_8_and_in_big5_inside_gbk() -> None:
    found = decode("a.txt", b"\n".join([BODY.encode(), FIRST.encode("gbk"), BODY.encode()]))
    assert found.text == f"{BODY}\n{FIRST}\n{BODY}" and "line 4)" in found.warnings[0].en
    found = decode("a.txt", b"\n".join([BODY.encode("gbk"), TRADITIONAL.encode("big5"), BODY.encode("gbk")]))
    assert found.text == f"{BODY}\n{TRADITIONAL}\n{BODY}" and "line 4)" in found.warnings[0].en


def test_two_encodings_in_one_line() -> None:
    found = decode("a.txt", (FIRST.encode() + "，放假四天。".encode("gbk")) + b"\n" + BODY.encode("gbk"))
    assert found.text == f"{FIRST}，放假四天。\n{BODY}"
    assert found.warnings


def test_a_part_that_stays_unreadable_refuses_the_file_and_names_the_line() -> None:
    data = b"\n".join([FIRST.encode(), BODY.encode("gbk"), b"\xff\xfe\xff\xfe\xff\xfe\xff\xfe\x81", BODY.encode()])
    with pytest.raises(LoadError, match=r"a\.txt.*line 5 .*UTF-8") as caught:
        load("a.txt", data)
    assert "第 5 行" in caught.value.message("zh")


def test_parts_of_the_samples_pasted_together_are_never_read_differently_without_a_warning(
    seeds: Callable[[int], range],
) -> None:
    right = tried = 0
    for seed in seeds(300):
        rng = random.Random(seed)
        parts = []
        for _ in range(rng.randint(2, 4)):
            lines = rng.choice(texts()).split("\n")
            start = rng.randrange(len(lines))
            parts.append("\n".join(lines[start : start + rng.randint(1, 12)]))
        try:
            data = b"\n".join(part.encode(rng.choice(("utf-8", "gb18030", "big5"))) for part in parts)
        except UnicodeEncodeError:
            continue
        tried += 1
        try:
            found = decode("a.txt", data)
        except LoadError:
            continue
        right += found.text == "\n".join(parts)
        assert found.text == "\n".join(parts) or found.warnings, (seed, parts)
    assert right > 0.9 * tried
