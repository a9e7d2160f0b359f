import pytest

from rag.corpus.index import Progress
from rag.ui.pace import Pace, Speed
from rag.ui.panels import progress_bar


@pytest.mark.parametrize(
    ("progress", "said"),
    [
        (Progress("encode", 1, 3), "1 / 3 <"),
        (Progress("encode", 1, 3, reused=1200), "1 / 3 (and 1,200 that had been encoded before) <"),
        (Progress("encode", 0, 0, reused=2), "(and 2 that had been encoded before) <"),
        (Progress("load", 0, 1, "a.txt", ahead=3), "0 / 1 (waiting for 3 files of others) a.txt<"),
        (Progress("load", 0, 0, waits=True), "<b>Waiting for your change before this one…</b> <"),
        (Progress("load", 0, 1, "<b>.txt"), "&lt;b&gt;.txt<"),
    ],
)
def test_the_bar_says_how_far_and_what_needed_no_encoding(progress: Progress, said: str) -> None:
    assert said in progress_bar(progress, "en").replace("  ", " ")


@pytest.mark.parametrize(
    ("speed", "en", "zh"),
    [
        (Speed(34.4, 12.01), "· 34 a second, about 0:13 min left", "· 每秒 34 条，约剩 0:13（分:秒）"),
        (Speed(2.36, 600.0), "· 2.4 a second, about 10:00 min left", "· 每秒 2.4 条，约剩 10:00（分:秒）"),
    ],
)
def test_the_bar_says_how_fast_and_how_long(speed: Speed, en: str, zh: str) -> None:
    assert en in progress_bar(Progress("encode", 1, 3), "en", speed)
    assert zh in progress_bar(Progress("encode", 1, 3), "zh", speed)


def test_a_pace_is_that_of_encoding_alone() -> None:
    pace = Pace()
    assert pace.heard(Progress("split", 3, 4), 0.0) is None
    assert pace.heard(Progress("encode", 0, 100), 50.0) is None
    assert pace.heard(Progress("encode", 10, 100), 50.5) is None  # too early to tell
    assert pace.heard(Progress("encode", 25, 100), 52.5) == Speed(10.0, 7.5)
    assert pace.heard(Progress("encode", 25, 100), 55.0) == Speed(5.0, 15.0)  # waiting for others counts
    assert pace.heard(Progress("encode", 100, 100), 60.0) is None
    assert pace.heard(Progress("index", 0, 1), 61.0) is None
    assert pace.heard(Progress("encode", 0, 10), 90.0) is None  # another run begins anew
    assert pace.heard(Progress("encode", 4, 10), 92.0) == Speed(2.0, 3.0)


def test_a_wait_before_the_first_piece_counts_too() -> None:
    pace = Pace()
    for tick in range(16):  # nothing new is said again every fifth of a second
        assert pace.heard(Progress("encode", 0, 100), 10 + tick / 5) is None
    assert pace.heard(Progress("encode", 20, 100), 14.0) == Speed(5.0, 16.0)
