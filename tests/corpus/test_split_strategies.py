"""Cuts worked out by hand: structure, tokens, tables, and the encoder's limit."""

import random

import pytest

from rag.config import SplitSettings
from rag.corpus.fitting import shortened
from rag.corpus.split import split
from rag.errors import SettingError
from rag.types import Document, Section, Table
from tests.corpus.test_split import STRATEGIES, doc
from tests.fakes import HashEncoder

LEAVE = (
    "第三章 休假\n\n第十一条 本章适用于全体员工。\n第十二条 员工入职满一年后，每年享受15天带薪年假。未休完的不得累计。\n"
    "第十三条 病假凭证明，按日计算。\n\n第四章 附则\n\n本制度自发布之日起施行。"
)


def headed(text: str, *headings: str, tables: tuple[Table, ...] = ()) -> Document:
    return doc(text, sections=tuple(Section(text.index(h), (h,)) for h in headings), tables=tables)


def texts(document: Document, strategy: str, size: int, overlap: int = 0, limit: int = 10_000) -> list[str]:
    settings = SplitSettings(strategy, size, overlap)  # type: ignore[arg-type]
    return [chunk.text.strip() for chunk in split(document, settings, HashEncoder(max_tokens=limit))]


# ---- structure


def test_a_chunk_ends_with_its_section_and_a_clause_is_whole() -> None:
    document = headed(LEAVE, "第三章 休假", "第四章 附则")
    assert texts(document, "structure", 45) == [
        "第三章 休假\n\n第十一条 本章适用于全体员工。",
        "第十二条 员工入职满一年后，每年享受15天带薪年假。未休完的不得累计。",
        "第十三条 病假凭证明，按日计算。",
        "第四章 附则\n\n本制度自发布之日起施行。",
    ]
    assert len(texts(document, "structure", 80)) == 4  # however large they may be
    # but a clause of less than 50 characters goes with the next
    assert [text.count("条 ") for text in texts(document, "structure", 400)] == [2, 1, 0]
    assert len(texts(document, "recursive", 400)) == 1


def test_a_clause_that_does_not_fit_is_cut_at_its_sentences() -> None:
    cut = texts(headed(LEAVE, "第三章 休假", "第四章 附则"), "structure", 30)
    assert cut[1:4] == [
        "第十二条 员工入职满一年后，每年享受15天带薪年假。",
        "未休完的不得累计。",
        "第十三条 病假凭证明，按日计算。",
    ]


def test_a_heading_without_words_goes_with_the_next_section() -> None:
    text = "第三章 休假\n\n第一节 年假\n\n每年15天。\n\n第二节 病假\n\n凭证明。"
    document = headed(text, "第三章 休假", "第一节 年假", "第二节 病假")
    assert texts(document, "structure", 200) == ["第三章 休假\n\n第一节 年假\n\n每年15天。", "第二节 病假\n\n凭证明。"]


@pytest.mark.parametrize("strategy", ["recursive", "structure", "tokens"])
def test_a_heading_is_not_parted_from_its_words(strategy: str) -> None:
    text = "甲" * 16 + "。\n\n第二章 申请\n\n应提前三个工作日提交。由主管审批。"
    assert texts(headed(text, "第二章 申请"), strategy, 24)[:2] == [
        "甲" * 16 + "。",
        "第二章 申请\n\n应提前三个工作日提交。",
    ]


@pytest.mark.parametrize("strategy", ["recursive", "structure", "tokens"])
def test_the_number_of_a_heading_is_no_sentence(strategy: str) -> None:
    text = (
        "Staff report what they see at once.\n\n7. Logs, and what they hold\n\nThe company records traffic. It is kept."
    )
    document = headed(text, "7. Logs")
    assert texts(document, strategy, 60)[1].startswith("7. Logs, and what they hold\n\nThe company records traffic.")


# ---- overlap


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_overlap_ends_at_a_section(strategy: str) -> None:
    text = "一段甲甲甲甲。二段乙乙乙。\n\n第二章\n\n三段丙丙丙丙。四段丁丁丁。五段戊戊戊。六段己己己。七段庚庚庚。"
    document = headed(text, "第二章")
    chunks = split(document, SplitSettings(strategy, 20, 9), HashEncoder())  # type: ignore[arg-type]
    pairs = list(zip(chunks, chunks[1:], strict=False))
    assert any(a.section != b.section for a, b in pairs)
    assert all(a.end <= b.start for a, b in pairs if a.section != b.section)
    assert any(a.end > b.start for a, b in pairs if a.section == b.section)


# ---- tables

ROWS = "城市: 北京；上限: 600元\n城市: 上海；上限: 600元\n城市: 青岛；上限: 450元"
TRAVEL = f"住宿标准见下表，按晚计算。\n\n{ROWS}\n\n旺季上浮25%。"
START = TRAVEL.index(ROWS)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_rows_are_whole_and_carry_the_header(strategy: str) -> None:
    document = headed(TRAVEL, tables=(Table(START, START + len(ROWS), "表一 住宿\n城市 | 上限"),))
    for size in range(20, 60):
        chunks = split(document, SplitSettings(strategy, size, 5), HashEncoder())  # type: ignore[arg-type]
        for chunk in chunks:
            rows = [row for row in ROWS.split("\n") if row in chunk.text]
            torn = chunk.text.count("城市") != len(rows) or chunk.text.count("上限:") != len(rows)
            assert not torn, (size, chunk.text)
            assert chunk.context == ("题\n表一 住宿\n城市 | 上限" if rows else "题")


def test_a_row_that_does_not_fit_is_cut_and_keeps_the_header() -> None:
    row = "城市: 北京；说明: " + "长" * 50
    document = headed(row, tables=(Table(0, len(row), "城市 | 说明"),))
    for strategy in STRATEGIES:
        chunks = split(document, SplitSettings(strategy, 20, 0), HashEncoder())
        assert len(chunks) > 2 and {chunk.context for chunk in chunks} == {"题\n城市 | 说明"}


def test_a_caption_that_stands_in_the_chunk_is_not_repeated() -> None:
    text = "表一 住宿\n城市: 北京；上限: 600元\n城市: 上海；上限: 600元"
    document = headed(text, tables=(Table(0, len(text), "表一 住宿\n城市 | 上限"),))
    first, second = split(document, SplitSettings("recursive", 26, 0), None)
    assert (first.context, second.context) == ("题\n城市 | 上限", "题\n表一 住宿\n城市 | 上限")


# ---- tokens


class Pairs(HashEncoder):
    """A token is two characters."""

    def count_tokens(self, texts):
        return [(len(text) + 1) // 2 for text in texts]

    def token_starts(self, text: str) -> list[int]:
        return list(range(0, len(text), 2))


def test_tokens_are_the_unit_and_sentences_the_boundaries() -> None:
    text = "一二三四五六七八九。" * 8  # a sentence of five tokens
    chunks = split(doc(text), SplitSettings("tokens", 22, 6), Pairs())
    assert [(c.start, c.end) for c in chunks] == [(0, 40), (30, 70), (60, 80)]  # four sentences, one shared


def test_a_sentence_over_the_size_is_cut_at_a_clause_then_at_a_token() -> None:
    assert texts(doc("甲甲甲甲甲甲甲甲甲甲，乙乙乙乙乙乙乙乙乙乙乙乙。"), "tokens", 20) == [
        "甲甲甲甲甲甲甲甲甲甲，",
        "乙乙乙乙乙乙乙乙乙乙乙乙。",
    ]
    assert [len(t) for t in texts(doc("字" * 50), "tokens", 20)] == [20, 20, 10]


def test_without_an_encoder_tokens_cannot_be_counted() -> None:
    with pytest.raises(SettingError, match="no encoder") as caught:
        split(doc("文"), SplitSettings("tokens"), None)
    assert "编码器" in caught.value.message("zh")


# ---- the encoder's limit


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_what_the_encoder_cannot_read_is_cut_at_a_boundary(strategy: str) -> None:
    text = "甲" * 29 + "。\n" + "乙" * 29 + "。" + "丙" * 28 + "。"
    assert texts(doc(text), strategy, 200, limit=200) == [text]
    assert texts(doc(text), strategy, 200, limit=70) == ["甲" * 29 + "。", "乙" * 29 + "。" + "丙" * 28 + "。"]
    assert len(texts(doc(text), strategy, 200, limit=40)) == 3


def test_a_context_of_more_than_half_the_limit_is_shortened() -> None:
    path = ("第一章 " + "总" * 60, "第二节 年假")
    document = doc("文" * 90, sections=(Section(0, path),))
    (whole,) = split(document, SplitSettings(), HashEncoder(max_tokens=170))  # 1 + 64 + 6 + 90 and three line breaks
    assert whole.context == "\n".join(("题", *path)) and whole.n_tokens == 164
    short = split(document, SplitSettings(), HashEncoder(max_tokens=120))
    # 73 of 120 is more than half: 40 characters a line; 50 and the text of 90 are still too many
    assert {chunk.context for chunk in short} == {f"题\n{path[0][:39]}…\n第二节 年假"}
    assert [len(chunk.text) for chunk in short] == [45, 45] and max(c.n_tokens for c in short) <= 120
    assert {chunk.section for chunk in short} == {path}


def test_shortening_goes_from_equal_lines_to_the_first_and_the_last_to_none() -> None:
    context = "\n".join(["题" * 30, *("节" * 30 for _ in range(8)), "表" * 30])
    for limit in range(0, 700):
        short = shortened(context, HashEncoder(max_tokens=limit))
        assert len(short) <= limit // 2
        lines = short.split("\n")
        assert len(lines) == 10 or lines == ["题" * 9 + "…", "表" * 9 + "…"] or short == ""
        assert limit < 618 or short == context
        assert limit >= 42 or short == ""


def test_pieces_of_an_overlap_stay_in_order(seeds) -> None:
    for seed in seeds(100):
        rng = random.Random(seed)
        document = doc("".join(rng.choice("字字字字字，。\n") for _ in range(400)))
        chunks = split(document, SplitSettings("fixed", 100, rng.randint(50, 99)), HashEncoder(max_tokens=60))
        assert all(a.start < b.start and a.end < b.end for a, b in zip(chunks, chunks[1:], strict=False)), seed
        assert max(chunk.n_tokens for chunk in chunks) <= 60
