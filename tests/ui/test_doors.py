"""What the served page does not let anybody do."""

import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from rag.config import Limits
from rag.ui.app import App
from rag.workspace import FileReport, Upload
from tests.ui.fakes import QUESTION, page_app, served


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[App, str]]:
    app, _ = page_app(tmp_path_factory.mktemp("samples"))
    yield app, served(app)
    app.close()


@pytest.mark.parametrize(
    ("method", "path"),
    [
        *(("post", f"/gradio_api/run/{name}") for name in ("ask", "write", "retrieve", "add", "remove", "apply_split")),
        ("get", "/gradio_api/deep_link?session_hash=x"),
        ("get", "/monitoring"),
        ("get", "/monitoring/summary"),
        ("get", "/monitoring/x"),
        ("get", "/gradio_api/runs"),
    ],
)
def test_closed_doors(site: tuple[App, str], method: str, path: str) -> None:
    body = {"json": {"data": [QUESTION]}} if method == "post" else {}
    assert getattr(httpx, method)(site[1] + path, **body).status_code == 404


def test_no_endpoint_is_offered(site: tuple[App, str]) -> None:
    info = httpx.get(site[1] + "/gradio_api/info").json()
    assert info["named_endpoints"] == {} and info["unnamed_endpoints"] == {}
    config = httpx.get(site[1] + "/config").json()
    assert config["footer_links"] == [] and not config.get("run_history") and not config.get("enable_monitoring")


def test_same_bytes_and_name_get_a_path_each_and_are_unreadable_after_taking(site: tuple[App, str]) -> None:
    app, url = site
    paths = [
        httpx.post(url + "/gradio_api/upload", files={"files": ("休假.txt", "同一份".encode())}).json()[0]
        for _ in range(2)
    ]
    assert paths[0] != paths[1] and all(Path(p).is_relative_to(app.uploads.path) for p in paths)
    taken = app.uploads.take([{"path": paths[0], "orig_name": "休假.txt"}], 0)[0]
    assert isinstance(taken, Upload) and taken.data == "同一份".encode()
    assert not Path(paths[0]).exists() and Path(paths[1]).exists()
    assert httpx.get(f"{url}/gradio_api/file={paths[0]}").status_code in (403, 404)
    app.uploads.take([{"path": paths[1], "orig_name": "休假.txt"}], 0)


def test_of_a_file_over_the_limit_no_more_is_kept_than_tells_so(tmp_path: Path) -> None:
    app, _ = page_app(tmp_path, limits=Limits(file_bytes=1000))
    try:
        files = [("files", (f"{n}.txt", b"x" * n)) for n in (999, 1000, 3_000_000)]
        paths = httpx.post(served(app) + "/gradio_api/upload", files=files).json()
        assert [Path(p).stat().st_size for p in paths] == [999, 1000, 1001]
        left = [p for p in app.uploads.path.rglob("*") if p.is_file()]
        assert sorted(map(str, left)) == sorted(paths)
        taken = app.uploads.take([{"path": p, "orig_name": Path(p).name} for p in paths], 0)
        assert [type(x) for x in taken] == [Upload, Upload, FileReport]
    finally:
        app.close()


def test_closing_the_app_deletes_its_folder(tmp_path: Path) -> None:
    app, _ = page_app(tmp_path)
    served(app)
    assert app.uploads.path.is_dir()
    app.close()
    assert not app.uploads.path.exists()


def test_the_janitor_outlives_a_sweep_that_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    app, _ = page_app(tmp_path)
    again = threading.Event()

    def failing(_: float) -> None:
        if "KeyError" in caplog.text:
            again.set()
        raise KeyError("secret.txt")

    monkeypatch.setattr("rag.ui.app.SWEEP_S", 0.01)
    monkeypatch.setattr(app.uploads, "sweep", failing)
    served(app)
    try:
        assert again.wait(5) and "secret" not in caplog.text
    finally:
        app.close()
