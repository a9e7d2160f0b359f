"""``python app.py`` from outside: what it says when it cannot start, and how it ends."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from rag.background import settled

ROOT = Path(__file__).resolve().parents[2]


def start(tmp_path: Path, *options: str, **environment: str) -> subprocess.Popen[str]:
    """The app with folders of its own and models that are not there."""
    nowhere = {
        "RAG_ENCODER": str(tmp_path / "none"),
        "RAG_GENERATOR": str(tmp_path / "none"),
        "RAG_CACHE": str(tmp_path),
    }
    return subprocess.Popen(
        [sys.executable, "app.py", *options],
        cwd=ROOT,
        env=os.environ | nowhere | {"GRADIO_TEMP_DIR": str(tmp_path / "uploads"), "LC_ALL": "C.UTF-8"} | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def test_a_taken_port_is_told_in_one_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        app = start(tmp_path, "--host", "127.0.0.1", "--port", port)
        out, said = app.communicate(timeout=60)
    assert app.returncode == 1 and out == ""
    assert "Traceback" not in said and "INFO" not in said.splitlines()[-1]
    assert port in said.splitlines()[-1] and "--port" in said.splitlines()[-1]
    assert list((tmp_path / "uploads").glob("glassbox-*")) == []


@pytest.mark.parametrize("port", ["99999", "-1"])
def test_a_number_that_is_no_port_is_told_in_one_line(tmp_path: Path, port: str) -> None:
    app = start(tmp_path, "--host", "127.0.0.1", "--port", port, LC_ALL="zh_CN.UTF-8", PYTHONUTF8="1")
    said = app.communicate(timeout=60)[1]
    assert app.returncode == 1 and "Traceback" not in said
    assert port in said.splitlines()[-1] and "请换一个" in said.splitlines()[-1]


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_within_seconds_and_leaves_nothing(tmp_path: Path, end: signal.Signals) -> None:
    app = start(tmp_path, "--host", "127.0.0.1")
    assert app.stdout is not None
    assert next(line for line in app.stdout if line.startswith("Open http"))
    began = time.monotonic()
    app.send_signal(end)
    said = app.communicate(timeout=30)[1]
    assert app.returncode == 0, said
    assert time.monotonic() - began < 10
    assert "Traceback" not in said and "terminate called" not in said
    assert list((tmp_path / "uploads").glob("glassbox-*")) == []


def test_work_is_waited_for_and_not_for_ever() -> None:
    go = threading.Event()
    work = threading.Thread(target=go.wait, args=(10,), name="generate", daemon=True)
    work.start()
    began = time.monotonic()
    assert settled(0.2) is False and time.monotonic() - began < 2
    threading.Timer(0.2, go.set).start()
    assert settled(5) is True and not work.is_alive()
