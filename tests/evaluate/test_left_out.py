"""What selection and the scope left out is told by its own reason."""

from dataclasses import replace
from datetime import date

from rag.config import SearchSettings
from rag.errors import Bilingual
from rag.evaluate.left_out import left_out
from rag.evaluate.unsearched import unsearched
from rag.types import Document, Status
from tests.evaluate.faults import plant, search
from tests.evaluate.test_diagnose import KINDS, found


def test_what_repeats_one_that_is_not_in_the_prompt_either_is_out_for_its_reason() -> None:
    trial = plant(1, KINDS["said_twice"])
    (twin,) = [c for c in trial.outcome.retrieval.candidates if c.chunk.key[0] == "0" and c.status.fate == "packed"][:1]
    diagnosis = found(search(trial.line, threshold=1.0, mode="fused"))  # nothing reaches it
    assert diagnosis is not None and diagnosis.cause == "below_threshold"
    repeating = [c for c in trial.outcome.retrieval.candidates if c.status.of == twin.chunk.chunk_id]
    out = [replace(c, status=Status("beyond_k")) if c is twin else c for c in trial.outcome.retrieval.candidates]
    outcome = replace(trial.outcome, retrieval=replace(trial.outcome.retrieval, candidates=tuple(out)))
    said = left_out(repeating[0], outcome, 1, Bilingual(en="the chunk", zh="切块"))
    assert said.step != "select" and f"ranked {twin.rank}, which the chunk repeats" in said.words.en
    assert f"第 {twin.rank} 名" in said.words.zh


def test_of_several_reasons_of_the_scope_the_right_one_is_named() -> None:
    day = date(2026, 5, 1)
    old = Document("leave", "1", "leave@1", "own", "休假", "", "", effective_from=date(2020, 1, 1))
    new = replace(old, version="2", key="leave@2", effective_from=date(2025, 1, 1))
    for scope, documents, document, cause in (
        ("newest", (), old, "other_version"),
        ("newest", ("leave",), old, "other_version"),
        ("newest", ("money",), old, "not_chosen"),
        ("all", ("money",), new, "not_chosen"),
        ("all", (), old, "other_section"),
        ("newest", ("leave",), new, "other_section"),
    ):
        asked = SearchSettings(scope=scope, documents=documents, section="附则", as_of=day)  # type: ignore[arg-type]
        assert unsearched(document, (old, new), asked, 1).cause == cause
    early = SearchSettings(as_of=date(2019, 1, 1))
    assert unsearched(old, (old, new), early, 1).cause == "not_in_force"
