"""Tables cut: rows and tables that fit stay whole, and no chunk is a part of the one before."""

import random
from dataclasses import replace
from itertools import pairwise

import pytest

from rag.config import SplitSettings, Strategy
from rag.corpus.split import split
from rag.types import Document, Section, Table
from tests.corpus.test_split import STRATEGIES, doc, spans
from tests.fakes import HashEncoder


def test_a_row_that_fits_no_window_with_the_overlap_begins_one_with_less() -> None:
    text = "甲" * 238 + "\n\n" + "乙" * 218
    document = doc(text, tables=(Table(240, 458, "列"),))
    assert spans(split(document, SplitSettings("fixed", 240, 40), None)) == [(0, 240), (218, 458)]
    # as blanks between them say nothing, neither does a window that ends with them
    document = doc("甲" * 230 + "\n" * 10 + "乙" * 218, tables=(Table(240, 458, "列"),))
    assert spans(split(document, SplitSettings("fixed", 235, 40), None)) == [(0, 235), (223, 458)]


def test_rows_of_nearly_a_window_are_each_whole() -> None:
    rows = ["甲" * 30, "乙" * 35, "丙" * 39, "丁" * 38]
    text = "\n".join(rows)
    document = doc(text, tables=(Table(0, len(text), "列"),))
    chunks = split(document, SplitSettings("fixed", 40, 30), None)
    assert [chunk.text.strip() for chunk in chunks] == rows


# seven and eight characters a row, line breaks included
ROWS = ("城市: 甲市\n", "城市: 乙镇区\n")


def test_by_structure_a_table_that_fits_is_whole() -> None:
    table = "".join(ROWS * 2).rstrip()
    text = f"住宿标准见下表，按晚计算。\n{table}\n旺季上浮25%，淡季不变。"
    start = text.index(table)
    document = doc(text, tables=(Table(start, start + len(table), "城市"),))

    def texts(strategy: Strategy) -> list[str]:
        return [chunk.text.strip() for chunk in split(document, SplitSettings(strategy, 40, 0), None)]

    assert texts("structure") == ["住宿标准见下表，按晚计算。", table, "旺季上浮25%，淡季不变。"]
    # filled from the front alone, the first chunk takes rows with it
    assert texts("recursive") == [text[: start + 22].strip(), text[start + 22 :].strip()]


def tabled(rng: random.Random, size: int) -> Document:
    """Paragraphs and tables in turn, rows of some characters up to more than a window; some sections."""
    text, tables, sections = "", [], []
    for n in range(rng.randint(1, 6)):
        if rng.random() < 0.3:
            sections.append(Section(len(text), (f"章{n}",)))
        words = rng.choice((0, 1, size // 2, size - 2, size, 3 * size)) + rng.randint(-2, 2)
        text += "".join(rng.choices("文文文文文文，。 ", k=max(0, words))) + "\n" * rng.randint(1, 3)
        lengths = [rng.choice((3, size // 3, size - 22, size - 1, size, size + 5)) for _ in range(rng.randint(1, 4))]
        rows = "\n".join(f"{'行' * max(1, length - 2)}；列" for length in lengths)
        tables.append(Table(len(text), len(text) + len(rows), rng.choice(("", "表"))))
        text += rows + "\n" * rng.randint(1, 3)
    return doc(text, sections=tuple(sections), tables=tuple(tables))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_each_chunk_goes_on_behind_the_one_before(strategy: Strategy, seeds) -> None:
    for seed in seeds(1000):
        rng = random.Random(seed)
        size = rng.choice((24, 60, 240))
        document = tabled(rng, size)
        settings = SplitSettings(strategy, size, rng.choice((0, 1, size // 6, size // 2, size - 1)))
        for encoder in (HashEncoder(max_tokens=rng.choice((50, 10_000))), *([] if strategy == "tokens" else [None])):
            chunks = split(document, settings, encoder)
            for a, b in pairwise(chunks):
                assert a.start < b.start and a.end < b.end, seed
                assert a.end - b.start <= settings.overlap, seed
            covered = set[int]().union(*(range(chunk.start, chunk.end) for chunk in chunks))
            assert all(i in covered or c.isspace() for i, c in enumerate(document.text)), seed


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_row_that_fits_is_whole_in_a_chunk(strategy: Strategy, seeds) -> None:
    for seed in seeds(1000):
        rng = random.Random(seed)
        size = rng.choice((24, 60, 240))
        # a heading goes with the row after it, even where that does not fit
        document = replace(tabled(rng, size), sections=())
        chunks = split(document, SplitSettings(strategy, size, rng.choice((0, 1, size // 6))), HashEncoder())
        for table in document.tables:
            start = table.start
            for row in document.text[table.start : table.end].split("\n"):
                end = start + len(row)
                whole = any(chunk.start <= start and end <= chunk.end for chunk in chunks)
                assert whole or len(row) + 1 > size, (seed, row)
                start = end + 1
