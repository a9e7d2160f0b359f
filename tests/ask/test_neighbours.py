import random

import pytest

from rag.ask import markers
from rag.ask.neighbours import over, with_neighbours
from rag.ask.prompt import build_prompt
from rag.config import GenerateSettings, SearchSettings, Settings, SplitSettings
from rag.corpus.index import Corpus, build
from rag.types import Candidate, Document, Section, Status
from tests import hostile
from tests.fake_models import CharacterChat

LIST = "第一条 有下列情形之一的，可以休假：\n（一）结婚的；\n（二）生育的；\n（三）照料家人的。\n第二条 休假须提前申请。批准后生效。\n"


def corpus_of(text: str, size: int, overlap: int, *sections: int, pages: tuple[int, ...] = ()) -> Corpus:
    made = tuple(Section(at, (f"节{at}",)) for at in (0, *sections))
    document = Document("d", "1", "d@1", "own", "制度", "", text, sections=made, pages=pages)
    return build([document], SplitSettings("fixed", size, overlap), None)


def candidates(corpus: Corpus, *numbers: int) -> list[Candidate]:
    chunks = [corpus.chunks[i] for i in numbers]
    return [Candidate(c, {"lexical": 1.0}, {"lexical": r}, r, Status("not_packed")) for r, c in enumerate(chunks, 1)]


def prompt(corpus: Corpus, may, packed: int = 4, limit: int = 2048, chat: CharacterChat | None = None):
    generate = GenerateSettings(160, context_limit=limit, withhold=False)
    settings = Settings(search=SearchSettings(packed=packed), generate=generate)
    return build_prompt("休假？", may, corpus.documents, settings, chat or CharacterChat())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("before", "ends"),
    [("", True), ("每年15天。", True), ("他说“可以。”\n", True), ("End. ", True), ("（一）结婚的；\n", False), ("如下：", False), ("每年", False)],
)  # fmt: skip
def test_a_sentence_is_over_after_a_stop_and_what_closes_behind_it(before: str, ends: bool) -> None:
    assert over(before + "其后", len(before)) is ends


def test_a_list_that_was_cut_comes_whole_and_what_ended_brings_nothing() -> None:
    corpus = corpus_of(LIST, 20, 0)
    reach = [c.reach for c in with_neighbours(candidates(corpus, *range(len(corpus.chunks))), corpus)]
    for i, (chunk, (low, high)) in enumerate(zip(corpus.chunks, reach, strict=True)):
        before = i > 0 and LIST[: chunk.start].rstrip()[-1] not in "。"
        after = i + 1 < len(corpus.chunks) and LIST[: chunk.end].rstrip()[-1] not in "。"
        assert low == (corpus.chunks[i - 1].start if before else chunk.start)
        assert high == (corpus.chunks[i + 1].end if after else chunk.end)
    assert any(low < c.start for c, (low, _) in zip(corpus.chunks, reach, strict=True))


def test_nothing_runs_on_into_another_section_or_document() -> None:
    text = "甲" * 20 + "乙" * 20
    corpus = corpus_of(text, 20, 0, 20)
    assert [c.reach for c in with_neighbours(candidates(corpus, 0, 1), corpus)] == [(0, 20), (20, 40)]
    two = [Document(f"d{i}", "1", f"d{i}@1", "own", "制度", "", "甲" * 20) for i in range(2)]
    apart = build(two, SplitSettings("fixed", 20, 0), None)
    assert [c.reach for c in with_neighbours(candidates(apart, 0, 1), apart)] == [(0, 20), (0, 20)]


def test_what_is_packed_is_a_slice_of_the_document_in_the_prompt_and_within_the_budget(seeds) -> None:
    widened = 0
    for seed in seeds(100):
        rng = random.Random(seed)
        text = hostile.text(rng, 30)
        corpus = corpus_of(text, rng.randint(20, 60), rng.randint(0, 15))
        if not corpus.chunks:
            continue
        n = len(corpus.chunks)
        plain = candidates(corpus, *rng.sample(range(n), min(n, rng.randint(1, 6))))
        limit = rng.choice((500, 700, 2048))
        chat = CharacterChat()
        try:
            bare = prompt(corpus, plain, limit=limit, chat=chat)
        except Exception as error:  # noqa: BLE001 - nothing fits: then nothing fits with neighbours either
            with pytest.raises(type(error)):
                prompt(corpus, with_neighbours(plain, corpus), limit=limit, chat=chat)
            continue
        wide = prompt(corpus, with_neighbours(plain, corpus), limit=limit, chat=chat)
        assert [e.chunk for e in wide.packed] == [e.chunk for e in bare.packed], seed  # nobody pays for a neighbour
        assert wide.dropped == bare.dropped and len(wide.input_ids) <= wide.budget, seed
        seen: list[tuple[int, int]] = []
        for evidence in wide.packed:
            (span,) = evidence.spans
            low, high = evidence.chunk.start, evidence.chunk.end
            assert span[0] <= low and high <= span[1], seed
            words = markers.broken(text[span[0] : span[1]].strip())[0]
            assert chat.break_specials(words)[0] in wide.text, seed
            widened += span != (low, high)
            seen += [(a, b) for a, b in ((span[0], low), (high, span[1])) if a < b]
        for a, b in seen:  # what came in beside a chunk is in no other piece
            assert sum(s[0] < b and a < s[1] for e in wide.packed for s in e.spans) == 1, seed
    assert widened > 10


def test_a_neighbour_that_does_not_fit_stays_out_and_one_that_is_packed_does_not_come_twice() -> None:
    corpus = corpus_of("甲" * 400, 100, 20)
    both = with_neighbours(candidates(corpus, 1, 2), corpus)
    spans = [e.spans[0] for e in prompt(corpus, both).packed]
    assert spans == [(0, 180), (160, 340)]
    room = len(prompt(corpus, candidates(corpus, 1)).input_ids) + 80
    assert [
        e.spans for e in prompt(corpus, with_neighbours(candidates(corpus, 1), corpus), limit=160 + room).packed
    ] == [((80, 260),)]
    assert [e.spans for e in prompt(corpus, with_neighbours(candidates(corpus, 1), corpus), limit=160 + room - 1).packed] == [((80, 180),)]  # fmt: skip


def test_the_heading_names_every_page_the_words_are_on() -> None:
    corpus = corpus_of("甲" * 60, 20, 0, pages=(0, 25, 50))
    may = candidates(corpus, 1)
    assert "第1页" in prompt(corpus, may).packed[0].heading
    assert "第1–3页" in prompt(corpus, with_neighbours(may, corpus)).packed[0].heading
