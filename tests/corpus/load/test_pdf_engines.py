"""Which engine reads a PDF, and that both read the same."""

import random
import re
from collections.abc import Callable

import pytest

from rag.corpus.load import engines, load
from rag.corpus.load.ink import Ink
from rag.corpus.load.pdfium_engine import PdfiumEngine
from rag.corpus.load.pdfminer_engine import PdfminerEngine
from rag.errors import LoadError
from tests.corpus.load.files import PAGE_HEIGHT, PAGE_WIDTH, pdf, rule, ruled, said

HEAD = ("项目", "金额", "说明文字一栏")


@pytest.mark.parametrize("engine", [PdfminerEngine, PdfiumEngine])
@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_a_turned_page_reads_as_it_is_shown(engine: type, turn: int) -> None:
    """Drawn turned back on a page that is shown turned: both engines give the words where a reader sees them."""
    width, height = (PAGE_WIDTH, PAGE_HEIGHT) if turn % 180 == 0 else (PAGE_HEIGHT, PAGE_WIDTH)
    matrix = {0: "1 0 0 1 0 0", 90: f"0 1 -1 0 {PAGE_WIDTH} 0", 180: f"-1 0 0 -1 {PAGE_WIDTH} {PAGE_HEIGHT}", 270: f"0 -1 1 0 0 {PAGE_HEIGHT}"}[turn]  # fmt: skip
    code = "年假制度".encode("utf-16-be").hex()
    page = f"q {matrix} cm BT /F1 12 Tf 50 {height - 100} Td <{code}> Tj ET Q"
    data = pdf(page).replace(b"/MediaBox", b"/Rotate %d/MediaBox" % turn)
    source = engine("a.pdf", data)
    ink = source.ink(0)
    source.close()
    assert (ink.width, ink.height) == (width, height)
    assert [g.text for g in ink.glyphs] == list("年假制度")
    assert {g.style.turn for g in ink.glyphs} == {0}
    for number, glyph in enumerate(ink.glyphs):
        assert abs(glyph.x0 - 50 - 12 * number) < 2 and abs(glyph.y - 96) < 6
    assert load("a.pdf", data)[0].text == "年假制度"


def test_the_same_places_by_both_engines(seeds: Callable[[int], range]) -> None:
    for seed in seeds(30):
        rng = random.Random(seed)
        drawn = []
        for _ in range(rng.randint(1, 40)):
            text = "".join(rng.choice("员工年假报销标准abcXYZ0123，。") for _ in range(rng.randint(1, 12)))
            drawn.append(said(rng.randint(20, 400), rng.randint(20, 780), text, rng.choice((8, 10.5, 14))))
            drawn.append(rule(rng.randint(0, 500), 50, rng.randint(0, 500), 50))
        data = pdf("\n".join(drawn))
        a, b = PdfminerEngine("a", data).ink(0), PdfiumEngine("a", data).ink(0)
        assert (a.width, a.height) == (b.width, b.height)
        places = [sorted((g.text, round(g.x0 / 3), round(g.bottom / 9)) for g in ink.glyphs) for ink in (a, b)]
        near = sum(
            x[0] == y[0] and abs(x[1] - y[1]) <= 1 and abs(x[2] - y[2]) <= 1 for x, y in zip(*places, strict=False)
        )
        assert len(places[0]) >= len(places[1]) > 0.9 * len(places[0])  # PDFium drops glyphs that lie on others
        assert near > 0.7 * len(places[1])
        assert {tuple(map(round, r)) for r in a.rules} == {tuple(map(round, r)) for r in b.rules}


def test_long_files_are_read_by_the_faster_engine_to_the_same_text(monkeypatch: pytest.MonkeyPatch) -> None:
    table = ruled([HEAD, ("甲", "100", "无"), ("乙", "200", "有")], 200)
    pages = [
        said(72, 60, f"第{n}章 规定") + "\n" + said(72, 100, f"第{n}章的正文在此。") + "\n" + table for n in range(1, 6)
    ]
    (slow,) = load("a.pdf", pdf(*pages))
    assert slow.reading.en == "PDF, 5 pages, pdfminer"
    monkeypatch.setattr(engines, "MANY_PAGES", 4)
    (fast,) = load("a.pdf", pdf(*pages))
    assert fast.reading.en == "PDF, 5 pages, PDFium (the faster engine, for over 4 pages)"
    assert "PDFium" in fast.reading.zh and "5 页" in fast.reading.zh
    assert (fast.text, fast.pages, fast.sections, fast.tables) == (slow.text, slow.pages, slow.sections, slow.tables)


GARBLED = "/CIQTFGF NGXG KU HKHVGGP FCAU CHVGT QPG HWNN AGCT QH UGTXKEG"


def test_a_page_that_reads_badly_is_read_by_the_other_engine_or_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    shifted = re.sub("[AEIOU]", "X", GARBLED)
    good, bad = said(72, 72, "员工入职满一年后，每年可享受十五天带薪年假，不得跨年累计。"), said(72, 72, shifted)
    (document,) = load("a.pdf", pdf(good, bad))
    assert any("does not read as text" in w.en and "page 2" in w.en and "第 2 页" in w.zh for w in document.warnings)
    readable = PdfiumEngine(
        "b", pdf(good, said(72, 72, "Agreed leave is fifteen days after one full year of service."))
    )
    monkeypatch.setattr(PdfiumEngine, "ink", lambda self, index: PdfminerEngine.ink(other, index))
    other = PdfminerEngine("b", pdf(good, said(72, 72, "Agreed leave is fifteen days after one full year of service.")))
    readable.close()
    (document,) = load("a.pdf", pdf(good, bad))
    assert "Agreed leave is fifteen days" in document.text and not document.warnings
    assert document.reading.en == "PDF, 2 pages, pdfminer, PDFium for page 2"


def test_the_limit_of_pages_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "MAX_PAGES", 2)
    with pytest.raises(LoadError, match="3 pages; a file may have 2") as caught:
        load("手册.pdf", pdf("", "", ""))
    assert "手册.pdf" in caught.value.message("zh") and "上限" in caught.value.message("zh")


def test_what_one_engine_cannot_open_or_read_the_other_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    data = pdf(said(72, 72, "第一页在此。"), said(72, 72, "第二页在此。"), title="年假制度")

    def fails_on_the_second(self: PdfminerEngine, index: int, whole: Callable[..., Ink] = PdfminerEngine.ink) -> Ink:
        if index == 1:
            raise LoadError(en="a.pdf: damaged", zh="a.pdf：损坏")
        return whole(self, index)

    monkeypatch.setattr(PdfminerEngine, "ink", fails_on_the_second)
    (document,) = load("a.pdf", data)
    assert (document.text, document.reading.en) == (
        "第一页在此。\n\n第二页在此。",
        "PDF, 2 pages, pdfminer, PDFium for page 2",
    )

    def never_opens(self: PdfminerEngine, name: str, data: bytes) -> None:
        raise LoadError(en=f"{name}: damaged", zh=f"{name}：损坏")

    monkeypatch.setattr(PdfminerEngine, "__init__", never_opens)
    (document,) = load("a.pdf", data)
    assert (document.title, document.reading.en) == ("年假制度", "PDF, 2 pages, PDFium")
    with pytest.raises(LoadError, match="damaged"):
        load("a.pdf", b"%PDF-1.4 nothing more")


@pytest.mark.parametrize("kids", ["2 0 R", "", "99 0 R"])
def test_a_file_whose_pages_cannot_be_found_is_damaged(kids: str) -> None:
    data = pdf("").replace(b"/Kids[6 0 R]", f"/Kids[{kids}]".encode()).replace(b"/Type/Page/", b"/Type/Metadata/")
    with pytest.raises(LoadError, match="damaged") as caught:
        load("a.pdf", data)
    assert "1-0" not in caught.value.message("zh")
