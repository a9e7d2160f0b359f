import pytest

from rag.corpus.index import Progress
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
