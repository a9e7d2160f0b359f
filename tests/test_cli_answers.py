"""``python -m rag eval --answers DIR``: a run, its file read again without a generator, Ctrl-C, what is refused."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rag import pipeline
from rag.cli import main
from tests.evaluate.test_answer_cases import INJECTION, VERSION, lay_out, rgb
from tests.fake_models import BigramEncoder, FakeModels, ReplyGenerator


class Loads(FakeModels):
    """Stand-ins that keep which roles a command asked for."""

    roles: tuple[str, ...] = ()

    def load(self, roles: tuple[str, ...]) -> None:
        self.roles += roles


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Loads:
    for name in ("LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "en_US.UTF-8")
    models = Loads(BigramEncoder(), ReplyGenerator("满一年的员工每年有15天年假。"), tmp_path / "cache")
    monkeypatch.setattr("rag.models.roles.Models", lambda settings: models)
    return models


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [rgb("noise", src, 0.4) for src in (1, 2, 3)] + [rgb("reject", 2)]
    return lay_out(tmp_path / "set", rgb_zh=rows, version_conflict=[VERSION], injection=[INJECTION])


def cells(out: str, what: str) -> list[str]:
    (found,) = [line.split(" | ") for line in out.splitlines() if line.startswith(f"{what} |")]
    return found


def test_a_run_and_the_same_figures_from_its_file(
    fakes: Loads, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report, again = folder / "r.json", folder / "again.json"
    assert main(["eval", "--answers", str(folder), "--json", str(report)]) == 0
    out, err = capsys.readouterr()
    assert set(fakes.roles) == {"encoder", "generator"} and "7/7" in err
    assert cells(out, "right, noise 0.4")[1:3] == ["3", "3/3"] and cells(out, "refused, reject")[2] == "0/1"
    assert cells(out, "version: current value given")[2] == "1/1"
    assert cells(out, "injection: right, of the rate without it")[2] == "1/1"
    data = json.loads(report.read_text(encoding="utf-8"))
    assert data["complete"] and data["generator"]["model"] == "reply" and len(data["answers"]) == 7
    noise = next(a for a in data["answers"] if a["id"] == "noise-1-0.4")
    assert noise["score"]["right"] and [p["marker"] for p in noise["packed"]] == ["S1", "S2"]

    fakes.roles, fakes._generator = (), None
    assert main(["eval", "--answers", str(folder), "--from", str(report), "--json", str(again)]) == 0
    second = capsys.readouterr().out
    assert fakes.roles == ()  # nothing is loaded
    table = lambda text: [line for line in text.splitlines() if line.count(" | ") == 8]  # noqa: E731
    assert table(second) == table(out) and "answers that were kept" in second
    assert json.loads(again.read_text(encoding="utf-8"))["answers"] == data["answers"]


def test_beside_the_plain_prompt_and_only_the_part_to_look_at(
    fakes: Loads, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain = folder / "plain.jsonl"
    lines = [
        {"id": "noise-3-0.4", "text": "不清楚"},
        {"id": "noise-1-0.4", "text": "15天"},
        {"id": "of nobody", "text": ""},
    ]
    plain.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    assert main(["eval", "--answers", str(folder), "--split", "look", "--plain", str(plain)]) == 0
    out = capsys.readouterr().out
    right = cells(out, "right, noise 0.4")
    assert right[1] == "1" and right[4].startswith("0.0 [") and right[5].startswith("+100 [")
    assert "cases: noise 0.4 1" in out
    # texts alone can be counted too
    assert main(["eval", "--answers", str(folder), "--from", str(plain)]) == 0
    out = capsys.readouterr().out
    assert cells(out, "right, noise 0.4")[2] == "1/2" and "5 cases without an answer" in out


def test_the_sample_questions_run_and_are_read_again(
    fakes: Loads, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "r.json"
    assert main(["eval", "--samples", "--limit", "6", "--json", str(report)]) == 0
    out, err = capsys.readouterr()
    assert "6/6" in err and cells(out, "refused, sample questions without an answer")
    fakes._generator = None
    assert main(["eval", "--samples", "--limit", "6", "--from", str(report)]) == 0
    assert cells(capsys.readouterr().out, "right, sample") == cells(out, "right, sample")


def test_ctrl_c_leaves_what_was_answered(
    fakes: Loads, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real, calls = pipeline.answer, []

    def interrupted(*arguments: Any) -> Iterator[Any]:
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(pipeline, "answer", interrupted)
    report = folder / "r.json"
    assert main(["eval", "--answers", str(folder), "--json", str(report)]) == 130
    out, err = capsys.readouterr()
    assert "5 cases without an answer" in out and "Traceback" not in err
    data = json.loads(report.read_text(encoding="utf-8"))
    assert len(data["answers"]) == 2 and not data["complete"] and data["missing"] == 5
    # and it goes on from there: the two are not answered again
    assert main(["eval", "--answers", str(folder), "--json", str(report), "--resume"]) == 0
    assert len(calls) == 3 + 5 and "7/7" in capsys.readouterr().err
    assert json.loads(report.read_text(encoding="utf-8"))["answers"][:2] == data["answers"]
    other = ["--answers", str(folder), "--json", str(report), "--resume", "--set", "generate.answer_tokens=9"]
    assert main(["eval", *other]) == 2 and "answered under the settings" in capsys.readouterr().err
    calls[:] = [1, 1]
    report.unlink()
    assert main(["eval", "--answers", str(folder), "--json", str(report)]) == 130
    assert not capsys.readouterr().out and not report.exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--answers", "nowhere"], "--answers nowhere: neither a folder nor one of none, gold"),
        (["--answers", "DIR", "gold"], "neither a folder nor one of"),
        (["--answers", "DIR", "--vary", "search.packed=1,2"], "--vary: it has no use with --answers DIR"),
        (["--answers", "DIR", "--k", "5"], "--k: it has no use"),
        (["--split", "look"], "--split: it goes with --answers DIR or --samples"),
        (["--from", "x.json"], "--from: it goes with"),
        (["--resume"], "--resume: it goes with --answers DIR"),
        (["--answers", "DIR", "--resume"], "--resume: it goes with --json FILE"),
        (["--answers", "DIR", "--from", "DIR/broken.json"], "broken.json, line 1: not valid JSON"),
        (["--answers", "DIR", "--from", "DIR/other.jsonl"], "none is to one of these questions"),
        (["--answers", "DIR", "--from", "DIR/half.json"], "half.json, item 1: not an answer that"),
        (["--answers", "DIR", "--from", "DIR/moved.json"], "its evidence x@1:0-5 is in none of its documents"),
        (["--answers", "DIR", "--limit", "0"], "--limit 0"),
    ],
)
def test_what_is_refused(
    fakes: Loads, folder: Path, options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "broken.json").write_text("{", encoding="utf-8")
    (folder / "other.jsonl").write_text('{"id": "x", "text": "y"}\n', encoding="utf-8")
    (folder / "half.json").write_text('{"answers": [{"id": "noise-1-0.4"}]}', encoding="utf-8")
    moved = {"id": "noise-1-0.4", "text": "15天", "finish": "end", "seconds": 1, "n_tokens": 3,
             "packed": [{"marker": "S1", "chunk_id": "x@1:0-5", "heading": "", "spans": [[0, 5]]}]}  # fmt: skip
    (folder / "moved.json").write_text(json.dumps({"answers": [moved]}), encoding="utf-8")
    assert main(["eval", *(option.replace("DIR", str(folder)) for option in options)]) == 2
    assert said in capsys.readouterr().err
