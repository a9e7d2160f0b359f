import random
from collections.abc import Callable

import pytest

from rag.corpus.load.legible import GOOD, POOR, legible
from tests import hostile

READ = (
    "本篇教程面向普通Debian用户和未来的开发者，描述了使用debmake命令构建软件包的方法，含POSIX shell和Python3脚本。",
    "第十二条 员工入职满一年后，每年可享受15天带薪年假，未休完的年假不得跨年累计。",
    "出差住宿標準：一線城市每晚不超過 600 元；其餘 450 元，須附發票正本與核准單。",
    "Annual leave is fifteen days after one full year of service; see HR-F-012 and section 4.2.",
    "Peněžní prostředky na účtech a v pokladně společnosti v tisících korun českých",
    "L’ordre du jour de la séance est adopté à l’unanimité des membres présents.",
    "연차 휴가는 입사 후 일 년이 지나면 매년 십오 일이며 이월할 수 없다.",
    "ご利用のお客様は、受付で社員証を提示してください。カードを忘れた場合は申請が必要です。",
    "Ежегодный отпуск составляет двадцать восемь календарных дней после шести месяцев работы.",
)


@pytest.mark.parametrize("text", READ)
def test_text_reads_well(text: str) -> None:
    assert legible(text) > GOOD


@pytest.mark.parametrize("text", READ[3:6])
def test_letters_shifted_as_by_a_font_without_a_map_read_badly(text: str) -> None:
    # codes that are glyph numbers: every letter lies 29 lower than it should
    shifted = "".join(chr(ord(c) - 29) if 32 < ord(c) - 29 else c for c in text)
    assert legible(shifted) < POOR


def test_chinese_read_in_the_wrong_encoding_reads_badly() -> None:
    for text in READ[:2]:
        two_bytes = text.encode("gbk", "ignore")
        assert legible(two_bytes[: len(two_bytes) // 2 * 2].decode("utf-16-be", "ignore")) < POOR


def test_random_characters_of_a_whole_block_read_badly(seeds: Callable[[int], range]) -> None:
    for seed in seeds(50):
        rng = random.Random(seed)
        for first, last in ((0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0xE000, 0xF8FF)):
            assert legible("".join(chr(rng.randint(first, last)) for _ in range(60))) < POOR


def test_any_text_has_a_share(seeds: Callable[[int], range]) -> None:
    for seed in seeds(300):
        assert 0 <= legible(hostile.text(random.Random(seed))) <= 1


def test_too_little_to_tell() -> None:
    assert legible("") == legible("3HQ") == legible("2026-10-01 / 15 %") == 1


def test_the_address_at_the_foot_of_a_printed_page_does_not_count() -> None:
    page = "第三章 附则\n本制度由人力资源部负责解释。\nfile:///tmp/qx7/srv_b2k/tmp.html 2/2"
    assert legible(page) >= GOOD
