"""`rag.ask.cite` on repetitive answers, on documents that are not packed, and on markers alone."""

from dataclasses import replace

from rag.ask.cite import cite, settled, sources
from rag.ask.markers import broken
from tests.ask.test_cite import DOCUMENTS, FIRST, PACKED, run, supports


def test_long_and_repetitive_answers_do_not_take_long() -> None:
    for text in ("[" * 5000, "[1," * 2000, "[1" + " " * 5000, "a\n" * 3000, "[S1]" * 1000, "。\n \n" * 1500):
        cited = run(text)
        assert text.startswith(settled(text))
        assert all(0 <= s.start < s.end <= len(text) for s in cited.sentences)
        assert all(c.chunk_id is None or c.marker == "S1" for c in cited.citations)


def test_numbers_in_an_evidence_of_another_document_do_not_help() -> None:
    other = replace(DOCUMENTS["money"], key="other")
    documents = {**DOCUMENTS, "other": other}
    assert [s.support for s in cite("每年可享受3000天带薪年假。", sources(PACKED, documents), True).sentences] == [
        "none"
    ]


def test_a_marker_alone_is_no_cited_sentence() -> None:
    for text in ("[S1]", "[1]", "[S1][S3]", "。[S1]", "[S9]"):
        assert [s for _, s in supports(text)] == ["no_claim"]
    assert supports(f"{FIRST}。[S1]") == [(f"{FIRST}。[S1]", "cited")]


def test_half_of_a_surrogate_pair_is_judged_like_any_sign() -> None:
    assert supports("\ud800") == [("\ud800", "no_claim")]
    assert supports(f"\udfff{FIRST}\ud800。") == [(f"\udfff{FIRST}\ud800。", "cited")]


def test_markers_joined_otherwise_or_over_a_line_break() -> None:
    for marker in (
        "[S1-3]",
        "[S1–S3]",
        "[S1;S3]",
        "[S1和S3]",
        "[S1 S3]",
        "[S1 and S3]",
        "[S1,\nS3]",
        "（S1至S3）",
        "［Ｓ１, Ｓ３］",
    ):
        text = f"{FIRST}{marker}。"
        cited = run(text)
        assert [c.marker for c in cited.citations] == ["S1", "S3"], marker
        assert supports(text) == [(text, "cited")]
        assert all(settled(text[:k]).count("[") == 0 for k in range(len(FIRST), text.index("。")))
    assert [(c.marker, c.chunk_id) for c in run(f"{FIRST}[S 99]。").citations if c.by == "model"] == [("S99", None)]


def test_a_full_stop_before_a_marker_ends_its_sentence() -> None:
    text = "Your supervisor approves it.[S1] You must not share it.[S2]"
    assert [s for s, _ in supports(text)] == ["Your supervisor approves it.[S1]", "You must not share it.[S2]"]


def test_a_bracket_full_of_markers_that_never_closes_is_read_at_once() -> None:
    for text in ("[" + "S1 " * 400, "（" + "S1\n" * 400, "[S1" + ", S2" * 400 + "x"):
        assert broken(text)[1] == ()
        assert settled(text + "x]") == text + "x]"
