import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rag.cli import main
from rag.cli.corpus import read_documents
from rag.cli.options import shell_language
from rag.config import ModelSettings, SplitSettings
from rag.corpus.index import build
from rag.corpus.store import save
from rag.models.roles import Models
from rag.types import Document

ROOT = Path(__file__).resolve().parents[1]
HANDBOOK = ROOT / "sample_docs" / "handbook.json"
QUESTION = "入职满一年，每年有多少天带薪年假？"


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "en_US.UTF-8")


def test_toy(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["toy"]) == 0
    out = capsys.readouterr().out
    assert "0.96 0.80 0.60 -1.00" in out
    assert re.search(r"leave-days\S* leave-process", out)
    messages = json.loads(out[out.index("[\n") :])
    assert [m["role"] for m in messages] == ["system", "user"]
    assert "15天" in messages[1]["content"]
    assert "3000" not in messages[1]["content"]


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "zh_TW.UTF-8"}, "zh"),
        ({"LANG": "en_US.UTF-8", "LC_ALL": "zh_CN"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_MESSAGES": "de_DE"}, "en"),
        ({"LANG": "C"}, "en"),
    ],
)
def test_language(monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], language: str) -> None:
    monkeypatch.delenv("LANG")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert shell_language() == language


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_missing_path_is_exit_2_and_a_message(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    monkeypatch.setenv("LANG", f"{language}_XX.UTF-8")
    missing = tmp_path / "没有.txt"
    assert main(["build", "--documents", str(missing), "--index", str(tmp_path / "index")]) == 2
    out, err = capsys.readouterr()
    assert str(missing) in err
    assert ("没有这个文件" in err) == (language == "zh")
    assert "Traceback" not in err
    assert out == ""
    assert not (tmp_path / "index").exists()


def test_errors_of_build_before_any_model_is_loaded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = tmp_path / "bad.pdf"
    bad.write_bytes(b"%PDF-1.4 broken")
    empty = tmp_path / "empty"
    (empty / "folder.txt").mkdir(parents=True)  # a folder that is called like a file
    twice = tmp_path / "twice"
    for name in ("a", "b"):
        (twice / name).mkdir(parents=True)
        (twice / name / "制度_2026.txt").write_text("制度的正文。", encoding="utf-8")
    index = ["--index", str(tmp_path / "index")]
    for documents, said in (([bad], "bad.pdf"), ([empty], "No document"), ([twice], "制度@2026")):
        assert main(["build", "--documents", *map(str, documents), *index]) == 2
        assert said in capsys.readouterr().err
    assert main(["build", "--documents", str(HANDBOOK), *index, "--size", "5"]) == 2
    assert "size" in capsys.readouterr().err
    assert not (tmp_path / "index").exists()


def test_a_folder_says_what_is_not_read_and_what_is_not_searched(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(1000)
    (tmp_path / "旧制度.doc").write_bytes(old)
    (tmp_path / ".hidden.txt").write_text("不读", encoding="utf-8")
    for n, folder in enumerate(("v1", "v2")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "宿舍.txt").write_text(f"每月收费{n}元。", encoding="utf-8")
    documents = read_documents([tmp_path], "zh")
    said = capsys.readouterr().err
    assert [d.file for d in documents] == ["宿舍.txt", "宿舍.txt"]
    assert "旧制度.doc" in said and "hidden" not in said
    assert f"{documents[0].key} 不参与检索" in said and f"{documents[1].key} 不参与检索" not in said


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="the owner of this process may read everything")
def test_a_file_that_may_not_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("正文", encoding="utf-8")
    secret.chmod(0)
    assert main(["build", "--documents", str(secret), "--index", str(tmp_path / "index")]) == 2
    assert "secret.txt" in capsys.readouterr().err


def test_a_system_error_is_a_message_not_a_traceback(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("正文", encoding="utf-8")

    def refuse(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert main(["build", "--documents", str(path), "--index", str(tmp_path / "index")]) == 2
    err = capsys.readouterr().err
    assert str(path) in err
    assert "Permission denied" in err


def test_ask_without_an_index(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "--index", str(tmp_path / "none")]) == 2
    assert str(tmp_path / "none") in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["nonsense"], ["build"], ["ask"]])
def test_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage" in capsys.readouterr().err


def test_output_that_cannot_show_chinese_does_not_end_in_a_traceback() -> None:
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run([sys.executable, "-m", "rag", "toy"], cwd=ROOT, env=environment, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert b"0.96 0.80 0.60 -1.00" in done.stdout


# ---- with the real models


@pytest.fixture
def cached(rag_cache: Path, monkeypatch: pytest.MonkeyPatch, models: Models) -> list[str]:
    """The shell loads its own models; here it gets those of the session."""
    monkeypatch.setattr("rag.models.roles.Models", lambda settings: models)
    monkeypatch.setattr(models, "load", lambda roles: None)
    return ["--cache", str(rag_cache)]


@pytest.fixture
def index(tmp_path: Path, cached: list[str], capsys: pytest.CaptureFixture[str]) -> Path:
    made = tmp_path / "index"
    assert main(["build", "--documents", str(HANDBOOK), "--index", str(made), *cached]) == 0
    assert "vectors = (4, 384)" in capsys.readouterr().out
    return made


@pytest.mark.model
def test_build_writes_four_vectors(index: Path) -> None:
    vectors = np.load(index / "embeddings.npy", allow_pickle=False)
    assert (vectors.shape, vectors.dtype) == ((4, 384), np.float32)
    assert len(json.loads((index / "chunks.json").read_text(encoding="utf-8"))) == 4
    manifest = json.loads((index / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["encoder"]["query_prefix"] == "query: "
    assert len(manifest["encoder"]["weights_sha256"]) == 64


@pytest.mark.model
def test_ask_retrieval_only(index: Path, cached: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["ask", "--index", str(index), "--question", QUESTION, "--retrieval-only", "--mode", "dense", *cached])
        == 0
    )
    out = capsys.readouterr().out
    rows = [line for line in out.splitlines() if re.match(r"\s+\d+ ", line)]
    assert [row.split()[2].split("@")[0] for row in rows] == [
        "leave-days",
        "leave-process",
        "equipment",
        "account-reset",
    ]
    assert "search.mode=dense" in out
    assert QUESTION in out


@pytest.mark.model
def test_ask_answers_with_its_source(index: Path, cached: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "--index", str(index), "--question", QUESTION, "--answer-tokens", "60", *cached]) == 0
    out = capsys.readouterr().out
    head, _, rest = out.partition("\nprompt: ")
    assert re.search(r"^\s+1 S1\s+leave-days@2026-10", head, re.M)
    written = rest.split("\n\n", 1)[1]
    assert "15" in written.split("\n[S", 1)[0]
    assert "generate" in written
    assert re.search(r"^\[S1\] .*by (model|system), .*leave-days@2026-10:\S+ at ", written, re.M)


@pytest.mark.model
@pytest.mark.parametrize(("question", "said"), [("  ", "question"), ("年" * 1001, "1001"), ("\udcff", "question")])
def test_ask_with_a_question_that_is_none(
    index: Path, cached: list[str], capsys: pytest.CaptureFixture[str], question: str, said: str
) -> None:
    assert main(["ask", "--index", str(index), "--question", question, "--retrieval-only", *cached]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.model
def test_an_index_that_was_changed_is_refused(
    index: Path, cached: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    chunks = index / "chunks.json"
    chunks.write_text(chunks.read_text(encoding="utf-8").replace("15天", "51天"), encoding="utf-8")
    assert main(["ask", "--index", str(index), "--retrieval-only", *cached]) == 2
    assert "chunks.json" in capsys.readouterr().err


@pytest.mark.model
def test_models_lists_both(rag_cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "--cache", str(rag_cache)]) == 0
    out = capsys.readouterr().out
    assert len(re.findall(r"sha256 [0-9a-f]{64}\n", out)) == 2
    sizes = [int(n.replace(",", "")) for n in re.findall(r"size +([\d,]+) bytes", out)]
    assert len(sizes) == 2
    assert all(size > 10**8 for size in sizes)
    assert out.index("Encoder") < out.index("Generator")


@pytest.mark.model
def test_models_without_any_is_exit_2_and_names_both(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["models", "--cache", str(tmp_path), "--encoder", "nobody/e", "--generator", "nobody/g"]
    assert main(arguments) == 2
    err = capsys.readouterr().err
    assert "nobody/e" in err
    assert "nobody/g" in err


def test_models_names_a_reranker_that_was_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [str(tmp_path / name) for name in ("no-e", "no-g", "no-r")]
    arguments = ["models", "--cache", paths[0], "--encoder", paths[0], "--generator", paths[1]]
    assert main([*arguments, "--reranker", ModelSettings().reranker]) == 2
    assert ModelSettings().reranker not in capsys.readouterr().err
    assert main([*arguments, "--reranker", paths[2]]) == 2
    err = capsys.readouterr().err
    assert all(path in err for path in paths)


def test_defaults_are_those_of_the_configuration() -> None:
    from rag.cli import _parser

    arguments = _parser().parse_args(["models"])
    assert arguments.encoder == os.environ.get("RAG_ENCODER", ModelSettings().encoder)


def test_ask_without_models_shows_what_there_is_then_says_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "员工入职满一年后，每年可享受15天带薪年假。"
    corpus = build([Document("leave", "1", "leave@1", "own", "年假", "leave.md", text)], SplitSettings(), None)
    save(corpus, tmp_path / "index", ())
    nowhere = str(tmp_path / "nowhere")
    arguments = ["ask", "--index", str(tmp_path / "index"), "--cache", nowhere, "--generator", nowhere]
    assert main(arguments) == 2
    shown = capsys.readouterr()
    assert "leave@1:0-22" in shown.out and text in shown.out
    assert nowhere in shown.err and "Traceback" not in shown.err
    assert main([*arguments, "--retrieval-only"]) == 0
