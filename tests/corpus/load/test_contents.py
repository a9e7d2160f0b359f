"""Tables of contents in a PDF: what is one is left out, and what only looks like one stays."""

from rag.corpus.load.contents import without_contents
from rag.corpus.load.layout import Left, Page
from rag.corpus.load.lines import Line

ENTRIES = ("第一章 总则 ……… 1", "第二章 年假 ……… 2", "第三章 差旅 ……… 4")
PRICES = ("普通座 ……… 120", "一等座 ……… 300", "商务座 ……… 600")
BODY = ("第一章 总则", "员工享受年假。", "第二章 年假", "每年十五天。", "第三章 差旅")


def left_out(*pages: tuple[str, ...]) -> list[str]:
    """The lines of these pages that are taken for contents."""
    made = [
        Page(
            tuple(Line(text, 72, 400, 60 + 20 * n, 72 + 20 * n, 12) for n, text in enumerate(lines)),
            595,
            842,
            99,
            False,
        )
        for lines in pages
    ]
    found = [item for page in without_contents(made) for item in page.items if isinstance(item, Left)]
    assert all(item.why == "contents" for item in found)
    return [item.text for item in found]


def test_contents_without_a_word_over_them_are_known_by_their_entries_standing_again() -> None:
    assert left_out(ENTRIES, BODY, BODY) == list(ENTRIES)


def test_lines_that_lead_to_growing_numbers_and_do_not_stand_again_are_text() -> None:
    """A price list looks the same, but for what follows."""
    assert left_out(ENTRIES, ("员工享受年假。",), ("每年十五天。",)) == []
    assert left_out(ENTRIES, ("第一章 总则", "员工享受年假。")) == []  # one of three
    assert left_out(PRICES, *[("正文。",)] * 700) == []


def test_what_stands_under_the_word_contents_needs_not_stand_again() -> None:
    assert left_out(("目 录", *ENTRIES), ("正文。",)) == ["目 录", *ENTRIES]
