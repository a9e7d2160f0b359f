"""The README stays true: its front matter, its commands, its table of modules, its pictures."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from rag.config import DEFAULT_ENCODER, DEFAULT_GENERATOR, Limits, ModelSettings, Settings
from rag.evaluate.question_files import sample_set
from rag.ui.page import TAB_IDS
from tests.bench import run
from tests.bench.table import markdown

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PINS = dict(re.findall(r"^([\w-]+)==([\w.]+)", (ROOT / "requirements.txt").read_text(encoding="utf-8"), re.M))


def block(marker: str) -> str:
    """The fenced block behind ``<!-- marker -->``."""
    match = re.search(rf"<!-- {marker} -->\n```bash\n(.+?)\n```", README, re.S)
    assert match, f"README.md has no block {marker}"
    return match.group(1)


def test_front_matter_is_what_a_space_reads() -> None:
    facts = yaml.safe_load(README.split("---")[1])
    assert facts["sdk"] == "gradio"
    assert facts["sdk_version"] == PINS["gradio"]
    assert facts["app_file"] == "app.py" and (ROOT / "app.py").is_file()
    assert tuple(map(int, facts["python_version"].split("."))) >= (3, 11)
    assert facts["models"] == [DEFAULT_ENCODER, DEFAULT_GENERATOR]
    assert facts["license"] == "apache-2.0"
    assert 0 < len(facts["short_description"]) <= 60


def test_every_requirement_is_pinned_and_explained() -> None:
    for file in ("requirements.txt", "tests/requirements.txt"):
        for line in (ROOT / file).read_text(encoding="utf-8").splitlines():
            if line.strip() and not line.startswith(("#", "-r ")):
                assert re.match(r"^[\w-]+==[\w.]+(\s+# \S.+)?$", line), line
                assert file != "requirements.txt" or "#" in line, f"{line}: why is it there?"


def test_the_commands_name_what_exists() -> None:
    run, tests = block("run"), block("tests")
    assert "pip install -r requirements.txt" in run and run.endswith("python app.py")
    assert "pip install -r tests/requirements.txt" in tests and tests.endswith("python -m pytest")
    assert "-r ../requirements.txt" in (ROOT / "tests/requirements.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", ["toy", "build", "ask", "eval", "models"])
def test_the_shell_has_the_commands_shown(command: str) -> None:
    assert f"python -m rag {command}" in README
    done = subprocess.run(
        [sys.executable, "-m", "rag", command, "--help"], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    shown = re.findall(rf"python -m rag {command}[^\n#]*", README)
    for flag in {f for line in shown for f in re.findall(r"--[a-z-]+", line)}:
        assert flag in done.stdout


def test_the_table_lists_every_module_once() -> None:
    table = README.split("<!-- modules -->")[1].split("\n\n")[0]
    listed = re.findall(r"^\| `([^`]+)` \|", table, re.M)
    assert len(listed) == len(set(listed))
    assert all((ROOT / name).exists() for name in listed), listed
    folders = tuple(name for name in listed if name.endswith("/"))
    modules = {p.relative_to(ROOT).as_posix() for p in (ROOT / "rag").rglob("*.py") if p.name[0] != "_"}
    assert {m for m in modules if not m.startswith(folders)} == set(listed) - set(folders) - {"app.py"}


def test_every_line_of_the_troubleshooting_table_leads_to_a_tab() -> None:
    rows = README.split("### When an answer is wrong")[1].split("\n## ")[0].strip().split("\n")[2:]
    assert len(rows) >= 8
    for row in rows:
        links = re.findall(r"\]\(http://127\.0\.0\.1:7860/\?tab=(\w+)\)", row)
        assert links and set(links) <= set(TAB_IDS), row
    assert {tab for row in rows for tab in re.findall(r"tab=(\w+)", row)} == set(TAB_IDS)


def rows_of(marker: str) -> dict[str, list[str]]:
    """The table behind ``<!-- marker -->``, by first cell."""
    lines = README.split(f"<!-- {marker} -->\n")[1].split("\n\n")[0].split("\n")[2:]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {row[0]: row[1:] for row in cells}


def report(name: str) -> Any:
    return json.loads((ROOT / ".readme" / name).read_text(encoding="utf-8"))


def test_the_figures_of_the_evaluation_are_those_of_the_committed_report() -> None:
    data = report("evaluation.json")
    run = data["runs"][0]
    assert run["complete"] and run["asked"] == data["questions"]["n"] == len(sample_set().questions)
    assert dict(run["settings"]) == dict(Settings().lines())
    for stage, cells in rows_of("stages").items():
        for measure, cell in zip(("evidence", "recall", "reciprocal_rank", "ndcg"), cells, strict=True):
            figure = run["figures"][f"{stage}.{measure}"]
            assert cell == f"{figure['mean']:.3f} ({figure['low']:.2f}–{figure['high']:.2f})", (stage, measure)
    packed = run["figures"]["packed.evidence"]
    assert f"in the prompt for {round(packed['mean'] * packed['n'])} of {packed['n']} questions" in README


def test_the_figures_of_the_answers_are_those_of_the_committed_report() -> None:
    run = report("answers.json")["runs"][0]
    assert run["complete"] and [q["id"] for q in run["outcomes"]] == [q.id for q in sample_set().questions]
    # more than an hour of writing: the settings it was written under are named, whatever the defaults are by now
    written = hashlib.sha256(repr(tuple(run["settings"].items())).encode()).hexdigest()[:8]
    assert f"settings {written}" in README
    table = rows_of("answers")
    assert list(table) == ["none", "gold", "retrieved"] == [a["given"] for a in run["answers"]]
    for answers in run["answers"]:
        cells = table[answers["given"]]
        assert cells[:3] == [str(answers[name]) for name in ("right", "wrong", "refused")]
        assert cells[4] == f"{answers['seconds']:.1f}"
    blame = run["blame"]
    assert f"{blame['right']} are right from what was found, {blame['search']} fail because of the search" in README
    assert f"{blame['distracted']} because other passages distract the model, {blame['model']} because" in README


def test_the_table_of_speed_is_the_committed_measurement() -> None:
    here, parts = run.load(ROOT / ".readme" / "speed.json")
    table = README.split("<!-- speed -->\n")[1].split("\n\n")[0]
    assert table == markdown(row for part in parts for row in part.rows)
    assert run.said(here, parts) in README


def test_the_reports_need_nothing_from_elsewhere() -> None:
    for name in ("evaluation.html", "answers.html"):
        page = (ROOT / ".readme" / name).read_text(encoding="utf-8")
        assert (
            f"(.readme/{name})" in README
            and "<script" not in page
            and "http" not in page.replace("http-equiv", "").replace("http://www.w3.org", "")
        )


def test_the_pictures_are_there() -> None:
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", README)
    assert pictures
    for picture in pictures:
        assert (ROOT / picture).read_bytes()[:8] == b"\x89PNG\r\n\x1a\n", picture


def test_the_figures_in_the_text_are_the_defaults() -> None:
    settings, limits = Settings(), Limits()
    assert f"at most {settings.split.size} characters" in README
    assert f"overlap up to {settings.split.overlap}" in README
    assert f"{settings.search.depth} candidates per retriever, RRF with c = {settings.search.rrf_c}" in README
    assert f"{settings.search.packed} packed, greedy, {settings.generate.answer_tokens} answer tokens" in README
    assert f"{settings.generate.context_limit:,} tokens of context" in README
    assert f"{limits.files} documents" in README and f"{limits.questions_per_minute} questions a minute" in README
    assert f"{limits.file_bytes // 1_000_000} MB a file, {limits.total_bytes // 1_000_000} MB in all" in README
    assert f"{limits.chunks:,} chunks" in README
    assert f"`~/{ModelSettings().cache.relative_to(Path.home()).as_posix()}`" in README


def test_the_top_level_is_the_fixed_one() -> None:
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.split(
        "\n"
    )
    if not any(tracked):
        pytest.skip("not a git checkout")
    top = {name.split("/")[0] for name in tracked if name and not name.startswith((".", '"'))}
    assert top <= {"app.py", "rag", "sample_docs", "tests", "requirements.txt", "README.md"}
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
