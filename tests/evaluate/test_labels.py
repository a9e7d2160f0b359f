"""Labels → places → what is relevant, against a search character by character, whatever the split."""

import random
from dataclasses import replace

import pytest

from rag.config import SplitSettings
from rag.corpus.clean import clean_line, clean_text
from rag.corpus.folding import fold
from rag.corpus.index import Corpus, build
from rag.evaluate.labels import Place, Relevant, Resolver, Solid, spans_of
from rag.evaluate.questions import Label, Question
from rag.evaluate.run import gold
from rag.types import PUBLIC, Chunk, Document
from tests import hostile

Span = tuple[int, int]


def occurrences(text: str, quote: str) -> list[Span]:
    """Every place of `quote` in `text`, white space aside: tried from every character, one character after another."""
    wanted = [c for c in fold(quote) if not c.isspace()]
    found = []
    for start in range(len(text)):
        if text[start].isspace() or not wanted:
            continue
        at, n = start, 0
        while at < len(text) and n < len(wanted):
            if not text[at].isspace():
                if fold(text[at]) != wanted[n]:
                    break
                n += 1
            at += 1
        if n == len(wanted):
            found.append((start, at))
    return found


def holding(corpus: Corpus, key: str, start: int, end: int) -> set[str]:
    """By sets of characters: the chunks with all of a stretch, or else at least half of it, or else any of it."""
    wanted = set(range(start, end))
    shared = {c.chunk_id: len(wanted & set(range(c.start, c.end))) for c in corpus.chunks if c.key == key}
    whole = {name for name, n in shared.items() if n == len(wanted)}
    half = {name for name, n in shared.items() if n * 2 >= len(wanted)}
    return whole or half or {name for name, n in shared.items() if n}


def document(name: str, text: str, **more: object) -> Document:
    return replace(Document(name, "1", f"{name}@1", "own", f"题{name}", name, text, file=f"{name}.txt"), **more)


def random_corpus(rng: random.Random) -> Corpus:
    documents = []
    for i in range(rng.randint(1, 4)):
        text = clean_text(f"文{hostile.text(rng, 30)}尾")  # as every loader leaves it
        marks = sorted({0, *(rng.randint(0, len(text)) for _ in range(rng.randint(0, 4)))})
        pages = tuple(sorted([*marks, *rng.choices(marks, k=rng.randint(0, 2))])) if rng.random() < 0.7 else ()
        file = rng.choice((f"d{i}.txt", "one.json"))
        documents.append(document(f"d{i}", text, pages=pages, file=file))
    size = rng.choice((20, 21, 60, 240, 400))
    settings = SplitSettings(rng.choice(("fixed", "recursive")), size, rng.choice((0, 1, size // 3, size - 1)))
    return build(documents, settings, None)


def random_quote(rng: random.Random, text: str) -> str:
    """Something that stands in `text`, written a little differently; not blank."""
    while True:
        start = rng.randrange(len(text))
        quote = text[start : start + rng.choice((1, 3, 15, 80))]
        if quote.strip():
            break
    how = rng.randrange(4)
    if how == 0:
        return " ".join(quote)
    if how == 1:
        return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in quote)
    return clean_line(quote) or quote if how == 2 else f"\n{quote}\u3000"


def resolve(corpus: Corpus, *labels: Label, permitted: frozenset[str] | None = None) -> Relevant:
    keys = frozenset(corpus.documents) if permitted is None else permitted
    return Resolver(corpus, keys).resolve(Question("1", "q", relevant=labels))


def spans(places: tuple[Place, ...]) -> set[tuple[str, int, int]]:
    return {(p.key, p.start, p.end) for p in places}


def test_quotes_are_found_where_a_search_by_characters_finds_them(seeds) -> None:
    for seed in seeds(400):
        rng = random.Random(seed)
        text = hostile.text(rng, 20) + "x"
        quote = random_quote(rng, text) if rng.random() < 0.8 else hostile.text(rng, 2)
        assert Solid(text).find(quote) == occurrences(text, quote), seed


@pytest.mark.parametrize(
    ("text", "quote", "expected"),
    [
        ("年假 15\n天。", "15天", [(3, 7)]),
        ("aaa", "aa", [(0, 2), (1, 3)]),  # occurrences may overlap
        ("ＶＰＮ－４０３１", "vpn-4031", [(0, 8)]),
        ("3,000元", "3000元", []),  # a quote is what is written, white space and width aside
        ("年假", " \n", []),
        ("", "x", []),
    ],
)
def test_quotes_by_hand(text: str, quote: str, expected: list[Span]) -> None:
    assert Solid(text).find(quote) == occurrences(text, quote) == expected


def test_a_quote_is_found_and_held_whatever_the_split(seeds) -> None:
    for seed in seeds(300):
        rng = random.Random(seed)
        corpus = random_corpus(rng)
        source = rng.choice(list(corpus.documents.values()))
        quote = random_quote(rng, source.text)
        relevant = resolve(corpus, Label(source.file, quote))
        assert relevant.missing == () and relevant.needs == (1,) and relevant.unit == "chunk"
        named = [d for d in corpus.documents.values() if d.file == source.file]
        expected = {(d.key, a, b) for d in named for a, b in occurrences(d.text, quote)}
        assert spans(relevant.places) == expected and expected, seed
        held = set().union(*(holding(corpus, *place) for place in expected))
        assert set(relevant.grades) == held, seed
        assert relevant.evidence(spans_of(corpus.chunks)) is True, seed
        assert relevant.evidence({}) is False


def test_gold_evidence_meets_every_need_whatever_the_split(seeds) -> None:
    for seed in seeds(300):
        rng = random.Random(seed)
        corpus = random_corpus(rng)
        sources = [rng.choice(list(corpus.documents.values())) for _ in range(2)]
        labels = [Label(d.file, random_quote(rng, d.text), need=n) for n, d in enumerate(sources, 1)]
        resolver = Resolver(corpus, frozenset(corpus.documents))
        relevant = resolver.resolve(Question("q", "问", relevant=tuple(labels)))
        given = gold(relevant, resolver)
        assert relevant.met(spans_of(given)) == relevant.needs == (1, 2), seed
        assert len({c.chunk_id for c in given}) == len(given)
        for place in relevant.places:  # one chunk where one holds it whole
            whole = [c for c in corpus.chunks if c.key == place.key and c.start <= place.start and place.end <= c.end]
            assert len(resolver.cover(place)) == 1 if whole else len(resolver.cover(place)) > 1


def test_every_need_is_met_by_everything_and_none_by_nothing(seeds) -> None:
    for seed in seeds(200):
        rng = random.Random(seed)
        corpus = random_corpus(rng)
        labels = []
        for _ in range(rng.randint(1, 5)):
            source = rng.choice(list(corpus.documents.values()))
            need = rng.randint(1, 3)
            # a page whose text is blank is in no chunk
            pages = [n for n, (a, b) in enumerate(page_spans(source), 1) if source.text[a:b].strip()]
            kind = rng.choice(("quote", "page", "document"))
            if kind == "quote":
                labels.append(Label(source.key, random_quote(rng, source.text), need=need))
            elif kind == "page" and pages:
                labels.append(Label(source.key, page=rng.choice(pages), need=need))
            else:
                labels.append(Label(source.key, need=need))
        relevant = resolve(corpus, *labels)
        assert relevant.missing == ()
        assert relevant.needs == tuple(sorted({label.need for label in labels}))
        everything = spans_of(corpus.chunks)
        assert relevant.met(everything) == relevant.needs, seed
        assert relevant.met({}) == ()
        some = rng.sample(corpus.chunks, rng.randint(0, len(corpus.chunks)))
        assert relevant.met(spans_of(some)) == met_by_characters(relevant, corpus, some), seed


def met_by_characters(relevant: Relevant, corpus: Corpus, chunks: list[Chunk]) -> tuple[int, ...]:
    """A quote needs every character of it that is not between chunks (nothing is), any other place just one."""
    held = {(c.key, i) for c in chunks for i in range(c.start, c.end)}
    met = set()
    for place in relevant.places:
        wanted = {(place.key, i) for i in range(place.start, place.end)}
        if wanted <= held if place.exact else wanted & held:
            met.add(place.label.need)
    return tuple(sorted(met))


def page_spans(source: Document) -> list[Span]:
    ends = [*source.pages[1:], len(source.text)] if source.pages else []
    return list(zip(source.pages, ends, strict=True))


def test_pages_are_ranked_by_the_page_that_holds_most_of_a_chunk(seeds) -> None:
    for seed in seeds(200):
        rng = random.Random(seed)
        corpus = random_corpus(rng)
        for source in corpus.documents.values():
            for number, (start, end) in enumerate(page_spans(source), 1):
                relevant = resolve(corpus, Label(source.key, page=number))
                assert relevant.unit == "page"
                if end == start:
                    assert relevant.missing and not relevant.places, seed
                    continue
                assert spans(relevant.places) == {(source.key, start, end)}
                touching = [c for c in corpus.chunks if c.key == source.key and c.start < end and start < c.end]
                assert set(relevant.grades) == {f"{c.key}#{main_page(c, source)}" for c in touching}, seed
            beyond = resolve(corpus, Label(source.key, page=len(source.pages) + 1))
            assert len(beyond.missing) == 1 and not beyond.grades and beyond.evidence(spans_of(corpus.chunks)) is False


def main_page(chunk: Chunk, source: Document) -> int:
    shares = [
        (len(set(range(chunk.start, chunk.end)) & set(range(a, b))), -number)
        for number, (a, b) in enumerate(page_spans(source), 1)
    ]
    return -max(shares)[1]


def test_the_unit_follows_from_the_labels() -> None:
    corpus = build([document("a", "年假15天。报销", pages=(0, 6)), document("b", "其他")], SplitSettings(), None)
    whole, page, quote = Label("a"), Label("a", page=1), Label("a", "15天")
    assert [
        resolve(corpus, *labels).unit for labels in ((whole, Label("b")), (page,), (quote,), (page, whole), ())
    ] == [
        "document",
        "page",
        "chunk",
        "chunk",
        "chunk",
    ]
    assert resolve(corpus, whole).grades == {"a@1": 1}
    assert resolve(corpus, Label("a", grade=3), Label("a.txt", grade=2)).grades == {"a@1": 3}
    assert resolve(corpus).evidence({}) is None


def test_a_document_is_called_by_file_key_id_or_title_in_that_order() -> None:
    one = document("a", "甲文", title="共名", file="共名")
    two = document("b", "乙文", title="共名", file="b.txt")
    corpus = build([one, two, document("共名", "丙文", file="")], SplitSettings(), None)
    for name, keys in {
        "共名": {"a@1"},  # the file's name comes first
        "b.txt": {"b@1"},
        "b@1": {"b@1"},
        "b": {"b@1"},
        "共名@1": {"共名@1"},
        "题": set(),
    }.items():
        assert {p.key for p in resolve(corpus, Label(name)).places} == keys, name
    versions = [
        replace(document("p", t), version=v, key=f"p@{v}", file="") for t, v in (("旧15天", "1"), ("新15天", "2"))
    ]
    found = resolve(build(versions, SplitSettings(), None), Label("p", "15天"))
    assert {p.key for p in found.places} == {"p@1", "p@2"}  # every version that says so


def test_needs_are_alternatives_within_and_all_of_them_between() -> None:
    corpus = build([document("a", "年假15天。"), document("b", "年假15天，报销3000元。")], SplitSettings(), None)
    relevant = resolve(corpus, Label("a", "15天"), Label("b", "15天"), Label("b", "3000元", need=2))
    chunk = {c.key: [c] for c in corpus.chunks}
    assert relevant.met(spans_of(chunk["a@1"])) == (1,)
    assert relevant.met(spans_of(chunk["b@1"])) == (1, 2)
    assert relevant.evidence(spans_of(chunk["a@1"])) is False


def test_a_quote_cut_in_two_is_met_by_both_halves_and_held_by_the_larger() -> None:
    corpus = build([document("a", "字" * 15 + "0123456789" + "尾" * 15)], SplitSettings("fixed", 20, 0), None)
    relevant = resolve(corpus, Label("a", "0123456789"))  # 5 characters in each
    first, second = corpus.chunks
    assert set(relevant.grades) == {first.chunk_id, second.chunk_id}
    assert relevant.met(spans_of([first])) == () == relevant.met(spans_of([second]))
    assert relevant.met(spans_of([second, first])) == (1,)
    uneven = resolve(corpus, Label("a", "0123456"))
    assert set(uneven.grades) == {first.chunk_id}


def test_what_may_not_be_seen_is_missing_as_if_it_did_not_exist(seeds) -> None:
    for seed in seeds(100):
        rng = random.Random(seed)
        shown = [document(f"d{i}", f"文{hostile.text(rng, 10)}") for i in range(3)]
        secret = document(
            "密", f"机密{hostile.text(rng, 10)}", groups=frozenset({"hr"}), file=rng.choice(("d0.txt", "密"))
        )
        settings = SplitSettings("fixed", 40, 5)
        with_it, without = build([*shown, secret], settings, None), build(shown, settings, None)
        labels = (
            Label("密"),
            Label("密@1", page=1),
            Label(secret.file, random_quote(rng, secret.text)),
            Label("题密", "机密", need=2),
            Label("d0.txt", grade=2),
        )
        permitted = with_it.permitted(PUBLIC)
        assert resolve(with_it, *labels, permitted=permitted) == resolve(without, *labels), seed
        assert resolve(with_it, Label("密"), permitted=permitted).missing == (Label("密"),)
        assert resolve(with_it, Label("密"), permitted=with_it.permitted(frozenset({"hr"}))).missing == ()


def test_a_ranking_lists_each_unit_at_its_best_chunk(seeds) -> None:
    for seed in seeds(100):
        rng = random.Random(seed)
        corpus = random_corpus(rng)
        resolver = Resolver(corpus, frozenset(corpus.documents))
        order = rng.sample(corpus.chunks, len(corpus.chunks))
        assert resolver.ranking(order, "chunk") == tuple(c.chunk_id for c in order)
        best: dict[str, int] = {}
        for rank, chunk in enumerate(order):
            best[chunk.key] = min(rank, best.get(chunk.key, rank))
        assert resolver.ranking(order, "document") == tuple(sorted(best, key=best.__getitem__)), seed
