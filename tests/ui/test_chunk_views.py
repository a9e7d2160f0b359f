"""A document's chunks on the page: the text as it is, what is marked is what was meant, figures that count."""

import random
import re
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from rag.config import SplitSettings
from rag.corpus import duplicates
from rag.corpus.index import build
from rag.corpus.split import split
from rag.types import Chunk, Document, Section
from rag.ui import chunk_views, chunks, render
from rag.ui.histogram import MOST_BINS, bins, histogram
from tests.hostile import text as hostile_text
from tests.ui.markup import PAYLOADS, document, harmless, pieces, read, untagged


def chunks_of(shown: Document, *split_by: object) -> tuple[Chunk, ...]:
    counting = SimpleNamespace(max_tokens=10_000, count_tokens=lambda texts: [len(t) for t in texts])
    return split(shown, SplitSettings(*split_by), counting)  # type: ignore[arg-type]


def body(markup: str) -> str:
    found = re.search(r'<div class="doc"[^>]*>(.*)</div>$', markup, re.S)
    assert found
    return found[1]


def test_the_shown_part_is_the_text_and_what_is_marked_is_what_was_meant(seeds: Callable[[int], range]) -> None:
    for seed in seeds(200):
        rng = random.Random(seed)
        source = hostile_text(rng, 30) + rng.choice(PAYLOADS) + hostile_text(rng)
        shown = document(source, title=rng.choice(PAYLOADS), version=rng.choice(PAYLOADS))
        size = rng.choice((20, 60, 240))
        chunks = chunks_of(shown, "fixed", size, rng.randrange(0, size))
        focus = rng.choice([None, *((c.start, c.end) for c in chunks)])
        at = rng.choice((None, rng.randint(0, len(source) + 5)))
        part = chunk_views.around(shown, focus, at, size=rng.choice((50, 300, 24_000)))
        query = source[(a := rng.randrange(len(source))) : a + rng.randint(1, 5)]
        found = chunk_views.matches(source, query)
        markup = chunk_views.chunked(shown, chunks, part, focus, found, rng.choice(("zh", "en")))
        harmless(markup)
        assert untagged(body(markup)) == source[slice(*part)]
        marked = [css.split() for css, said in pieces(body(markup)) for _ in said]
        expected = [any(a <= i < b for a, b in found) for i in range(*part)]
        assert ["word" in css for css in marked] == expected
        framed = focus or (0, 0)
        assert ["hit" in css for css in marked] == [framed[0] <= i < framed[1] for i in range(*part)]
        if focus is not None and at is None:
            assert part[0] <= focus[0] and focus[1] <= part[1]


def test_a_match_is_the_query_and_none_is_missed(seeds: Callable[[int], range]) -> None:
    for seed in seeds(400):
        rng = random.Random(seed)
        source = hostile_text(rng, 20) + rng.choice(PAYLOADS) * rng.randint(1, 3)
        at = rng.randrange(len(source))
        query = source[at : at + rng.randint(1, 6)]
        found = chunk_views.matches(source, query)
        if not query.strip():
            assert found == ()
            continue
        assert all(alike(source[a:b], query) for a, b in found)
        # left to right, apart, and every literal place is in or over one of them
        assert all(b <= c for (_, b), (c, _) in zip(found, found[1:], strict=False))
        places = [i for i in range(len(source)) if source.startswith(query, i)]
        assert at in places and all(any(a < i + len(query) and i < b for a, b in found) for i in places)


def alike(a: str, b: str) -> bool:
    """Equal but for letter case, character by character, as an independent reading of it."""
    return len(a) == len(b) and all(
        x == y or {x.lower(), x.upper(), x.casefold()} & {y.lower(), y.upper(), y.casefold()}
        for x, y in zip(a, b, strict=True)
    )


def test_a_query_is_words_not_a_pattern() -> None:
    assert chunk_views.matches("a.c abc A.C", "a.c") == ((0, 3), (8, 11))
    assert chunk_views.matches("((((", "(((") == ((0, 3),)
    assert chunk_views.matches("x" * 20_000, "x") == tuple((i, i + 1) for i in range(chunk_views.MOST_HITS))


def test_overlap_is_shaded_where_two_chunks_are() -> None:
    shown = document("字" * 500)
    chunks = chunks_of(shown, "fixed", 240, 40)
    markup = chunk_views.chunked(shown, chunks, (0, 500), None, (), "zh")
    dark = [len(t) for css, t in pieces(body(markup)) if "overlap" in css.split()]
    assert dark == [40, 40] and chunk_views.overlap_characters(chunks) == 80  # [200, 240) and [400, 440)


def test_a_long_document_is_shown_in_parts_that_follow_each_other() -> None:
    shown = document("".join(f"第{i}条 规定。" for i in range(20_000)))
    chunks = chunks_of(shown)
    middle = chunks[len(chunks) // 2]
    part = chunk_views.around(shown, (middle.start, middle.end), None)
    markup = chunk_views.chunked(shown, chunks, part, (middle.start, middle.end), (), "zh")
    assert middle.text in "".join(read(markup).text) and part[1] - part[0] <= render.VIEW_CHARACTERS
    seen, at = "", 0
    while True:  # by the buttons, from the beginning to the end
        part = chunk_views.around(shown, None, at)
        markup = chunk_views.chunked(shown, chunks, part, None, (), "zh")
        piece = "".join(read(markup).text)
        assert len(piece) <= render.VIEW_CHARACTERS
        seen += piece[len(seen) - part[0] :]
        later = [int(x) for x in re.findall(r'data-at="(\d+)"', markup) if int(x) > part[0]]
        if not later:
            break
        at = later[0]
    assert seen == shown.text


def test_pages_are_marked_where_they_begin_and_a_page_is_a_place_to_go_to() -> None:
    shown = Document("d", "", "d@1", "own", "t", "f", "甲乙丙丁戊", pages=(0, 2, 4))
    markup = chunk_views.chunked(shown, (), (0, 5), (2, 2), (), "zh")
    assert re.findall(r'<i class="tick page" data-n="([^"]*)"></i>([^<]*)', markup) == [
        ("第 1 页", "甲乙"),
        ("第 2 页", ""),
        ("第 3 页", "戊"),
    ]
    assert '</i><i class="here" data-n=""></i>丙丁' in markup and "hit" not in markup


def test_rows_are_those_of_the_numbers_with_their_remarks() -> None:
    text = "第一章 总则\n\n一。\n\n第二章 假期\n\n" + "员工每年可享受15天带薪年假。" * 4
    shown = Document("d", "", "d@1", "own", "t", "f", text, sections=(Section(0, ("第一章 总则",)),))
    chunks = chunks_of(shown, "fixed", 30, 5)
    remarks = [("too_short", "cuts_sentence") if i == 1 else () for i in range(len(chunks))]
    rows = chunk_views.chunk_rows(chunks, [2, 3], remarks, 512, "zh")
    assert [row[0] for row in rows] == [2, 3] and rows[0][7] == "过短、断句" and rows[1][7] == "–"
    assert rows[0][2:5] == [chunks[1].start, chunks[1].end, len(chunks[1].text)]
    assert rows[0][5] == f"{chunks[1].n_tokens} / 512"
    said = chunk_views.detail(shown, chunks[1], ("near_identical",), 1, 512, "en")
    assert chunks[1].chunk_id in said and "chunk 1" in said
    counts = chunk_views.remark_counts(remarks, "en")
    assert "too short × 1" in counts and "near-identical" not in counts


def test_what_is_said_of_chunks_is_escaped() -> None:
    for payload in PAYLOADS:
        shown = Document(
            payload, "", f"{payload}@1", "own", payload, payload, payload * 9, sections=(Section(0, (payload,)),)
        )
        chunks = chunks_of(shown, "fixed", 20, 5)
        harmless(chunk_views.detail(shown, chunks[0], ("cuts_sentence",), None, 512, "zh"))
        harmless(chunk_views.figures(chunks, 512, "zh"))


def test_figures_are_those_of_the_lengths() -> None:
    shown = document("字" * 100)
    chunks = chunks_of(shown, "fixed", 40, 10)  # [0, 40), [30, 70), [60, 100)
    markup = chunk_views.figures(chunks[:2], 512, "en")
    rows = re.findall(r"<tr><td>([^<]*)</td>(.*?)</tr>", markup)
    assert rows[0] == ("characters", "<td>40</td>" * 4)
    tokens = [c.n_tokens for c in chunks]
    assert rows[1][1] == f"<td>{tokens[0]}</td>" * 4
    without = [Chunk(c.chunk_id, c.key, c.start, c.end, c.text, c.context, 0, None, ()) for c in chunks]
    markup = chunk_views.figures(without, None, "en")
    assert "not counted" in markup and "<td>tokens</td>" not in markup and "by characters" in markup
    harmless(chunk_views.figures([], None, "zh"))


def test_every_value_is_in_its_bin(seeds: Callable[[int], range]) -> None:
    for seed in seeds(300):
        rng = random.Random(seed)
        values = [rng.randint(0, 10 ** rng.randint(0, 6)) for _ in range(rng.randint(1, 50))]
        longest = rng.choice((None, rng.randint(0, 10**6)))
        width, counts = bins(values, longest)
        assert list(counts) == [sum(i * width <= v < (i + 1) * width for v in values) for i in range(len(counts))]
        assert sum(counts) == len(values) and len(counts) <= MOST_BINS
        assert len(counts) * width > max([longest or 0, *values])
        assert re.fullmatch(r"[125]0*", str(width))


@pytest.mark.parametrize(("limit", "drawn"), [(512, True), (5000, False), (None, False)])
def test_the_limit_is_drawn_where_it_is_in_sight(limit: int | None, drawn: bool) -> None:
    markup = histogram([10, 600], "tokens", limit, "en")
    assert ("<u " in markup) == drawn and 'aria-label="Chunks by tokens' in markup
    harmless(markup)


def test_where_near_identical_chunks_were_not_looked_for_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = document("每人每年享受十五天带薪年假，应当在当年休完，不得累计到下一年。\n\n" * 20)
    corpus = build([shown], SplitSettings("fixed", 33, 0), None)
    opened = chunks.Opened.of(corpus, shown, None, "en")
    assert any("near_identical" in found for found in opened.remarks) and "not looked for" not in chunks.summary(opened)
    monkeypatch.setattr(duplicates, "MOST_CHARACTERS", 100)
    opened = chunks.Opened.of(corpus, shown, None, "en")
    assert not any("near_identical" in found for found in opened.remarks)
    assert "Near-identical chunks were not looked for" in chunks.summary(opened)
