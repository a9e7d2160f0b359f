"""``python -m rag eval`` on small files, without any model: lexical search, figures, report, floors, messages."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup

from rag.cli import main
from rag.cli.corpus import read_documents
from rag.config import SplitSettings
from rag.models.roles import Models

QUESTIONS = [
    {
        "id": "leave",
        "question": "入职满一年，每年有多少天带薪年假？",
        "category": "a",
        "relevant": [{"document": "leave.md", "quote": "15天带薪年假"}],
        "points": ["15天"],
    },
    {"id": "money", "question": "报销额度", "category": "b", "relevant": ["money.txt"], "points": ["3000元"]},
    # the words lead elsewhere
    {
        "id": "lost",
        "question": "停车位先到先得，那么入职满一年呢？",
        "category": "b",
        "relevant": [{"document": "leave.md", "quote": "满一年后"}],
    },
    {"id": "none", "question": "食堂几点开门？", "category": "b", "refuse": True},
]


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "en_US.UTF-8")


@pytest.fixture
def own(tmp_path: Path) -> list[str]:
    """Options: own documents and questions, and a folder without any model."""
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "leave.md").write_text("# 休假制度\n\n员工入职满一年后，每年可享受15天带薪年假。\n", encoding="utf-8")
    (folder / "money.txt").write_text("办公设备报销额度为每人每年3000元，凭发票报销。\n", encoding="utf-8")
    (folder / "parking.txt").write_text("停车位先到先得。\n", encoding="utf-8")
    questions = tmp_path / "questions.jsonl"
    questions.write_text("\n".join(json.dumps(q, ensure_ascii=False) for q in QUESTIONS), encoding="utf-8")
    nowhere = str(tmp_path / "nowhere")
    return ["eval", "--documents", str(folder), "--questions", str(questions), "--encoder", nowhere, "--cache", nowhere]


def table(out: str, name: str) -> dict[str, list[str]]:
    """A table of the text by the first cell of its rows; `name` is how its head begins."""
    rows: dict[str, list[str]] = {}
    lines = out.splitlines()
    for line in lines[next(i for i, x in enumerate(lines) if x.startswith(name)) :]:
        cells = line.split(" | ")
        if len(cells) == 1:
            break
        rows[cells[0]] = cells[1:]
    return rows


@pytest.mark.parametrize(
    ("asked", "missing"),
    [
        (["--set", "select.rerank=cross"], "no-reranker"),
        (["--vary", "select.rerank=overlap,cross"], "no-reranker"),
        (["--set", "select.rerank=likelihood"], "no-generator"),
        (["--set", "query.second_round=true"], "no-generator"),
    ],
)
def test_nothing_is_measured_without_a_model_it_reads_with(
    own: list[str], tmp_path: Path, asked: list[str], missing: str, capsys: pytest.CaptureFixture[str]
) -> None:
    models = ["--generator", str(tmp_path / "no-generator"), "--reranker", str(tmp_path / "no-reranker")]
    assert main([*own, *models, *asked]) == 2
    said = capsys.readouterr()
    assert missing in said.err and "hit" not in said.out


def test_text_json_and_page_agree(own: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {kind: tmp_path / f"report.{kind}" for kind in ("json", "html")}
    written = [part for kind, file in files.items() for part in (f"--{kind}", str(file))]
    assert main([*own, "--set", "search.packed=1", *written]) == 0
    out, err = capsys.readouterr()
    assert "nowhere" in err  # why there is no encoder
    assert "4/4" in err and "Traceback" not in err
    assert [line for line in out.splitlines() if line.startswith(str(tmp_path))] == [str(f) for f in files.values()]

    data = json.loads(files["json"].read_text(encoding="utf-8"))
    figures = data["runs"][0]["figures"]
    assert figures["packed.evidence"]["mean"] == pytest.approx(2 / 3, abs=1e-4)
    assert data["models"] == {"encoder": None, "encoder_fingerprint": None, "generator": None}
    assert data["runs"][0]["corpus"]["documents"] == 3
    stages = table(out, "stage (k = 10)")
    assert set(stages) - {"stage (k = 10)", "---"} == {"lexical", "packed"}
    for stage in ("lexical", "packed"):
        for measure, cell in zip(stages["stage (k = 10)"], stages[stage], strict=True):
            figure = figures[f"{stage}.{measure}"]
            assert cell == f"{figure['mean']:.3f} [{figure['low']:.3f}, {figure['high']:.3f}]"
    assert "questions that failed: 1 (k 1)" in out and "\nlost  停车位先到先得" in out

    page = files["html"].read_text(encoding="utf-8")
    soup = BeautifulSoup(page, "lxml")
    assert not soup.find_all(["script", "link", "img", "iframe"])
    assert not re.findall(r"https?://(?!www\.w3\.org/)", page)
    assert "0.667" in soup.get_text() and all(q["question"] in page for q in QUESTIONS)


def test_a_page_in_the_language_of_the_shell(own: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert main([*own, "--html", str(tmp_path / "r.html")]) == 0
    assert 'lang="zh-CN"' in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_floors_guard_a_deployment(own: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*own, "--set", "search.packed=1", "--min", "packed.evidence=0.66", "--min", "lexical.recall=0.5"]) == 0
    capsys.readouterr()
    report = tmp_path / "r.json"
    assert main([*own, "--set", "search.packed=1", "--min", "packed.evidence=0.9", "--json", str(report)]) == 1
    assert "packed.evidence = 0.667 < 0.9" in capsys.readouterr().err
    assert json.loads(report.read_text(encoding="utf-8"))["complete"]  # below a floor the report is needed most


def test_values_side_by_side(own: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = tmp_path / "r.json"
    vary = ["--vary", "search.packed=1,2,3", "--vary", "split.size=20,240", "--set", "split.overlap=0"]
    assert main([*own, *vary, "--json", str(report)]) == 0
    out = capsys.readouterr().out
    data = json.loads(report.read_text(encoding="utf-8"))
    names = [run["name"] for run in data["runs"]]
    assert names[0] == "" and len(names) == len(set(names)) == 7  # packed is more in the first run: none is left out
    assert all(f"\n{name}  (settings " in out for name in names[1:])
    assert data["runs"][1]["corpus"]["chunks"] > data["runs"][2]["corpus"]["chunks"]
    assert [c["name"] for c in data["comparisons"]] == names[1:]


def asked(report: Path) -> list[str]:
    data: Any = json.loads(report.read_text(encoding="utf-8"))
    return [row["id"] for row in data["runs"][0]["outcomes"]]


def test_which_questions(own: list[str], tmp_path: Path) -> None:
    report = tmp_path / "r.json"
    assert main([*own, "--category", "b", "--json", str(report)]) == 0
    assert asked(report) == ["money", "lost", "none"]
    assert main([*own, "--limit", "2", "--json", str(report)]) == 0
    assert asked(report) == ["leave", "lost"]


def test_the_sample_questions_are_the_default(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nowhere = str(tmp_path / "nowhere")
    report = tmp_path / "r.json"
    assert main(["eval", "--encoder", nowhere, "--cache", nowhere, "--limit", "8", "--json", str(report)]) == 0
    data = json.loads(report.read_text(encoding="utf-8"))
    assert data["runs"][0]["corpus"]["documents"] == 50 and data["asked"] == 8
    assert data["runs"][0]["figures"]["packed.evidence"]["mean"] > 0.3  # lexical alone finds something


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--set", "search.packed"], "NAME=VALUE"),
        (["--set", "=3"], "NAME=VALUE"),
        (["--set", "packed=3"], "search.packed"),
        (["--set", "search.packed=many"], "many"),
        (["--set", "search.packed=0"], "1–50"),
        (["--vary", "search.packed=" + ",".join(map(str, range(5, 30)))], "12"),
        (["--min", "packed.evidence=high"], "high"),
        (["--min", "dense.recal=0.1"], "packed.evidence"),
        (["--min", "dense.recall=0.1"], "packed.evidence"),
        (["--min", "packed.evidence=nan"], "nan"),
        (["--category", "nothing"], "no question"),
        (["--k", "0"], "1–200"),
        (["--limit", "0"], "no question"),
        (["--json", "{tmp}/no/such/folder.json"], "no/such"),
        (["--html", "{tmp}"], "folder"),
        (["--questions", "{tmp}/missing.jsonl"], "missing.jsonl"),
        (["--answers", "retrieved", "--generator", "{tmp}/no-model"], "no-model"),
        (["--prompts", "--generator", "{tmp}/no-model"], "no-model"),
    ],
)
def test_what_cannot_be_done_is_exit_2_and_a_message(
    own: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    assert main([*own, *(option.replace("{tmp}", str(tmp_path)) for option in options)]) == 2
    err = capsys.readouterr().err
    assert said in err.splitlines()[-1] and "Traceback" not in err


@pytest.mark.parametrize(("line", "said"), [("{", "line 1"), ('{"question": ""}', "line 1"), ("[1]", "item 1")])
def test_questions_that_cannot_be_read(
    own: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str, said: str
) -> None:
    (tmp_path / "questions.jsonl").write_text(line, encoding="utf-8")
    assert main(own) == 2
    assert f"questions.jsonl, {said}" in capsys.readouterr().err.splitlines()[-1]


def test_ctrl_c_ends_a_run_with_what_there_is(
    own: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from rag import pipeline

    real, calls = pipeline.retrieve, []

    def interrupted(*arguments: Any, **options: Any) -> Any:
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(*arguments, **options)

    monkeypatch.setattr(pipeline, "retrieve", interrupted)
    assert (
        main([*own, "--json", str(tmp_path / "r.json"), "--html", str(tmp_path / "r.html")]) == 130
    )  # whatever the figures are: a gate is passed by a whole run only
    data = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert not data["complete"] and asked(tmp_path / "r.json") == ["leave", "money"]
    assert "stopped after 2" in capsys.readouterr().out
    assert "2 of 4 questions were asked" in (tmp_path / "r.html").read_text(encoding="utf-8")


@pytest.mark.model
def test_with_the_real_models(
    own: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, models: Models, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("rag.models.roles.Models", lambda settings: models)  # loaded once a session
    monkeypatch.setattr(models, "load", lambda roles: None)
    written = ["--json", str(tmp_path / "r.json"), "--html", str(tmp_path / "r.html")]
    options = ["--category", "a", "--set", "generate.answer_tokens=40"]
    assert main([*own, *options, "--answers", "none", "gold", "retrieved", *written]) == 0
    data = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert len(data["models"]["encoder"]["weights_sha256"]) == 64 and data["models"]["generator"]["dtype"]
    (row,) = data["runs"][0]["outcomes"]
    answers = {answer["given"]: answer for answer in row["answers"]}
    assert list(answers) == ["none", "gold", "retrieved"]  # one answer's end is not the run's
    assert all(answer["tokens"] > 0 and answer["text"] for answer in answers.values())
    assert answers["gold"]["text"] in BeautifulSoup((tmp_path / "r.html").read_text("utf-8"), "lxml").get_text()
    assert data["complete"] and "all | 1 | 1/1" in capsys.readouterr().out


def test_an_index_keeps_its_own_split(own: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from rag.corpus.index import build
    from rag.corpus.store import save

    index = tmp_path / "index"
    save(build(list(read_documents([tmp_path / "documents"], "en")), SplitSettings("fixed", 100, 10), None), index, ())
    asking = ["eval", "--index", str(index), *own[own.index("--questions") :]]
    assert main([*asking, "--vary", "search.packed=2", "--vary", "split.size=240,100"]) == 0
    out = capsys.readouterr().out
    assert "split.size=100, split.overlap=10" in out
    changes = [line.split("  (settings")[0] for line in out.splitlines() if "  (settings" in line]
    assert changes == ["size 100 → 240, packed 5 → 2", "packed 5 → 2"]
    assert main([*asking, "--set", "split.size=240"]) == 2
    assert "--documents" in capsys.readouterr().err
