import random
import unicodedata
from collections.abc import Callable

import pytest

from rag.corpus.clean import clean_line, clean_text, flow, flow_lines
from tests import hostile


@pytest.mark.parametrize(
    ("dirty", "clean"),
    [
        ("a\r\nb\rc\x0bd\u2028e\x85f", "a\nb\nc\nd\ne\nf"),
        ("a\x00\x07b\x7f\x9b", "ab"),
        ("a \t\nb\u3000\n", "a\nb"),
        ("a\n\n\n\n\nb", "a\n\nb"),
        ("a\n \n\u3000\n\nb", "a\n\nb"),
        ("\n\n a\n\n", " a"),
        ("a\ud800b\ufffec\uffffd\U0001fffe", "abcd"),
        ("\ufeffa\u200bb\u202ec\u202c", "abc"),
        ("\x00", ""),
    ],
)
def test_what_is_removed(dirty: str, clean: str) -> None:
    assert clean_text(dirty) == clean


@pytest.mark.parametrize(
    "kept", ["ＶＰＮ－４０３１", "“年假”——（一）；３０００元", "é", "👩‍👩‍👧", "a\tb", "一　二", "①㎡½"]
)
def test_what_stays(kept: str) -> None:
    assert clean_text(kept) == kept


def test_clean_text_is_a_fixed_point_without_controls(seeds: Callable[[int], range]) -> None:
    for seed in seeds(2000):
        rng = random.Random(seed)
        dirty = hostile.text(rng) + "".join(chr(rng.randrange(0x110000)) for _ in range(rng.randint(0, 30)))
        clean = clean_text(dirty)
        assert clean_text(clean) == clean
        assert not [c for c in clean if unicodedata.category(c) in ("Cc", "Cs") and c not in "\n\t"]
        # nothing that can be read is lost or moved
        letters = [c for c in dirty if unicodedata.category(c)[0] in "LNPS"]
        assert [c for c in clean if unicodedata.category(c)[0] in "LNPS"] == letters
        assert "\n" not in clean_line(dirty) and clean_line(clean_line(dirty)) == clean_line(dirty)


def test_flow() -> None:
    assert flow("每年有", "十五天") == "每年有十五天"
    assert flow("提交经", "IT服务台") == "提交经IT服务台"
    assert flow("annual", "leave") == "annual leave"
    assert flow("", "a") == "a"
    assert flow_lines("住宿\n标准\r\nper night\nmax") == "住宿标准per night max"
