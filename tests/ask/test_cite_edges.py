"""`rag.ask.cite` on repetitive answers, on documents that are not packed, and on markers alone."""

from dataclasses import replace

from rag.ask.cite import cite, settled, sources
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
