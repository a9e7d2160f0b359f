"""The questions agree with the documents they are about, and the built documents with their script."""

from __future__ import annotations

import importlib.util
import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from rag.ask.rules import language_of
from rag.corpus.load import load
from rag.types import Document

HERE = Path(__file__).parent
SAMPLES = HERE.parents[1] / "sample_docs"
FILES = sorted(p for p in SAMPLES.iterdir() if not p.name.startswith("."))
LEAST = {
    "plain": 10,
    "paraphrased": 8,
    "colloquial": 8,
    "two-documents": 6,
    "identifier": 8,
    "table": 8,
    "version": 6,
    "follow-up": 5,
    "no-answer": 18,
    "hidden-instruction": 4,
    "english": 6,
}
KEYS = {"id", "question", "category", "relevant", "points"}
QUESTION_FILES = sorted((HERE.parents[1] / "rag" / "evaluate" / "samples").glob("*.jsonl"))


def squeeze(text: str) -> str:
    return re.sub(r"\s+", "", text)


def chunks_of(text: str, size: int = 240, overlap: int = 40) -> int:
    return max(1, -(-(len(text) - overlap) // (size - overlap)))


@cache
def documents() -> dict[str, tuple[Document, ...]]:
    return {path.name: load(path.name, path.read_bytes(), "sample") for path in FILES}


@cache
def squeezed(file: str) -> str:
    return "\n".join(squeeze(document.text) for document in documents()[file])


def questions() -> list[dict[str, Any]]:
    return [json.loads(line) for path in QUESTION_FILES for line in path.read_text(encoding="utf-8").splitlines()]


QUESTIONS = questions()


@pytest.fixture(scope="module")
def builder() -> ModuleType:
    path = HERE.parent / "sample_docs" / "build.py"
    spec = importlib.util.spec_from_file_location("sample_docs_build", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # dataclasses look their module up by name
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(__import__("sys").modules, spec.name, module)
        spec.loader.exec_module(module)
    return module


def test_shape_and_unique_ids() -> None:
    ids = Counter(q["id"] for q in QUESTIONS)
    assert [i for i, n in ids.items() if n > 1] == []
    texts = Counter((q["question"], str(q.get("history"))) for q in QUESTIONS)
    assert [t for t, n in texts.items() if n > 1] == []
    for q in QUESTIONS:
        assert q.keys() >= KEYS, q["id"]
        assert q.keys() <= KEYS | {"history", "never", "as_of", "refuse"}, q["id"]
        assert q["category"] in LEAST, q["id"]
        assert bool(q.get("history")) == (q["category"] == "follow-up"), q["id"]
        assert bool(q["relevant"]) == bool(q["points"]) == (not q.get("refuse", False)), q["id"]
        assert all(turn.keys() == {"question", "answer"} for turn in q.get("history", []))


def test_enough_in_every_category() -> None:
    counts = Counter(q["category"] for q in QUESTIONS)
    assert {c: counts[c] for c in LEAST if counts[c] < LEAST[c]} == {}
    assert len(QUESTIONS) >= 100
    assert sum(not q["relevant"] for q in QUESTIONS) >= 25
    assert sum(language_of(q["question"]) == "en" for q in QUESTIONS) >= 10


@pytest.mark.parametrize("q", QUESTIONS, ids=lambda q: q["id"])
def test_every_quote_stands_in_its_document(q: dict[str, Any]) -> None:
    for passage in q["relevant"]:
        assert 0 < len(passage["quote"]) <= 60
        assert squeeze(passage["quote"]) in squeezed(passage["document"]), passage


@pytest.mark.parametrize("q", [q for q in QUESTIONS if q["relevant"]], ids=lambda q: q["id"])
def test_every_point_is_in_the_material(q: dict[str, Any]) -> None:
    material = "".join(squeezed(file) for file in {p["document"] for p in q["relevant"]}).lower()
    for point in q["points"]:
        assert any(squeeze(choice).lower() in material for choice in point.split("|")), point
    for never in q.get("never", []):
        assert all(never not in passage["quote"] for passage in q["relevant"])


def test_needs_are_numbered_from_one() -> None:
    for q in QUESTIONS:
        needs = {p.get("need", 1) for p in q["relevant"]}
        assert needs == set(range(1, len(needs) + 1)), q["id"]
        if q["category"] == "two-documents":
            assert needs == {1, 2}, q["id"]


def test_no_answer_means_no_document_says_the_identifier() -> None:
    """The codes asked for without an answer really are nowhere."""
    everything = "".join(squeezed(file) for file in documents())
    for q in QUESTIONS:
        if q["category"] == "no-answer":
            for code in re.findall(r"[A-Z]{2,}-(?:F-)?\d+", q["question"]):
                assert code not in everything, code


def test_examples_name_questions() -> None:
    examples = json.loads((HERE / "examples.json").read_text(encoding="utf-8"))
    assert len(examples) == len(set(examples)) == 20
    assert set(examples) <= {q["id"] for q in QUESTIONS}


def test_corpus_size_formats_and_versions() -> None:
    loaded = [document for group in documents().values() for document in group]
    assert len(FILES) >= 34
    assert {p.suffix for p in FILES} >= {".md", ".txt", ".docx", ".pdf", ".xlsx", ".html", ".json"}
    assert sum(chunks_of(d.text) for d in loaded) >= 320
    assert len({d.key for d in loaded}) == len(loaded)
    assert all(d.version for d in loaded)
    versions = Counter(d.doc_id for d in loaded)
    assert sum(n >= 2 for n in versions.values()) >= 4
    for document in loaded:
        assert document.effective_from is not None or document.source.startswith("demo://"), document.key
        if document.version == "2025-01":
            assert str(document.effective_to) == "2026-09-30", document.key


@pytest.mark.parametrize(
    ("value", "patterns"),
    [
        (
            "15",
            [r"入职满一年后，每年可享受(\d+)天", r"满一年之后每年(\d+)天", r"employeehas(\d+)daysofpaidannualleave"],
        ),
        ("3000", [r"办公设备报销额度[为，即]+每人每年(\d+)元"]),
        ("3", [r"应提前(\d+)个工作日[^。]*《年假申请单》", r"提前(\d+)个工作日在人事系统提交HR-F-012"]),
        ("3", [r"申请带薪年假；提交时限:提前(\d+)个工作日", r"Applyatleast(\d+)workingdaysaheadwithformHR-F-012"]),
        ("30", [r"锁定(\d+)分钟", r"locktheaccountfor(\d+)minutes"]),
        ("90", [r"试用期工资为转正工资的(\d+)%", r"答：为转正工资的(\d+)%", r"probationthesalaryis(\d+)percent"]),
        ("36", [r"加班不得超过(\d+)小时", r"达到(\d+)小时之后系统", r"Theceilingis(\d+)hours"]),
        (
            "600",
            [
                r"住宿上限（每晚）；一线城市:(\d+)元；二线城市:450",
                r"一线；P1至P6住宿上限:(\d+)元",
                r"P1-P6；Tier1:(\d+)",
            ],
        ),
        ("5000", [r"借款上限(\d+)元", r"可以先借款，上限(\d+)元", r"《借款单》（FN-F-103），单笔上限(\d+)元"]),
        ("25", [r"餐补；对象:全体员工；标准:每个工作日(\d+)元", r"每个工作日(\d+)元的标准充入餐补"]),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_the_policies_in_force_agree(value: str, patterns: list[str]) -> None:
    """The same fact has the same number in every file but the superseded ones."""
    text = "\n".join(squeeze(d.text) for group in documents().values() for d in group if d.effective_to is None)
    found = [re.findall(pattern, text) for pattern in patterns]
    assert all(found), "a pattern matches nothing"
    assert {number for numbers in found for number in numbers} == {value}


def test_the_four_passages() -> None:
    assert [(d.doc_id, d.title) for d in documents()["handbook.json"]] == [
        ("leave-days", "员工年假制度"),
        ("leave-process", "年假申请流程"),
        ("equipment", "设备报销制度"),
        ("account-reset", "账号服务说明"),
    ]


def test_a_four_byte_character_survives() -> None:
    data = (SAMPLES / "车辆管理规定.txt").read_bytes()
    with pytest.raises(UnicodeDecodeError):
        data.decode("utf-8")
    assert "陈𬭎" in documents()["车辆管理规定.txt"][0].text


def test_a_table_over_two_pages() -> None:
    document = documents()["费用标准明细表.pdf"][0]
    pages = [document.text[a:b] for a, b in zip(document.pages, (*document.pages[1:], None), strict=True)]
    assert "城市: 北京" in pages[0] and "城市: 秦皇岛" in pages[1]
    assert "城市: 城市" not in document.text


def test_the_script_rebuilds_the_committed_documents(builder: ModuleType) -> None:
    sources = sorted(builder.SOURCES.glob("*.md"))
    assert len(sources) >= 15
    for source in sources:
        name, data = builder.build(source)
        assert [d.text for d in load(name, data, "sample")] == [d.text for d in documents()[name]], name
        assert builder.build(source)[1] == data, f"{name}: two builds differ"


def test_built_documents_hold_what_the_source_says(builder: ModuleType) -> None:
    """Every paragraph and every table cell of a source is in the loaded document."""
    for source in sorted(builder.SOURCES.glob("*.md")):
        name = source.name.removesuffix(".md")
        if name.endswith(".txt"):
            continue
        text = squeezed(name)
        for block in builder.parse(source.read_text(encoding="utf-8")):
            for piece in (block.text, *(cell for row in block.rows for cell in row)):
                assert piece in ("<", "^") or squeeze(piece) in text, (name, piece)
