import random
import time
from dataclasses import replace
from itertools import pairwise
from typing import get_args

import pytest

from rag.config import SplitSettings, Strategy
from rag.corpus.split import split
from rag.types import Chunk, Document, Section, Table
from tests import hostile
from tests.fakes import HashEncoder

STRATEGIES = get_args(Strategy)


def doc(
    text: str, pages: tuple[int, ...] = (), sections: tuple[Section, ...] = (), tables: tuple[Table, ...] = ()
) -> Document:
    return Document("d", "1", "d@1", "own", "题", "d.txt", text, pages, sections, tables=tables)


def spans(chunks: tuple[Chunk, ...]) -> list[tuple[int, int]]:
    return [(c.start, c.end) for c in chunks]


def random_document(rng: random.Random) -> Document:
    text = hostile.text(rng, 40)
    if rng.random() < 0.2:
        text += hostile.long_line(rng, rng.randint(1, 1500))
    marks = sorted({0, *(rng.randint(0, len(text)) for _ in range(rng.randint(0, 6)))})
    pages = tuple(sorted([*marks, *rng.choices(marks, k=rng.randint(0, 2))])) if rng.random() < 0.7 else ()
    starts = sorted(rng.sample(range(len(text) + 1), min(len(text), rng.randint(0, 5))))
    sections = tuple(Section(s, (f"章{i}", hostile.line(rng))) for i, s in enumerate(starts))
    return doc(text, pages, sections, random_tables(rng, text))


def random_tables(rng: random.Random, text: str) -> tuple[Table, ...]:
    """Some runs of lines that are called tables, apart from each other, as loaders make them."""
    lines = [i + 1 for i, c in enumerate(text) if c == "\n"]
    edges = sorted(rng.sample(lines, min(len(lines), rng.choice((0, 2, 4)))))
    pairs = zip(edges[::2], edges[1::2], strict=False)
    return tuple(Table(a, b - 1, hostile.text(rng, 3)) for a, b in pairs if text[a : b - 1].strip())


def random_settings(rng: random.Random) -> SplitSettings:
    size = rng.choice((20, 21, 33, 60, 240, 700))
    return SplitSettings(rng.choice(STRATEGIES), size, rng.choice((0, 1, size // 6, size // 2, size - 1)))


def test_fixed_windows_of_240_with_40_shared() -> None:
    assert spans(split(doc("字" * 640), SplitSettings("fixed"), None)) == [(0, 240), (200, 440), (400, 640)]


@pytest.mark.parametrize(
    ("length", "expected"),
    [
        (0, []),
        (1, [(0, 1)]),
        (239, [(0, 239)]),
        (240, [(0, 240)]),
        (241, [(0, 240), (200, 241)]),
        (440, [(0, 240), (200, 440)]),
        (441, [(0, 240), (200, 440), (400, 441)]),
    ],
)
def test_fixed_windows_at_the_edges(length: int, expected: list[tuple[int, int]]) -> None:
    assert spans(split(doc("x" * length), SplitSettings("fixed"), None)) == expected


def test_blank_windows_give_no_chunk() -> None:
    text = "甲" * 20 + " \n\u3000" * 20 + "乙" * 20
    chunks = split(doc(text), SplitSettings("fixed", 20, 0), None)
    assert [c.text.strip()[:1] for c in chunks] == ["甲", "乙"]
    assert split(doc(" \n\t"), SplitSettings(), None) == ()


def test_recursive_cuts_at_the_coarsest_boundary_that_fits() -> None:
    # paragraphs of 12 and 23 characters; the second has to be cut, at a sentence end, not at a comma
    text = "第一段，短。第一段，完。\n\n第二段甲，甲甲甲甲。第二段乙，乙乙乙乙乙。"
    chunks = split(doc(text), SplitSettings("recursive", 20, 0), None)
    assert [c.text for c in chunks] == [
        "第一段，短。第一段，完。\n\n",
        "第二段甲，甲甲甲甲。",
        "第二段乙，乙乙乙乙乙。",
    ]


def test_recursive_cuts_within_a_word_only_when_nothing_else_is_left() -> None:
    chunks = split(doc("x" * 50), SplitSettings("recursive", 20, 0), None)
    assert spans(chunks) == [(0, 20), (20, 40), (40, 50)]


def test_recursive_does_not_cut_a_decimal_number() -> None:
    text = "The rate is 3.5 percent. It was 4.5 before that day."
    chunks = split(doc(text), SplitSettings("recursive", 26, 0), None)
    assert [c.text.strip() for c in chunks][0] == "The rate is 3.5 percent."


def test_as_many_sections_as_lines_take_no_time() -> None:
    text = "# 甲\n" * 100_000
    document = doc(text, sections=tuple(Section(i, ("甲",)) for i in range(0, len(text), 4)))
    began = time.perf_counter()
    chunks = split(document, SplitSettings("fixed", 20, 0), None)
    assert len(chunks) == 20_000
    assert time.perf_counter() - began < 10  # looking through all of them for every chunk takes minutes


def check_chunks(document: Document, settings: SplitSettings, encoder: HashEncoder | None) -> None:
    """All that holds of every split; a token of `HashEncoder` is a character."""
    chunks = split(document, settings, encoder)
    covered = bytearray(len(document.text))
    for chunk in chunks:
        assert chunk.text == document.text[chunk.start : chunk.end]
        assert chunk.chunk_id == f"{document.key}:{chunk.start}-{chunk.end}"
        assert chunk.key == document.key and chunk.text.strip()
        assert chunk.n_tokens == (len(chunk.passage) if encoder else 0)
        assert 0 < len(chunk.text) <= settings.size
        assert encoder is None or chunk.n_tokens <= encoder.max_tokens
        covered[chunk.start : chunk.end] = b"1" * len(chunk.text)
    assert all(covered[i] or c.isspace() for i, c in enumerate(document.text))
    assert split(document, settings, encoder) == chunks
    for a, b in pairwise(chunks):
        assert a.start < b.start and a.end < b.end
        assert a.end - b.start <= settings.overlap
        assert a.end <= b.start or section_number(document, a) == section_number(document, b)


def section_number(document: Document, chunk: Chunk) -> int:
    at = chunk.start + len(chunk.text) - len(chunk.text.lstrip())
    return sum(section.start <= at for section in document.sections)


def test_slices_cover_sizes_ids_order_limits_and_overlap(seeds) -> None:
    for seed in seeds(400):
        rng = random.Random(seed)
        document, settings = random_document(rng), random_settings(rng)
        check_chunks(document, settings, HashEncoder(max_tokens=rng.choice((40, 100, 10_000))))
        if settings.strategy != "tokens":
            check_chunks(document, settings, None)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_same_of_a_long_hostile_mixture(strategy: Strategy, seeds) -> None:
    for seed in seeds(40):
        rng = random.Random(seed)
        text = ""
        while len(text) < 10_000:
            text += hostile.text(rng, 40) + rng.choice(("", "\n", "\n\n")) + hostile.long_line(rng, rng.randint(0, 300))
        starts = sorted(rng.sample(range(len(text)), 60))
        sections = tuple(Section(at, ("章", hostile.line(rng))) for at in starts)
        document = doc(text, (0, *starts[::7]), sections, random_tables(rng, text))
        size = rng.choice((20, 60, 240, 1000))
        check_chunks(document, SplitSettings(strategy, size, size // 5), HashEncoder(max_tokens=rng.choice((60, 300))))


def test_fixed_windows_share_exactly_the_overlap(seeds) -> None:
    for seed in seeds(100):
        rng = random.Random(seed)
        settings = replace(random_settings(rng), strategy="fixed")
        n = rng.randint(0, 2000)
        found = spans(split(doc("x" * n), settings, None))
        assert all(b[0] == a[1] - settings.overlap for a, b in zip(found, found[1:], strict=False))
        assert all(b - a == settings.size for a, b in found[:-1])
        assert not found or (found[0][0] == 0 and found[-1][1] == n)


def test_page_and_section_are_those_of_the_first_character_that_is_not_blank(seeds) -> None:
    for seed in seeds(200):
        rng = random.Random(seed)
        document = random_document(rng)
        for chunk in split(document, random_settings(rng), HashEncoder()):
            at = chunk.start
            while document.text[at].isspace():
                at += 1
            page = None
            for number, start in enumerate(document.pages, 1):
                if start <= at:
                    page = number
            section: tuple[str, ...] = ()
            for s in document.sections:
                if s.start <= at:
                    section = s.path
            assert (chunk.page, chunk.section) == (page, section), seed
            assert chunk.context.startswith("题") and all(part in chunk.context.split("\n") for part in section)


def test_context_names_title_and_section_once() -> None:
    chunk = split(doc("文", sections=(Section(0, ("题", "第一章")),)), SplitSettings(), None)[0]
    assert chunk.context == "题\n第一章"
    assert chunk.passage == "题\n第一章\n文"


def test_tokens_are_counted_over_what_is_encoded() -> None:
    asked: list[str] = []

    class Counting(HashEncoder):
        def count_tokens(self, texts):
            asked.extend(texts)
            return super().count_tokens(texts)

    chunks = split(doc("x" * 300), SplitSettings("fixed"), Counting())
    assert asked == [c.passage for c in chunks]
    assert [c.n_tokens for c in chunks] == [2 + 240, 2 + 100]
