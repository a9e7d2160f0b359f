"""``python -m rag eval --retrieval``: one collection and a folder of them, the table, Ctrl-C, what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from rag import pipeline
from rag.cli import main
from rag.config import Settings
from tests.evaluate.test_collection import CORPUS, QRELS, QUERIES, lay_out
from tests.fake_models import BigramEncoder, FakeModels


class Loads(FakeModels):
    """Stand-ins that keep which roles a command asked for."""

    def load(self, roles: tuple[str, ...]) -> None:
        self.roles = roles


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch) -> Loads:
    for name in ("LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "en_US.UTF-8")
    models = Loads(BigramEncoder(), None)
    monkeypatch.setattr("rag.models.roles.Models", lambda settings: models)
    return models


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    queries = [{**query, "hr": query["_id"] == "q1"} for query in QUERIES]
    for name in ("one", "two"):
        lay_out(tmp_path / name, CORPUS, queries, QRELS)
    return tmp_path


def test_a_folder_of_collections(fakes: Loads, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = folder / "r.json"
    assert main(["eval", "--retrieval", str(folder), "--json", str(report)]) == 0
    out, err = capsys.readouterr()
    assert fakes.roles == ("encoder",)
    data = json.loads(report.read_text(encoding="utf-8"))
    names = [row["name"] for found in data["collections"] for row in found["rows"]]
    assert names == ["one", "one hr=False", "one hr=True", "two", "two hr=False", "two hr=True"]
    assert data["complete"] and data["shipped"] and f"shipped {Settings().hash()}" in out
    assert [line.split(" | ")[0] for line in out.splitlines() if line.count(" | ") == 10][2:] == names
    assert "one: ask 2/2" in err and "two: encode 0/0" in err  # nothing to encode again
    assert out.splitlines()[-1] == str(report)


def test_one_collection_under_other_settings(fakes: Loads, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    alone = [part for name in ("normalise", "glossary", "parts") for part in ("--set", f"query.{name}=False")]
    assert main(["eval", "--retrieval", str(folder / "two"), "--set", "search.mode=dense", "--limit", "1", *alone]) == 0
    out = capsys.readouterr().out
    (cells,) = [line.split(" | ") for line in out.splitlines() if line.startswith("two | 1 |")]
    assert cells[6] == cells[3]  # the line is dense search then
    assert "as set " in out and "shipped" not in out


def test_ctrl_c_leaves_what_was_complete(
    fakes: Loads, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real, calls = pipeline.retrieve, []

    def interrupted(*arguments: Any, **options: Any) -> Any:
        calls.append(1)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return real(*arguments, **options)

    monkeypatch.setattr(pipeline, "retrieve", interrupted)
    report = folder / "r.json"
    assert main(["eval", "--retrieval", str(folder), "--json", str(report)]) == 130
    out, err = capsys.readouterr()
    assert "two: not measured, ended before" in out and "Traceback" not in err
    data = json.loads(report.read_text(encoding="utf-8"))
    assert [found["name"] for found in data["collections"]] == ["one"] and data["missing"] == ["two"]
    calls[:] = [1, 1, 1]
    report.unlink()
    assert main(["eval", "--retrieval", str(folder), "--json", str(report)]) == 130
    assert not capsys.readouterr().out and not report.exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--questions", "q.jsonl"], "--questions"),
        (["--min", "packed.evidence=0.9"], "--min"),
        (["--vary", "search.packed=1,2"], "--vary"),
        (["--answers", "gold"], "--answers"),
        (["--html", "r.html"], "--html"),
        (["--k", "5"], "--k"),
        (["--set", "search.depth=0"], "1–200"),
        (["--json", "no/such/folder.json"], "no/such"),
        (["--limit", "0"], "limit 0"),
        (["--set", "select.rerank=likelihood"], "no model here"),
    ],
)
def test_what_is_refused(
    fakes: Loads, folder: Path, capsys: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    assert main(["eval", "--retrieval", str(folder), *options]) == 2
    out, err = capsys.readouterr()
    assert said in err and not out


def test_what_is_wrong_with_the_last_is_said_before_the_first_is_encoded(
    fakes: Loads, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "two" / "qrels.tsv").write_text("q1\td1\tx\nq1\td1\tx\n", encoding="utf-8")
    assert main(["eval", "--retrieval", str(folder)]) == 2
    assert "qrels.tsv, line 2" in capsys.readouterr().err
    assert not fakes.encoder().encoded


def test_without_an_encoder_there_is_nothing_to_fuse(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("rag.models.roles.Models", lambda settings: Loads(None, None))
    assert main(["eval", "--retrieval", str(folder)]) == 2
    out, err = capsys.readouterr()
    assert not out and err.strip() and "Traceback" not in err
