import random

import pytest

from rag.ask.cite import Cited, cite, settled, sources
from rag.ask.rules import NOT_FOUND
from rag.config import SplitSettings
from rag.corpus.split import split
from rag.types import Citation, Document, Evidence
from tests import hostile

LEAVE = "员工入职满一年后，每年可享受15天带薪年假。未休完的年假不得跨年累计。"
APPLY = "应提前3个工作日提交申请，由直属主管审批。"
MONEY = "办公设备报销额度为每人每年3000元。超出部分由员工自理。"


def document(key: str, text: str) -> Document:
    return Document(key, "1", key, "own", key, key, text)


DOCUMENTS = {d.key: d for d in (document("leave", LEAVE), document("apply", APPLY), document("money", MONEY))}


def evidence(marker: str, key: str) -> Evidence:
    chunk = split(DOCUMENTS[key], SplitSettings(), None)[0]
    return Evidence(marker, chunk, f"[{marker}] {key}", ((chunk.start, chunk.end),))


PACKED = [evidence("S1", "leave"), evidence("S2", "apply"), evidence("S3", "money")]


def run(text: str, done: bool = True) -> Cited:
    return cite(text, sources(PACKED, DOCUMENTS), done)


def key_of(citation: Citation) -> str | None:
    return citation.chunk_id.rsplit(":", 1)[0] if citation.chunk_id else None


def brief(text: str) -> list[tuple[str, str, str | None, str]]:
    """Every citation as (marker, the text it stands for, its document, by whom)."""
    return [(c.marker, text[c.start : c.end], key_of(c), c.by) for c in run(text).citations]


def supports(text: str) -> list[tuple[str, str]]:
    return [(text[s.start : s.end], s.support) for s in run(text).sentences]


# --- the model's own markers

FIRST = "每年可享受15天带薪年假"


@pytest.mark.parametrize(
    "marker", ["[S1]", "［S1］", "【S1】", "(S1)", "（S1）", "[1]", "［1］", "[s1]", "[ S1 ]", "[S01]"]
)
@pytest.mark.parametrize("where", ["{t}{m}。", "{t}。{m}", "{t} {m}。", "{t}。 {m}", "{m} {t}。", "{t}。\n{m}"])
def test_one_marker_in_all_its_spellings_and_places(marker: str, where: str) -> None:
    text = where.format(t=FIRST, m=marker)
    assert brief(text) == [("S1", marker, "leave", "model")]
    assert supports(text) == [(text, "cited")]
    assert run(text).citations[0].support == 1.0


@pytest.mark.parametrize(
    ("marker", "expected"),
    [
        ("[S1][S3]", [("S1", "[S1]", "leave"), ("S3", "[S3]", "money")]),
        ("[S1, S3]", [("S1", "[S1", "leave"), ("S3", ", S3]", "money")]),
        ("[S1，S2、S3]", [("S1", "[S1", "leave"), ("S2", "，S2", "apply"), ("S3", "、S3]", "money")]),
        ("[1, 3]", [("S1", "[1", "leave"), ("S3", ", 3]", "money")]),
        ("（S1、S3）", [("S1", "（S1", "leave"), ("S3", "、S3）", "money")]),
        ("[S9]", [("S9", "[S9]", None)]),
        ("[S0]", [("S0", "[S0]", None)]),
        ("[S1, S9]", [("S1", "[S1", "leave"), ("S9", ", S9]", None)]),
        ("[9]", []),  # without a letter it is a marker only when it names something packed
        ("[1, 9]", []),
        ("[0]", []),
        ("[2026]", []),
        ("[S2026]", [("S2026", "[S2026]", None)]),
        ("(1)", []),
        ("（1）", []),
        ("[S]", []),
        ("[Sx]", []),
        ("S1", []),
        ("[]", []),
        ("<S1>", []),
    ],
)
def test_markers_and_what_only_looks_like_one(marker: str, expected: list[tuple[str, str, str | None]]) -> None:
    text = f"{FIRST}{marker}。"
    assert [c[:3] for c in brief(text) if c[3] == "model"] == expected


def test_a_marker_in_code_or_quotes_counts_where_it_stands() -> None:
    for text in (f"「{FIRST}[S1]」。", f"`[S1]` {FIRST}。", f"“{FIRST}。”[S1]"):
        assert brief(text) == [("S1", "[S1]", "leave", "model")]


def test_a_source_that_does_not_exist_is_no_support() -> None:
    text = "公司提供免费午餐[S9]。"
    assert supports(text) == [(text, "none")]
    only, closest = run(text).citations
    assert (only.chunk_id, only.span, only.support, only.by) == (None, None, 0.0, "model")
    assert closest.by == "system" and closest.chunk_id is not None and closest.start == len(text)


def test_a_sentence_with_a_wrong_marker_may_still_get_a_source() -> None:
    text = f"{FIRST}[S9]。"
    assert brief(text) == [("S9", "[S9]", None, "model"), ("S1", "", "leave", "system")]
    assert supports(text) == [(text, "cited")]


def test_a_marker_that_opens_a_line_belongs_to_that_line() -> None:
    text = f"[S1] {FIRST}。\n[S2] 应提前3个工作日提交申请。\n[S3] 每人每年3000元。"
    assert [(s, sup) for s, sup in supports(text)] == [(line, "cited") for line in text.split("\n")]
    assert [c.support for c in run(text).citations] == [1.0, 1.0, 1.0]


def test_a_marker_alone_on_a_line_belongs_to_the_sentence_before() -> None:
    text = f"{FIRST}。\n\n[S1]\n应提前3个工作日提交申请。[S2]"
    assert [s for s, _ in supports(text)] == [f"{FIRST}。\n\n[S1]", "应提前3个工作日提交申请。[S2]"]


def test_the_span_is_the_sentence_that_says_it() -> None:
    citation = run("超出部分由员工自理[S3]。").citations[0]
    assert citation.span is not None and MONEY[slice(*citation.span)] == "超出部分由员工自理。"


# --- attribution by the system


def test_a_sentence_without_a_marker_gets_the_source_that_says_it() -> None:
    text = "入职满一年后，每年可享受15天带薪年假。应提前3个工作日提交申请。"
    cited = run(text)
    assert [(key_of(c), c.by) for c in cited.citations] == [("leave", "system"), ("apply", "system")]
    for citation, sentence in zip(cited.citations, cited.sentences, strict=True):
        assert citation.start == citation.end == sentence.end
        assert sentence.support == "cited" and 0 < citation.support <= 1
    span = cited.citations[0].span
    assert span is not None and LEAVE[slice(*span)] == "员工入职满一年后，每年可享受15天带薪年假。"


@pytest.mark.parametrize(
    ("text", "key", "support"),
    [
        ("办公设备报销额度为每人每年3,000元。", "money", "cited"),
        ("办公设备报销额度为每人每年３０００元。", "money", "cited"),
        ("办公设备报销额度为每人每年三千元。", "money", "cited"),
        (
            "办公设备报销额度为每人每年5000元。",
            "money",
            "none",
        ),  # one number that is not there: the closest, and it carries nothing
        ("办公设备报销额度为每人每年3000元，共2次。", "money", "none"),
        ("每年可享受15.5天带薪年假。", "leave", "none"),
        ("乒乓球赛真精彩。", None, "none"),
        ("The office is in Hangzhou.", None, "none"),
        ("。", None, "no_claim"),
        ("……", None, "no_claim"),
    ],
)
def test_citing_is_one_thing_and_carrying_another(text: str, key: str | None, support: str) -> None:
    cited = run(text)
    assert [s.support for s in cited.sentences] == [support]
    assert [key_of(c) for c in cited.citations][:1] == [key][
        : bool(key)
    ]  # what shares nothing with a sentence is not its closest


def test_the_source_that_shares_most_is_taken_and_of_equals_the_first() -> None:
    twins = [evidence("S1", "leave"), evidence("S2", "leave")]
    [only] = cite(FIRST, sources(twins, DOCUMENTS), True).citations
    assert only.marker == "S1"
    [best] = cite("办公设备报销额度为每人每年3000元", sources(list(reversed(PACKED)), DOCUMENTS), True).citations
    assert best.marker == "S3"


@pytest.mark.parametrize("text", [*NOT_FOUND.values(), NOT_FOUND["zh"].rstrip("。"), NOT_FOUND["en"].lower()])
def test_the_refusal_gets_no_source(text: str) -> None:
    refusing = document("refusing", text)
    chunk = split(refusing, SplitSettings(), None)[0]
    packed = [Evidence("S1", chunk, "", ((chunk.start, chunk.end),))]
    cited = cite(text, sources(packed, {"refusing": refusing}), True)
    assert cited.citations == () and [s.support for s in cited.sentences] == ["refusal"]


def test_only_what_is_packed_can_carry_a_sentence() -> None:
    chunk = split(DOCUMENTS["leave"], SplitSettings(), None)[0]
    second = LEAVE.index("未休完")
    narrow = [Evidence("S1", chunk, "", ((second, len(LEAVE)),))]
    assert [s.support for s in cite(FIRST, sources(narrow, DOCUMENTS), True).sentences] == ["none"]
    [found] = cite("未休完的年假不得跨年累计。", sources(narrow, DOCUMENTS), True).citations
    assert found.span == (second, len(LEAVE))


def test_nothing_packed_and_nothing_written() -> None:
    assert cite("", sources(PACKED, DOCUMENTS), True) == Cited((), ())
    assert cite(" \n", sources(PACKED, DOCUMENTS), True) == Cited((), ())
    assert [s.support for s in cite(FIRST, sources([], DOCUMENTS), True).sentences] == ["none"]


# --- while it streams


def random_answer(rng: random.Random) -> str:
    pieces = (
        *(
            "每年可享受15天带薪年假",
            "应提前3个工作日提交申请",
            "每人每年3000元",
            "共3.5天",
            "公司提供午餐",
            "Yes",
            " 3",
        ),
        *("。", "。", "！", "；", ".", ". ", "\n", "\n\n", " ", "，", "”", "）"),
        *("[S1]", "[S2]", "[S1, S3]", "[S1, S2, S3, S1, S2, S3]", "[2]", "[S9]", "【S3】", "(S1)", "(2)", "[2026]"),
        *("[", "(", "[S", "[1", "（S1", "[S1,", *NOT_FOUND.values()),
    )
    out = "".join(rng.choice(pieces) for _ in range(rng.randint(1, 14)))
    return out + hostile.text(rng, 3) if rng.random() < 0.3 else out


def test_what_was_shown_for_earlier_sentences_never_changes(seeds) -> None:
    for seed in seeds(300):
        text = random_answer(random.Random(seed))
        last = run(text)
        for n in range(len(text) + 1):
            shown = settled(text[:n])
            now = run(shown, done=False)
            assert text.startswith(shown)
            everything = run(shown).sentences
            open_from = everything[-1].start if everything else 0
            for kind in ("citations", "sentences"):
                before = [x for x in getattr(now, kind) if x.end <= open_from]
                final = [x for x in getattr(last, kind) if x.end <= open_from]
                assert before == final, (seed, n, shown)


def test_half_a_marker_is_never_shown(seeds) -> None:
    markers = [
        "[S1]",
        "[S1, S2, S3, S4]",
        "[1、2、3、4、5、6、7、8]",
        "（S1，S2）",
        "【 S1 】",
        "[S10,\u3000S11,   S12]",
    ]
    for text in markers:
        assert [settled(f"天{text[:n]}") for n in range(1, len(text))] == ["天"] * (len(text) - 1)
        assert settled(f"天{text}") == f"天{text}"
    for seed in seeds(300):
        text = random_answer(random.Random(seed))
        whole = [(c.start, c.end) for c in run(text).citations if c.by == "model"]
        groups = [(a, b) for a, b in whole if text[a] in "[［【(（"]
        ends = {a: next(e for e in range(a + 1, len(text) + 1) if text[e - 1] in "]］】)）") for a, _ in groups}
        for n in range(len(text) + 1):
            shown = len(settled(text[:n]))
            assert not any(a < shown < e for a, e in ends.items()), (seed, n)


def test_the_last_sentence_waits_for_its_marker() -> None:
    assert run(f"{FIRST}。", done=False).citations == ()
    assert [c.by for c in run(f"{FIRST}。", done=True).citations] == ["system"]
    assert [c.by for c in run(f"{FIRST}。[S1]", done=False).citations] == ["model"]
    assert [c.by for c in run(f"{FIRST}。应", done=False).citations] == ["system"]
    assert run("共3.", done=False).sentences == ()


# --- offsets, on anything


def test_offsets_spans_and_order_on_hostile_answers(seeds) -> None:
    for seed in seeds(300):
        rng = random.Random(seed)
        source = document("h", hostile.text(rng, 20) + "年假15天。")
        chunks = split(source, SplitSettings("recursive", 60, 10), None)[:4]
        packed = [Evidence(f"S{i}", c, "", ((c.start, c.end),)) for i, c in enumerate(chunks, 1)]
        text = hostile.text(rng, 8) + random_answer(rng) + rng.choice(chunks).text
        cited = cite(text, sources(packed, {"h": source}), True)
        by_marker = {e.marker: e.chunk for e in packed}
        covered = "".join(text[s.start : s.end] for s in cited.sentences)
        assert "".join(covered.split()) == "".join(text.split()), seed
        for a, b in zip(cited.sentences, cited.sentences[1:], strict=False):
            assert a.start < a.end <= b.start
        for c in cited.citations:
            assert any(s.start <= c.start <= c.end <= s.end for s in cited.sentences)
            if c.by == "model":
                assert str(int("".join(x for x in text[c.start : c.end] if x.isdigit()))) == c.marker[1:]
            if c.chunk_id is None:
                assert c.marker not in by_marker and c.span is None and c.by == "model"
                continue
            chunk = by_marker[c.marker]
            assert c.chunk_id == chunk.chunk_id and c.span is not None
            assert chunk.start <= c.span[0] < c.span[1] <= chunk.end
            assert 0 <= c.support <= 1
