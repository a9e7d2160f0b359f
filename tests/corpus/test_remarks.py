import random
from dataclasses import replace

import pytest

from rag.config import SplitSettings
from rag.corpus.boundaries import ends_sentence
from rag.corpus.remarks import remarks
from rag.corpus.split import split
from rag.types import Chunk, Document, Section
from tests.corpus.test_split import doc, random_document, random_settings
from tests.fakes import HashEncoder


def piece(document: Document, start: int, end: int) -> Chunk:
    """A chunk as some splitter might cut it, its section and context those of its start."""
    section = next((s.path for s in reversed(document.sections) if s.start <= start), ())
    context = "\n".join([document.title, *section])
    return Chunk("", document.key, start, end, document.text[start:end], context, 0, None, section)


TEXT = "第一章 年假\n\n员工入职满一年后，每年可享受15天带薪年假。未休完的不得跨年累计。\n\n第二章 申请\n\n应提前3个工作日提交申请，由直属主管审批。"


@pytest.fixture
def policy() -> Document:
    return doc(TEXT, sections=(Section(0, ("第一章 年假",)), Section(TEXT.index("第二章"), ("第二章 申请",))))


def at(words: str) -> int:
    return TEXT.index(words)


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (0, at("第二章"), ()),
        (0, at("未休完"), ()),
        (0, at("带薪"), ("cuts_sentence",)),
        (at("每年"), at("第二章"), ("cuts_sentence",)),
        (at("未休完"), at("第二章"), ("too_short",)),  # 11 characters
        (at("员工"), at("应提前"), ("lost_heading",)),  # its last line is the next section's heading
        (at("未休完"), at("应提前") - 2, ("too_short", "lost_heading")),
        (at("第二章"), len(TEXT), ()),
    ],
)
def test_what_is_said_of_a_chunk(policy: Document, start: int, end: int, expected: tuple[str, ...]) -> None:
    assert remarks(policy, [piece(policy, start, end)]) == (expected,)


def test_a_heading_that_is_only_in_the_section_is_lost(policy: Document) -> None:
    body = replace(piece(policy, at("员工"), at("第二章")), context="题")
    assert remarks(policy, [body]) == (("lost_heading",),)
    # shortened, it is not there either; in the text it is
    assert remarks(policy, [replace(body, context="题\n第一章…")]) == (("lost_heading",),)
    assert remarks(policy, [replace(piece(policy, 0, at("第二章")), context="题")]) == ((),)


def test_the_last_heading_of_a_document_has_no_words_to_lose() -> None:
    text = "员工应当遵守公司的各项规章制度，不得违反。\n\n附件一"
    document = doc(text, sections=(Section(text.index("附件"), ("附件一",)),))
    assert remarks(document, [piece(document, 0, len(text))]) == ((),)


def test_near_the_limit_and_near_identical(policy: Document) -> None:
    whole = replace(piece(policy, 0, at("第二章")), n_tokens=90)
    for limit, expected in ((None, ()), (100, ("near_limit",)), (101, ()), (90, ("near_limit",))):
        assert remarks(policy, [whole], limit) == (expected,)
    assert remarks(policy, [whole, whole], 100) == (("near_limit",), ("near_identical", "near_limit"))


@pytest.mark.parametrize(
    ("text", "cut", "whole"),
    [
        ("年假15天。病假另计。", "病", True),
        ("年假15天。病假另计。", "1", False),
        ("他说：“可以。”然后走了。", "然", True),
        ("The rate is 3.5 percent.", "5", False),
        ("It is so. And so on.", "And", True),
        ("甲：一天\n乙：两天", "乙", True),
        ("甲 乙", "乙", False),
        ("完了", "完", True),
        ("甲  ", " ", True),
        ("甲，乙", "乙", False),
    ],
)
def test_where_a_sentence_ends(text: str, cut: str, whole: bool) -> None:
    assert ends_sentence(text, text.index(cut)) is whole


def test_hostile_chunks_have_remarks_in_one_order(seeds) -> None:
    order = ("too_short", "cuts_sentence", "lost_heading", "near_identical", "near_limit")
    said = set()
    for seed in seeds(200):
        rng = random.Random(seed)
        document = random_document(rng)
        chunks = split(document, random_settings(rng), HashEncoder(max_tokens=300))
        found = remarks(document, chunks, 300)
        assert len(found) == len(chunks)
        for each in found:
            assert list(each) == sorted(set(each), key=order.index), seed
            said.update(each)
    assert said == set(order)


def test_a_document_without_anything_odd_has_no_remarks(leave: Document) -> None:
    assert remarks(leave, split(leave, SplitSettings(), None)) == ((),)
