"""The diagnosis says nothing of documents that whoever asks may not see."""

import random
from dataclasses import replace

from rag.evaluate.diagnose import Diagnosis
from tests.evaluate import faults
from tests.evaluate.faults import PLANTERS, ask, plant
from tests.evaluate.healthy import Line
from tests.evaluate.test_diagnose import found, working


def with_secrets(line: Line) -> Line:
    """The same, and documents that the runner may not see: the passage asked for, a newer version, a near name."""
    near = line.documents[line.labelled()[0]]
    secrets = [
        replace(near, doc_id="绝密并购计划", key="绝密并购计划@9", title="绝密并购计划", file="绝密并购计划.docx"),
        replace(
            near, version="2025-12-绝密", key=f"{near.doc_id}@2025-12-绝密", file=f"绝密{near.file}", text="绝密" * 99
        ),
        replace(near, doc_id="绝密", key="绝密@1", title="绝密", file=f"{near.file[:-5]}.绝密.docx"),
    ]
    return replace(line, documents=(*line.documents, *(replace(s, groups=frozenset({"board"})) for s in secrets)))


def test_hidden_documents_change_nothing_that_is_said(seeds) -> None:
    compared = set()
    for seed in seeds(200):
        rng = random.Random(seed)
        line, planter = working(seed), PLANTERS[seed % len(PLANTERS)]
        planted = planter(line, rng)
        if planted is None or planted[0].corpus is not None or not planted[0].labelled():
            continue
        assert found(planted[0]) == found(with_secrets(planted[0]))
        compared.add(planter.__name__)
    assert len(compared) >= 6


def test_hidden_documents_are_never_named(seeds) -> None:
    for seed in seeds(200):
        trial = plant(seed)
        if trial.line.corpus is not None or not trial.line.labelled():
            continue
        diagnosis = found(with_secrets(trial.line))
        if diagnosis is not None:
            assert "绝密" not in "".join(_texts(diagnosis))


def test_a_hidden_document_is_one_that_does_not_exist(seeds) -> None:
    for seed in seeds(50):
        line = working(seed)
        at = random.Random(seed).choice(line.labelled())
        hidden = faults.edit(line, at, groups=frozenset({"hr"}))
        absent = replace(line, documents=tuple(d for i, d in enumerate(line.documents) if i != at))
        for label in ({}, {"quote": "", "page": 3}, {"quote": "从未写过的话"}, {"quote": ""}):
            asked = [replace(x, **label) for x in line.question.relevant]  # type: ignore[arg-type]
            first, second = (found(ask(x, relevant=tuple(asked))) for x in (hidden, absent))
            assert first == second and first is not None
            # of two needs the other one's document may be there, without that page
            assert first.cause == "no_document" or (first.cause, "page" in label) == ("no_page", True)


def _texts(diagnosis: Diagnosis) -> tuple[str, str, str, str]:
    return diagnosis.words.en, diagnosis.words.zh, diagnosis.advice.en, diagnosis.advice.zh
